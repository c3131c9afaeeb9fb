#include "dojima/queueing/forecast.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "dojima/queueing/forecast_test_support.hpp"

namespace dojima::queueing {
namespace {

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

}  // namespace
}  // namespace dojima::queueing
