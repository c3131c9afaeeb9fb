// Clients that share a venue user: what is theirs is kept apart, although the venue knows one member only.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_lives.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

/// CLIENT1 and CLIENT2 are both USER1 at the venue.
GatewayConfig shared_config(CancelOnDisconnect mode = CancelOnDisconnect::never) {
  GatewayConfig config = small_config();
  config.clients[1].venue_user = "USER1";
  config.clients[1].venue_password = config.clients[0].venue_password;
  for (ClientConfig& client : config.clients) client.cancel_on_disconnect = mode;
  return config;
}

struct SharedWorld : World {
  explicit SharedWorld(const GatewayConfig& config = shared_config(), GatewayParts parts = {}) : World(config, parts) {
    log_on();
    log_on_other();
    other.take();
  }
  /// As enter(), by the other client.
  market::NewOrder enter_other(const std::string& id, std::uint64_t order_id) {
    other.send("D", new_order(id));
    run(1ms);
    const market::NewOrder order = venue.orders.back();
    venue.say(venue.accepted(order, order_id));
    run(1ms);
    EXPECT_EQ(other.only().show({11, 150, 39}), "8 11=" + id + " 150=0 39=0");
    return order;
  }
  void lose_client() {
    network.cut(client.session);
    run(1ms);
  }
  void find_client() {
    network.connect(k_fix_address, client.session);
    run(100ms);
  }
  /// The venue carries out the cancel, of an order that it knows by this id.
  void end_by(const market::Cancel& cancel, const market::NewOrder& order, std::uint64_t order_id) {
    venue.say(venue.answer(order, OwnerReportKind::cancelled, order_id, cancel.client_order_id, 0));
    run(1ms);
  }
  /// The venue refuses it.
  void refuse(const market::Cancel& cancel, std::uint64_t order_id, market::Reason reason) {
    OwnerReport report;
    report.sequence = {++venue.last_sequence};
    report.kind = OwnerReportKind::request_rejected;
    report.client_order_id = cancel.client_order_id;
    report.order = {order_id};
    report.partition = 1;
    report.reason = reason;
    venue.say(report);
    run(1ms);
  }
};

Fields shared_mass_cancel(const std::string& id, const std::string& type = "7") {
  return {{{11, id}, {530, type}, {60, "20260720-12:00:00.000"}}};
}

TEST(GatewayShared, two_clients_trade_over_one_session_and_each_hears_its_own) {
  SharedWorld world;
  EXPECT_EQ(world.venue.users.size(), 1u);
  EXPECT_TRUE(world.gateway.is_venue_up(0) && world.gateway.is_venue_up(1));
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter_other("A-1", 78);
  EXPECT_NE(first.labels.client_order_id, second.labels.client_order_id);
  world.venue.say(world.venue.traded(second, 78, 40, 10 * k_unit, 60));
  world.run(1ms);
  EXPECT_EQ(world.other.only().show({11, 150, 32, 151}), "8 11=A-1 150=F 32=40 151=60");
  EXPECT_TRUE(world.client.take().empty());
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.back().order.value, 77u);
  world.refuse(world.venue.cancels.back(), 77, market::Reason::book_closed);
  EXPECT_EQ(world.client.only().show({11, 41, 102}), "9 11=A-2 41=A-1 102=2");
  EXPECT_TRUE(world.other.take().empty());
}

TEST(GatewayShared, no_client_finds_an_order_of_another) {
  SharedWorld world;
  world.enter("A-1", 77);
  world.other.send("F", cancel("B-1", "A-1"));
  world.other.send("F", cancel("B-2", "none").set(37, wire_id(77)));
  world.other.send("H", {{{37, wire_id(77)}, {11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  world.other.send("AF", {{{584, "M-1"}, {585, "7"}}});
  world.run(1ms);
  const std::vector<Message> answers = world.other.take();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].show({11, 102}), "9 11=B-1 102=1");
  EXPECT_EQ(answers[1].show({11, 102}), "9 11=B-2 102=1");
  EXPECT_EQ(answers[2].show({39, 103}), "8 39=8 103=5");
  EXPECT_EQ(answers[3].show({911}), "8 911=0");
  EXPECT_TRUE(world.venue.cancels.empty());
}

TEST(GatewayShared, the_limits_of_a_client_are_its_own) {
  GatewayConfig config = shared_config();
  config.clients[0].limits = {.open_orders = 1};
  SharedWorld world(config);
  world.enter_other("B-1", 70);
  world.enter_other("B-2", 71);
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 103}), "8 11=A-2 150=8 103=3");
}

TEST(GatewayShared, a_client_that_goes_takes_only_its_own_orders_along) {
  SharedWorld world(shared_config(CancelOnDisconnect::disconnect));
  const market::NewOrder first = world.enter("A-1", 77);
  world.enter_other("B-1", 78);
  const market::NewOrder last = world.enter("A-2", 79);
  world.lose_client();
  EXPECT_TRUE(world.venue.mass_cancels.empty()) << "it would be the other's end too";
  ASSERT_EQ(world.venue.cancels.size(), 2u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 77u);
  EXPECT_EQ(world.venue.cancels[1].order.value, 79u);
  world.end_by(world.venue.cancels[0], first, 77);
  world.end_by(world.venue.cancels[1], last, 79);
  world.find_client();
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 41, 150, 39, 58}),
            "8 11=A-1 41= 150=4 39=4 58=cancelled because the connection to the client was lost");
  EXPECT_EQ(received[1].show({11, 150}), "8 11=A-2 150=4");
  EXPECT_TRUE(world.other.take().empty());
  world.enter("A-3", 80);
  world.run(10s);
  EXPECT_EQ(world.venue.cancels.size(), 2u);
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST(GatewayShared, an_order_that_the_venue_has_not_accepted_is_cancelled_by_its_number) {
  SharedWorld world(shared_config(CancelOnDisconnect::disconnect));
  world.client.send("D", new_order("A-1"));
  world.run(1ms);
  const market::NewOrder order = world.venue.orders.back();
  world.lose_client();
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].original_client_order_id, order.labels.client_order_id);
  world.venue.say(world.venue.accepted(order, 77));
  world.end_by(world.venue.cancels[0], order, 77);
  world.find_client();
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[1].show({11, 150, 39}), "8 11=A-1 150=4 39=4");
}

TEST(GatewayShared, a_cancel_that_the_venue_refuses_is_sent_again_for_the_orders_that_were_meant) {
  SharedWorld world(shared_config(CancelOnDisconnect::disconnect));
  const market::NewOrder first = world.enter("A-1", 77);
  world.lose_client();
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  world.find_client();
  world.enter("A-2", 78);  // since
  world.refuse(world.venue.cancels[0], 77, market::Reason::book_closed);
  EXPECT_TRUE(world.client.take().empty()) << "the client has not asked for it";
  world.run(900ms);
  EXPECT_EQ(world.venue.cancels.size(), 2u);
  EXPECT_EQ(world.venue.cancels.back().order.value, 77u);
  world.end_by(world.venue.cancels.back(), first, 77);
  world.run(10s);
  EXPECT_EQ(world.venue.cancels.size(), 2u);
  EXPECT_EQ(world.counters().cancels_refused, 1u);
}

TEST(GatewayShared, cancels_leave_at_the_rate_that_is_configured) {
  GatewayConfig config = shared_config(CancelOnDisconnect::disconnect);
  config.shared_cancel_rate = 30;
  SharedWorld world(config);
  std::vector<market::NewOrder> orders;
  for (std::uint64_t count = 0; count < 8; ++count)
    orders.push_back(world.enter("A-" + std::to_string(count), 70 + count));
  world.lose_client();
  EXPECT_EQ(world.venue.cancels.size(), 3u);
  world.run(90ms);
  EXPECT_EQ(world.venue.cancels.size(), 3u);
  world.run(20ms);
  EXPECT_EQ(world.venue.cancels.size(), 6u);
  world.run(100ms);
  ASSERT_EQ(world.venue.cancels.size(), 8u);
  for (std::uint64_t count = 0; count < 8; ++count) EXPECT_EQ(world.venue.cancels[count].order.value, 70 + count);
}

TEST(GatewayShared, a_mass_cancel_is_carried_out_order_by_order) {
  SharedWorld world;
  const market::NewOrder first = world.enter("A-1", 77);
  world.enter_other("B-1", 78);
  const market::NewOrder last = world.enter("A-2", 79);
  world.client.send("q", shared_mass_cancel("Q-1"));
  world.run(1ms);
  EXPECT_TRUE(world.venue.mass_cancels.empty());
  ASSERT_EQ(world.venue.cancels.size(), 2u);
  EXPECT_EQ(world.client.only().show({11, 530, 531, 532}), "r 11=Q-1 530=7 531=7 532=");
  world.end_by(world.venue.cancels[0], first, 77);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 39}), "8 11=Q-1 41=A-1 150=4 39=4");
  world.refuse(world.venue.cancels[1], 79, market::Reason::book_closed);
  EXPECT_EQ(world.client.only().show({11, 41, 102}), "9 11=Q-1 41=A-2 102=2");
  world.venue.say(world.venue.traded(last, 79, 100, 10 * k_unit, 0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39}), "8 11=A-2 150=F 39=2");
  EXPECT_TRUE(world.other.take().empty());
  EXPECT_EQ(world.counters().strays, 0u);
}

/// Cancels of the gateway's own are counted, and each has its answer.
TEST(GatewayShared, the_answer_to_each_cancel_of_a_mass_cancel_lets_a_request_leave) {
  GatewayConfig config = shared_config();
  config.limits.in_flight = 2;
  SharedWorld world(config);
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  world.client.send("q", shared_mass_cancel("Q-1"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 2u);
  for (const char* id : {"A-3", "A-4"}) world.client.send("D", new_order(id));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u) << "two are under way";
  world.end_by(world.venue.cancels[0], first, 77);
  world.end_by(world.venue.cancels[1], second, 78);
  EXPECT_EQ(world.venue.orders.size(), 4u);
}

TEST(GatewayShared, a_mass_cancel_of_an_instrument_leaves_the_others) {
  SharedWorld world;
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2").set(55, "BETA"));
  world.run(1ms);
  world.venue.say(world.venue.accepted(world.venue.orders.back(), 78));
  world.run(1ms);
  world.client.take();
  world.client.send("q", shared_mass_cancel("Q-1", "1").set(55, "BETA"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 78u);
  EXPECT_EQ(world.venue.cancels[0].header.instrument, 8u);
}

TEST(GatewayShared, a_mass_cancel_without_orders_is_answered) {
  SharedWorld world;
  world.client.send("q", shared_mass_cancel("Q-1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 531}), "r 11=Q-1 531=7");
  EXPECT_TRUE(world.venue.inbox.empty());
}

TEST(GatewayShared, a_mass_cancel_that_would_hit_others_is_refused_in_words) {
  GatewayConfig config = shared_config();
  config.clients[0].version = FixVersion::fix_5_0_sp2;
  World world(config);
  FixClient client(world.scheduler, "CLIENT1", {}, FixVersion::fix_5_0_sp2);
  world.network.connect(k_fix_address, client.session);
  world.run(10ms);
  client.send("q", shared_mass_cancel("Q-1").set(1461, "1").set(1462, "FIRM").set(1463, "D").set(1464, "1"));
  client.send("q", shared_mass_cancel("Q-2", "9").set(1300, "SEG1"));
  world.run(1ms);
  const std::vector<Message> answers = client.take();
  EXPECT_EQ(answers.size(), 2u);
  for (const Message& answer : answers) {
    EXPECT_EQ(answer.show({531, 532}), "r 531=0 532=0");
    EXPECT_NE(answer.at(58).find("shares its venue user"), std::string::npos);
  }
  EXPECT_TRUE(world.venue.inbox.empty());
  client.session.logout("end");
  world.run(1s);
}

TEST(GatewayShared, one_mass_cancel_at_a_time_and_the_end_of_the_venue_session_refuses_it) {
  GatewayConfig config = shared_config();
  config.shared_cancel_rate = 10;
  SharedWorld world(config);
  world.enter("A-1", 77);
  world.enter("A-2", 78);
  world.client.send("q", shared_mass_cancel("Q-1"));
  world.client.send("q", shared_mass_cancel("Q-2"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 531, 532, 58}), "r 11=Q-2 531=0 532=99 58=another mass cancel is under way");
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 531, 532, 58}),
            "r 11=Q-1 531=0 532=99 58=the venue of some orders is not connected: these are not cancelled");
  EXPECT_EQ(world.venue.cancels.size(), 1u);
}

TEST(GatewayShared, the_end_of_the_session_ends_what_waits_of_all_its_clients) {
  GatewayConfig config = shared_config();
  for (ClientConfig& client : config.clients) client.limits = {.rate = 1, .rate_action = RateAction::queue};
  SharedWorld world(config);
  world.enter("A-1", 77);
  world.enter_other("B-1", 78);
  world.client.send("D", new_order("A-2"));
  world.other.send("D", new_order("B-2"));
  world.run(1ms);
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 103}), "8 11=A-2 150=8 103=99");
  EXPECT_EQ(world.other.only().show({11, 150, 103}), "8 11=B-2 150=8 103=99");
}

TEST(GatewayShared, a_kill_switch_cancels_the_orders_of_its_client) {
  SharedWorld world;
  world.enter("A-1", 77);
  world.enter_other("B-1", 78);
  world.gateway.kill(1, true);
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels[0].order.value, 78u);
}

TEST(GatewayShared, a_gateway_that_died_half_way_cancels_the_rest_and_says_why) {
  GatewayLives lives;
  lives.config = shared_config(CancelOnDisconnect::disconnect);
  lives.config.shared_cancel_rate = 10;
  std::vector<market::NewOrder> orders;
  {
    World& world = lives.begin();
    world.log_on();
    world.log_on_other();
    orders = {world.enter("A-1", 77), world.enter("A-2", 78)};
    world.network.cut(world.client.session);
    world.run(1ms);
    ASSERT_EQ(world.venue.cancels.size(), 1u);
    lives.life->work();
    lives.kill();
  }
  World& world = lives.begin();
  world.run(200ms);
  std::vector<std::uint64_t> cancelled;
  for (const market::Cancel& cancel : world.venue.cancels) cancelled.push_back(cancel.order.value);
  // Without a recovery channel they are stale, and named by their numbers.
  EXPECT_EQ(cancelled, (std::vector<std::uint64_t>{0, 0}));
  for (std::size_t at = 0; at < 2; ++at) {
    ASSERT_LT(at, world.venue.cancels.size());
    EXPECT_EQ(world.venue.cancels[at].original_client_order_id, orders[at].labels.client_order_id);
    EXPECT_NE(world.venue.cancels[at].client_order_id, orders[0].labels.client_order_id);
    world.venue.say(world.venue.answer(orders[at], OwnerReportKind::cancelled, 77 + at,
                                       world.venue.cancels[at].client_order_id, 0));
  }
  world.run(1ms);
  world.network.connect(k_fix_address, world.client.session);
  world.run(100ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  for (const Message& message : received) {
    EXPECT_EQ(message.show({150, 39}), "8 150=4 39=4");
    EXPECT_TRUE(message.at(58).starts_with("cancelled because the connection to the client was lost"));
  }
  world.run(10s);
  EXPECT_EQ(world.venue.cancels.size(), 2u);
}

TEST(GatewayShared, clients_of_one_user_give_one_password) {
  GatewayConfig config = shared_config();
  config.clients[1].venue_password = "another";
  EXPECT_THROW(VenueUsers{config}, std::invalid_argument);
  config.clients[1].venue_password = config.clients[0].venue_password;
  const VenueUsers users(config);
  EXPECT_EQ(users.size(), 1u);
  EXPECT_FALSE(users.is_alone(1));
}

}  // namespace
}  // namespace dojima::gateway
