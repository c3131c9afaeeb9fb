#pragma once

// A message as the image of an empty one, into which fields are patched: what the writers of reports do where no value
// has to be looked at. Stateless, no allocation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/mit/dialect.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/layout.hpp"

namespace dojima::mit {

/// Start byte, length and type of a message; nulls in all its fields.
template <class Message>
[[nodiscard]] consteval std::array<std::byte, Message::k_size> empty_message() {
  std::array<std::byte, Message::k_size> bytes{};
  constexpr auto length = static_cast<std::uint16_t>(Message::k_size - k_uncounted);
  bytes[0] = k_start_of_message;
  bytes[k_length_offset] = static_cast<std::byte>(length & 0xff);
  bytes[k_length_offset + 1] = static_cast<std::byte>(length >> 8);
  bytes[k_type_offset] = static_cast<std::byte>(Message::k_type);
  return bytes;
}

/// Words of an empty message, and where they lie.
template <class Message>
struct EmptyWords {
  struct Word {
    std::uint64_t bytes = 0;
    std::uint16_t offset = 0;
  };
  std::array<Word, Message::k_size / sizeof(std::uint64_t) + 1> words{};
  std::size_t count = 0;
};

/// A mark for each byte of a message that has a field of these.
template <class Message, class... Fields>
[[nodiscard]] consteval std::array<bool, Message::k_size> bytes_of(const Fields&... fields) {
  std::array<bool, Message::k_size> marks{};
  (..., std::fill_n(marks.begin() + fields.offset, fields.info().width, true));
  return marks;
}

/// Those that cover what is not `written` of an empty message. What else is in them is written behind them.
template <class Message>
[[nodiscard]] consteval EmptyWords<Message> words_beside(const std::array<bool, Message::k_size>& written) {
  const auto bytes = empty_message<Message>();
  EmptyWords<Message> found;
  for (std::size_t at = 0; at < Message::k_size; ++at) {
    if (written[at]) continue;
    auto& word = found.words[found.count++];
    word.offset = static_cast<std::uint16_t>(std::min(at, Message::k_size - sizeof word.bytes));
    for (std::size_t byte = 0; byte < sizeof word.bytes; ++byte)
      word.bytes |= std::to_integer<std::uint64_t>(bytes[word.offset + byte]) << (8 * byte);
    at = word.offset + sizeof word.bytes - 1;
  }
  return found;
}

/// The words of an empty message into the bytes of one.
template <const auto& Empty>
[[gnu::always_inline]] inline void write_empty(Room message) noexcept {
  [&message]<std::size_t... Number>(std::index_sequence<Number...>) {
    (..., store_little(message, Empty.words[Number].offset, Empty.words[Number].bytes));
  }(std::make_index_sequence<Empty.count>{});
}

/// A number that the field can hold.
template <class T, Wire Type, class Value>
inline void patch(Room message, NumberField<T, Type> field, Value value) noexcept {
  store(message, field, static_cast<T>(value));
}

[[gnu::always_inline]] inline void patch_id(Room message, TextField<k_order_id_width> field,
                                            std::uint64_t id) noexcept {
  write_order_id(id, reinterpret_cast<char*>(message.data()) + field.offset);
}

/// Nulls for no id.
[[gnu::always_inline]] inline void patch_id_or_none(Room message, TextField<k_order_id_width> field,
                                                    std::uint64_t id) noexcept {
  if (id != 0) [[likely]]
    patch_id(message, field, id);
  else
    store(message, field, {});
}

}  // namespace dojima::mit
