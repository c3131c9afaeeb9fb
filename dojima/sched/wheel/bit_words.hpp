#pragma once

// Bits in words, one for each list that may hold something. Free functions over the words of their owner.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace dojima::sched {

inline constexpr std::size_t k_bits_per_word = 64;

[[nodiscard]] constexpr std::size_t words_for(std::size_t bits) noexcept {
  return (bits + k_bits_per_word - 1) / k_bits_per_word;
}

inline void set_bit(std::uint64_t* words, std::size_t index) noexcept {
  words[index / k_bits_per_word] |= std::uint64_t{1} << (index % k_bits_per_word);
}
inline void clear_bit(std::uint64_t* words, std::size_t index) noexcept {
  words[index / k_bits_per_word] &= ~(std::uint64_t{1} << (index % k_bits_per_word));
}

/// The first bit set at or behind `from`, or `count` (a multiple of 64). O(count / 64).
[[nodiscard]] inline std::size_t next_bit(const std::uint64_t* words, std::size_t from, std::size_t count) noexcept {
  if (from >= count) return count;
  std::size_t word = from / k_bits_per_word;
  std::uint64_t left = words[word] & (~std::uint64_t{0} << (from % k_bits_per_word));
  while (left == 0) {
    if (++word == count / k_bits_per_word) return count;
    left = words[word];
  }
  return word * k_bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
}

}  // namespace dojima::sched
