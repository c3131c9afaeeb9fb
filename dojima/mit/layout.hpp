#pragma once

// How a MIT203 message lies in memory: the header that all messages share, in front of the field places of
// base/layout.hpp. A message is a struct of such places with its type and total length, and `is_exact` proves at
// compile time that they tile it from the end of the header to its last byte. No allocation.
//
//   std::int32_t quantity = load(message, lse_21_2::NewOrder::order_qty);

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dojima/base/layout.hpp"

namespace dojima::mit {

using dojima::FieldInfo;
using dojima::MessageLayout;
using dojima::Wire;

/// Every message begins with this byte, two bytes of length, and the type. The length counts from the type on.
inline constexpr std::byte k_start_of_message{0x02};
inline constexpr std::size_t k_length_offset = 1;
inline constexpr std::size_t k_type_offset = 3;
inline constexpr std::size_t k_header_size = 4;
/// Bytes before those that MessageLength counts: total bytes = MessageLength + 3.
inline constexpr std::size_t k_uncounted = 3;

/// True when the rows follow each other from the end of the header to exactly `size`, and no name occurs twice.
[[nodiscard]] constexpr bool is_exact(std::size_t size, std::span<const FieldInfo> fields) noexcept {
  return tiles(k_header_size, size, fields);
}

/// Who sends a message. What one of them alone sends has a value in every field that has a table; in the others, fields
/// that say nothing are zero.
enum class Sender : std::uint8_t { client, server, both };

/// The rows of a message: its places, with all that is known of them.
template <class Message>
inline constexpr auto k_rows = [] {
  auto fields = Message::k_places.apply([](const auto&... places) { return rows(places...); });
  if (Message::k_sender != Sender::client)
    for (FieldInfo& field : fields) field.values.add(0);
  return fields;
}();

template <class Message>
[[nodiscard]] constexpr MessageLayout layout_of() noexcept {
  static_assert(is_exact(Message::k_size, k_rows<Message>), "the fields tile the message");
  return {Message::k_type, Message::k_size, Message::k_name, k_rows<Message>};
}

template <class... Messages>
[[nodiscard]] constexpr auto layouts_of(MessageList<Messages...>) noexcept {
  return std::array<MessageLayout, sizeof...(Messages)>{layout_of<Messages>()...};
}

/// Some of the values of a table, in the order wanted: those of a dialect.
template <int... Values, std::size_t Count>
[[nodiscard]] consteval std::array<Meaning, sizeof...(Values)> only(const std::array<Meaning, Count>& all) {
  const auto find = [&all](int value) {
    for (const Meaning& meaning : all)
      if (meaning.value == value) return meaning;
    throw "a value that the table does not have";
  };
  return {find(Values)...};
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
