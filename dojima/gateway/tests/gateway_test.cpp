#include "dojima/gateway/gateway.hpp"

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReportKind;

TEST(Gateway, passes_a_limit_order_with_all_its_terms_to_the_venue) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(1, "ACC").set(59, "3").set(528, "P").set(581, "3"));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 1u);
  const market::NewOrder& order = world.venue.orders[0];
  EXPECT_EQ(order.header.instrument, 7u);
  EXPECT_EQ(order.terms.side, market::Side::buy);
  EXPECT_EQ(order.terms.type, market::OrderType::limit);
  EXPECT_EQ(order.terms.time_in_force, market::TimeInForce::immediate_or_cancel);
  EXPECT_EQ(order.terms.quantity.lots, 100);
  EXPECT_EQ(order.terms.displayed.lots, 100);
  EXPECT_EQ(order.terms.limit.units, 10 * k_unit);
  EXPECT_EQ(order.terms.capacity, market::Capacity::dealing);
  EXPECT_EQ(order.terms.flags, market::k_auto_cancel);
  EXPECT_EQ(order.labels.account.view(), "ACC");
  EXPECT_EQ(order.labels.clearing, 3);
  EXPECT_EQ(order.labels.executing_trader, 3u);
  EXPECT_EQ(order.labels.client_order_id.view(), "0");  // the gateway's first request
  EXPECT_TRUE(world.client.take().empty());             // nothing is said before the venue spoke
}

TEST(Gateway, counts_what_it_refuses_by_the_reason) {
  World world;
  world.log_on();
  static_cast<void>(world.enter("A-1", 77));
  world.client.send("D", new_order("A-1"));
  world.client.send("D", new_order("A-2").set(55, "NONE"));
  world.client.send("D", new_order("A-3").set(38, "0"));
  world.client.send("F", cancel("C-1", "Z-9"));
  world.run(1ms);
  world.gateway.set_draining(true);
  world.client.send("D", new_order("A-4"));
  world.run(1ms);
  const auto of = [&](RefusedFor why) { return world.counters().refused_for[static_cast<std::size_t>(why)]; };
  EXPECT_EQ(of(RefusedFor::duplicate), 1u);
  EXPECT_EQ(of(RefusedFor::unknown_symbol), 1u);
  EXPECT_EQ(of(RefusedFor::quantity), 1u);
  EXPECT_EQ(of(RefusedFor::unknown_order), 1u);
  EXPECT_EQ(of(RefusedFor::drained), 1u);
  EXPECT_EQ(world.counters().refused, 5u);
}

TEST(Gateway, reports_the_life_of_an_order_with_exact_sums) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 30, 10 * k_unit, 70));
  world.venue.say(world.venue.traded(order, 77, 30, 9 * k_unit, 40));
  world.venue.say(world.venue.traded(order, 77, 40, 9 * k_unit + 1, 0));
  world.run(1ms);
  const std::vector<Message> fills = world.client.take();
  ASSERT_EQ(fills.size(), 3u);
  EXPECT_EQ(fills[0].show({11, 41, 150, 39, 32, 31, 151, 14, 6}),
            "8 11=A-1 41= 150=F 39=1 32=30 31=10 151=70 14=30 6=10");
  EXPECT_EQ(fills[1].show({150, 39, 32, 31, 151, 14, 6}), "8 150=F 39=1 32=30 31=9 151=40 14=60 6=9.5");
  // (30 * 10 + 30 * 9 + 40 * 9.00000001) / 100 = 9.300000004, to eight decimals
  EXPECT_EQ(fills[2].show({150, 39, 32, 31, 151, 14, 6}), "8 150=F 39=2 32=40 31=9.00000001 151=0 14=100 6=9.3");
  EXPECT_EQ(fills[0].show({37, 55, 48, 22, 54, 38, 40, 44, 59, 851, 30, 60}),
            "8 37=00000000001F 55=ALPHA 48=7 22=8 54=1 38=100 40=2 44=10 59=0 851=1 30=XLON 60=20260720-12:00:01.000");
  EXPECT_NE(fills[0].at(17), fills[1].at(17));
  EXPECT_EQ(world.counters().executions, 3u);
  EXPECT_EQ(world.held().closed_orders, 1u);
  EXPECT_EQ(world.held().requests, 0u);
}

TEST(Gateway, cancels_by_the_venues_order_id_and_chains_the_clients_ids) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 77u);
  EXPECT_EQ(world.venue.cancels[0].original_client_order_id.view(), "");
  EXPECT_EQ(world.venue.cancels[0].client_order_id.view(), "1");
  world.venue.say(world.venue.answer(order, OwnerReportKind::cancelled, 77, Text<20>::cut("1"), 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 39, 38, 151, 14}), "8 11=A-2 41=A-1 150=4 39=4 38=100 151=0 14=0");
}

TEST(Gateway, cancels_by_its_own_id_while_the_venue_has_not_reported_an_order_id) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1"));
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 0u);
  EXPECT_EQ(world.venue.cancels[0].original_client_order_id, world.venue.orders[0].labels.client_order_id);
}

TEST(Gateway, amends_with_every_final_value_and_the_order_bears_the_new_id) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 30, 10 * k_unit, 70));
  world.client.send("G", replace("A-2", "A-1", "150", "11.5"));
  world.run(1ms);
  world.client.take();
  ASSERT_EQ(world.venue.replaces.size(), 1u);
  const market::Replace& wanted = world.venue.replaces[0];
  EXPECT_EQ(wanted.order.value, 77u);
  EXPECT_EQ(wanted.quantity.lots, 150);
  EXPECT_EQ(wanted.displayed.lots, 150);
  EXPECT_EQ(wanted.limit.units, 11 * k_unit + k_unit / 2);
  EXPECT_LT(wanted.stop.units, 0);
  EXPECT_EQ(wanted.side, market::Side::buy);
  world.venue.say(world.venue.answer(order, OwnerReportKind::replaced, 77, wanted.client_order_id, 120));
  market::NewOrder amended = order;
  amended.labels.client_order_id = wanted.client_order_id;
  world.venue.say(world.venue.traded(amended, 77, 20, 11 * k_unit, 100));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 41, 150, 39, 38, 44, 151, 14}),
            "8 11=A-2 41=A-1 150=5 39=1 38=150 44=11.5 151=120 14=30");
  EXPECT_EQ(received[1].show({11, 41, 150, 39, 38, 151, 14}), "8 11=A-2 41= 150=F 39=1 38=150 151=100 14=50");
  // Both ids of the chain address the order.
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.back().order.value, 77u);
}

TEST(Gateway, a_market_order_is_amended_with_a_negative_limit) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(40, "1").drop(44));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders[0].terms.limit.units, 0);
  world.client.send("G", replace("A-2", "A-1", "50", "1").set(40, "1").drop(44));
  world.run(1ms);
  ASSERT_EQ(world.venue.replaces.size(), 1u);
  EXPECT_LT(world.venue.replaces[0].limit.units, 0);
  EXPECT_LT(world.venue.replaces[0].stop.units, 0);
}

TEST(Gateway, a_second_change_waits_for_the_first) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 39, 434, 102, 37}), "9 11=A-3 41=A-1 39=0 434=1 102=3 37=00000000001F");
  EXPECT_EQ(world.venue.cancels.size(), 1u);
  // After the answer the order may be changed again.
  market::OwnerReport refusal = world.venue.answer(order, OwnerReportKind::request_rejected, 77, Text<20>::cut("1"), 0);
  refusal.reason = market::Reason::book_closed;
  world.venue.say(refusal);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 39, 434, 102, 58}),
            "9 11=A-2 41=A-1 39=0 434=1 102=2 58=20016 the book is closed");
  world.client.send("G", replace("A-4", "A-1", "50", "10"));
  world.run(1ms);
  EXPECT_EQ(world.venue.replaces.size(), 1u);
}

TEST(Gateway, a_cancel_that_crosses_the_last_fill_is_too_late) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  market::OwnerReport refusal = world.venue.answer(order, OwnerReportKind::request_rejected, 0, Text<20>::cut("1"), 0);
  refusal.reason = market::Reason::unknown_order;
  world.venue.say(refusal);
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 150, 39, 14, 151}), "8 11=A-1 150=F 39=2 14=100 151=0");
  EXPECT_EQ(received[1].show({11, 41, 39, 434, 102, 37}), "9 11=A-2 41=A-1 39=2 434=1 102=0 37=00000000001F");
  // The gateway itself answers one that comes later still.
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 39, 434, 102}), "9 11=A-3 41=A-1 39=2 434=1 102=0");
  EXPECT_EQ(world.venue.cancels.size(), 1u);
}

TEST(Gateway, an_unknown_order_cannot_be_cancelled_or_amended) {
  World world;
  world.log_on();
  world.client.send("F", cancel("A-2", "A-1"));
  world.client.send("G", replace("A-3", "A-1", "1", "1"));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({37, 11, 41, 39, 434, 102}), "9 37=NONE 11=A-2 41=A-1 39=8 434=1 102=1");
  EXPECT_EQ(received[1].show({37, 11, 41, 39, 434, 102}), "9 37=NONE 11=A-3 41=A-1 39=8 434=2 102=1");
}

TEST(Gateway, a_clients_orders_are_nobody_elses) {
  World world;
  world.log_on();
  world.log_on_other();
  world.enter("A-1", 77);
  world.other.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.other.only().show({102, 37}), "9 102=1 37=NONE");
  world.other.send("D", new_order("A-1"));  // the same id of another client is another order
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
}

TEST(Gateway, refuses_an_id_that_was_used_before) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-1"));
  world.client.send("F", cancel("A-1", "A-1"));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({37, 11, 150, 39, 103, 55, 54, 38, 151, 14, 6}),
            "8 37=NONE 11=A-1 150=8 39=8 103=6 55=ALPHA 54=1 38=100 151=0 14=0 6=0");
  EXPECT_EQ(received[1].show({102, 39}), "9 102=6 39=0");
  EXPECT_EQ(world.venue.orders.size(), 1u);
}

TEST(Gateway, a_possible_resend_of_a_known_order_is_answered_with_its_state) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  Fields again = new_order("A-1");
  again.list.insert(again.list.begin(), {97, "Y"});
  world.client.send("D", again);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 37, 151}), "8 11=A-1 150=I 39=0 37=00000000001F 151=100");
  EXPECT_EQ(world.venue.orders.size(), 1u);
}

TEST(Gateway, says_in_the_words_of_fix_what_the_venues_protocol_cannot_carry) {
  GatewayConfig config = small_config();
  config.clients[0].limits.rate = 2;
  config.clients[0].limits.rate_action = RateAction::queue;
  config.clients[0].limits.queue = 4;
  World world(config);
  world.log_on();
  const std::string text =
      "TimeInForce(59)=1 (good till cancel) is not accepted by this venue (LSE-21.2): it has 0, 2, 3, 4, 6, 7, 8, 9, "
      "C, D, E";
  world.client.send("D", new_order("A-1").set(59, "1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 103, 58}), "8 11=A-1 150=8 103=11 58=" + text);
  EXPECT_EQ(world.held().orders, 0u);
  world.client.send("D", new_order("A-2"));
  world.client.send("D", new_order("A-3"));
  world.client.send("D", new_order("A-4").set(59, "1"));
  world.run(1ms);
  EXPECT_EQ(world.client.take().size(), 0u) << "the last one waits";
  world.run(2s);
  EXPECT_EQ(world.client.only().show({11, 150, 58}), "8 11=A-4 150=8 58=" + text);
  EXPECT_EQ(world.venue.orders.size(), 2u);
}

TEST(Gateway, names_the_value_of_a_field_that_it_refuses) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(432, "20260801"));
  world.client.send("D", new_order("A-2").set(44, "99999999999999"));
  const market::NewOrder order = [&] {
    world.run(1ms);
    const std::vector<Message> received = world.client.take();
    EXPECT_EQ(received.at(0).show({11, 150, 103, 58}),
              "8 11=A-1 150=8 103=11 58=ExpireDate(432)=20260801 needs TimeInForce(59)=6: here it is (none)");
    EXPECT_EQ(received.at(1).show({371, 373, 58}),
              "3 371=44 373=5 58=field 44: expected a decimal number from -92233720368 to 92233720368, got "
              "99999999999999");
    return world.enter("A-3", 77);
  }();
  world.client.send("G", replace("A-4", "A-3", "100", "10").set(27017, "300"));
  world.client.send("S", {{{117, "Q-1"}, {55, "ALPHA"}, {132, "9"}, {134, "10"}, {27021, "7"}}});
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 102, 58}), "9 11=A-4 102=2 58=GroupID(27017)=300 is out of range: 0 to 255");
  EXPECT_EQ(received[1].show({117, 297, 58}), "AI 117=Q-1 297=5 58=PeggedExecInst(27021)=7 is out of range: 0 to 2");
  EXPECT_EQ(world.venue.orders.size(), 1u) << order.labels.client_order_id.view();
}

/// The order's own values, what its D said of its owner, and the client's defaults for the rest.
TEST(Gateway, takes_a_change_that_repeats_its_order_and_refuses_one_that_means_another) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(528, "P").set(581, "3"));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 1u);
  world.venue.say(world.venue.about(world.venue.orders[0], OwnerReportKind::accepted, 77));
  world.run(1ms);
  world.client.take();
  const auto changed = [&](const std::string& id, int tag, const std::string& value) {
    world.client.send("G", replace(id, "A-1", "50", "10").set(tag, value));
    world.run(1ms);
    return world.client.only().show({102, 58});
  };
  EXPECT_EQ(changed("A-2", 528, "A"), "9 102=2 58=OrderCapacity(528)=A cannot be changed: the order has P");
  EXPECT_EQ(changed("A-3", 581, "1"), "9 102=2 58=AccountType(581)=1 cannot be changed: the order has 3");
  EXPECT_EQ(changed("A-4", 27021, "1"), "9 102=2 58=PeggedExecInst(27021)=1 cannot be changed: the order has 0");
  EXPECT_EQ(world.venue.replaces.size(), 0u);
  world.client.send("G", replace("A-5", "A-1", "50", "10").set(528, "P").set(581, "3"));
  world.run(1ms);
  EXPECT_EQ(world.venue.replaces.size(), 1u);
  EXPECT_TRUE(world.client.take().empty());
  world.enter("B-1", 78);
  world.client.send("G", replace("B-2", "B-1", "50", "10").set(581, "3"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 58}), "9 11=B-2 58=AccountType(581)=3 cannot be changed: the order has 1");
}

TEST(Gateway, says_in_words_that_the_venue_has_no_such_end) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(59, "6").set(432, "20270801"));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 1u);
  market::OwnerReport refusal = world.venue.about(world.venue.orders[0], OwnerReportKind::rejected, 5);
  refusal.status = market::OrderStatus::rejected;
  refusal.reason = market::Reason::expiry_passed;
  refusal.leaves = {};
  world.venue.say(refusal);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 103, 58}),
            "8 150=8 103=99 58=1501 expiry passed, or too far ahead: a time of today, a date at most 89 days ahead");
}

TEST(Gateway, answers_other_messages_as_unsupported) {
  World world;
  world.log_on();
  const std::uint64_t number = world.client.send(
      "V", {{{262, "A-1"}, {263, "0"}, {264, "1"}, {267, "1"}, {269, "0"}, {146, "1"}, {55, "ALPHA"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({45, 372, 380}), "j 45=" + std::to_string(number) + " 372=V 380=3");
  EXPECT_EQ(world.counters().unsupported, 1u);
}

TEST(Gateway, does_not_answer_an_answer_of_the_clients) {
  World world;
  world.log_on();
  world.client.send("j", {{{45, "2"}, {372, "8"}, {380, "0"}}});
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
  EXPECT_EQ(world.counters().unsupported, 1u);
}

TEST(Gateway, answers_stay_small_however_long_the_words_they_could_repeat) {
  World world;
  world.log_on();
  const std::string words(3800, 'x');
  world.client.send("D", new_order("A-1").set(55, words));
  world.client.send("D", new_order("A-2").set(1, words));
  world.client.send("D", new_order(words));
  world.client.send("F", cancel("A-3", words));
  world.client.send("H", {{{11, words}, {55, "ALPHA"}, {54, "1"}}});
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 5u);
  EXPECT_EQ(received[0].show({11, 103, 55, 38}), "8 11=A-1 103=1 55=[N/A] 38=100");
  EXPECT_EQ(received[1].show({11, 103, 55, 1}), "8 11=A-2 103=99 55=ALPHA 1=");
  EXPECT_EQ(received[2].show({371, 372, 373}), "3 371=11 372=D 373=5");
  EXPECT_EQ(received[3].show({371, 372, 373}), "3 371=41 372=F 373=5");
  EXPECT_EQ(received[4].show({371, 372, 373}), "3 371=11 372=H 373=5");
  EXPECT_EQ(world.counters().undelivered, 0u);
}

TEST(Gateway, passes_on_why_the_venue_refused_an_order) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1"));
  world.client.send("D", new_order("A-2"));
  world.client.send("D", new_order("A-3"));
  world.client.send("D", new_order("A-4"));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 4u);
  market::OwnerReport refusal = world.venue.about(world.venue.orders[0], OwnerReportKind::rejected, 5);
  refusal.status = market::OrderStatus::rejected;
  refusal.reason = market::Reason::price_not_on_tick;
  refusal.leaves = {};
  world.venue.say(refusal);
  mit::ServerSession& session = *world.venue.users.at("USER1");
  EXPECT_TRUE(session.send(mit::Reject{.code = 9901,
                                       .reason = Text<30>::cut("OrderQty"),
                                       .type = 'D',
                                       .client_order_id = world.venue.orders[1].labels.client_order_id}));
  market::OwnerReport unknown = world.venue.about(world.venue.orders[2], OwnerReportKind::business_rejected, 0);
  unknown.reason = market::Reason::unknown_instrument;
  world.venue.say(unknown);
  market::OwnerReport suspended = world.venue.about(world.venue.orders[3], OwnerReportKind::business_rejected, 0);
  world.venue.say(suspended, mit::code::k_partition_suspended);
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 4u);
  EXPECT_EQ(received[0].show({11, 150, 39, 103, 151, 58}),
            "8 11=A-1 150=8 39=8 103=99 151=0 58=20006 price not on tick");
  EXPECT_EQ(received[1].show({11, 150, 39, 103, 58}),
            "8 11=A-2 150=8 39=8 103=99 58=9901 OrderQty(38): value, format or length invalid");
  EXPECT_EQ(received[2].show({11, 150, 39, 103, 58}), "8 11=A-3 150=8 39=8 103=1 58=9000 unknown instrument");
  EXPECT_EQ(received[3].show({372, 379, 380, 58}), "j 372=D 379=A-4 380=4 58=9998 partition suspended");
  EXPECT_EQ(received[3].at(45), std::to_string(world.client.session.next_outgoing().value - 1));
  EXPECT_EQ(world.held().closed_orders, 4u);
  EXPECT_EQ(world.gateway.status(0).rejects, 4u);
  EXPECT_EQ(world.gateway.status(0).last_reject, "9998 partition suspended");
  EXPECT_EQ(world.gateway.status(1).rejects, 0u);
  EXPECT_EQ(world.gateway.status(1).last_reject, "");
}

TEST(Gateway, passes_on_why_the_venue_refused_a_change) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  const auto ask = [&](const std::string& id) {
    world.client.send("G", replace(id, "A-1", "50", "10"));
    world.run(1ms);
    return world.venue.replaces.back().client_order_id;
  };
  market::OwnerReport executed = world.venue.answer(order, OwnerReportKind::request_rejected, 77, ask("A-2"), 0);
  executed.reason = market::Reason::quantity_already_executed;
  world.venue.say(executed);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 39, 434, 102, 58}),
            "9 11=A-2 41=A-1 39=0 434=2 102=0 58=20011 quantity already executed");
  EXPECT_EQ(world.gateway.status(0).rejects, 1u);
  EXPECT_EQ(world.gateway.status(0).last_reject, "20011 quantity already executed");
  EXPECT_TRUE(world.venue.users.at("USER1")->send(
      mit::Reject{.code = 1000, .reason = Text<30>::cut("OrderQty"), .type = 'G', .client_order_id = ask("A-3")}));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 434, 102, 58}),
            "9 11=A-3 434=2 102=99 58=1000 OrderQty(38): order quantity of a replace not positive");
  world.venue.say(world.venue.answer(order, OwnerReportKind::business_rejected, 77, ask("A-4"), 0),
                  mit::code::k_system_suspended);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({372, 379, 380}), "j 372=G 379=A-4 380=4");
  // The order lives on, under its first id; the ids of refused requests address nothing.
  world.client.send("F", cancel("A-5", "A-3"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({102}), "9 102=1");
  EXPECT_EQ(world.gateway.status(0).rejects, 4u) << "by the venue and by the gateway";
  EXPECT_EQ(world.gateway.status(0).last_reject, "unknown order");
  world.client.send("F", cancel("A-6", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
}

TEST(Gateway, passes_on_a_closed_venue_to_a_change_of_an_order_that_is_gone_by_then) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39}), "8 11=A-1 150=F 39=2");
  EXPECT_EQ(world.held().closed_orders, 0u) << "the cancel is under way";
  const Text<20>& request = world.venue.cancels.back().client_order_id;
  world.venue.say(world.venue.answer(order, OwnerReportKind::business_rejected, 77, request, 0),
                  mit::code::k_partition_suspended);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({372, 379, 380}), "j 372=F 379=A-2 380=4");
  EXPECT_EQ(world.held().closed_orders, 1u);
}

TEST(Gateway, reports_that_the_venue_parked_an_order_and_took_it_up_again) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1"));
  world.run(1ms);
  const market::NewOrder order = world.venue.orders.back();
  market::OwnerReport parked = world.venue.accepted(order, 77);
  parked.status = market::OrderStatus::suspended;
  world.venue.say(parked);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 151}), "8 11=A-1 150=9 39=9 151=100");

  world.client.send("G", replace("A-2", "A-1", "80", "10"));
  world.run(1ms);
  market::OwnerReport replaced =
      world.venue.answer(order, OwnerReportKind::replaced, 77, world.venue.replaces.back().client_order_id, 80);
  replaced.status = market::OrderStatus::suspended;
  world.venue.say(replaced);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 151}), "8 11=A-2 150=5 39=9 151=80") << "changed while parked";

  market::OwnerReport traded = world.venue.traded(order, 77, 30, 10 * k_unit, 50);
  traded.client_order_id = replaced.client_order_id;
  world.venue.say(traded);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 151}), "8 11=A-2 150=F 39=1 151=50");
}

TEST(Gateway, reports_expiry_and_an_unsolicited_cancel) {
  World world;
  world.log_on();
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  world.venue.say(world.venue.traded(first, 77, 60, 10 * k_unit, 40));
  market::OwnerReport expired =
      world.venue.answer(first, OwnerReportKind::expired, 77, first.labels.client_order_id, 0);
  expired.status = market::OrderStatus::expired;
  expired.reason = market::Reason::session_ended;
  world.venue.say(expired);
  market::OwnerReport gone =
      world.venue.answer(second, OwnerReportKind::cancelled, 78, second.labels.client_order_id, 0);
  gone.restatement = 8;
  world.venue.say(gone);
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[1].show({11, 41, 150, 39, 151, 14, 6}), "8 11=A-1 41= 150=C 39=C 151=0 14=60 6=10");
  EXPECT_EQ(received[1].show({103, 58}), "8 103= 58=20019 session ended");
  EXPECT_EQ(received[2].show({11, 41, 150, 39, 378, 58}), "8 11=A-2 41= 150=4 39=4 378=8 58=cancelled by the venue");
}

TEST(Gateway, reports_why_an_order_ended_that_the_venue_names_by_its_own_id_alone) {
  World world;
  world.log_on();
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78),
                         third = world.enter("A-3", 79);
  market::OwnerReport expired = world.venue.answer(first, OwnerReportKind::expired, 77, {}, 0);
  expired.status = market::OrderStatus::expired;
  expired.reason = market::Reason::time_in_force;
  world.venue.say(expired);
  market::OwnerReport gone = world.venue.answer(second, OwnerReportKind::cancelled, 78, {}, 0);
  gone.restatement = 8;
  world.venue.say(gone);
  world.venue.say(world.venue.answer(third, OwnerReportKind::cancelled, 79, {}, 0));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[0].show({11, 150, 39, 58}), "8 11=A-1 150=C 39=C 58=20017 not executed at once");
  EXPECT_EQ(received[1].show({11, 150, 39, 378, 58}), "8 11=A-2 150=4 39=4 378=8 58=cancelled by the venue");
  EXPECT_EQ(received[2].show({11, 150, 39, 378, 58}), "8 11=A-3 150=4 39=4 378= 58=") << "the venue says no reason";
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST(Gateway, a_venue_that_gives_no_code_of_an_expiry_is_quoted_with_none) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.about(order, OwnerReportKind::expired, 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 58}), "8 11=A-1 150=C 58=");
}

TEST(Gateway, a_first_fill_answers_an_order_that_was_never_accepted_in_words) {
  World world;
  world.log_on();
  world.client.send("D", new_order("A-1").set(40, "1").drop(44));
  world.run(1ms);
  world.venue.say(world.venue.traded(world.venue.orders[0], 9, 100, 10 * k_unit, 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 14}), "8 150=F 39=2 14=100");
  EXPECT_EQ(world.counters().answers, 1u);
}

TEST(Gateway, drops_reports_that_cannot_be_about_its_orders) {
  World world;
  world.log_on();
  world.log_on_other();
  const market::NewOrder order = world.enter("A-1", 77);
  const auto say = [&](auto change) {
    market::OwnerReport report = world.venue.traded(order, 77, 10, 10 * k_unit, 90);
    change(report);
    world.venue.say(report);
    world.run(1ms);
  };
  say([](auto& report) { report.client_order_id = Text<20>::cut("zzz"); });
  say([](auto& report) { report.client_order_id = Text<20>::cut("not-a-number"); });
  say([](auto& report) { report.client_order_id = {}; });
  say([](auto& report) { report.order = {78}; });
  say([](auto& report) { report.instrument = 8; });
  say([](auto& report) { report.side = market::Side::sell; });
  say([](auto& report) { report.quantity = {101}; });
  say([](auto& report) { report.quantity = {0}; });
  say([](auto& report) { report.kind = OwnerReportKind::replaced; });
  say([](auto& report) { report.kind = OwnerReportKind::rejected; });
  world.venue.say(world.venue.traded(order, 77, 10, 10 * k_unit, 90), "USER2");  // of another user
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
  EXPECT_TRUE(world.other.take().empty());
  EXPECT_EQ(world.counters().strays, 11u);
  say([](auto&) {});
  EXPECT_EQ(world.client.only().show({14, 151}), "8 14=10 151=90");
}

}  // namespace
}  // namespace dojima::gateway
