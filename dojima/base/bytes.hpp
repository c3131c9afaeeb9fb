#pragma once

// Views of raw memory: what arrives (`Bytes`), where something may be written (`Room`), and little-endian loads and
// stores over them. Nothing here owns memory, allocates or checks bounds beyond an assertion; a view dies with the
// buffer behind it.
//
//   Room room = transport.prepare(8);
//   store_little(room, 0, std::uint32_t{42});

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "dojima/base/assert.hpp"

namespace dojima {

using Bytes = std::span<const std::byte>;
using Room = std::span<std::byte>;

static_assert(std::endian::native == std::endian::little, "records and wire formats are read in place");

/// The bytes of `text`, without a terminator. Lives as long as the text.
[[nodiscard]] inline Bytes as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

/// `bytes` as characters. Lives as long as the bytes.
[[nodiscard]] inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads a little-endian number at `offset`. O(1), no alignment needed.
template <class T>
  requires std::is_trivially_copyable_v<T>
[[nodiscard]] inline T load_little(Bytes bytes, std::size_t offset) noexcept {
  DOJIMA_ASSERT(offset + sizeof(T) <= bytes.size(), "read inside the view");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Writes a little-endian number at `offset`. O(1), no alignment needed.
template <class T>
  requires std::is_trivially_copyable_v<T>
inline void store_little(Room room, std::size_t offset, T value) noexcept {
  DOJIMA_ASSERT(offset + sizeof(T) <= room.size(), "write inside the room");
  std::memcpy(room.data() + offset, &value, sizeof(T));
}

}  // namespace dojima
