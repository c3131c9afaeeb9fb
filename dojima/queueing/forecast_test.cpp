#include "dojima/queueing/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

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

/// The values between which one replicate more would lie: ranks of (n + 1) p.
TEST(Forecast, has_the_interval_that_its_replicates_make) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 2'000, 6));
  const ForecastPlan plan{.replicates = 20, .confidence = 0.5, .has_sensitivity = false};
  std::vector<double> means;
  for (std::size_t number = 0; number < 20; ++number) {
    const std::vector<double> waits = forecaster.replicate({.rate = 300'000}, plan, number);
    EXPECT_EQ(waits.size(), 1'800u) << "the first tenth, while the line fills, is left out";
    double sum = 0;
    for (const double wait : waits) sum += wait;
    means.push_back(sum / 1'800);
  }
  std::ranges::sort(means);
  const Forecast forecast = *forecaster.predict({.rate = 300'000}, plan);
  EXPECT_NEAR(forecast.mean.low, means[4] + 0.25 * (means[5] - means[4]), 1e-9);
  EXPECT_NEAR(forecast.mean.high, means[14] + 0.75 * (means[15] - means[14]), 1e-9);
}

/// The mean of a hundred times as many waits strays a tenth as far; of how long services are it says no more.
TEST(Forecast, is_for_a_capture_as_long_as_asked) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 2'000, 6));
  const Scenario scenario{.rate = 150'000};
  EXPECT_EQ(forecaster.replicate(scenario, {.requests = 5'000}, 0).size(), 4'500u);
  const auto width = [&](std::size_t requests) {
    const Forecast forecast =
        *forecaster.predict(scenario, {.replicates = 40, .has_sensitivity = false, .requests = requests});
    EXPECT_FALSE(forecast.has_p999) << "2000 captured services do not say what one of a thousand waits";
    return (forecast.mean.high - forecast.mean.low) / forecast.mean.estimate;
  };
  EXPECT_LT(width(200'000), 0.75 * width(2'000));
  EXPECT_GT(width(200'000), 0.2 * width(2'000));
  EXPECT_EQ(forecaster.predict(scenario, {.requests = 999}).error().kind, RefusalKind::impossible);
}

TEST(Forecast, counts_stalls_into_the_load) {
  const Forecaster forecaster = forecaster_of(captured(0.4, 20'000, 1, 2'000));
  const double without = forecaster.load_of({.rate = 100'000, .has_stalls = false});
  EXPECT_NEAR(forecaster.load_of({.rate = 100'000}) / without, 1.2, 0.07) << "2,000 of 100 us in a second of work";
}

/// Pollaczek and Khinchine: the mean wait goes with 1 + the squared coefficient of variation.
TEST(Forecast, makes_the_variance_smaller_not_the_deviation) {
  const Forecaster forecaster = forecaster_of(captured(0.5, 10'000, 7));
  const ForecastPlan plan{.replicates = 20, .has_sensitivity = false};
  const Scenario as_is{.rate = 250'000, .arrivals = flow::ArrivalConfig{}};
  Scenario narrow = as_is;
  narrow.variance_factor = 0.25;
  const double ratio = forecaster.predict(narrow, plan)->mean.estimate / forecaster.predict(as_is, plan)->mean.estimate;
  EXPECT_NEAR(ratio, 1.25 / 2, 0.03);
}

/// One stall of a millisecond: another capture would have shown a Poisson number of them, none in 37 of 100.
TEST(Forecast, does_not_know_how_many_stalls_there_are) {
  Trace trace = captured(0.3, 2'000, 8);
  auto& records = trace.parts[0];
  constexpr std::uint64_t k_stall = 1'000'000;
  records[1'000].end_ns += k_stall;
  for (std::size_t i = 1'001; i < records.size(); ++i) {
    records[i].arrival_ns += k_stall;
    records[i].start_ns += k_stall;
    records[i].end_ns += k_stall;
  }
  const Forecaster forecaster = forecaster_of(trace);
  int calm = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const std::vector<double> waits = forecaster.replicate({.rate = forecaster.rate()}, {}, number);
    calm += *std::ranges::max_element(waits) < 500'000;
  }
  // A run lasts some three times as long as its work, so a stall comes three times on average where there is one.
  EXPECT_NEAR(calm / 200.0, std::exp(std::exp(-3.0) - 1), 0.12);
}

TEST(WaitDistance, is_that_of_both_curves) {
  EXPECT_EQ(wait_distance({1, 2, 3, 4}, {1, 2, 3, 4}, 0), 0);
  EXPECT_EQ(wait_distance({1, 2}, {3, 4}, 0), 1);
  EXPECT_EQ(wait_distance({1, 2}, {3, 4}, 10), 0);
  EXPECT_EQ(wait_distance({0, 0, 5, 6}, {5, 5, 5, 6}, 1), 0.5);
}

}  // namespace
}  // namespace dojima::queueing
