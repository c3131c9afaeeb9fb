#include "dojima/queueing/law.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <fmt/format.h>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {

Law Law::exponential(double mean) {
  DOJIMA_ASSERT(mean > 0, "a mean time is above 0", mean);
  return {LawKind::exponential, mean};
}

Law Law::constant(double mean) {
  DOJIMA_ASSERT(mean > 0, "a mean time is above 0", mean);
  return {LawKind::constant, mean};
}

Law Law::erlang(double mean, std::uint32_t stages) {
  DOJIMA_ASSERT(mean > 0 && stages >= 1, "a mean time is above 0, of one stage at least", mean, stages);
  Law law(LawKind::erlang, mean);
  law.stages_ = stages;
  return law;
}

Law Law::hyperexponential(double mean, double scv) {
  DOJIMA_ASSERT(mean > 0 && scv >= 1, "a mean time is above 0; the variation is at least an exponential's", mean, scv);
  Law law(LawKind::hyperexponential, mean);
  law.first_share_ = 0.5 * (1 + std::sqrt((scv - 1) / (scv + 1)));
  return law;
}

Law Law::empirical(std::span<const double> values) {
  DOJIMA_ASSERT(!values.empty(), "an empirical law has values");
  Law law(LawKind::empirical, 0);
  law.values_.assign(values.begin(), values.end());
  std::ranges::sort(law.values_);
  DOJIMA_ASSERT(law.values_.front() >= 0 && law.values_.back() > 0, "times are not below 0, and not all are 0");
  law.sums_.reserve(values.size());
  double sum = 0;
  double squares = 0;
  double cubes = 0;
  for (const double value : law.values_) {
    sum += value;
    squares += value * value;
    cubes += value * value * value;
    law.sums_.push_back(sum);
  }
  const auto n = static_cast<double>(values.size());
  law.mean_ = sum / n;
  law.second_moment_ = squares / n;
  law.third_moment_ = cubes / n;
  return law;
}

double Law::moment(int order) const noexcept {
  const auto power = [order](double base) { return order == 1 ? base : order == 2 ? base * base : base * base * base; };
  const double factorial = order == 3 ? 6 : order;
  switch (kind_) {
    case LawKind::constant:
      return power(mean_);
    case LawKind::exponential:
      return factorial * power(mean_);
    case LawKind::erlang: {
      const auto k = static_cast<double>(stages_);
      const double rising = order == 1 ? k : order == 2 ? k * (k + 1) : k * (k + 1) * (k + 2);
      return rising * power(mean_ / k);
    }
    case LawKind::hyperexponential:
      return factorial * (first_share_ * power(first_mean()) + (1 - first_share_) * power(second_mean()));
    case LawKind::empirical:
      break;
  }
  return order == 1 ? mean_ : order == 2 ? second_moment_ : third_moment_;
}

double Law::limited_mean(double limit) const {
  if (limit <= 0) return 0;
  const auto of_exponential = [limit](double mean) { return -mean * std::expm1(-limit / mean); };
  switch (kind_) {
    case LawKind::constant:
      return std::min(mean_, limit);
    case LawKind::exponential:
      return of_exponential(mean_);
    case LawKind::erlang: {
      const auto k = static_cast<double>(stages_);
      const double x = limit * k / mean_;
      return mean_ * boost::math::gamma_p(k + 1, x) + limit * boost::math::gamma_q(k, x);
    }
    case LawKind::hyperexponential:
      return first_share_ * of_exponential(first_mean()) + (1 - first_share_) * of_exponential(second_mean());
    case LawKind::empirical:
      break;
  }
  const auto below = static_cast<std::size_t>(std::ranges::upper_bound(values_, limit) - values_.begin());
  const double sum = below == 0 ? 0 : sums_[below - 1];
  return (sum + limit * static_cast<double>(values_.size() - below)) / static_cast<double>(values_.size());
}

double Law::transform(double s) const {
  const auto of_exponential = [s](double mean) { return 1 / (1 + s * mean); };
  switch (kind_) {
    case LawKind::constant:
      return std::exp(-s * mean_);
    case LawKind::exponential:
      return of_exponential(mean_);
    case LawKind::erlang: {
      const auto k = static_cast<double>(stages_);
      return std::exp(-k * std::log1p(s * mean_ / k));
    }
    case LawKind::hyperexponential:
      return first_share_ * of_exponential(first_mean()) + (1 - first_share_) * of_exponential(second_mean());
    case LawKind::empirical:
      break;
  }
  double sum = 0;
  for (const double value : values_) sum += std::exp(-s * value);
  return sum / static_cast<double>(values_.size());
}

double Law::transform_slope(double s) const {
  const auto of_exponential = [s](double mean) { return -mean / ((1 + s * mean) * (1 + s * mean)); };
  switch (kind_) {
    case LawKind::constant:
      return -mean_ * std::exp(-s * mean_);
    case LawKind::exponential:
      return of_exponential(mean_);
    case LawKind::erlang: {
      const auto k = static_cast<double>(stages_);
      return -mean_ * std::exp(-(k + 1) * std::log1p(s * mean_ / k));
    }
    case LawKind::hyperexponential:
      return first_share_ * of_exponential(first_mean()) + (1 - first_share_) * of_exponential(second_mean());
    case LawKind::empirical:
      break;
  }
  double sum = 0;
  for (const double value : values_) sum -= value * std::exp(-s * value);
  return sum / static_cast<double>(values_.size());
}

std::string Law::name() const {
  switch (kind_) {
    case LawKind::exponential:
      return "exponential";
    case LawKind::constant:
      return "constant";
    case LawKind::erlang:
      return fmt::format("erlang {}", stages_);
    case LawKind::hyperexponential:
      return fmt::format("hyperexponential {:g}", scv());
    case LawKind::empirical:
      break;
  }
  return "empirical";
}

}  // namespace dojima::queueing
