#pragma once

// What a recording of gaps says: how much time was lost, in which rhythm the gaps come, and whether the kernel's budget
// for real-time threads was at work. Needs nothing but the recording: no clock, no machine. Pure; allocates.
//
//   for (const Period& period : periods_of(trace)) print(period.seconds, likely_cause(period));
//   if (const auto throttling = throttling_of(trace, {950'000'000, 1'000'000'000})) ...
//
// Rhythm is looked for in the periodogram of the moments at which gaps begin: |sum of exp(2 pi i f t)|^2 / n, which is
// 1 on average where gaps come at random and n where all come in step. Peaks have to stand out from their
// neighbourhood, since gaps come in bursts too. Of a comb of harmonics the lowest is the rhythm. Gaps of each order of
// magnitude are looked at for themselves: the few long ones of a budget would drown among the many short ones of a
// tick.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/instruments/studies/gap_trace.hpp"

namespace dojima::instruments {

struct GapStatistics {
  std::size_t count = 0;
  double per_second = 0;
  double lost_share = 0;  ///< of the time recorded
  std::uint64_t min_ns = 0;
  std::uint64_t median_ns = 0;
  std::uint64_t p99_ns = 0;  ///< the value of rank ceil(p n), as everywhere
  std::uint64_t p999_ns = 0;
  std::uint64_t max_ns = 0;
};
[[nodiscard]] GapStatistics gap_statistics(const GapTrace& trace);

/// How many gaps last at least `limit_ns`.
[[nodiscard]] std::size_t count_from(const GapTrace& trace, std::uint64_t limit_ns);

/// A point of the periodogram. In recordings without rhythm the power is 1 on average.
struct SpectrumPoint {
  double hertz = 0;
  double power = 0;
};
/// The periodogram of moments within a span, from the fourth part of a hertz or four cycles of the span up to
/// `limit_hertz`. O(n + m log m), m = span x 2 limit, by FFT. Empty for less than two moments.
[[nodiscard]] std::vector<SpectrumPoint> spectrum_of(std::span<const double> seconds, double span_s,
                                                     double limit_hertz = 1000);
/// The same cut to `points` frequencies for drawing: the strongest of each stretch.
[[nodiscard]] std::vector<SpectrumPoint> thinned(const std::vector<SpectrumPoint>& spectrum, std::size_t points);

/// A rhythm in which gaps come.
struct Period {
  double seconds = 0;
  double coherence = 0;         ///< 0: at random, 1: exactly in step (the vector strength of all gaps looked at)
  std::size_t gaps = 0;         ///< how many come in step
  double cycles_hit = 0;        ///< share of the cycles that have such a gap
  std::uint64_t median_ns = 0;  ///< how long those gaps are
};
/// The rhythms found, those of most gaps first; at most eight.
[[nodiscard]] std::vector<Period> periods_of(const GapTrace& trace);
/// What usually has that rhythm ("timer tick, 250 Hz"), or nothing.
[[nodiscard]] std::string likely_cause(const Period& period);

/// What real-time threads may use up of every period.
struct RealTimeBudget {
  std::uint64_t runtime_ns = 950'000'000;
  std::uint64_t period_ns = 1'000'000'000;
};
/// The budget seen at work: gaps about as long as what the budget leaves to others, about a period apart; or, where
/// others take what is left in parts (a deadline server does), long gaps that add up to it period after period.
struct Throttling {
  std::size_t gaps = 0;
  std::uint64_t median_duration_ns = 0;  ///< of the parts of a period together
  std::uint64_t median_distance_ns = 0;  ///< from beginning to beginning, taken to a single period
};
/// At least three such gaps, and nine of ten distances within a twentieth of one, two or three periods; or at least
/// three periods, and four of five lose that much to gaps of a millisecond or more.
[[nodiscard]] std::optional<Throttling> throttling_of(const GapTrace& trace, const RealTimeBudget& budget);

}  // namespace dojima::instruments
