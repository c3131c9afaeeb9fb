#include "dojima/measure/comparison.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima::measure {
namespace {

Verdict judge(const Comparison& found, const ComparisonRule& rule) {
  if (found.pairs < rule.min_pairs) return Verdict::unstable;
  const Interval& ratio = found.ratio;
  const bool is_different = found.p_value < rule.significance && (ratio.high < 1 || ratio.low > 1);
  if (is_different && std::abs(ratio.estimate - 1) >= rule.least_effect) {
    const bool is_lower = ratio.estimate < 1;
    return is_lower != rule.higher_is_better ? Verdict::better : Verdict::worse;
  }
  const bool is_close = ratio.low >= 1 - rule.margin && ratio.high <= 1 + rule.margin;
  // Pairs that fall into two heaps may have a narrow interval around their median and still say nothing.
  const bool is_quiet = found.relative_mad <= 2 * rule.margin;
  return is_close && is_quiet ? Verdict::same : Verdict::unstable;
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::same:
      return "same";
    case Verdict::unstable:
      break;
  }
  return "unstable";
}

Comparison compare(std::span<const double> a, std::span<const double> b, const ComparisonRule& rule) {
  DOJIMA_ASSERT(a.size() == b.size(), "runs come in pairs");
  Comparison found;
  found.pairs = a.size();
  if (a.empty()) return found;
  std::vector<double> ratios;
  std::vector<double> logarithms;  // a ratio and its inverse lie equally far from "equal"
  for (std::size_t pair = 0; pair < a.size(); ++pair) {
    DOJIMA_ASSERT(a[pair] > 0 && b[pair] > 0, "runs took some time");
    ratios.push_back(b[pair] / a[pair]);
    logarithms.push_back(std::log(ratios.back()));
  }
  found.ratio = median_interval(ratios, rule.confidence, {.seed = rule.seed, .resamples = rule.resamples});
  found.p_value = wilcoxon_signed_rank(logarithms).p_value;
  found.relative_mad = median_absolute_deviation(ratios) / found.ratio.estimate;
  found.median_a = median(a);
  found.median_b = median(b);
  found.verdict = judge(found, rule);
  return found;
}

std::string to_text(const Comparison& comparison) {
  char line[200];
  std::snprintf(line, sizeof line, "%s: B / A = %.4f (%.4f .. %.4f), %zu pairs, p = %.2g, MAD %.1f %%",
                std::string(name_of(comparison.verdict)).c_str(), comparison.ratio.estimate, comparison.ratio.low,
                comparison.ratio.high, comparison.pairs, comparison.p_value, comparison.relative_mad * 100);
  return line;
}

}  // namespace dojima::measure
