#pragma once

// The answer to one request for a snapshot, instrument by instrument, each of one moment: Time, an Add message for each
// order in its priority, the status, and SnapshotComplete with the number of the last message that it includes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/mitch/codec.hpp"
#include "dojima/mitch/feed/published_feed.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

class SnapshotWriter {
 public:
  SnapshotWriter(std::span<const PublishedFeed* const> feeds, std::size_t unit_size);

  /// Whether there is something of the kind.
  [[nodiscard]] bool has(const SnapshotRequest& wanted) const;
  void begin(const SnapshotRequest& wanted);
  void end() { staged_.clear(); }

  /// What is to be sent next, whole units and parts of them; empty: that was all.
  [[nodiscard]] Bytes rest();
  void consume(std::size_t size) { sent_ += size; }

  /// Of the request in hand.
  [[nodiscard]] std::uint64_t instruments() const noexcept { return instruments_; }
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }

 private:
  [[nodiscard]] bool is_wanted(const BookView& book) const;
  [[nodiscard]] bool stage_next();
  void stage(const PublishedFeed& feed, const BookView& book);
  void stage_orders(const BookView& book, SubBook which);
  template <class Message>
  void append(const Message& message);
  void flush();

  std::span<const PublishedFeed* const> feeds_;
  std::vector<std::byte> room_;
  UnitWriter unit_;
  SnapshotRequest wanted_;
  std::size_t feed_ = 0, place_ = 0;  // of the instrument that is looked at next
  bool is_closed_ = true;
  std::uint32_t nanosecond_ = 0;
  std::vector<std::byte> staged_;
  std::size_t sent_ = 0;
  std::uint64_t instruments_ = 0, messages_ = 0;
};

}  // namespace dojima::mitch
