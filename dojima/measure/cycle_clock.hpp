#pragma once

// The processor's time stamp counter as a clock for sections of code: read in one or two instructions, calibrated
// against CLOCK_MONOTONIC when the program starts. Only for measuring; nothing that a program decides may come from it.
// Reads are inline and free of calls; calibrating takes its time (20 ms by default) and spins.
//
//   const measure::CycleClock clock = measure::CycleClock::calibrate();
//   const auto begin = measure::cycles_fenced_begin();  work();  const auto end = measure::cycles_fenced_end();
//   clock.nanoseconds(end - begin);

#include <chrono>
#include <cstdint>
#include <span>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include "dojima/time/clock.hpp"
#endif

namespace dojima::measure {

#if defined(__x86_64__)

/// Reads the counter; the processor may move work over it in both directions.
[[nodiscard, gnu::always_inline]] inline std::uint64_t cycles() noexcept {
  return __rdtsc();
}
/// Reads the counter when everything before is done (lfence; rdtsc).
[[nodiscard, gnu::always_inline]] inline std::uint64_t cycles_fenced_begin() noexcept {
  _mm_lfence();
  return __rdtsc();
}
/// Reads the counter when everything before is done, and nothing after has begun (rdtscp; lfence).
[[nodiscard, gnu::always_inline]] inline std::uint64_t cycles_fenced_end() noexcept {
  unsigned processor = 0;
  const std::uint64_t count = __rdtscp(&processor);
  _mm_lfence();
  return count;
}

#else

// Elsewhere the kernel's clock stands in; its quantum and cost are measured like the counter's.
[[nodiscard]] inline std::uint64_t cycles() noexcept {
  return time::read_ticks().count;
}
[[nodiscard]] inline std::uint64_t cycles_fenced_begin() noexcept {
  return cycles();
}
[[nodiscard]] inline std::uint64_t cycles_fenced_end() noexcept {
  return cycles();
}

#endif

/// Whether the counter runs at one rate in all states of the processor (CPUID 0x80000007).
[[nodiscard]] bool has_invariant_cycles() noexcept;

/// The step in which a counter advances, from differences of readings taken back to back. Differences gather at
/// multiples of the step, a little beside them where the step is no whole number of ticks; so it is found from the
/// clusters, where a common divisor would be 1. 1 when they gather nowhere, or take every value of a stretch that is
/// wide beside the step. O(n log n), allocates.
[[nodiscard]] double quantum_of(std::span<const std::uint64_t> differences);

/// A reading of both clocks.
struct ClockPair {
  std::uint64_t cycle = 0;
  std::int64_t ns = 0;      ///< CLOCK_MONOTONIC
  std::uint64_t width = 0;  ///< the counter's distance around the kernel's reading
};

/// The narrowest of some pairs: the one least disturbed. Some microseconds.
[[nodiscard]] ClockPair read_clock_pair() noexcept;

/// The rate of the counter. A plain value.
class CycleClock {
 public:
  /// Compares the counter with CLOCK_MONOTONIC over `span` and finds its quantum.
  [[nodiscard]] static CycleClock calibrate(std::chrono::nanoseconds span = std::chrono::milliseconds{20});
  /// A clock of a known rate, for tests and recorded counts.
  explicit CycleClock(double ns_per_cycle, double quantum_cycles = 1, double uncertainty_ppm = 0) noexcept;

  /// Rounded down. The upper half of one multiplication; exact to 2^-60 of a nanosecond per cycle, below 2^60 cycles.
  [[nodiscard]] std::uint64_t nanoseconds(std::uint64_t cycle_count) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(cycle_count << k_headroom_bits) * multiplier_ >> 64);
  }
  [[nodiscard]] double ns_per_cycle() const noexcept { return ns_per_cycle_; }
  /// The smallest difference that the counter can show.
  [[nodiscard]] double quantum_ns() const noexcept { return quantum_cycles_ * ns_per_cycle_; }
  [[nodiscard]] double quantum_cycles() const noexcept { return quantum_cycles_; }
  /// How far off the rate may be, from the width of the pairs of readings behind it.
  [[nodiscard]] double uncertainty_ppm() const noexcept { return uncertainty_ppm_; }
  /// What one unfenced reading costs, from some thousand in a row: takes about 20 us.
  [[nodiscard]] double reading_ns() const noexcept;

 private:
  /// A cycle may take less than 2^4 ns.
  static constexpr unsigned k_headroom_bits = 4;

  double ns_per_cycle_;
  double quantum_cycles_;
  double uncertainty_ppm_;
  std::uint64_t multiplier_;
};

}  // namespace dojima::measure
