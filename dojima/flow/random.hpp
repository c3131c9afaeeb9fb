#pragma once

// Randomness that gives the same values on every machine and compiler: splitmix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014) and what is derived from it by integer arithmetic only; no libm, no floating
// point. Take one draw per expression: the order in which two draws of one expression happen is not defined.
//
//   Random random(7);  const std::uint64_t die = 1 + random.below(6);

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/base/splitmix.hpp"

namespace dojima::flow {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  /// 64 uniform bits. O(1).
  [[nodiscard]] constexpr std::uint64_t next() noexcept { return splitmix64(state_); }

  /// 0 to limit - 1; `limit` > 0. The bias of multiply-and-shift is below limit / 2^64.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t limit) noexcept { return below(next(), limit); }
  /// The same of a draw at hand.
  [[nodiscard]] static constexpr std::uint64_t below(std::uint64_t draw, std::uint64_t limit) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(draw) * limit) >> 64);
  }

  /// The values of the next calls of next(), which are still to come. None waits for another, so that they are made
  /// side by side.
  constexpr void peek(std::span<std::uint64_t> values) const noexcept {
    std::uint64_t state = state_;
    for (std::uint64_t& value : values) value = splitmix64(state);
  }
  /// As if next() had been called so often.
  constexpr void skip(std::uint64_t count) noexcept { state_ += count * k_splitmix64_step; }

 private:
  std::uint64_t state_;
};

/// Draws that were made ahead (Random::peek), in their order, in place of a Random.
class Drawn {
 public:
  /// `values` outlive it, and are more than will be asked for.
  explicit constexpr Drawn(const std::uint64_t* values) noexcept : next_(values) {}
  [[nodiscard]] constexpr std::uint64_t next() noexcept { return *next_++; }
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t limit) noexcept { return Random::below(next(), limit); }
  /// The first that was not taken.
  [[nodiscard]] constexpr const std::uint64_t* rest() const noexcept { return next_; }

 private:
  const std::uint64_t* next_;
};

namespace detail {
__extension__ using Wide = unsigned __int128;
inline constexpr std::uint64_t k_ln2_q64 = 0xb17217f7d1cf79abULL;
inline constexpr std::uint64_t k_log2e_q63 = 0xb8aa3b295c17f0bcULL;

[[nodiscard]] constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

/// 1 / divisor in units of 2^-64, too small by one of them at the most.
[[nodiscard]] constexpr std::uint64_t inverse_q64(std::uint64_t divisor) noexcept {
  return ~std::uint64_t{0} / divisor;
}
/// value / divisor for a value below 2^63, by inverse_q64(divisor): that gives the quotient or one less, and what is
/// left says which.
[[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t value, std::uint64_t divisor,
                                               std::uint64_t inverse) noexcept {
  const std::uint64_t least = high_product(value, inverse);
  return least + (value - least * divisor >= divisor ? 1 : 0);
}

/// The first `digits` binary digits of log2(mantissa / 2^63), of which the last is the unit: square; at least two: the
/// digit is one, halve. What is cut off makes the logarithm smaller by less than 2^-61.
[[nodiscard]] constexpr std::uint64_t log2_by_digits(std::uint64_t mantissa, int digits) noexcept {
  std::uint64_t fraction = 0;
  for (int digit = 0; digit < digits; ++digit) {
    const Wide square = static_cast<Wide>(mantissa) * mantissa;  // in [1, 4), units of 2^-126
    const bool is_two = (square >> 127) != 0;
    fraction = fraction << 1 | (is_two ? 1 : 0);
    mantissa = static_cast<std::uint64_t>(square >> (is_two ? 64 : 63));
  }
  return fraction;
}

/// For mantissas that begin with the same eight bits behind the leading one.
struct Log2Entry {
  std::uint64_t inverse_q63 = 0;  ///< of the smallest of them, rounded up
  std::uint64_t log2_q64 = 0;     ///< minus its logarithm
};
extern const std::array<Log2Entry, 256> k_log2_table;

/// log2_by_digits(mantissa, 32), digit for digit: a table and six terms of a series give the logarithm to 2^-56, and
/// where it lies nearer than 2^-52 to a border between two answers, once in half a million, the digits decide.
[[nodiscard]] inline std::uint64_t log2_q32(std::uint64_t mantissa) noexcept {
  const Log2Entry& entry = k_log2_table[mantissa >> 55 & 0xff];
  const Wide product = static_cast<Wide>(mantissa) * entry.inverse_q63;  // in [1, 1 + 2^-8], units of 2^-126
  const auto x = static_cast<std::uint64_t>(product >> 62);              // less 1, which is cut off: units of 2^-64
  constexpr std::uint64_t k_one = ~std::uint64_t{0};
  std::uint64_t sum = k_one / 5 - high_product(x, k_one / 6);
  sum = k_one / 4 - high_product(x, sum);
  sum = k_one / 3 - high_product(x, sum);
  sum = k_one / 2 - high_product(x, sum);
  const std::uint64_t logarithm = x - high_product(x, high_product(x, sum));  // of 1 + x, natural
  const std::uint64_t log2 =
      entry.log2_q64 + static_cast<std::uint64_t>((static_cast<Wide>(logarithm) * k_log2e_q63) >> 63);
  constexpr std::uint32_t k_margin = 1U << 12;
  const auto below = static_cast<std::uint32_t>(log2);
  if (below - k_margin > ~std::uint32_t{0} - 2 * k_margin) [[unlikely]]
    return log2_by_digits(mantissa, 32);
  return log2 >> 32;
}
}  // namespace detail

/// -ln(u) for u = (bits | 1) / 2^64, in units of 2^-32: an exponential variate of mean 1 when `bits` is uniform.
/// Integer arithmetic only, so that it is the same everywhere. Error below 2^-30, at most 44.4. About ten
/// multiplications.
[[nodiscard]] constexpr std::uint64_t exponential_q32(std::uint64_t bits) noexcept {
  bits |= 1;
  const unsigned leading = static_cast<unsigned>(__builtin_clzll(bits));
  const std::uint64_t mantissa = bits << leading;  // in [1, 2), units of 2^-63
  std::uint64_t fraction = 0;
  if consteval {
    fraction = detail::log2_by_digits(mantissa, 32);
  } else {
    fraction = detail::log2_q32(mantissa);
  }
  return detail::high_product((static_cast<std::uint64_t>(leading + 1) << 32) - fraction, detail::k_ln2_q64);
}

namespace detail {

/// 2^-(1/2), 2^-(1/4), 2^-(1/8), ... in units of 2^-64: each the square root of the one before, digit by digit.
[[nodiscard]] consteval std::array<std::uint64_t, 32> halves_of_a_halving() {
  std::array<std::uint64_t, 32> roots{};
  Wide square = Wide{1} << 127;  // of the first: 1/2, units of 2^-128
  for (std::uint64_t& root : roots) {
    for (int bit = 63; bit >= 0; --bit) {
      const std::uint64_t tried = root | std::uint64_t{1} << bit;
      if (static_cast<Wide>(tried) * tried <= square) root = tried;
    }
    square = static_cast<Wide>(root) << 64;
  }
  return roots;
}
inline constexpr std::array<std::uint64_t, 32> k_roots = halves_of_a_halving();

}  // namespace detail

/// value * e^-x, rounded down, for `x_q32` in units of 2^-32. Integer arithmetic only: 2^-(x log2 e), the whole digits
/// a shift, each digit behind the point a multiplication. Relative error below 2^-28 before the rounding.
[[nodiscard]] constexpr std::uint64_t scaled_by_decay(std::uint64_t value, detail::Wide x_q32) noexcept {
  using detail::Wide;
  if (x_q32 >= Wide{64} << 32) return 0;
  const auto halvings = static_cast<std::uint64_t>((x_q32 * detail::k_log2e_q63) >> 63);  // units of 2^-32
  if (halvings >> 32 >= 64) return 0;
  std::uint64_t scaled = value >> (halvings >> 32);
  for (std::size_t digit = 0; digit < detail::k_roots.size(); ++digit) {
    const std::uint64_t less = detail::high_product(scaled, detail::k_roots[digit]);
    scaled = (halvings >> (31 - digit) & 1) != 0 ? less : scaled;  // no branch: digits are random
  }
  return scaled;
}

}  // namespace dojima::flow
