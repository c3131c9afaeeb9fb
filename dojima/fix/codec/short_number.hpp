#pragma once

// Short decimal numbers out of a message: up to eight characters, which is what nearly every price, quantity and
// sequence number has, read as one word. All digits are converted at once, so no branch depends on how many there are.
// The word ends where the value ends and may begin in front of it: for values that have eight readable bytes before
// their end, as every field of a message behind BeginString has. Pure functions, no allocation.
//
//   const ShortNumber price = read_short_number(end, 6);   // "123.45": digits 12345, places 2

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dojima/base/digits.hpp"
#include "dojima/market/price.hpp"

namespace dojima::fix {

/// More characters than this are no short number.
inline constexpr std::size_t k_short_number_max = 8;

namespace detail {
/// Units of a price by the number of decimals.
inline constexpr std::array<std::int64_t, k_short_number_max> k_units{100'000'000, 10'000'000, 1'000'000, 100'000,
                                                                      10'000,      1'000,      100,       10};
static_assert(k_units[0] == market::k_price_scale);
}  // namespace detail

/// digits / 10^places.
struct ShortNumber {
  bool is_there = false;  ///< false: not 1 to 8 characters, or not digits with at most one point
  bool has_point = false;
  std::uint32_t digits = 0;
  std::uint32_t places = 0;  ///< behind the point, 0 to 7
  [[nodiscard]] bool is_whole() const noexcept { return is_there && !has_point; }
  /// In units of a price. Always in range: there are at most eight digits.
  [[nodiscard]] std::int64_t scaled() const noexcept { return digits * detail::k_units[places]; }
};

/// The number in the `size` characters before `end`; the eight bytes before `end` can be read. O(1).
[[nodiscard, gnu::always_inline]] inline ShortNumber read_short_number(const char* end, std::size_t size) noexcept {
  constexpr std::uint64_t k_ones = 0x0101010101010101, k_highs = 0x8080808080808080;
  if (size - 1 >= k_short_number_max) [[unlikely]] {
    return {};
  }
  const std::size_t before = 8 * (k_short_number_max - size);  // bits in front of the value
  std::uint64_t values = (load_word(end - k_short_number_max) ^ k_eight_zeros) >> before << before;
  const std::uint64_t difference = values ^ k_ones * ('.' ^ '0');
  const std::uint64_t points = (difference - k_ones) & ~difference & k_highs;  // the lowest one is right
  std::uint32_t places = 0;
  if (points != 0) {
    // What is in front of the first point moves behind it; another point is no digit.
    const std::uint64_t below = (points ^ (points - 1)) >> 8;
    values = (values & ~(below << 8 | 0xff)) | (values & below) << 8;
    places = 7 - static_cast<std::uint32_t>(std::countr_zero(points)) / 8;
  }
  if (!are_digits(values) || (points != 0 && size == 1)) [[unlikely]] {
    return {};
  }
  return {true, points != 0, number_of(values), places};
}

}  // namespace dojima::fix
