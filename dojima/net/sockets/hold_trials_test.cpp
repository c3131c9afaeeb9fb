// Whether wakes are put off is found out by trying.

#include "dojima/net/sockets/hold_trials.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace dojima::net {
namespace {

constexpr std::uint32_t k_half = HoldTrials::k_free + HoldTrials::k_held;
constexpr std::uint32_t k_lost = k_half + HoldTrials::k_between;  // wakes until the next trial, where it does not pay
constexpr std::uint32_t k_won = 2 * k_half + HoldTrials::k_between;  // and where it does

/// A loop that reads `free` bytes with a wake, and `held` with one that was put off.
class TriedLoop {
 public:
  std::uint64_t free = 0, held = 0;
  /// How many of so many wakes may be put off.
  std::uint32_t put_off(std::uint32_t wakes) {
    std::uint32_t count = 0;
    for (std::uint32_t wake = 0; wake < wakes; ++wake) {
      const bool is_put_off = trials_.allow(bytes_);
      bytes_ += is_put_off ? held : free;
      count += is_put_off ? 1 : 0;
    }
    return count;
  }

 private:
  HoldTrials trials_;
  std::uint64_t bytes_ = 0;
};

TEST(HoldTrials, put_wakes_off_that_have_more_to_read_then) {
  TriedLoop loop;
  loop.free = 100;
  loop.held = 151;
  EXPECT_EQ(loop.put_off(10 * k_won), 10 * (k_won - 2 * HoldTrials::k_free));
}

TEST(HoldTrials, put_none_off_but_those_of_a_trial_where_the_next_request_waits_for_the_answer) {
  for (const std::uint64_t held : {50U, 100U, 149U}) {
    TriedLoop loop;
    loop.free = 100;
    loop.held = held;
    EXPECT_EQ(loop.put_off(10 * k_lost), 10 * HoldTrials::k_held) << held;
  }
}

TEST(HoldTrials, put_none_off_where_nothing_is_read) {
  TriedLoop loop;
  EXPECT_EQ(loop.put_off(10 * k_lost), 10 * HoldTrials::k_held);
}

TEST(HoldTrials, take_a_load_that_begins_during_a_trial_for_none_that_pays) {
  TriedLoop loop;  // logons, say, before the first orders
  loop.free = loop.held = 10;
  EXPECT_EQ(loop.put_off(k_half - 20), HoldTrials::k_held - 20);
  loop.free = loop.held = 200;
  EXPECT_EQ(loop.put_off(20 + k_half + HoldTrials::k_between), 20 + HoldTrials::k_held);
}

TEST(HoldTrials, find_out_anew_when_the_load_is_another) {
  TriedLoop loop;
  loop.free = loop.held = 100;
  EXPECT_EQ(loop.put_off(k_lost), HoldTrials::k_held);
  loop.held = 400;
  EXPECT_EQ(loop.put_off(k_won), k_won - 2 * HoldTrials::k_free);
  loop.held = 100;
  EXPECT_EQ(loop.put_off(k_lost), HoldTrials::k_held);
}

}  // namespace
}  // namespace dojima::net
