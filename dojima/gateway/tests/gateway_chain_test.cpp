// Changes that wait for the answer to the one before them, where a client's `chain` lets them.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_lives.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

GatewayConfig chaining(std::uint32_t chain = 3) {
  GatewayConfig config = small_config();
  config.clients[0].chain = chain;
  return config;
}

struct ChainWorld : World {
  explicit ChainWorld(const GatewayConfig& config = chaining()) : World(config) { log_on(); }
  std::vector<std::string> received(std::initializer_list<int> tags) {
    run(1ms);
    std::vector<std::string> lines;
    for (const Message& message : client.take()) lines.push_back(message.show(tags));
    return lines;
  }
  /// The venue replaces the order as the newest G wants it.
  void replace_at_venue(const market::NewOrder& order, std::uint64_t order_id) {
    const market::Replace& wanted = venue.replaces.back();
    venue.say(venue.answer(order, OwnerReportKind::replaced, order_id, wanted.client_order_id, wanted.quantity.lots));
    run(1ms);
  }
  void refuse(const Text<20>& request, std::uint64_t order_id, market::Reason reason) {
    OwnerReport report;
    report.sequence = {++venue.last_sequence};
    report.kind = OwnerReportKind::request_rejected;
    report.client_order_id = request;
    report.order = {order_id};
    report.partition = 1;
    report.reason = reason;
    venue.say(report);
    run(1ms);
  }
};

TEST(GatewayChain, without_it_a_second_change_is_refused) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "40", "11"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 102}), "9 11=A-3 102=3");
}

TEST(GatewayChain, the_second_change_leaves_when_the_first_is_answered) {
  ChainWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "40", "12"));
  world.client.send("F", cancel("A-4", "A-3"));
  EXPECT_TRUE(world.received({11}).empty());
  EXPECT_EQ(world.venue.inbox, "DG");
  world.replace_at_venue(order, 77);
  EXPECT_EQ(world.venue.inbox, "DGG");
  EXPECT_EQ(world.venue.replaces.back().quantity.lots, 40);
  EXPECT_EQ(world.received({11, 41, 150, 38}), std::vector<std::string>{"8 11=A-2 41=A-1 150=5 38=50"});
  world.replace_at_venue(order, 77);
  EXPECT_EQ(world.venue.inbox, "DGGF");
  EXPECT_EQ(world.received({11, 41, 150, 38}), std::vector<std::string>{"8 11=A-3 41=A-2 150=5 38=40"});
  world.venue.say(
      world.venue.answer(order, OwnerReportKind::cancelled, 77, world.venue.cancels.back().client_order_id, 0));
  EXPECT_EQ(world.received({11, 41, 150, 39}), std::vector<std::string>{"8 11=A-4 41=A-3 150=4 39=4"});
  EXPECT_EQ(world.counters().chained, 2u);
  EXPECT_EQ(world.counters().sent, world.counters().answers);
  EXPECT_EQ(world.held().requests, 0u);
}

TEST(GatewayChain, what_a_change_does_not_say_comes_from_the_one_that_it_follows) {
  ChainWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "80", "11").set(111, "20"));
  world.client.send("G", replace("A-3", "A-2", "80", "12"));
  world.run(1ms);
  world.replace_at_venue(order, 77);
  ASSERT_EQ(world.venue.replaces.size(), 2u);
  EXPECT_EQ(world.venue.replaces.back().displayed.lots, 20);
}

TEST(GatewayChain, what_follows_a_refused_change_is_refused_and_what_names_the_order_goes) {
  ChainWorld world;
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "40", "12"));
  world.client.send("F", cancel("A-4", "A-1"));
  world.run(1ms);
  world.refuse(world.venue.replaces.back().client_order_id, 77, market::Reason::book_closed);
  EXPECT_EQ(world.received({11, 102, 58}).size(), 2u);
  EXPECT_EQ(world.venue.inbox, "DGF");
}

TEST(GatewayChain, what_follows_a_refused_change_is_refused_with_the_reason) {
  ChainWorld world;
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("F", cancel("A-3", "A-2"));
  world.run(1ms);
  world.refuse(world.venue.replaces.back().client_order_id, 77, market::Reason::book_closed);
  const std::vector<std::string> received = world.received({11, 41, 434, 102});
  EXPECT_EQ(received, (std::vector<std::string>{"9 11=A-2 41=A-1 434=2 102=2", "9 11=A-3 41=A-2 434=1 102=1"}));
  EXPECT_EQ(world.venue.inbox, "DG");
}

TEST(GatewayChain, an_order_that_closes_is_too_late_for_what_waits) {
  ChainWorld world;
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "150", "11"));
  world.client.send("F", cancel("A-3", "A-2"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  EXPECT_EQ(world.received({11, 150, 102}), (std::vector<std::string>{"8 11=A-1 150=F 102=", "9 11=A-3 150= 102=0"}));
  world.refuse(world.venue.replaces.back().client_order_id, 77, market::Reason::unknown_order);
  EXPECT_EQ(world.received({11, 102}), std::vector<std::string>{"9 11=A-2 102=0"});
  EXPECT_EQ(world.held().requests, 0u);
  EXPECT_EQ(world.held().closed_orders, 1u);
}

TEST(GatewayChain, no_more_wait_than_are_configured) {
  ChainWorld world(chaining(1));
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "40", "11"));
  world.client.send("G", replace("A-4", "A-3", "30", "11"));
  EXPECT_EQ(world.received({11, 102}), std::vector<std::string>{"9 11=A-4 102=3"});
}

TEST(GatewayChain, an_id_that_waits_is_used) {
  ChainWorld world;
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "40", "11"));
  world.client.send("F", cancel("A-3", "A-1"));
  EXPECT_EQ(world.received({11, 102}), std::vector<std::string>{"9 11=A-3 102=6"});
}

TEST(GatewayChain, a_limit_holds_before_the_wait) {
  GatewayConfig config = chaining();
  config.clients[0].limits.quantity = {100};
  ChainWorld world(config);
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("G", replace("A-3", "A-2", "101", "11"));
  EXPECT_EQ(world.received({11, 102}), std::vector<std::string>{"9 11=A-3 102=2"});
}

TEST(GatewayChain, the_end_of_the_venues_session_ends_what_waits) {
  ChainWorld world;
  world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "11"));
  world.client.send("F", cancel("A-3", "A-2"));
  world.run(1ms);
  world.network.cut(*world.venue.users.at("USER1"));
  EXPECT_EQ(world.received({11, 102, 58}),
            std::vector<std::string>{"9 11=A-3 102=99 58=the session with the venue ended before this left"});
}

TEST(GatewayChain, a_kill_switch_and_a_mass_cancel_end_what_waits) {
  for (const bool is_kill : {true, false}) {
    ChainWorld world;
    world.enter("A-1", 77);
    world.client.send("G", replace("A-2", "A-1", "50", "11"));
    world.client.send("G", replace("A-3", "A-2", "40", "11"));
    world.run(1ms);
    if (is_kill)
      world.gateway.kill(0, false);
    else
      world.client.send("q", {{{11, "Q-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
    EXPECT_EQ(world.received({11, 102}), std::vector<std::string>{"9 11=A-3 102=99"});
    EXPECT_EQ(world.venue.inbox, is_kill ? "DG" : "DGq");
  }
}

TEST(GatewayChain, what_waited_when_the_gateway_died_is_refused_by_the_next) {
  GatewayLives lives;
  lives.config = chaining();
  {
    World& world = lives.begin();
    world.log_on();
    world.enter("A-1", 77);
    world.client.send("G", replace("A-2", "A-1", "50", "11"));
    world.client.send("F", cancel("A-3", "A-2"));
    world.run(1ms);
    lives.life->work();
    lives.kill();
  }
  World& world = lives.begin();
  world.network.connect(k_fix_address, world.client.session);
  world.run(100ms);
  EXPECT_EQ(world.client.only().show({11, 102, 58}), "9 11=A-3 102=99 58=the gateway ended before this left");
  EXPECT_EQ(world.held().requests, 2u) << "the order's and the replace, which may be answered";
}

}  // namespace
}  // namespace dojima::gateway
