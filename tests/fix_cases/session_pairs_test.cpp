// Pairs of sessions under everything: a few seeds, and more of them. `dojima-session-pairs` runs any number.

#include "tests/fix_cases/pair_world.hpp"

#include <gtest/gtest.h>

namespace dojima::pairs {
namespace {

void run_seeds(std::uint64_t seeds, std::uint64_t orders) {
  std::uint64_t deaths = 0, logons = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = run_pair({.seed = seed, .orders = orders});
    ASSERT_EQ(outcome.failure, "") << "dojima-session-pairs --log --seeds 1 --first-seed " << seed << " --messages "
                                   << orders;
    ASSERT_EQ(outcome.orders, orders);
    deaths += outcome.both.deaths;
    logons += outcome.both.logons;
  }
  EXPECT_GT(deaths, seeds / 4);
  EXPECT_GT(logons, seeds);
}

TEST(FixPairs, lose_double_and_reorder_nothing_under_everything) {
  run_seeds(25, 300);
}
TEST(FixPairsLong, lose_double_and_reorder_nothing_under_everything) {
  run_seeds(60, 3000);
}
TEST(FixPairs, are_the_same_run_with_the_same_seed) {
  const Outcome first = run_pair({.seed = 5, .orders = 300}), second = run_pair({.seed = 5, .orders = 300});
  EXPECT_EQ(first.virtual_time, second.virtual_time);
  EXPECT_EQ(first.both.deaths, second.both.deaths);
  EXPECT_EQ(first.both.logons, second.both.logons);
}
TEST(FixPairs, end_where_they_are_told_not_to_go_on) {
  std::uint64_t arrived = 0;
  const Outcome outcome = run_pair({.seed = 5, .orders = 1'000'000, .goes_on = [&](std::uint64_t orders) {
                                      arrived = orders;
                                      return false;
                                    }});
  EXPECT_TRUE(outcome.was_stopped);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.orders, arrived);
  EXPECT_GT(arrived, 1000u);
  EXPECT_LT(arrived, 500'000u);
}

}  // namespace
}  // namespace dojima::pairs
