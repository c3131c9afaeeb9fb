#include "dojima/queueing/fills/level_follower.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {
namespace {

TEST(LevelFollower, says_what_it_is_told_while_nothing_is_known) {
  const LevelFollower level(100, 10);
  for (const double chance : {0.01, 0.2, 0.9}) EXPECT_NEAR(level.followed(50, chance), chance, 1e-15);
}

TEST(LevelFollower, moves_the_odds_by_what_happened_over_what_was_forecast) {
  LevelFollower level(100, 10);
  for (int i = 0; i < 30; ++i) level.learn(0, 0.5, i % 3 != 0);  // 20 of 30, 15 were forecast
  const double ratio = (20 + 10) / (15 + 10.0);
  EXPECT_NEAR(level.followed(0, 0.5), ratio / (1 + ratio), 1e-12);
  EXPECT_NEAR(level.followed(0, 0.2), 0.25 * ratio / (1 + 0.25 * ratio), 1e-12);
  // Much later the outcomes count e times less.
  const double later = (20 / std::exp(1) + 10) / (15 / std::exp(1) + 10);
  EXPECT_NEAR(level.followed(100, 0.5), later / (1 + later), 1e-12);
  level.learn(100, 0.5, false);
  const double learned = (20 / std::exp(1) + 10) / (15 / std::exp(1) + 0.5 + 10);
  EXPECT_NEAR(level.followed(100, 0.5), learned / (1 + learned), 1e-12);
}

/// Chances that are all twice as high as the truth.
TEST(LevelFollower, finds_the_level_of_a_market_that_has_changed) {
  measure::Random random(5);
  LevelFollower level(1'000, 30);
  double told = 0, followed = 0, happened = 0;
  for (int second = 0; second < 20'000; ++second) {
    const double chance = 0.1 + 0.3 * random.unit();
    if (second >= 10'000) {
      told += chance;
      followed += level.followed(second, chance);
    }
    const bool is_yes = random.unit() < chance / 2;
    if (second >= 10'000) happened += is_yes ? 1 : 0;
    level.learn(second, chance, is_yes);
  }
  EXPECT_NEAR(told / happened, 2, 0.1);
  EXPECT_NEAR(followed / happened, 1, 0.05);
}

}  // namespace
}  // namespace dojima::queueing
