#include "dojima/queueing/answer.hpp"

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {

Refusal unstable(double arrival_rate, double capacity) {
  const double growth = arrival_rate - capacity;
  if (growth <= 0) return {RefusalKind::unstable, "load 1: the queue has no steady state, however slowly it grows"};
  return {RefusalKind::unstable,
          fmt::format("load {:.6g}: the queue grows by {:.6g} a second", arrival_rate / capacity, growth)};
}

Refusal impossible(std::string text) {
  return {RefusalKind::impossible, std::move(text)};
}

Answer<double> checked_load(double arrival_rate, double capacity) {
  if (!is_positive(arrival_rate))
    return std::unexpected(impossible(fmt::format("the arrival rate is {:g}; it must be above 0", arrival_rate)));
  if (!is_positive(capacity))
    return std::unexpected(impossible(fmt::format("the service rate is {:g}; it must be above 0", capacity)));
  if (arrival_rate >= capacity) return std::unexpected(unstable(arrival_rate, capacity));
  return arrival_rate / capacity;
}

double quantile(const Tail& exceeds, double share, double scale) {
  DOJIMA_ASSERT(share > 0 && share < 1 && is_positive(scale), "a share between 0 and 1", share, scale);
  const double target = 1 - share;
  if (exceeds(0) <= target) return 0;
  double low = 0;
  double high = scale;
  while (exceeds(high) > target) {
    low = high;
    high *= 2;
    if (!std::isfinite(high)) return high;
  }
  std::uintmax_t steps = 200;
  const auto distance = [&](double t) { return exceeds(t) - target; };
  const auto found =
      boost::math::tools::toms748_solve(distance, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
  return (found.first + found.second) / 2;
}

}  // namespace dojima::queueing
