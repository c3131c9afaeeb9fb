#pragma once

// Seeded pseudorandom numbers that are the same on every machine and compiler: splitmix64 (Steele, Lea, Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014). For simulation, tests and what a journal repeats; nothing
// that an adversary must not guess.
//
//   SplitMix64 random(7);  const std::uint64_t die = 1 + random.below(6);

#include <cstdint>

namespace dojima {

/// What each step adds to the state.
inline constexpr std::uint64_t k_splitmix64_step = 0x9e3779b97f4a7c15U;

/// The next 64 uniform bits; `state`, which any number may begin, moves on by one step. O(1).
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += k_splitmix64_step;
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

  /// 64 uniform bits. O(1).
  [[nodiscard]] constexpr std::uint64_t next() noexcept { return splitmix64(state_); }
  /// 0 to bound - 1, by the remainder, whose bias is below bound / 2^64; `bound` > 0. O(1).
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  /// True in `percent` of a hundred cases.
  [[nodiscard]] constexpr bool chance(std::uint64_t percent) noexcept { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace dojima
