// The venue's days end while gateways, standbys and drop copies are there, dead, or in the middle of a recovery: what
// came is reported once, and what may be missing is said.

#include "tests/integration/lives_scenario.hpp"

#include <gtest/gtest.h>

namespace dojima::integration {
namespace {

using journal::Durability;

/// The second client trades with the first one's order.
void trade_across_days(Scenario& day, const std::string& bid) {
  day.lives.enter(day.bob, "2", 10, bid);
  EXPECT_EQ(day.received().size(), 3u) << "accepted, and the trade to both";
  day.lives.check();
}

LivesOptions with_days(std::uint64_t seed) {
  LivesOptions options = calm(seed);
  options.has_copy = true;
  return options;
}

/// An order that outlives the day, and one that does not. The first one's id.
std::string enter_for_days(Scenario& day) {
  day.lives.enter_until_august(day.ann, "1", 100, "99");
  day.lives.enter(day.ann, "1", 50, "98", "BETA");
  day.received();
  return "D-1";
}

TEST(LivesDays, a_gateway_goes_on_from_one_day_of_its_venue_to_the_next_and_so_does_its_drop_copy) {
  Scenario day(with_days(1));
  enter_for_days(day);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(day.lives.end_day());
    day.lives.run(1s);
    EXPECT_EQ(day.lives.venue->front->day_number(), number);
    const std::string last = day.last_report();
    EXPECT_EQ(last.substr(0, 23), number == 1 ? "8 11=D-2 41= 150=C 39=C" : "nothing");
    day.lives.settle();
    EXPECT_EQ(day.lives.days.seen, 2 * number) << "one for each user";
    trade_across_days(day, "99");
  }
  EXPECT_EQ(day.lives.days.missed, 0u);
  EXPECT_EQ(day.ann.ledger.bought(), 30);
  EXPECT_EQ(day.lives.resting(0), 70u);
}

/// The process ends on the old day and the next one lives on the new: what was reported on the old one is what it
/// knows.
TEST(LivesDays, a_gateway_that_was_killed_behind_the_end_of_a_day_misses_nothing) {
  for (const bool has_standby : {false, true})
    for (const bool loses_power : {false, true}) {
      SCOPED_TRACE(std::string(has_standby ? "a standby" : "again") + (loses_power ? ", without power" : ""));
      LivesOptions options = with_days(2);
      options.has_standby = has_standby;
      options.durability = loses_power ? Durability::power : Durability::process;
      Scenario day(options);
      enter_for_days(day);
      ASSERT_TRUE(day.lives.end_day());
      for (int count = 0; count < 10'000 && day.lives.days.seen < 2; ++count) day.lives.run(10us);
      ASSERT_EQ(day.lives.days.seen, 2u);
      day.lives.run(20ms);  // what says so is on the disk
      day.lives.kill_gateway(loses_power);
      day.lives.run(1s);
      day.lives.start_gateway();
      EXPECT_EQ(day.lives.takeovers, has_standby && !loses_power ? 1u : 0u);
      day.lives.settle();
      day.received();
      trade_across_days(day, "99");
      EXPECT_EQ(day.lives.days.missed, 0u);
    }
}

TEST(LivesDays, a_gateway_that_was_dead_when_a_day_ended_says_which_and_keeps_the_orders_that_outlived_it) {
  for (const bool has_standby : {false, true}) {
    SCOPED_TRACE(has_standby);
    LivesOptions options = with_days(3);
    options.has_standby = has_standby;
    Scenario day(options);
    const std::string id = enter_for_days(day);
    day.lives.kill_gateway(false);
    for (std::uint64_t number = 1; number <= 2; ++number) {
      ASSERT_TRUE(day.lives.end_day());
      day.lives.run(1s);
      ASSERT_EQ(day.lives.venue->front->day_number(), number);
    }
    day.lives.start_gateway();
    day.lives.settle();
    EXPECT_EQ(day.lives.days.missed, 2u) << "each user of its own";
    EXPECT_EQ(day.lives.days.last_missed.first, 0u);
    EXPECT_EQ(day.lives.days.last_missed.last, 1u);
    EXPECT_EQ(day.lives.days.other_venues, 0u);
    EXPECT_EQ(day.lives.counters().lost_orders, 0u);
    EXPECT_EQ(day.received(), std::vector<std::string>{});
    // The one that is there can be cancelled, of the other the venue knows nothing.
    day.lives.change(day.ann, 'F', id);
    EXPECT_EQ(day.last_report(),
              "8 11=F-3 41=D-1 150=4 39=4 38=100 32= 14=0 103= 102= 380= 58=the venue session was lost: executions may "
              "be missing");
    day.lives.change(day.ann, 'F', "D-2");
    EXPECT_EQ(day.last_report().substr(0, 30), "9 11=F-4 41=D-2 150= 39=8 38= ");
    EXPECT_EQ(day.lives.resting(0), 0u);
    day.lives.check();
  }
}

/// What a gateway that came back had of a day when that ended.
struct LateLife {
  bool was_recovering = false;  ///< it was in the middle of it
  bool is_missed = false;       ///< and said so
};

/// A day ends so long behind the start of a gateway, for which three trades are waiting.
LateLife end_day_behind_start(bool has_standby, bool is_killed, time::Duration into) {
  LivesOptions options = with_days(4);
  options.has_standby = has_standby;
  Scenario day(options);
  const std::string id = enter_for_days(day);
  day.lives.kill_gateway(false);
  day.lives.sell_at_venue(3, 99);
  day.lives.start_gateway();
  day.lives.run(into);
  EXPECT_TRUE(day.lives.end_day());
  LateLife life;
  const Lives::Days& days = day.lives.days;
  const gateway::Gateway& gateway = *day.lives.gateway->object;
  for (int count = 0; count < 4'000 && days.missed + days.seen == 0; ++count) {
    life.was_recovering = gateway.is_venue_up(0) && !gateway.is_venue_ready(0);
    day.lives.run(5us);
  }
  if (days.missed + days.seen == 0) {
    life.was_recovering = false;
    day.lives.settle();  // refused while the day was ending, it tries again
  }
  EXPECT_NE(days.missed + days.seen, 0u);
  if (is_killed) {
    day.lives.run(20ms);  // what says so is on the disk
    day.lives.kill_gateway(false);
    day.lives.start_gateway();
  }
  day.lives.settle();
  day.received();
  EXPECT_EQ(days.other_venues, 0u);
  life.is_missed = days.missed != 0;
  day.lives.change(day.ann, 'F', id);
  const std::string last = day.last_report();
  EXPECT_EQ(last.substr(0, 37), "8 11=F-3 41=D-1 150=4 39=4 38=100 32=");
  EXPECT_TRUE(life.is_missed || last.find(" 14=3 ") != std::string::npos) << last;
  EXPECT_EQ(last.ends_with("58=the venue session was lost: executions may be missing"), life.is_missed) << last;
  day.lives.check_reported_once();
  return life;
}

TEST(LivesDays, a_gateway_that_was_recovering_when_a_day_ended_says_so_also_in_its_next_life) {
  for (const bool has_standby : {false, true})
    for (const bool is_killed : {false, true}) {
      SCOPED_TRACE(std::string(has_standby ? "a standby" : "again") + (is_killed ? ", killed" : ""));
      int recovering = 0, whole = 0;
      for (time::Duration into{}; into < 20ms && whole < 2 && !HasFailure(); into += 40us) {
        SCOPED_TRACE(into.count());
        const LateLife life = end_day_behind_start(has_standby, is_killed, into);
        recovering += life.was_recovering ? 1 : 0;
        EXPECT_TRUE(life.is_missed || !life.was_recovering);
        if (!life.is_missed) ++whole;
      }
      EXPECT_GE(recovering, 2);
      EXPECT_EQ(whole, 2) << "in the end it is fast enough";
    }
}

}  // namespace
}  // namespace dojima::integration
