#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dojima/queueing/fills/fill_samples.hpp"
#include "dojima/queueing/fills/fill_study.hpp"
#include "dojima/queueing/fills/queue_reactive_fills.hpp"
#include "dojima/recorded/days/queue_reactive_calibration.hpp"
#include "dojima/recorded/days/queue_reactive_test_support.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::queueing {
namespace {

using std::chrono::seconds;

recorded::QueueReactiveModel day_of(std::int64_t length_s) {
  recorded::QueueReactiveModel model = recorded::rice_market();
  model.length = seconds{length_s};
  return model;
}

/// The rates of a generated day, with the queues that were found there, and the fills of another day, at every place
/// that at least 10,000 orders joined.
TEST(FillStudyLong, forecasts_the_fills_of_a_generated_day_to_a_hundredth_at_every_place) {
  recorded::QueueReactiveDay first({.model = day_of(200'000), .seed = 1});
  recorded::QueueReactiveCalibration calibration({.distances = {1, 2, 4}, .lengths = 10}, 0, 100, 100);
  for (auto batch = first.next_batch(); !batch.empty(); batch = first.next_batch())
    calibration.take(batch, first.instruments());
  const auto model = calibration.model();
  ASSERT_TRUE(model.has_value()) << model.error();
  flow::QueueReactiveRates rates = recorded::rice_market().rates;
  for (std::size_t at = 0; at < rates.rates.size(); ++at) rates.rates[at].occupancy = model->rates.rates[at].occupancy;

  recorded::QueueReactiveDay second({.model = day_of(700'000), .seed = 2});
  FillSampler sampler({.horizon = seconds{5}, .every = seconds{5}});
  for (auto batch = second.next_batch(); !batch.empty(); batch = second.next_batch())
    sampler.take(batch, second.instruments());
  const auto samples = sampler.finish();
  ASSERT_TRUE(samples.has_value()) << samples.error().text;

  QueueReactiveFills fills(rates, {.runs = 1'000, .longest_s = 5});
  struct Place {
    double samples = 0, filled = 0, forecast = 0, first = 0, first_forecast = 0, races = 0;
  };
  std::map<std::int64_t, Place> places;
  for (const FillSample& sample : *samples) {
    const FillChances& chances = fills.chances({.ahead = static_cast<std::uint32_t>(sample.ahead / 100),
                                                .own = static_cast<std::uint32_t>(sample.own / 100),
                                                .other = static_cast<std::uint32_t>(sample.other / 100),
                                                .spread = static_cast<std::uint32_t>(sample.spread / 100)});
    Place& place = places[sample.ahead / 100];
    ++place.samples;
    place.filled += sample.is_filled_within(seconds{5});
    place.forecast += chances.within(5);
    if (!sample.is_race_decided()) continue;
    ++place.races;
    place.first += sample.is_filled_before_move();
    place.first_forecast += chances.before_move();
  }
  std::size_t judged = 0;
  for (const auto& [ahead, place] : places) {
    if (place.samples < 10'000) continue;
    ++judged;
    EXPECT_NEAR(place.forecast / place.samples, place.filled / place.samples, 0.01)
        << ahead << " ahead, " << place.samples << " samples";
    EXPECT_NEAR(place.first_forecast / place.races, place.first / place.races, 0.01) << ahead << " ahead, race";
  }
  EXPECT_GE(judged, 5u);
}

TEST(FillStudyLong, reaches_its_skill_on_a_recorded_day) {
  const char* const folder = std::getenv("DOJIMA_DATA");
  const std::string name = "/lobster/AMZN_2012-06-21_34200000_57600000_message_1.csv.gz";
  if (folder == nullptr) GTEST_SKIP() << "no data";
  auto file = recorded::RecordedFile::open(folder + name);
  if (!file) GTEST_SKIP() << "no data";
  FillSampler sampler({});
  for (auto batch = file->reader().next_batch(); !batch.empty(); batch = file->reader().next_batch())
    sampler.take(batch, file->reader().instruments());
  const auto samples = sampler.finish();
  ASSERT_TRUE(samples.has_value()) << samples.error().text;
  const time::Time half = sampler.first() + (sampler.last() - sampler.first()) / 2;
  const auto study = study_fills(*samples, {.fit_until = half, .tick = sampler.tick(), .order_quantity = 76});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  EXPECT_NEAR(within.base_rate, 0.17, 0.01);
  EXPECT_NEAR(within.models[0].judged.frequency, 0.19, 0.01);
  EXPECT_GE(within.models[0].judged.skill.estimate, 0.08);
  EXPECT_GT(within.models[0].judged.skill.low, 0);
  EXPECT_LE(within.models[0].judged.calibration_error, 0.02);
  EXPECT_GE(within.models[1].judged.skill.estimate, 0.08);
  EXPECT_LE(within.models[1].judged.calibration_error, 0.02);
  // What the first half alone chooses.
  std::vector<std::string> chosen;
  for (const std::size_t group : within.choice.groups) chosen.push_back(fill_feature_groups()[group].name);
  EXPECT_EQ(chosen, (std::vector<std::string>{"executions, 60 s", "spread", "executions, 10 s"}));
}

}  // namespace
}  // namespace dojima::queueing
