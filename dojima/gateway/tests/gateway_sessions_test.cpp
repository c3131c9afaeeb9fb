// What happens when sessions end, memory runs out or nobody listens.

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReportKind;

/// The venue's side of the first user's connection breaks.
void lose_venue(World& world) {
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
}

TEST(GatewaySessions, every_venue_user_is_connected_at_the_start) {
  World world;
  world.run(10ms);
  EXPECT_TRUE(world.gateway.is_venue_up());
  EXPECT_EQ(world.venue.users.size(), 2u);
  EXPECT_FALSE(world.gateway.is_client_up(0));
  world.log_on();
  EXPECT_TRUE(world.gateway.is_client_up(0));
  EXPECT_FALSE(world.gateway.is_client_up(1));
  EXPECT_FALSE(world.gateway.is_client_up(2));
}

TEST(GatewaySessions, the_venue_is_tried_again_every_interval_for_ever) {
  World world;
  world.run(10ms);
  world.venue.is_open = false;
  lose_venue(world);
  EXPECT_FALSE(world.gateway.is_venue_up(0));
  EXPECT_TRUE(world.gateway.is_venue_up(1));
  const std::uint64_t before = world.counters().venue_attempts;
  world.run(60s);
  EXPECT_EQ(world.counters().venue_attempts - before, 19u);  // every 3 s and the time the refusal takes
  world.venue.is_open = true;
  world.run(4s);
  EXPECT_TRUE(world.gateway.is_venue_up());
}

TEST(GatewaySessions, a_refused_logon_is_tried_again) {
  struct Notes final : Observer {
    void on_venue_refused(std::size_t client, std::int32_t code, Time) override {
      if (client == 0) codes.push_back(code);
    }
    void on_venue_down(std::size_t, std::string_view text, Time) override { texts.emplace_back(text); }
    void on_venue_up(std::size_t, Time) override { ++ups; }
    void on_client_up(std::size_t client, Time) override { clients.insert(client); }
    void on_client_down(std::size_t client, std::string_view, Time) override { clients.erase(client); }
    std::vector<std::int32_t> codes;
    std::vector<std::string> texts;
    std::set<std::size_t> clients;
    int ups = 0;
  } notes;
  World world(small_config(), {.observer = &notes});
  world.run(10ms);
  EXPECT_EQ(notes.ups, 2);
  world.venue.logon_code = mit::code::k_user_locked;
  lose_venue(world);
  world.run(7s);
  EXPECT_EQ(notes.codes, (std::vector<std::int32_t>{8, 8}));
  EXPECT_EQ(notes.texts.front(), "closed by the peer");
  EXPECT_EQ(notes.texts.back(), "logon refused");
  world.venue.logon_code = 0;
  world.run(4s);
  EXPECT_EQ(notes.ups, 3);
  world.log_on();
  EXPECT_EQ(notes.clients, std::set<std::size_t>{0});
  world.client.session.logout("bye");
  world.run(1s);
  EXPECT_TRUE(notes.clients.empty());
}

TEST(GatewaySessions, without_the_venue_requests_are_answered_and_nothing_is_kept) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  world.venue.is_open = false;
  lose_venue(world);
  world.client.send("D", new_order("A-2"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.client.send("G", replace("A-4", "A-1", "50", "10"));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[0].show({372, 379, 380}), "j 372=D 379=A-2 380=4");
  EXPECT_EQ(received[1].show({372, 379, 380}), "j 372=F 379=A-3 380=4");
  EXPECT_EQ(received[2].show({372, 379, 380}), "j 372=G 379=A-4 380=4");
  EXPECT_EQ(world.held().orders, 1u);
  EXPECT_EQ(world.held().requests, 1u);
  EXPECT_EQ(world.held().known_ids, 1u);
  world.venue.is_open = true;
  world.run(4s);
  world.client.send("D", new_order("A-2"));  // the same id: it was never used
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
}

TEST(GatewaySessions, requests_lost_with_the_venue_session_stay_open_and_the_venue_decides) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  EXPECT_TRUE(world.gateway.is_venue_up());
  EXPECT_TRUE(world.client.take().empty());  // nothing is known, so nothing is said
  EXPECT_EQ(world.counters().stale, 2u);
  // The lost cancel does not block a new one.
  world.client.send("F", cancel("A-4", "A-1"));
  world.client.send("F", cancel("A-5", "A-2"));
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 3u);
  // By our number: a venue that lost the order may have given its id to another.
  EXPECT_EQ(world.venue.cancels[1].order.value, 0u);
  EXPECT_EQ(world.venue.cancels[1].original_client_order_id, world.venue.orders[0].labels.client_order_id);
  EXPECT_EQ(world.venue.cancels[2].order.value, 0u);
  EXPECT_EQ(world.venue.cancels[2].original_client_order_id, world.venue.orders[1].labels.client_order_id);
  // The first order lives; the second never arrived.
  world.venue.say(world.venue.answer(order, OwnerReportKind::cancelled, 77, world.venue.cancels[1].client_order_id, 0));
  market::OwnerReport unknown =
      world.venue.answer(order, OwnerReportKind::request_rejected, 0, world.venue.cancels[2].client_order_id, 0);
  unknown.reason = market::Reason::unknown_order;
  world.venue.say(unknown);
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 41, 150, 39, 58}),
            "8 11=A-4 41=A-1 150=4 39=4 58=the venue session was lost: executions may be missing");
  EXPECT_EQ(received[1].show({37, 11, 41, 39, 102}), "9 37=NONE 11=A-5 41=A-2 39=8 102=1");
  EXPECT_EQ(world.counters().stale_abandoned, 2u);
  EXPECT_EQ(world.held().requests, 0u);
  EXPECT_EQ(world.held().closed_orders, 2u);
  world.client.send("F", cancel("A-6", "A-2"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({102, 39}), "9 102=1 39=8");
}

TEST(GatewaySessions, executions_missed_while_away_are_derived_from_the_leaves_quantity) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 10, 10 * k_unit, 90));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  world.client.take();
  // 40 were executed meanwhile; then 20 more, of which we hear.
  world.venue.say(world.venue.traded(order, 77, 20, 7 * k_unit, 30));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({150, 39, 32, 31, 14, 151, 6}), "8 150=F 39=1 32=20 31=7 14=70 151=30 6=8");
  EXPECT_EQ(world.counters().missed_lots, 40u);
}

TEST(GatewaySessions, an_order_with_the_id_of_a_lost_replace_was_replaced) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "150", "12"));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  market::NewOrder amended = order;
  amended.labels.client_order_id = world.venue.replaces[0].client_order_id;
  world.venue.say(world.venue.traded(amended, 77, 20, 12 * k_unit, 130));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 41, 150, 39, 38, 44, 14, 151}),
            "8 11=A-2 41=A-1 150=F 39=1 38=150 44=12 14=20 151=130");
  EXPECT_EQ(world.counters().stale_answered, 1u);
}

TEST(GatewaySessions, a_late_answer_to_a_lost_request_is_passed_on) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  world.client.send("G", replace("A-3", "A-1", "50", "10"));
  world.run(1ms);
  market::OwnerReport refusal =
      world.venue.answer(order, OwnerReportKind::request_rejected, 77, world.venue.cancels[0].client_order_id, 0);
  refusal.reason = market::Reason::book_closed;
  world.venue.say(refusal);
  world.venue.say(
      world.venue.answer(order, OwnerReportKind::replaced, 77, world.venue.replaces[0].client_order_id, 50));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 41, 102}), "9 11=A-2 41=A-1 102=2");
  EXPECT_EQ(received[1].show({11, 41, 150, 38, 151}), "8 11=A-3 41=A-1 150=5 38=50 151=50");
  EXPECT_EQ(world.counters().stale_answered, 1u);
}

TEST(GatewaySessions, a_pending_cancel_of_an_order_that_closed_before_the_loss_is_given_up) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  world.run(1ms);
  EXPECT_EQ(world.held().closed_orders, 0u);  // its cancel is pending
  lose_venue(world);
  EXPECT_EQ(world.held().closed_orders, 1u);
  EXPECT_EQ(world.held().requests, 0u);
  EXPECT_EQ(world.counters().stale_abandoned, 1u);
}

TEST(GatewaySessions, a_late_refusal_leaves_an_order_that_closed_to_its_pending_cancel) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "150", "10"));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  world.run(1ms);
  const auto refuse = [&](const Text<20>& request) {
    market::OwnerReport refusal = world.venue.answer(order, OwnerReportKind::request_rejected, 77, request, 0);
    refusal.reason = market::Reason::unknown_order;
    world.venue.say(refusal);
    world.run(1ms);
  };
  refuse(world.venue.replaces[0].client_order_id);
  EXPECT_EQ(world.held().closed_orders, 0u);  // its cancel is pending
  refuse(world.venue.cancels[0].client_order_id);
  EXPECT_EQ(world.held().closed_orders, 1u);
  EXPECT_EQ(world.held().requests, 0u);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[1].show({11, 41, 102}), "9 11=A-2 41=A-1 102=0");
  EXPECT_EQ(received[2].show({11, 41, 102}), "9 11=A-3 41=A-1 102=0");
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST(GatewaySessions, a_venue_that_numbers_anew_is_understood) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  lose_venue(world);
  world.run(4s);
  world.venue.last_sequence = 0;
  world.enter("A-2", 1);
}

TEST(GatewaySessions, reports_wait_for_a_client_that_is_away_and_come_once_and_in_order) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.network.cut(world.client.session);
  world.run(1ms);
  EXPECT_FALSE(world.gateway.is_client_up(0));
  for (int fill = 1; fill <= 3; ++fill)
    world.venue.say(world.venue.traded(order, 77, 10, 10 * k_unit, 100 - 10 * fill));
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
  world.network.connect(k_fix_address, world.client.session);
  world.run(1s);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  for (std::size_t fill = 0; fill < 3; ++fill) {
    EXPECT_EQ(received[fill].show({43, 150, 14}), "8 43=Y 150=F 14=" + std::to_string(10 * (fill + 1)));
  }
  EXPECT_EQ(world.counters().undelivered, 0u);
}

TEST(GatewaySessions, a_client_with_the_wrong_password_stays_outside) {
  World world;
  FixClient stranger(world.scheduler, "CLIENT2", "wrong");
  world.network.connect(k_fix_address, stranger.session);
  world.run(1s);
  EXPECT_FALSE(stranger.session.is_logged_on());
  EXPECT_FALSE(world.gateway.is_client_up(1));
  world.log_on_other();
}

TEST(GatewaySessions, full_order_records_refuse_cleanly_and_closed_ones_make_room) {
  GatewayConfig config = small_config();
  config.limits.orders = 2;
  World world(config);
  world.log_on();
  const market::NewOrder first = world.enter("A-1", 1);
  world.enter("A-2", 2);
  world.client.send("D", new_order("A-3"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 39, 103, 58}),
            "8 11=A-3 150=8 39=8 103=99 58=no room for another order");
  EXPECT_EQ(world.venue.orders.size(), 2u);
  world.venue.say(world.venue.traded(first, 1, 100, 10 * k_unit, 0));
  world.run(1ms);
  world.client.take();
  world.enter("A-3", 3);
  // The first order made room: nothing is known of it but that its id was used.
  world.client.send("F", cancel("A-4", "A-1"));
  world.client.send("D", new_order("A-1"));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({102}), "9 102=1");
  EXPECT_EQ(received[1].show({103}), "8 103=6");
}

TEST(GatewaySessions, full_request_records_refuse_cleanly) {
  GatewayConfig config = small_config();
  config.limits.orders = 2;
  config.limits.requests = 4;
  World world(config);
  world.log_on();
  world.enter("A-1", 1);
  world.enter("A-2", 2);
  // Two cancels lost with their session keep their records: the answer may come yet.
  world.client.send("F", cancel("A-3", "A-1"));
  world.client.send("F", cancel("A-4", "A-2"));
  world.run(1ms);
  lose_venue(world);
  world.run(4s);
  world.client.send("F", cancel("A-5", "A-1"));
  world.client.send("G", replace("A-6", "A-1", "1", "1"));
  world.client.send("D", new_order("A-7"));
  world.run(1ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[0].show({11, 102, 58}), "9 11=A-5 102=99 58=no room for another request");
  EXPECT_EQ(received[1].show({11, 102, 434}), "9 11=A-6 102=99 434=2");
  EXPECT_EQ(received[2].show({11, 103, 58}), "8 11=A-7 103=99 58=no room for another request");
  EXPECT_EQ(world.venue.cancels.size(), 2u);
}

TEST(GatewaySessions, a_full_connection_to_the_venue_slows_the_client) {
  World world(small_config(), {}, {.input_capacity = 1024, .output_capacity = 1024});
  world.log_on();
  world.network.pause(*world.venue.users.at("USER1"));
  for (int number = 0; number < 60; ++number) {
    world.client.send("D", new_order("A-" + std::to_string(number)));
    world.run(1ms);
  }
  EXPECT_TRUE(world.client.take().empty()) << "none is refused";
  world.network.resume(*world.venue.users.at("USER1"));
  world.run(100ms);
  EXPECT_EQ(world.venue.orders.size(), 60u);
  EXPECT_EQ(world.held().orders, world.venue.orders.size());
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
}

TEST(GatewaySessions, the_probe_sees_four_stages_of_each_request_under_the_clients_number) {
  measure::StageColumns columns(4, 16);
  World world(small_config(), {.probe = &columns});
  world.log_on();
  world.enter("A-41", 77);
  world.client.send("D", new_order("A-42").set(55, "GAMMA"));
  world.run(1ms);
  EXPECT_EQ(columns.client_number(0), 41u);
  for (std::uint8_t stage = 0; stage < 4; ++stage) EXPECT_NE(columns.at(stage, 0).count, 0u) << int{stage};
  EXPECT_LE(columns.at(0, 0), columns.at(1, 0));
  EXPECT_LE(columns.at(1, 0), columns.at(2, 0));
  EXPECT_LE(columns.at(2, 0), columns.at(3, 0));
  EXPECT_EQ(columns.client_number(1), 42u);  // refused here: in and back out
  EXPECT_NE(columns.at(0, 1).count, 0u);
  EXPECT_EQ(columns.at(1, 1).count, 0u);
  EXPECT_NE(columns.at(3, 1).count, 0u);
}

TEST(GatewaySessions, the_probe_sees_one_request_in_so_many_where_that_is_enough) {
  measure::StageColumns columns(4, 16);
  GatewayConfig config = small_config();
  config.stages.one_in = 4;
  World world(config, {.probe = &columns});
  world.log_on();
  for (int number = 0; number < 8; ++number)
    world.client.send("D", new_order("A-" + std::to_string(number)).set(55, "GAMMA"));
  world.run(1ms);
  for (std::uint64_t number = 0; number < 8; ++number)
    for (const std::uint8_t stage : {std::uint8_t{0}, std::uint8_t{3}})
      EXPECT_EQ(columns.at(stage, number).count != 0, number % 4 == 0) << number << " stage " << int{stage};
}

TEST(GatewaySessions, says_how_many_connections_there_are_and_what_for) {
  World world;
  EXPECT_EQ(world.gateway.connections().clients, 0u);
  world.log_on();
  EXPECT_EQ(world.gateway.connections().clients, 1u);
  EXPECT_GT(world.gateway.connections().venues, 0u);
  FixClient stranger(world.scheduler, "NOBODY");
  link::Connection& silent = stranger.session;
  world.network.connect(k_fix_address, silent);
  world.log_on_other();
  EXPECT_EQ(world.gateway.connections().clients, 2u);
  EXPECT_EQ(world.gateway.connections().drop_copies, 0u);
  EXPECT_EQ(world.gateway.connections().strangers, 0u) << "whom the gateway does not know it turns away";
}

/// Its connection is one of those without a logon for an instant, in which others may come at any rate.
TEST(GatewaySessions, a_storm_from_one_host_keeps_the_client_of_another_from_nothing) {
  struct Silent final : link::Connection {
    void on_open(link::Transport&, Time) override {}
    std::size_t on_bytes(Bytes bytes, Time) override { return bytes.size(); }
    void on_writable(Time) override {}
    void on_closed(link::CloseReason, Time) override { is_closed = true; }
    bool is_closed = false;
  };
  World world;  // 4 connections may wait for their logon
  std::vector<std::unique_ptr<Silent>> storm;
  const auto begin_one = [&] {
    storm.push_back(std::make_unique<Silent>());
    world.network.connect(k_fix_address, *storm.back());
  };
  world.network.come_from("storm");
  for (int count = 0; count < 4; ++count) begin_one();
  world.run(1ms);
  world.network.come_from("client");
  world.network.connect(k_fix_address, world.client.session);
  world.network.come_from("storm");
  for (int count = 0; count < 40; ++count) {
    begin_one();
    world.run(5us);
  }
  world.run(1ms);
  EXPECT_TRUE(world.client.session.is_logged_on());
  EXPECT_GT(std::ranges::count(storm, true, [](const auto& each) { return each->is_closed; }), 30);
  world.run(60s);
}

TEST(GatewaySessions, stop_says_goodbye_to_both_sides_and_connects_no_more) {
  World world;
  world.log_on();
  EXPECT_FALSE(world.gateway.is_idle());
  world.gateway.stop("closing time");
  world.run(10s);
  EXPECT_TRUE(world.gateway.is_idle());
  EXPECT_TRUE(world.venue.users.empty());
  EXPECT_EQ(world.client.logouts, 1);
  const std::uint64_t attempts = world.counters().venue_attempts;
  world.run(60s);
  EXPECT_EQ(world.counters().venue_attempts, attempts);
}

TEST(GatewaySessions, configurations_that_make_no_sense_are_refused) {
  sched::Scheduler scheduler(512, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  const auto refuses = [&](auto change) {
    GatewayConfig config = small_config();
    change(config);
    EXPECT_THROW(Gateway(config, network, scheduler), std::invalid_argument);
  };
  refuses([](auto& config) { config.clients.clear(); });
  refuses([](auto& config) { config.symbols.clear(); });
  refuses([](auto& config) { config.clients[1].comp_id = "CLIENT1"; });
  refuses([](auto& config) { config.clients[1].venue_user = "USER1"; });
  refuses([](auto& config) { config.clients[1].venue_user.clear(); });
  refuses([](auto& config) { config.reconnect = {}; });
  refuses([](auto& config) { config.limits.requests = config.limits.orders; });
  refuses([](auto& config) { config.clients[0].defaults.executing_trader = 0; });
}

TEST(GatewaySessions, a_port_that_is_taken_is_reported) {
  sched::Scheduler scheduler(512, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  ScriptedVenue venue(scheduler);
  ASSERT_TRUE(network.listen(k_fix_address, venue).has_value());
  Gateway gateway(small_config(), network, scheduler);
  EXPECT_FALSE(gateway.start(k_fix_address, k_venue_address).has_value());
}

TEST(GatewaySessions, reserves_the_scheduler_entries_it_says) {
  const GatewayConfig config = small_config();
  sched::Scheduler scheduler(Gateway::timers(config), k_noon);
  link::SimulatedNetwork network(scheduler, {});
  const Gateway gateway(config, network, scheduler);
  EXPECT_EQ(gateway.clients(), 2u);
}

}  // namespace
}  // namespace dojima::gateway
