// Clients with several users at one venue: a SenderSubID or an Account says whom an order is entered as.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReportKind;

/// CLIENT1 is USER1; its trader ANN is USER3, and what is on account HOUSE goes to USER4.
GatewayConfig traders() {
  GatewayConfig config = small_config();
  config.users = {{.client = "CLIENT1", .sub_id = "ANN", .logon = {.name = "USER3", .password = "Secret#3"}},
                  {.client = "CLIENT1", .account = "HOUSE", .logon = {.name = "USER4", .password = "Secret#4"}}};
  return config;
}

struct Traders : World {
  explicit Traders(const GatewayConfig& config = traders()) : World(config) { log_on(); }
  Message answer(std::string_view type, const Fields& fields) {
    client.send(type, fields);
    run(1ms);
    return client.only();
  }
  /// Has `user` accept the newest order.
  void accept(const std::string& user, std::uint64_t order_id) {
    venue.say(venue.accepted(venue.orders.back(), order_id), user);
    run(1ms);
  }
};

Fields of(const Fields& fields, const std::string& sub_id) {
  Fields all = fields;
  all.list.insert(all.list.begin(), {50, sub_id});
  return all;
}

TEST(GatewaySubIds, every_user_of_a_client_is_logged_on) {
  Traders world;
  EXPECT_EQ(world.venue.users.size(), 4u);
  EXPECT_TRUE(world.gateway.is_venue_up(0));
}

TEST(GatewaySubIds, what_cannot_be_carried_is_answered_to_the_trader_who_sent_it) {
  Traders world;
  EXPECT_EQ(world.answer("D", of(new_order("A-1").drop(44), "ANN")).show({379, 380, 57}), "j 379=A-1 380=5 57=ANN");
  EXPECT_EQ(world.answer("D", new_order("A-2").drop(44)).show({379, 380, 57}), "j 379=A-2 380=5 57=");
  EXPECT_EQ(world.answer("R", of({{{131, "R-1"}, {146, "1"}, {55, "ALPHA"}}}, "ANN")).show({372, 380, 57}),
            "j 372=R 380=3 57=ANN");
}

TEST(GatewaySubIds, a_session_level_reject_of_the_gateway_goes_to_the_trader_too) {
  Traders world;
  const std::string long_id(41, 'A');
  EXPECT_EQ(world.answer("D", of(new_order(long_id), "ANN")).show({45, 371, 373, 57}), "3 45=2 371=11 373=5 57=ANN");
  const Message received = world.answer("D", new_order(long_id));
  EXPECT_EQ(received.show({45, 371}), "3 45=3 371=11");
  EXPECT_FALSE(received.has(57));
  EXPECT_EQ(world.answer("D", of(new_order(long_id), std::string(65, 'S'))).show({371, 57}), "3 371=11 57=")
      << "longer than what is repeated";
  // A message that the gateway has no answer for, whose id no answer could repeat.
  EXPECT_EQ(world.answer("AJ", of({{{693, "R-1"}, {694, "1"}, {55, "ALPHA"}, {11, std::string(257, 'A')}}}, "ANN"))
                .show({372, 57}),
            "3 372=AJ 57=ANN");
}

TEST(GatewaySubIds, an_order_is_entered_as_the_trader_that_it_names_and_answered_to_him) {
  Traders world;
  world.client.send("D", of(new_order("A-1"), "ANN"));
  world.run(1ms);
  world.accept("USER3", 77);
  Message received = world.client.only();
  EXPECT_EQ(received.show({11, 150, 57}), "8 11=A-1 150=0 57=ANN");
  world.venue.say(world.venue.traded(world.venue.orders.back(), 77, 10, 10 * k_unit, 90), "USER3");
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 57}), "8 150=F 57=ANN");
  world.client.send("D", new_order("A-2"));
  world.run(1ms);
  world.accept("USER1", 78);
  received = world.client.only();
  EXPECT_EQ(received.show({11, 150}), "8 11=A-2 150=0");
  EXPECT_FALSE(received.has(57));
}

TEST(GatewaySubIds, an_account_may_say_it_too_and_a_sub_id_says_it_first) {
  Traders world;
  world.client.send("D", new_order("A-1").set(1, "HOUSE"));
  world.run(1ms);
  world.accept("USER4", 77);
  EXPECT_FALSE(world.client.only().has(57));
  world.client.send("D", new_order("A-2").set(1, "OTHER"));
  world.run(1ms);
  world.accept("USER1", 78);
  EXPECT_EQ(world.client.only().show({150, 1}), "8 150=0 1=OTHER");
  world.client.send("D", of(new_order("A-3").set(1, "HOUSE"), "ANN"));
  world.run(1ms);
  world.accept("USER3", 79);
  EXPECT_EQ(world.client.only().show({150, 57}), "8 150=0 57=ANN");
}

TEST(GatewaySubIds, an_unknown_sub_id_is_refused_in_words) {
  Traders world;
  world.enter("A-1", 77);
  EXPECT_EQ(world.answer("D", of(new_order("A-2"), "BOB")).show({150, 103, 57, 58}),
            "8 150=8 103=99 57=BOB 58=unknown SenderSubID(50): the client has no such trader");
  EXPECT_EQ(world.answer("F", of(cancel("A-3", "A-1"), "BOB")).show({102, 57}), "9 102=99 57=BOB");
  EXPECT_EQ(
      world.answer("q", of({{{11, "Q-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}}, "BOB")).show({531, 532, 57}),
      "r 531=0 532=99 57=BOB");
  EXPECT_EQ(world.venue.inbox, "D");
}

TEST(GatewaySubIds, a_change_goes_the_way_of_its_order) {
  Traders world;
  world.client.send("D", of(new_order("A-1"), "ANN"));
  world.run(1ms);
  const market::NewOrder order = world.venue.orders.back();
  world.accept("USER3", 77);
  world.client.take();
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  world.venue.say(
      world.venue.answer(order, OwnerReportKind::cancelled, 77, world.venue.cancels.back().client_order_id, 0),
      "USER3");
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 57}), "8 11=A-2 41=A-1 150=4 57=ANN");
}

TEST(GatewaySubIds, a_mass_cancel_of_a_sub_id_is_of_its_orders) {
  Traders world;
  world.enter("A-1", 77);
  world.client.send("D", of(new_order("A-2"), "ANN"));
  world.run(1ms);
  world.accept("USER3", 78);
  world.client.take();
  EXPECT_EQ(world.answer("q", of({{{11, "Q-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}}, "ANN")).show({531, 57}),
            "r 531=7 57=ANN");
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 78u);
  EXPECT_EQ(world.answer("q", {{{11, "Q-2"}, {530, "7"}, {60, "20260720-12:00:00.000"}}}).show({531}), "r 531=7");
  EXPECT_EQ(world.venue.cancels.size(), 3u);
}

TEST(GatewaySubIds, a_client_without_traders_may_say_what_it_likes) {
  Traders world;
  world.log_on_other();
  world.other.send("D", of(new_order("B-1"), "ANY"));
  world.run(1ms);
  world.venue.say(world.venue.accepted(world.venue.orders.back(), 77), "USER2");
  world.run(1ms);
  const Message received = world.other.only();
  EXPECT_EQ(received.show({150}), "8 150=0");
  EXPECT_FALSE(received.has(57));
}

TEST(GatewaySubIds, a_trader_whose_venue_user_is_away_harms_no_other) {
  Traders world;
  world.venue.is_open = false;
  world.network.cut(*world.venue.users.at("USER3"));
  world.run(1ms);
  EXPECT_EQ(world.answer("D", of(new_order("A-1"), "ANN")).show({379, 380}), "j 379=A-1 380=4");
  world.enter("A-2", 77);
}

}  // namespace
}  // namespace dojima::gateway
