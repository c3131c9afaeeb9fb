// A gateway and the days of its venue, which numbers its reports from 1 in each. Where the venue says which day it is
// the gateway knows what it has missed, however few reports there were; where it says none the numbers have to show it.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/gateway/tests/gateway_test_days.hpp"
#include "dojima/gateway/venue_progress.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

// ---- What a day means ----------------------------------------------------------------------------------------------

TEST(GatewayDays, of_one_venue_a_higher_number_is_a_later_day_and_a_lower_one_no_day_of_the_same) {
  const auto relation = [](const KnownDay& known, const VenueDay& said) { return relation_of(known, said, true); };
  EXPECT_EQ(relation({.day = day(4)}, day(4)), DayRelation::same);
  EXPECT_EQ(relation({.day = day(4)}, day(5)), DayRelation::later) << "its end was not seen";
  EXPECT_EQ(relation({.day = day(4)}, day(3)), DayRelation::other_venue);
  EXPECT_EQ(relation({.day = day(4), .is_over = true}, day(5)), DayRelation::next);
  EXPECT_EQ(relation({.day = day(4), .is_over = true}, day(6)), DayRelation::later);
  EXPECT_EQ(relation({.day = day(4), .is_over = true}, day(4)), DayRelation::other_venue);
  EXPECT_EQ(relation({.day = day(4)}, {.venue = k_this_venue + 1, .number = 4}), DayRelation::other_venue);
  EXPECT_EQ(relation({.day = day(4)}, {.venue = k_this_venue - 1, .number = 5}), DayRelation::other_venue);
  EXPECT_EQ(relation({.day = day(4)}, {}), DayRelation::unknown);
  EXPECT_EQ(relation({}, day(0)), DayRelation::unknown) << "reports have come, of nobody knows which day";
  EXPECT_EQ(relation_of({}, day(0), false), DayRelation::first);
  EXPECT_EQ(relation_of({.day = day(0)}, day(0), false), DayRelation::same);
  EXPECT_EQ(relation_of({.day = day(0)}, day(1), false), DayRelation::later);
}

// ---- A venue that says its day -------------------------------------------------------------------------------------

TEST(GatewayDays, a_day_that_was_missed_is_known_by_its_number_however_few_reports_came_before) {
  // What had come, and what the venue has said today.
  for (const int before : {1, 2, 3})
    for (const int said : {0, 1, 2, 4}) {
      SCOPED_TRACE(std::to_string(before) + " before, " + std::to_string(said) + " today");
      RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 0); });
      const market::NewOrder order = world.enter("A-1", 77);
      for (std::int64_t left = 99; left > 100 - before; --left)
        world.say(world.venue.traded(order, 77, 1, 10 * k_unit, left));
      world.run(1ms);
      world.received({14});
      world.lose_venue();
      begin_venue_day(world);
      for (std::int64_t left = 89; left > 89 - said; --left)
        world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, left));
      world.recovery.asked.clear();
      world.find_venue();
      EXPECT_TRUE(world.gateway.is_venue_ready(0));
      EXPECT_EQ(world.recovery.asked, (Lines{"1:1", "2:1", "3:1", "4:1"})) << "at once";
      EXPECT_EQ(world.seen.others, 0);
      EXPECT_EQ(world.seen.missed_days, 1);
      EXPECT_EQ(world.seen.unrecoverable, 1);
      EXPECT_EQ(world.seen.last_ended.first, 0u);
      EXPECT_EQ(world.seen.last_ended.last, 0u);
      EXPECT_EQ(world.received({14}).size(), static_cast<std::size_t>(said)) << "each once";
      // What comes of the new day is recovered like any other.
      world.lose_venue();
      world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, 80));
      world.received({14});
      world.find_venue();
      EXPECT_EQ(world.received({14}).size(), 1u);
      EXPECT_EQ(world.seen.others, 0);
      EXPECT_EQ(world.seen.missed_days, 1);
      expect_open(world, "A-1");
    }
}

TEST(GatewayDays, nothing_is_missed_where_the_end_of_each_day_was_seen) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  const market::NewOrder order = world.enter("A-1", 77);
  for (std::uint64_t number = 7; number < 10; ++number) {
    world.say(world.venue.traded(order, 77, 1, 10 * k_unit, 106 - static_cast<std::int64_t>(number)));
    world.run(1ms);
    EXPECT_EQ(world.received({32, 58}), (Lines{"8 32=1 58="}));
    end_venue_day(world);
    EXPECT_EQ(world.seen.last_ended.first, number);
    EXPECT_EQ(world.seen.last_ended.last, number);
    world.run(5s);
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
  }
  EXPECT_EQ(world.seen.days, 3);
  EXPECT_EQ(world.seen.missed_days + world.seen.others + world.seen.unrecoverable, 0);
}

TEST(GatewayDays, a_whole_day_that_was_missed_is_noticed_behind_one_whose_end_was_seen) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  world.enter("A-1", 77);
  end_venue_day(world);
  world.venue.is_open = false;
  world.run(5s);
  say_day(world, 10);
  world.find_venue(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.days, 1);
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.seen.last_ended.first, 8u);
  EXPECT_EQ(world.seen.last_ended.last, 9u);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  expect_open(world, "A-1");
}

TEST(GatewayDays, another_venue_is_known_by_its_name_and_one_that_fell_back_by_its_day) {
  struct Case {
    const char* what;
    bool is_end_seen;
    VenueDay said;
  };
  for (const Case& each : {Case{"another venue, the same day", false, {.venue = 5, .number = 7}},
                           Case{"another venue, a later day", false, {.venue = 5, .number = 8}},
                           Case{"another venue behind the end", true, {.venue = 5, .number = 8}},
                           Case{"an earlier day", false, day(6)}, Case{"the day that had ended", true, day(7)}}) {
    SCOPED_TRACE(each.what);
    RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
    world.enter("A-1", 77);
    const std::vector<OwnerReport> reports = world.recovery.reports;
    if (each.is_end_seen)
      end_venue_day(world);
    else
      world.lose_venue();
    // The same reports as before: they do not show it.
    world.recovery.reports = reports;
    world.recovery.day = each.said;
    world.recovery.asked.clear();
    world.find_venue(5s);
    EXPECT_EQ(world.recovery.asked, (Lines{"1:1", "2:1", "3:1", "4:1"})) << "nothing by the numbers of the other one";
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(world.seen.others, 1);
    EXPECT_EQ(world.seen.lost, 1u);
    EXPECT_EQ(world.seen.missed_days, 0);
    EXPECT_EQ(world.received({11, 150, 39}), (Lines{"8 11=A-1 150=4 39=4"}));
    // It is this venue's from here on.
    world.lose_venue();
    world.find_venue();
    EXPECT_EQ(world.seen.others, 1);
  }
}

TEST(GatewayDays, on_the_same_day_a_report_that_says_something_else_shows_that_the_venue_lost_orders) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.reports.clear();
  OwnerReport other = world.venue.accepted(order, 77);
  other.sequence = {1};
  other.execution = (std::uint64_t{1} << 60) | 9;  // more executions than numbers, as on any later day
  world.say_in_vain(other);
  world.find_venue();
  EXPECT_EQ(world.seen.others, 1);
  EXPECT_EQ(world.seen.lost, 1u);
  EXPECT_EQ(world.seen.missed_days, 0);
}

TEST(GatewayDays, on_the_same_day_a_venue_that_refuses_is_asked_three_times_and_no_day_is_looked_for) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.refuses = true;
  world.recovery.asked.clear();
  world.find_venue(500ms);
  EXPECT_EQ(std::ranges::count(world.recovery.asked, "1:1"), 3);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.seen.missed_days + world.seen.others, 0);
}

TEST(GatewayDays, a_day_that_ends_while_its_beginning_is_being_recovered_is_missed) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  for (std::int64_t left = 99; left > 90; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, left));
  world.recovery.up_to = 3;
  world.find_venue();
  ASSERT_FALSE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.received({14}).size(), 2u);
  end_venue_day(world);
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.seen.last_ended.first, 7u);
  EXPECT_EQ(world.seen.last_ended.last, 7u);
  EXPECT_EQ(world.seen.unrecoverable, 0) << "it is said with the next session";
  world.recovery.up_to = ~std::uint64_t{0};
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.seen.missed_days, 1) << "reported once";
  world.say(world.venue.traded(order, 77, 5, 10 * k_unit, 85));
  world.run(1ms);
  EXPECT_EQ(world.received({32, 58}), (Lines{"8 32=5 58=the venue session was lost: executions may be missing"}));
}

/// The venue cannot be asked at all before its day is over: the next day shows which one it was.
TEST(GatewayDays, a_day_whose_number_was_never_said_is_counted_among_those_that_were_missed) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  world.enter("A-1", 77);
  world.lose_venue();
  begin_venue_day(world);
  world.recovery.is_away = true;
  world.find_venue();
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  end_venue_day(world);
  EXPECT_EQ(world.seen.missed_days, 0);
  world.recovery.is_away = false;
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.seen.last_ended.first, 7u);
  EXPECT_EQ(world.seen.last_ended.last, 8u);
  EXPECT_EQ(world.seen.others, 0);
  expect_open(world, "A-1");
}

TEST(GatewayDays, the_day_of_a_venue_that_says_it_no_more_is_found_by_numbers_again) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 3); });
  const market::NewOrder order = world.enter("A-1", 77);
  for (std::int64_t left = 99; left > 95; --left) world.say(world.venue.traded(order, 77, 1, 10 * k_unit, left));
  world.run(1ms);
  world.received({14});
  world.lose_venue();
  world.recovery.day = {};
  world.find_venue();
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.others + world.seen.missed_days, 0);
  // The next day, which it does not say; and then it says one that it never was in: that cannot be another venue.
  world.lose_venue();
  begin_venue_day(world);
  world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, 90));
  world.find_venue();
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.received({14}).size(), 1u);
  world.lose_venue();
  say_day(world, 1);
  world.find_venue();
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.others, 0);
  EXPECT_EQ(world.seen.missed_days, 1);
  expect_open(world, "A-1");
}

/// Of the session without a day nothing is known, so what the venue says later is held against nothing.
TEST(GatewayDays, a_session_whose_day_nobody_says_makes_the_known_one_unknown) {
  const link::Address secondary_address{"secondary", 2};
  for (const bool is_secondary : {false, true}) {
    SCOPED_TRACE(is_secondary);
    SecondVenueAddress secondary;
    RecoveringWorld world({}, RecoveringWorld::config(), [&](RecoveringWorld& made) {
      say_day(made, 3);
      secondary.venue = &made.venue;
      EXPECT_TRUE(made.network.listen(secondary_address, secondary).has_value());
      if (is_secondary) made.secondary = VenueAddress{secondary_address, {}};
    });
    world.enter("A-1", 77);
    EXPECT_EQ(known_day(world.gateway, 0).day, day(3));
    world.lose_venue();
    if (is_secondary) {
      world.run(1s);  // three attempts in vain
    } else {
      world.recovery.day = {};
      world.find_venue();
    }
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(known_day(world.gateway, 0), KnownDay{});
    secondary.is_open = false;
    world.lose_venue();
    say_day(world, 1);
    world.find_venue(5s);
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(world.seen.others + world.seen.missed_days, 0);
    EXPECT_EQ(known_day(world.gateway, 0).day, day(1));
    expect_open(world, "A-1");
  }
}

/// A recovery that was begun for a session before says what was so then.
TEST(GatewayDays, what_a_recovery_for_an_earlier_session_says_of_the_day_counts_for_nothing) {
  RecoveringWorld world({}, RecoveringWorld::config(), [](RecoveringWorld& made) { say_day(made, 7); });
  world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.accepted = nullptr;
  world.venue.is_open = true;
  for (int count = 0; count < 100'000 && world.recovery.accepted == nullptr; ++count) world.run(10us);
  ASSERT_NE(world.recovery.accepted, nullptr);
  const mit::RecoveryServer& old = *world.recovery.accepted;
  world.network.pause(old);  // its Logon has not come yet
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(200ms);
  ASSERT_TRUE(world.gateway.is_venue_up(0) && !world.gateway.is_venue_ready(0));
  ASSERT_EQ(world.recovery.accepted, &old) << "one recovery at a time";
  world.recovery.day = {};
  const int logons = world.recovery.logons;
  world.network.resume(old);
  for (int count = 0; count < 1000 && world.recovery.logons == logons; ++count) world.run(10us);
  ASSERT_EQ(world.recovery.logons, logons + 1);
  // Another venue by its name alone, compared with that of the day before.
  world.recovery.day = {.venue = 5, .number = 7};
  world.run(1s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.others, 1);
  EXPECT_EQ(world.seen.lost, 1u);
  EXPECT_EQ(world.seen.missed_days, 0);
}

// ---- A venue that says no day --------------------------------------------------------------------------------------

TEST(GatewayDays, behind_the_end_of_a_day_the_numbers_of_the_next_one_are_no_duplicates) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  for (std::int64_t left = 99; left > 90; --left)
    world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.run(1ms);
  EXPECT_EQ(world.received({14}).size(), 9u);
  world.venue.users.at("USER1")->logout("end of day");
  world.run(1ms);
  begin_venue_day(world);
  world.say_in_vain(world.venue.traded(order, 77, 5, 10 * market::k_price_scale, 86));
  world.recovery.asked.clear();
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.recovery.asked, (Lines{"1:1", "2:1", "3:1", "4:1"}));
  world.say(world.venue.traded(order, 77, 6, 10 * market::k_price_scale, 80));
  world.run(1ms);
  EXPECT_EQ(world.received({32, 14, 151, 58}), (Lines{"8 32=5 14=14 151=86 58=", "8 32=6 14=20 151=80 58="}));
  EXPECT_EQ(world.seen.days, 1);
  EXPECT_EQ(world.seen.missed_days + world.seen.others + world.seen.unrecoverable, 0);
}

TEST(GatewayDays, a_day_that_ended_while_it_was_away_keeps_orders_and_says_that_executions_may_be_missing) {
  // What the venue has said today: nothing, less than was seen before, or more.
  for (const int said : {0, 1, 4}) {
    SCOPED_TRACE(said);
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    world.say(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 90));
    world.run(1ms);
    world.received({14});
    world.lose_venue();
    static_cast<void>(world.venue.traded(order, 77, 5, 10 * market::k_price_scale, 85));  // nobody will ever say it
    begin_venue_day(world);
    for (std::int64_t left = 84; left > 84 - said; --left)
      world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
    world.find_venue();
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(world.seen.missed_days, 1);
    EXPECT_EQ(world.seen.unrecoverable, 1);
    EXPECT_EQ(world.seen.others, 0);
    EXPECT_EQ(world.received({14}).size(), static_cast<std::size_t>(said));
    // The order is still open, and can be cancelled.
    world.client.send("F", cancel("A-9", "A-1"));
    world.run(1ms);
    EXPECT_EQ(world.venue.cancels.size(), 1u);
  }
}

/// One partition shows it at once, the other when it is looked for among its first numbers: one day all the same.
TEST(GatewayDays, a_day_that_two_partitions_show_one_after_the_other_is_said_once) {
  RecoveringWorld world;
  world.recovery.partitions = 2;
  const market::NewOrder order = world.enter("A-1", 77);
  world.say(world.venue.traded(order, 77, 10, 10 * k_unit, 90));
  world.client.send("D", new_order("B-1").set(55, "BETA"));
  world.run(1ms);
  const market::NewOrder second = world.venue.orders.back();
  const auto of_second = [&](OwnerReport report, std::uint64_t number, std::uint64_t execution) {
    --world.venue.last_sequence;
    report.partition = 2;
    report.sequence = {number};
    report.execution = (std::uint64_t{2} << 60) | execution;
    return report;
  };
  world.say(of_second(world.venue.accepted(second, 88), 1, 1));
  for (std::uint64_t number = 2; number <= 5; ++number)
    world.say(of_second(world.venue.traded(second, 88, 1, 10 * k_unit, 101 - static_cast<std::int64_t>(number)), number,
                        number));
  world.run(1ms);
  EXPECT_EQ(world.received({11, 14}).back(), "8 11=B-1 14=4");
  world.lose_venue();
  begin_venue_day(world);
  for (std::int64_t left = 89; left > 86; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, left));
  for (std::uint64_t number = 1; number <= 2; ++number)
    world.say_in_vain(of_second(world.venue.traded(second, 88, 1, 10 * k_unit, 96 - static_cast<std::int64_t>(number)),
                                number, 5 + number));
  world.find_venue(1s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.seen.others, 0);
  EXPECT_EQ(world.received({11, 14}),
            (Lines{"8 11=A-1 14=11", "8 11=A-1 14=12", "8 11=A-1 14=13", "8 11=B-1 14=5", "8 11=B-1 14=6"}));
}

/// Nothing could be recovered, so the last number that is known may be one of the day before.
TEST(GatewayDays, what_was_held_while_a_recovery_was_given_up_is_reported_whatever_its_number) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  for (std::int64_t left = 99; left > 95; --left) world.say(world.venue.traded(order, 77, 1, 10 * k_unit, left));
  world.run(1ms);
  world.received({14});
  world.lose_venue();
  begin_venue_day(world);
  world.recovery.refuses = true;
  world.find_venue(120ms);
  ASSERT_TRUE(world.gateway.is_venue_up(0) && !world.gateway.is_venue_ready(0));
  world.say(world.venue.traded(order, 77, 5, 10 * k_unit, 90));
  EXPECT_EQ(world.recovery.reports.back().sequence.value, 1u);
  world.run(1s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.received({32, 151, 58}),
            (Lines{"8 32=5 151=90 58=the venue session was lost: executions may be missing"}));
}

TEST(GatewayDays, a_venue_of_the_same_day_that_serves_again_repeats_nothing) {
  RecoveringWorld world;
  world.recovery.is_later_day = true;
  world.venue.last_execution = 1000;  // of earlier days
  const market::NewOrder order = world.enter("A-1", 77);
  world.say(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 90));
  world.run(1ms);
  world.received({14});
  world.lose_venue();
  world.say_in_vain(world.venue.traded(order, 77, 10, 10 * market::k_price_scale, 80));
  world.recovery.refuses_once = true;
  world.find_venue(500ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.received({14, 151}), (Lines{"8 14=20 151=80"}));
  EXPECT_EQ(world.seen.days + world.seen.missed_days + world.seen.others + world.seen.unrecoverable, 0);
}

TEST(GatewayDays, a_gateway_that_ends_behind_the_end_of_a_day_asks_for_the_next_one_from_its_beginning) {
  for (const bool has_seen_it : {false, true}) {
    journal::SimulatedDisk disk;
    std::vector<OwnerReport> reports;
    market::Sequence outgoing, incoming;
    {
      OnDisk life(disk);
      RecoveringWorld world(life.parts(), config_on_disk());
      const market::NewOrder order = world.enter("A-1", 77);
      life.work();
      world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, 99));
      world.run(1ms);
      if (has_seen_it) world.venue.users.at("USER1")->logout("end of day");
      world.venue.is_open = false;
      world.run(10ms);
      EXPECT_EQ(world.seen.days, has_seen_it ? 1 : 0);
      if (!has_seen_it) reports = world.recovery.reports;
      world.gateway.stop("end");
      world.run(60s);
      outgoing = world.client.session.next_outgoing();
      incoming = world.client.session.next_incoming();
      life.work();
    }
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
      made.recovery.reports = reports;
      made.client.session.store().set_next_outgoing(outgoing);
      made.client.session.store().set_next_incoming(incoming);
    });
    EXPECT_EQ(world.recovery.asked.size(), 4u);
    EXPECT_EQ(std::ranges::count(world.recovery.asked, "1:1"), has_seen_it ? 1 : 0);
    EXPECT_EQ(std::ranges::count(world.recovery.asked, "1:2"), has_seen_it ? 0 : 1);
  }
}

}  // namespace
}  // namespace dojima::gateway
