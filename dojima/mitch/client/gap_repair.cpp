#include "dojima/mitch/client/gap_repair.hpp"

#include "dojima/mitch/client/followed_group.hpp"

namespace dojima::mitch {

GapRepair::GapRepair(const FeedContext& context, FeedRequests& requests, GroupFollower& follower, FollowedGroup& group)
    : context_(context), requests_(requests), follower_(follower), group_(group), patience_(context.scheduler, *this) {}

bool GapRepair::look(time::Time now) {
  const bool is_missing = follower_.has_gap();
  if (phase_ != Phase::whole && (!is_missing || follower_.next() >= gap_.first + gap_.count)) {
    forget();
    context_.notify(
        {.kind = FeedNoticeKind::gap_closed, .group = follower_.group(), .first = gap_.first, .count = gap_.count},
        now);
  }
  return phase_ == Phase::whole && is_missing && find(now);
}

bool GapRepair::find(time::Time now) {
  const auto range = follower_.missing();
  if (!range) return false;
  gap_ = *range;
  phase_ = Phase::patient;
  ++context_.counts.gaps;
  context_.counts.missing += range->count;
  context_.notify(
      {.kind = FeedNoticeKind::gap, .group = follower_.group(), .first = range->first, .count = range->count}, now);
  patience_.arm(now + context_.options.patience);
  return true;
}

void GapRepair::close(time::Time now) {
  const auto range = follower_.missing();
  if (!range) return group_.advance(now);
  if (!requests_.can_replay(range->count)) return give_up(now);
  phase_ = Phase::replaying;
  requests_.ask_replay(follower_.group(), *range, now);
}

void GapRepair::give_up(time::Time now) {
  if (const auto range = follower_.missing()) {
    context_.counts.skipped += range->count;
    context_.notify(
        {.kind = FeedNoticeKind::recovering, .group = follower_.group(), .first = range->first, .count = range->count},
        now);
  }
  follower_.skip_missing();
  group_.recover(now);
  group_.advance(now);
}

void GapRepair::forget() {
  phase_ = Phase::whole;
  patience_.disarm();
}

}  // namespace dojima::mitch
