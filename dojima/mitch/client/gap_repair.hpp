#pragma once

// What is done about messages of a group that are missing: the other line may still bring them, then the replay channel
// is asked, and what it does not give goes to recovery.

#include <cstdint>

#include "dojima/mitch/client/feed_requests.hpp"
#include "dojima/mitch/client/group_follower.hpp"

namespace dojima::mitch {

class FollowedGroup;

class GapRepair {
 public:
  /// `group` goes on with its messages, or recovers its books, when that is due; all outlive it.
  GapRepair(const FeedContext& context, FeedRequests& requests, GroupFollower& follower, FollowedGroup& group);

  /// Messages were applied: the gap may be closed now, and another one be there. True: one was found.
  bool look(time::Time now);
  /// Notes what is missing, and waits for the other line. False: nothing is.
  bool find(time::Time now);
  /// Neither line brought it in time.
  void close(time::Time now);
  /// What is missing will not come.
  void give_up(time::Time now);
  /// Nothing is waited for any more.
  void forget();
  [[nodiscard]] bool is_replaying() const noexcept { return phase_ == Phase::replaying; }

 private:
  enum class Phase : std::uint8_t {
    whole,      // nothing is missing
    patient,    // something is missing, and may still come by a line
    replaying,  // it has been asked for
  };

  void on_patience(time::Time now) { close(now); }

  const FeedContext& context_;
  FeedRequests& requests_;
  GroupFollower& follower_;
  FollowedGroup& group_;
  Phase phase_ = Phase::whole;
  MissingRange gap_;
  sched::TimerOf<&GapRepair::on_patience> patience_;
};

}  // namespace dojima::mitch
