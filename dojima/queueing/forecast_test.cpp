#include "dojima/queueing/forecast.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "dojima/queueing/general_queues.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

using measure::ServiceRecord;

/// A capture in virtual time: services exponential of mean 2000 ns, arrivals of a model, stalls of 100 us at times.
Trace captured(double load, std::size_t count, std::uint64_t seed, double stalls_per_second = 0,
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

Forecaster forecaster_of(const Trace& trace) {
  auto made = Forecaster::from(trace, study_services(trace, 50'000));
  EXPECT_TRUE(made.has_value()) << made.error().text;
  return std::move(made).value();
}

double mean_wait(const Trace& trace) {
  double sum = 0;
  for (const ServiceRecord& record : trace.parts[0]) sum += static_cast<double>(record.start_ns - record.arrival_ns);
  return sum / static_cast<double>(trace.size());
}

TEST(Forecast, of_another_load_holds_the_truth) {
  const Forecaster forecaster = forecaster_of(captured(0.4, 20'000, 1));
  EXPECT_NEAR(forecaster.load_of({.rate = forecaster.rate()}), 0.4, 0.02);
  const Forecast forecast = *forecaster.predict({.rate = 0.6 * 500'000}, {.replicates = 20});
  EXPECT_NEAR(forecast.mean.estimate / 3'000, 1, 0.1);  // M/M/1
  EXPECT_LT(forecast.mean.low, 3'000);
  EXPECT_GT(forecast.mean.high, 3'000);
  EXPECT_TRUE(forecast.is_beyond);
  EXPECT_TRUE(forecast.has_p999);
  EXPECT_NEAR(forecast.mean_sensitivity, 0.01 * (1 + 1 / 0.4), 0.015);
  EXPECT_GT(forecast.p99_sensitivity, 0.01);
}

TEST(Forecast, is_repeatable) {
  const Trace trace = captured(0.5, 2'000, 2);
  const Scenario scenario{.rate = 300'000};
  EXPECT_EQ(forecaster_of(trace).replicate(scenario, {}, 3), forecaster_of(trace).replicate(scenario, {}, 3));
  EXPECT_NE(forecaster_of(trace).replicate(scenario, {}, 3), forecaster_of(trace).replicate(scenario, {}, 4));
}

TEST(Forecast, knows_what_would_help) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 5'000, 3, 2'000));
  const ForecastPlan plan{.replicates = 20};
  const double now = forecaster.predict({}, plan)->mean.estimate;
  EXPECT_LT(forecaster.predict({.has_stalls = false}, plan)->mean.estimate, 0.8 * now);
  EXPECT_LT(forecaster.predict({.servers = 2}, plan)->mean.estimate, 0.8 * now);
  EXPECT_LT(forecaster.predict({.variance_factor = 0.5}, plan)->mean.estimate, now);
  EXPECT_GT(forecaster.predict({.service_factor = 1.2}, plan)->mean.estimate, now);
  EXPECT_GT(
      forecaster.predict({.arrivals = flow::ArrivalConfig{.model = flow::ArrivalModel::hawkes}}, plan)->mean.estimate,
      now);
}

TEST(Forecast, finds_the_largest_load_for_a_promise) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 4'000, 4));
  const ForecastPlan plan{.replicates = 20};
  const measure::Interval rate = *forecaster.largest_rate({}, plan, 0.99, 20'000);
  // M/M/1: p99 of 10 services at the load 0.592.
  EXPECT_NEAR(rate.estimate / 500'000, 0.592, 0.06);
  EXPECT_LT(rate.low, rate.high);
  EXPECT_EQ(forecaster.largest_rate({}, plan, 0.9999, 20'000).error().text,
            "4000 requests are too few for p99.99: ten must lie beyond");
}

TEST(Forecast, refuses_what_it_cannot_say) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 2'000, 5));
  EXPECT_EQ(forecaster.predict({.rate = 600'000}, {}).error().kind, RefusalKind::unstable);
  EXPECT_EQ(forecaster.predict({.rate = -1}, {}).error().kind, RefusalKind::impossible);
  EXPECT_EQ(forecaster.predict({.servers = 65}, {}).error().kind, RefusalKind::impossible);
  EXPECT_EQ(forecaster.predict({}, {.replicates = 1}).error().kind, RefusalKind::impossible);
  const Trace brief = captured(0.5, 500, 5);
  EXPECT_EQ(Forecaster::from(brief, study_services(brief, {})).error().text, "500 requests; a forecast needs 1000");
}

TEST(WaitDistance, is_that_of_both_curves) {
  EXPECT_EQ(wait_distance({1, 2, 3, 4}, {1, 2, 3, 4}, 0), 0);
  EXPECT_EQ(wait_distance({1, 2}, {3, 4}, 0), 1);
  EXPECT_EQ(wait_distance({1, 2}, {3, 4}, 10), 0);
  EXPECT_EQ(wait_distance({0, 0, 5, 6}, {5, 5, 5, 6}, 1), 0.5);
}

/// Captured at 0.3 and 0.5, forecast for 0.8, against captures of that load.
TEST(ForecastLong, across_loads_comes_close_and_its_intervals_cover) {
  const flow::ArrivalConfig models[] = {
      {},
      {.model = flow::ArrivalModel::bursts,
       .burst_share = 300,
       .burst_factor = 2,
       .burst_length = time::Duration{50'000}},
      {.model = flow::ArrivalModel::hawkes, .branching = 300, .memory = time::Duration{10'000}}};
  for (const flow::ArrivalConfig& config : models) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Forecaster forecaster = forecaster_of(captured(seed % 2 == 0 ? 0.3 : 0.5, 100'000, seed, 0, config));
      const Forecast forecast =
          *forecaster.predict({.rate = 400'000, .arrivals = config}, {.replicates = 40, .confidence = 0.95});
      const double truth = mean_wait(captured(0.8, 100'000, seed + 100, 0, config));
      covered += forecast.mean.low <= truth && truth <= forecast.mean.high;
    }
    EXPECT_GE(covered, 8) << static_cast<int>(config.model);
  }
}

}  // namespace
}  // namespace dojima::queueing
