// Overload: who sends more than the venue answers, or reads less than it is sent, is slowed down, and nothing is lost.

#include <gtest/gtest.h>
#include <string>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// A few requests may be under way.
GatewayConfig few_in_flight(std::size_t in_flight) {
  GatewayConfig config = small_config();
  config.limits.in_flight = in_flight;
  return config;
}

TEST(GatewayFlow, reads_no_more_of_a_client_while_too_many_requests_are_unanswered) {
  World world(few_in_flight(4));
  world.log_on();
  world.log_on_other();
  for (int count = 0; count < 10; ++count) world.client.send("D", new_order("A" + std::to_string(count)));
  world.run(10ms);
  EXPECT_EQ(world.venue.orders.size(), 4u);
  // All requests of the other client, which has its own user, are read.
  for (int count = 0; count < 3; ++count) world.other.send("D", new_order("B" + std::to_string(count)));
  world.run(10ms);
  EXPECT_EQ(world.venue.orders.size(), 7u);
  // Half of them are answered: it goes on.
  world.venue.say(world.venue.accepted(world.venue.orders[0], 1));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 7u);
  world.venue.say(world.venue.accepted(world.venue.orders[1], 2));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 9u);
  for (std::size_t at = 2; at < world.venue.orders.size(); ++at) {
    if (at >= 4 && at < 7) continue;
    world.venue.say(world.venue.accepted(world.venue.orders[at], at + 10));
    world.run(1ms);
  }
  EXPECT_EQ(world.venue.orders.size(), 13u);
  EXPECT_EQ(world.counters().refused, 0u);
  EXPECT_EQ(world.client.logouts, 0);
}

TEST(GatewayFlow, takes_an_execution_for_the_answer_of_an_order_that_was_never_accepted) {
  World world(few_in_flight(2));
  world.log_on();
  for (std::size_t count = 0; count < 10; ++count) {
    world.client.send("D", new_order("A" + std::to_string(count)));
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), count + 1);
    world.venue.say(world.venue.traded(world.venue.orders[count], count + 1, 100, 10 * k_unit, 0));
    world.run(1ms);
  }
  EXPECT_EQ(world.counters().executions, 10u);
}

/// Quotes and mass cancels are not counted when they are sent, so nothing that is said of them frees a place; nor do
/// ends of orders that nobody asked for.
TEST(GatewayFlow, takes_only_what_answers_a_counted_request_for_an_answer) {
  World world(few_in_flight(2));
  world.log_on();
  const market::NewOrder first = world.enter("A-0", 70), second = world.enter("A-00", 71);
  world.client.send("q", {{{11, "M-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  world.client.send("S", {{{117, "Q-1"}, {55, "ALPHA"}, {132, "9"}, {133, "11"}, {134, "10"}, {135, "12"}}});
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
  ASSERT_EQ(world.venue.quotes.size(), 1u);
  for (const char* id : {"A", "B", "C", "D"}) world.client.send("D", new_order(id));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 4u) << "two are under way";
  market::NewOrder side = first;
  side.labels.client_order_id = world.venue.quotes.back().labels.client_order_id;
  side.terms.quantity = {10};
  world.venue.say(world.venue.accepted(side, 77));
  side.terms.side = market::Side::sell;
  side.terms.quantity = {12};
  world.venue.say(world.venue.accepted(side, 78));
  using enum market::OwnerReportKind;
  world.venue.say(
      world.venue.answer(first, cancelled, 70, world.venue.mass_cancels.back().client_order_id, 0));  // by M-1
  world.venue.say(world.venue.answer(second, cancelled, 71, second.labels.client_order_id, 0));       // by nobody
  world.run(1ms);
  EXPECT_EQ(world.counters().strays, 0u);
  EXPECT_EQ(world.venue.orders.size(), 4u) << "none of that answered A or B";
  world.venue.say(world.venue.accepted(world.venue.orders[2], 1));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 5u) << "this did";
  for (std::size_t at = 3; at < world.venue.orders.size(); ++at) {
    world.venue.say(world.venue.accepted(world.venue.orders[at], at));
    world.run(1ms);
  }
  EXPECT_EQ(world.venue.orders.size(), 6u);
}

/// Which request a report of that kind answered cannot be known: it is taken for one of this session.
TEST(GatewayFlow, takes_an_answer_that_fits_no_request_for_one) {
  World world(few_in_flight(1));
  world.log_on();
  for (const char* id : {"A", "B"}) world.client.send("D", new_order(id));
  world.run(1ms);
  ASSERT_EQ(world.venue.orders.size(), 1u);
  market::NewOrder other = world.venue.orders[0];
  other.terms.quantity.lots += 1;
  world.venue.say(world.venue.accepted(other, 1));
  world.run(1ms);
  EXPECT_EQ(world.counters().strays, 1u);
  EXPECT_EQ(world.venue.orders.size(), 2u);
}

TEST(GatewayFlow, does_not_take_a_client_that_it_does_not_read_for_silent) {
  World world(few_in_flight(1));
  world.log_on();
  world.client.send("D", new_order("A"));
  world.run(100s);
  EXPECT_TRUE(world.client.session.is_logged_on());
  world.client.send("D", new_order("B"));
  world.run(100s);
  EXPECT_EQ(world.venue.orders.size(), 1u);
  world.venue.say(world.venue.accepted(world.venue.orders[0], 1));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  EXPECT_EQ(world.client.logouts, 0);
}

TEST(GatewayFlow, lets_clients_go_on_when_the_venue_is_lost) {
  World world(few_in_flight(2));
  world.log_on();
  for (int count = 0; count < 5; ++count) world.client.send("D", new_order("A" + std::to_string(count)));
  world.run(10ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  world.client.take();
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(10ms);
  EXPECT_EQ(world.client.take().size(), 3u) << "those behind are answered: no venue";
}

TEST(GatewayFlow, serves_clients_that_share_a_user_in_turn) {
  GatewayConfig config = few_in_flight(2);
  config.clients[1].venue_user = config.clients[0].venue_user;
  config.clients[1].venue_password = config.clients[0].venue_password;
  World world(config);
  world.log_on();
  world.log_on_other();
  for (int count = 0; count < 20; ++count) {
    world.client.send("D", new_order("A" + std::to_string(count)));
    world.other.send("D", new_order("B" + std::to_string(count)));
  }
  std::size_t answered = 0;
  for (int round = 0; round < 200 && answered < 20; ++round) {
    world.run(1ms);
    while (answered < world.venue.orders.size()) {
      world.venue.say(world.venue.accepted(world.venue.orders[answered], answered + 1));
      ++answered;
    }
  }
  world.run(1ms);
  // Neither has to wait until the other has been served.
  EXPECT_GE(world.client.take().size(), 4u);
  EXPECT_GE(world.other.take().size(), 4u);
}

TEST(GatewayFlow, leaves_at_the_venue_what_is_for_a_client_that_is_far_behind) {
  GatewayConfig config = small_config();
  config.limits.store_messages = 16;
  World world(config, {}, {.input_capacity = 1024, .output_capacity = 4096});
  world.log_on();
  const market::NewOrder order = world.enter("A", 1);
  world.network.pause(world.client.session);
  std::int64_t leaves = 100;
  for (int count = 0; count < 60; ++count) {
    world.venue.say(world.venue.traded(order, 1, 1, 10 * k_unit, --leaves));
    world.run(1ms);
  }
  EXPECT_TRUE(world.client.session.is_logged_on());
  world.network.resume(world.client.session);
  world.run(1s);
  EXPECT_EQ(world.client.take().size(), 60u) << "the store would have kept 16";
  EXPECT_EQ(world.client.logouts, 0);
}

TEST(GatewayFlow, ends_a_client_that_reads_nothing_and_goes_on_for_the_others) {
  GatewayConfig config = small_config();
  World world(config, {}, {.input_capacity = 1024, .output_capacity = 4096});
  world.log_on();
  world.log_on_other();
  world.other.take();
  const market::NewOrder order = world.enter("A", 1);
  world.network.pause(world.client.session);
  std::int64_t leaves = 100;
  for (int count = 0; count < 60; ++count) {
    world.venue.say(world.venue.traded(order, 1, 1, 10 * k_unit, --leaves));
    world.run(1ms);
  }
  world.other.send("D", new_order("B"));
  world.run(10ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  EXPECT_TRUE(world.gateway.is_client_up(0));
  world.run(12s);
  EXPECT_FALSE(world.gateway.is_client_up(0));
  EXPECT_TRUE(world.gateway.is_client_up(1));
  // What came meanwhile is in its store.
  EXPECT_EQ(world.counters().undelivered, 0u);
}

}  // namespace
}  // namespace dojima::gateway
