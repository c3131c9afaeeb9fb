#include "dojima/evidence/artefact_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "dojima/measure/statistics.hpp"

namespace dojima::evidence {
namespace {

/// How many values lie above `limit`; a cell counts as its middle.
std::uint64_t count_above(const measure::HistogramView& histogram, double limit) {
  std::uint64_t count = 0;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    if (static_cast<double>(histogram.layout.middle_of(index)) > limit) count += histogram.counts[index];
  }
  return count;
}

/// To four digits: the last ones of a p-value are those of a machine's mathematical library.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

Document percentiles_of(const measure::HistogramView& histogram) {
  Document percentiles = Document::array();
  const std::uint64_t n = histogram.count();
  for (const double share : k_shares) {
    const measure::PercentileSupport support = measure::percentile_support(n, share);
    if (!support.is_printable) continue;
    const measure::RankInterval ranks = measure::percentile_ranks(n, share);
    Document entry;
    entry.set("share", share);
    entry.set("value", histogram.value_at(share));
    entry.set("low", ranks.low == 0 ? histogram.min : histogram.value_of_rank(ranks.low));
    entry.set("high", ranks.high > n ? histogram.max : histogram.value_of_rank(ranks.high));
    entry.set("is_stable", support.is_stable);
    percentiles.push(std::move(entry));
  }
  return percentiles;
}

Document limits_of(const measure::HistogramView& histogram, double centre, double step,
                   std::initializer_list<int> multiples) {
  Document limits = Document::array();
  for (const int k : multiples) {
    const double limit = centre + k * step;
    limits.push(Document::object().set("k", k).set("above", limit).set("count", count_above(histogram, limit)));
  }
  return limits;
}

/// Far out, three ways: beyond multiples of the standard deviation (which a single outlier inflates), of the robust
/// spread (which it does not), and beyond fixed times.
Document beyond(const measure::HistogramView& histogram, const std::string& unit, double quantum_ns) {
  Document result;
  result.set("sigma", limits_of(histogram, histogram.mean(), histogram.standard_deviation(),
                                {1, 2, 3, 4, 5, 6, 10, 20, 50, 100}));
  // 1.4826: the standard deviation of a normal distribution in units of its median absolute deviation.
  const double spread = std::max({1.4826 * median_absolute_deviation(histogram), unit == "ns" ? quantum_ns : 0.0, 1.0});
  result.set("robust", limits_of(histogram, static_cast<double>(histogram.value_at(0.5)), spread,
                                 {1, 2, 3, 4, 5, 6, 10, 20, 50, 100}));
  if (unit == "ns") {
    Document absolute = Document::array();
    for (const int limit : {1'000, 10'000, 100'000, 1'000'000}) {
      absolute.push(Document::object().set("above", limit).set("count", count_above(histogram, limit)));
    }
    result.set("absolute", std::move(absolute));
  }
  return result;
}

Document summary_of(const MergedHistogram& merged, double quantum_ns) {
  const measure::HistogramView view = merged.histogram.view();
  Document summary;
  summary.set("name", merged.of.name).set("arm", merged.arm).set("unit", merged.of.unit);
  summary.set("runs", merged.runs).set("n", view.count());
  summary.set("overflow", view.overflow);
  if (view.count() == 0) return summary;
  summary.set("min", view.min).set("max", view.max);
  summary.set("mean", view.mean()).set("standard_deviation", view.standard_deviation());
  summary.set("median_absolute_deviation", median_absolute_deviation(view));
  summary.set("percentiles", percentiles_of(view));
  summary.set("beyond", beyond(view, merged.of.unit, quantum_ns));
  return summary;
}

Document summary_of(const Figure& figure, const std::string& arm, const std::vector<double>& values) {
  const measure::Interval interval = measure::median_interval(values, 0.95);
  Document summary;
  summary.set("name", figure.name).set("arm", arm).set("unit", figure.unit).set("runs", values.size());
  summary.set("min", *std::ranges::min_element(values)).set("max", *std::ranges::max_element(values));
  summary.set("median", interval.estimate).set("low", interval.low).set("high", interval.high);
  summary.set("median_absolute_deviation", measure::median_absolute_deviation(values));
  summary.set("p10", measure::quantile(values, 0.10));
  return summary;
}

}  // namespace

std::vector<MergedHistogram> merged_histograms(const std::vector<RunRecord>& runs) {
  std::vector<MergedHistogram> all;
  for (const std::string& arm : arms_of(runs)) {
    for (const RunRecord& run : runs) {
      if (run.arm != arm) continue;
      for (const HistogramRecord& record : run.histograms) {
        const auto known = std::ranges::find_if(
            all, [&](const MergedHistogram& merged) { return merged.of.name == record.of.name && merged.arm == arm; });
        if (known == all.end()) {
          all.push_back({record.of, arm, 1, record.histogram});
        } else if (known->histogram.merge(record.histogram.view())) {
          ++known->runs;
        }
      }
    }
  }
  return all;
}

double median_absolute_deviation(const measure::HistogramView& histogram) {
  const std::uint64_t n = histogram.count();
  if (n == 0) return 0;
  const auto middle_of = [&histogram](std::size_t index) {
    return static_cast<double>(std::clamp(histogram.layout.middle_of(index), histogram.min, histogram.max));
  };
  const double centre =
      middle_of(histogram.layout.index_of(std::min(histogram.value_at(0.5), histogram.layout.largest())));
  std::vector<std::pair<double, std::uint64_t>> distances;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    if (histogram.counts[index] == 0) continue;
    distances.emplace_back(std::fabs(middle_of(index) - centre), histogram.counts[index]);
  }
  std::ranges::sort(distances);
  std::uint64_t seen = 0;
  for (const auto& [distance, count] : distances) {
    seen += count;
    if (2 * seen >= n) return distance;
  }
  return distances.back().first;
}

std::vector<double> figure_values(const std::vector<RunRecord>& runs, const std::string& arm,
                                  const std::string& figure) {
  std::vector<double> values;
  for (const RunRecord& run : runs) {
    if (run.arm != arm) continue;
    const auto found = std::ranges::find(run.figures, figure, &Figure::name);
    if (found != run.figures.end()) values.push_back(found->value);
  }
  return values;
}

std::vector<std::string> arms_of(const std::vector<RunRecord>& runs) {
  std::vector<std::string> arms;
  for (const RunRecord& run : runs) {
    if (std::ranges::find(arms, run.arm) == arms.end()) arms.push_back(run.arm);
  }
  // In a comparison either may run first; A is named first nevertheless.
  if (arms == std::vector<std::string>{"B", "A"}) std::swap(arms[0], arms[1]);
  return arms;
}

measure::Comparison compare_arms_of(const std::vector<RunRecord>& runs, const std::string& figure,
                                    const measure::ComparisonRule& rule) {
  std::vector<double> a = figure_values(runs, "A", figure);
  std::vector<double> b = figure_values(runs, "B", figure);
  const std::size_t pairs = std::min(a.size(), b.size());
  a.resize(pairs);
  b.resize(pairs);
  return measure::compare(a, b, rule);
}

Document document_of(const ComparisonRecord& comparison) {
  const measure::ComparisonRule& rule = comparison.rule;
  Document rules;
  rules.set("significance", rule.significance).set("confidence", rule.confidence);
  rules.set("least_effect", rule.least_effect).set("margin", rule.margin).set("min_pairs", rule.min_pairs);
  rules.set("resamples", rule.resamples).set("seed", rule.seed).set("higher_is_better", rule.higher_is_better);

  const measure::Comparison& result = comparison.result;
  Document ratio;
  ratio.set("estimate", result.ratio.estimate).set("low", result.ratio.low).set("high", result.ratio.high);
  Document document;
  document.set("figure", comparison.figure).set("rule", std::move(rules)).set("verdict", name_of(result.verdict));
  document.set("ratio", std::move(ratio)).set("p_value", rounded(result.p_value));
  document.set("relative_mad", result.relative_mad).set("pairs", result.pairs);
  document.set("median_a", result.median_a).set("median_b", result.median_b);
  return document;
}

Document summary_of(const std::vector<RunRecord>& runs, double quantum_ns) {
  Document distributions = Document::array();
  for (const MergedHistogram& merged : merged_histograms(runs)) distributions.push(summary_of(merged, quantum_ns));

  Document figures = Document::array();
  for (const std::string& arm : arms_of(runs)) {
    std::vector<std::string> seen;
    for (const RunRecord& run : runs) {
      if (run.arm != arm) continue;
      for (const Figure& figure : run.figures) {
        if (std::ranges::find(seen, figure.name) != seen.end()) continue;
        seen.push_back(figure.name);
        figures.push(summary_of(figure, arm, figure_values(runs, arm, figure.name)));
      }
    }
  }
  Document summary;
  summary.set("distributions", std::move(distributions));
  summary.set("figures", std::move(figures));
  return summary;
}

}  // namespace dojima::evidence
