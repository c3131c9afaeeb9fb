#pragma once

// Is B faster than A? From interleaved pairs of runs: whatever drifts on the machine reaches both of a pair, so the
// ratio within a pair shows what is due to B. The verdict is one of four words; it takes a rank test over the pairs, a
// bootstrap interval that leaves out "equal", and a difference that matters, all three, to call B better or worse. Pure
// functions, seeded; they allocate.
//
//   const measure::Comparison result = measure::compare(a_medians, b_medians, {.seed = 1});
//   puts(evidence::to_text(result).c_str());      // "better: B / A = 0.951 (0.944 .. 0.958), 20 pairs, p = 2e-06"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dojima/measure/statistics.hpp"

namespace dojima::measure {

enum class Verdict : std::uint8_t {
  better,    ///< B costs less than A
  worse,     ///< B costs more
  same,      ///< no difference found, and none larger than the margin is likely
  unstable,  ///< too much noise, or too few pairs, to say any of these
};
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

struct ComparisonRule {
  double significance = 0.01;  ///< of Wilcoxon's test over the pairs
  double confidence = 0.99;    ///< of the interval of the ratio
  double least_effect = 0.01;  ///< smaller differences matter to nobody: "same"
  double margin = 0.05;        ///< "same" needs the interval within 1 -/+ this, and pairs that agree to twice this
  std::size_t min_pairs = 10;
  std::size_t resamples = 1000;
  std::uint64_t seed = 1;
  bool higher_is_better = false;  ///< for throughput
};

struct Comparison {
  Verdict verdict = Verdict::unstable;
  Interval ratio{1, 1, 1};  ///< B / A: median over the pairs, with its bootstrap interval
  double p_value = 1;
  double relative_mad = 0;  ///< of the pairs' ratios: how much pairs disagree
  double median_a = 0;
  double median_b = 0;
  std::size_t pairs = 0;
};

/// Compares runs taken as pairs: `a[i]` and `b[i]` ran one after the other. Both of one size, positive numbers.
[[nodiscard]] Comparison compare(std::span<const double> a, std::span<const double> b, const ComparisonRule& rule = {});

/// One line.
[[nodiscard]] std::string to_text(const Comparison& comparison);

/// Which of a pair runs first: A B, B A, A B, ... so that a steady drift favours neither.
[[nodiscard]] constexpr bool runs_a_first(std::size_t pair) noexcept {
  return pair % 2 == 0;
}

}  // namespace dojima::measure
