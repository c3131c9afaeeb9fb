#include "dojima/mitch/client/followed_group.hpp"

#include <algorithm>
#include <utility>

namespace dojima::mitch {
namespace {

constexpr unsigned k_most_misfits = 8;  // of an instrument, until it is given up

}  // namespace

FollowedGroup::FollowedGroup(const FeedContext& context, FeedRequests& requests, char name)
    : context_(context),
      requests_(requests),
      follower_(name, context.options.window, context.options.books, requests.has_recovery()),
      gap_(context, requests, follower_, *this),
      day_(context.options.restart) {}

// ---- Units ---------------------------------------------------------------------------------------------------------

void FollowedGroup::take_unit(std::size_t line, const Unit& unit, time::Time now) {
  const std::uint32_t number = unit.header().sequence_number;
  if (day_.is_of_day_before(line, unit, now)) {
    context_.counts.duplicates += unit.header().message_count;
    return;
  }
  if (follower_.next() == 0) join(number, now);
  if (day_.begins_anew(line, unit, follower_.next(), now)) {
    ++context_.counts.restarts;
    context_.notify({.kind = FeedNoticeKind::restarted, .group = name(), .first = number}, now);
    join(number, now);
  }
  take_messages(unit, now);
  follower_.announce(number + unit.header().message_count);
  advance(now);
}

void FollowedGroup::take_messages(const Unit& unit, time::Time now) {
  std::uint32_t number = unit.header().sequence_number;
  for (const Bytes message : unit) {
    if (number >= follower_.next() && number - follower_.next() >= follower_.window()) {
      // So much is missing that what comes does not wait for it.
      context_.counts.skipped += number - follower_.next();
      follower_.skip_to(number);
      recover(now);
    }
    if (!follower_.put(number, message)) ++context_.counts.duplicates;
    ++number;
  }
}

void FollowedGroup::join(std::uint32_t number, time::Time now) {
  requests_.drop(name());
  gap_.forget();
  is_live_ = false;
  day_.join(now);
  const bool is_late = number > 1;
  if (is_late && !can_ask_for_books() && requests_.has_replay() && number - 1 <= context_.options.replay_most) {
    // All of it again, which also names the instruments.
    is_late_ = false;
    follower_.begin(1, false);
    follower_.announce(number);
    context_.notify({.kind = FeedNoticeKind::joined, .group = name(), .first = 1}, now);
    gap_.find(now);
    return gap_.close(now);
  }
  is_late_ = is_late;
  follower_.begin(number, is_late);
  context_.notify({.kind = FeedNoticeKind::joined, .group = name(), .first = number}, now);
  if (!is_late) return;
  for (const FollowedInstrument& each : context_.options.instruments)
    if (each.group == name()) follower_.expect(each.id);
  requests_.ask_segments(now);
  ask_for_suspects(now);
}

/// There is who gives them, and something to name.
bool FollowedGroup::can_ask_for_books() const {
  const bool knows_names = std::ranges::any_of(context_.options.instruments,
                                               [&](const FollowedInstrument& each) { return each.group == name(); });
  return requests_.has_recovery() &&
         (knows_names || !context_.options.segments.empty() || !follower_.instruments().empty());
}

void FollowedGroup::take_replayed(std::uint32_t number, Bytes message, time::Time now) {
  const std::uint32_t next = follower_.next();
  if (number >= next && number - next >= follower_.window()) return;
  if (!follower_.put(number, message)) {
    ++context_.counts.duplicates;
    return;
  }
  ++context_.counts.replayed;
  advance(now);
}

void FollowedGroup::end_replay(time::Time now) {
  if (follower_.has_gap()) gap_.close(now);
}

// ---- Messages in their order ---------------------------------------------------------------------------------------

void FollowedGroup::advance(time::Time now) {
  for (Bytes message = follower_.peek(); !message.empty(); message = follower_.peek()) {
    const std::uint32_t number = follower_.next();
    ++context_.counts.messages;
    context_.handler.on_message(name(), number, message, now);
    day_.see(message);
    const GroupFollower::Applied applied = follower_.apply_next();
    if (applied.outcome != GroupFollower::Outcome::applied && applied.outcome != GroupFollower::Outcome::skipped)
      look_at(number, applied, now);
  }
  if (gap_.look(now)) is_live_ = false;
  notify_if_live(now);
}

void FollowedGroup::look_at(std::uint32_t number, GroupFollower::Applied applied, time::Time now) {
  if (applied.outcome == GroupFollower::Outcome::discovered) return ask_for(applied.instrument, now);
  ++context_.counts.misfits;
  context_.notify({.kind = FeedNoticeKind::misfit, .group = name(), .first = number, .instrument = applied.instrument},
                  now);
  const bool is_given_up = ++follower_.misfits(applied.instrument) > k_most_misfits || !requests_.has_recovery();
  if (applied.outcome == GroupFollower::Outcome::misfit) {
    follower_.suspect(applied.instrument);
    if (!is_given_up) return ask_for(applied.instrument, now);
  } else if (!is_given_up) {
    for (const std::uint32_t id : follower_.instruments()) follower_.suspect(id);
    return ask_for_suspects(now);
  }
  follower_.give_up(applied.instrument);
  context_.notify({.kind = FeedNoticeKind::given_up, .group = name(), .instrument = applied.instrument}, now);
}

bool FollowedGroup::is_live() const {
  return follower_.next() != 0 && follower_.suspects() == 0 && !follower_.has_gap() && !follower_.is_ahead() &&
         !requests_.awaits_segment() && (!is_late_ || requests_.lacking_segments() == 0);
}

void FollowedGroup::notify_if_live(time::Time now) {
  if (!is_live() || std::exchange(is_live_, true)) return;
  context_.notify({.kind = FeedNoticeKind::live, .group = name(), .first = follower_.next()}, now);
}

// ---- Books from the recovery channel -------------------------------------------------------------------------------

void FollowedGroup::recover(time::Time now) {
  is_live_ = false;
  gap_.forget();
  requests_.drop(name());  // what is on its way may be older than what is missing
  if (!requests_.has_recovery()) {
    context_.notify({.kind = FeedNoticeKind::given_up, .group = name()}, now);
    return;
  }
  follower_.end_snapshot();
  ask_for_suspects(now);
}

void FollowedGroup::ask_for_suspects(time::Time now) {
  for (const std::uint32_t id : follower_.instruments())
    if (follower_.is_suspect(id)) ask_for(id, now);
}

void FollowedGroup::ask_for(std::uint32_t instrument, time::Time now) {
  is_live_ = false;
  requests_.ask_book(name(), instrument, now);
}

void FollowedGroup::complete_snapshot(const SnapshotComplete& complete, time::Time now) {
  const bool was_suspect = follower_.is_suspect(complete.instrument_id);
  if (!follower_.complete_snapshot(complete.instrument_id, complete.sequence_number)) {
    ++context_.counts.stale_snapshots;
    return ask_for(complete.instrument_id, now);
  }
  if (was_suspect) {
    ++context_.counts.snapshots;
    context_.notify({.kind = FeedNoticeKind::recovered,
                     .group = name(),
                     .first = complete.sequence_number,
                     .instrument = complete.instrument_id},
                    now);
  }
  advance(now);
}

}  // namespace dojima::mitch
