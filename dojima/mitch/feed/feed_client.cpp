#include "dojima/mitch/feed/feed_client.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/mitch/client/feed_lines.hpp"
#include "dojima/mitch/client/feed_requests.hpp"
#include "dojima/mitch/client/followed_group.hpp"

namespace dojima::mitch {
namespace {

FeedClientOptions checked_options(FeedClientOptions options) {
  if (options.user.empty() || options.user.size() > 6 || options.password.size() > 10)
    throw std::invalid_argument("a reader's name has 1 to 6 characters, its password at most 10");
  return options;
}

}  // namespace

/// Who is meant: units and answers of the channels go to their groups.
class FeedClient::Impl final : public UnitReceiver, public RequestOwner {
 public:
  Impl(FeedClientOptions of, sched::Scheduler& scheduler, link::Fabric* fabric, FeedHandler& handler)
      : options(checked_options(std::move(of))),
        context{options, scheduler, handler, counts},
        lines(context, *this),
        requests(context, fabric, *this) {
    groups.reserve(options.groups);
  }

  [[nodiscard]] FollowedGroup* find(char name) const noexcept {
    for (const auto& group : groups)
      if (group->name() == name) return group.get();
    return nullptr;
  }

  /// Null: it is one too many.
  [[nodiscard]] FollowedGroup* find_or_add(char name) {
    if (FollowedGroup* const known = find(name)) return known;
    if (groups.size() == options.groups) return nullptr;
    groups.push_back(std::make_unique<FollowedGroup>(context, requests, name));
    return groups.back().get();
  }

  void on_unit(std::size_t line, const Unit& unit, time::Time now) override {
    if (FollowedGroup* const group = find_or_add(unit.header().market_data_group))
      group->take_unit(line, unit, now);
    else
      ++counts.foreign;
  }

  void on_answered(const RequestChannel& channel, const FeedRequest& request, char status, time::Time now) override {
    if (status == 'A') return;
    ++counts.refused;
    context.notify({.kind = FeedNoticeKind::refused,
                    .group = request.group,
                    .first = request.first,
                    .count = request.count,
                    .instrument = request.instrument,
                    .channel = channel.channel(),
                    .status = status,
                    .segment = request.segment},
                   now);
    FollowedGroup* const group = find(request.group);
    if (channel.channel() == FeedChannel::replay && group != nullptr) return group->give_up_gap(now);
    if (channel.channel() == FeedChannel::replay) return;
    if (group != nullptr) group->give_up(request.instrument);
    if (!request.segment.is_empty()) requests.lack_segment();
    context.notify({.kind = FeedNoticeKind::given_up,
                    .group = request.group,
                    .instrument = request.instrument,
                    .segment = request.segment},
                   now);
  }

  void on_replayed(const FeedRequest& request, std::uint32_t number, Bytes message, time::Time now) override {
    find(request.group)->take_replayed(number, message, now);
  }

  void on_snapshot_message(char name, Bytes message) override {
    if (FollowedGroup* const group = find_or_add(name)) group->apply_snapshot(message);
  }

  void on_snapshot_complete(char name, const SnapshotComplete& complete, time::Time now) override {
    FollowedGroup* const group = find_or_add(name);
    if (group != nullptr && complete.flags == 0) group->complete_snapshot(complete, now);
  }

  void on_done(const RequestChannel& channel, const FeedRequest& request, time::Time now) override {
    FollowedGroup* const group = find(request.group);
    if (group != nullptr && channel.channel() == FeedChannel::replay) group->end_replay(now);
    for (const auto& each : groups) each->notify_if_live(now);
  }

  void on_lost(RequestChannel& channel, const FeedRequest& request, char status, unsigned tries,
               time::Time now) override {
    if (status != '\0') ++counts.refused;
    context.notify({.kind = status != '\0' ? FeedNoticeKind::refused : FeedNoticeKind::unreachable,
                    .group = request.group,
                    .instrument = request.instrument,
                    .channel = channel.channel(),
                    .status = status,
                    .is_login = true},
                   now);
    if (channel.channel() == FeedChannel::recovery) {
      for (const auto& group : groups) group->end_snapshot();
      return;
    }
    if (tries < FeedRequests::k_replay_tries) return;
    for (const auto& group : groups)
      if (group->is_replaying()) group->give_up_gap(now);
  }

  const FeedClientOptions options;
  FeedClientCounts counts;
  const FeedContext context;
  FeedLines lines;
  FeedRequests requests;
  std::vector<std::unique_ptr<FollowedGroup>> groups;
};

FeedClient::FeedClient(FeedClientOptions options, sched::Scheduler& scheduler, link::Fabric* fabric,
                       FeedHandler& handler)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, fabric, handler)) {}

FeedClient::~FeedClient() = default;

link::DatagramReceiver& FeedClient::line(std::size_t which) noexcept {
  return impl_->lines.line(which);
}

void FeedClient::start(time::Time now) {
  impl_->lines.start(now);
}

void FeedClient::stop() {
  impl_->requests.stop();
  impl_->lines.stop();
}

const BookBuilder* FeedClient::books(char group) const noexcept {
  const FollowedGroup* const found = impl_->find(group);
  return found == nullptr ? nullptr : &found->follower().books();
}

std::string FeedClient::groups() const {
  std::string names;
  for (const auto& group : impl_->groups) names += group->name();
  return names;
}

std::uint32_t FeedClient::next(char group) const noexcept {
  const FollowedGroup* const found = impl_->find(group);
  return found == nullptr ? 0 : found->follower().next();
}

bool FeedClient::is_live(char group) const noexcept {
  const FollowedGroup* const found = impl_->find(group);
  return found != nullptr && found->is_live();
}

std::uint64_t FeedClient::missing() const noexcept {
  std::uint64_t count = 0;
  for (const auto& group : impl_->groups)
    if (const auto range = group->follower().missing()) count += range->count;
  return count;
}

std::size_t FeedClient::suspects() const noexcept {
  std::size_t count = 0;
  for (const auto& group : impl_->groups) count += group->follower().suspects();
  return count;
}

std::size_t FeedClient::lacking_segments() const noexcept {
  const bool is_any_late = std::ranges::any_of(impl_->groups, [](const auto& group) { return group->is_late(); });
  return is_any_late ? impl_->requests.lacking_segments() : 0;
}

bool FeedClient::is_suspect(std::uint32_t instrument) const noexcept {
  return std::ranges::any_of(impl_->groups,
                             [instrument](const auto& group) { return group->follower().is_suspect(instrument); });
}

bool FeedClient::is_line_lost(std::size_t which) const noexcept {
  return impl_->lines.is_lost(which);
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

namespace {

const char* login_refusal(char status) noexcept {
  switch (status) {
    case 'a':
      return "the user is locked";
    case 'b':
      return "too many logins today";
    case 'c':
      return "the channel is not available";
    case 'd':
      return "too many sessions at a time";
    case 'e':
      return "another password";
    default:
      return "no reason that is known";
  }
}

/// The letters that both channels have in common.
const char* request_refusal(char status) noexcept {
  switch (status) {
    case 'U':
      return "the channel is not available";
    case 'c':
      return "too many requests wait already";
    case 'd':
      return "a message of another type";
    case 'e':
      return "it cannot be read";
    default:
      return "no reason that is known";
  }
}

}  // namespace

const char* refusal_words(const FeedNotice& notice) noexcept {
  if (notice.is_login) return login_refusal(notice.status);
  if (notice.channel == FeedChannel::replay) {
    if (notice.status == 'D') return "too many requests today";
    if (notice.status == 'I') return "there is no such group";
    if (notice.status == 'O') return "older than what is kept, or beyond the last message";
    return request_refusal(notice.status);
  }
  if (notice.status == 'a')
    return notice.segment.is_empty() ? "there is no such instrument" : "there is no such segment";
  return notice.status == 'b' ? "too many requests today" : request_refusal(notice.status);
}

}  // namespace dojima::mitch
