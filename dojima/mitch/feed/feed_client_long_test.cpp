// Many random days of a feed with loss, duplicates, overtaking, dead lines and joins at any time.

#include <gtest/gtest.h>

#include "dojima/mitch/feed/feed_world_test_support.hpp"

namespace dojima::mitch::testing {
namespace {

TEST(FeedClientLong, has_the_venues_books_whenever_a_group_is_live_on_random_days) {
  for (std::uint64_t seed = 101; seed <= 400; ++seed) {
    const auto most_loss_ppm = static_cast<std::uint32_t>(seed % 5 * 50'000);  // none to 20 %
    follow_a_random_day(seed, 300, most_loss_ppm);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(FeedClientLong, stays_equal_over_a_long_day_of_heavy_loss_on_both_lines) {
  FeedWorld world({.seed = 5,
                   .a = {.jitter = 900us, .loss_ppm = 200'000, .duplicate_ppm = 50'000},
                   .b = {.jitter = 900us, .loss_ppm = 200'000, .duplicate_ppm = 50'000}});
  Reader& reader = world.join();
  world.trade(2'000);
  Reader& late = world.join(FeedWorld::client_options("READ2"));
  world.trade(2'000);
  world.settle();
  for (const Reader* each : {&reader, &late}) {
    world.expect_equal(*each);
    world.expect_equal_whenever_live(*each);
    EXPECT_GT(each->lives[0].size(), 100u) << "gaps were closed again and again";
    EXPECT_EQ(each->client->counts().skipped, 0u) << "all of them by replay";
  }
}

}  // namespace
}  // namespace dojima::mitch::testing
