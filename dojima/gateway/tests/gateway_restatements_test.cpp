// What a venue does to orders by itself: parked, restated, trades busted (ExecTypes 9, D and H); and that the client's
// quantities add up afterwards, in every version of FIX.

#include <gtest/gtest.h>

#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/tests/gateway_test_busts.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OrderStatus, market::OwnerReport, market::OwnerReportKind, market::Restatement;

OwnerReport suspended(World& world, const market::NewOrder& order, std::uint64_t id) {
  OwnerReport report = world.venue.about(order, OwnerReportKind::suspended, id);
  report.status = OrderStatus::suspended;
  return report;
}

OwnerReport restated(World& world, const market::NewOrder& order, std::uint64_t id, Restatement reason,
                     std::int64_t leaves, std::int64_t price_units = 0) {
  OwnerReport report = world.venue.about(order, OwnerReportKind::restated, id);
  report.restatement = static_cast<std::uint8_t>(reason);
  report.leaves = {leaves};
  report.price = {price_units};
  return report;
}

TEST(GatewayRestatements, report_that_an_order_waits_and_that_it_has_entered_the_book) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(suspended(world, order, 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 14, 151}), "8 11=A-1 150=9 39=9 14=0 151=100");
  world.venue.say(world.venue.accepted(order, 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 14, 151}), "8 11=A-1 150=0 39=0 14=0 151=100");
  EXPECT_EQ(world.counters().answers, 1u) << "the order was answered once";
}

TEST(GatewayRestatements, a_parked_order_answers_as_an_accepted_one_does) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1"));
  world.run(1ms);
  world.venue.say(suspended(world, world.venue.orders.back(), 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39}), "8 11=A-1 150=9 39=9");
  EXPECT_EQ(world.counters().answers, 1u);
}

TEST(GatewayRestatements, say_the_new_price_the_new_total_and_the_reason) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(restated(world, order, 77, Restatement::replenished, 100));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 378, 44, 38, 151}), "8 150=D 39=0 378=99 44=10 38=100 151=100")
      << "FIX 4.4 publishes no reason for an iceberg";
  world.venue.say(restated(world, order, 77, Restatement::repriced, 100, 11 * k_unit));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 378, 44, 38, 151, 31, 32}),
            "8 150=D 39=0 378=3 44=11 38=100 151=100 31= 32=");
  world.venue.say(restated(world, order, 77, Restatement::market, 60));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 378, 44, 38, 14, 151}), "8 150=D 39=0 378=8 44=11 38=60 14=0 151=60");
  EXPECT_EQ(world.counters().restatements, 3u);
  world.venue.say(world.venue.traded(order, 77, 60, 11 * k_unit, 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 14, 151}), "8 150=F 39=2 14=60 151=0");
}

TEST(GatewayRestatements, leave_an_order_parked_that_is_restated_while_it_waits) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(suspended(world, order, 77));
  world.venue.say(restated(world, order, 77, Restatement::market, 60));
  world.run(1ms);
  EXPECT_EQ(world.client.take().back().show({150, 39, 38, 151}), "8 150=D 39=9 38=60 151=60");
}

TEST(GatewayRestatements, take_an_execution_out_of_an_open_order) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport first = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
  world.venue.say(first);
  world.venue.say(world.venue.traded(order, 77, 10, 9 * k_unit, 60));
  world.run(1ms);
  EXPECT_EQ(world.client.take().back().show({14, 151, 6}), "8 14=40 151=60 6=9.75");
  const OwnerReport bust = busted(world.venue, order, first, 60);
  world.venue.say(bust);
  world.venue.say(restated(world, order, 77, Restatement::market, 60));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 150, 39, 38, 14, 151, 6, 32, 31}), "8 11=A-1 150=H 39=1 38=70 14=10 151=60 6=9 32= 31=");
  EXPECT_EQ(got[0].at(19), wire_id(first.execution));
  EXPECT_EQ(got[0].at(17), wire_id(bust.execution));
  EXPECT_EQ(got[0].at(527).size(), 10u) << "which trade it was";
  EXPECT_EQ(got[1].show({150, 378, 38, 14, 151, 19}), "8 150=D 378=8 38=70 14=10 151=60 19=");
  EXPECT_EQ(world.counters().busts, 1u);
}

TEST(GatewayRestatements, take_an_execution_back_once_by_its_exec_id) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport fill = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
  world.venue.say(fill);
  world.venue.say(world.venue.traded(order, 77, 50, 10 * k_unit, 20));
  world.venue.say(busted(world.venue, order, fill, 20));
  world.venue.say(busted(world.venue, order, fill, 20));  // another report about the same execution
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got.back().show({150, 14, 151}), "8 150=H 14=50 151=20");
  EXPECT_EQ(world.counters().busts, 1u);
  EXPECT_EQ(world.counters().strays, 1u);
}

TEST(GatewayRestatements, take_an_execution_out_of_an_order_that_is_over) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport fill = world.venue.traded(order, 77, 100, 10 * k_unit, 0);
  world.venue.say(fill);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 14}), "8 150=F 39=2 14=100");
  OwnerReport bust = busted(world.venue, order, fill, 0);
  bust.status = OrderStatus::cancelled;
  world.venue.say(bust);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 38, 14, 151, 6}), "8 11=A-1 150=H 39=4 38=100 14=0 151=0 6=0");
  // Its later reports say the same.
  world.client.send("H", {{{790, "Q"}, {11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 14}), "8 150=I 39=4 14=0");
}

TEST(GatewayRestatements, drop_what_an_order_cannot_have_met) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport fill = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
  world.venue.say(fill);
  world.run(1ms);
  world.client.take();
  OwnerReport more = busted(world.venue, order, fill, 70);
  more.quantity = {31};
  world.venue.say(more);
  OwnerReport elsewhere = busted(world.venue, order, fill, 70);
  elsewhere.order = {78};
  world.venue.say(elsewhere);
  world.venue.say(restated(world, order, 77, Restatement::market, 71));
  world.venue.say(restated(world, order, 77, Restatement::market, 0));
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
  EXPECT_EQ(world.counters().strays, 4u);
  EXPECT_EQ(world.counters().busts, 0u);
}

TEST(GatewayRestatements, go_along_with_a_change_that_is_under_way) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport fill = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
  world.venue.say(fill);
  world.run(1ms);
  world.client.send("G", replace("A-2", "A-1", "80", "10"));
  world.run(1ms);
  world.venue.say(busted(world.venue, order, fill, 70));
  world.venue.say(
      world.venue.answer(order, OwnerReportKind::replaced, 77, world.venue.replaces.back().client_order_id, 80));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[1].show({11, 150, 38, 14, 151}), "8 11=A-1 150=H 38=70 14=0 151=70");
  EXPECT_EQ(got[2].show({11, 150, 39, 38, 14, 151}), "8 11=A-2 150=5 39=0 38=80 14=0 151=80");
}

TEST(GatewayRestatements, are_said_in_words_that_the_published_dictionary_has) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    GatewayConfig config = small_config();
    config.clients[0].version = version;
    World world(config);
    FixClient client(world.scheduler, "CLIENT1", {}, version,
                     fix::dictionary_of(begin_string_of(version), application_version_of(version)));
    world.network.connect(k_fix_address, client.session);
    world.run(10ms);
    const bool is_old = version == FixVersion::fix_4_2;
    client.send("D", is_old ? new_order("A-1").set(21, "1") : new_order("A-1"));
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), 1u);
    const market::NewOrder order = world.venue.orders.back();
    world.venue.say(suspended(world, order, 77));
    world.venue.say(world.venue.accepted(order, 77));
    const OwnerReport fill = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
    world.venue.say(fill);
    world.venue.say(restated(world, order, 77, Restatement::replenished, 70));
    world.venue.say(busted(world.venue, order, fill, 70));
    world.venue.say(restated(world, order, 77, Restatement::market, 70));
    world.run(1ms);
    const std::vector<Message> got = client.take();
    ASSERT_EQ(got.size(), 6u);
    EXPECT_EQ(client.troubles, 0);
    EXPECT_EQ(got[0].show({20, 150, 39}), is_old ? "8 20=0 150=9 39=9" : "8 20= 150=9 39=9");
    EXPECT_EQ(got[1].show({20, 150, 39}), is_old ? "8 20=0 150=0 39=0" : "8 20= 150=0 39=0");
    EXPECT_EQ(got[3].show({20, 150, 39, 378}), is_old ? "8 20=0 150=D 39=1 378=" : "8 20= 150=D 39=1 378=99");
    EXPECT_EQ(got[4].show({20, 150, 39, 14, 151}),
              is_old ? "8 20=1 150=0 39=0 14=0 151=70" : "8 20= 150=H 39=0 14=0 151=70");
    EXPECT_EQ(got[4].at(19), wire_id(fill.execution));
    EXPECT_EQ(got[5].show({150, 378, 38, 151}), is_old ? "8 150=D 378= 38=70 151=70" : "8 150=D 378=8 38=70 151=70");
    client.session.logout("end");
    world.run(1s);
  }
}

TEST(GatewayRestatements, give_an_execution_another_price_in_one_report) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport first = traded_in(world.venue, 501, order, 77, 30, 10 * k_unit, 70);
  world.venue.say(first);
  world.venue.say(world.venue.traded(order, 77, 10, 9 * k_unit, 60));
  world.run(1ms);
  const std::vector<Message> fills = world.client.take();
  const auto [before, now] = corrected(world.venue, order, first, 8 * k_unit, 60);
  world.venue.say(before);
  world.run(1ms);
  EXPECT_EQ(world.client.take().size(), 0u) << "it waits for the price";
  world.venue.say(now);
  world.run(1ms);
  const Message got = world.client.only();
  EXPECT_EQ(got.show({11, 150, 39, 38, 31, 32, 14, 151, 6}),
            "8 11=A-1 150=G 39=1 38=100 31=8 32=30 14=40 151=60 6=8.25");
  EXPECT_EQ(got.at(19), fills.at(0).at(17));
  EXPECT_NE(got.at(17), got.at(19));
  EXPECT_EQ(world.counters().corrections, 1u);
  EXPECT_EQ(world.counters().busts, 0u);
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST(GatewayRestatements, give_another_price_to_an_execution_of_an_order_that_is_over) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const OwnerReport fill = traded_in(world.venue, 501, order, 77, 100, 10 * k_unit, 0);
  world.venue.say(fill);
  world.run(1ms);
  world.client.take();
  const auto [before, now] = corrected(world.venue, order, fill, 12 * k_unit, 0);
  world.venue.say(before);
  world.venue.say(now);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 14, 151, 6}), "8 11=A-1 150=G 39=2 14=100 151=0 6=12");
}

TEST(GatewayRestatements, take_a_fill_of_another_order_or_trade_for_what_it_is) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77), other = world.enter("A-2", 78);
  const OwnerReport first = traded_in(world.venue, 501, order, 77, 30, 10 * k_unit, 70);
  world.venue.say(first);
  world.run(1ms);
  world.client.take();
  const auto [before, now] = corrected(world.venue, order, first, 8 * k_unit, 70);
  world.venue.say(before);
  // The other side of the same trade.
  const OwnerReport fill = traded_in(world.venue, 501, other, 78, 5, 9 * k_unit, 95);
  world.venue.say(fill);
  const OwnerReport next = traded_in(world.venue, 502, order, 77, 7, 9 * k_unit, 63);
  world.venue.say(next);
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 150, 14}), "8 11=A-1 150=H 14=0");
  EXPECT_EQ(got[1].show({11, 150, 14}), "8 11=A-2 150=F 14=5");
  EXPECT_EQ(got[2].show({11, 150, 14}), "8 11=A-1 150=F 14=7");
}

TEST(GatewayRestatements, drop_a_correction_of_an_order_that_nobody_knows) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  OwnerReport fill = traded_in(world.venue, 501, order, 77, 30, 10 * k_unit, 70);
  fill.order = {79};
  auto [before, now] = corrected(world.venue, order, fill, 8 * k_unit, 70);
  before.client_order_id = now.client_order_id = Text<20>::cut("nobody");
  world.venue.say(before);
  world.venue.say(now);
  world.run(1ms);
  EXPECT_EQ(world.client.take().size(), 0u);
  EXPECT_EQ(world.counters().strays, 1u);
  EXPECT_EQ(world.counters().corrections, 0u);
}

}  // namespace
}  // namespace dojima::gateway
