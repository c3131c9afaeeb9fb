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
#include <cstring>
#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/value.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// The part of a header that is the same in every message of a session, rendered once. Allocates when it is made.
class HeaderTemplate {
 public:
  HeaderTemplate(std::string_view sender, std::string_view target);

 private:
  friend class Writer;
  std::string sender_;  // `49=...|52=`, behind MsgSeqNum
  std::string target_;  // `|56=...|`, behind SendingTime
};

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
  const HeaderTemplate* rendered = nullptr;  ///< of the same sender and target; null: none is there
};

class Writer {
 public:
  /// A writer without room: every use is an error.
  Writer() noexcept = default;
  /// Begins a message in `room`, which must outlive the writer.
  Writer(Room room, const Header& header) noexcept;
  /// Begins a message without a header: the caller's first field is MsgType(35). For tools that write messages anew.
  Writer(Room room, std::string_view begin_string) noexcept;

  /// Text of at least one character, without the separator (SOH, 0x01).
  [[gnu::always_inline]] Writer& field(Tag tag, std::string_view value) noexcept {
    if (value.empty()) [[unlikely]] {
      return trouble(ErrorCode::malformed, tag, "a value of at least one character");
    }
    char* const at = open(tag, value.size());
    if (at != nullptr && !copy_clean(at, value.data(), value.size())) [[unlikely]] {
      return trouble(ErrorCode::malformed, tag, "a value without the separator");
    }
    return *this;
  }
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
  Writer& field(Tag tag, const Decimal& value) noexcept;
  /// Whatever it holds; text that is data needs `data`.
  template <std::same_as<Value> T>
  Writer& field(Tag tag, const T& value) noexcept {
    return variant(tag, value);
  }
  /// A data field behind its length: any bytes, separators included; none at all is an error.
  Writer& data(Tag length, Tag tag, Bytes value) noexcept;
  /// A field of the user's own whose tag is above 65535 and not above k_tag_max.
  Writer& large(std::uint32_t tag, std::string_view value) noexcept;
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
  static constexpr std::size_t k_trailer_size = 7;

  /// Digits and `=` in the lowest bytes of one word.
  struct TagText {
    std::uint64_t bytes;
    std::size_t size;
  };
  [[nodiscard, gnu::always_inline]] static constexpr TagText text_of(Tag tag) noexcept {
    const auto digit = [](unsigned value, unsigned place) noexcept {
      return std::uint64_t{'0' + value % 10} << 8 * place;
    };
    const auto equals = [](unsigned place) noexcept { return std::uint64_t{'='} << 8 * place; };
    if (tag < 10) return {digit(tag, 0) | equals(1), 2};
    if (tag < 100) return {digit(tag / 10u, 0) | digit(tag, 1) | equals(2), 3};
    if (tag < 1000) return {digit(tag / 100u, 0) | digit(tag / 10u, 1) | digit(tag, 2) | equals(3), 4};
    if (tag < 10'000)
      return {digit(tag / 1000u, 0) | digit(tag / 100u, 1) | digit(tag / 10u, 2) | digit(tag, 3) | equals(4), 5};
    return {digit(tag / 10'000u, 0) | digit(tag / 1000u, 1) | digit(tag / 100u, 2) | digit(tag / 10u, 3) |
                digit(tag, 4) | equals(5),
            6};
  }

  /// Writes `tag=`, accounts for a value of `size` >= 1 and its separator, and says where the value belongs; null:
  /// trouble.
  [[nodiscard, gnu::always_inline]] char* open(Tag tag, std::size_t size) noexcept {
    const TagText text = text_of(tag);
    const std::size_t needed = text.size + size + 1;
    if (!is_good() || tag == 0 || room_.size() < end_ + k_trailer_size || needed > room_.size() - end_ - k_trailer_size)
        [[unlikely]] {
      return refuse(tag);
    }
    char* const at = reinterpret_cast<char*>(room_.data()) + end_;
    std::memcpy(at, &text.bytes, sizeof text.bytes);  // the room of the trailer is behind it
    at[needed - 1] = '\x01';
    end_ += needed;
    return at + text.size;
  }

  /// Copies and looks for the separator at once; false: there is one.
  [[nodiscard, gnu::always_inline]] static bool copy_clean(char* to, const char* from, std::size_t size) noexcept {
    constexpr std::uint64_t k_ones = 0x0101010101010101, k_highs = 0x8080808080808080;
    std::uint64_t found = 0;
    const auto move = [&]<class Word>(std::size_t at, Word) noexcept {
      Word word;
      std::memcpy(&word, from + at, sizeof word);
      std::memcpy(to + at, &word, sizeof word);
      const std::uint64_t difference = word ^ k_ones;
      found |= (difference - k_ones) & ~difference & k_highs & static_cast<Word>(~Word{0});
    };
    if (size >= 8) {
      for (std::size_t at = 0; at + 8 < size; at += 8) move(at, std::uint64_t{});
      move(size - 8, std::uint64_t{});
    } else if (size >= 4) {
      move(0, std::uint32_t{});
      move(size - 4, std::uint32_t{});
    } else {
      for (std::size_t at = 0; at < size; ++at) move(at, std::uint8_t{});
    }
    return found == 0;
  }

  /// Writes a value in place that `put` makes at the place it is given, where it may touch `most` characters; it gives
  /// the value's end. What is first made elsewhere and then copied waits for its own stores.
  template <class Put>
  Writer& in_place(Tag tag, std::size_t most, Put put) noexcept {
    const TagText text = text_of(tag);
    if (is_good() && tag != 0 && room_.size() >= end_ + text.size + most + 1 + k_trailer_size) [[likely]] {
      char* const at = reinterpret_cast<char*>(room_.data()) + end_;
      std::memcpy(at, &text.bytes, sizeof text.bytes);
      char* const end = put(at + text.size);
      *end = '\x01';
      end_ += static_cast<std::size_t>(end - at) + 1;
      return *this;
    }
    char local[k_value_text_max];
    const char* const end = put(local);
    return known(tag, {local, static_cast<std::size_t>(end - local)});
  }
  Writer& variant(Tag tag, const Value& value) noexcept;
  Writer& known(Tag tag, std::string_view value) noexcept;
  Writer& number(Tag tag, bool is_negative, std::uint64_t magnitude) noexcept;
  Writer& trouble(ErrorCode code, Tag tag, const char* expected) noexcept;
  char* refuse(Tag tag) noexcept;
  void put_header(const Header& header) noexcept;

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
  std::uint16_t time_at_ = 0;  // where the rendered SendingTime stands; 0: nowhere
};

}  // namespace dojima::fix
