// Whether wakes are put off is found out by trying.

#include "dojima/net/sockets/hold_trials.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace dojima::net {
namespace {

constexpr std::uint32_t k_round = HoldTrials::k_free + HoldTrials::k_held + HoldTrials::k_between;

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
  EXPECT_EQ(loop.put_off(10 * k_round), 10 * (k_round - HoldTrials::k_free));
}

TEST(HoldTrials, put_none_off_but_those_of_a_trial_where_the_next_request_waits_for_the_answer) {
  for (const std::uint64_t held : {50U, 100U, 149U}) {
    TriedLoop loop;
    loop.free = 100;
    loop.held = held;
    EXPECT_EQ(loop.put_off(10 * k_round), 10 * HoldTrials::k_held) << held;
  }
}

TEST(HoldTrials, put_none_off_where_nothing_is_read) {
  TriedLoop loop;
  EXPECT_EQ(loop.put_off(10 * k_round), 10 * HoldTrials::k_held);
}

TEST(HoldTrials, find_out_anew_when_the_load_is_another) {
  TriedLoop loop;
  loop.free = loop.held = 100;
  EXPECT_EQ(loop.put_off(k_round), HoldTrials::k_held);
  loop.held = 400;
  EXPECT_EQ(loop.put_off(k_round), k_round - HoldTrials::k_free);
  loop.held = 100;
  EXPECT_EQ(loop.put_off(k_round), HoldTrials::k_held);
}

}  // namespace
}  // namespace dojima::net
