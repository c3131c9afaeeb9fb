#include "dojima/queueing/fills/feature_choice.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/fills/logistic.hpp"

namespace dojima::queueing {
namespace {

/// One row a second, known two seconds later; of five columns the second and the fourth decide.
struct ChoiceProblem {
  std::vector<double> features;
  std::vector<ChoiceRow> rows;

  ChoiceProblem(std::size_t count, std::uint64_t seed) {
    measure::Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      double columns[5] = {};
      for (double& column : columns) column = 2 * random.unit() - 1;
      features.insert(features.end(), columns, columns + 5);
      const double chance = 1 / (1 + std::exp(1 - 3 * columns[1] + 1.5 * columns[3]));
      const auto at = static_cast<double>(i);
      rows.push_back({.asked_s = at, .known_s = at + 2, .is_yes = random.unit() < chance});
    }
  }
};

const std::vector<FeatureGroup> k_columns = {{"zero", {0}}, {"one", {1}}, {"two", {2}}, {"three", {3}}, {"four", {4}}};

TEST(FeatureChoice, takes_what_decides_and_the_stronger_first) {
  const ChoiceProblem problem(2'000, 5);
  const FeatureChoice choice = choose_features(k_columns, problem.features, 5, problem.rows, {});
  ASSERT_GE(choice.groups.size(), 2u);
  EXPECT_EQ(choice.groups[0], 1u);
  EXPECT_EQ(choice.groups[1], 3u);
  ASSERT_EQ(choice.steps.size(), choice.groups.size() + (choice.groups.size() < 5 ? 1 : 0));
  double before = choice.brier_of_none;
  for (const ChoiceStep& step : choice.steps) {
    EXPECT_NEAR(step.gain, before - step.brier, 1e-12);
    EXPECT_EQ(step.is_taken, step.gain > step.gain_error);
    before = step.brier;
  }
  EXPECT_LT(choice.steps[1].brier, choice.brier_of_none - 0.04);
}

TEST(FeatureChoice, leaves_noise_alone_mostly) {
  std::size_t taken = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem(1'000, seed);
    const std::vector<FeatureGroup> noise = {{"zero", {0}}, {"two", {2}}};
    const FeatureChoice choice = choose_features(noise, problem.features, 5, problem.rows, {});
    for (const ChoiceStep& step : choice.steps) EXPECT_EQ(step.is_taken, step.gain > step.gain_error) << seed;
    taken += choice.groups.size();
  }
  EXPECT_LE(taken, 6u) << "of twenty; a gain above its standard error is luck about once in six";
}

TEST(FeatureChoice, takes_columns_of_a_group_together) {
  const ChoiceProblem problem(2'000, 5);
  const std::vector<FeatureGroup> groups = {{"noise", {0, 2, 4}}, {"both", {1, 3}}};
  const FeatureChoice choice = choose_features(groups, problem.features, 5, problem.rows, {});
  ASSERT_GE(choice.groups.size(), 1u);
  EXPECT_EQ(choice.groups[0], 1u);
  const FeatureChoice single = choose_features(k_columns, problem.features, 5, problem.rows, {});
  EXPECT_NEAR(choice.steps[0].brier, single.steps[1].brier, 1e-12) << "the same two columns";
}

/// Without a feature each fold is forecast by the share of yes among its teachers alone.
TEST(FeatureChoice, teaches_a_fold_by_what_was_known_before_it) {
  std::vector<ChoiceRow> rows;
  const bool outcomes[] = {true, true, false, true, false, false, false, true};
  for (std::size_t i = 0; i < 8; ++i)
    rows.push_back({.asked_s = static_cast<double>(i), .known_s = static_cast<double>(i) + 1.5, .is_yes = outcomes[i]});
  // The second fold begins at 4: rows 0, 1 and 2 are known by then. The third of four begins at 4 too, the last at 6:
  // rows 0 to 4.
  const double second = 2.0 / 3, last = 3.0 / 5;
  const auto squared = [](double value) { return value * value; };
  const std::vector<double> features(8, 0.0);
  const FeatureChoice choice = choose_features({}, features, 1, rows, {.folds = 2, .only_teach = 1});
  EXPECT_NEAR(choice.brier_of_none, (squared(1 - second) + 3 * squared(second)) / 4, 1e-12);
  EXPECT_TRUE(choice.steps.empty());
  const double scores[] = {squared(second), (squared(last) + squared(1 - last)) / 2};
  EXPECT_NEAR(choose_features({}, features, 1, rows, {.folds = 4, .only_teach = 2}).brier_of_none,
              (scores[0] + scores[1]) / 2, 1e-12);

  EXPECT_TRUE(may_teach({.asked_s = 1, .known_s = 4}, 4));
  EXPECT_FALSE(may_teach({.asked_s = 1, .known_s = 4.001}, 4));
  EXPECT_FALSE(may_teach({.asked_s = 9, .known_s = 12}, 4));
}

/// Two folds, each forecast by a regression of what came before: the gain and its error from both scores by hand.
TEST(FeatureChoice, holds_a_gain_against_its_standard_error) {
  const ChoiceProblem problem(400, 3);
  const FeatureChoice choice = choose_features(std::vector<FeatureGroup>{{"three", {3}}}, problem.features, 5,
                                               problem.rows, {.folds = 4, .only_teach = 2});
  double gains[2] = {};
  for (const std::size_t fold : {0u, 1u}) {
    std::vector<double> taught;
    std::vector<std::uint8_t> outcomes;
    double share = 0;
    const std::size_t begin = 200 + 100 * fold;
    for (std::size_t row = 0; row + 2 <= begin; ++row) {  // known two seconds later
      taught.push_back(problem.features[row * 5 + 3]);
      outcomes.push_back(problem.rows[row].is_yes ? 1 : 0);
      share += problem.rows[row].is_yes ? 1 : 0;
    }
    share /= static_cast<double>(outcomes.size());
    const auto regression = Logistic::fit(taught, 1, outcomes);
    ASSERT_TRUE(regression.has_value());
    for (std::size_t row = begin; row < begin + 100; ++row) {
      const double outcome = problem.rows[row].is_yes ? 1 : 0;
      const double chance = regression->forecast({&problem.features[row * 5 + 3], 1});
      gains[fold] += ((share - outcome) * (share - outcome) - (chance - outcome) * (chance - outcome)) / 100;
    }
  }
  ASSERT_EQ(choice.steps.size(), 1u);
  EXPECT_NEAR(choice.steps[0].gain, (gains[0] + gains[1]) / 2, 1e-12);
  EXPECT_NEAR(choice.steps[0].gain_error, std::fabs(gains[0] - gains[1]) / 2, 1e-12);
}

/// The chances that the choice judged by, row by row; without a column the shares.
TEST(FeatureChoice, gives_the_chances_it_judges_by) {
  const ChoiceProblem problem(400, 3);
  const ChoicePlan plan{.folds = 4, .only_teach = 1};
  const FeatureChoice choice =
      choose_features(std::vector<FeatureGroup>{{"three", {3}}}, problem.features, 5, problem.rows, plan);
  const auto brier = [&](std::vector<std::size_t> columns) {
    const ForwardForecasts forward = forward_forecasts(columns, problem.features, 5, problem.rows, plan);
    EXPECT_EQ(forward.first, 100u);
    EXPECT_EQ(forward.chances.size(), 300u);
    double sum = 0;
    for (std::size_t at = 0; at < forward.chances.size(); ++at)
      sum += std::pow(forward.chances[at] - (problem.rows[forward.first + at].is_yes ? 1 : 0), 2) / 300;
    return sum;
  };
  EXPECT_NEAR(brier({}), choice.brier_of_none, 1e-12);
  EXPECT_NEAR(brier({3}), choice.steps[0].brier, 1e-12);
}

TEST(FeatureChoice, thins_out_what_is_too_much) {
  const ChoiceProblem problem(4'000, 8);
  ChoiceProblem every_fourth(0, 8);
  for (std::size_t row = 0; row < 4'000; row += 4) {
    every_fourth.rows.push_back(problem.rows[row]);
    const auto begin = problem.features.begin() + static_cast<std::ptrdiff_t>(row * 5);
    every_fourth.features.insert(every_fourth.features.end(), begin, begin + 5);
  }
  const FeatureChoice thinned = choose_features(k_columns, problem.features, 5, problem.rows, {.most_rows = 1'000});
  const FeatureChoice plain = choose_features(k_columns, every_fourth.features, 5, every_fourth.rows, {});
  EXPECT_EQ(thinned.groups, plain.groups);
  EXPECT_EQ(thinned.brier_of_none, plain.brier_of_none);
}

/// What is left of a constant's gain is rounding, and so it is of the columns that are taken already.
TEST(FeatureChoice, takes_neither_a_constant_nor_the_same_columns_again) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ChoiceProblem problem(300, seed);
    for (std::size_t row = 0; row < 300; ++row) {
      problem.features[row * 5] = 0.1 * static_cast<double>(seed);
      problem.features[row * 5 + 2] = problem.features[row * 5 + 1];
    }
    const std::vector<FeatureGroup> groups = {{"constant", {0}}, {"one", {1}}, {"one again", {2}}};
    const FeatureChoice choice = choose_features(groups, problem.features, 5, problem.rows, {});
    ASSERT_GE(choice.groups.size(), 1u);
    EXPECT_NE(choice.groups[0], 0u) << seed;
    const std::vector<FeatureGroup> constant = {{"constant", {0}}};
    EXPECT_TRUE(choose_features(constant, problem.features, 5, problem.rows, {}).groups.empty()) << seed;
  }
}

/// Every group once, however much each of them gains.
TEST(FeatureChoice, takes_no_group_twice) {
  const ChoiceProblem problem(2'000, 5);
  const std::vector<FeatureGroup> groups = {{"one", {1}}, {"three", {3}}};
  const FeatureChoice choice = choose_features(groups, problem.features, 5, problem.rows, {});
  ASSERT_EQ(choice.steps.size(), 2u);
  EXPECT_EQ(choice.steps[0].group, 0u);
  EXPECT_EQ(choice.steps[1].group, 1u);
  const std::vector<FeatureGroup> noise = {{"one", {1}}, {"two", {2}}};
  const FeatureChoice with_noise = choose_features(noise, problem.features, 5, problem.rows, {});
  ASSERT_EQ(with_noise.steps.size(), 2u);
  EXPECT_EQ(with_noise.steps[1].group, 1u) << "what was taken does not compete again";
}

TEST(FeatureChoice, forecasts_all_rows_forward_however_few_it_chooses_by) {
  const ChoiceProblem problem(400, 3);
  const std::vector<std::size_t> columns = {1};
  const auto all = forward_forecasts(columns, problem.features, 5, problem.rows, {});
  const auto thinned = forward_forecasts(columns, problem.features, 5, problem.rows, {.most_rows = 100});
  EXPECT_EQ(all.first, 120u);
  EXPECT_EQ(thinned.first, all.first);
  EXPECT_EQ(thinned.chances, all.chances);
}

}  // namespace
}  // namespace dojima::queueing
