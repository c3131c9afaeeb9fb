#pragma once

// What a reader asks the replay and recovery channels for, where there are any.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "dojima/mitch/client/feed_context.hpp"
#include "dojima/mitch/client/group_follower.hpp"
#include "dojima/mitch/client/request_channel.hpp"

namespace dojima::mitch {

class FeedRequests {
 public:
  /// Losses of a channel in a row, until nothing is hoped for from it.
  static constexpr unsigned k_replay_tries = 3;

  /// `fabric` null: there are no channels. Answers go to `owner`.
  FeedRequests(const FeedContext& context, link::Fabric* fabric, RequestOwner& owner);

  [[nodiscard]] bool has_replay() const noexcept { return replay_ != nullptr; }
  [[nodiscard]] bool has_recovery() const noexcept { return recovery_ != nullptr; }
  /// The channel is there, and gives so many messages.
  [[nodiscard]] bool can_replay(std::uint32_t count) const noexcept;
  void ask_replay(char group, const MissingRange& range, time::Time now);
  /// The book of an instrument. Nothing where nobody gives books.
  void ask_book(char group, std::uint32_t instrument, time::Time now);
  /// The books of the segments that the reader follows, once in its life.
  void ask_segments(time::Time now);
  [[nodiscard]] bool awaits_segment() const noexcept { return recovery_ != nullptr && recovery_->requested('\0') != 0; }
  /// The recovery channel refused the books of a segment. Those that are asked for when stop() is called are lacking
  /// too.
  void lack_segment() noexcept { ++lacking_segments_; }
  [[nodiscard]] std::size_t lacking_segments() const noexcept { return lacking_segments_; }
  /// Nothing is asked for this group any more.
  void drop(char group);
  void stop();

 private:
  void ask_recovery(const FeedRequest& request, time::Time now);

  const FeedContext& context_;
  std::unique_ptr<RequestChannel> replay_, recovery_;
  bool has_asked_segments_ = false;
  std::size_t lacking_segments_ = 0;
};

}  // namespace dojima::mitch
