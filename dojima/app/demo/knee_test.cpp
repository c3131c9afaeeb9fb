// The search for the knee, over results that a model of a road gives; and once over sockets.

#include "dojima/app/demo/knee.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace dojima::app::demo {
namespace {

/// A road that answers so many a second at most.
std::vector<KneeStep> runs_of(const KneeSettings& settings, double most) {
  std::vector<KneeStep> steps;
  for (NextRate next = next_rate(settings, steps); next.rate != 0; next = next_rate(settings, steps)) {
    const auto rate = static_cast<double>(next.rate);
    steps.push_back({.rate = next.rate,
                     .answered = std::min(rate, most),
                     .is_met = std::min(rate, most) >= settings.kept * rate,
                     .is_overload = next.is_overload,
                     .is_ok = true});
    if (steps.size() > 100) break;
  }
  return steps;
}

KneeResult result_of(const KneeSettings& settings, double most) {
  return {.settings = settings, .steps = runs_of(settings, most)};
}

TEST(Knee, is_the_highest_rate_that_was_met_as_near_as_the_halvings_come) {
  const KneeSettings settings{.settings = {.rate = 10'000}, .factor = 1.5, .halvings = 4};
  for (const double most : {10'001.0, 14'000.0, 23'456.0, 71'000.0, 123'456.0, 400'000.0}) {
    const KneeResult result = result_of(settings, most);
    const auto knee = static_cast<double>(result.knee());
    // Between the last that was met and the first that was not lies half of it at most, and four halvings.
    EXPECT_LE(knee * settings.kept, most);
    EXPECT_GE(knee * (1 + 0.5 / 16) + 1, most) << most;
    ASSERT_TRUE(result.steps.back().is_overload);
    EXPECT_EQ(result.steps.back().rate, 2 * result.knee());
    EXPECT_EQ(std::ranges::count(result.steps, true, &KneeStep::is_overload), 1);
    EXPECT_NEAR(result.kept_in_overload(), most / knee, 0.04);
  }
}

TEST(Knee, rises_by_the_factor_until_a_rate_is_not_met) {
  const auto steps = runs_of({.settings = {.rate = 1'000}, .factor = 2, .halvings = 0}, 5'000);
  std::vector<std::uint64_t> rates;
  for (const KneeStep& step : steps) rates.push_back(step.rate);
  EXPECT_EQ(rates, (std::vector<std::uint64_t>{1'000, 2'000, 4'000, 8'000, 8'000}));
  EXPECT_FALSE(steps[3].is_overload);
  EXPECT_TRUE(steps[4].is_overload);
}

TEST(Knee, ends_where_the_first_rate_is_beyond_it_and_at_the_highest_rate) {
  const KneeResult beyond = result_of({.settings = {.rate = 10'000}}, 5'000);
  EXPECT_EQ(beyond.steps.size(), 1u);
  EXPECT_EQ(beyond.knee(), 0u);
  EXPECT_EQ(text_of(beyond), "no rate was met: begin with a lower --rate\n");
  const KneeResult endless = result_of({.settings = {.rate = 10'000}, .most = 50'000, .overload = 0}, 1e9);
  EXPECT_EQ(endless.knee(), 50'000u);
  EXPECT_EQ(endless.steps.back().rate, 50'000u);
  EXPECT_EQ(endless.kept_in_overload(), 0);
}

TEST(Knee, says_what_was_not_met_and_what_failed) {
  KneeResult result = result_of({.settings = {.rate = 10'000}, .halvings = 1}, 12'000);
  result.steps.back().is_ok = false;
  result.steps.back().trouble = "every session lasted: 1 ended";
  EXPECT_FALSE(result.is_ok());
  EXPECT_TRUE(text_of(result.steps[1]).ends_with("not met")) << text_of(result.steps[1]);
  EXPECT_TRUE(text_of(result.steps.back()).ends_with("overload  FAILED every session lasted: 1 ended"));
  EXPECT_NE(text_of(result).find("a check FAILED"), std::string::npos) << text_of(result);
}

TEST(Knee, counts_the_line_that_is_left_at_the_end_against_a_rate) {
  DemoResult result{.settings = {.rate = 1'000}};
  result.flow_seconds = 2;
  result.clients.answered = 2'000;
  result.measured.stretches = {{.answered = 1'000, .p50_ns = 900'000'000}, {.answered = 1'000, .p50_ns = 10'000'000}};
  EXPECT_TRUE(step_of({}, result).is_met);
  EXPECT_NEAR(step_of({}, result).answered, 2'000 / 2.01, 1e-9);
  result.measured.stretches.back().p50_ns = 500'000'000;
  EXPECT_FALSE(step_of({}, result).is_met);
}

TEST(Knee, refuses_settings_without_a_clock) {
  for (const KneeSettings& wrong :
       {KneeSettings{.settings = {.is_virtual = true}}, KneeSettings{.settings = {.kills_venue = true}},
        KneeSettings{.factor = 1}, KneeSettings{.kept = 1}})
    EXPECT_THROW(static_cast<void>(find_knee(wrong, {}, {})), std::invalid_argument);
}

/// A few hundred requests a second are met by any machine, so it ends at its highest rate.
TEST(Knee, runs_the_demo_at_each_rate_and_measures_its_threads) {
  std::vector<KneeStep> shown;
  const auto result =
      find_knee({.settings = {.seconds = 0.3, .clients = 2, .rate = 400, .idle = net::IdlePolicy::block},
                 .factor = 2,
                 .kept = 0.5,
                 .most = 800,
                 .overload = 0},
                {}, [&](const KneeStep& step) { shown.push_back(step); });
  ASSERT_TRUE(result.has_value()) << result.error();
  ASSERT_EQ(result->steps.size(), 2u);
  EXPECT_EQ(shown.size(), 2u);
  EXPECT_EQ(result->knee(), 800u);
  EXPECT_TRUE(result->is_ok());
  for (const KneeStep& step : result->steps) {
    EXPECT_GT(step.p50_ns, 0u);
    ASSERT_EQ(step.threads.size(), 2u);
    for (const ThreadLoad& thread : step.threads) {
      EXPECT_GT(thread.cpu_s, 0);
      EXPECT_GT(thread.wall_s, 0.25);
      EXPECT_LT(thread.busy(), 1.01);
    }
  }
  const std::string json = artefact_of(*result).text();
  for (const char* words : {"knee_per_s", "clients_us_a_request", "gateway_venue_busy", "resident_end_bytes"})
    EXPECT_NE(json.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace dojima::app::demo
