#pragma once

// How a message of fixed-place fields lies in memory, as constants: each field is a typed place (offset, wire type,
// protocol name, what its values mean), a message's table is the row of its places, and `tiles` proves at compile time
// that they fill the message without gap or overlap. Reads and writes go through the places, so no offset is written
// twice; printers and pages are made from the same rows. Little-endian. Plain constants and inline loads, no
// allocation.
//
//   constexpr UInt32Field quantity{15, "Quantity"};
//   std::uint32_t lots = load(message, quantity);

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "dojima/base/bytes.hpp"
#include "dojima/base/characters.hpp"
#include "dojima/base/text.hpp"

namespace dojima {

/// How the bytes of a field are to be read. `price` counts 1e-8 units in two's complement, `signed_price` the same as a
/// sign bit and a magnitude; `text` is padded with nulls, `spaced_text` with spaces.
enum class Wire : std::uint8_t {
  alpha,
  text,
  spaced_text,
  int8,
  uint8,
  uint16,
  int32,
  uint32,
  uint64,
  price,
  signed_price,
  bits,
};

/// One value of a field's table; of a field of bits, one bit as its mask.
struct Meaning {
  std::int64_t value = 0;
  const char* text = "";
};
using Meanings = std::span<const Meaning>;

/// Which of the 256 bytes.
struct ByteSet {
  std::array<std::uint64_t, 4> words{};
  [[nodiscard]] constexpr bool has(std::uint8_t byte) const noexcept {
    return (words[byte / 64] >> (byte % 64) & 1) != 0;
  }
  constexpr void add(std::uint8_t byte) noexcept { words[byte / 64] |= std::uint64_t{1} << (byte % 64); }
};

inline constexpr ByteSet k_every_byte{{~0ull, ~0ull, ~0ull, ~0ull}};

/// The bytes that a field of one byte may hold by its table; of a field of bits, those whose bits all have a meaning.
[[nodiscard]] constexpr ByteSet bytes_of(Meanings meanings, Wire type) noexcept {
  ByteSet set;
  if (meanings.empty()) return k_every_byte;
  std::uint8_t mask = 0;
  for (const Meaning& meaning : meanings) {
    mask |= static_cast<std::uint8_t>(meaning.value);
    if (type != Wire::bits) set.add(static_cast<std::uint8_t>(meaning.value));
  }
  if (type != Wire::bits) return set;
  for (unsigned byte = 0; byte < 256; ++byte)
    if ((byte & ~unsigned{mask}) == 0) set.add(static_cast<std::uint8_t>(byte));
  return set;
}

/// What a field must be beyond its type and its table of values.
enum class FieldRule : std::uint8_t {
  none,
  present,             ///< text: not empty
  identifier,          ///< text: the characters of ids
  present_identifier,  ///< both
  base62,              ///< text: empty, or a number of 64 bits in base 62
  positive,
  not_negative,
  zero,
  instant,         ///< two words: seconds, and the part of one
  milliseconds,    ///< 0 to 999
  client_code,     ///< 0, 1, 2 or a short code from 4
  decision_code,   ///< 0 or a short code from 4
  executing_code,  ///< 3 or a short code from 4
};

/// One field, as a row of a message's table.
struct FieldInfo {
  std::uint16_t offset = 0;  ///< from the first byte of the message
  std::uint16_t width = 0;   ///< bytes
  Wire type = Wire::uint8;
  bool is_reserved = false;  ///< sent as nulls (spaced text: as spaces), ignored on receipt
  const char* name = "";     ///< as the protocol spells it
  Meanings meanings{};       ///< its table of values; empty: any value of the type
  FieldRule rule = FieldRule::none;
  ByteSet values = k_every_byte;  ///< a field of one byte: what its table allows
};

/// A number or character of `T`.
template <class T, Wire Type>
struct NumberField {
  using Value = T;
  static constexpr Wire k_wire = Type;
  std::uint16_t offset;
  const char* name;
  Meanings meanings{};
  FieldRule rule = FieldRule::none;
  [[nodiscard]] constexpr FieldInfo info() const noexcept {
    return {offset, sizeof(T), Type, false, name, meanings, rule, bytes_of(meanings, Type)};
  }
};

using AlphaField = NumberField<char, Wire::alpha>;
using Int8Field = NumberField<std::int8_t, Wire::int8>;
using UInt8Field = NumberField<std::uint8_t, Wire::uint8>;
using BitField = NumberField<std::uint8_t, Wire::bits>;
using UInt16Field = NumberField<std::uint16_t, Wire::uint16>;
using Int32Field = NumberField<std::int32_t, Wire::int32>;
using UInt32Field = NumberField<std::uint32_t, Wire::uint32>;
using UInt64Field = NumberField<std::uint64_t, Wire::uint64>;
using PriceField = NumberField<std::int64_t, Wire::price>;
/// Bit 63 is the sign, the others the absolute value.
using SignedPriceField = NumberField<std::int64_t, Wire::signed_price>;

/// ASCII, left-justified, padded with nulls.
template <std::size_t Width>
struct TextField {
  using Value = Text<Width>;
  std::uint16_t offset;
  const char* name;
  FieldRule rule = FieldRule::none;
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::text, false, name, {}, rule}; }
};

/// ASCII, left-justified, padded with spaces.
template <std::size_t Width>
struct SpacedTextField {
  using Value = Text<Width>;
  std::uint16_t offset;
  const char* name;
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::spaced_text, false, name}; }
};

/// Bytes of no meaning: nulls when sent, ignored when received.
template <std::size_t Width>
struct ReservedField {
  std::uint16_t offset;
  const char* name = "Reserved";
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::text, true, name}; }
};

/// The same, spaces when sent.
template <std::size_t Width>
struct ReservedSpaces {
  std::uint16_t offset;
  const char* name = "Reserved";
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::spaced_text, true, name}; }
};

namespace detail {

template <std::size_t Number, class Field>
struct NumberedField {
  Field field;
};

template <class Numbers, class... Fields>
struct NumberedFields;
template <std::size_t... Number, class... Fields>
struct NumberedFields<std::index_sequence<Number...>, Fields...> : NumberedField<Number, Fields>... {
  constexpr explicit NumberedFields(const Fields&... fields) noexcept : NumberedField<Number, Fields>{fields}... {}
  template <class Visitor>
  constexpr auto apply(Visitor visitor) const {
    return visitor(static_cast<const NumberedField<Number, Fields>&>(*this).field...);
  }
};

}  // namespace detail

/// The places of a message, of types of their own, in wire order: a tuple that costs the compiler little, which a
/// header with dozens of messages needs. `apply` calls a function with all of them.
template <class... Fields>
struct FieldList : detail::NumberedFields<std::index_sequence_for<Fields...>, Fields...> {
  static constexpr std::size_t k_size = sizeof...(Fields);
  constexpr explicit FieldList(const Fields&... fields) noexcept
      : detail::NumberedFields<std::index_sequence_for<Fields...>, Fields...>(fields...) {}
};

/// The place of this number: `field_at<0>(NewOrder::k_places)`.
template <std::size_t Number, class Field>
[[nodiscard]] constexpr const Field& field_at(const detail::NumberedField<Number, Field>& of) noexcept {
  return of.field;
}

/// The rows of a message's table, in wire order.
template <class... Fields>
[[nodiscard]] constexpr std::array<FieldInfo, sizeof...(Fields)> rows(const Fields&... fields) noexcept {
  return {fields.info()...};
}

namespace detail {

/// A compiler ends a comparison of two string views at the last character of the longer one, this one at the first
/// difference.
[[nodiscard]] constexpr bool is_same_text(const char* a, const char* b) noexcept {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace detail

/// True when the rows follow each other from `begin` to exactly `size`, and no name is there twice; reserved fields may
/// share a name when `may_repeat_reserved`.
[[nodiscard]] constexpr bool tiles(std::size_t begin, std::size_t size, std::span<const FieldInfo> fields,
                                   bool may_repeat_reserved = false) noexcept {
  std::size_t end = begin;
  for (std::size_t row = 0; row < fields.size(); ++row) {
    if (fields[row].offset != end || fields[row].width == 0) return false;
    end += fields[row].width;
    if (may_repeat_reserved && fields[row].is_reserved) continue;
    for (std::size_t other = 0; other < row; ++other) {
      if (detail::is_same_text(fields[row].name, fields[other].name)) return false;
    }
  }
  return end == size;
}

/// One message of a protocol, for code that prints, documents or mutates messages.
struct MessageLayout {
  char type = '\0';
  std::uint16_t size = 0;  ///< all bytes on the wire
  const char* name = "";
  std::span<const FieldInfo> fields{};
};

/// Messages, where a list of their types is wanted.
template <class... Messages>
struct MessageList {};

/// A price as a sign bit and a magnitude. A negative zero is 0.
[[nodiscard]] constexpr std::int64_t from_sign_and_magnitude(std::uint64_t wire) noexcept {
  const auto magnitude = static_cast<std::int64_t>(wire & ~(std::uint64_t{1} << 63));
  return wire >> 63 != 0 ? -magnitude : magnitude;
}

/// `value` must not be the smallest of its type, which has no magnitude.
[[nodiscard]] constexpr std::uint64_t to_sign_and_magnitude(std::int64_t value) noexcept {
  return value >= 0 ? static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(-value) | std::uint64_t{1} << 63;
}

/// The value of a field of one byte.
[[nodiscard]] inline std::uint8_t load_byte(Bytes message, const FieldInfo& field) noexcept {
  return std::to_integer<std::uint8_t>(message[field.offset]);
}

/// The value of a field that is no text; numbers above 63 bits as negative ones, which no table and no rule allows.
[[nodiscard]] std::int64_t load_number(Bytes message, const FieldInfo& field) noexcept;

template <class T, Wire Type>
[[nodiscard]] inline T load(Bytes message, NumberField<T, Type> field) noexcept {
  if constexpr (Type == Wire::signed_price) {
    return from_sign_and_magnitude(load_little<std::uint64_t>(message, field.offset));
  } else {
    return load_little<T>(message, field.offset);
  }
}

/// The characters before the first null; what follows it is dropped.
template <std::size_t Width>
[[nodiscard]] inline Text<Width> load(Bytes message, TextField<Width> field) noexcept {
  const Bytes place = message.subspan(field.offset, Width);
  if constexpr (Width >= 9) {
    // Mostly there is nothing behind it.
    if (is_padded<Width>(place.data())) [[likely]] {
      Text<Width> text;
      std::memcpy(text.chars.data(), place.data(), Width);
      return text;
    }
  }
  const std::string_view chars = as_text(place);
  return Text<Width>::cut(chars.substr(0, chars.find('\0')));
}

/// The characters up to the spaces at the end.
template <std::size_t Width>
[[nodiscard]] inline Text<Width> load(Bytes message, SpacedTextField<Width> field) noexcept {
  Text<Width> text;
  std::memcpy(text.chars.data(), message.data() + field.offset, Width);
  for (std::size_t end = Width; end > 0 && text.chars[end - 1] == ' '; --end) text.chars[end - 1] = '\0';
  return text;
}

template <class T, Wire Type>
inline void store(Room message, NumberField<T, Type> field, T value) noexcept {
  if constexpr (Type == Wire::signed_price) {
    store_little(message, field.offset, to_sign_and_magnitude(value));
  } else {
    store_little(message, field.offset, value);
  }
}

template <std::size_t Width>
inline void store(Room message, TextField<Width> field, const Text<Width>& text) noexcept {
  std::memcpy(message.data() + field.offset, text.chars.data(), Width);
}

template <std::size_t Width>
inline void store(Room message, SpacedTextField<Width> field, const Text<Width>& text) noexcept {
  std::array<char, Width> chars = text.chars;
  for (char& c : chars) c = c == '\0' ? ' ' : c;
  std::memcpy(message.data() + field.offset, chars.data(), Width);
}

}  // namespace dojima
