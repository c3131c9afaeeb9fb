#pragma once

// Units: what a datagram of the feed holds, and what follows one another on the TCP channels. A unit is a header and
// its messages back to back: any number of application messages, or one administrative message, or nothing (a
// heartbeat). `read_unit` proves that before anybody looks at a message; `UnitWriter` keeps to it. Views die with the
// bytes behind them. No allocation, one thread.
//
//   UnitWriter unit(room, '1');
//   unit.begin(sequence);  unit.append(AddOrder{...});  send(unit.finish());
//
//   const auto unit = read_unit(datagram);
//   if (unit) for (Bytes message : *unit) ...

#include <cstddef>
#include <cstdint>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {

/// The first eight bytes. Length counts them too.
struct UnitHeader {
  static constexpr std::size_t k_size = 8;
  static constexpr UInt16Field length_place{0, "Length"};
  static constexpr UInt8Field message_count_place{2, "MessageCount"};
  static constexpr AlphaField market_data_group_place{3, "MarketDataGroup"};
  static constexpr UInt32Field sequence_number_place{4, "SequenceNumber"};
  static constexpr auto k_fields =
      rows(length_place, message_count_place, market_data_group_place, sequence_number_place);
  static_assert(tiles(0, k_size, k_fields), "the fields tile the header");

  std::uint16_t length = 0;           ///< bytes of the whole unit, this header included
  std::uint8_t message_count = 0;     ///< 0: a heartbeat
  char market_data_group = '1';       ///< not checked in messages of clients
  std::uint32_t sequence_number = 0;  ///< of the first message; heartbeat: the next one; not numbered: 0
  friend bool operator==(const UnitHeader&, const UnitHeader&) = default;
};

/// The most that Length can say, and the most messages.
inline constexpr std::size_t k_unit_size_max = 65'535;
inline constexpr std::size_t k_unit_messages_max = 255;

/// One unit, whole and sound: its messages tile it.
class Unit {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Bytes;
    Iterator() noexcept = default;
    explicit Iterator(Bytes rest) noexcept : rest_(rest) {}
    [[nodiscard]] Bytes operator*() const noexcept { return rest_.first(size()); }
    Iterator& operator++() noexcept {
      rest_ = rest_.subspan(size());
      return *this;
    }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const noexcept { return rest_.size() == other.rest_.size(); }

   private:
    [[nodiscard]] std::size_t size() const noexcept { return std::to_integer<std::size_t>(rest_[0]); }
    Bytes rest_;
  };

  Unit(const UnitHeader& header, Bytes payload) noexcept : header_(header), payload_(payload) {}

  [[nodiscard]] const UnitHeader& header() const noexcept { return header_; }
  [[nodiscard]] std::size_t size() const noexcept { return header_.length; }
  [[nodiscard]] bool is_heartbeat() const noexcept { return header_.message_count == 0; }
  /// The messages, each from its own length byte on, types that nobody knows among them.
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(payload_); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(payload_.last(0)); }

 private:
  UnitHeader header_;
  Bytes payload_;
};

/// The unit at the start of `bytes`. `incomplete` while it is not all there. `malformed` when it cannot be followed: a
/// length below the header's, messages that do not fill the unit or are not as many as the header says, a message
/// shorter than its own header, an administrative message beside another one. What follows the unit is not looked
/// at; a datagram holds nothing there. O(messages).
[[nodiscard]] Result<Unit> read_unit(Bytes bytes) noexcept;

/// Composes one unit at a time in a room that the caller lends.
class UnitWriter {
 public:
  /// `room` must hold a header; more than k_unit_size_max bytes of it are not used.
  UnitWriter(Room room, char market_data_group) noexcept;

  /// An empty unit whose first message will have this number; 0 for what is not numbered.
  void begin(std::uint32_t sequence_number) noexcept;

  /// `no_room` when the unit is full: by bytes or by messages; `wrong_state` for an administrative message beside any
  /// other; errors of encode(). Then nothing was added.
  template <class Message>
  [[nodiscard]] Result<void> append(const Message& message) noexcept {
    constexpr bool k_is_administrative = is_administrative(Message::k_type);
    if (is_sealed_ || (k_is_administrative && count_ != 0))
      return fail(ErrorCode::wrong_state, 0, 0, count_, "an administrative message alone in its unit");
    if (count_ == k_unit_messages_max) return fail(ErrorCode::no_room, 0, 0, count_, "at most 255 messages in a unit");
    const Result<std::size_t> written = encode(message, room_.subspan(size_));
    if (!written) return std::unexpected(written.error());
    size_ += *written;
    ++count_;
    is_sealed_ = k_is_administrative;
    return {};
  }

  /// An application message that was encoded before. `no_room` and `wrong_state` as above, and nothing was added.
  [[nodiscard]] Result<void> append_encoded(Bytes message) noexcept;

  [[nodiscard]] std::uint8_t message_count() const noexcept { return count_; }
  /// Of the first message.
  [[nodiscard]] std::uint32_t sequence_number() const noexcept { return sequence_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The unit so far, its header written. With no message in it, a heartbeat.
  [[nodiscard]] Bytes finish() noexcept;

 private:
  Room room_;
  char group_;
  std::uint32_t sequence_ = 0;
  std::size_t size_ = UnitHeader::k_size;
  std::uint8_t count_ = 0;
  bool is_sealed_ = false;
};

}  // namespace dojima::mitch
