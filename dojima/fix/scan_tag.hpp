#pragma once

// Reading a tag without a branch: eight bytes at once, as one number (SWAR). For the kernels of scan.hpp only.

#include <bit>
#include <cstdint>
#include <cstring>

#include "dojima/fix/scan.hpp"

namespace dojima::fix::detail {

inline constexpr std::uint64_t k_ones = 0x0101010101010101;
inline constexpr std::uint64_t k_highs = 0x8080808080808080;

[[nodiscard, gnu::always_inline]] inline std::uint64_t load8(const char* text) noexcept {
  std::uint64_t word;
  std::memcpy(&word, text, 8);
  return word;
}

/// The high bit of every byte that equals `byte`; above the first one there may be false ones.
[[nodiscard, gnu::always_inline]] inline std::uint64_t bytes_equal(std::uint64_t word, std::uint64_t byte) noexcept {
  const std::uint64_t difference = word ^ (k_ones * byte);
  return (difference - k_ones) & ~difference & k_highs;
}

/// The entry of a field whose first eight bytes are `word`, which begins at `begin` and whose separator stands at
/// `end`; adds to `trouble` where it is irregular.
[[nodiscard, gnu::always_inline]] inline FieldEntry entry_of(std::uint64_t word, std::size_t begin, std::size_t end,
                                                             std::uint64_t& trouble) noexcept {
  const std::uint64_t equals = bytes_equal(word, '=');
  // Without one the count is 64, and 64 / 8 digits are too many.
  const auto bits = static_cast<unsigned>(std::countr_zero(equals)) & ~7u;  // of the digits: 8 each
  const unsigned digits = bits / 8;
  // Digits to the top, zeros below: "35=" becomes "00000035".
  const std::uint64_t text = bits == 0 ? 0 : (word << (64 - bits)) | (0x3030303030303030u >> (bits & 63));
  const std::uint64_t values = text ^ 0x3030303030303030u;
  // Every byte 0 to 9: neither a high nibble nor one above 9 in the low one.
  trouble |= ((values + 0x7676767676767676u) | values) & k_highs;
  std::uint64_t number = (values * 10 + (values >> 8)) & 0x00ff00ff00ff00ffu;  // pairs
  number = (number * 100 + (number >> 16)) & 0x0000ffff0000ffffu;              // four
  number = (number & 0xffff) * 10'000 + (number >> 32);
  const std::size_t value = begin + digits + 1;
  trouble |= static_cast<std::uint64_t>(digits - 1 >= 5) | static_cast<std::uint64_t>((word & 0xff) == '0') |
             static_cast<std::uint64_t>(number > 0xffff) | static_cast<std::uint64_t>(value >= end);
  return {static_cast<Tag>(number), static_cast<std::uint16_t>(end - value), static_cast<std::uint32_t>(value)};
}

/// The index of a message from the places of its separators, 64 bytes at a time: `Masks::of` gives the bits of 64
/// bytes.
template <class Masks>
[[nodiscard, gnu::always_inline]] inline std::size_t index_by_masks(const char* text, std::size_t end,
                                                                    FieldEntry* entries, std::size_t room) noexcept {
  constexpr std::size_t k_block = 64, k_longest = 65'000;
  if (end > k_longest) return k_irregular;
  std::uint64_t trouble = 0;
  std::size_t count = 0, begin = 0;
  for (std::size_t base = 0; base < end; base += k_block) {
    std::uint64_t bits;
    if (end - base >= k_block) {
      bits = Masks::of(text + base);
    } else if (end >= k_block) {
      bits = Masks::of(text + end - k_block) >> (k_block - (end - base));
    } else {
      char block[k_block] = {};
      std::memcpy(block, text, end);
      bits = Masks::of(block);
    }
    if (count + static_cast<std::size_t>(std::popcount(bits)) > room) return k_irregular;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t at = base + static_cast<std::size_t>(std::countr_zero(bits));
      entries[count++] = entry_of(load8(text + begin), begin, at, trouble);
      begin = at + 1;
    }
  }
  return trouble != 0 ? k_irregular : count;
}

}  // namespace dojima::fix::detail
