#pragma once

// Captures in virtual time, for the tests of forecasts.

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {

/// A capture in virtual time: services exponential of mean 2000 ns, arrivals of a model, stalls of 100 us at times.
inline Trace captured(double load, std::size_t count, std::uint64_t seed, double stalls_per_second = 0,
                      const flow::ArrivalConfig& config = {}) {
  Random gaps = stream_of(seed, 0);
  Random services = stream_of(seed, 1);
  Random stalls = stream_of(seed, 2);
  flow::Arrivals arrivals(config, static_cast<std::uint64_t>(load * 500'000), gaps);
  const Sampler service(Law::exponential(2'000), 1);
  LindleyQueue queue;
  Trace trace;
  trace.parts.emplace_back();
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += static_cast<std::uint64_t>(arrivals.next(gaps).count());
    std::uint64_t needed = service.draw(services);
    const double chance = stalls_per_second * static_cast<double>(needed) * 1e-9;
    if (static_cast<double>(stalls.next() >> 11) * 0x1p-53 < chance) needed += 100'000;
    const std::uint64_t start = now + queue.serve(now, needed);
    trace.parts[0].push_back({.arrival_ns = now, .start_ns = start, .end_ns = start + needed});
  }
  return trace;
}

inline Forecaster forecaster_of(const Trace& trace) {
  auto made = Forecaster::from(trace, study_services(trace, 50'000));
  EXPECT_TRUE(made.has_value()) << made.error().text;
  return std::move(made).value();
}

inline double mean_wait(const Trace& trace) {
  double sum = 0;
  for (const measure::ServiceRecord& record : trace.parts[0])
    sum += static_cast<double>(record.start_ns - record.arrival_ns);
  return sum / static_cast<double>(trace.size());
}

}  // namespace dojima::queueing
