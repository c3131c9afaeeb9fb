// A gateway's lives and the days of its venue: what the journal says of the day, and of what was missed of it.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/tests/gateway_test_days.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

const KnownDay& saved_day(const OnDisk& life) {
  const SavedState::User* const user = life.saved.find_user("", "USER1");
  EXPECT_NE(user, nullptr);
  static const KnownDay none;
  return user == nullptr ? none : user->day;
}

/// How a life ends.
enum class End { within_the_day, behind_its_end, recovering_at_its_end, recovering_within_it };

TEST(GatewayDays, outlive_the_process_and_so_does_what_was_missed_of_them) {
  for (const End end :
       {End::within_the_day, End::behind_its_end, End::recovering_at_its_end, End::recovering_within_it}) {
    // On which day the next life begins.
    for (const std::uint64_t next : {7U, 8U, 9U}) {
      const bool is_over = end == End::behind_its_end || end == End::recovering_at_its_end;
      if (is_over && next == 7) continue;  // that is a venue that fell back
      SCOPED_TRACE(std::to_string(static_cast<int>(end)) + ", then day " + std::to_string(next));
      journal::SimulatedDisk disk;
      Carried carried;
      {
        OnDisk life(disk);
        RecoveringWorld world(life.parts(), config_on_disk(), [](RecoveringWorld& made) { say_day(made, 7); });
        const market::NewOrder order = world.enter("A-1", 77);
        life.work();
        const bool is_recovering = end == End::recovering_at_its_end || end == End::recovering_within_it;
        if (is_recovering) {
          world.lose_venue();
          world.say_in_vain(world.venue.traded(order, 77, 1, 10 * k_unit, 99));
          world.recovery.is_slow = true;
          world.find_venue();
          EXPECT_FALSE(world.gateway.is_venue_ready(0));
        }
        if (is_over) {
          world.venue.users.at("USER1")->logout("end of day");
          world.venue.is_open = false;
          world.run(10ms);
        }
        world.recovery.is_slow = false;
        carried.take(world);
        life.work();
      }
      const bool is_missed_before = end == End::recovering_at_its_end;
      {
        OnDisk life(disk);
        EXPECT_EQ(saved_day(life), (KnownDay{.day = day(7), .is_over = is_over, .is_missed = is_missed_before}));
        RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
          carried.give(made);
          if (next != 7) begin_venue_day(made);
          say_day(made, next);
        });
        const std::uint64_t first = is_over ? 8 : 7;
        const bool is_missed_now = first < next;
        EXPECT_EQ(world.seen.missed_days, is_missed_now ? 1 : 0);
        if (is_missed_now) {
          EXPECT_EQ(world.seen.last_ended.first, first);
          EXPECT_EQ(world.seen.last_ended.last, next - 1);
        }
        EXPECT_EQ(world.seen.unrecoverable, is_missed_now || is_missed_before ? 1 : 0);
        EXPECT_EQ(world.seen.others, 0);
        expect_open(world, "A-1");
        carried.take(world);
        life.work();
      }
      // And it is said once.
      OnDisk life(disk);
      EXPECT_EQ(saved_day(life), (KnownDay{.day = day(next)}));
      RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) { carried.give(made); });
      EXPECT_EQ(world.seen.missed_days + world.seen.unrecoverable + world.seen.others, 0);
    }
  }
}

/// The end of the day follows reports for which a stopping gateway has no room: they are not all of the day.
TEST(GatewayDays, one_whose_last_reports_there_was_no_room_for_is_missed) {
  journal::SimulatedDisk disk;
  Carried carried;
  {
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk(), [](RecoveringWorld& made) { say_day(made, 7); });
    const market::NewOrder order = world.enter("A-1", 77);
    life.work();
    for (std::int64_t left = 99; left >= 0; --left) world.say(world.venue.traded(order, 77, 1, 10 * k_unit, left));
    world.run(10ms);
    ASSERT_TRUE(world.gateway.waits_for_journal());
    ASSERT_LT(world.client.take().size(), 100u);
    world.venue.users.at("USER1")->logout("end of day");
    world.venue.is_open = false;
    carried.take(world);
    EXPECT_EQ(world.gateway.counters().unwritten, 0u);
    EXPECT_EQ(world.seen.days, 0);
    life.work();
  }
  OnDisk life(disk);
  EXPECT_EQ(saved_day(life), KnownDay{.day = day(7)});
  RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
    carried.give(made);
    begin_venue_day(made);
  });
  EXPECT_EQ(world.seen.missed_days, 1);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  expect_open(world, "A-1");
}

/// A journal that says no day, as an earlier version wrote it, or of a venue that said none.
TEST(GatewayDays, a_journal_without_days_goes_on_with_the_first_that_the_venue_says) {
  for (const bool is_next_day : {false, true}) {
    SCOPED_TRACE(is_next_day);
    journal::SimulatedDisk disk;
    Carried carried;
    {
      OnDisk life(disk);
      RecoveringWorld world(life.parts(), config_on_disk());
      const market::NewOrder order = world.enter("A-1", 77);
      life.work();
      for (std::int64_t left = 99; left > 95; --left) world.say(world.venue.traded(order, 77, 1, 10 * k_unit, left));
      world.run(1ms);
      carried.take(world);
      life.work();
    }
    {
      OnDisk life(disk);
      EXPECT_EQ(saved_day(life), KnownDay{});
      RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
        carried.give(made);
        if (is_next_day) begin_venue_day(made);
        say_day(made, 3);
      });
      // The day is found by what came last, as of a venue that states none.
      EXPECT_EQ(world.seen.others, 0);
      EXPECT_EQ(world.seen.missed_days, is_next_day ? 1 : 0);
      EXPECT_EQ(world.seen.unrecoverable, is_next_day ? 1 : 0);
      EXPECT_EQ(world.received({14}), Lines{});
      carried.take(world);
      life.work();
    }
    OnDisk life(disk);
    EXPECT_EQ(saved_day(life), (KnownDay{.day = day(3)}));
  }
}

/// No venue needs to keep an OrderCancelReject, but one may.
TEST(GatewayRecovery, a_refusal_of_what_an_earlier_life_sent_by_itself_concerns_nobody) {
  journal::SimulatedDisk disk;
  Carried carried;
  Text<20> number;
  {
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk());
    world.enter("A-1", 77);
    world.client.send("q", {{{11, "M-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
    world.run(1ms);
    ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
    number = world.venue.mass_cancels[0].client_order_id;
    carried.take(world);
    life.work();
  }
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
    carried.give(made);
    OwnerReport refused = made.venue.accepted({}, 77);
    refused.kind = OwnerReportKind::request_rejected;
    refused.client_order_id = number;
    made.say_in_vain(refused);
  });
  EXPECT_EQ(world.gateway.counters().recovered, 1u);
  EXPECT_EQ(world.gateway.counters().strays, 0u);
  EXPECT_EQ(world.received({11}), Lines{});
  expect_open(world, "A-1");
}

}  // namespace
}  // namespace dojima::gateway
