#pragma once

// What the kernels of scan.hpp share: a tag and its place, and an index from masks. For them only.

#include <bit>
#include <cstdint>
#include <cstring>

#include "dojima/fix/codec/scan.hpp"

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

/// The entry of a field that begins at `begin` and whose separator is at `end`, with 7 more bytes behind it; adds
/// to `trouble` where it is irregular. One branch a digit: the tags of a stream have few patterns, and branches are
/// predicted where eight digits at once would cost thirty instructions a field.
[[nodiscard, gnu::always_inline]] inline FieldEntry entry_of(const char* text, std::size_t begin, std::size_t end,
                                                             unsigned& trouble) noexcept {
  const char* const field = text + begin;
  const auto digit = [field](std::size_t at) noexcept { return static_cast<unsigned char>(field[at]) - unsigned{'0'}; };
  unsigned tag = digit(0);
  trouble |= static_cast<unsigned>(tag - 1 > 8);  // also `=` and `0`
  std::size_t digits = 1;
  while (field[digits] != '=' && digits < 6) {
    const unsigned next = digit(digits++);
    trouble |= static_cast<unsigned>(next > 9);
    tag = tag * 10 + next;
  }
  const std::size_t value = begin + digits + 1;
  trouble |=
      static_cast<unsigned>(digits > 5) | static_cast<unsigned>(tag > 0xffff) | static_cast<unsigned>(value >= end);
  return {static_cast<Tag>(tag), static_cast<std::uint16_t>(end - value), static_cast<std::uint32_t>(value)};
}

/// The index of a message from the places of its separators, 64 bytes at a time: `Masks::of` gives the bits of 64
/// bytes.
template <class Masks>
[[nodiscard, gnu::always_inline]] inline std::size_t index_by_masks(const char* text, std::size_t end,
                                                                    FieldEntry* entries, std::size_t room) noexcept {
  constexpr std::size_t k_block = 64, k_longest = 65'000;
  if (end > k_longest) return k_irregular;
  unsigned trouble = 0;
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
      entries[count++] = entry_of(text, begin, at, trouble);
      begin = at + 1;
    }
  }
  return trouble != 0 ? k_irregular : count;
}

}  // namespace dojima::fix::detail
