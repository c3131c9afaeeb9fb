#pragma once

// How a MIT203 message lies in memory, as constants: each field is a typed place (offset, wire type, protocol name), a
// message is a struct of such places with its type and total length, and `is_exact` proves at compile time that they
// tile the message without gap or overlap. Reads and writes go through the places, so no offset is written twice.
// Plain constants and inline loads, no allocation.
//
//   std::int32_t quantity = load(message, lse_21_2::NewOrder::order_qty);

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/text.hpp"

namespace dojima::mit {

/// Every message begins with this byte, two bytes of length, and the type. The length counts from the type on.
inline constexpr std::byte k_start_of_message{0x02};
inline constexpr std::size_t k_length_offset = 1;
inline constexpr std::size_t k_type_offset = 3;
inline constexpr std::size_t k_header_size = 4;
/// Bytes before those that MessageLength counts: total bytes = MessageLength + 3.
inline constexpr std::size_t k_uncounted = 3;

/// The data types of the protocol. `price` counts 1e-8 units, signed.
enum class Wire : std::uint8_t { alpha, text, int8, uint8, int32, uint32, uint64, price, bits };

/// One field, as a row of a message's table.
struct FieldInfo {
  std::uint16_t offset = 0;  ///< from the start-of-message byte
  std::uint16_t width = 0;   ///< bytes
  Wire type = Wire::uint8;
  bool is_reserved = false;  ///< sent as nulls, ignored on receipt
  const char* name = "";     ///< as the protocol spells it
};

/// A number or character of `T`.
template <class T, Wire Type>
struct NumberField {
  using Value = T;
  std::uint16_t offset;
  const char* name;
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, sizeof(T), Type, false, name}; }
};

using AlphaField = NumberField<char, Wire::alpha>;
using Int8Field = NumberField<std::int8_t, Wire::int8>;
using UInt8Field = NumberField<std::uint8_t, Wire::uint8>;
using BitField = NumberField<std::uint8_t, Wire::bits>;
using Int32Field = NumberField<std::int32_t, Wire::int32>;
using UInt32Field = NumberField<std::uint32_t, Wire::uint32>;
using UInt64Field = NumberField<std::uint64_t, Wire::uint64>;
using PriceField = NumberField<std::int64_t, Wire::price>;

/// ASCII, left-justified, padded with nulls.
template <std::size_t Width>
struct TextField {
  std::uint16_t offset;
  const char* name;
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::text, false, name}; }
};

/// Bytes of no meaning: nulls when sent, ignored when received.
template <std::size_t Width>
struct ReservedField {
  std::uint16_t offset;
  const char* name = "Reserved";
  [[nodiscard]] constexpr FieldInfo info() const noexcept { return {offset, Width, Wire::text, true, name}; }
};

/// The rows of a message's table, in wire order.
template <class... Fields>
[[nodiscard]] constexpr std::array<FieldInfo, sizeof...(Fields)> rows(const Fields&... fields) noexcept {
  return {fields.info()...};
}

/// True when the rows follow each other from the end of the header to exactly `size`, and no name stands twice.
[[nodiscard]] constexpr bool is_exact(std::size_t size, std::span<const FieldInfo> fields) noexcept {
  std::size_t end = k_header_size;
  for (std::size_t row = 0; row < fields.size(); ++row) {
    if (fields[row].offset != end || fields[row].width == 0) return false;
    end += fields[row].width;
    for (std::size_t other = 0; other < row; ++other) {
      if (std::string_view(fields[row].name) == std::string_view(fields[other].name)) return false;
    }
  }
  return end == size;
}

/// One message of a dialect, for whoever prints, documents or mutates messages.
struct MessageLayout {
  char type = '\0';
  std::uint16_t size = 0;  ///< all bytes on the wire
  const char* name = "";
  std::span<const FieldInfo> fields{};
};

template <class Message>
[[nodiscard]] constexpr MessageLayout layout_of() noexcept {
  static_assert(is_exact(Message::k_size, Message::k_fields), "the fields tile the message");
  return {Message::k_type, Message::k_size, Message::k_name, Message::k_fields};
}

template <class T, Wire Type>
[[nodiscard]] inline T load(Bytes message, NumberField<T, Type> field) noexcept {
  return load_little<T>(message, field.offset);
}

/// The characters before the first null; what stands behind it is dropped.
template <std::size_t Width>
[[nodiscard]] inline Text<Width> load(Bytes message, TextField<Width> field) noexcept {
  const std::string_view chars = as_text(message.subspan(field.offset, Width));
  return Text<Width>::cut(chars.substr(0, chars.find('\0')));
}

template <class T, Wire Type>
inline void store(Room message, NumberField<T, Type> field, T value) noexcept {
  store_little(message, field.offset, value);
}

template <std::size_t Width>
inline void store(Room message, TextField<Width> field, const Text<Width>& text) noexcept {
  std::memcpy(message.data() + field.offset, text.chars.data(), Width);
}

/// Start byte, length and type of `Message`, and nulls in all its fields.
template <class Message>
inline void store_header(Room message) noexcept {
  std::memset(message.data(), 0, Message::k_size);
  message[0] = k_start_of_message;
  store_little(message, k_length_offset, static_cast<std::int16_t>(Message::k_size - k_uncounted));
  store_little(message, k_type_offset, Message::k_type);
}

}  // namespace dojima::mit
