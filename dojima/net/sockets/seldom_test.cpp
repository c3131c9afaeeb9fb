// Loops that sleep and are woken only so often: FabricOptions::max_wakes.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "dojima/net/idle.hpp"
#include "dojima/net/sockets/fabric_test_support.hpp"
#include "dojima/net/sockets/hold_trials.hpp"
#include "dojima/net/sockets/wake_limit.hpp"

namespace dojima::net {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint32_t k_rate = 100;
constexpr auto k_interval = 10ms;

/// Two ends of a connection in a loop that sleeps when it is idle.
struct SeldomPair : Pair {
  explicit SeldomPair(std::uint32_t max_wakes = k_rate, bool by_trial = false)
      : Pair({.max_wakes = max_wakes, .wakes_by_trial = by_trial}) {}
  /// How long it slept.
  steady_clock::duration sleep(time::Duration limit = 1h) {
    const auto begin = steady_clock::now();
    rest(IdlePolicy::block, turns.fabric, turns.now + limit, turns.now);
    return steady_clock::now() - begin;
  }
  /// A word to the server, then a sleep that it ends, and a turn.
  steady_clock::duration say(std::string_view word) {
    EXPECT_TRUE(client.send(word));
    turns.fabric.finish(turns.now);
    const auto slept = sleep();
    turns.turn();
    return slept;
  }
  void use_up_what_is_free() {
    for (int wake = 0; wake < WakeLimit::k_at_once; ++wake) say(".");
  }
};

TEST(AsioFabric, is_woken_a_few_times_at_once_and_then_at_its_rate) {
  SeldomPair pair;
  steady_clock::duration rest{};
  for (int word = 0; word < 20; ++word) {
    const auto slept = pair.say("x");
    if (word >= WakeLimit::k_at_once) rest += slept;
  }
  // A single sleep may be late, which brings the next one forward; and a little was slept before.
  EXPECT_GE(rest, (20 - WakeLimit::k_at_once - 1) * k_interval - k_interval / 2);
  EXPECT_TRUE(pair.turns.until([&] { return pair.server().received == std::string(20, 'x'); }))
      << pair.server().received;
}

TEST(AsioFabric, shows_in_one_turn_what_has_arrived_while_it_was_not_woken) {
  SeldomPair pair;
  pair.use_up_what_is_free();
  ASSERT_TRUE(pair.turns.until([&] { return pair.server().received.size() == WakeLimit::k_at_once; }));
  pair.server().received.clear();
  for (const char* word : {"a", "b", "c"}) {
    ASSERT_TRUE(pair.client.send(word));
    pair.client.way_out->flush();
  }
  pair.sleep();
  pair.turns.turn();
  EXPECT_EQ(pair.server().received, "abc");
}

TEST(AsioFabric, that_is_woken_more_seldom_than_it_may_be_is_woken_at_once) {
  SeldomPair pair;
  pair.use_up_what_is_free();
  int late = 0;  // one that is may be the machine's matter
  for (int word = 0; word < 5; ++word) {
    std::this_thread::sleep_for(k_interval);
    if (pair.say("x") > k_interval / 2) ++late;
  }
  EXPECT_LE(late, 2);
}

TEST(AsioFabric, is_woken_at_once_when_trials_say_that_nothing_more_comes_meanwhile) {
  SeldomPair pair(1'000, true);
  for (std::uint32_t wake = 0; wake < HoldTrials::k_free + HoldTrials::k_held; ++wake) pair.say(".");
  int late = 0;
  for (int word = 0; word < 40; ++word) late += pair.say("x") > 500us ? 1 : 0;
  EXPECT_LE(late, 10) << "each is a wake, and none is put off";
}

TEST(AsioFabric, with_limited_wakes_sleeps_until_a_timer_that_is_due_within_a_millisecond) {
  SeldomPair pair;
  SeldomPair awake(0);
  for (int turn = 0; turn < 3; ++turn) pair.turns.turn(), awake.turns.turn();
  EXPECT_GE(pair.sleep(900us), 900us);
  int short_ones = 0;
  for (int round = 0; round < 5; ++round) short_ones += awake.sleep(900us) < 900us ? 1 : 0;
  EXPECT_GE(short_ones, 3) << "without a limit it stays awake";
}

TEST(AsioFabric, a_wake_from_outside_while_it_may_not_be_woken_is_not_lost) {
  SeldomPair pair;
  pair.use_up_what_is_free();
  pair.turns.turn();
  pair.turns.fabric.wake();
  const auto slept = pair.sleep();
  EXPECT_LT(slept, AsioFabric::k_longest_wait / 2);
  pair.turns.turn();
}

TEST(AsioFabric, closes_and_notifies_as_ever_while_it_may_not_be_woken) {
  SeldomPair pair;
  pair.use_up_what_is_free();
  ASSERT_TRUE(pair.client.send("goodbye"));
  pair.client.way_out->close(CloseReason::by_us);
  for (int turn = 0; turn < 100 && (pair.server().closed == 0 || pair.client.closed == 0); ++turn) {
    pair.turns.turn();
    pair.sleep();
  }
  EXPECT_EQ(pair.server().closed, 1);
  EXPECT_EQ(pair.client.closed, 1);
  EXPECT_EQ(pair.server().received, std::string(WakeLimit::k_at_once, '.') + "goodbye");
}

}  // namespace
}  // namespace dojima::net
