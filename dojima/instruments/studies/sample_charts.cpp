#include "dojima/instruments/studies/sample_charts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace dojima::instruments {
namespace {

double rounded(double value, double per_unit) {
  return std::round(value * per_unit) / per_unit;
}

}  // namespace

evidence::ChartCurve cumulative_curve(std::string label, std::vector<double> values, double limit) {
  std::ranges::sort(values);
  evidence::ChartCurve curve{std::move(label), {}};
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size() && values[i] <= limit; ++i) {
    const bool is_last = i + 1 == values.size() || values[i + 1] > limit;
    if (!is_last && values[i + 1] == values[i]) continue;
    const double share = static_cast<double>(i + 1) / n;
    const bool is_apart = curve.points.empty() || std::fabs(std::log(values[i] / curve.points.back().x)) > 0.02 ||
                          share - curve.points.back().y > 0.02;
    if (is_apart || is_last) curve.points.push_back({rounded(values[i], 1e3), rounded(share, 1e6)});
  }
  return curve;
}

evidence::ChartCurve density_curve(std::string label, const std::vector<double>& values, double width, double limit) {
  std::map<double, std::size_t> cells;
  for (const double value : values) {
    if (value <= limit) ++cells[std::round(value / width)];
  }
  evidence::ChartCurve curve{std::move(label), {}};
  for (const auto& [cell, count] : cells) {
    // An empty cell is a zero of the curve, not a bridge over it.
    if (!curve.points.empty() && cell * width - curve.points.back().x > 1.5 * width) {
      curve.points.push_back({rounded(curve.points.back().x + width, 1e3), 0});
      if (cell * width - curve.points.back().x > 1.5 * width)
        curve.points.push_back({rounded((cell - 1) * width, 1e3), 0});
    }
    curve.points.push_back(
        {rounded(cell * width, 1e3), rounded(static_cast<double>(count) / static_cast<double>(values.size()), 1e6)});
  }
  return curve;
}

}  // namespace dojima::instruments
