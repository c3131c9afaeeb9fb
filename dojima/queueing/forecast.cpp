#include "dojima/queueing/forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

constexpr double k_ticks_per_ns = 1024;
constexpr Ticks k_unit = Ticks{1} << 20;  // of factors

__extension__ using Wide = unsigned __int128;

Ticks scaled(Ticks value, Ticks factor) {
  return static_cast<Ticks>((static_cast<Wide>(value) * factor) >> 20);
}

Ticks factor_of(double value) {
  return static_cast<Ticks>(value * static_cast<double>(k_unit) + 0.5);
}

/// Values drawn in blocks of consecutive ones.
class Blocks {
 public:
  Blocks(const std::vector<Ticks>& values, std::size_t length) : values_(values), length_(length) {}
  [[nodiscard]] Ticks next(Random& random) {
    if (left_ == 0) {
      at_ = random.below(values_.size());
      left_ = length_;
    }
    --left_;
    if (at_ == values_.size()) at_ = 0;
    return values_[at_++];
  }

 private:
  const std::vector<Ticks>& values_;
  std::size_t length_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
};

}  // namespace

/// Another capture of the same length, as the one at hand lets us guess it: services and gaps drawn from it in blocks,
/// stalls as many as chance would have. What replicates draw from, so that their spread also has what is not known
/// about the services.
struct Forecaster::Guess {
  std::vector<Ticks> services;
  std::vector<Ticks> gaps;  // scaled to the mean of the captured ones: the rate asked for is known
  double stalls_per_second = 0;
};

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

/// One server whose work is stopped for a while, now and then, whether or not it has any.
struct Forecaster::Draw {
  const std::vector<Ticks>& lengths;
  Ticks mean_between;  // 0: never
  Random random;
  Ticks next = ~Ticks{0};

  Draw(const std::vector<Ticks>& its_lengths, double per_second, Random its_random)
      : lengths(its_lengths),
        mean_between(per_second > 0 ? static_cast<Ticks>(1e9 * k_ticks_per_ns / per_second) : 0),
        random(its_random) {
    after(0);
  }

  void after(Ticks now) {
    if (mean_between == 0 || lengths.empty()) return;
    next = now + static_cast<Ticks>((static_cast<Wide>(flow::exponential_q32(random.next())) * mean_between) >> 32);
  }
  /// When a service that could begin at `start` begins, and when it ends.
  std::pair<Ticks, Ticks> serve(Ticks start, Ticks service) {
    while (next < start) {
      const Ticks end = next + lengths[random.below(lengths.size())];
      start = std::max(start, end);
      after(end);
    }
    Ticks end = start + service;
    while (next < end) {
      const Ticks length = lengths[random.below(lengths.size())];
      end += length;
      after(next + length);
    }
    return {start, end};
  }
};

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
  if (load_of(scenario) >= 1) return std::unexpected(unstable(scenario.rate, scenario.rate / load_of(scenario)));
  return scenario;
}

std::vector<double> Forecaster::replicate(const Scenario& scenario, const ForecastPlan& plan,
                                          std::uint64_t number) const {
  constexpr std::uint64_t k_streams = 8;  // of a replicate
  const std::uint64_t stream = number * k_streams;
  const Guess capture = guess(scenario, plan, stream + 4);
  Random gaps = stream_of(plan.seed, stream);
  Random drawn = stream_of(plan.seed, stream + 1);
  Draw stalls(stalls_, scenario.has_stalls && scenario.servers == 1 ? capture.stalls_per_second : 0,
              stream_of(plan.seed, stream + 2));
  Random hits = stream_of(plan.seed, stream + 3);
  std::optional<flow::Arrivals> model;
  if (scenario.arrivals) model.emplace(*scenario.arrivals, static_cast<std::uint64_t>(scenario.rate + 0.5), gaps);
  Blocks captured_gaps(capture.gaps, plan.block);
  Blocks captured_services(capture.services, plan.block);
  const Ticks stretch = factor_of(rate_ / scenario.rate);
  const Ticks longer = factor_of(scenario.service_factor);
  const Ticks narrow = factor_of(std::sqrt(scenario.variance_factor));
  const auto mean = static_cast<Ticks>(mean_ns_ * k_ticks_per_ns);
  const double stalls_per_tick = scenario.has_stalls ? capture.stalls_per_second / (1e9 * k_ticks_per_ns) : 0;
  ManyServerQueue many(scenario.servers);
  Ticks arrival = 0;
  Ticks free = 0;
  std::vector<double> waits;
  waits.reserve(services_.size());
  for (std::size_t i = 0; i < services_.size(); ++i) {
    arrival += model ? static_cast<Ticks>(model->next(gaps).count()) * static_cast<Ticks>(k_ticks_per_ns)
                     : scaled(captured_gaps.next(gaps), stretch);
    Ticks service = captured_services.next(drawn);
    service = service >= mean ? mean + scaled(service - mean, narrow) : mean - scaled(mean - service, narrow);
    service = scaled(service, longer);
    Ticks wait = 0;
    if (scenario.servers == 1) {
      const auto [start, end] = stalls.serve(std::max(arrival, free), service);
      wait = start - arrival;
      free = end;
    } else {  // a stall hits a service as often as that is long
      const double share = stalls_per_tick * static_cast<double>(service) * 0x1p32;
      if (!stalls_.empty() && static_cast<double>(hits.next() >> 32) < share)
        service += stalls_[hits.below(stalls_.size())];
      wait = many.serve(arrival, service);
    }
    if (i >= services_.size() / 10) waits.push_back(static_cast<double>(wait) / k_ticks_per_ns);
  }
  return waits;
}

namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Values of rank ceil(share n) for rising shares; reorders.
template <std::size_t Shares>
std::array<double, Shares> rank_values(std::vector<double>& values, const std::array<double, Shares>& shares) {
  std::array<double, Shares> found{};
  auto begin = values.begin();  // what lies before it is no larger than what lies behind
  for (std::size_t i = 0; i < Shares; ++i) {
    const auto rank = static_cast<std::size_t>(std::ceil(shares[i] * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, values.size()) - 1);
    if (at >= begin) std::nth_element(begin, at, values.end());
    found[i] = *at;
    begin = std::max(begin, at + 1);
  }
  return found;
}

double rank_value(std::vector<double>& values, double share) {
  return rank_values<1>(values, {share})[0];
}

/// The mean of the replicates, and where one more of them would lie with this confidence: between the values of rank
/// (n + 1) p, p the share beyond on either side; the least and the largest where there are none so far out.
measure::Interval interval_of(std::vector<double> values, double confidence) {
  std::ranges::sort(values);
  const double last = static_cast<double>(values.size()) - 1;
  const auto at_rank = [&](double rank) {
    const double place = std::clamp(rank - 1, 0.0, last);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  const double ranks = static_cast<double>(values.size()) + 1;
  return {mean_of(values), at_rank(ranks * (1 - confidence) / 2), at_rank(ranks * (1 + confidence) / 2)};
}

}  // namespace

Answer<Forecast> Forecaster::predict(const Scenario& asked, const ForecastPlan& plan) const {
  const Answer<Scenario> scenario = checked(asked, plan);
  if (!scenario) return std::unexpected(scenario.error());
  Forecast forecast{.load = load_of(*scenario), .captured_load = captured_load_};
  forecast.is_beyond = forecast.load > captured_load_ * 1.02 || scenario->arrivals.has_value();
  forecast.has_p999 = services_.size() * 9 / 10 >= 10'000;
  std::vector<double> means, middles, p99s, p999s;
  for (std::size_t i = 0; i < plan.replicates; ++i) {
    std::vector<double> waits = replicate(*scenario, plan, i);
    means.push_back(mean_of(waits));
    const auto [p50, p99, p999] = rank_values<3>(waits, {0.5, 0.99, 0.999});
    middles.push_back(p50);
    p99s.push_back(p99);
    p999s.push_back(p999);
  }
  forecast.mean = interval_of(means, plan.confidence);
  forecast.p50 = interval_of(middles, plan.confidence);
  forecast.p99 = interval_of(p99s, plan.confidence);
  forecast.p999 = interval_of(p999s, plan.confidence);
  Scenario longer = *scenario;  // the same draws, a hundredth slower
  longer.service_factor *= 1.01;
  if (plan.has_sensitivity && load_of(longer) < 1 && forecast.mean.estimate > 0 && forecast.p99.estimate > 0) {
    double mean = 0;
    double p99 = 0;
    const std::size_t some = std::min<std::size_t>(plan.replicates, 10);
    for (std::size_t i = 0; i < some; ++i) {
      std::vector<double> waits = replicate(longer, plan, i);
      mean += mean_of(waits) / std::max(means[i], 1e-3) / static_cast<double>(some);
      p99 += rank_value(waits, 0.99) / std::max(p99s[i], 1e-3) / static_cast<double>(some);
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
  if (static_cast<double>(services_.size() * 9 / 10) * (1 - share) < 10)
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
      return rank_value(waits, share) <= limit_ns;
    };
    if (!is_kept(low)) low = high = 0;
    for (int step = 0; step < 12 && high - low > 0.002 * most; ++step) {
      const double middle = (low + high) / 2;
      (is_kept(middle) ? low : high) = middle;
    }
    rates.push_back((low + high) / 2);
  }
  const measure::Interval found = interval_of(rates, plan.confidence);
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
