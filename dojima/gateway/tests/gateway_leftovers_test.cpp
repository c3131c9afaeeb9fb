// A venue that is taken for another one and yet has some of a user's orders, as one does that has lost only its last
// commands: they are cancelled there before anything else leaves, and what they executed is reported.

#include <gtest/gtest.h>

#include "dojima/gateway/tests/gateway_test_recovery.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr std::int64_t k_unit = market::k_price_scale;

/// Two orders, of which the venue has lost the second when it is back.
struct ForgetfulVenue : RecoveringWorld {
  explicit ForgetfulVenue(GatewayParts parts = {}, const GatewayConfig& wanted = config())
      : RecoveringWorld(parts, wanted) {}
  void forget_the_last() {
    kept = enter("A-1", 77);
    enter("A-2", 78);
    has_leftovers_answer = false;
    lose_venue();
    recovery.reports.pop_back();
  }
  /// By this partition; 0: by all.
  [[nodiscard]] OwnerReport cancelled(std::uint8_t partition = 0) const {
    OwnerReport report;
    report.partition = partition;
    report.kind = OwnerReportKind::mass_cancelled;
    report.time = scheduler.now();
    report.client_order_id = venue.mass_cancels.back().client_order_id;
    report.instrument = 7;
    return report;
  }
  market::NewOrder kept;
};

TEST(GatewayLeftovers, are_cancelled_at_the_venue_before_anything_else_leaves) {
  ForgetfulVenue world;
  world.forget_the_last();
  world.find_venue();
  EXPECT_EQ(world.received({11, 150, 39}), (Lines{"8 11=A-1 150=4 39=4", "8 11=A-2 150=4 39=4"}));
  ASSERT_EQ(world.venue.inbox, "DDqq");
  EXPECT_EQ(world.venue.mass_cancels[0].of, market::MassCancelOf::quotes);
  EXPECT_EQ(world.venue.mass_cancels[1].of, market::MassCancelOf::orders);
  EXPECT_FALSE(world.gateway.is_venue_ready(0)) << "its answer says that nothing is left";
  world.client.send("D", new_order("A-3"));
  world.run(10ms);
  EXPECT_EQ(world.received({11, 150}).size(), 1u) << "refused meanwhile";
  EXPECT_EQ(world.venue.inbox, "DDqq");
  OwnerReport of_quotes = world.cancelled();
  of_quotes.client_order_id = world.venue.mass_cancels[0].client_order_id;
  world.venue.say(of_quotes);
  world.run(1ms);
  EXPECT_FALSE(world.gateway.is_venue_ready(0)) << "that was of the quotes";
  world.venue.say(world.cancelled());
  world.run(1ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  world.client.send("D", new_order("A-4"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DDqqD");
  world.lose_venue();
  world.find_venue();
  EXPECT_EQ(world.venue.inbox, "DDqqD") << "once";
}

TEST(GatewayLeftovers, report_what_they_executed_once) {
  ForgetfulVenue world;
  world.forget_the_last();
  // The venue's next life: somebody trades with the order before the gateway is there.
  OwnerReport fill = world.venue.traded(world.kept, 77, 30, 10 * k_unit, 70);
  fill.sequence = {2};
  fill.execution = (std::uint64_t{1} << 60) | 2;  // no venue gives more than numbers on its first day
  world.say_in_vain(fill);
  world.find_venue();
  const std::string text =
      "executed at the venue, which has the order after all; what is left of it is cancelled there";
  EXPECT_EQ(world.received({11, 150, 39, 32, 14, 151, 58}).back(), "8 11=A-1 150=F 39=4 32=30 14=30 151=0 58=" + text);
  // And while the cancel is on its way.
  OwnerReport late = world.venue.traded(world.kept, 77, 20, 10 * k_unit, 50);
  late.sequence = {3};
  late.execution = fill.execution + 1;
  world.say(late);
  world.venue.say(world.cancelled());
  world.run(1ms);
  EXPECT_EQ(world.received({11, 150, 32, 14, 58}), (Lines{"8 11=A-1 150=F 32=20 14=50 58=" + text}));
  // Both are known now, and come again where all is recovered once more.
  world.lose_venue();
  world.recovery.reports.pop_back();
  world.find_venue();
  EXPECT_EQ(world.received({11, 150, 14}), Lines{});
  EXPECT_EQ(world.gateway.counters().executions, 2u);
}

TEST(GatewayLeftovers, leave_an_order_of_another_that_has_the_same_id_alone) {
  ForgetfulVenue world;
  world.forget_the_last();
  OwnerReport other = world.venue.traded(world.kept, 77, 30, 10 * k_unit, 70);
  other.sequence = {2};
  other.execution = (std::uint64_t{1} << 60) | 2;
  other.client_order_id = Text<20>::cut("4711");
  world.say_in_vain(other);
  world.find_venue();
  world.venue.say(world.cancelled());
  world.run(1ms);
  for (const std::string& line : world.received({150})) EXPECT_EQ(line, "8 150=4");
  EXPECT_EQ(world.gateway.counters().executions, 0u);
}

TEST(GatewayLeftovers, are_asked_for_again_where_the_venue_cannot_now) {
  ForgetfulVenue world;
  world.forget_the_last();
  world.find_venue();
  ASSERT_EQ(world.venue.inbox, "DDqq");
  OwnerReport refusal = world.cancelled();
  refusal.reason = market::Reason::not_supported;
  world.venue.say(refusal);
  world.run(500ms);
  EXPECT_EQ(world.venue.inbox, "DDqqqq");
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  world.venue.say(world.cancelled());
  world.run(1ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
}

TEST(GatewayLeftovers, are_cancelled_when_each_partition_has_said_so) {
  ForgetfulVenue world;
  world.recovery.partitions = 3;
  world.forget_the_last();
  world.find_venue();
  ASSERT_EQ(world.venue.inbox, "DDqq");
  world.venue.say(world.cancelled(1));
  world.venue.say(world.cancelled(3));
  world.run(1ms);
  EXPECT_FALSE(world.gateway.is_venue_ready(0));
  // The venue dies before the other one has done it. Somebody trades with what it still has.
  world.lose_venue();
  world.received({150});
  OwnerReport fill = world.venue.traded(world.kept, 77, 30, 10 * k_unit, 70);
  fill.sequence = {2};
  fill.execution = (std::uint64_t{1} << 60) | 2;
  world.say_in_vain(fill);
  world.find_venue();
  EXPECT_EQ(world.received({11, 150, 39, 14}), Lines{"8 11=A-1 150=F 39=4 14=30"});
  ASSERT_EQ(world.venue.inbox, "DDqqqq");
  for (const std::uint8_t partition : {std::uint8_t{3}, std::uint8_t{2}, std::uint8_t{1}}) {
    EXPECT_FALSE(world.gateway.is_venue_ready(0)) << "all of them are asked anew";
    world.venue.say(world.cancelled(partition));
    world.run(1ms);
  }
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  world.run(10s);
  EXPECT_EQ(world.venue.inbox, "DDqqqq");
}

TEST(GatewayLeftovers, are_asked_for_again_of_a_partition_that_cannot_now_or_says_nothing) {
  ForgetfulVenue world;
  world.recovery.partitions = 2;
  world.forget_the_last();
  world.find_venue();
  std::string asked = "DDqq";
  // However often it refuses.
  for (int times = 0; times < 5; ++times) {
    ASSERT_EQ(world.venue.inbox, asked);
    world.venue.say(world.cancelled(1));
    OwnerReport refusal = world.cancelled(2);
    refusal.reason = market::Reason::not_supported;
    world.venue.say(refusal);
    world.run(150ms);
    EXPECT_FALSE(world.gateway.is_venue_ready(0));
    asked += "qq";
  }
  world.venue.say(world.cancelled(2));
  world.run(1ms);
  EXPECT_TRUE(world.gateway.is_venue_ready(0)) << "the other one has answered before";
}

TEST(GatewayLeftovers, are_asked_for_three_times_of_a_venue_that_answers_once_for_all_its_partitions) {
  ForgetfulVenue world;
  world.recovery.partitions = 2;
  world.forget_the_last();
  world.find_venue();
  std::string asked = "DDqq";
  for (int times = 0; times < 3; ++times) {
    ASSERT_EQ(world.venue.inbox, asked);
    EXPECT_FALSE(world.gateway.is_venue_ready(0));
    EXPECT_EQ(world.seen.troubles, 0);
    world.venue.say(world.cancelled(1));
    world.run(150ms);
    asked += "qq";
  }
  EXPECT_EQ(world.venue.inbox, "DDqqqqqq");
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_EQ(world.seen.troubles, 1) << "which is said";
}

TEST(GatewayLeftovers, are_not_forgotten_by_a_gateway_that_ends_meanwhile) {
  journal::SimulatedDisk disk;
  std::vector<OwnerReport> said;
  market::Sequence outgoing, incoming;
  {
    OnDisk life(disk);
    ForgetfulVenue world(life.parts(), config_on_disk());
    world.forget_the_last();
    world.find_venue();
    ASSERT_EQ(world.venue.inbox, "DDqq");
    world.gateway.stop("end");
    for (int count = 0; count < 60 && !world.gateway.is_idle(); ++count) world.run(1s);
    world.run(1s);
    life.work();
    said = world.recovery.reports;
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
  }
  OnDisk life(disk);
  RecoveringWorld world(life.parts(), config_on_disk(), [&](RecoveringWorld& next) {
    next.recovery.reports = said;
    // Later than what the last life said.
    static_cast<void>(next.scheduler.check(next.scheduler.now() + 2min, 10'000));
    next.client.session.store().set_next_outgoing(outgoing);
    next.client.session.store().set_next_incoming(incoming);
  });
  EXPECT_EQ(world.seen.others, 0) << "what came last has come again";
  EXPECT_EQ(world.venue.inbox, "qq");
  EXPECT_TRUE(world.gateway.is_venue_ready(0));
  life.work();
}

}  // namespace
}  // namespace dojima::gateway
