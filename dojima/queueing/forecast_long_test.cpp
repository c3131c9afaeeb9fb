#include <gtest/gtest.h>

#include "dojima/queueing/forecast_test_support.hpp"

namespace dojima::queueing {
namespace {

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
      const Forecaster forecaster = forecaster_of(captured(seed % 2 == 0 ? 0.3 : 0.5, 50'000, seed, 0, config));
      const Forecast forecast = *forecaster.predict({.rate = 400'000, .arrivals = config},
                                                    {.replicates = 40, .confidence = 0.95, .has_sensitivity = false});
      const double truth = mean_wait(captured(0.8, 50'000, seed + 100, 0, config));
      covered += forecast.mean.low <= truth && truth <= forecast.mean.high;
    }
    EXPECT_GE(covered, 9) << static_cast<int>(config.model);
  }
}

}  // namespace
}  // namespace dojima::queueing
