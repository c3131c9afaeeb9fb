#include "dojima/queueing/fills/level_follower.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {
namespace {

TEST(LevelFollower, returns_the_given_forecasts_while_nothing_is_known) {
  const LevelFollower level(0.1);
  for (const double chance : {0.01, 0.2, 0.9}) EXPECT_NEAR(level.followed(chance), chance, 1e-15);
}

TEST(LevelFollower, moves_the_log_odds_by_a_step_times_the_distance) {
  LevelFollower level(0.1);
  level.learn(0.2, true);
  level.learn(0.4, false);
  EXPECT_NEAR(level.offset(), 0.1 * (0.8 - 0.4), 1e-15);
  const double odds = 0.25 * std::exp(0.04);
  EXPECT_NEAR(level.followed(0.2), odds / (1 + odds), 1e-15);
}

/// One row a second, known ten seconds later; `truth` of the chance that is forecast.
std::vector<LevelRow> rows_with(std::size_t count, double truth, std::uint64_t seed) {
  measure::Random random(seed);
  std::vector<LevelRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<double>(i);
    const double chance = 0.1 + 0.3 * random.unit();
    rows.push_back({at, at + 10, chance, random.unit() < chance * truth});
  }
  return rows;
}

double mean_error(std::span<const double> given, std::span<const LevelRow> rows) {
  double sum = 0;
  for (std::size_t i = 0; i < given.size(); ++i) sum += given[i] - (rows[i].is_yes ? 1 : 0);
  return sum / static_cast<double>(given.size());
}

/// Chances twice as high as the truth, and half as high: in the long run the given ones are right on average, which a
/// ratio of sums is not.
TEST(LevelFollower, leaves_no_lasting_error_of_the_level) {
  for (const double truth : {0.5, 2.0}) {
    const auto rows = rows_with(20'000, truth, 5);
    EXPECT_GT(std::abs(mean_error(followed(rows, 0), rows)), 0.1);
    const auto given = followed(rows, 1.0 / 64);
    const auto later = std::span(given).subspan(5'000);
    EXPECT_NEAR(mean_error(later, std::span(rows).subspan(5'000)), 0, 0.004) << truth;
  }
}

/// Whatever the outcomes are: the sum of the distances is the offset's change over the step.
TEST(LevelFollower, has_distances_that_add_up_to_its_offset) {
  LevelFollower level(0.05);
  double sum = 0;
  for (int i = 0; i < 500; ++i) {
    const double given = level.followed(0.05 + 0.0018 * i);
    const bool is_yes = i % 7 == 0 || (i > 200 && i < 300);
    sum += (is_yes ? 1 : 0) - given;
    level.learn(given, is_yes);
  }
  EXPECT_NEAR(level.offset(), 0.05 * sum, 1e-12);
}

/// Outcomes count from the moment they are known, also when a later one is known first.
TEST(LevelFollower, uses_nothing_before_it_is_known) {
  const std::vector<LevelRow> rows = {{0, 5, 0.5, true},  {1, 3, 0.5, true},    {2.5, 9, 0.5, false},
                                      {3, 9, 0.5, false}, {4.9, 9, 0.5, false}, {5, 9, 0.5, false}};
  const auto given = followed(rows, 1);
  const auto at_offset = [](double offset) { return 1 / (1 + std::exp(-offset)); };
  EXPECT_NEAR(given[2], 0.5, 1e-15);
  EXPECT_NEAR(given[3], at_offset(0.5), 1e-15) << "known at 3";
  EXPECT_NEAR(given[4], at_offset(0.5), 1e-15);
  EXPECT_NEAR(given[5], at_offset(1), 1e-15) << "the one asked first is known at 5";
}

TEST(LevelFollower, stands_still_where_the_level_does_and_moves_where_it_moves) {
  // Of a constant level every step is noise.
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) moved += best_level_step(rows_with(10'000, 1, seed), 7) > 0;
  EXPECT_LE(moved, 3);
  // The chance of a yes goes up and down over an hour.
  auto rows = rows_with(20'000, 1, 8);
  measure::Random random(9);
  for (LevelRow& row : rows)
    row.is_yes = random.unit() < row.chance * (1 + 0.9 * std::sin(row.asked_s * 6.283185307 / 3'600));
  EXPECT_GE(best_level_step(rows, 7), 1.0 / 128);
  const auto given = followed(rows, best_level_step(rows, 7));
  const auto adjusted = followed(rows, 0);
  double gain = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double outcome = rows[i].is_yes ? 1 : 0;
    gain += (adjusted[i] - outcome) * (adjusted[i] - outcome) - (given[i] - outcome) * (given[i] - outcome);
  }
  EXPECT_GT(gain / static_cast<double>(rows.size()), 0.005);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Brier scores of parts by the rows' own definition.
std::vector<double> scores_by_part(std::span<const LevelRow> rows, double step, std::size_t parts) {
  const auto given = followed(rows, step);
  std::vector<double> scores;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * rows.size() / parts, end = (part + 1) * rows.size() / parts;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += std::pow(given[i] - (rows[i].is_yes ? 1 : 0), 2);
    scores.push_back(sum / static_cast<double>(end - begin));
  }
  return scores;
}

/// Of all steps the one that scores best, if that is by more than the standard error of what it gains over the parts.
double best_step_by_hand(std::span<const LevelRow> rows, std::size_t parts) {
  const auto n = static_cast<double>(parts);
  const auto still = scores_by_part(rows, 0, parts);
  double least = mean_of(still), best = 0;
  std::vector<double> gains(parts, 0.0);
  for (const double step : {1.0 / 1024, 1.0 / 512, 1.0 / 256, 1.0 / 128, 1.0 / 64, 1.0 / 32, 1.0 / 16}) {
    const auto scores = scores_by_part(rows, step, parts);
    if (mean_of(scores) >= least) continue;
    least = mean_of(scores);
    best = step;
    for (std::size_t part = 0; part < parts; ++part) gains[part] = still[part] - scores[part];
  }
  double squares = 0;
  for (const double gain : gains) squares += std::pow(gain - mean_of(gains), 2);
  return mean_of(gains) > std::sqrt(squares / (n * (n - 1))) ? best : 0;
}

/// Levels that move more and more: from not enough to be followed to as fast as can be.
TEST(LevelFollower, takes_the_step_that_a_search_by_hand_finds) {
  std::set<double> found;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto rows = rows_with(400, 1, seed);
    measure::Random random(seed + 100);
    double level = 0;
    for (LevelRow& row : rows) {
      level += (random.unit() - 0.5) * 0.02 * static_cast<double>(seed);
      row.is_yes = random.unit() < 1 / (1 + (1 / row.chance - 1) * std::exp(-level));
    }
    const double expected = best_step_by_hand(rows, 4);
    EXPECT_EQ(best_level_step(rows, 4), expected) << seed;
    found.insert(expected);
  }
  EXPECT_TRUE(found.contains(0));
  EXPECT_TRUE(found.contains(1.0 / 16));
}

/// Yes and no in turns, and a little more yes than was forecast: every step swings with the last outcome, away from the
/// next one, and the smallest does least.
TEST(LevelFollower, takes_the_smallest_step_where_a_level_is_wrong_by_little) {
  std::vector<LevelRow> rows;
  for (int i = 0; i < 4'000; ++i) {
    const auto at = static_cast<double>(i);
    rows.push_back({at, at + 1, 0.5, i % 2 == 0 || i % 70 == 1});
  }
  EXPECT_EQ(best_step_by_hand(rows, 4), 1.0 / 1024);
  EXPECT_EQ(best_level_step(rows, 4), 1.0 / 1024);
}

/// The odds of a level that has run away are those of a chance still.
TEST(LevelFollower, gives_chances_whatever_the_offset) {
  LevelFollower up(1), down(1);
  for (int i = 0; i < 2'000; ++i) {
    up.learn(0.5, true);
    down.learn(0.5, false);
  }
  EXPECT_EQ(up.offset(), 1'000);
  for (const double chance : {1e-6, 0.5, 1 - 1e-6}) {
    EXPECT_NEAR(up.followed(chance), 1, 1e-8);
    EXPECT_GT(down.followed(chance), 0);
    EXPECT_LT(down.followed(chance), 1e-8);
  }
}

}  // namespace
}  // namespace dojima::queueing
