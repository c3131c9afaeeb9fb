#include "dojima/measure/fit_tests.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dojima/base/assert.hpp"
#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::measure {
namespace {

constexpr std::size_t k_resamples = 99;

struct Parameters {
  double location = 0;
  double scale = 1;
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Parameters fit(FitModel model, std::span<const double> sorted) {
  if (model == FitModel::exponential) return {0, mean_of(sorted)};
  if (model == FitModel::shifted_exponential) return {sorted.front(), mean_of(sorted) - sorted.front()};
  std::vector<double> logarithms;
  logarithms.reserve(sorted.size());
  for (const double value : sorted) logarithms.push_back(std::log(value));
  const double mean = mean_of(logarithms);
  double squares = 0;
  for (const double value : logarithms) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(sorted.size()))};
}

double cumulative(FitModel model, Parameters parameters, double value) {
  if (model == FitModel::lognormal) {
    return value <= 0 ? 0
                      : 0.5 * std::erfc((parameters.location - std::log(value)) / (parameters.scale * std::sqrt(2.0)));
  }
  return value <= parameters.location ? 0 : -std::expm1((parameters.location - value) / parameters.scale);
}

/// The largest distance of both curves; with a quantum only at the edges between steps.
double distance(FitModel model, Parameters parameters, std::span<const double> sorted, double quantum) {
  const auto n = static_cast<double>(sorted.size());
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const double step = quantum > 0 ? std::round(sorted[i] / quantum) : 0;
    const auto is_same = [&](double value) {
      return quantum > 0 ? std::round(value / quantum) == step : value == sorted[i];
    };
    std::size_t end = i + 1;
    while (end < sorted.size() && is_same(sorted[end])) ++end;
    const double below = quantum > 0 ? (step - 0.5) * quantum : sorted[i];
    const double above = quantum > 0 ? (step + 0.5) * quantum : sorted[i];
    largest = std::max({largest, std::fabs(cumulative(model, parameters, below) - static_cast<double>(i) / n),
                        std::fabs(cumulative(model, parameters, above) - static_cast<double>(end) / n)});
    i = end;
  }
  return largest;
}

double draw(FitModel model, Parameters parameters, Random& random) {
  const double first = 1 - random.unit();  // never 0
  if (model != FitModel::lognormal) return parameters.location - parameters.scale * std::log(first);
  const double angle = 2 * 3.14159265358979323846 * random.unit();
  return std::exp(parameters.location + parameters.scale * std::sqrt(-2 * std::log(first)) * std::cos(angle));
}

/// The share of samples of the fitted model, treated as ours was, that lie at least as far from their own fit.
double bootstrap(FitModel model, Parameters parameters, std::size_t n, double quantum, double observed,
                 std::uint64_t seed) {
  Random random(seed);
  std::size_t at_least = 1;  // ours is one of them
  std::vector<double> values(n);
  for (std::size_t i = 0; i < k_resamples; ++i) {
    for (double& value : values) {
      value = draw(model, parameters, random);
      if (quantum > 0) value = std::max(std::round(value / quantum), 1.0) * quantum;
    }
    std::ranges::sort(values);
    if (distance(model, fit(model, values), values, quantum) >= observed) ++at_least;
  }
  return static_cast<double>(at_least) / static_cast<double>(k_resamples + 1);
}

}  // namespace

Lattice lattice_of(std::span<const double> values) {
  std::vector<std::uint64_t> whole;
  whole.reserve(values.size());
  for (const double value : values) whole.push_back(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
  const double quantum = quantum_of(whole);
  if (quantum <= 1) return {};
  const auto on_it = std::ranges::count_if(values, [quantum](double value) {
    return std::fabs(value - std::round(value / quantum) * quantum) <= 0.2 * quantum;
  });
  return {quantum, static_cast<double>(on_it) / static_cast<double>(values.size())};
}

std::string_view name_of(FitModel model) noexcept {
  switch (model) {
    case FitModel::exponential:
      return "exponential";
    case FitModel::shifted_exponential:
      return "shifted exponential";
    case FitModel::lognormal:
      break;
  }
  return "lognormal";
}

FitTest test_fit(FitModel model, std::span<const double> values, double quantum, std::uint64_t seed) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  DOJIMA_ASSERT(!sorted.empty() && sorted.front() > 0 && sorted.front() < sorted.back(), "two values above 0");
  const Parameters parameters = fit(model, sorted);
  FitTest test{.model = model, .location = parameters.location, .scale = parameters.scale};
  test.distance = distance(model, parameters, sorted, quantum);
  const auto n = static_cast<double>(sorted.size());
  test.p_value = std::min(1.0, 2 * std::exp(-2 * n * test.distance * test.distance));
  test.is_bound = test.p_value < 0.01;
  if (!test.is_bound) test.p_value = bootstrap(model, parameters, sorted.size(), quantum, test.distance, seed);
  return test;
}

}  // namespace dojima::measure
