#include "dojima/queueing/fitting/minimum.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace dojima::queueing {
namespace {

struct Corner {
  double value;
  std::vector<double> at;
};

/// centre + factor (centre - from)
std::vector<double> beyond(const std::vector<double>& centre, const std::vector<double>& from, double factor) {
  std::vector<double> at(centre.size());
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = centre[i] + factor * (centre[i] - from[i]);
  return at;
}

}  // namespace

std::vector<double> minimum(const std::function<double(const std::vector<double>&)>& of, std::vector<double> start,
                            double step, std::size_t evaluations) {
  const std::size_t n = start.size();
  std::size_t used = 0;
  const auto corner = [&](std::vector<double> at) {
    ++used;
    const double value = of(at);
    return Corner{std::isnan(value) ? HUGE_VAL : value, std::move(at)};
  };
  std::vector<Corner> corners{corner(start)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> at = start;
    at[i] += step;
    corners.push_back(corner(std::move(at)));
  }
  const auto by_value = [](const Corner& a, const Corner& b) {
    return std::tie(a.value, a.at) < std::tie(b.value, b.at);
  };
  while (used < evaluations) {
    std::ranges::sort(corners, by_value);
    if (corners.back().value - corners.front().value < 1e-7) break;
    std::vector<double> centre(n, 0.0);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) centre[i] += corners[k].at[i] / static_cast<double>(n);
    Corner reflected = corner(beyond(centre, corners.back().at, 1));
    if (reflected.value < corners.front().value) {
      Corner stretched = corner(beyond(centre, corners.back().at, 2));
      corners.back() = stretched.value < reflected.value ? std::move(stretched) : std::move(reflected);
    } else if (reflected.value < corners[n - 1].value) {
      corners.back() = std::move(reflected);
    } else {
      Corner inner = corner(beyond(centre, corners.back().at, -0.5));
      if (inner.value < corners.back().value) {
        corners.back() = std::move(inner);
        continue;
      }
      for (std::size_t k = 1; k <= n; ++k) corners[k] = corner(beyond(corners[0].at, corners[k].at, -0.5));
    }
  }
  return std::ranges::min_element(corners, by_value)->at;
}

}  // namespace dojima::queueing
