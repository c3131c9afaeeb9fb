#pragma once

// Short texts in wire records, sixteen characters at a time: the compilers' portable vectors, which need no special
// instruction set. For texts of fixed widths that compilers know. Stateless, no allocation, O(width).
//
//   is_padded<20>(field)                            // nothing follows the first null
//   any_of<20>(field, [](Sixteen c) { return c == 0x23; })   // some character is a #

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dojima {

/// Sixteen characters, compared at once: a character of the answer is all ones or 0.
using Sixteen [[gnu::vector_size(16)]] = unsigned char;

[[nodiscard, gnu::always_inline]] inline Sixteen sixteen_from(const std::byte* at) noexcept {
  Sixteen characters;
  std::memcpy(&characters, at, sizeof characters);
  return characters;
}

/// Eight from each place.
[[nodiscard, gnu::always_inline]] inline Sixteen sixteen_from(const std::byte* first,
                                                              const std::byte* second) noexcept {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(&words[0], first, sizeof words[0]);
  std::memcpy(&words[1], second, sizeof words[1]);
  return std::bit_cast<Sixteen>(words);
}

/// Whether any of them is not 0.
[[nodiscard, gnu::always_inline]] inline bool is_any(Sixteen characters) noexcept {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(characters);
  return (words[0] | words[1]) != 0;
}

/// Whether `is_meant`, which is asked sixteen at a time and answers for each, means any character of the text. Some may
/// be asked for twice.
template <std::size_t Width, class IsMeant>
  requires(Width >= 8)
[[nodiscard, gnu::always_inline]] inline bool any_of(const std::byte* text, IsMeant is_meant) noexcept {
  if constexpr (Width < 16) {
    return is_any(std::bit_cast<Sixteen>(is_meant(sixteen_from(text, text + (Width - 8)))));
  } else {
    auto found = std::bit_cast<Sixteen>(is_meant(sixteen_from(text + (Width - 16))));
    for (std::size_t at = 0; at < Width - 16; at += 16)
      found |= std::bit_cast<Sixteen>(is_meant(sixteen_from(text + at)));
    return is_any(found);
  }
}

/// Whether only nulls follow the first null: no null has another character behind it.
template <std::size_t Width>
  requires(Width >= 9)
[[nodiscard, gnu::always_inline]] inline bool is_padded(const std::byte* text) noexcept {
  const auto broken = [](Sixteen characters, Sixteen behind) {
    return std::bit_cast<Sixteen>(characters == std::uint8_t{0}) & behind;
  };
  constexpr std::size_t k_pairs = Width - 1;
  if constexpr (k_pairs < 16) {
    constexpr std::size_t k_last = k_pairs - 8;
    return !is_any(broken(sixteen_from(text, text + k_last), sixteen_from(text + 1, text + 1 + k_last)));
  } else {
    constexpr std::size_t k_last = k_pairs - 16;
    Sixteen found = broken(sixteen_from(text + k_last), sixteen_from(text + k_last + 1));
    for (std::size_t at = 0; at < k_last; at += 16)
      found |= broken(sixteen_from(text + at), sixteen_from(text + at + 1));
    return !is_any(found);
  }
}

}  // namespace dojima
