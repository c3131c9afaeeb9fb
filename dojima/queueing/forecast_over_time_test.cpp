#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/forecast_test_support.hpp"

namespace dojima::queueing {
namespace {

/// M(t)/M/1 by its forward equations: the mean number in the system as a request finds it that arrives in each part.
/// Euler steps, so much shorter than a service that what they leave is below a thousandth.
std::vector<double> mean_found(const Course& course, double service_rate) {
  constexpr std::size_t k_states = 250;
  std::vector<double> now(k_states, 0.0), next(k_states);
  now[0] = 1;
  const double step = 0.004 / service_rate;
  std::vector<double> found(course.parts, 0.0), arrived(course.parts, 0.0);
  std::size_t at = 0;
  const auto steps = static_cast<std::size_t>(course.seconds / step + 0.5);
  for (std::size_t i = 0; i < steps; ++i) {
    while (at + 1 < course.steps.size() && course.steps[at + 1].at_s <= static_cast<double>(i) * step) ++at;
    const double up = course.steps[at].rate * step, down = service_rate * step;
    const std::size_t part = i * course.parts / steps;
    arrived[part] += up;
    for (std::size_t n = 0; n < k_states; ++n) {
      found[part] += up * static_cast<double>(n) * now[n];
      next[n] = now[n] * (1 - (n + 1 < k_states ? up : 0) - (n > 0 ? down : 0));
      if (n > 0) next[n] += now[n - 1] * up;
      if (n + 1 < k_states) next[n] += now[n + 1] * down;
    }
    now.swap(next);
  }
  for (std::size_t part = 0; part < course.parts; ++part) found[part] /= arrived[part];
  return found;
}

/// An opening: 50 services' time twice as much as the server can do, then little.
Course opening(double service_rate) {
  return {.steps = {{0, 0.5 * service_rate},
                    {20 / service_rate, 2 * service_rate},
                    {70 / service_rate, 0.3 * service_rate}},
          .seconds = 200 / service_rate,
          .parts = 10};
}

TEST(ForecastOverTime, agrees_with_the_forward_equations_of_an_opening) {
  constexpr double k_rate = 500'000;
  constexpr std::size_t k_replicates = 1'000;
  const Forecaster forecaster = forecaster_of(captured(0.4, 10'000, 1));
  const Course course = opening(k_rate);
  const auto parts = *forecaster.over_time({.arrivals = flow::ArrivalConfig{}}, course,
                                           {.replicates = k_replicates, .has_sensitivity = false});
  const std::vector<double> exact = mean_found(course, k_rate);
  ASSERT_EQ(parts.size(), exact.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double truth = exact[i] * 1e9 / k_rate;
    const double error = (parts[i].mean.high - parts[i].mean.low) / (2 * 1.645) / std::sqrt(k_replicates);
    EXPECT_NEAR(parts[i].mean.estimate, truth, 4 * error) << i;
    EXPECT_LT(error, 0.08 * truth) << "simulated too roughly to say anything";
    EXPECT_LE(parts[i].mean.low, truth);
    EXPECT_GE(parts[i].mean.high, truth);
  }
  EXPECT_NEAR(parts[0].requests, 10, 1e-9);
  EXPECT_NEAR(parts[1].requests, 40, 1e-9);
  EXPECT_NEAR(parts[1].load, 2, 0.03);
  EXPECT_NEAR(parts[9].to_s, course.seconds, 1e-12);
  EXPECT_FALSE(parts[1].has_p99) << "40 requests have no p99";
  EXPECT_GT(parts[3].mean.estimate, 10 * parts[0].mean.estimate);
  EXPECT_LT(parts[9].mean.estimate, 0.2 * parts[3].mean.estimate) << "the line is gone again";
}

TEST(ForecastOverTime, of_an_even_rate_is_the_forecast_of_that_rate) {
  const Forecaster forecaster = forecaster_of(captured(0.4, 20'000, 1));
  const ForecastPlan plan{.replicates = 40, .has_sensitivity = false};
  for (const Scenario& scenario :
       {Scenario{.rate = 300'000}, Scenario{.rate = 300'000, .arrivals = flow::ArrivalConfig{}}}) {
    const auto parts = *forecaster.over_time(scenario, {.steps = {{0, 300'000}}, .seconds = 0.06, .parts = 2}, plan);
    const Forecast steady = *forecaster.predict(scenario, plan);
    EXPECT_NEAR(parts[1].mean.estimate / steady.mean.estimate, 1, 0.05);
    EXPECT_NEAR(parts[1].p99.estimate / steady.p99.estimate, 1, 0.08);
    EXPECT_TRUE(parts[1].has_p99);
    EXPECT_NEAR(parts[1].load, steady.load, 1e-3);
  }
}

TEST(ForecastOverTime, has_nothing_where_nothing_arrives_and_repeats) {
  const Forecaster forecaster = forecaster_of(captured(0.4, 2'000, 3, 2'000));
  const Course course{.steps = {{0, 0}, {0.01, 400'000}, {0.02, 0}}, .seconds = 0.03, .parts = 3};
  const ForecastPlan plan{.replicates = 20};
  for (const std::uint32_t servers : {1U, 2U}) {
    const auto parts = *forecaster.over_time({.servers = servers}, course, plan);
    EXPECT_EQ(parts[0].requests, 0);
    EXPECT_EQ(parts[0].mean.high, 0);
    EXPECT_EQ(parts[2].load, 0);
    EXPECT_EQ(parts[2].mean.high, 0);
    EXPECT_NEAR(parts[1].requests, 4'000, 1e-6);
    EXPECT_GT(parts[1].mean.low, 0);
    const auto again = *forecaster.over_time({.servers = servers}, course, plan);
    EXPECT_EQ(parts[1].mean.estimate, again[1].mean.estimate);
  }
}

TEST(ForecastOverTime, refuses_a_course_that_is_none) {
  const Forecaster forecaster = forecaster_of(captured(0.4, 2'000, 3));
  const auto refused = [&](const Course& course, const ForecastPlan& plan = {}) {
    const auto parts = forecaster.over_time({}, course, plan);
    EXPECT_FALSE(parts.has_value());
    EXPECT_EQ(parts.error().kind, RefusalKind::impossible);
    return parts.error().text;
  };
  EXPECT_EQ(refused({}), "the rates over time begin at 0");
  EXPECT_EQ(refused({.steps = {{0.1, 5}}}), "the rates over time begin at 0");
  EXPECT_EQ(refused({.steps = {{0, 5}, {0, 6}}}), "each step begins after the one before it, the last before the end");
  EXPECT_EQ(refused({.steps = {{0, 5}, {1, 6}}}), "each step begins after the one before it, the last before the end");
  EXPECT_EQ(refused({.steps = {{0, -5}}}), "a rate of -5; it must lie between 0 and 10000000");
  EXPECT_EQ(refused({.steps = {{0, 0}}}), "nothing arrives at any time");
  EXPECT_EQ(refused({.steps = {{0, 1e6}}, .seconds = 11}), "1.1e+07 requests; a forecast over time has 1e+07 at most");
  EXPECT_EQ(refused({.steps = {{0, 1}}, .seconds = 1e5}),
            "a forecast over time lasts more than 0 seconds, and a day at most");
  EXPECT_EQ(refused({.steps = {{0, 5'000}}, .parts = 0}), "1 to 1000 parts");
  EXPECT_EQ(refused({.steps = {{0, 5'000}}}, {.replicates = 3}), "20 to 1000 replicates");
}

}  // namespace
}  // namespace dojima::queueing
