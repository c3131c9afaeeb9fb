// A gateway whose venue has a recovery channel: what was missed without a session is reported before anything new
// leaves, in order and once; what the venue does not have is answered for it; another venue is noticed.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/tests/gateway_test_recovery.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

TEST(GatewayRecovery, what_was_missed_comes_before_anything_new_in_order_and_once) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.say_in_vain(world.venue.traded(order, 77, 30, 10 * market::k_price_scale, 70));
  world.recovery.is_slow = true;
  world.recovery.asked.clear();
  world.find_venue();
  EXPECT_EQ(world.recovery.asked, (Lines{"2:1", "3:1", "4:1", "1:1"}));
  EXPECT_TRUE(world.gateway.is_venue_up());
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  // While it is under way: a report of the session waits, a request is refused.
  world.venue.say(world.venue.traded(order, 77, 20, 10 * market::k_price_scale, 50));
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.received({11, 379, 380, 58}),
            (Lines{"j 11= 379=A-2 380=4 58=what was missed of the venue is being recovered"}));
  world.recovery.is_slow = false;
  world.run(10ms);
  EXPECT_EQ(world.received({11, 150, 32, 14, 58}),
            (Lines{"8 11=A-1 150=F 32=30 14=30 58=", "8 11=A-1 150=F 32=20 14=50 58="}));
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.gateway.counters().recovered, 1u);
}

TEST(GatewayRecovery, tells_why_an_order_ended_while_the_session_was_down) {
  RecoveringWorld world;
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  world.lose_venue();
  OwnerReport expired = world.venue.about(first, market::OwnerReportKind::expired, 77);
  expired.reason = market::Reason::session_ended;
  world.say_in_vain(expired);
  OwnerReport gone = world.venue.about(second, market::OwnerReportKind::cancelled, 78);
  gone.restatement = static_cast<std::uint8_t>(market::Restatement::market);
  world.say_in_vain(gone);
  world.find_venue();
  EXPECT_EQ(world.received({11, 150, 58}),
            (Lines{"8 11=A-1 150=C 58=20019 session ended", "8 11=A-2 150=4 58=cancelled by the venue"}));
}

/// An OrderCancelReject is not kept, so it is no number to go on from; where the venue says it again it is sent once.
TEST(GatewayRecovery, goes_on_behind_the_last_report_that_a_venue_keeps) {
  for (const bool is_kept : {false, true}) {
    SCOPED_TRACE(is_kept);
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    world.client.send("F", cancel("A-2", "A-1"));
    world.run(1ms);
    ASSERT_EQ(world.venue.cancels.size(), 1u);
    OwnerReport refused =
        world.venue.answer(order, OwnerReportKind::request_rejected, 77, world.venue.cancels[0].client_order_id, 100);
    refused.reason = market::Reason::book_closed;
    world.venue.say(refused);
    if (is_kept) world.say_in_vain(refused);
    world.run(1ms);
    EXPECT_EQ(world.received({11, 102}), (Lines{"9 11=A-2 102=2"}));
    world.lose_venue();
    world.say_in_vain(world.venue.traded(order, 77, 30, 10 * k_unit, 70));
    world.recovery.asked.clear();
    world.find_venue();
    EXPECT_EQ(world.recovery.asked, (Lines{"2:1", "3:1", "4:1", "1:1"}));
    EXPECT_EQ(world.received({11, 150, 14}), (Lines{"8 11=A-1 150=F 14=30"}));
    EXPECT_EQ(world.seen.others, 0);
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
  }
}

TEST(GatewayRecovery, requests_that_the_venue_does_not_have_are_answered_for_it) {
  RecoveringWorld world;
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DDF");  // they arrived, but nothing came of them
  world.lose_venue();
  EXPECT_TRUE(world.client.take().empty());
  world.find_venue();
  EXPECT_EQ(world.received({11, 41, 150, 39, 103, 102, 58}),
            (Lines{"8 11=A-2 41= 150=8 39=8 103=99 102= 58=the session with the venue ended before it took this",
                   "9 11=A-3 41=A-1 150= 39=0 103= 102=99 58=the session with the venue ended before it took this"}));
  EXPECT_EQ(world.gateway.counters().settled, 2u);
  EXPECT_EQ(held_by(world.gateway).requests, 1u);
}

TEST(GatewayRecovery, another_venue_is_noticed_and_its_orders_are_its_own) {
  for (const bool has_other_reports : {false, true}) {
    RecoveringWorld world;
    const market::NewOrder order = world.enter("A-1", 77);
    world.client.send("G", testing::replace("A-2", "A-1", "50", "11"));
    world.run(1ms);
    world.lose_venue();
    world.recovery.reports.clear();
    if (has_other_reports) {  // as many as before, and more
      OwnerReport other = world.venue.accepted(order, 77);
      other.sequence = {1};
      other.execution = (std::uint64_t{1} << 60) | 1;  // no venue gives more than numbers on its first day
      other.time += 1s;
      world.say_in_vain(other);
      other.sequence = {2};
      world.say_in_vain(other);
    }
    world.find_venue();
    EXPECT_EQ(world.received({11, 150, 39, 102}), (Lines{"9 11=A-2 150= 39=0 102=99", "8 11=A-1 150=4 39=4 102="}));
    EXPECT_EQ(world.seen.others, 1);
    EXPECT_EQ(world.seen.lost, 1u);
    EXPECT_TRUE(world.gateway.is_venue_ready(0));
    // A cancel of the lost order goes nowhere.
    world.client.send("F", cancel("A-3", "A-1"));
    world.run(1ms);
    EXPECT_EQ(world.received({11, 102}), (Lines{"9 11=A-3 102=1"}));
    EXPECT_TRUE(world.venue.cancels.empty());
  }
}

TEST(GatewayRecovery, a_venue_that_cannot_recover_is_asked_three_times) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.refuses = true;
  world.find_venue(250ms);
  EXPECT_EQ(world.seen.unrecoverable, 0);
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  world.run(300ms);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.seen.missed_days, 0) << "nothing was said of a day";
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  world.venue.say(world.venue.traded(order, 77, 20, 10 * market::k_price_scale, 50));
  world.run(1ms);
  EXPECT_EQ(world.received({11, 150, 32, 14, 58}),
            (Lines{"8 11=A-1 150=F 32=20 14=50 58=the venue session was lost: executions may be missing"}));
}

/// What the session brings while a recovery is under way may be among what that brings.
TEST(GatewayRecovery, a_report_that_comes_by_both_ways_is_sent_once) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.is_slow = true;
  world.find_venue();
  world.say(world.venue.traded(order, 77, 30, 10 * k_unit, 70));
  world.say(world.venue.traded(order, 77, 20, 10 * k_unit, 50));
  world.run(1ms);
  EXPECT_EQ(world.received({14}), Lines{});
  world.recovery.is_slow = false;
  world.run(10ms);
  EXPECT_EQ(world.received({11, 150, 32, 14}), (Lines{"8 11=A-1 150=F 32=30 14=30", "8 11=A-1 150=F 32=20 14=50"}));
  EXPECT_EQ(world.gateway.counters().recovered, 2u);
  EXPECT_EQ(world.gateway.counters().strays, 0u);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
}

TEST(GatewayRecovery, a_venue_is_asked_three_times_in_each_session) {
  RecoveringWorld world;
  world.enter("A-1", 77);
  world.recovery.refuses = true;
  for (int sessions = 0; sessions < 4; ++sessions) {
    world.lose_venue();
    world.find_venue(150ms);
    EXPECT_TRUE(world.gateway.is_venue_up(0));
    EXPECT_EQ(world.seen.unrecoverable, 0);
  }
  world.run(1s);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
}

/// It is on a day that it does not say, and has neither what came last nor begun its numbers anew.
TEST(GatewayRecovery, a_venue_that_has_lost_only_the_last_is_on_no_other_day) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.say(world.venue.traded(order, 77, 30, 10 * k_unit, 70));
  world.run(1ms);
  EXPECT_EQ(world.received({14}), (Lines{"8 14=30"}));
  world.lose_venue();
  world.recovery.reports.pop_back();
  world.recovery.is_later_day = true;
  world.find_venue(1s);
  EXPECT_EQ(world.seen.unrecoverable, 1);
  EXPECT_EQ(world.seen.missed_days + world.seen.others, 0);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
}

/// The password that the session has changed is the recovery's, too.
TEST(GatewayRecovery, logs_on_with_the_password_of_its_session) {
  GatewayConfig config = RecoveringWorld::config();
  config.clients[0].venue_new_password = "Other#22";
  config.clients.resize(1);
  RecoveringWorld world({}, config);
  world.enter("A-1", 77);
  world.lose_venue();
  world.find_venue();
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.recovery.password, "Other#22");
}

TEST(GatewayRecovery, more_reports_than_may_wait_end_the_session_and_lose_nothing) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  world.recovery.is_slow = true;
  world.find_venue();
  for (std::int64_t left = 99; left > 95; --left)
    world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.run(1ms);
  EXPECT_FALSE(world.gateway.is_venue_up(0));
  world.recovery.is_slow = false;
  world.run(5s);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.received({14, 151}), (Lines{"8 14=1 151=99", "8 14=2 151=98", "8 14=3 151=97", "8 14=4 151=96"}));
}

/// A recovery that was paused when its session ended goes on while there is none: what it brings then is dropped, and
/// what it brings to the next session is not all that was missed.
TEST(GatewayRecovery, one_that_an_earlier_session_began_leaves_no_gap) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.lose_venue();
  for (std::int64_t left = 99; left > 95; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.recovery.up_to = 2;
  world.find_venue();
  EXPECT_EQ(world.received({14, 151}), (Lines{"8 14=1 151=99"}));
  world.lose_venue();
  world.recovery.up_to = 4;
  world.run(10ms);
  EXPECT_EQ(world.received({14, 151}), Lines{});
  world.find_venue(150ms);
  EXPECT_TRUE(world.gateway.is_venue_up(0));
  world.recovery.up_to = ~std::uint64_t{0};
  world.run(100ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.received({14, 151}), (Lines{"8 14=2 151=98", "8 14=3 151=97", "8 14=4 151=96"}));
}

/// The venue's answer to the Logout is behind what waits, which there is no room for: the next life recovers it.
TEST(GatewayRecovery, a_gateway_that_is_stopped_while_its_journal_is_short_takes_nothing_that_it_cannot_keep) {
  journal::SimulatedDisk disk;
  std::vector<OwnerReport> reports;
  std::size_t received = 0;
  market::Sequence outgoing, incoming;
  {
    OnDisk life(disk);
    RecoveringWorld world(life.parts(), config_on_disk());
    const market::NewOrder order = world.enter("A-1", 77);
    life.work();
    for (std::int64_t left = 99; left >= 0; --left)
      world.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
    world.run(10ms);
    ASSERT_TRUE(world.gateway.waits_for_journal());
    received = world.client.take().size();
    ASSERT_LT(received, 100u);
    world.gateway.stop("end");
    world.run(60s);
    EXPECT_TRUE(world.gateway.is_idle()) << "without room";
    EXPECT_EQ(world.gateway.counters().undelivered, 0u);
    EXPECT_EQ(world.gateway.counters().unwritten, 0u);
    EXPECT_LT(life.stores->written_while_short(), life.stores->room_kept());
    reports = world.recovery.reports;
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
    received += world.client.take().size();
    life.work();
  }
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& made) {
    made.recovery.reports = reports;
    made.client.session.store().set_next_outgoing(outgoing);
    made.client.session.store().set_next_incoming(incoming);
  });
  for (int turn = 0; turn < 50; ++turn) {
    life.work();
    world.run(10ms);
  }
  EXPECT_EQ(received + world.client.take().size(), 100u);
  EXPECT_EQ(world.gateway.counters().undelivered, 0u);
}

/// Likewise a recovery that waits for room.
TEST(GatewayRecovery, a_gateway_that_is_stopped_while_a_recovery_waits_for_room_ends) {
  journal::SimulatedDisk disk;
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk());
  const market::NewOrder order = world.enter("A-1", 77);
  life.work();
  world.lose_venue();
  for (std::int64_t left = 99; left >= 0; --left)
    world.say_in_vain(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, left));
  world.find_venue();
  ASSERT_TRUE(world.gateway.waits_for_journal());
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  world.gateway.stop("end");
  world.run(12s);
  EXPECT_TRUE(world.gateway.is_idle()) << "without room, and not only when the venue gives its recovery up";
  EXPECT_EQ(world.gateway.counters().undelivered, 0u);
  EXPECT_EQ(world.gateway.counters().unwritten, 0u);
  EXPECT_LT(life.stores->written_while_short(), life.stores->room_kept());
}

TEST(GatewayRecovery, a_gateway_that_knows_nothing_takes_no_number_that_the_venue_has_seen) {
  RecoveringWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  Gateway fresh(RecoveringWorld::config(), world.network, world.scheduler);
  world.lose_venue();
  world.gateway.stop("over");
  world.run(10s);
  ASSERT_TRUE(fresh.start({"gateway", 9}, k_venue_address, k_recovery_address).has_value());
  world.venue.is_open = true;
  world.run(200ms);
  EXPECT_TRUE(fresh.is_venue_ready(0));
  EXPECT_EQ(fresh.counters().strays, 1u);
  EXPECT_GT(held_by(fresh).next_number, *mit::parse_base62(order.labels.client_order_id.view()));
  fresh.stop("end");
  world.run(20s);
}

}  // namespace
}  // namespace dojima::gateway
