#include "dojima/queueing/fills/level_follower.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {
namespace {

TEST(LevelFollower, says_what_it_is_told_while_nothing_is_known) {
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

/// One row a second, known ten seconds later; `truth` of the chance that is told.
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
  // Of a level that stands still every step is noise.
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
  const auto told = followed(rows, 0);
  double gain = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double outcome = rows[i].is_yes ? 1 : 0;
    gain += (told[i] - outcome) * (told[i] - outcome) - (given[i] - outcome) * (given[i] - outcome);
  }
  EXPECT_GT(gain / static_cast<double>(rows.size()), 0.005);
}

}  // namespace
}  // namespace dojima::queueing
