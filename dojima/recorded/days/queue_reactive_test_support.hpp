#pragma once

// A small queue-reactive market, for tests.

#include "dojima/recorded/days/queue_reactive_day.hpp"

namespace dojima::recorded {

/// A large tick: the spread is mostly one tick; about four changes a second.
inline QueueReactiveModel rice_market() {
  QueueReactiveModel model;
  model.rates = {.distances = {1, 2, 4}, .lengths = 10, .rates = {}};
  for (std::uint64_t at = 0; at < 3; ++at)
    for (std::uint64_t length = 0; length < 10; ++length)
      model.rates.rates.push_back({.limit = length == 0 ? 600'000u : 500'000u - 20'000 * length - at * 80'000,
                                   .cancel = length * 40'000,
                                   .execution = length == 0 ? 0 : 250'000u,
                                   .occupancy = length < 6 ? 1u + length : 2u});
  model.length = std::chrono::minutes{10};
  return model;
}

}  // namespace dojima::recorded
