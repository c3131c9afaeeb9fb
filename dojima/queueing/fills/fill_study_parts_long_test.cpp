#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/fills/feature_choice.hpp"
#include "dojima/queueing/fills/fill_samples.hpp"
#include "dojima/queueing/fills/fill_study.hpp"
#include "dojima/queueing/fills/level_follower.hpp"
#include "dojima/queueing/fills/logistic.hpp"
#include "dojima/queueing/fills/recalibration.hpp"

namespace dojima::queueing {
namespace {

/// Everything that a sample knows, drawn anew for each; what it sees decides what comes of it, less and less.
std::vector<FillSample> varied_samples(std::size_t count, std::uint64_t seed) {
  measure::Random random(seed);
  std::vector<FillSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    FillSample sample{.at = time::from_nanoseconds(static_cast<std::int64_t>(i) * 1'000'000'000),
                      .side = market::Side::buy,
                      .own = 1 + static_cast<std::int64_t>(random.below(40)),
                      .other = 1 + static_cast<std::int64_t>(random.below(400)),
                      .spread = 1 + static_cast<std::int64_t>(random.below(5))};
    sample.ahead = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sample.own) + 1));
    for (float& rate : sample.rates) rate = static_cast<float>(random.unit());
    const double share = static_cast<double>(1 + sample.ahead) / static_cast<double>(1 + sample.own);
    const double busy = static_cast<double>(sample.rates[recent_rate(RecentKind::executions, true, 1)]);
    const double level = std::sin(static_cast<double>(i) / 600) - static_cast<double>(i) / static_cast<double>(count);
    const double odds = level - 1.2 * std::log(share) + 1.5 * std::log(busy + 0.1);
    if (random.unit() < 1 / (1 + std::exp(-odds))) sample.filled_after = std::chrono::seconds{1 + random.below(8)};
    sample.mid_moved_after = std::chrono::seconds{2 + random.below(30)};
    samples.push_back(sample);
  }
  return samples;
}

/// A feature by its name alone.
double feature_of(const FillSample& sample, const std::string& name) {
  const auto ahead = static_cast<double>(sample.ahead), own = static_cast<double>(sample.own);
  std::map<std::string, double> known = {{"log own queue", std::log(own)},
                                         {"log other queue", std::log(static_cast<double>(sample.other))},
                                         {"log spread", std::log(static_cast<double>(sample.spread))},
                                         {"log share ahead", std::log((1 + ahead) / (1 + own))}};
  const std::pair<RecentKind, const char*> kinds[] = {
      {RecentKind::executions, "executions"}, {RecentKind::cancels, "cancels"}, {RecentKind::entries, "entries"}};
  const char* const memories[] = {"2", "10", "60", "600"};
  for (const auto& [kind, word] : kinds)
    for (std::size_t memory = 0; memory < 4; ++memory)
      for (const bool is_own : {true, false}) {
        const std::string side = is_own ? "own" : "other";
        known["log " + side + ' ' + word + ", " + memories[memory] + " s"] = std::log(
            static_cast<double>(sample.rates[recent_rate(kind, is_own, memory)]) + 1 / std::stod(memories[memory]));
      }
  return known.at(name);
}

/// What becomes of a question, put together from the parts that a study is made of: the rows by their times, the
/// regression by the names of its features, its recalibration and the step of its level by forward forecasts.
struct StudyByHand {
  std::vector<const FillSample*> fitted, judged;
  std::vector<double> coefficients, chances, following;
  Recalibration recalibration;
  double level_step = 0;

  StudyByHand(std::span<const FillSample> samples, const JudgedQuestion& result, const FillStudyPlan& plan) {
    const bool is_within = result.question == FillQuestion::within_horizon;
    const auto known = [&](const FillSample& sample) {
      return sample.at + (is_within ? plan.horizon : std::min(sample.filled_after, sample.mid_moved_after));
    };
    const auto is_yes = [&](const FillSample& sample) {
      return is_within ? sample.filled_after <= plan.horizon : sample.filled_after <= sample.mid_moved_after;
    };
    const auto in_seconds = [](time::Time at) { return static_cast<double>(time::nanoseconds_of(at)) * 1e-9; };
    const time::Duration never = time::Duration::max();
    for (const FillSample& sample : samples) {
      if (!is_within && sample.filled_after == never && sample.mid_moved_after == never) continue;
      if (known(sample) <= plan.fit_until) fitted.push_back(&sample);
      if (sample.at >= plan.fit_until) judged.push_back(&sample);
    }
    const std::span names = std::span(result.features).subspan(1);
    const auto row_of = [&](const FillSample& sample) {
      std::vector<double> row;
      for (const std::string& name : names) row.push_back(feature_of(sample, name));
      return row;
    };
    std::vector<double> features;
    std::vector<ChoiceRow> rows;
    std::vector<std::uint8_t> outcomes;
    for (const FillSample* const sample : fitted) {
      const auto row = row_of(*sample);
      features.insert(features.end(), row.begin(), row.end());
      rows.push_back({in_seconds(sample->at), in_seconds(known(*sample)), is_yes(*sample)});
      outcomes.push_back(is_yes(*sample) ? 1 : 0);
    }
    const auto regression = Logistic::fit(features, names.size(), outcomes);
    coefficients = regression->coefficients();
    std::vector<std::size_t> columns(names.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    const ForwardForecasts forward = forward_forecasts(columns, features, names.size(), rows, plan.choice);
    recalibration = Recalibration::fit(forward.chances, std::span(outcomes).subspan(forward.first));
    for (const FillSample* const sample : judged)
      chances.push_back(recalibration.of(regression->forecast(row_of(*sample))));
    if (!is_within) return;
    std::vector<LevelRow> level;
    for (std::size_t i = forward.first; i < rows.size(); ++i)
      level.push_back({rows[i].asked_s, rows[i].known_s, forward.chances[i - forward.first], rows[i].is_yes});
    level_step = best_level_step(level, plan.choice.folds - plan.choice.only_teach);
    level.clear();
    for (const auto* const part : {&fitted, &judged})
      for (const FillSample* const sample : *part)
        level.push_back({in_seconds(sample->at), in_seconds(known(*sample)), regression->forecast(row_of(*sample)),
                         is_yes(*sample)});
    following = followed(level, level_step);
    following.erase(following.begin(), following.begin() + static_cast<std::ptrdiff_t>(fitted.size()));
  }
};

double brier_of(std::span<const double> chances, std::span<const FillSample* const> samples, auto is_yes) {
  double sum = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) sum += std::pow(chances[i] - (is_yes(*samples[i]) ? 1 : 0), 2);
  return sum / static_cast<double>(chances.size());
}

TEST(FillStudyLong, says_what_its_parts_say_by_hand) {
  auto samples = varied_samples(6'000, 31);
  for (std::size_t i = 0; i < samples.size(); i += 7)  // neither happens while it is followed
    samples[i].filled_after = samples[i].mid_moved_after = time::Duration::max();
  const FillStudyPlan plan{
      .fit_until = samples[3'000].at, .order_quantity = 10, .choice = {.folds = 8, .only_teach = 2}};
  const auto study = study_fills(samples, plan);
  ASSERT_TRUE(study.has_value()) << study.error().text;
  for (const JudgedQuestion& result : study->questions) {
    const bool is_within = result.question == FillQuestion::within_horizon;
    const auto is_yes = [&](const FillSample& sample) {
      return is_within ? sample.is_filled_within(plan.horizon) : sample.is_filled_before_move();
    };
    ASSERT_GE(result.features.size(), 4u);
    const StudyByHand hand(samples, result, plan);
    EXPECT_EQ(result.fitted, hand.fitted.size());
    ASSERT_EQ(result.models[0].judged.samples, hand.judged.size());
    ASSERT_EQ(result.coefficients.size(), hand.coefficients.size());
    for (std::size_t i = 0; i < hand.coefficients.size(); ++i)
      EXPECT_NEAR(result.coefficients[i], hand.coefficients[i], 1e-9) << result.features[i];
    EXPECT_NEAR(result.recalibration.constant(), hand.recalibration.constant(), 1e-9);
    EXPECT_NEAR(result.recalibration.slope(), hand.recalibration.slope(), 1e-9);
    EXPECT_NEAR(result.models[0].judged.brier, brier_of(hand.chances, hand.judged, is_yes), 1e-12);
    EXPECT_EQ(result.level_step, hand.level_step);
    if (!is_within) continue;
    EXPECT_GT(result.level_step, 0) << "the level goes up and down";
    EXPECT_NEAR(result.models[1].judged.brier, brier_of(hand.following, hand.judged, is_yes), 1e-12);
  }
}

}  // namespace
}  // namespace dojima::queueing
