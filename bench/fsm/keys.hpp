#pragma once

// The key sets: message types as FIX and MIT203 have them, and codes without any order. gperf_sets.py makes the same
// ones; competitors that disagree make the program fail.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "dojima/fsm/perfect_hash.hpp"

namespace dojima::bench {

inline constexpr std::string_view k_single_types = "0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz";

/// The message types of some direction, or the first `Count` of FIX 4.4: 59 of one character, 34 of two.
template <std::size_t Count>
struct FixTypes {
  using Key = std::conditional_t<(Count <= 59), std::uint8_t, std::uint16_t>;
  static constexpr auto keys = [] {
    constexpr std::string_view of_direction = Count == 4    ? "DFGq"
                                              : Count == 7  ? "03589Bj"
                                              : Count == 16 ? "03589Babcdefgjnr"
                                                            : k_single_types;
    std::array<Key, Count> result{};
    std::size_t at = 0;
    for (const char c : of_direction)
      if (at < Count) result[at++] = static_cast<Key>(c);
    for (char first = 'A'; first <= 'B'; ++first)
      for (char second = 'A'; second <= (first == 'A' ? 'Z' : 'H') && at < Count; ++second)
        result[at++] = static_cast<Key>(first << 8 | second);
    return result;
  }();
};

/// 31 random bits; no byte of a key is zero, which gperf could not read.
template <std::size_t Count>
struct RandomCodes {
  using Key = std::uint32_t;
  static constexpr auto keys = [] {
    std::array<Key, Count> result{};
    std::size_t at = 0;
    for (std::uint64_t number = 1000; at < Count; ++number) {
      const auto key = static_cast<Key>(fsm::multiplier(number) >> 33U);
      if ((key & 0xffU) != 0 && (key & 0xff00U) != 0 && (key & 0xff'0000U) != 0 && (key & 0xff00'0000U) != 0)
        result[at++] = key;
    }
    return result;
  }();
};

}  // namespace dojima::bench
