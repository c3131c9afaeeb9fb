#include "dojima/measure/fit_tests.hpp"

#include <algorithm>
#include <cmath>

#include "dojima/base/assert.hpp"
#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::measure {
namespace {

constexpr std::size_t k_resamples = 99;
/// So many samples of the model that lie farther from their fit than ours end the bootstrap: it will not reject.
constexpr std::size_t k_enough = 5;
/// Values that a tail needs before it is fitted.
constexpr std::size_t k_least_tail = 30;
/// Of an exponential at most so much may lie behind the limit at which it is cut off.
constexpr double k_most_cut_off = 0.1;
/// What a fit of the bulk has to expect above a value for that value not to be a stall.
constexpr double k_least_expected = 0.01;

/// A model with its parameters, cut off at `limit`.
struct Fitted {
  FitModel model = FitModel::exponential;
  double location = 0;
  double scale = 1;
  double limit = std::numeric_limits<double>::infinity();
  double below_limit = 1;  ///< the share of the uncut model that lies below the limit
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double whole_cumulative(const Fitted& fitted, double value) {
  if (fitted.model == FitModel::lognormal) {
    return value <= 0 ? 0 : 0.5 * std::erfc((fitted.location - std::log(value)) / (fitted.scale * std::sqrt(2.0)));
  }
  return value <= fitted.location ? 0 : -std::expm1((fitted.location - value) / fitted.scale);
}

double cumulative(const Fitted& fitted, double value) {
  return value >= fitted.limit ? 1 : whole_cumulative(fitted, value) / fitted.below_limit;
}

/// The argument at which a falling function of a positive number has the wanted value, between 1e-9 and 1e9 of `guess`.
template <class Function>
double solved(Function falling, double wanted, double guess) {
  double low = guess * 1e-9;
  double high = guess * 1e9;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (falling(middle) > wanted ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// The rate of an exponential that is cut off at `length` and has the mean `mean`; by maximum likelihood. A mean of
/// half the length or more has none: nearly 0 then.
double cut_rate(double mean, double length) {
  if (!std::isfinite(length)) return 1 / mean;
  return solved([length](double rate) { return 1 / rate - length / std::expm1(length * rate); }, mean, 1 / mean);
}

/// The same where only the number of the unit is known that a value lies in, 0 .. units - 1: per unit.
double cut_rate_in_units(double mean, double units) {
  return solved(
      [units](double rate) {
        return 1 / std::expm1(rate) - (std::isfinite(units) ? units / std::expm1(units * rate) : 0.0);
      },
      mean, 1 / std::max(mean, 1e-6));
}

/// Mean and deviation of a normal distribution from those of its values below `limit`.
void undo_cut(double limit, double& mean, double& deviation) {
  const double cut_mean = mean;
  const double cut_variance = deviation * deviation;
  for (int i = 0; i < 200; ++i) {
    const double edge = (limit - mean) / deviation;
    const double below = 0.5 * std::erfc(-edge / std::sqrt(2.0));
    const double ratio = std::exp(-edge * edge / 2) / std::sqrt(2 * 3.14159265358979323846) / std::max(below, 1e-9);
    mean = cut_mean + deviation * ratio;
    deviation = std::sqrt(cut_variance / std::max(1 - edge * ratio - ratio * ratio, 0.05));
  }
}

void fit_lognormal(Fitted& fitted, std::span<const double> sorted) {
  std::vector<double> logarithms;
  logarithms.reserve(sorted.size());
  for (const double value : sorted) logarithms.push_back(std::log(value));
  fitted.location = mean_of(logarithms);
  double squares = 0;
  for (const double value : logarithms) squares += (value - fitted.location) * (value - fitted.location);
  fitted.scale = std::sqrt(squares / static_cast<double>(sorted.size()));
  if (std::isfinite(fitted.limit)) undo_cut(std::log(fitted.limit), fitted.location, fitted.scale);
}

/// A shifted exponential begins somewhere in the unit of the smallest value: the rate comes from the units behind that
/// one, which do not know where, and the beginning from how many values the first unit has.
void fit_in_units(Fitted& fitted, std::span<const double> sorted, double quantum) {
  const double first = std::round(sorted.front() / quantum);
  double sum = 0;
  std::size_t behind = 0;
  for (const double value : sorted) {
    const double units = std::round(value / quantum) - first;
    if (units < 1) continue;
    sum += units - 1;
    ++behind;
  }
  const double edge = (first + 0.5) * quantum;
  const double mean = behind == 0 ? 0 : sum / static_cast<double>(behind);
  fitted.scale = quantum / cut_rate_in_units(mean, (fitted.limit - edge) / quantum);
  const double share = 1 - static_cast<double>(behind) / static_cast<double>(sorted.size());
  const double beyond = std::exp((edge - fitted.limit) / fitted.scale);
  const double in_first = -fitted.scale * std::log((1 - share) / (1 - share * beyond));
  fitted.location = edge - std::clamp(std::isfinite(in_first) ? in_first : quantum, 0.0, quantum);
}

Fitted fit(FitModel model, std::span<const double> sorted, FitUnits units) {
  const double quantum = units.quantum;
  Fitted fitted{.model = model};
  // The edge of the last unit; a limit that the largest value is at counts whole.
  if (std::isfinite(units.limit))
    fitted.limit = quantum > 0 ? (std::round(units.limit / quantum) + 0.5) * quantum : units.limit;
  if (model == FitModel::lognormal) {
    fit_lognormal(fitted, sorted);
  } else if (model == FitModel::shifted_exponential && quantum > 0) {
    fit_in_units(fitted, sorted, quantum);
  } else {
    fitted.location = model == FitModel::exponential ? 0 : sorted.front();
    fitted.scale = 1 / cut_rate(mean_of(sorted) - fitted.location, fitted.limit - fitted.location);
  }
  if (std::isfinite(fitted.limit)) {
    // Cut off early enough, an exponential is as flat as anything: most of it has to lie below the limit.
    if (model != FitModel::lognormal)
      fitted.scale = std::min(fitted.scale, (fitted.limit - fitted.location) / std::log(1 / k_most_cut_off));
    fitted.below_limit = std::max(whole_cumulative(fitted, fitted.limit), 1e-12);
  }
  return fitted;
}

/// The largest distance of both curves; with a quantum only at the edges between steps.
double distance(const Fitted& fitted, std::span<const double> sorted, double quantum) {
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
    largest = std::max({largest, std::fabs(cumulative(fitted, below) - static_cast<double>(i) / n),
                        std::fabs(cumulative(fitted, above) - static_cast<double>(end) / n)});
    i = end;
  }
  return largest;
}

double draw(const Fitted& fitted, Random& random) {
  if (fitted.model != FitModel::lognormal)
    return fitted.location - fitted.scale * std::log1p(-random.unit() * fitted.below_limit);
  for (int i = 0; i < 1'000; ++i) {
    const double first = 1 - random.unit();  // never 0
    const double angle = 2 * 3.14159265358979323846 * random.unit();
    const double value = std::exp(fitted.location + fitted.scale * std::sqrt(-2 * std::log(first)) * std::cos(angle));
    if (value <= fitted.limit) return value;
  }
  return fitted.limit;
}

/// The share of samples of the fitted model, treated as ours was, that lie at least as far from their own fit; ended
/// early once enough of them do (Besag and Clifford).
double bootstrap(const Fitted& fitted, std::size_t n, FitUnits units, double observed, std::uint64_t seed) {
  Random random(seed);
  std::size_t at_least = 0;
  std::vector<double> values(n);
  for (std::size_t i = 1; i <= k_resamples; ++i) {
    for (double& value : values) {
      value = draw(fitted, random);
      if (units.quantum > 0) value = std::max(std::round(value / units.quantum), 1.0) * units.quantum;
    }
    std::ranges::sort(values);
    if (values.front() < values.back() && distance(fit(fitted.model, values, units), values, units.quantum) >= observed)
      ++at_least;
    if (at_least == k_enough) return static_cast<double>(k_enough) / static_cast<double>(i);
  }
  return static_cast<double>(at_least + 1) / static_cast<double>(k_resamples + 1);  // ours is one of them
}

/// Different values, in units.
std::size_t steps_of(std::span<const double> sorted, double quantum) {
  std::size_t steps = 0;
  double last = -1;
  for (const double value : sorted) {
    const double step = quantum > 0 ? std::round(value / quantum) : value;
    if (step != last) ++steps;
    last = step;
  }
  return steps;
}

/// Above this `fitted`, made from `count` values, expects a hundredth of a value.
double rare_above(const FitTest& test, double below_limit, std::size_t count) {
  const double share = k_least_expected * below_limit / static_cast<double>(count);
  if (test.model != FitModel::lognormal) return test.location - test.scale * std::log(share);
  const double deviations = solved([](double at) { return 0.5 * std::erfc(at / std::sqrt(2.0)); }, share, 1.0);
  return std::exp(test.location + test.scale * deviations);
}

}  // namespace

double clock_step_of(std::span<const double> readings, double counter_step) {
  if (lattice_of(readings, counter_step).quantum > 0) return counter_step;
  std::vector<std::uint64_t> whole;
  whole.reserve(readings.size());
  for (const double value : readings) whole.push_back(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
  const double quantum = quantum_of(whole);
  return quantum > 1 ? quantum : 0;
}

Lattice lattice_of(std::span<const double> values, double clock_step) {
  if (clock_step <= 1 || values.empty()) return {};
  const auto on_it = std::ranges::count_if(values, [clock_step](double value) {
    return std::fabs(value - std::round(value / clock_step) * clock_step) <= 0.2 * clock_step;
  });
  const double share = static_cast<double>(on_it) / static_cast<double>(values.size());
  return share >= 0.9 ? Lattice{clock_step, share} : Lattice{};
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

FitTest test_fit(FitModel model, std::span<const double> values, FitUnits units, std::uint64_t seed) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  DOJIMA_ASSERT(!sorted.empty() && sorted.front() > 0 && sorted.front() < sorted.back(), "two values above 0");
  DOJIMA_ASSERT(sorted.back() <= units.limit, "no value above the limit", sorted.back(), units.limit);
  const Fitted fitted = fit(model, sorted, units);
  FitTest test{.model = model, .location = fitted.location, .scale = fitted.scale};
  test.distance = distance(fitted, sorted, units.quantum);
  const auto n = static_cast<double>(sorted.size());
  test.p_value = std::min(1.0, 2 * std::exp(-2 * n * test.distance * test.distance));
  test.is_bound = test.p_value < 0.01;
  if (!test.is_bound) test.p_value = bootstrap(fitted, sorted.size(), units, test.distance, seed);
  return test;
}

const FitTest* Shape::nearest() const noexcept {
  const auto found = std::ranges::min_element(bulk, {}, &FitTest::distance);
  return found == bulk.end() ? nullptr : &*found;
}

Shape shape_of(std::span<const double> values, double quantum, double share, std::uint64_t seed) {
  DOJIMA_ASSERT(!values.empty() && share > 0 && share <= 1, "a value, and a share of them", values.size(), share);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  Shape shape{.limit = sorted[std::max<std::size_t>(rank, 1) - 1]};
  if (quantum > 0) shape.limit = (std::round(shape.limit / quantum) + 0.5) * quantum;
  const auto bulk_end = std::ranges::upper_bound(sorted, shape.limit);
  const std::span<const double> bulk(sorted.begin(), bulk_end);
  shape.bulk_count = bulk.size();
  shape.bulk_steps = steps_of(bulk, quantum);
  if (quantum > 0) shape.limit -= 0.5 * quantum;

  // Between twice and ten times what lies between the middle of the bulk and its end: a narrow fit ends with the bulk,
  // and a bulk without any slope fits an exponential of any scale.
  const double end = std::max(shape.limit, bulk.back());
  const double half = std::max({end - bulk[bulk.size() / 2], quantum, 1e-9 * end});
  shape.stall_limit = end + 10 * half;
  if (bulk.front() < bulk.back()) {
    const FitUnits units{quantum, end};
    for (const FitModel model : k_fit_models) shape.bulk.push_back(test_fit(model, bulk, units, seed));
    const FitTest& nearest = *shape.nearest();
    const double below = fit(nearest.model, bulk, units).below_limit;
    shape.stall_limit = std::clamp(rare_above(nearest, below, bulk.size()), end + 2 * half, shape.stall_limit);
  }
  const auto tail_end = std::upper_bound(bulk_end, sorted.end(), shape.stall_limit);
  shape.tail_count = static_cast<std::size_t>(tail_end - bulk_end);
  shape.stalls = static_cast<std::size_t>(sorted.end() - tail_end);
  if (shape.stalls > 0) shape.least_stall = *tail_end, shape.largest_stall = sorted.back();
  if (shape.tail_count >= k_least_tail && steps_of({bulk_end, tail_end}, quantum) >= Shape::k_least_steps)
    shape.tail = test_fit(FitModel::shifted_exponential, std::span<const double>(bulk_end, tail_end), {quantum}, seed);
  return shape;
}

}  // namespace dojima::measure
