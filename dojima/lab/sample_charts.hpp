#pragma once

// Curves of samples for charts, thinned to what a drawing can show and an artefact should carry. Pure; O(n log n).

#include <string>
#include <vector>

#include "dojima/lab/chart.hpp"

namespace dojima::lab {

/// The cumulative distribution as steps, up to `limit`: points that lie two hundredths apart in share or in the
/// logarithm of the value. No value gives no point.
[[nodiscard]] ChartCurve cumulative_curve(std::string label, std::vector<double> values, double limit);

/// The share of the values in each of the cells of width `width` between the smallest value and `limit`.
[[nodiscard]] ChartCurve density_curve(std::string label, const std::vector<double>& values, double width,
                                       double limit);

}  // namespace dojima::lab
