#pragma once

// Writes one message forward into memory that somebody else owns: header, then fields in the order of the calls, then
// `finish` sets BodyLength and CheckSum. Trouble (no room, a value that cannot stand in a field) is remembered and told
// by `finish`; nothing is ever written outside the room. No allocation. Field calls chain.
//
//   Writer writer(room, {.type = type::k_heartbeat, .sender = "A", .target = "B", .sequence = {7}, .sending_time =
//   now}); const Result<Bytes> message = writer.field(tag::k_test_req_id, "TEST").finish();

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// What stands in front of every message. Fields are written as 8, 9, 35, 34, 43, 49, 52, 56, 122; those of a
/// duplicate only when `is_poss_dup`.
struct Header {
  std::string_view begin_string = "FIX.4.4";
  MsgType type = MsgType::none;
  std::string_view sender;
  std::string_view target;
  market::Sequence sequence;
  time::Time sending_time;
  unsigned decimals = 3;  ///< of all timestamps of the message: 0, 3, 6 or 9
  bool is_poss_dup = false;
  time::Time orig_sending_time;
};

class Writer {
 public:
  /// A writer without room: every use is an error.
  Writer() noexcept = default;
  /// Begins a message in `room`, which must outlive the writer.
  Writer(Room room, const Header& header) noexcept;

  /// Text of at least one character, without the separator (SOH, 0x01).
  Writer& field(Tag tag, std::string_view value) noexcept;
  Writer& field(Tag tag, const char* value) noexcept { return field(tag, std::string_view(value)); }
  template <std::same_as<char> T>
  Writer& field(Tag tag, T value) noexcept {
    return field(tag, std::string_view(&value, 1));
  }
  template <std::same_as<bool> T>
  Writer& field(Tag tag, T value) noexcept {
    return field(tag, value ? 'Y' : 'N');
  }
  template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>)
  Writer& field(Tag tag, T value) noexcept {
    if constexpr (std::signed_integral<T>) {
      return number(tag, value < 0, magnitude_of(static_cast<std::int64_t>(value)));
    } else {
      return number(tag, false, static_cast<std::uint64_t>(value));
    }
  }
  Writer& field(Tag tag, market::Price value) noexcept;
  Writer& field(Tag tag, market::Quantity value) noexcept { return field(tag, value.lots); }
  Writer& field(Tag tag, market::Sequence value) noexcept { return field(tag, value.value); }
  /// A UTCTimestamp with the message's decimals.
  Writer& field(Tag tag, time::Time value) noexcept;
  /// A data field behind its length: any bytes, separators included; none at all is an error.
  Writer& data(Tag length, Tag tag, Bytes value) noexcept;
  /// Fields as they stand on the wire, each with its separator. For resending what was written before.
  Writer& raw(Bytes fields) noexcept;

  /// Whether all went well so far.
  [[nodiscard]] bool is_good() const noexcept { return error_.code == ErrorCode::none; }
  [[nodiscard]] MsgType msg_type() const noexcept { return type_; }
  [[nodiscard]] market::Sequence sequence() const noexcept { return sequence_; }
  [[nodiscard]] time::Time sending_time() const noexcept { return sending_time_; }
  /// Bytes of the header, up to the first field that was added. Valid after finish().
  [[nodiscard]] std::size_t header_size() const noexcept { return fields_begin_ - begin_; }

  /// Sets BodyLength and CheckSum. The message stands in the room, up to 5 bytes behind its beginning. Errors: the
  /// first trouble there was (`no_room`, `malformed` with the tag), `wrong_state` when it was finished before.
  [[nodiscard]] Result<Bytes> finish() noexcept;

 private:
  friend class Outbox;

  [[nodiscard]] static std::uint64_t magnitude_of(std::int64_t value) noexcept {
    return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  }
  Writer& known(Tag tag, std::string_view value) noexcept;
  Writer& number(Tag tag, bool is_negative, std::uint64_t magnitude) noexcept;
  Writer& trouble(ErrorCode code, Tag tag, const char* expected) noexcept;
  [[nodiscard]] char* open(Tag tag, std::size_t size) noexcept;

  Room room_;
  std::size_t begin_ = 0;         // of the message in the room, known when it is finished
  std::size_t body_begin_ = 0;    // of `35=`
  std::size_t fields_begin_ = 0;  // behind the header
  std::size_t end_ = 0;
  std::string_view begin_string_;
  market::Sequence sequence_;
  time::Time sending_time_;
  Error error_{.code = ErrorCode::wrong_state, .expected = "a writer with room"};
  std::uint32_t ticket_ = 0;  // an outbox's number for the message it has open
  MsgType type_ = MsgType::none;
  std::uint8_t decimals_ = 3;
};

}  // namespace dojima::fix
