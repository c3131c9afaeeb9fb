#include "dojima/queueing/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "dojima/queueing/forecasting/figures.hpp"
#include "dojima/queueing/forecasting/serving.hpp"

namespace dojima::queueing {
namespace {

std::vector<Ticks> drawn_again(const std::vector<Ticks>& values, std::size_t block, Random random) {
  Blocks blocks(values, block);
  std::vector<Ticks> drawn(values.size());
  for (Ticks& value : drawn) value = blocks.next(random);
  return drawn;
}

double sum_of(const std::vector<Ticks>& values) {
  double sum = 0;
  for (const Ticks value : values) sum += static_cast<double>(value);
  return sum;
}

/// How many events a Poisson process of this mean has.
std::size_t poisson_count(std::size_t mean, Random random) {
  std::size_t count = 0;
  for (std::uint64_t used = flow::exponential_q32(random.next()); used < std::uint64_t{mean} << 32;
       used += flow::exponential_q32(random.next()))
    ++count;
  return count;
}

}  // namespace

Forecaster::Guess Forecaster::guess(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t stream) const {
  Guess made{.services = drawn_again(services_, plan.block, stream_of(plan.seed, stream)), .gaps = {}};
  if (!scenario.arrivals) {
    made.gaps = drawn_again(gaps_, plan.block, stream_of(plan.seed, stream + 1));
    const double sum = sum_of(made.gaps);
    const Ticks scale = factor_of(sum > 0 ? sum_of(gaps_) / sum : 1);
    for (Ticks& gap : made.gaps) gap = scaled(gap, scale);
  }
  if (!stalls_.empty()) {
    const auto count = static_cast<double>(poisson_count(stalls_.size(), stream_of(plan.seed, stream + 2)));
    made.stalls_per_second = stalls_per_second_ * count / static_cast<double>(stalls_.size());
  }
  return made;
}

Answer<Forecaster> Forecaster::from(const Trace& trace, const ServiceStudy& study) {
  if (trace.size() < k_least_requests)
    return std::unexpected(impossible(fmt::format("{} requests; a forecast needs {}", trace.size(), k_least_requests)));
  if (const ReplayCheck check = queueing::replay(trace, 0); check.most_in_service > 1)
    return std::unexpected(impossible(
        fmt::format("{} requests are served at once: a forecast needs a single server", check.most_in_service)));
  Forecaster made;
  double services = 0;
  double span = 0;
  for (const auto& part : trace.parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      auto service = static_cast<double>(part[i].end_ns - part[i].start_ns);
      if (service > study.stall_ns) {
        made.stalls_.push_back(static_cast<Ticks>((service - study.median) * k_ticks_per_ns));
        service = study.median;
      }
      services += service;
      made.services_.push_back(static_cast<Ticks>(service * k_ticks_per_ns));
      if (i == 0) continue;
      const std::uint64_t gap = part[i].arrival_ns - part[i - 1].arrival_ns;
      made.gaps_.push_back(gap * static_cast<Ticks>(k_ticks_per_ns));
      span += static_cast<double>(gap);
    }
  }
  if (made.gaps_.empty() || !(span > 0)) return std::unexpected(impossible("all requests arrived at the same time"));
  if (!(services > 0)) return std::unexpected(impossible("all services take no time"));
  made.rate_ = static_cast<double>(made.gaps_.size()) / span * 1e9;
  made.mean_ns_ = services / static_cast<double>(made.services_.size());
  // Those in idle time were not seen.
  made.stalls_per_second_ = static_cast<double>(made.stalls_.size()) / (services * 1e-9);
  made.stall_mean_ns_ = study.stall_mean;
  made.captured_load_ = made.load_of({.rate = made.rate_});
  return made;
}

double Forecaster::load_of(const Scenario& scenario) const noexcept {
  const double work = scenario.rate * mean_ns_ * scenario.service_factor * 1e-9;
  const double lost = scenario.has_stalls ? stalls_per_second_ * stall_mean_ns_ * 1e-9 : 0;
  return work * (1 + lost) / scenario.servers;
}

Answer<Scenario> Forecaster::checked(Scenario scenario, const ForecastPlan& plan) const {
  if (scenario.rate == 0) scenario.rate = rate_;
  if (!is_positive(scenario.rate) || scenario.rate > 1e7)
    return std::unexpected(
        impossible(fmt::format("a rate of {:g}; it must lie between 0 and 10000000", scenario.rate)));
  if (scenario.rate > 1e6 * rate_ || scenario.rate < 1e-6 * rate_)
    return std::unexpected(impossible("the rate is more than a million times another than the captured one"));
  if (scenario.arrivals && scenario.rate < 1)
    return std::unexpected(impossible("a model of arrivals has at least one request a second"));
  if (scenario.servers < 1 || scenario.servers > 64) return std::unexpected(impossible("1 to 64 servers"));
  if (!(scenario.service_factor >= 0.01 && scenario.service_factor <= 100))
    return std::unexpected(impossible("services are made 0.01 to 100 times as long"));
  if (!(scenario.variance_factor >= 0 && scenario.variance_factor <= 1))
    return std::unexpected(impossible("the variance is made 0 to 1 times as large"));
  if (plan.replicates < 20 || plan.replicates > 1'000) return std::unexpected(impossible("20 to 1000 replicates"));
  if (plan.block < 1 || !(plan.confidence >= 0.5 && plan.confidence <= 0.95))
    return std::unexpected(impossible("blocks of one or more, and a confidence of 0.5 to 0.95"));
  if (plan.requests != 0 && (plan.requests < k_least_requests || plan.requests > 100'000'000))
    return std::unexpected(impossible("replicates of 1000 to 100000000 requests"));
  if (load_of(scenario) >= 1) return std::unexpected(unstable(scenario.rate, scenario.rate / load_of(scenario)));
  return scenario;
}

std::size_t Forecaster::length_of(const ForecastPlan& plan) const noexcept {
  return plan.requests == 0 ? services_.size() : plan.requests;
}

std::size_t Forecaster::settled_of(const ForecastPlan& plan) const noexcept {
  return std::min(length_of(plan), services_.size()) * 9 / 10;
}

std::vector<double> Forecaster::replicate(const Scenario& scenario, const ForecastPlan& plan,
                                          std::uint64_t number) const {
  const std::size_t length = length_of(plan);
  std::vector<double> waits;
  waits.reserve(length);
  std::size_t served = 0;
  const auto take = [&](const Served& request) {
    if (served >= length / 10) waits.push_back(static_cast<double>(request.wait) / k_ticks_per_ns);
    return ++served < length;
  };
  serve(scenario, plan, number, [](Ticks even) { return even; }, take);
  return waits;
}

std::vector<Stay> Forecaster::stays(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t number) const {
  constexpr auto k_per_ns = static_cast<Ticks>(k_ticks_per_ns);
  const std::size_t length = length_of(plan);
  std::vector<Stay> stays;
  stays.reserve(length);
  std::size_t served = 0;
  const auto take = [&](const Served& request) {
    if (served >= length / 10)
      stays.push_back({request.arrival / k_per_ns, (request.response + k_per_ns / 2) / k_per_ns});
    return ++served < length;
  };
  serve(scenario, plan, number, [](Ticks even) { return even; }, take);
  return stays;
}

Answer<Forecast> Forecaster::predict(const Scenario& asked, const ForecastPlan& plan) const {
  const Answer<Scenario> scenario = checked(asked, plan);
  if (!scenario) return std::unexpected(scenario.error());
  Forecast forecast{.load = load_of(*scenario), .captured_load = captured_load_};
  forecast.is_beyond = forecast.load > captured_load_ * 1.02 || scenario->arrivals.has_value();
  forecast.has_p999 = settled_of(plan) >= 10'000;
  std::vector<double> means, middles, p99s, p999s;
  for (std::size_t i = 0; i < plan.replicates; ++i) {
    std::vector<double> waits = replicate(*scenario, plan, i);
    means.push_back(mean_of_values(waits));
    const auto [p50, p99, p999] = values_at_ranks<3>(waits, {0.5, 0.99, 0.999});
    middles.push_back(p50);
    p99s.push_back(p99);
    p999s.push_back(p999);
  }
  forecast.mean = interval_of_replicates(means, plan.confidence);
  forecast.p50 = interval_of_replicates(middles, plan.confidence);
  forecast.p99 = interval_of_replicates(p99s, plan.confidence);
  forecast.p999 = interval_of_replicates(p999s, plan.confidence);
  Scenario longer = *scenario;  // the same draws, a hundredth slower
  longer.service_factor *= 1.01;
  if (plan.has_sensitivity && load_of(longer) < 1 && forecast.mean.estimate > 0 && forecast.p99.estimate > 0) {
    double mean = 0;
    double p99 = 0;
    const std::size_t some = std::min<std::size_t>(plan.replicates, 10);
    for (std::size_t i = 0; i < some; ++i) {
      std::vector<double> waits = replicate(longer, plan, i);
      mean += mean_of_values(waits) / std::max(means[i], 1e-3) / static_cast<double>(some);
      p99 += value_at_rank(waits, 0.99) / std::max(p99s[i], 1e-3) / static_cast<double>(some);
    }
    forecast.mean_sensitivity = mean - 1;
    forecast.p99_sensitivity = p99 - 1;
  }
  return forecast;
}

Answer<measure::Interval> Forecaster::largest_rate(Scenario scenario, const ForecastPlan& plan, double share,
                                                   double limit_ns) const {
  if (!(share > 0 && share < 1) || !is_positive(limit_ns))
    return std::unexpected(impossible("a quantile between 0 and 1 and a limit above 0"));
  if (static_cast<double>(settled_of(plan)) * (1 - share) < 10)
    return std::unexpected(impossible(
        fmt::format("{} requests are too few for p{:g}: ten must lie beyond", services_.size(), share * 100)));
  scenario.rate = rate_ / 100;
  const Answer<Scenario> right = checked(scenario, plan);
  if (!right) return std::unexpected(right.error());
  const double most = std::min(scenario.rate / load_of(scenario), 1e7);
  std::vector<double> rates;
  for (std::size_t i = 0; i < std::min<std::size_t>(plan.replicates, 40); ++i) {
    double low = scenario.rate;
    double high = most;
    const auto is_kept = [&](double rate) {
      Scenario at = scenario;
      at.rate = rate;
      std::vector<double> waits = replicate(at, plan, i);
      return value_at_rank(waits, share) <= limit_ns;
    };
    if (!is_kept(low)) low = high = 0;
    for (int step = 0; step < 12 && high - low > 0.002 * most; ++step) {
      const double middle = (low + high) / 2;
      (is_kept(middle) ? low : high) = middle;
    }
    rates.push_back((low + high) / 2);
  }
  const measure::Interval found = interval_of_replicates(rates, plan.confidence);
  if (measure::quantile(rates, 0.5) <= 0)
    return std::unexpected(Refusal{RefusalKind::unstable, fmt::format("p{:g} exceeds {:g} ns at every load: the stalls "
                                                                      "alone are longer",
                                                                      share * 100, limit_ns)});
  return found;
}

double wait_distance(std::vector<double> first, std::vector<double> second, double atom_ns) {
  for (std::vector<double>* waits : {&first, &second}) {
    for (double& wait : *waits) wait = wait <= atom_ns ? 0 : wait;
    std::ranges::sort(*waits);
  }
  const auto share_up_to = [](const std::vector<double>& sorted, double value) {
    return static_cast<double>(std::ranges::upper_bound(sorted, value) - sorted.begin()) /
           static_cast<double>(sorted.size());
  };
  double largest = 0;  // both curves only step, so it is enough to look at the values
  for (const std::vector<double>* waits : {&first, &second})
    for (const double value : *waits)
      largest = std::max(largest, std::fabs(share_up_to(first, value) - share_up_to(second, value)));
  return largest;
}

}  // namespace dojima::queueing
