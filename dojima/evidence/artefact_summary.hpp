#pragma once

// The summary of an artefact, computed from nothing but its runs: percentiles with their rank intervals, spread, the
// values far out, and each figure over the runs. Whoever has the counts gets the same summary; `evidence/verify.hpp`
// does just that. Pure; O(counters) per distribution.

#include <cstdint>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::evidence {

/// The percentiles that are looked at, as far as a sample supports them.
inline constexpr double k_shares[] = {0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999};

/// One distribution of one arm, all its runs merged.
struct MergedHistogram {
  Distribution of;
  std::string arm;
  std::size_t runs = 0;
  measure::StoredHistogram histogram;
};

/// All distributions, arm by arm, in the order in which they first appear. Runs whose layout differs from the first of
/// their name are left out; `Artefact::from` admits none.
[[nodiscard]] std::vector<MergedHistogram> merged_histograms(const std::vector<RunRecord>& runs);

/// Median distance of the values from their median, from the middles of the cells.
[[nodiscard]] double median_absolute_deviation(const measure::HistogramView& histogram);

/// The values of one figure in the runs of one arm, in order.
[[nodiscard]] std::vector<double> figure_values(const std::vector<RunRecord>& runs, const std::string& arm,
                                                const std::string& figure);
/// The arms in the order in which they first appear, but A before B.
[[nodiscard]] std::vector<std::string> arms_of(const std::vector<RunRecord>& runs);

/// Compares the figure of the arms "A" and "B" pair by pair; runs without a partner are left out.
[[nodiscard]] measure::Comparison compare_arms_of(const std::vector<RunRecord>& runs, const std::string& figure,
                                                  const measure::ComparisonRule& rule);

/// The member `comparison`.
[[nodiscard]] Document document_of(const ComparisonRecord& comparison);

/// The member `summary`. `quantum_ns` is the step of the clock, 0 when not known: no spread is taken for smaller.
[[nodiscard]] Document summary_of(const std::vector<RunRecord>& runs, double quantum_ns);

}  // namespace dojima::evidence
