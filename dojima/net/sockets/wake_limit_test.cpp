// How often a loop that sleeps is woken.

#include "dojima/net/sockets/wake_limit.hpp"

#include <gtest/gtest.h>

namespace dojima::net {
namespace {

using std::chrono::microseconds;
using Instant = WakeLimit::Clock::time_point;

TEST(WakeLimit, without_one_nothing_waits) {
  WakeLimit limit(0);
  EXPECT_FALSE(limit.is_set());
  const Instant now{std::chrono::hours{1}};
  for (int wake = 0; wake < 100; ++wake) {
    EXPECT_EQ(limit.pause(now), microseconds{0});
    limit.note(now);
  }
}

TEST(WakeLimit, a_few_at_once_are_free_and_the_next_come_at_the_rate) {
  WakeLimit limit(5'000);
  ASSERT_TRUE(limit.is_set());
  Instant now{std::chrono::hours{1}};
  for (int wake = 0; wake < WakeLimit::k_at_once; ++wake) {
    EXPECT_EQ(limit.pause(now), microseconds{0}) << wake;
    limit.note(now);
  }
  for (int wake = 0; wake < 100; ++wake) {
    EXPECT_EQ(limit.pause(now), microseconds{200}) << wake;
    now += limit.pause(now);
    limit.note(now);
  }
}

TEST(WakeLimit, wakes_that_were_not_put_off_are_no_debt) {
  WakeLimit limit(5'000);
  Instant now{std::chrono::hours{1}};
  for (int wake = 0; wake < 10'000; ++wake) limit.note(now);
  EXPECT_EQ(limit.pause(now), microseconds{200});
}

TEST(WakeLimit, a_slower_loop_is_never_held_up_and_saves_no_more_than_a_few) {
  WakeLimit limit(5'000);
  Instant now{std::chrono::hours{1}};
  for (int wake = 0; wake < 1'000; ++wake) {
    now += microseconds{wake % 2 == 0 ? 100 : 300};  // now early, now late: at the rate in all
    EXPECT_EQ(limit.pause(now), microseconds{0}) << wake;
    limit.note(now);
  }
  now += std::chrono::hours{1};
  int free = 0;
  for (; limit.pause(now) == microseconds{0} && free < 100; ++free) limit.note(now);
  EXPECT_EQ(free, WakeLimit::k_at_once);
}

TEST(WakeLimit, within_any_second_wakes_are_at_most_the_rate_and_a_few) {
  WakeLimit limit(1'000);
  const Instant begin{std::chrono::hours{1}};
  Instant now = begin;
  std::uint32_t wakes = 0;
  for (std::uint32_t random = 1; now < begin + std::chrono::seconds{1}; ++wakes) {
    random = random * 1'664'525 + 1'013'904'223;
    now += microseconds{random % 700};  // what comes, mostly sooner than it may
    now += limit.pause(now);
    limit.note(now);
  }
  EXPECT_LE(wakes, 1'000u + WakeLimit::k_at_once + 1);
  EXPECT_GE(wakes, 980u) << "nothing waits longer than it has to";
}

}  // namespace
}  // namespace dojima::net
