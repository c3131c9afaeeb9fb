#include "dojima/queueing/fills/fill_study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/fills/birth_death.hpp"
#include "dojima/queueing/fills/fill_test_support.hpp"
#include "dojima/queueing/fills/logistic.hpp"
#include "dojima/queueing/fills/queue_reactive_fills.hpp"
#include "dojima/recorded/days/queue_reactive_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(Logistic, finds_the_weights_that_made_the_outcomes) {
  measure::Random random(3);
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (int row = 0; row < 20'000; ++row) {
    const double x = 4 * random.unit(), y = 10 * random.unit() - 5;
    features.insert(features.end(), {x, y});
    outcomes.push_back(random.unit() < 1 / (1 + std::exp(1 - 0.5 * x + 0.2 * y)) ? 1 : 0);
  }
  const auto model = Logistic::fit(features, 2, outcomes);
  ASSERT_TRUE(model.has_value()) << model.error().text;
  const auto weights = model->coefficients();
  EXPECT_NEAR(weights[0], -1, 0.1);
  EXPECT_NEAR(weights[1], 0.5, 0.04);
  EXPECT_NEAR(weights[2], -0.2, 0.02);
  const double row[] = {2, 0};
  EXPECT_NEAR(model->forecast(row), 0.5, 0.02);
}

/// Two groups: the likelihood's maximum is known exactly, each group's share.
TEST(Logistic, gives_a_group_its_share) {
  const std::vector<double> features = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const std::vector<std::uint8_t> outcomes = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  const auto model = Logistic::fit(features, 1, outcomes);
  ASSERT_TRUE(model.has_value()) << model.error().text;
  const double zero = 0, one = 1;
  EXPECT_NEAR(model->forecast({&zero, 1}), 0.1, 1e-3);
  EXPECT_NEAR(model->forecast({&one, 1}), 0.6, 1e-3);
}

/// What is left of a constant feature's deviations is rounding.
TEST(Logistic, learns_nothing_from_a_constant) {
  measure::Random random(4);
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (int row = 0; row < 7'200; ++row) {
    features.push_back(std::log(100));
    outcomes.push_back(random.unit() < 0.25 ? 1 : 0);
  }
  const auto model = Logistic::fit(features, 1, outcomes);
  ASSERT_TRUE(model.has_value()) << model.error().text;
  const double row = std::log(100);
  EXPECT_NEAR(model->forecast({&row, 1}), static_cast<double>(std::ranges::count(outcomes, 1)) / 7'200, 1e-6);
}

/// Outcomes that the sign decides would have an infinite weight; the ridge keeps it where both pulls are equal.
TEST(Logistic, has_a_finite_weight_where_a_feature_decides) {
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (int i = 0; i < 100; ++i) {
    features.push_back(i % 2 == 0 ? 1 : -1);
    outcomes.push_back(i % 2 == 0 ? 1 : 0);
  }
  const auto model = Logistic::fit(features, 1, outcomes);
  ASSERT_TRUE(model.has_value()) << model.error().text;
  const double weight = model->coefficients().at(1);
  EXPECT_NEAR(100 / (1 + std::exp(weight)), 1e-3 * weight, 1e-6);
}

TEST(Logistic, says_what_it_cannot_learn) {
  const std::vector<double> features(40, 1.0);
  EXPECT_EQ(Logistic::fit(features, 2, std::vector<std::uint8_t>(20, 1)).error().text,
            "20 samples are too few to fit 3 weights: it takes 30");
  EXPECT_EQ(Logistic::fit(features, 1, std::vector<std::uint8_t>(40, 1)).error().text,
            "all orders were filled of 40 samples in the part that is fitted: nothing to learn");
  EXPECT_EQ(Logistic::fit(features, 1, std::vector<std::uint8_t>(40, 0)).error().text,
            "no order was filled of 40 samples in the part that is fitted: nothing to learn");
}

TEST(Judgement, scores_forecasts_as_brier_did) {
  std::vector<Forecasted> forecasts;
  for (int i = 0; i < 100; ++i) forecasts.push_back({i * 1.0, i % 4 == 0 ? 0.7 : 0.1, i % 4 == 0});
  const Judgement judged = judge(forecasts, {.base_rate = 0.5, .block_s = 10});
  EXPECT_EQ(judged.samples, 100u);
  EXPECT_NEAR(judged.frequency, 0.25, 1e-12);
  EXPECT_NEAR(judged.brier, 0.25 * 0.09 + 0.75 * 0.01, 1e-12);
  EXPECT_NEAR(judged.brier_of_base, 0.25, 1e-12);
  EXPECT_NEAR(judged.skill.estimate, 0.88, 1e-12);
  EXPECT_LE(judged.skill.low, 0.88);
  EXPECT_GE(judged.skill.high, 0.88);
  EXPECT_GT(judged.skill.low, 0.85);
  EXPECT_NEAR(judged.calibration_error, 0.25 * 0.3 + 0.75 * 0.1, 1e-12);
  ASSERT_EQ(judged.reliability.size(), 2u);  // equal forecasts stay together
  EXPECT_EQ(judged.reliability[0].samples, 75u);
}

/// Half of the blocks score 0 and half 0.25 of the base rate's 0.25: a skill of 0.5 with a standard error of 0.025.
TEST(Judgement, has_an_interval_with_two_sides) {
  std::vector<Forecasted> forecasts;
  for (int i = 0; i < 400; ++i) forecasts.push_back({i * 1.0, i % 2 == 0 ? 0.0 : 0.5, false});
  const Judgement judged = judge(forecasts, {.base_rate = 0.5, .block_s = 1, .confidence = 0.5});
  EXPECT_NEAR(judged.skill.estimate, 0.5, 1e-12);
  EXPECT_NEAR(judged.skill.low, 0.5 - 0.6745 * 0.025, 0.005);
  EXPECT_NEAR(judged.skill.high, 0.5 + 0.6745 * 0.025, 0.005);
}

/// Who says the base rate has no skill in any draw of the blocks, however much they differ.
TEST(Judgement, has_no_doubt_that_the_base_rate_has_no_skill) {
  std::vector<Forecasted> forecasts;
  for (int i = 0; i < 1'000; ++i) forecasts.push_back({i * 1.0, 0.2, i < 300});
  const Judgement judged = judge(forecasts, {.base_rate = 0.2, .block_s = 10});
  EXPECT_NEAR(judged.brier_of_base, 0.3 * 0.64 + 0.7 * 0.04, 1e-12);
  EXPECT_EQ(judged.skill.estimate, 0);
  EXPECT_EQ(judged.skill.low, 0);
  EXPECT_EQ(judged.skill.high, 0);
}

TEST(Judgement, draws_neighbours_together) {
  std::vector<Forecasted> forecasts;  // good for an hour, bad for an hour
  for (int i = 0; i < 7'200; ++i) forecasts.push_back({i * 1.0, i < 3'600 ? 0.1 : 0.9, false});
  const auto width = [&](double block_s) {
    const auto skill = judge(forecasts, {.base_rate = 0.5, .block_s = block_s}).skill;
    return skill.high - skill.low;
  };
  EXPECT_GT(width(600), 5 * width(1));
}

/// Samples whose fills depend on the other queue: a regression sees it, and beats the base rate.
std::vector<FillSample> made_samples(std::size_t count) {
  measure::Random random(9);
  std::vector<FillSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    FillSample sample{.at = time::from_nanoseconds(static_cast<std::int64_t>(i) * 1'000'000'000),
                      .side = market::Side::buy,
                      .ahead = 100,
                      .own = 100,
                      .other = 100 * (1 + static_cast<std::int64_t>(random.below(8))),
                      .spread = 1};
    const bool is_filled = random.unit() < 0.1 * static_cast<double>(sample.other) / 100;
    if (is_filled) sample.filled_after = std::chrono::seconds{1};
    sample.mid_moved_after = std::chrono::seconds{2};
    samples.push_back(sample);
  }
  return samples;
}

TEST(FillStudy, judges_only_what_it_has_not_seen) {
  const auto samples = made_samples(2'000);
  const FillStudyPlan plan{.fit_until = samples[1'000].at, .order_quantity = 100};
  const auto study = study_fills(samples, plan);
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  EXPECT_EQ(within.fitted, 991u);  // ten seconds before the end of the fit their outcome is not known
  ASSERT_EQ(within.models.size(), 2u);
  EXPECT_EQ(within.models[0].judged.samples, 1'000u);
  EXPECT_GT(within.models[0].judged.skill.low, 0.1);
  ASSERT_GE(within.choice.groups.size(), 1u);
  EXPECT_EQ(fill_feature_groups()[within.choice.groups[0]].name, "other queue");
  ASSERT_EQ(within.coefficients.size(), within.features.size());
  EXPECT_EQ(within.features[0], "constant");
  EXPECT_EQ(within.features[1], "log other queue");
  EXPECT_GT(within.coefficients[1], 1.0);
  ASSERT_EQ(within.places.size(), 1u);
  EXPECT_EQ(within.places[0].most_ahead, 1);
  EXPECT_EQ(within.places[0].samples, 1'000u);
}

TEST(FillStudy, sees_the_place_in_the_queue) {
  auto samples = made_samples(2'000);
  measure::Random random(15);
  for (FillSample& sample : samples) {
    sample.ahead = static_cast<std::int64_t>(random.below(5)) * 25;
    const double chance = sample.ahead < 50 ? 0.6 : 0.1;
    sample.filled_after = random.unit() < chance ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
  }
  const auto study = study_fills(samples, {.fit_until = samples[1'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  ASSERT_GE(study->questions[0].features.size(), 2u);
  EXPECT_EQ(study->questions[0].features[1], "log share ahead");
  EXPECT_LT(study->questions[0].coefficients[1], 0);
}

/// A sample's answer is known ten seconds later, so the ten seconds before a fold teach it nothing.
TEST(FillStudy, keeps_folds_apart_by_the_horizon) {
  const auto samples = made_samples(2'000);
  const auto study = study_fills(samples, {.fit_until = samples[1'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const std::size_t fitted = study->questions[0].fitted;
  double brier = 0;
  for (std::size_t fold = 3; fold < 10; ++fold) {
    const std::size_t begin = fold * fitted / 10, end = (fold + 1) * fitted / 10;
    double yes = 0, teachers = 0, sum = 0;
    for (std::size_t at = 0; at + 10 <= begin; ++at) {  // one sample a second
      ++teachers;
      yes += samples[at].is_filled_within(std::chrono::seconds{10});
    }
    for (std::size_t at = begin; at < end; ++at)
      sum += std::pow(yes / teachers - (samples[at].is_filled_within(std::chrono::seconds{10}) ? 1 : 0), 2);
    brier += sum / static_cast<double>(end - begin) / 7;
  }
  EXPECT_NEAR(study->questions[0].choice.brier_of_none, brier, 1e-12);
}

TEST(FillStudy, asks_the_market_models_by_the_clock_that_the_executions_keep) {
  const std::vector<recorded::RecordedEvent> events = {
      happened(0, recorded::EventKind::add, market::Side::buy, 1, 100, 900),
      happened(0, recorded::EventKind::add, market::Side::sell, 2, 101, 100),
      happened(10'000, recorded::EventKind::execute, market::Side::buy, 1, 100, 400)};
  TouchRatesCounter counter(0, 1, 100);
  counter.take(events, k_rice);
  const TouchRates rates = counter.rates(1);
  ASSERT_NEAR(rates.execution, 0.2, 1e-12);
  std::vector<FillSample> samples = made_samples(4'000);
  measure::Random random(11);
  double expected = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    FillSample& sample = samples[i];
    sample.ahead = 150;  // two orders, of 100 each, rounded up
    sample.own = 150;
    const bool is_busy = random.unit() < 0.5;
    for (const std::size_t memory : {1u, 3u})
      sample.rates[recent_rate(RecentKind::executions, true, memory)] = is_busy ? 1.8F : 0.2F;  // the mean is 1, about
    const double chance = filled_within(rates, 2, is_busy ? 18 : 2);
    sample.filled_after = random.unit() < chance ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
    if (i >= 2'000) expected += chance / 2'000;
  }
  FillStudyPlan plan{.fit_until = samples[2'000].at, .order_quantity = 100, .touch_rates = &counter};
  plan.queue_reactive = recorded::rice_market().rates;
  plan.runs = 20;
  const auto study = study_fills(samples, plan);
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  ASSERT_EQ(within.models.size(), 4u);
  EXPECT_EQ(within.models[2].model, FillModel::birth_death);
  EXPECT_EQ(within.models[2].clock_power, 1) << "the outcomes go with the executions";
  EXPECT_GT(within.models[2].judged.skill.low, 0.2);
  EXPECT_LT(within.models[2].judged.calibration_error, 0.03);
  ASSERT_EQ(within.places.size(), 1u);
  EXPECT_EQ(within.places[0].most_ahead, 2);
  EXPECT_EQ(within.places[0].least_ahead, 2);
  EXPECT_NEAR(within.places[0].forecasts[2], expected, 0.01);
  EXPECT_EQ(within.models[3].model, FillModel::queue_reactive);
  // The race has no clock.
  const JudgedQuestion& race = study->questions[1];
  ASSERT_EQ(race.models.size(), 3u) << "its level does not follow";
  EXPECT_EQ(race.models[1].model, FillModel::birth_death);
  EXPECT_EQ(race.models[1].clock_power, 0);
  double by_state = 0;
  for (std::size_t i = 2'000; i < 4'000; ++i) {
    auto other = static_cast<std::uint32_t>(samples[i].other / 100);
    if (other > 4) other = (other + 2) / 4 * 4;
    by_state += filled_before_move(rates, 2, other) / 2'000;
  }
  EXPECT_NEAR(race.places[0].forecasts[1], by_state, 1e-9);
}

/// Half an hour in which many are filled, half an hour in which few are: on the fitted part a level that follows does
/// better, and so it does on the rest; by what is known alone, ten seconds later.
TEST(FillStudy, follows_the_level_by_what_is_known_alone) {
  auto samples = made_samples(14'400);
  measure::Random random(17);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i].filled_after = random.unit() < (i / 1'800 % 2 == 0 ? 0.4 : 0.1) ? time::Duration{std::chrono::seconds{1}}
                                                                               : time::Duration::max();
  const auto study = [&](std::size_t end) {
    return study_fills(std::span(samples).first(end), {.fit_until = samples[7'200].at, .order_quantity = 100});
  };
  const auto all = study(samples.size());
  ASSERT_TRUE(all.has_value()) << all.error().text;
  const JudgedQuestion& within = all->questions[0];
  EXPECT_EQ(within.models[1].model, FillModel::logistic_following);
  EXPECT_GT(within.level_step, 0);
  EXPECT_GT(within.models[1].judged.skill.low, 0.05);
  EXPECT_LT(within.models[0].judged.skill.high, 0.02);
  // Up to nine seconds after the last sample that differs it is as if nothing had happened.
  const auto mean = [](const Answer<FillStudy>& of) { return of->questions[0].places[0].forecasts[1]; };
  for (std::size_t i = 9'000; i < 9'010; ++i) samples[i].filled_after = time::Duration::max();
  const double before = mean(study(9'010)), later = mean(study(9'030));
  for (std::size_t i = 9'000; i < 9'010; ++i) samples[i].filled_after = std::chrono::seconds{1};
  EXPECT_EQ(mean(study(9'010)), before);
  EXPECT_GT(mean(study(9'030)), later);
}

/// The share that is filled falls over the day, so every stretch is forecast too high by those before it: how much, the
/// fitted part says by itself, and the rest is forecast lower than it was fitted.
TEST(FillStudy, recalibrates_by_forecasts_of_later_stretches) {
  auto samples = made_samples(6'000);
  measure::Random random(19);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double chance = 0.1 * static_cast<double>(samples[i].other) / 100 * (1 - static_cast<double>(i) / 9'000);
    samples[i].filled_after = random.unit() < chance ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
  }
  const auto study = study_fills(samples, {.fit_until = samples[3'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  EXPECT_LT(within.recalibration.constant(), -0.1);
  EXPECT_NEAR(within.recalibration.slope(), 1, 0.25);
  // As the regression was fitted its forecasts have the base rate on average.
  EXPECT_LT(within.places[0].forecasts[0], within.base_rate - 0.03);
  EXPECT_GT(within.places[0].forecasts[0], within.models[0].judged.frequency);
}

/// The features lie side by side as their names say, and every column belongs to one group.
TEST(FillStudy, chooses_from_all_that_a_sample_knows) {
  const auto names = fill_features();
  EXPECT_EQ(names.size(), 4 + k_recent_rates);
  EXPECT_EQ(names[4 + recent_rate(RecentKind::executions, false, 1)], "log other executions, 10 s");
  EXPECT_EQ(names[4 + recent_rate(RecentKind::entries, true, 3)], "log own entries, 600 s");
  std::vector<int> taken(names.size(), 0);
  for (const FeatureGroup& group : fill_feature_groups())
    for (const std::size_t column : group.columns) {
      ++taken[column];
      EXPECT_NE(names[column].find(group.name), std::string::npos) << names[column] << " in " << group.name;
    }
  EXPECT_EQ(taken, std::vector<int>(names.size(), 1));
}

TEST(FillStudy, has_the_base_rate_where_nothing_helps) {
  auto samples = made_samples(2'000);
  measure::Random random(21);
  for (FillSample& sample : samples) {
    sample.other = 100;  // all alike
    sample.filled_after = random.unit() < 0.3 ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
  }
  const auto study = study_fills(samples, {.fit_until = samples[1'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  EXPECT_TRUE(within.choice.groups.empty());
  EXPECT_EQ(within.features, std::vector<std::string>{"constant"});
  EXPECT_NEAR(1 / (1 + std::exp(-within.coefficients[0])), within.base_rate, 1e-12);
  EXPECT_EQ(within.models[0].judged.skill.estimate, 0);
}

/// Samples that do not differ, and nobody is filled for most of the fitted part: nothing is forecast as impossible that
/// a recalibration or a level could not move.
TEST(FillStudy, bears_stretches_in_which_nobody_was_filled) {
  auto samples = made_samples(2'000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].other = 100;
    samples[i].filled_after = i >= 600 && i % 3 == 0 ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
  }
  const auto study = study_fills(samples, {.fit_until = samples[1'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  EXPECT_NEAR(study->questions[0].base_rate, 131 / 991.0, 1e-12);
}

/// 0, 1, 2, 3-4, 5-8, ... orders of a hundred, rounded up.
TEST(FillStudy, counts_the_places_in_the_queue_in_orders) {
  auto samples = made_samples(2'000);
  measure::Random random(23);
  std::map<std::int64_t, std::size_t> in_class;  // by the least place
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].own = 1'200;
    samples[i].ahead = static_cast<std::int64_t>(random.below(1'201));
    if (i < 1'000) continue;
    std::int64_t orders = 0;
    while (orders * 100 < samples[i].ahead) ++orders;
    ++in_class[orders <= 2 ? orders : orders <= 4 ? 3 : orders <= 8 ? 5 : 9];
  }
  const auto study = study_fills(samples, {.fit_until = samples[1'000].at, .order_quantity = 100});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  ASSERT_EQ(in_class.size(), 6u);
  std::vector<std::pair<std::int64_t, std::size_t>> found;
  for (const PlaceRow& row : study->questions[0].places) {
    found.emplace_back(row.least_ahead, row.samples);
    EXPECT_EQ(row.most_ahead, row.least_ahead <= 2 ? row.least_ahead : 2 * (row.least_ahead - 1));
  }
  EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, std::size_t>>(in_class.begin(), in_class.end())));
}

/// The model's clock: the executions of the last ten seconds, and those of ten minutes for as much as a minute, over
/// the mean of these in the fitted part. What the judged part has on average, or what became of it, is not known yet.
TEST(FillStudy, keeps_the_clock_of_the_fitted_part) {
  const std::vector<recorded::RecordedEvent> events = {
      happened(0, recorded::EventKind::add, market::Side::buy, 1, 100, 900),
      happened(0, recorded::EventKind::add, market::Side::sell, 2, 101, 100),
      happened(10'000, recorded::EventKind::execute, market::Side::buy, 1, 100, 400)};
  TouchRatesCounter counter(0, 1, 100);
  counter.take(events, k_rice);
  std::vector<FillSample> samples = made_samples(4'000);
  measure::Random random(11);
  double mean = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    FillSample& sample = samples[i];
    sample.ahead = sample.own = 150;
    const double busy = random.unit() < 0.5 ? 2 : 0.25;
    sample.rates[recent_rate(RecentKind::executions, true, 1)] = static_cast<float>(busy * 1.5);
    sample.rates[recent_rate(RecentKind::executions, true, 3)] = static_cast<float>(busy * (i < 2'000 ? 1 : 3));
    if (i < 1'991) mean += static_cast<double>(sample.rates[recent_rate(RecentKind::executions, true, 3)]) / 1'991;
  }
  double expected = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    FillSample& sample = samples[i];
    const auto rate = [&](std::size_t memory) {
      return static_cast<double>(sample.rates[recent_rate(RecentKind::executions, true, memory)]);
    };
    const double speed = std::clamp((10 * rate(1) + 60 * rate(3)) / 70 / mean, 0.05, 4.0);
    const double chance = filled_within(counter.rates(1), 2, 10 * speed);
    if (i >= 2'000) expected += chance / 2'000;
    const double given = i < 2'000 ? chance : 0.5;
    sample.filled_after = random.unit() < given ? time::Duration{std::chrono::seconds{1}} : time::Duration::max();
  }
  const auto study =
      study_fills(samples, {.fit_until = samples[2'000].at, .order_quantity = 100, .touch_rates = &counter});
  ASSERT_TRUE(study.has_value()) << study.error().text;
  const JudgedQuestion& within = study->questions[0];
  EXPECT_EQ(within.fitted, 1'991u);
  ASSERT_EQ(within.models[2].model, FillModel::birth_death);
  EXPECT_EQ(within.models[2].clock_power, 1);
  EXPECT_NEAR(within.places[0].forecasts[2], expected, 1e-9);
}

TEST(FillStudy, says_which_part_is_too_short) {
  const auto samples = made_samples(300);
  EXPECT_EQ(study_fills(samples, {.fit_until = samples[250].at}).error().text,
            "filled within the horizon: 50 samples after the part that is fitted: it takes 100 to judge");
  EXPECT_EQ(study_fills(samples, {.fit_until = samples[30].at}).error().text,
            "filled within the horizon: 21 samples in the part that is fitted: it takes 200 to choose features and fit "
            "their weights");
}

TEST(QueueReactiveFills, are_rarer_the_more_orders_are_ahead) {
  const recorded::QueueReactiveModel model = recorded::rice_market();
  QueueReactiveFills fills(model.rates, {.runs = 400, .longest_s = 20, .seed = 2});
  double before = 1;
  for (const std::uint32_t ahead : {0u, 2u, 5u}) {
    const FillChances& chances = fills.chances({.ahead = ahead, .own = 5, .other = 3, .spread = 1});
    EXPECT_LT(chances.within(10), before);
    EXPECT_LE(chances.within(1), chances.within(10));
    EXPECT_LE(chances.within(10), chances.within(20));
    before = chances.within(10);
  }
  EXPECT_EQ(fills.states(), 3u);
  QueueReactiveFills again(model.rates, {.runs = 400, .longest_s = 20, .seed = 2});
  EXPECT_EQ(again.chances({.ahead = 5, .own = 5, .other = 3, .spread = 1}).within(10), before) << "whatever was asked";
}

/// With nothing but executions of one queue, the order waits for an Erlang time.
TEST(QueueReactiveFills, wait_for_those_ahead) {
  flow::QueueReactiveRates rates{.distances = {1}, .lengths = 8, .rates = {}};
  for (std::uint64_t length = 0; length < 8; ++length)
    rates.rates.push_back({.limit = length == 0 ? 1u : 0u, .execution = 1'000'000, .occupancy = 1});
  QueueReactiveFills fills(rates, {.runs = 10'000, .longest_s = 10, .seed = 4});
  // Two ahead and one behind: the third execution; the other side has plenty and moves nothing.
  const FillChances& chances = fills.chances({.ahead = 2, .own = 3, .other = 7, .spread = 1});
  const double erlang = 1 - std::exp(-3.0) * (1 + 3 + 4.5);
  EXPECT_NEAR(chances.within(3), erlang, 4 * std::sqrt(0.25 / 10'000));
}

/// One ahead and nobody behind: the second execution is at a worse price and would have been the order's.
TEST(QueueReactiveFills, are_filled_by_a_trade_at_a_worse_price) {
  flow::QueueReactiveRates rates{.distances = {3}, .lengths = 8, .rates = {}};
  for (std::uint64_t length = 0; length < 8; ++length)
    rates.rates.push_back({.limit = length == 0 ? 1u : 0u, .execution = 1'000'000, .occupancy = length == 7 ? 1u : 0u});
  QueueReactiveFills fills(rates, {.runs = 10'000, .longest_s = 10, .seed = 4});
  const FillChances& chances = fills.chances({.ahead = 1, .own = 1, .other = 7, .spread = 1});
  EXPECT_NEAR(chances.within(2), 1 - 3 * std::exp(-2.0), 4 * std::sqrt(0.25 / 10'000));
  EXPECT_EQ(chances.before_move(), 0) << "the first one has moved the bid";
  // Both queues are executed once a second, and the mid moves with the second execution of the other one.
  EXPECT_NEAR(fills.chances({.ahead = 0, .own = 1, .other = 2, .spread = 1}).before_move(), 1 - 0.25,
              4 * std::sqrt(0.25 / 10'000));
}

/// Nobody trades: the only way to a fill is that the other side comes to the order's price.
TEST(QueueReactiveFills, are_filled_when_the_other_side_comes_to_their_price) {
  flow::QueueReactiveRates rates{.distances = {2}, .lengths = 3, .rates = {}};
  for (std::uint64_t length = 0; length < 3; ++length)
    rates.rates.push_back({.limit = length == 0 ? 1'000'000u : 0u,
                           .cancel = length == 0 ? 0u : 1'000'000u,
                           .occupancy = length == 1 ? 1u : 0u});
  QueueReactiveFills fills(rates, {.runs = 1'000, .longest_s = 20, .seed = 5});
  const FillChances& chances = fills.chances({.ahead = 1, .own = 1, .other = 1, .spread = 1});
  EXPECT_GT(chances.within(20), 0.05);
  EXPECT_LT(chances.within(20), 0.95);
}

}  // namespace
}  // namespace dojima::queueing
