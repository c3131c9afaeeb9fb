#pragma once

// Arrivals drawn from a known process, for the tests of fits.

#include <cstddef>
#include <cstdint>

#include "dojima/queueing/arrival_fit.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {

/// 1000 arrivals a second on average.
inline Arrivals drawn(const flow::ArrivalConfig& config, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  flow::Arrivals arrivals(config, 1000, random);
  Arrivals times;
  double now = 0;
  while (times.size() < count) times.push_back(now += static_cast<double>(arrivals.next(random).count()) * 1e-9);
  return times;
}

inline const flow::ArrivalConfig k_bursts{.model = flow::ArrivalModel::bursts, .burst_share = 200, .burst_factor = 10};
inline const flow::ArrivalConfig k_hawkes{
    .model = flow::ArrivalModel::hawkes, .branching = 600, .memory = time::Duration{3'000'000}};

inline ArrivalKind kind_of(const Answer<ArrivalFit>& fit) {
  return fit->models[fit->chosen].kind;
}

}  // namespace dojima::queueing
