#pragma once

// Randomness that gives the same values on every machine and compiler: splitmix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014) and what is derived from it by integer arithmetic only; no libm, no floating
// point. Take one draw per expression: the order in which two draws of one expression happen is not defined.
//
//   Random random(7);  const std::uint64_t die = 1 + random.below(6);

#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::flow {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  /// 64 uniform bits. O(1).
  [[nodiscard]] constexpr std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  }

  /// 0 to limit - 1; `limit` > 0. The bias of multiply-and-shift is below limit / 2^64.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t limit) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * limit) >> 64);
  }

 private:
  std::uint64_t state_;
};

/// -ln(u) for u = (bits | 1) / 2^64, in units of 2^-32: an exponential variate of mean 1 when `bits` is uniform.
/// Integer arithmetic only, so that it is the same everywhere: log2 of the mantissa digit by digit (square; at least
/// two: the digit is one, halve), then times ln 2. Error below 2^-30, at most 44.4. About 33 multiplications.
[[nodiscard]] constexpr std::uint64_t exponential_q32(std::uint64_t bits) noexcept {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t k_ln2_q64 = 0xb17217f7d1cf79abULL;
  bits |= 1;
  const unsigned leading = static_cast<unsigned>(__builtin_clzll(bits));
  std::uint64_t mantissa = bits << leading;  // in [1, 2), units of 2^-63
  std::uint64_t fraction = 0;                // log2 of it, units of 2^-32
  for (int digit = 0; digit < 32; ++digit) {
    const Wide square = static_cast<Wide>(mantissa) * mantissa;  // in [1, 4), units of 2^-126
    const bool is_two = (square >> 127) != 0;
    fraction = fraction << 1 | (is_two ? 1 : 0);
    mantissa = static_cast<std::uint64_t>(square >> (is_two ? 64 : 63));
  }
  const std::uint64_t negative_log2 = (static_cast<std::uint64_t>(leading + 1) << 32) - fraction;
  return static_cast<std::uint64_t>((static_cast<Wide>(negative_log2) * k_ln2_q64) >> 64);
}

namespace detail {
__extension__ using Wide = unsigned __int128;

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
  constexpr std::uint64_t k_log2e_q63 = 0xb8aa3b295c17f0bcULL;
  if (x_q32 >= Wide{64} << 32) return 0;
  const auto halvings = static_cast<std::uint64_t>((x_q32 * k_log2e_q63) >> 63);  // units of 2^-32
  if (halvings >> 32 >= 64) return 0;
  std::uint64_t scaled = value >> (halvings >> 32);
  for (std::size_t digit = 0; digit < detail::k_roots.size(); ++digit) {
    if ((halvings >> (31 - digit) & 1) != 0)
      scaled = static_cast<std::uint64_t>((static_cast<Wide>(scaled) * detail::k_roots[digit]) >> 64);
  }
  return scaled;
}

}  // namespace dojima::flow
