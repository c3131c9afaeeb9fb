#include "dojima/mitch/feed/feed_client.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/mitch/client/group_follower.hpp"
#include "dojima/mitch/client/request_channel.hpp"

namespace dojima::mitch {
namespace {

constexpr unsigned k_replay_tries = 3;  // of a channel that cannot be had, until its gaps go to recovery
constexpr unsigned k_most_misfits = 8;  // of an instrument, until it is given up
constexpr std::uint32_t k_last_number = ~std::uint32_t{0} - k_unit_messages_max;

/// What goes on in a group besides its messages.
enum class Phase : std::uint8_t {
  whole,      // nothing is missing
  patient,    // something is missing, and may still come by a line
  replaying,  // it has been asked for
};

}  // namespace

class FeedClient::Impl final : public RequestOwner {
 public:
  struct Line final : link::DatagramReceiver {
    void on_datagram(Bytes datagram, time::Time now) override { impl->take_datagram(*this, datagram, now); }
    Impl* impl = nullptr;
    std::size_t number = 0;
    time::Time last{};
    bool is_lost = false;
  };

  struct Group {
    Group(Impl& owner, char name)
        : impl(owner),
          follower(name, owner.options.window, owner.options.books, owner.recovery != nullptr),
          patience(owner.scheduler, *this) {}
    void on_patience(time::Time now) { impl.close_gap(*this, now); }

    Impl& impl;
    GroupFollower follower;
    Phase phase = Phase::whole;
    MissingRange gap;
    bool is_live = false;      // it has been told
    bool is_day_over = false;  // the last message said so
    time::Time fresh{};        // when a unit last reached the next number
    // Of the day before, while a line that lags may still bring some of it.
    std::uint32_t old_end = 0;
    time::Time began{};  // when the first line brought the new day
    std::array<bool, k_lines> lags{};
    sched::TimerOf<&Group::on_patience> patience;
  };

  Impl(FeedClientOptions of, sched::Scheduler& by, link::Fabric* fabric, FeedHandler& to)
      : options(std::move(of)), scheduler(by), handler(to), watch(by, *this) {
    if (options.user.empty() || options.user.size() > 6 || options.password.size() > 10)
      throw std::invalid_argument("a reader's name has 1 to 6 characters, its password at most 10");
    for (std::size_t which = 0; which < k_lines; ++which) {
      lines[which].impl = this;
      lines[which].number = which;
    }
    groups.reserve(options.groups);
    if (fabric != nullptr && options.replay)
      replay = std::make_unique<RequestChannel>(FeedChannel::replay, options, *options.replay, by, *fabric, *this);
    if (fabric != nullptr && options.recovery)
      recovery =
          std::make_unique<RequestChannel>(FeedChannel::recovery, options, *options.recovery, by, *fabric, *this);
  }

  // ---- The lines ---------------------------------------------------------------------------------------------------

  void on_watch(time::Time now) {
    watch.arm(now + options.silence / 4);
    for (Line& line : lines) {
      if (line.is_lost || now - line.last < options.silence) continue;
      line.is_lost = true;
      notify({.kind = FeedNoticeKind::line_lost, .line = line.number}, now);
    }
  }

  void take_datagram(Line& line, Bytes datagram, time::Time now) {
    const Result<Unit> unit = read_unit(datagram);
    const bool is_sound = unit && unit->size() == datagram.size() && unit->header().sequence_number != 0 &&
                          unit->header().sequence_number <= k_last_number &&
                          (unit->is_heartbeat() || !is_administrative(load_little<char>(*unit->begin(), 1)));
    if (!is_sound) {
      ++counts.malformed;
      return;
    }
    ++counts.units;
    line.last = now;
    if (std::exchange(line.is_lost, false)) notify({.kind = FeedNoticeKind::line_back, .line = line.number}, now);
    Group* const group = group_of(unit->header().market_data_group);
    if (group == nullptr) {
      ++counts.foreign;
      return;
    }
    take_unit(*group, line.number, *unit, now);
  }

  [[nodiscard]] Group* find(char name) const noexcept {
    for (const auto& group : groups)
      if (group->follower.group() == name) return group.get();
    return nullptr;
  }

  [[nodiscard]] Group* group_of(char name) {
    if (Group* const known = find(name)) return known;
    if (groups.size() == options.groups) return nullptr;
    groups.push_back(std::make_unique<Group>(*this, name));
    return groups.back().get();
  }

  /// Behind the day's end one line is ahead of the other, whose last units would pass for early ones of the new day.
  /// What is taken for old though it is new has come by the other line, or is asked for.
  [[nodiscard]] bool is_of_day_before(Group& group, std::size_t line, std::uint32_t number, std::uint32_t end,
                                      time::Time now) const {
    if (!group.lags[line]) return false;
    group.lags[line] = number != 1 && end <= group.old_end && now - group.began < options.restart;
    return group.lags[line];
  }

  void take_unit(Group& group, std::size_t line, const Unit& unit, time::Time now) {
    GroupFollower& follower = group.follower;
    std::uint32_t number = unit.header().sequence_number;
    const std::uint32_t end = number + unit.header().message_count;
    if (is_of_day_before(group, line, number, end, now)) {
      counts.duplicates += unit.header().message_count;
      return;
    }
    if (follower.next() == 0) join(group, number, now);
    // Behind the end of a day the next one begins with number 1. Who has missed that sees its numbers stay behind.
    const bool is_next_day = group.is_day_over && number == 1 && !unit.is_heartbeat();
    if (end >= follower.next() && !is_next_day) {
      group.fresh = now;
    } else if (is_next_day || now - group.fresh >= options.restart) {
      ++counts.restarts;
      notify({.kind = FeedNoticeKind::restarted, .group = follower.group(), .first = number}, now);
      group.old_end = follower.next();
      group.began = now;
      group.lags.fill(is_next_day);
      group.lags[line] = false;
      join(group, number, now);
      group.fresh = now;
    }
    for (const Bytes message : unit) {
      if (number >= follower.next() && number - follower.next() >= follower.window()) {
        // So much is missing that what comes does not wait for it.
        counts.skipped += number - follower.next();
        follower.skip_to(number);
        recover(group, now);
      }
      if (!follower.put(number, message)) ++counts.duplicates;
      ++number;
    }
    follower.announce(end);
    advance(group, now);
  }

  // ---- Joining -----------------------------------------------------------------------------------------------------

  void join(Group& group, std::uint32_t number, time::Time now) {
    GroupFollower& follower = group.follower;
    if (replay) replay->drop(follower.group());
    if (recovery) recovery->drop(follower.group());
    group.phase = Phase::whole;
    group.is_live = group.is_day_over = false;
    group.fresh = now;
    group.patience.disarm();
    const bool is_late = number > 1;
    const bool knows_names = std::ranges::any_of(
        options.instruments, [&](const FollowedInstrument& each) { return each.group == follower.group(); });
    const bool can_ask =
        recovery != nullptr && (knows_names || !options.segments.empty() || !follower.instruments().empty());
    if (is_late && !can_ask && replay != nullptr && number - 1 <= options.replay_most) {
      // All of it again, which also names the instruments.
      follower.begin(1, false);
      follower.announce(number);
      notify({.kind = FeedNoticeKind::joined, .group = follower.group(), .first = 1}, now);
      find_gap(group, now);
      return close_gap(group, now);
    }
    follower.begin(number, is_late);
    notify({.kind = FeedNoticeKind::joined, .group = follower.group(), .first = number}, now);
    if (!is_late) return;
    for (const FollowedInstrument& each : options.instruments)
      if (each.group == follower.group()) follower.expect(each.id);
    if (recovery != nullptr && !std::exchange(has_requested_segments, true))
      for (const Text<6>& segment : options.segments) ask_recovery({.segment = segment}, now);
    ask_for_suspects(group, now);
  }

  // ---- Messages in their order -------------------------------------------------------------------------------------

  void advance(Group& group, time::Time now) {
    GroupFollower& follower = group.follower;
    for (Bytes message = follower.peek(); !message.empty(); message = follower.peek()) {
      const std::uint32_t number = follower.next();
      ++counts.messages;
      handler.on_message(follower.group(), number, message, now);
      group.is_day_over = is_end_of_day(message);
      const GroupFollower::Applied applied = follower.apply_next();
      if (applied.outcome != GroupFollower::Outcome::applied && applied.outcome != GroupFollower::Outcome::skipped)
        look_at(group, number, applied, now);
    }
    const bool is_missing = follower.has_gap();
    if (group.phase != Phase::whole && (!is_missing || follower.next() >= group.gap.first + group.gap.count)) {
      group.patience.disarm();
      group.phase = Phase::whole;
      notify({.kind = FeedNoticeKind::gap_closed,
              .group = follower.group(),
              .first = group.gap.first,
              .count = group.gap.count},
             now);
    }
    if (group.phase == Phase::whole && is_missing) find_gap(group, now);
    notify_if_live(group, now);
  }

  void look_at(Group& group, std::uint32_t number, GroupFollower::Applied applied, time::Time now) {
    GroupFollower& follower = group.follower;
    if (applied.outcome == GroupFollower::Outcome::discovered) return ask_for(group, applied.instrument, now);
    ++counts.misfits;
    notify(
        {.kind = FeedNoticeKind::misfit, .group = follower.group(), .first = number, .instrument = applied.instrument},
        now);
    const bool is_given_up = ++follower.misfits(applied.instrument) > k_most_misfits || recovery == nullptr;
    if (applied.outcome == GroupFollower::Outcome::misfit) {
      follower.suspect(applied.instrument);
      if (!is_given_up) return ask_for(group, applied.instrument, now);
    } else if (!is_given_up) {
      for (const std::uint32_t id : follower.instruments()) follower.suspect(id);
      return ask_for_suspects(group, now);
    }
    follower.give_up(applied.instrument);
    notify({.kind = FeedNoticeKind::given_up, .group = follower.group(), .instrument = applied.instrument}, now);
  }

  [[nodiscard]] static bool is_end_of_day(Bytes message) {
    if (load_little<char>(message, 1) != SystemEvent::k_type) return false;
    const Result<SystemEvent> event = decode<SystemEvent>(message);
    return event && event->event_code == 'C';
  }

  // ---- Gaps --------------------------------------------------------------------------------------------------------

  void find_gap(Group& group, time::Time now) {
    const auto range = group.follower.missing();
    if (!range) return;
    group.gap = *range;
    group.phase = Phase::patient;
    group.is_live = false;
    ++counts.gaps;
    counts.missing += range->count;
    notify({.kind = FeedNoticeKind::gap, .group = group.follower.group(), .first = range->first, .count = range->count},
           now);
    group.patience.arm(now + options.patience);
  }

  /// Neither line brought it in time.
  void close_gap(Group& group, time::Time now) {
    const auto range = group.follower.missing();
    if (!range) return advance(group, now);
    if (replay == nullptr || replay->is_down(k_replay_tries) || range->count > options.replay_most)
      return give_up_gap(group, now);
    constexpr std::uint32_t k_most_a_request = 60'000;
    group.phase = Phase::replaying;
    ++counts.replay_requests;
    replay->ask({.group = group.follower.group(),
                 .first = range->first,
                 .count = static_cast<std::uint16_t>(std::min(range->count, k_most_a_request))},
                now);
  }

  /// What is missing will not come.
  void give_up_gap(Group& group, time::Time now) {
    if (const auto range = group.follower.missing()) {
      counts.skipped += range->count;
      notify({.kind = FeedNoticeKind::recovering,
              .group = group.follower.group(),
              .first = range->first,
              .count = range->count},
             now);
    }
    group.follower.skip_missing();
    recover(group, now);
    advance(group, now);
  }

  void recover(Group& group, time::Time now) {
    group.is_live = false;
    group.phase = Phase::whole;
    group.patience.disarm();
    if (replay) replay->drop(group.follower.group());
    if (recovery == nullptr) {
      notify({.kind = FeedNoticeKind::given_up, .group = group.follower.group()}, now);
      return;
    }
    recovery->drop(group.follower.group());  // what is on its way may be older than what is missing
    group.follower.end_snapshot();
    ask_for_suspects(group, now);
  }

  void ask_for_suspects(Group& group, time::Time now) {
    for (const std::uint32_t id : group.follower.instruments())
      if (group.follower.is_suspect(id)) ask_for(group, id, now);
  }

  void ask_for(Group& group, std::uint32_t instrument, time::Time now) {
    group.is_live = false;
    if (recovery != nullptr) ask_recovery({.group = group.follower.group(), .instrument = instrument}, now);
  }

  void ask_recovery(const FeedRequest& request, time::Time now) {
    ++counts.snapshot_requests;
    recovery->ask(request, now);
  }

  void notify_if_live(Group& group, time::Time now) {
    if (!is_live(group) || std::exchange(group.is_live, true)) return;
    notify({.kind = FeedNoticeKind::live, .group = group.follower.group(), .first = group.follower.next()}, now);
  }

  [[nodiscard]] bool is_live(const Group& group) const {
    const bool waits_for_segment = recovery != nullptr && recovery->is_requested('\0');
    const GroupFollower& follower = group.follower;
    return follower.next() != 0 && follower.suspects() == 0 && !follower.has_gap() && !follower.is_ahead() &&
           !waits_for_segment;
  }

  void notify(const FeedNotice& notice, time::Time now) { handler.on_notice(notice, now); }

  // ---- What the channels say ---------------------------------------------------------------------------------------

  void on_answered(const RequestChannel& channel, const FeedRequest& request, char status, time::Time now) override {
    if (status == 'A') return;
    ++counts.refused;
    notify({.kind = FeedNoticeKind::refused,
            .group = request.group,
            .first = request.first,
            .count = request.count,
            .instrument = request.instrument,
            .channel = channel.channel(),
            .status = status},
           now);
    Group* const group = find(request.group);
    if (channel.channel() == FeedChannel::replay && group != nullptr) return give_up_gap(*group, now);
    if (channel.channel() == FeedChannel::replay) return;
    if (group != nullptr) group->follower.give_up(request.instrument);
    notify({.kind = FeedNoticeKind::given_up, .group = request.group, .instrument = request.instrument}, now);
  }

  void on_replayed(const FeedRequest& request, std::uint32_t number, Bytes message, time::Time now) override {
    Group* const group = find(request.group);
    const std::uint32_t next = group->follower.next();
    if (number >= next && number - next >= group->follower.window()) return;
    if (!group->follower.put(number, message)) {
      ++counts.duplicates;
      return;
    }
    ++counts.replayed;
    advance(*group, now);
  }

  void on_snapshot_message(char name, Bytes message) override {
    if (Group* const group = group_of(name)) group->follower.apply_snapshot(message);
  }

  void on_snapshot_complete(char name, const SnapshotComplete& complete, time::Time now) override {
    Group* const group = group_of(name);
    if (group == nullptr || complete.flags != 0) return;
    GroupFollower& follower = group->follower;
    const bool was_suspect = follower.is_suspect(complete.instrument_id);
    if (!follower.complete_snapshot(complete.instrument_id, complete.sequence_number)) {
      ++counts.stale_snapshots;
      return ask_for(*group, complete.instrument_id, now);
    }
    if (was_suspect) {
      ++counts.snapshots;
      notify({.kind = FeedNoticeKind::recovered,
              .group = name,
              .first = complete.sequence_number,
              .instrument = complete.instrument_id},
             now);
    }
    advance(*group, now);
  }

  void on_done(const RequestChannel& channel, const FeedRequest& request, time::Time now) override {
    Group* const group = find(request.group);
    if (group != nullptr && channel.channel() == FeedChannel::replay && group->follower.has_gap())
      close_gap(*group, now);
    for (const auto& each : groups) notify_if_live(*each, now);
  }

  void on_lost(RequestChannel& channel, const FeedRequest& request, char status, unsigned tries,
               time::Time now) override {
    if (status != '\0') ++counts.refused;
    notify({.kind = status != '\0' ? FeedNoticeKind::refused : FeedNoticeKind::unreachable,
            .group = request.group,
            .instrument = request.instrument,
            .channel = channel.channel(),
            .status = status},
           now);
    if (channel.channel() == FeedChannel::recovery) {
      for (const auto& group : groups) group->follower.end_snapshot();
      return;
    }
    if (tries < k_replay_tries) return;
    for (const auto& group : groups)
      if (group->phase == Phase::replaying) give_up_gap(*group, now);
  }

  FeedClientOptions options;
  sched::Scheduler& scheduler;
  FeedHandler& handler;
  std::array<Line, k_lines> lines;
  std::vector<std::unique_ptr<Group>> groups;
  std::unique_ptr<RequestChannel> replay, recovery;
  bool has_requested_segments = false;
  FeedClientCounts counts;
  sched::TimerOf<&Impl::on_watch> watch;
};

FeedClient::FeedClient(FeedClientOptions options, sched::Scheduler& scheduler, link::Fabric* fabric,
                       FeedHandler& handler)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, fabric, handler)) {}

FeedClient::~FeedClient() = default;

link::DatagramReceiver& FeedClient::line(std::size_t which) noexcept {
  return impl_->lines[which];
}

void FeedClient::start(time::Time now) {
  for (Impl::Line& line : impl_->lines) line.last = now;
  impl_->watch.arm(now + impl_->options.silence / 4);
}

void FeedClient::stop() {
  if (impl_->replay) impl_->replay->stop();
  if (impl_->recovery) impl_->recovery->stop();
  impl_->watch.disarm();
}

const BookBuilder* FeedClient::books(char group) const noexcept {
  const Impl::Group* const found = impl_->find(group);
  return found == nullptr ? nullptr : &found->follower.books();
}

std::string FeedClient::groups() const {
  std::string names;
  for (const auto& group : impl_->groups) names += group->follower.group();
  return names;
}

std::uint32_t FeedClient::next(char group) const noexcept {
  const Impl::Group* const found = impl_->find(group);
  return found == nullptr ? 0 : found->follower.next();
}

bool FeedClient::is_live(char group) const noexcept {
  const Impl::Group* const found = impl_->find(group);
  return found != nullptr && impl_->is_live(*found);
}

std::uint64_t FeedClient::missing() const noexcept {
  std::uint64_t count = 0;
  for (const auto& group : impl_->groups)
    if (const auto range = group->follower.missing()) count += range->count;
  return count;
}

std::size_t FeedClient::suspects() const noexcept {
  std::size_t count = 0;
  for (const auto& group : impl_->groups) count += group->follower.suspects();
  return count;
}

bool FeedClient::is_suspect(std::uint32_t instrument) const noexcept {
  return std::ranges::any_of(impl_->groups,
                             [instrument](const auto& group) { return group->follower.is_suspect(instrument); });
}

bool FeedClient::is_line_lost(std::size_t which) const noexcept {
  return impl_->lines[which].is_lost;
}

const FeedClientCounts& FeedClient::counts() const noexcept {
  return impl_->counts;
}

const char* name_of(FeedNoticeKind kind) noexcept {
  switch (kind) {
    case FeedNoticeKind::joined:
      return "joined";
    case FeedNoticeKind::gap:
      return "gap";
    case FeedNoticeKind::gap_closed:
      return "gap closed";
    case FeedNoticeKind::recovering:
      return "recovering";
    case FeedNoticeKind::recovered:
      return "recovered";
    case FeedNoticeKind::live:
      return "live";
    case FeedNoticeKind::refused:
      return "refused";
    case FeedNoticeKind::unreachable:
      return "unreachable";
    case FeedNoticeKind::restarted:
      return "restarted";
    case FeedNoticeKind::misfit:
      return "misfit";
    case FeedNoticeKind::given_up:
      return "given up";
    case FeedNoticeKind::line_lost:
      return "line lost";
    case FeedNoticeKind::line_back:
      return "line back";
  }
  return "unnamed notice";
}

}  // namespace dojima::mitch
