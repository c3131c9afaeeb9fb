#pragma once

// Figures of replicates: means and ranks of one, and where one more of them would lie.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {

/// At least one value, as below.
[[nodiscard]] double mean_of_values(const std::vector<double>& values);

/// Values of rank ceil(share n) for rising shares; reorders.
template <std::size_t Shares>
[[nodiscard]] std::array<double, Shares> values_at_ranks(std::vector<double>& values,
                                                         const std::array<double, Shares>& shares) {
  std::array<double, Shares> found{};
  auto begin = values.begin();  // what lies before it is no larger than what lies behind
  for (std::size_t i = 0; i < Shares; ++i) {
    const auto rank = static_cast<std::size_t>(std::ceil(shares[i] * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, values.size()) - 1);
    if (at >= begin) std::nth_element(begin, at, values.end());
    found[i] = *at;
    begin = std::max(begin, at + 1);
  }
  return found;
}

[[nodiscard]] double value_at_rank(std::vector<double>& values, double share);

/// The mean of the replicates, and where one more of them would lie with this confidence: between the values of rank
/// (n + 1) p, p the share beyond on either side; the least and the largest where there are none so far out.
[[nodiscard]] measure::Interval interval_of_replicates(std::vector<double> values, double confidence);

}  // namespace dojima::queueing
