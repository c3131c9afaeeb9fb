#include "dojima/mitch/client/feed_requests.hpp"

#include <algorithm>
#include <utility>

namespace dojima::mitch {

FeedRequests::FeedRequests(const FeedContext& context, link::Fabric* fabric, RequestOwner& owner) : context_(context) {
  const FeedClientOptions& options = context.options;
  if (fabric != nullptr && options.replay)
    replay_ = std::make_unique<RequestChannel>(FeedChannel::replay, options, *options.replay, context.scheduler,
                                               *fabric, owner);
  if (fabric != nullptr && options.recovery)
    recovery_ = std::make_unique<RequestChannel>(FeedChannel::recovery, options, *options.recovery, context.scheduler,
                                                 *fabric, owner);
}

bool FeedRequests::can_replay(std::uint32_t count) const noexcept {
  return replay_ != nullptr && !replay_->is_down(k_replay_tries) && count <= context_.options.replay_most;
}

void FeedRequests::ask_replay(char group, const MissingRange& range, time::Time now) {
  constexpr std::uint32_t k_most_a_request = 60'000;
  ++context_.counts.replay_requests;
  replay_->ask({.group = group,
                .first = range.first,
                .count = static_cast<std::uint16_t>(std::min(range.count, k_most_a_request))},
               now);
}

void FeedRequests::ask_book(char group, std::uint32_t instrument, time::Time now) {
  if (recovery_ != nullptr) ask_recovery({.group = group, .instrument = instrument}, now);
}

void FeedRequests::ask_segments(time::Time now) {
  if (recovery_ == nullptr || std::exchange(has_asked_segments_, true)) return;
  for (const Text<6>& segment : context_.options.segments) ask_recovery({.segment = segment}, now);
}

void FeedRequests::ask_recovery(const FeedRequest& request, time::Time now) {
  ++context_.counts.snapshot_requests;
  recovery_->ask(request, now);
}

void FeedRequests::drop(char group) {
  if (replay_) replay_->drop(group);
  if (recovery_) recovery_->drop(group);
}

void FeedRequests::stop() {
  // What is no longer asked for does not come.
  if (recovery_) lacking_segments_ += recovery_->requested('\0');
  if (replay_) replay_->stop();
  if (recovery_) recovery_->stop();
}

}  // namespace dojima::mitch
