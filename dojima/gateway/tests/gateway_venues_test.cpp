// A gateway of two venues: a symbol belongs to one of them, and what happens at one is no matter of the other.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_lives.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

const link::Address k_second_address{"second", 5};

/// ALPHA is traded at the first venue, BETA at the second; CLIENT2 trades at the first only.
GatewayConfig two_venues(CancelOnDisconnect mode = CancelOnDisconnect::never) {
  GatewayConfig config = small_config();
  config.venue_name = "FIRST";
  config.other_venues = {{.name = "SECOND", .address = {k_second_address, {}}}};
  config.users = {{.client = "CLIENT1", .venue = "SECOND", .logon = {.name = "USER1", .password = "Secret#9"}}};
  config.symbols[1].venue = "SECOND";
  config.clients[0].cancel_on_disconnect = mode;
  return config;
}

Fields beta(const std::string& id) {
  return new_order(id).set(55, "BETA");
}

/// With the second venue beside the first.
struct Venues : World {
  explicit Venues(const GatewayConfig& config = two_venues(), GatewayParts parts = {}) : World(config, parts) {
    EXPECT_TRUE(network.listen(k_second_address, second).has_value());
    run(4s);
    log_on();
    log_on_other();
  }
  ~Venues() {
    gateway.stop("end");
    second.is_open = false;
    run(30s);
  }
  market::NewOrder enter_second(const std::string& id, std::uint64_t order_id) {
    client.send("D", beta(id));
    run(1ms);
    const market::NewOrder order = second.orders.back();
    second.say(second.accepted(order, order_id));
    run(1ms);
    EXPECT_EQ(client.only().show({11, 150, 39}), "8 11=" + id + " 150=0 39=0");
    return order;
  }
  void lose_second() {
    second.is_open = false;
    network.cut(*second.users.at("USER1"));
    run(1ms);
  }
  void find_second() {
    second.is_open = true;
    run(4s);
  }
  ScriptedVenue second{scheduler};
};

TEST(GatewayVenues, an_order_goes_to_the_venue_of_its_symbol) {
  Venues world;
  world.enter("A-1", 77);
  EXPECT_EQ(world.second.inbox, "");
  const market::NewOrder order = world.enter_second("A-2", 78);
  EXPECT_EQ(world.venue.inbox, "D");
  world.client.send("G", replace("A-3", "A-2", "50", "11").set(55, "BETA"));
  world.client.send("F", cancel("A-4", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DF");
  EXPECT_EQ(world.second.inbox, "DG");
  world.second.say(
      world.second.answer(order, OwnerReportKind::replaced, 78, world.second.replaces.back().client_order_id, 50));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 38}), "8 11=A-3 41=A-2 150=5 38=50");
}

TEST(GatewayVenues, ids_that_both_venues_have_given_are_two_for_the_client) {
  Venues world;
  const market::NewOrder first = world.enter("A-1", 77), last = world.enter_second("A-2", 77);
  world.venue.say(world.venue.traded(first, 77, 10, 10 * k_unit, 90));
  world.second.last_execution = world.venue.last_execution - 1;
  world.second.say(world.second.traded(last, 77, 20, 10 * k_unit, 80));
  world.run(1ms);
  const std::vector<Message> fills = world.client.take();
  ASSERT_EQ(fills.size(), 2u);
  EXPECT_NE(fills[0].at(37), fills[1].at(37));
  EXPECT_NE(fills[0].at(17), fills[1].at(17));
  EXPECT_EQ(fills[0].at(37).substr(1), fills[1].at(37).substr(1));
  EXPECT_EQ(fills[1].at(37).front(), '1');
  for (const Message& fill : fills)
    world.client.send("F", cancel("F-" + fill.at(11), "none").set(37, fill.at(37)).set(55, fill.at(55)));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DF");
  EXPECT_EQ(world.second.inbox, "DF");
  world.client.send("H", {{{37, "20000000001F"}, {11, "none"}, {55, "ALPHA"}, {54, "1"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({39, 103}), "8 39=8 103=5") << "there is no third venue";
}

/// Numbers are one sequence over all venues, users and kinds of requests: a report never leads to another's record.
TEST(GatewayVenues, every_request_has_a_number_that_no_other_has_anywhere) {
  Venues world;
  world.enter("A-1", 77);
  world.enter_second("A-2", 78);
  world.other.send("D", new_order("B-1"));
  world.client.send("q", {{{11, "M-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  world.other.send("q", {{{11, "M-2"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  world.run(1ms);
  world.client.send("D", beta("A-3"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DFDq");
  EXPECT_EQ(world.second.inbox, "DFD");
  std::vector<std::string> numbers;
  for (const ScriptedVenue* venue : {&world.venue, &world.second}) {
    for (const market::NewOrder& order : venue->orders) numbers.emplace_back(order.labels.client_order_id.view());
    for (const market::Cancel& one : venue->cancels) numbers.emplace_back(one.client_order_id.view());
    for (const market::MassCancel& mass : venue->mass_cancels) numbers.emplace_back(mass.client_order_id.view());
  }
  ASSERT_EQ(numbers.size(), 7u);
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

TEST(GatewayVenues, a_busted_trade_names_the_execution_as_it_was_reported) {
  Venues world;
  const market::NewOrder order = world.enter_second("A-1", 77);
  OwnerReport trade = world.second.traded(order, 77, 20, 10 * k_unit, 80);
  world.second.say(trade);
  world.run(1ms);
  const std::string received = world.client.only().at(17);
  OwnerReport bust = world.second.traded(order, 77, 20, 10 * k_unit, 80);
  bust.kind = OwnerReportKind::trade_cancelled;
  bust.reference = trade.execution;
  bust.status = market::OrderStatus::new_order;
  world.second.say(bust);
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 19}), "8 150=H 19=" + received);
}

TEST(GatewayVenues, a_venue_that_is_away_harms_its_symbols_only) {
  Venues world;
  world.enter_second("A-1", 78);
  world.lose_second();
  world.enter("A-2", 77);
  world.client.send("D", beta("A-3"));
  world.client.send("F", cancel("A-4", "A-1").set(55, "BETA"));
  world.client.send("F", cancel("A-5", "never").set(55, "BETA"));
  world.client.send("H", {{{11, "A-1"}, {55, "BETA"}, {54, "1"}}});
  world.run(1ms);
  const std::vector<Message> answers = world.client.take();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].show({379, 380, 58}), "j 379=A-3 380=4 58=the venue is not connected");
  EXPECT_EQ(answers[1].show({379, 380}), "j 379=A-4 380=4");
  EXPECT_EQ(answers[2].show({11, 102}), "9 11=A-5 102=1");
  EXPECT_EQ(answers[3].show({11, 150}), "8 11=A-1 150=I");
  EXPECT_FALSE(world.gateway.is_venue_up(0));
  EXPECT_TRUE(world.gateway.is_venue_up(1)) << "CLIENT2 does not trade there";
  world.find_second();
  world.enter_second("A-6", 79);
}

TEST(GatewayVenues, a_client_without_a_user_at_the_venue_is_refused_in_words) {
  Venues world;
  world.other.send("D", beta("B-1"));
  world.other.send("D", new_order("B-2").set(55, "NEVER"));
  world.run(1ms);
  const std::vector<Message> answers = world.other.take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].show({11, 150, 103, 58}),
            "8 11=B-1 150=8 103=1 58=the client does not trade at the venue of this symbol");
  EXPECT_EQ(answers[1].show({11, 150, 103}), "8 11=B-2 150=8 103=1");
}

TEST(GatewayVenues, a_mass_cancel_is_of_all_venues_and_answered_once) {
  Venues world;
  world.enter("A-1", 77);
  world.enter_second("A-2", 78);
  world.client.send("q", {{{11, "Q-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 531, 532}), "r 11=Q-1 531=7 532=");
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  ASSERT_EQ(world.second.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 77u);
  EXPECT_EQ(world.second.cancels[0].order.value, 78u);
  world.lose_second();
  world.client.take();
  world.client.send("q", {{{11, "Q-2"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 531, 532, 58}),
            "r 11=Q-2 531=0 532=99 58=the venue of some orders is not connected: these are not cancelled");
  EXPECT_EQ(world.venue.cancels.size(), 2u);
  world.client.send("q", {{{11, "Q-3"}, {530, "1"}, {55, "BETA"}, {60, "20260720-12:00:00.000"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({380}), "j 380=4");
}

TEST(GatewayVenues, orders_of_a_client_that_went_are_cancelled_where_and_when_they_can_be) {
  Venues world(two_venues(CancelOnDisconnect::disconnect));
  world.enter("A-1", 77);
  const market::NewOrder late = world.enter_second("A-2", 78);
  world.lose_second();
  world.network.cut(world.client.session);
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_TRUE(world.second.cancels.empty());
  world.find_second();
  ASSERT_EQ(world.second.cancels.size(), 1u);
  EXPECT_EQ(world.second.cancels[0].original_client_order_id, late.labels.client_order_id);
}

TEST(GatewayVenues, questions_are_answered_of_all_venues) {
  Venues world;
  world.enter("A-1", 77);
  world.enter_second("A-2", 78);
  world.client.send("AF", {{{584, "M-1"}, {585, "7"}}});
  world.client.send("g", {{{335, "T-1"}, {263, "0"}}});
  world.client.send("x", {{{320, "X-1"}, {559, "4"}}});
  world.lose_second();
  world.client.send("g", {{{335, "T-2"}, {263, "0"}}});
  world.run(1ms);
  const std::vector<Message> answers = world.client.take();
  ASSERT_EQ(answers.size(), 7u);
  EXPECT_EQ(answers[0].show({11, 911, 912}), "8 11=A-1 911=2 912=N");
  EXPECT_EQ(answers[1].show({11, 911, 912}), "8 11=A-2 911=2 912=Y");
  EXPECT_TRUE(answers[2].at(58).starts_with("FIRST takes requests;"));
  EXPECT_TRUE(answers[3].at(58).starts_with("SECOND takes requests;"));
  EXPECT_EQ(answers[4].show({393}), "y 393=2");
  EXPECT_TRUE(answers[6].at(58).starts_with("SECOND is not connected;"));
}

TEST(GatewayVenues, orders_of_every_venue_survive_the_gateway) {
  GatewayLives lives;
  lives.config = two_venues();
  {
    World& world = lives.begin();
    auto second = std::make_unique<ScriptedVenue>(world.scheduler);
    ASSERT_TRUE(world.network.listen(k_second_address, *second).has_value());
    world.run(4s);
    world.log_on();
    world.client.send("D", beta("A-1"));
    world.run(1ms);
    second->say(second->accepted(second->orders.back(), 78));
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({150}), "8 150=0");
    lives.life->work();
    world.network.cut(*second->users.at("USER1"));
    world.network.stop_listening(k_second_address);
    world.run(1ms);
    second.reset();
    lives.kill();
  }
  const GatewayConfig config = lives.config;
  World& world = lives.begin();
  ASSERT_EQ(world.held().orders, 1u);
  EXPECT_TRUE(is_order_of(world.gateway, 0, 1, 78));
  lives.config.users.clear();
  lives.config.symbols[1].venue.clear();
  EXPECT_FALSE(goes_with(lives.life->saved, lives.config)) << "an open order without its user";
  EXPECT_TRUE(goes_with(lives.life->saved, config));
  lives.config.users = config.users;
  EXPECT_FALSE(goes_with(lives.life->saved, lives.config)) << "its symbol is at the first venue now";
  lives.config.symbols = config.symbols;
  lives.config.venue_name = "ANOTHER";
  EXPECT_TRUE(goes_with(lives.life->saved, lives.config)) << "the first venue has no order";
  lives.config.other_venues[0].name = lives.config.users[0].venue = lives.config.symbols[1].venue = "THIRD";
  EXPECT_FALSE(goes_with(lives.life->saved, lives.config));
}

}  // namespace
}  // namespace dojima::gateway
