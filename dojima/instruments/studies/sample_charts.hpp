#pragma once

// Curves of samples for charts, thinned to what a drawing can show and an artefact should carry. Pure; O(n log n).

#include <string>
#include <vector>

#include "dojima/evidence/chart.hpp"

namespace dojima::instruments {

/// The cumulative distribution as steps, up to `limit`: points that lie two hundredths apart in share or in the
/// logarithm of the value. No value gives no point.
[[nodiscard]] evidence::ChartCurve cumulative_curve(std::string label, std::vector<double> values, double limit);

/// The share of the values in each of the cells of width `width` between the smallest value and `limit`.
[[nodiscard]] evidence::ChartCurve density_curve(std::string label, const std::vector<double>& values, double width,
                                                 double limit);

}  // namespace dojima::instruments
