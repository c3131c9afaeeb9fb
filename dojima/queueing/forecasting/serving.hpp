#pragma once

// How one replicate of a forecast is drawn and served: the capture guessed again, blocks of consecutive values out of
// it, stalls as interruptions of the server, and the loop over its requests. Whole numbers: 1024 ticks are a
// nanosecond, factors have 20 bits behind the point.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dojima/flow/arrivals.hpp"
#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/recursions.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {

inline constexpr double k_ticks_per_ns = 1024;
inline constexpr Ticks k_factor_unit = Ticks{1} << 20;

__extension__ using WideTicks = unsigned __int128;

[[nodiscard]] inline Ticks scaled(Ticks value, Ticks factor) {
  return static_cast<Ticks>((static_cast<WideTicks>(value) * factor) >> 20);
}

[[nodiscard]] inline Ticks factor_of(double value) {
  return static_cast<Ticks>(value * static_cast<double>(k_factor_unit) + 0.5);
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

/// Another capture of the same length, as the one at hand lets us guess it: services and gaps drawn from it in blocks,
/// stalls as many as chance would have. What replicates draw from, so that their spread also has what is not known
/// about the services.
struct Forecaster::Guess {
  std::vector<Ticks> services;
  std::vector<Ticks> gaps;  // scaled to the mean of the captured ones: the rate asked for is known
  double stalls_per_second = 0;
};

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
    next =
        now + static_cast<Ticks>((static_cast<WideTicks>(flow::exponential_q32(random.next())) * mean_between) >> 32);
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

template <class When, class Take>
void Forecaster::serve(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t number, When when,
                       Take take) const {
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
  Ticks even = 0;  // the time at an even rate
  Ticks free = 0;
  for (;;) {
    even += model ? static_cast<Ticks>(model->next(gaps).count()) * static_cast<Ticks>(k_ticks_per_ns)
                  : scaled(captured_gaps.next(gaps), stretch);
    const Ticks arrival = when(even);
    Ticks service = captured_services.next(drawn);
    service = service >= mean ? mean + scaled(service - mean, narrow) : mean - scaled(mean - service, narrow);
    service = scaled(service, longer);
    Ticks wait = 0;
    Ticks response = 0;
    if (scenario.servers == 1) {
      const auto [start, end] = stalls.serve(std::max(arrival, free), service);
      wait = start - arrival;
      response = end - arrival;
      free = end;
    } else {  // a stall hits a service as often as that is long
      const double share = stalls_per_tick * static_cast<double>(service) * 0x1p32;
      if (!stalls_.empty() && static_cast<double>(hits.next() >> 32) < share)
        service += stalls_[hits.below(stalls_.size())];
      wait = many.serve(arrival, service);
      response = wait + service;
    }
    if (!take(Served{arrival, wait, response})) return;
  }
}

}  // namespace dojima::queueing
