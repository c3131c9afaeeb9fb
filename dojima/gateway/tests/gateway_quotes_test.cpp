// Quotes: a client's Quote as two orders under one number at the venue, the reports on both sides and on the quote as a
// whole, and what is left of it when messages cross.

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

Fields quote_of(std::string id, std::string bid, std::string bid_size, std::string ask, std::string ask_size) {
  return {{{117, std::move(id)},
           {55, "ALPHA"},
           {132, std::move(bid)},
           {133, std::move(ask)},
           {134, std::move(bid_size)},
           {135, std::move(ask_size)}}};
}

struct Quoting : ::testing::Test {
  Quoting() { world.log_on(); }

  /// What the venue says of one side.
  OwnerReport about(const market::Quote& quote, market::Side side, OwnerReportKind kind, std::uint64_t order) {
    market::NewOrder as_order;
    as_order.header.instrument = quote.header.instrument;
    as_order.terms.side = side;
    as_order.terms.quantity = side == market::Side::buy ? quote.bid_size : quote.ask_size;
    as_order.terms.capacity = quote.capacity;
    as_order.labels.client_order_id = quote.labels.client_order_id;
    OwnerReport report = world.venue.about(as_order, kind, order);
    if (kind == OwnerReportKind::cancelled) report.leaves = {}, report.status = market::OrderStatus::cancelled;
    if (kind == OwnerReportKind::rejected) {
      report.order = report.public_order = {};
      report.leaves = {};
      report.status = market::OrderStatus::rejected;
      report.reason = market::Reason::book_closed;
    }
    return report;
  }
  OwnerReport fill(const market::Quote& quote, market::Side side, std::uint64_t order, std::int64_t lots,
                   std::int64_t leaves) {
    OwnerReport report = about(quote, side, OwnerReportKind::traded, order);
    report.quantity = {lots};
    report.price = side == market::Side::buy ? quote.bid : quote.ask;
    report.leaves = {leaves};
    report.status = leaves == 0 ? market::OrderStatus::filled : market::OrderStatus::partially_filled;
    report.liquidity = 'A';
    report.trade = ++world.venue.last_trade;
    return report;
  }
  market::Quote send(const Fields& fields) {
    world.client.send("S", fields);
    world.run(1ms);
    EXPECT_FALSE(world.venue.quotes.empty());
    return world.venue.quotes.empty() ? market::Quote{} : world.venue.quotes.back();
  }
  /// A quote of 10 at 9 and 12 at 11, both sides accepted: orders 77 and 78.
  market::Quote enter() {
    const market::Quote quote = send(quote_of("Q-1", "9", "10", "11", "12"));
    say(quote, OwnerReportKind::accepted);
    world.client.take();
    return quote;
  }
  void say(const market::Quote& quote, OwnerReportKind kind) {
    world.venue.say(about(quote, market::Side::buy, kind, 77));
    world.venue.say(about(quote, market::Side::sell, kind, 78));
    world.run(1ms);
  }
  /// Nothing is forgotten, nothing left over.
  void expect_settled(std::size_t open_requests) {
    EXPECT_EQ(world.counters().strays, 0u);
    EXPECT_EQ(world.counters().answers, world.counters().sent - mass_cancels);
    EXPECT_EQ(world.held().requests, open_requests);
  }

  World world;
  std::uint64_t mass_cancels = 0;
};

TEST_F(Quoting, becomes_two_orders_with_a_report_each_and_a_status_where_it_is_wanted) {
  const market::Quote quote = send(quote_of("Q-1", "9", "10", "11", "12").set(301, "2"));
  EXPECT_EQ(quote.header.instrument, 7u);
  EXPECT_EQ(quote.bid.units, 9 * market::k_price_scale);
  EXPECT_EQ(quote.bid_size.lots, 10);
  EXPECT_EQ(quote.ask.units, 11 * market::k_price_scale);
  EXPECT_EQ(quote.ask_size.lots, 12);
  world.venue.say(about(quote, market::Side::buy, OwnerReportKind::accepted, 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 54, 150, 39, 38, 44, 37}),
            "8 11=Q-1 54=1 150=0 39=0 38=10 44=9 37=00000000001F");
  world.venue.say(about(quote, market::Side::sell, OwnerReportKind::accepted, 78));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 54, 150, 39, 38, 44}), "8 11=Q-1 54=2 150=0 39=0 38=12 44=11");
  EXPECT_EQ(got[1].show({117, 297, 55, 58}), "AI 117=Q-1 297=0 55=ALPHA 58=");
  expect_settled(2);
}

TEST_F(Quoting, is_amended_by_the_next_one_whose_sizes_are_what_shall_be_left) {
  const market::Quote first = enter();
  world.venue.say(fill(first, market::Side::buy, 77, 4, 6));
  world.run(1ms);
  world.client.take();
  const market::Quote second = send(quote_of("Q-2", "8", "10", "12", "5"));
  EXPECT_NE(second.labels.client_order_id, first.labels.client_order_id);
  EXPECT_EQ(second.bid_size.lots, 10);
  // Another fill crosses the amendment: what is left afterwards is still the size.
  world.venue.say(fill(first, market::Side::buy, 77, 2, 4));
  OwnerReport replaced = about(second, market::Side::buy, OwnerReportKind::replaced, 77);
  replaced.status = market::OrderStatus::partially_filled;
  world.venue.say(replaced);
  world.venue.say(about(second, market::Side::sell, OwnerReportKind::replaced, 78));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 150, 14, 151}), "8 11=Q-1 150=F 14=6 151=4");
  EXPECT_EQ(got[1].show({11, 41, 54, 150, 39, 38, 14, 151, 44}),
            "8 11=Q-2 41=Q-1 54=1 150=5 39=1 38=16 14=6 151=10 44=8");
  EXPECT_EQ(got[2].show({11, 41, 54, 150, 39, 38, 44}), "8 11=Q-2 41=Q-1 54=2 150=5 39=0 38=5 44=12");
  expect_settled(2);
}

TEST_F(Quoting, ends_a_side_without_a_size_and_enters_one_that_was_over) {
  const market::Quote first = enter();
  world.venue.say(fill(first, market::Side::buy, 77, 10, 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39}), "8 11=Q-1 150=F 39=2");
  const market::Quote second = send({{{117, "Q-2"}, {55, "ALPHA"}, {132, "8"}, {134, "3"}}});
  EXPECT_EQ(second.ask_size.lots, 0);
  world.venue.say(about(second, market::Side::buy, OwnerReportKind::accepted, 79));
  world.venue.say(about(second, market::Side::sell, OwnerReportKind::cancelled, 78));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 41, 54, 150, 38}), "8 11=Q-2 41= 54=1 150=0 38=3");
  EXPECT_EQ(got[1].show({11, 41, 54, 150, 39}), "8 11=Q-2 41=Q-1 54=2 150=4 39=4");
  expect_settled(1);
}

TEST_F(Quoting, follows_the_venue_where_a_fill_ended_the_side_that_it_meant_to_amend) {
  const market::Quote first = enter();
  const market::Quote second = send(quote_of("Q-2", "8", "10", "12", "5").set(301, "2"));
  world.venue.say(fill(first, market::Side::buy, 77, 10, 0));
  world.venue.say(about(second, market::Side::buy, OwnerReportKind::accepted, 79));
  world.venue.say(about(second, market::Side::sell, OwnerReportKind::replaced, 78));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].show({11, 150, 39}), "8 11=Q-1 150=F 39=2");
  EXPECT_EQ(got[1].show({11, 41, 54, 150, 39, 38, 14, 37}), "8 11=Q-2 41= 54=1 150=0 39=0 38=10 14=0 37=00000000001H");
  EXPECT_EQ(got[2].show({11, 54, 150}), "8 11=Q-2 54=2 150=5");
  EXPECT_EQ(got[3].show({117, 297}), "AI 117=Q-2 297=0");
  expect_settled(2);
  // The new order is the one that its id means.
  world.client.send("F", cancel("C-1", "Q-2"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels.back().order.value, 79u);
}

TEST_F(Quoting, without_a_side_that_a_fill_has_ended_waits_for_nothing) {
  const market::Quote first = enter();
  const market::Quote second = send({{{117, "Q-2"}, {55, "ALPHA"}, {133, "12"}, {135, "5"}, {301, "2"}}});
  world.venue.say(fill(first, market::Side::buy, 77, 10, 0));
  world.venue.say(about(second, market::Side::sell, OwnerReportKind::replaced, 78));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[2].show({117, 297}), "AI 117=Q-2 297=0");
  expect_settled(1);
}

/// The venue, which has neither side any more, names the bid.
TEST_F(Quoting, that_takes_back_what_fills_have_ended_is_refused_once_whichever_side_there_was) {
  const market::Quote first = enter();
  market::Quote back = send(quote_of("Q-2", "9", "0", "11", "0"));
  world.venue.say(fill(first, market::Side::buy, 77, 10, 0));
  world.venue.say(fill(first, market::Side::sell, 78, 12, 0));
  world.venue.say(about(back, market::Side::buy, OwnerReportKind::rejected, 0));
  world.run(1ms);
  std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[2].show({117, 297}), "AI 117=Q-2 297=5");
  expect_settled(0);

  const market::Quote lone = send(quote_of("Q-3", "9", "0", "11", "12"));
  world.venue.say(about(lone, market::Side::sell, OwnerReportKind::accepted, 79));
  world.run(1ms);
  back = send(quote_of("Q-4", "9", "0", "11", "0"));
  world.venue.say(fill(lone, market::Side::sell, 79, 12, 0));
  world.venue.say(about(back, market::Side::buy, OwnerReportKind::rejected, 0));
  world.run(1ms);
  got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[2].show({117, 297}), "AI 117=Q-4 297=5");
  expect_settled(0);
}

TEST_F(Quoting, refused_by_the_venue_ends_new_sides_and_leaves_those_that_are_there) {
  const market::Quote lone = send(quote_of("Q-0", "9", "10", "11", "12"));
  say(lone, OwnerReportKind::rejected);
  std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 54, 150, 39, 103}), "8 11=Q-0 54=1 150=8 39=8 103=2");
  EXPECT_EQ(got[1].show({11, 54, 150}), "8 11=Q-0 54=2 150=8");
  EXPECT_EQ(got[2].show({117, 297}), "AI 117=Q-0 297=5");
  EXPECT_FALSE(got[2].at(58).empty());
  EXPECT_EQ(world.gateway.status(0).rejects, 1u) << "one quote";
  EXPECT_EQ(world.gateway.status(0).last_reject, got[2].at(58));
  expect_settled(0);

  enter();
  const market::Quote second = send(quote_of("Q-2", "8", "10", "12", "5"));
  say(second, OwnerReportKind::rejected);
  EXPECT_EQ(world.client.only().show({117, 297}), "AI 117=Q-2 297=5") << "the orders live on: no report of an end";
  EXPECT_EQ(world.gateway.status(0).rejects, 2u);
  expect_settled(2);
  world.client.send("H", {{{11, "Q-1"}, {55, "ALPHA"}, {54, "1"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 38, 44}), "8 150=I 39=0 38=10 44=9");
}

TEST_F(Quoting, that_the_venue_could_not_take_as_a_whole_is_answered_on_both_sides) {
  const market::Quote quote = send(quote_of("Q-1", "9", "10", "11", "12"));
  OwnerReport refused;
  refused.client_order_id = quote.labels.client_order_id;
  refused.kind = OwnerReportKind::business_rejected;
  refused.reason = market::Reason::book_closed;
  world.venue.say(refused, mit::code::k_partition_suspended);
  world.run(1ms);
  std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 54, 150}), "8 11=Q-1 54=1 150=8");
  EXPECT_EQ(got[1].show({11, 54, 150}), "8 11=Q-1 54=2 150=8");
  EXPECT_EQ(got[2].show({117, 297}), "AI 117=Q-1 297=5");
  const market::Quote next = send(quote_of("Q-2", "9", "10", "11", "12"));
  ASSERT_TRUE(world.venue.users.at("USER1")->send(mit::Reject{
      .code = 9901, .reason = Text<30>::cut("BidPrice"), .type = 'S', .client_order_id = next.labels.client_order_id}));
  world.run(1ms);
  got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_NE(got[2].at(58).find("BidPx(132)"), std::string::npos) << got[2].at(58);
  expect_settled(0);
}

TEST_F(Quoting, that_the_gateway_refuses_is_answered_with_the_reason_in_words) {
  const Fields good = quote_of("Q-1", "9", "10", "11", "12");
  const auto with = [&good](int tag, std::string value) { return Fields(good).set(tag, std::move(value)); };
  const std::vector<std::pair<Fields, std::string>> rows = {
      {with(55, "NOTHING"), "Symbol(55)=NOTHING is unknown"},
      {with(132, "11"), "BidPx(132)=11 is not below OfferPx(133)=11"},
      {with(132, "0"), "BidPx(132)=0 is out of range: above 0"},
      {with(134, "2147483648"), "BidSize(134)=2147483648 is out of range: 0 to 2147483647"},
      {with(1, "ACC"), "Account(1)=ACC is not supported: the venue's quotes have none"},
      {with(62, "20260720-12:00:00"), "ValidUntilTime(62)=20260720-12:00:00 is not supported: a quote is for the day"},
      {with(131, "R-1"), "QuoteReqID(131)=R-1 is not supported: there are no requests for quotes"},
      {with(40, "1"), "OrdType(40)=1 is not supported: both sides of a quote are limit orders, 2"},
      {with(537, "0"), "QuoteType(537)=0 is not supported: the venue has 1, tradeable"},
      {quote_of("Q-1", "9", "0", "11", "0"), "there is no quote to take back"},
  };
  for (const auto& [fields, text] : rows) {
    world.client.send("S", fields);
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({117, 297, 58}), "AI 117=Q-1 297=5 58=" + text);
  }
  world.client.send("S", Fields(good).drop(134));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({372, 380}), "j 372=S 380=5");
  EXPECT_TRUE(world.venue.quotes.empty());
  EXPECT_EQ(world.held().orders, 0u);
  EXPECT_EQ(world.held().requests, 0u);

  send(good);
  world.client.send("S", good);
  world.client.send("S", with(117, "Q-2"));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].at(58), "duplicate QuoteID");
  EXPECT_EQ(got[1].at(58), "another change of this quote is not answered yet");
  EXPECT_EQ(world.venue.quotes.size(), 1u);
}

/// A quote that cannot leave is none: its id and its records are free, and the quote that is there is as it was.
TEST_F(Quoting, that_finds_no_room_for_one_of_its_sides_leaves_nothing_behind) {
  const market::Quote first = send({{{117, "Q-1"}, {55, "ALPHA"}, {132, "9"}, {134, "10"}}});
  world.venue.say(about(first, market::Side::buy, OwnerReportKind::accepted, 77));
  world.run(1ms);
  world.client.take();
  for (std::uint64_t count = 0; count < 62; ++count) world.enter("A-" + std::to_string(count), 100 + count);
  const std::size_t orders = world.held().orders, requests = world.held().requests;
  ASSERT_EQ(orders, 63u) << "of 64";
  // Two new sides in another instrument, of which one has room.
  Fields both = quote_of("Q-2", "9", "10", "11", "12").set(55, "BETA");
  for (int times = 0; times < 3; ++times) {
    world.client.send("S", both);
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({117, 297, 58}), "AI 117=Q-2 297=5 58=no room for another order");
  }
  EXPECT_EQ(world.held().orders, orders);
  EXPECT_EQ(world.held().requests, requests);
  // One that is there, and one without room.
  world.enter("A-last", 200);
  world.client.send("S", quote_of("Q-2", "8", "10", "11", "12"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({117, 297, 58}), "AI 117=Q-2 297=5 58=no room for another order");
  EXPECT_EQ(world.held().requests, requests + 1);
  EXPECT_EQ(world.venue.quotes.size(), 1u);
  // The id is free, and the side can be amended.
  const market::Quote amended = send({{{117, "Q-2"}, {55, "ALPHA"}, {132, "8"}, {134, "10"}}});
  EXPECT_EQ(world.venue.quotes.size(), 2u);
  world.venue.say(about(amended, market::Side::buy, OwnerReportKind::replaced, 77));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 44}), "8 11=Q-2 41=Q-1 150=5 44=8");
}

/// One id means one request: also one that takes quotes back and is not answered yet.
TEST_F(Quoting, has_no_id_that_takes_quotes_back_meanwhile) {
  enter();
  world.client.send("Z", {{{117, "Z-1"}, {298, "4"}}});
  world.client.send("S", quote_of("Z-1", "8", "10", "12", "5"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({117, 297, 58}), "AI 117=Z-1 297=5 58=duplicate QuoteID");
  EXPECT_EQ(world.venue.quotes.size(), 1u);
}

/// An amendment is one change of each side: until it is answered there is no other.
TEST_F(Quoting, that_is_being_amended_is_not_amended_again) {
  enter();
  const market::Quote second = send(quote_of("Q-2", "8", "10", "12", "5"));
  world.client.send("S", quote_of("Q-3", "7", "10", "13", "5"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({117, 297, 58}),
            "AI 117=Q-3 297=5 58=another change of this quote is not answered yet");
  EXPECT_EQ(world.venue.quotes.size(), 2u);
  say(second, OwnerReportKind::replaced);
  world.client.take();
  expect_settled(2);
  send(quote_of("Q-3", "7", "10", "13", "5"));
  EXPECT_EQ(world.venue.quotes.size(), 3u);
}

/// Its orders are counted once they are sent, and an amendment is no further one.
TEST_F(Quoting, is_amended_where_no_further_order_is_allowed) {
  ClientLimits limits;
  limits.open_orders = 2;
  ASSERT_TRUE(world.gateway.change_limits(0, limits).has_value());
  enter();
  EXPECT_EQ(counted_open_orders(world.gateway, 0), 2u);
  world.client.send("D", new_order("A-1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150}), "8 11=A-1 150=8");
  send(quote_of("Q-2", "8", "10", "12", "5"));
  EXPECT_EQ(world.venue.quotes.size(), 2u);
}

TEST(QuotesOfDialects, that_the_venue_has_no_message_for_leave_nothing_behind) {
  GatewayConfig config = small_config();
  config.dialect = &mit::lse_11_8_5::k_dialect;
  World world(config);
  world.log_on();
  for (int times = 0; times < 3; ++times) {
    world.client.send("S", quote_of("Q-1", "9", "10", "11", "12"));
    world.run(1ms);
    const Message received = world.client.only();
    EXPECT_EQ(received.show({117, 297}), "AI 117=Q-1 297=5");
    EXPECT_EQ(received.at(58), "Quote(S) is not accepted by this venue (LSE-11.8.5): its protocol has no quotes");
  }
  EXPECT_EQ(world.held().orders, 0u);
  EXPECT_EQ(world.held().requests, 0u);
  EXPECT_EQ(world.counters().sent, 0u);
  EXPECT_EQ(counted_open_orders(world.gateway, 0), 0u);
}

TEST_F(Quoting, ends_both_sides_when_one_is_cancelled_by_either_side) {
  for (const bool is_bid : {true, false}) {
    World fresh;
    fresh.log_on();
    fresh.client.send("S", quote_of("Q-1", "9", "10", "11", "12"));
    fresh.run(1ms);
    const market::Quote quote = fresh.venue.quotes.back();
    fresh.venue.say(about(quote, market::Side::buy, OwnerReportKind::accepted, 77));
    fresh.venue.say(about(quote, market::Side::sell, OwnerReportKind::accepted, 78));
    fresh.run(1ms);
    fresh.client.take();
    fresh.client.send("F", cancel("C-1", "Q-1").set(54, is_bid ? "1" : "2"));
    fresh.run(1ms);
    ASSERT_EQ(fresh.venue.cancels.size(), 1u);
    const market::Cancel command = fresh.venue.cancels.back();
    EXPECT_EQ(command.order.value, is_bid ? 77u : 78u);
    for (const bool is_first : {true, false}) {
      const bool is_buy = is_bid == is_first;
      OwnerReport ended =
          about(quote, is_buy ? market::Side::buy : market::Side::sell, OwnerReportKind::cancelled, is_buy ? 77 : 78);
      ended.client_order_id = command.client_order_id;
      fresh.venue.say(ended);
    }
    fresh.run(1ms);
    const std::vector<Message> got = fresh.client.take();
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0].show({11, 41, 54, 150, 39}),
              std::string("8 11=C-1 41=Q-1 54=") + (is_bid ? "1" : "2") + " 150=4 39=4");
    EXPECT_EQ(got[1].show({11, 41, 54, 150, 39}),
              std::string("8 11=Q-1 41= 54=") + (is_bid ? "2" : "1") + " 150=4 39=4");
    EXPECT_EQ(fresh.counters().strays, 0u);
    EXPECT_EQ(fresh.held().requests, 0u);
  }
}

TEST_F(Quoting, is_not_changed_by_a_replace) {
  enter();
  world.client.send("G", replace("G-1", "Q-1", "5", "8"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({102, 58}), "9 102=2 58=a quote is changed by another Quote(S)");
}

TEST_F(Quoting, is_taken_back_by_symbol_all_together_and_refused_where_it_is_something_else) {
  const market::Quote quote = enter();
  world.client.send("Z", {{{117, "Z-1"}, {298, "1"}, {295, "1"}, {55, "ALPHA"}}});
  world.client.send("Z", {{{117, "Z-2"}, {298, "4"}}});
  world.client.send("Z", {{{117, "Z-3"}, {298, "2"}}});
  world.client.send("Z", {{{117, "Z-4"}, {298, "1"}, {295, "1"}, {55, "NOTHING"}}});
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 2u);
  mass_cancels = 2;
  EXPECT_EQ(world.venue.mass_cancels[0].of, market::MassCancelOf::quotes);
  EXPECT_EQ(world.venue.mass_cancels[0].header.instrument, 7u);
  EXPECT_EQ(world.venue.mass_cancels[1].of, market::MassCancelOf::quotes);
  EXPECT_EQ(world.venue.mass_cancels[1].header.instrument, 0u);
  std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({117, 297}), "AI 117=Z-3 297=5");
  EXPECT_EQ(got[1].show({117, 297, 58}), "AI 117=Z-4 297=5 58=Symbol(55)=NOTHING is unknown");

  for (const market::MassCancel& command : world.venue.mass_cancels) {
    OwnerReport answer;
    answer.kind = OwnerReportKind::mass_cancelled;
    answer.client_order_id = command.client_order_id;
    answer.partition = 1;
    answer.sequence = {++world.venue.last_sequence};
    world.venue.say(answer);
  }
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    OwnerReport ended = about(quote, side, OwnerReportKind::cancelled, side == market::Side::buy ? 77 : 78);
    ended.client_order_id = world.venue.mass_cancels[0].client_order_id;
    world.venue.say(ended);
  }
  world.run(1ms);
  got = world.client.take();
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].show({117, 297, 55}), "AI 117=Z-1 297=1 55=ALPHA");
  EXPECT_EQ(got[1].show({117, 297, 55}), "AI 117=Z-2 297=4 55=[N/A]");
  EXPECT_EQ(got[2].show({11, 41, 54, 150}), "8 11=Q-1 41= 54=1 150=4");
  EXPECT_EQ(got[3].show({11, 41, 54, 150}), "8 11=Q-1 41= 54=2 150=4");
  expect_settled(0);
}

TEST_F(Quoting, is_held_to_the_clients_limits_as_a_whole) {
  ClientLimits limits;
  limits.quantity = market::Quantity{10};
  ASSERT_TRUE(world.gateway.change_limits(0, limits).has_value());
  world.client.send("S", quote_of("Q-1", "9", "10", "11", "12"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({117, 297, 58}),
            "AI 117=Q-1 297=5 58=order quantity 12 above the client's limit of 10");
  limits = {};
  limits.open_orders = 1;
  ASSERT_TRUE(world.gateway.change_limits(0, limits).has_value());
  world.client.send("S", quote_of("Q-2", "9", "10", "11", "12"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().at(58), "open orders above the client's limit");
  EXPECT_TRUE(world.venue.quotes.empty());
  send({{{117, "Q-3"}, {55, "ALPHA"}, {132, "8"}, {134, "3"}}});
  EXPECT_EQ(world.venue.quotes.size(), 1u);
}

TEST_F(Quoting, is_counted_in_the_clients_rate_and_does_not_wait_for_it) {
  ClientLimits limits;
  limits.rate = 1;
  limits.rate_action = RateAction::queue;
  limits.queue = 5;
  ASSERT_TRUE(world.gateway.change_limits(0, limits).has_value());
  enter();
  world.client.send("S", quote_of("Q-2", "8", "10", "12", "5"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({117, 297, 58}),
            "AI 117=Q-2 297=5 58=orders and replaces above the client's limit in a second: a quote does not wait");
  EXPECT_EQ(waiting(world.gateway, 0), 0u);
  world.run(1s);
  send(quote_of("Q-3", "8", "10", "12", "5"));
  EXPECT_EQ(world.venue.quotes.size(), 2u);
}

/// Which FIX 5.0 SP2 has a type for.
TEST_F(Quoting, is_taken_back_by_its_newest_id_as_long_as_a_side_is_left) {
  constexpr FixVersion k_version = FixVersion::fix_5_0_sp2;
  GatewayConfig config = small_config();
  config.clients[0].version = k_version;
  World newer(config);
  FixClient client(newer.scheduler, "CLIENT1", {}, k_version, &published_dictionary(k_version));
  newer.network.connect(k_fix_address, client.session);
  newer.run(10ms);
  const auto quote = [&](const Fields& fields, OwnerReportKind kind) {
    client.send("S", fields);
    newer.run(1ms);
    const market::Quote sent = newer.venue.quotes.back();
    newer.venue.say(about(sent, market::Side::buy, kind, 77));
    newer.venue.say(about(sent, market::Side::sell, kind, 78));
    newer.run(1ms);
    client.take();
    return sent;
  };
  quote(quote_of("Q-1", "9", "10", "11", "12"), OwnerReportKind::accepted);
  const market::Quote second = quote(quote_of("Q-2", "8", "10", "12", "5"), OwnerReportKind::replaced);
  const auto take_back = [&](const char* id) {
    client.send("Z", {{{117, id}, {298, "5"}}});
    newer.run(1ms);
  };
  take_back("Q-1");
  EXPECT_EQ(client.only().show({117, 297, 58}), "AI 117=Q-1 297=5 58=unknown quote");
  EXPECT_TRUE(newer.venue.mass_cancels.empty());
  newer.venue.say(fill(second, market::Side::buy, 77, 10, 0));
  newer.run(1ms);
  client.take();
  take_back("Q-2");
  ASSERT_EQ(newer.venue.mass_cancels.size(), 1u) << "its ask is left";
  EXPECT_EQ(newer.venue.mass_cancels[0].of, market::MassCancelOf::quotes);
  EXPECT_EQ(newer.venue.mass_cancels[0].header.instrument, 7u);
  newer.venue.say(fill(second, market::Side::sell, 78, 5, 0));
  newer.run(1ms);
  client.take();
  take_back("Q-2");
  EXPECT_EQ(client.only().show({117, 297, 58}), "AI 117=Q-2 297=5 58=unknown quote") << "nothing is left";
  client.session.logout("end");
  newer.run(5s);
}

TEST_F(Quoting, whose_session_is_lost_before_the_answer_has_both_sides_reported_when_it_is_known) {
  const market::Quote quote = send(quote_of("Q-1", "9", "10", "11", "12"));
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(5s);
  ASSERT_TRUE(world.gateway.is_venue_ready(0));
  EXPECT_TRUE(world.client.take().empty()) << "nobody knows yet";
  EXPECT_EQ(world.counters().stale, 2u);
  say(quote, OwnerReportKind::accepted);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 54, 150, 39}), "8 11=Q-1 54=1 150=0 39=0");
  EXPECT_EQ(got[1].show({11, 54, 150, 39}), "8 11=Q-1 54=2 150=0 39=0");
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST_F(Quoting, ends_with_a_kill_switch_which_cancels_orders_and_quotes_and_refuses_new_ones) {
  enter();
  world.gateway.kill(0, true);
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 2u) << "orders, and quotes";
  EXPECT_EQ(world.venue.mass_cancels[0].of, market::MassCancelOf::orders);
  EXPECT_EQ(world.venue.mass_cancels[1].of, market::MassCancelOf::quotes);
  EXPECT_EQ(world.venue.mass_cancels[0].client_order_id, world.venue.mass_cancels[1].client_order_id);
  world.client.send("S", quote_of("Q-2", "9", "10", "11", "12"));
  world.run(1ms);
  EXPECT_NE(world.client.only().at(58).find("kill switch"), std::string::npos);
}

/// By version: the type of the status, and whether it has a reason.
TEST(QuoteVersions, each_has_its_own_message_for_the_status) {
  struct Row {
    FixVersion version;
    std::string expected;
  };
  const std::vector<Row> rows = {{FixVersion::fix_4_2, "b 117=Q-1 297=5 300=7"},
                                 {FixVersion::fix_4_4, "AI 117=Q-1 297=5 300="},
                                 {FixVersion::fix_5_0_sp2, "AI 117=Q-1 297=5 300=7"}};
  for (const Row& row : rows) {
    GatewayConfig config = small_config();
    config.clients[0].version = row.version;
    World world(config);
    FixClient client(world.scheduler, "CLIENT1", {}, row.version, &published_dictionary(row.version));
    world.network.connect(k_fix_address, client.session);
    world.run(10ms);
    ASSERT_TRUE(client.session.is_logged_on());
    client.send("S", quote_of("Q-1", "11", "10", "11", "12"));
    world.run(1ms);
    EXPECT_EQ(client.only().show({117, 297, 300}), row.expected);
    client.send("S", quote_of("Q-2", "9", "10", "11", "12"));
    world.run(1ms);
    EXPECT_EQ(world.venue.quotes.size(), 1u) << name_of(row.version);
    client.session.logout("end");
    world.run(5s);
  }
}

}  // namespace
}  // namespace dojima::gateway
