#pragma once

// The numbers that a table gives for a sample of times: extremes, moments, percentiles, and how many values lie far
// out, by standard deviations, by a spread that outliers do not move, and by plain limits. Pure; O(n log n); allocates.
// Rank rule: the percentile at share p is the value of rank ceil(p n), ranks counted from 1. The deviation divides by
// n - 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dojima::measure {

struct SampleSummary {
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double deviation = 0;
  double median = 0;
  double mad = 0;  ///< median distance from the median, not scaled
  double p99 = 0;
  double p999 = 0;
  double p9999 = 0;
};

/// NaN everywhere when there is no value.
[[nodiscard]] SampleSummary summarise(std::span<const double> values);

/// How many values lie above `limit`.
[[nodiscard]] std::uint64_t count_beyond(std::span<const double> values, double limit);

/// The factors of the deviation, and of the spread, whose exceedances are counted.
inline constexpr double k_sigmas[] = {1, 2, 3, 4, 5, 6, 10, 20, 50, 100};

/// 1.4826 times the MAD, which for a normal distribution is its deviation; not below the clock's step.
[[nodiscard]] double robust_spread(const SampleSummary& summary, double quantum) noexcept;

}  // namespace dojima::measure
