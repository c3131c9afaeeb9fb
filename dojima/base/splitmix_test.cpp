#include "dojima/base/splitmix.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace dojima {
namespace {

// The values of the reference implementation (Vigna, splitmix64.c) for the seed 1234567.
TEST(SplitMix, gives_the_numbers_of_the_reference) {
  SplitMix64 random(1'234'567);
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U, 16408922859458223821U})
    EXPECT_EQ(random.next(), expected);
}

TEST(SplitMix, draws_below_a_bound_and_by_chance) {
  SplitMix64 random(3), same(3);
  unsigned hits = 0;
  for (int draw = 0; draw < 10'000; ++draw) {
    const std::uint64_t value = random.below(100);
    EXPECT_LT(value, 100U);
    const bool is_hit = same.chance(30);
    EXPECT_EQ(is_hit, value < 30);
    if (is_hit) ++hits;
  }
  EXPECT_NEAR(hits, 3'000, 200);
}

}  // namespace
}  // namespace dojima
