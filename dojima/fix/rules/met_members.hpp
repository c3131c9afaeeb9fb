#pragma once

// Which members of a message, or of an entry of a group, have been met. No allocation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {

/// Members met in one place, by number. Nothing is there until clear().
class MetMembers {
 public:
  void clear(std::size_t members) noexcept { std::fill_n(words_.begin(), (members + 63) / 64, std::uint64_t{0}); }
  [[nodiscard]] bool has(std::size_t number) const noexcept { return (words_[number / 64] >> number % 64 & 1) != 0; }
  void add(std::size_t number) noexcept { words_[number / 64] |= std::uint64_t{1} << number % 64; }
  /// False: it was met before.
  [[nodiscard]] bool add_new(std::size_t number) noexcept {
    std::uint64_t& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }
  /// Whether all numbers below `count` were met.
  [[nodiscard]] bool has_all(std::size_t count) const noexcept {
    std::size_t word = 0;
    for (; count >= 64; count -= 64) {
      if (words_[word++] != ~std::uint64_t{0}) return false;
    }
    const std::uint64_t rest = (std::uint64_t{1} << count) - 1;
    return count == 0 || (words_[word] & rest) == rest;
  }

 private:
  std::array<std::uint64_t, Shape::k_members_max / 64> words_;
};

}  // namespace dojima::fix
