#include "dojima/queueing/arrival_fit.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "dojima/measure/fit_tests.hpp"
#include "dojima/queueing/fitting/likelihood.hpp"
#include "dojima/queueing/fitting/minimum.hpp"

namespace dojima::queueing {
namespace {

/// A test that is right in all but so many cases; six of them look at the Poisson process.
constexpr double k_alpha = 0.0015;
/// So much worse by Akaike's criterion has no support left (Burnham and Anderson, "Model Selection", 2002).
constexpr double k_no_support = 10;

/// The parts, one behind the other, without the first arrival of each, which only begins it.
struct Line {
  std::vector<double> times;
  std::vector<double> gaps;
  double length = 0;
};

Line line_of(std::span<const Arrivals> parts) {
  Line line;
  for (const Arrivals& part : parts) {
    for (std::size_t i = 1; i < part.size(); ++i) {
      line.times.push_back(line.length + part[i] - part[0]);
      line.gaps.push_back(part[i] - part[i - 1]);
    }
    line.length += part.empty() ? 0 : part.back() - part.front();
  }
  return line;
}

std::vector<double> counts_of(const Line& line, std::size_t windows, double window) {
  std::vector<double> counts(windows, 0.0);
  for (const double time : line.times) {
    const auto at = static_cast<std::size_t>(time / window);
    if (at < windows) ++counts[at];
  }
  return counts;
}

Dispersion dispersion_of(const Line& line, double window) {
  const auto windows = static_cast<std::size_t>(line.length / window);
  const std::vector<double> counts = counts_of(line, windows, window);
  double sum = 0;
  double squares = 0;
  for (const double count : counts) sum += count;
  const double mean = sum / static_cast<double>(windows);
  for (const double count : counts) squares += (count - mean) * (count - mean);
  const auto freedom = static_cast<double>(windows - 1);
  const double above = boost::math::gamma_q(freedom / 2, squares / mean / 2);
  return {window, windows, squares / freedom / mean, std::min(1.0, 2 * std::min(above, 1 - above))};
}

double aic_of(const ArrivalModelFit& fit) {
  return 2 * static_cast<double>(fit.parameters) - 2 * fit.log_likelihood;
}

ArrivalModelFit fit_poisson(const Line& line) {
  const auto n = static_cast<double>(line.times.size());
  ArrivalModelFit fit{.kind = ArrivalKind::poisson, .parameters = 1};
  fit.log_likelihood = n * std::log(n / line.length) - n;
  fit.values = fmt::format("{:.6g} a second", n / line.length);
  fit.rates = {n / line.length};
  return fit;
}

ArrivalModelFit fit_steps(const Line& line) {
  const auto n = static_cast<double>(line.times.size());
  ArrivalModelFit best{.kind = ArrivalKind::steps, .log_likelihood = -HUGE_VAL};
  best.aic = HUGE_VAL;
  for (std::size_t steps = 2; steps <= 64 && n / static_cast<double>(steps) >= 20; steps *= 2) {
    const double window = line.length / static_cast<double>(steps);
    ArrivalModelFit fit{.kind = ArrivalKind::steps, .parameters = steps, .log_likelihood = -n};
    for (const double count : counts_of(line, steps, window * (1 + 1e-12))) {
      if (count > 0) fit.log_likelihood += count * std::log(count / window);
      fit.rates.push_back(count / window);
    }
    fit.aic = aic_of(fit);
    if (fit.aic < best.aic) best = std::move(fit);
  }
  const auto [least, most] = std::ranges::minmax(best.rates);
  best.values = fmt::format("{} steps from {:.6g} to {:.6g} a second", best.rates.size(), least, most);
  return best;
}

/// The best of some starts, improved by the simplex.
template <class Of>
std::vector<double> best_of(const std::vector<std::vector<double>>& starts, const Of& of, std::size_t evaluations) {
  const std::vector<double>* first = nullptr;
  double least = HUGE_VAL;
  for (const auto& start : starts)
    if (const double value = of(start); first == nullptr || value < least) least = value, first = &start;
  return minimum(of, *first, 0.4, evaluations);
}

Mmpp2 mmpp_at(const std::vector<double>& at) {
  return {.rates = {std::exp(at[0]), std::exp(at[1])}, .leaves = {std::exp(at[2]), std::exp(at[3])}};
}

ArrivalModelFit fit_mmpp(std::span<const Arrivals> parts, double rate) {
  std::vector<std::vector<double>> starts;
  for (const double busy : {0.1, 0.3, 0.5}) {
    for (const double factor : {3.0, 10.0}) {
      for (const double length : {5.0, 50.0, 500.0}) {
        const double calm = rate / (1 + busy * (factor - 1));
        const double leaves = rate / length;
        starts.push_back(
            {std::log(calm), std::log(calm * factor), std::log(leaves * busy / (1 - busy)), std::log(leaves)});
      }
    }
  }
  const auto of = [&](const std::vector<double>& at) { return -log_likelihood(mmpp_at(at), parts); };
  ArrivalModelFit fit{.kind = ArrivalKind::mmpp, .parameters = 4};
  const std::vector<double> found = best_of(starts, of, 400);
  fit.mmpp = mmpp_at(found);
  fit.log_likelihood = -of(found);
  fit.values = fmt::format("{:.6g} and {:.6g} a second, for {:.6g} and {:.6g} s on average", fit.mmpp.rates[0],
                           fit.mmpp.rates[1], 1 / fit.mmpp.leaves[0], 1 / fit.mmpp.leaves[1]);
  return fit;
}

Hawkes hawkes_at(const std::vector<double>& at) {
  return {.base_rate = std::exp(at[0]), .branching = 1 / (1 + std::exp(-at[1])), .decay = std::exp(at[2])};
}

ArrivalModelFit fit_hawkes(std::span<const Arrivals> parts, double rate) {
  std::vector<std::vector<double>> starts;
  for (const double branching : {0.1, 0.4, 0.8})
    for (const double decay : {0.03, 0.3, 3.0})
      starts.push_back(
          {std::log(rate * (1 - branching)), std::log(branching / (1 - branching)), std::log(decay * rate)});
  const auto of = [&](const std::vector<double>& at) { return -log_likelihood(hawkes_at(at), parts); };
  ArrivalModelFit fit{.kind = ArrivalKind::hawkes, .parameters = 3};
  const std::vector<double> found = best_of(starts, of, 300);
  fit.hawkes = hawkes_at(found);
  fit.log_likelihood = -of(found);
  fit.values = fmt::format("{:.6g} a second by themselves, each causes {:.4g} more within {:.6g} s on average",
                           fit.hawkes.base_rate, fit.hawkes.branching, 1 / fit.hawkes.decay);
  return fit;
}

double exponential_p_value(const std::vector<double>& gaps) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min<std::size_t>(gaps.size(), 5'000); ++i)
    values.push_back(std::max(gaps[i] * 1e9, 0.5));
  if (std::ranges::min(values) == std::ranges::max(values)) return 0;
  return measure::test_fit(measure::FitModel::exponential, values, {.quantum = measure::clock_step_of(values, 0)})
      .p_value;
}

/// The least criterion among those that no test rejects; the Poisson process, where it still has support.
std::size_t choice_of(const std::vector<ArrivalModelFit>& models) {
  std::size_t chosen = 1;
  for (std::size_t i = 1; i < models.size(); ++i)
    if (models[i].aic < models[chosen].aic) chosen = i;
  const bool is_poisson = !models[0].is_rejected && models[0].aic < models[chosen].aic + k_no_support;
  return is_poisson ? 0 : chosen;
}

Answer<bool> checked(std::span<const Arrivals> parts) {
  std::size_t n = 0;
  for (const Arrivals& part : parts) {
    if (!std::ranges::is_sorted(part) || (!part.empty() && !(part.front() >= 0)))
      return std::unexpected(impossible("arrivals must rise from 0"));
    n += part.empty() ? 0 : part.size() - 1;
  }
  if (n < k_least_arrivals)
    return std::unexpected(impossible(fmt::format("{} times between arrivals; a fit needs {}", n, k_least_arrivals)));
  return true;
}

/// The first `most` arrivals.
std::vector<Arrivals> head_of(std::span<const Arrivals> parts, std::size_t most) {
  std::vector<Arrivals> head;
  for (const Arrivals& part : parts) {
    const std::size_t taken = std::min(most, part.size());
    head.emplace_back(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(taken));
    most -= taken;
  }
  return head;
}

}  // namespace

std::string_view name_of(ArrivalKind kind) noexcept {
  switch (kind) {
    case ArrivalKind::poisson:
      return "Poisson";
    case ArrivalKind::steps:
      return "Poisson with a rate in steps";
    case ArrivalKind::mmpp:
      return "MMPP of two states";
    case ArrivalKind::hawkes:
      break;
  }
  return "Hawkes";
}

double autocorrelation(std::span<const double> values, std::size_t lag) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double own = 0;
  double both = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    own += (values[i] - mean) * (values[i] - mean);
    if (i >= lag) both += (values[i] - mean) * (values[i - lag] - mean);
  }
  return own > 0 ? both / own : 0;
}

double independence_p_value(std::span<const double> values, std::size_t lags) {
  const auto n = static_cast<double>(values.size());
  double q = 0;
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    const double correlation = autocorrelation(values, lag);
    q += correlation * correlation / (n - static_cast<double>(lag));
  }
  return boost::math::gamma_q(static_cast<double>(lags) / 2, n * (n + 2) * q / 2);
}

Answer<ArrivalFit> fit_arrivals(std::span<const Arrivals> parts, std::size_t most) {
  if (const auto right = checked(parts); !right) return std::unexpected(right.error());
  const std::vector<Arrivals> head = head_of(parts, std::max(most, 2 * k_least_arrivals));
  const Line line = line_of(head);
  if (!(line.length > 0)) return std::unexpected(impossible("all requests arrived at the same time"));
  ArrivalFit fit{.arrivals = line.times.size(), .seconds = line.length};
  fit.rate = static_cast<double>(fit.arrivals) / line.length;
  double squares = 0;
  for (const double gap : line.gaps) squares += gap * gap;
  fit.gap_scv = squares / static_cast<double>(fit.arrivals) * fit.rate * fit.rate - 1;
  constexpr std::size_t k_parts = 20;
  for (const double count : counts_of(line, k_parts, line.length / k_parts * (1 + 1e-12)))
    fit.rate_over_time.push_back(count / line.length * k_parts);
  bool is_rejected = false;
  for (double expected = 1; expected <= 1000; expected *= 10) {
    if (static_cast<double>(fit.arrivals) / expected < 20) break;
    fit.dispersion.push_back(dispersion_of(line, expected / fit.rate));
    is_rejected |= fit.dispersion.back().p_value < k_alpha;
  }
  fit.independence_p = independence_p_value(line.gaps, 10);
  fit.exponential_p = exponential_p_value(line.gaps);
  is_rejected |= fit.independence_p < k_alpha || fit.exponential_p < k_alpha;
  fit.models = {fit_poisson(line), fit_steps(line), fit_mmpp(head, fit.rate), fit_hawkes(head, fit.rate)};
  fit.models[0].is_rejected = is_rejected;
  for (ArrivalModelFit& model : fit.models) model.aic = aic_of(model);
  fit.chosen = choice_of(fit.models);
  return fit;
}

}  // namespace dojima::queueing
