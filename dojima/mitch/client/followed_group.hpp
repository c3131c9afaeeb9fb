#pragma once

// A group of the feed as its reader lives with it: units come in by any line, messages go to the owner in their order
// and into the books, and what is missing or does not fit is asked for. What a group knows by itself is its follower's.

#include <cstddef>
#include <cstdint>

#include "dojima/mitch/client/day_border.hpp"
#include "dojima/mitch/client/feed_requests.hpp"
#include "dojima/mitch/client/gap_repair.hpp"
#include "dojima/mitch/client/group_follower.hpp"

namespace dojima::mitch {

class FollowedGroup {
 public:
  /// Both outlive it.
  FollowedGroup(const FeedContext& context, FeedRequests& requests, char name);
  FollowedGroup(const FollowedGroup&) = delete;
  FollowedGroup& operator=(const FollowedGroup&) = delete;

  [[nodiscard]] const GroupFollower& follower() const noexcept { return follower_; }
  [[nodiscard]] char name() const noexcept { return follower_.group(); }
  [[nodiscard]] bool is_live() const;
  /// Its day had begun when it was joined, and books were asked for.
  [[nodiscard]] bool is_late() const noexcept { return is_late_; }

  /// A sound unit of this group.
  void take_unit(std::size_t line, const Unit& unit, time::Time now);
  /// A message that the replay channel brought.
  void take_replayed(std::uint32_t number, Bytes message, time::Time now);
  /// Nothing more of the replay that was asked for comes.
  void end_replay(time::Time now);
  /// The replay channel refused, or is lost.
  void give_up_gap(time::Time now) { gap_.give_up(now); }
  [[nodiscard]] bool is_replaying() const noexcept { return gap_.is_replaying(); }

  void apply_snapshot(Bytes message) { follower_.apply_snapshot(message); }
  void complete_snapshot(const SnapshotComplete& complete, time::Time now);
  /// The recovery channel was lost: the next snapshot begins anew.
  void end_snapshot() noexcept { follower_.end_snapshot(); }
  /// No snapshot of the instrument will come.
  void give_up(std::uint32_t instrument) { follower_.give_up(instrument); }

  /// Passes on and applies what is there in order.
  void advance(time::Time now);
  /// Messages were lost for good: the books are asked for.
  void recover(time::Time now);
  /// Notifies the handler once.
  void notify_if_live(time::Time now);

 private:
  void join(std::uint32_t number, time::Time now);
  [[nodiscard]] bool can_ask_for_books() const;
  void take_messages(const Unit& unit, time::Time now);
  void look_at(std::uint32_t number, GroupFollower::Applied applied, time::Time now);
  void ask_for(std::uint32_t instrument, time::Time now);
  void ask_for_suspects(time::Time now);

  const FeedContext& context_;
  FeedRequests& requests_;
  GroupFollower follower_;
  GapRepair gap_;
  DayBorder day_;
  bool is_live_ = false;  // the handler has been notified
  bool is_late_ = false;
};

}  // namespace dojima::mitch
