#pragma once

// Statistics for measurements of programs. The unit of replication is the run (a process, or a round of an interleaved
// benchmark), never the sample: samples of one run hang together, and tests over them call the same binary different in
// nine of ten pairs. Everything here is a pure function of its arguments, seeds included: same input, same bits on one
// platform. Functions allocate; none belongs into a hot path.
//
//   const auto ratio = measure::ratio_interval(new_medians, old_medians, 0.99, {.seed = 1});
//   if (ratio.high < 1) faster();

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/splitmix.hpp"

namespace dojima::measure {

/// The value at `share` (0..1) of the sorted values, between neighbours in proportion (Hyndman and Fan's type 7, what
/// NumPy does by default). NaN when empty.
[[nodiscard]] double quantile(std::span<const double> values, double share);
/// The middle value, or the mean of the two in the middle. NaN when empty.
[[nodiscard]] double median(std::span<const double> values);
/// The median distance from the median, not scaled. NaN when empty.
[[nodiscard]] double median_absolute_deviation(std::span<const double> values);

/// An estimate with the interval that holds it.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  /// Half the width as a share of the estimate.
  [[nodiscard]] double relative_half_width() const noexcept;
};

struct Bootstrap {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
};

/// Percentile bootstrap interval of the median of `values`. At least one value.
[[nodiscard]] Interval median_interval(std::span<const double> values, double confidence, Bootstrap bootstrap = {});
/// The same for median(numerators) / median(denominators), each resampled by itself.
[[nodiscard]] Interval ratio_interval(std::span<const double> numerators, std::span<const double> denominators,
                                      double confidence, Bootstrap bootstrap = {});

/// A rank test's statistic and its two-sided p-value.
struct RankTest {
  double statistic = 0;
  double p_value = 1;
};

/// Wilcoxon's signed-rank test of the differences of pairs against a centre of 0; zeros are left out (Wilcoxon's own
/// rule), the statistic is the smaller of both rank sums. Exact, ties included, up to 60 differences; beyond, normal
/// with the correction for ties.
[[nodiscard]] RankTest wilcoxon_signed_rank(std::span<const double> differences);

/// Mann and Whitney's U of `first` against `second`. Exact without ties when both have at most 40 values; otherwise
/// normal with the corrections for ties and continuity.
[[nodiscard]] RankTest mann_whitney(std::span<const double> first, std::span<const double> second);

/// What a sample of `count` values says about the percentile at `share` (0 < share < 1).
struct PercentileSupport {
  bool is_printable = false;  ///< count >= 10 / (1 - share): ten values are expected above it
  bool is_stable = false;     ///< count >= 100 / (1 - share)
};
[[nodiscard]] PercentileSupport percentile_support(std::uint64_t count, double share) noexcept;

/// Ranks between which the true percentile lies with `confidence`, whatever the distribution: how many of `count`
/// values lie below it is binomial. Ranks count from 1; 0 and count + 1 mean "below the smallest", "above the largest".
struct RankInterval {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};
[[nodiscard]] RankInterval percentile_ranks(std::uint64_t count, double share, double confidence = 0.95);

/// When a measurement has been repeated often enough.
struct StoppingRule {
  double max_relative_mad = 0.02;
  double max_relative_half_width = 0.02;  ///< of the 95 % bootstrap interval of the median
  std::size_t min_runs = 10;
  std::size_t max_runs = 100'000;
  std::chrono::nanoseconds time_cap = std::chrono::minutes{2};
  std::uint64_t seed = 1;

  enum class Answer : std::uint8_t { go_on, converged, not_converged };
  struct Verdict {
    Answer answer = Answer::go_on;
    double relative_mad = 0;
    double relative_half_width = 0;
  };
  /// Whether the runs so far, which took `elapsed`, suffice. O(runs x resamples) at the most, O(runs) most times.
  [[nodiscard]] Verdict judge(std::span<const double> runs, std::chrono::nanoseconds elapsed) const;
};

[[nodiscard]] std::string_view name_of(StoppingRule::Answer answer) noexcept;

/// A small seeded generator (splitmix64): the same numbers on every platform.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}
  constexpr std::uint64_t next() noexcept { return splitmix64(state_); }
  /// Uniform in 0..bound - 1; `bound` below 2^32.
  constexpr std::size_t below(std::size_t bound) noexcept {
    return static_cast<std::size_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  /// Uniform in [0, 1).
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace dojima::measure
