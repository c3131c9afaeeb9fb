#include "dojima/measure/sample_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dojima/measure/statistics.hpp"

namespace dojima::measure {
namespace {

double of_rank(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()) - 1e-9);
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

SampleSummary summarise(std::span<const double> values) {
  constexpr double k_none = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {0, k_none, k_none, k_none, k_none, k_none, k_none, k_none, k_none, k_none};
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double sum = 0;
  for (const double value : sorted) sum += value;
  const auto n = static_cast<double>(sorted.size());
  const double mean = sum / n;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  return {.n = sorted.size(),
          .min = sorted.front(),
          .max = sorted.back(),
          .mean = mean,
          .deviation = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0,
          .median = median(sorted),
          .mad = median_absolute_deviation(sorted),
          .p99 = of_rank(sorted, 0.99),
          .p999 = of_rank(sorted, 0.999),
          .p9999 = of_rank(sorted, 0.9999)};
}

std::uint64_t count_beyond(std::span<const double> values, double limit) {
  return static_cast<std::uint64_t>(std::ranges::count_if(values, [limit](double value) { return value > limit; }));
}

double robust_spread(const SampleSummary& summary, double quantum) noexcept {
  return std::max(1.4826 * summary.mad, quantum);
}

}  // namespace dojima::measure
