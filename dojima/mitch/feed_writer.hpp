#pragma once

// The sending end of one channel: messages go in, units come out, numbered and never longer than a datagram may be.
// Messages gather in the unit in hand until it is full, or until flush(). Nothing is allocated after construction. One
// thread. The sink must outlive the writer and may not call it.
//
//   FeedWriter feed(sink, {.market_data_group = '1'});
//   feed.append(Time{.seconds = 43200});  feed.flush();

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

/// Where units go.
class FeedSink {
 public:
  /// One whole unit, numbered from `header().sequence_number`. It dies when this returns.
  virtual void on_unit(Bytes unit) = 0;

 protected:
  ~FeedSink() = default;
};

struct FeedWriterOptions {
  std::size_t unit_size = 1'400;  ///< bytes at most; at least the header and the longest message
  char market_data_group = '1';
  std::uint32_t first_sequence = 1;
};

class FeedWriter {
 public:
  /// Throws std::bad_alloc, and std::invalid_argument for a unit size that no message may fit.
  FeedWriter(FeedSink& sink, const FeedWriterOptions& options);

  /// Puts an application message into the unit in hand, or, when that is full, hands that over and begins the next.
  /// Errors of encode(); nothing was added then.
  template <class Message>
  [[nodiscard]] Result<void> append(const Message& message) {
    static_assert(!is_administrative(Message::k_type), "administrative messages are not numbered");
    Result<void> added = unit_.append(message);
    if (!added && added.error().code == ErrorCode::no_room) {
      flush();
      added = unit_.append(message);
    }
    return added;
  }

  /// Hands over the unit in hand; nothing when it is empty.
  void flush();
  /// flush(), and the next message is number 1.
  void restart();
  /// flush(), then a unit without messages that carries the next number.
  void heartbeat();

  /// The number of the message that is appended next.
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return sequence_ + unit_.message_count(); }

 private:
  void hand_over();

  FeedSink& sink_;
  std::vector<std::byte> room_;
  UnitWriter unit_;
  std::uint32_t sequence_;  // of the first message of the unit in hand
};

}  // namespace dojima::mitch
