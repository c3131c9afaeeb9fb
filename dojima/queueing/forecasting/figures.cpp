#include "dojima/queueing/forecasting/figures.hpp"

namespace dojima::queueing {

double mean_of_values(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double value_at_rank(std::vector<double>& values, double share) {
  return values_at_ranks<1>(values, {share})[0];
}

measure::Interval interval_of_replicates(std::vector<double> values, double confidence) {
  std::ranges::sort(values);
  const double last = static_cast<double>(values.size()) - 1;
  const auto at_rank = [&](double rank) {
    const double place = std::clamp(rank - 1, 0.0, last);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  const double ranks = static_cast<double>(values.size()) + 1;
  return {mean_of_values(values), at_rank(ranks * (1 - confidence) / 2), at_rank(ranks * (1 + confidence) / 2)};
}

}  // namespace dojima::queueing
