// A gateway whose journal has no spare segment in time: nobody is read until there is one, and nothing is refused or
// lost. A disk that stays full ends the clients in order.

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_lives.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// Two clients whose gateway remembers many orders, in segments of 16 KiB.
GatewayConfig many_orders() {
  GatewayConfig config = small_config();
  config.limits.orders = 512;
  config.limits.requests = 2048;
  config.limits.remembered_ids = 512;
  return config;
}

struct Shortage {
  explicit Shortage(GatewayConfig config = many_orders()) {
    lives.config = std::move(config);
    world = &lives.begin();
    lives.life->work();
    world->log_on();
    lives.life->work();
  }
  /// The journal's thread works again, and the loop goes on; until nothing is held back, at most `turns` times.
  void work(int turns = 200) {
    for (int turn = 0; turn < turns; ++turn) {
      lives.life->work();
      world->run(1ms);
    }
    EXPECT_FALSE(world->gateway.waits_for_journal());
  }
  /// The venue says a hundred executions of an order of a hundred lots that it knows as 77.
  void trade_lot_by_lot(const market::NewOrder& order) const {
    for (std::int64_t lot = 1; lot <= 100; ++lot)
      world->venue.say(world->venue.traded(order, 77, 1, 10 * k_unit, 100 - lot));
  }
  [[nodiscard]] const GatewayCounters& counters() const { return world->counters(); }
  void expect_nothing_lost() const {
    EXPECT_EQ(counters().undelivered, 0u);
    EXPECT_EQ(counters().unwritten, 0u);
    EXPECT_EQ(counters().refused, 0u);
    EXPECT_GT(counters().journal_waits, 0u);
    EXPECT_EQ(world->client.logouts, 0);
    EXPECT_TRUE(world->client.session.is_logged_on());
  }

  GatewayLives lives;
  World* world = nullptr;
};

TEST(GatewayRoom, reports_wait_at_the_venue_until_a_segment_is_ready) {
  Shortage room;
  const market::NewOrder order = room.world->enter("A-1", 77);
  room.lives.life->work();
  room.trade_lot_by_lot(order);
  room.world->run(10ms);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  EXPECT_LT(room.world->client.received.size(), 100u);
  room.work();
  const std::vector<Message> received = room.world->client.take();
  ASSERT_EQ(received.size(), 100u);
  for (std::size_t at = 0; at < received.size(); ++at)
    EXPECT_EQ(received[at].show({150, 14}), "8 150=F 14=" + std::to_string(at + 1));
  room.expect_nothing_lost();
}

TEST(GatewayRoom, requests_wait_at_the_clients_until_a_segment_is_ready) {
  Shortage room;
  room.world->log_on_other();
  room.lives.life->work();
  for (int count = 0; count < 200; ++count) {
    room.world->client.send("D", new_order("A-" + std::to_string(count)));
    room.world->other.send("D", new_order("B-" + std::to_string(count)));
  }
  room.world->run(10ms);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  EXPECT_LT(room.world->venue.orders.size(), 200u);
  room.work();
  EXPECT_EQ(room.world->venue.orders.size(), 400u);
  room.expect_nothing_lost();
  EXPECT_EQ(room.world->other.logouts, 0);
}

TEST(GatewayRoom, a_client_and_a_user_that_log_on_meanwhile_are_not_read_either) {
  Shortage room;
  for (int count = 0; count < 300; ++count) room.world->client.send("D", new_order("A-" + std::to_string(count)));
  room.world->run(10ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  const std::size_t orders = room.world->venue.orders.size();
  room.world->log_on_other();
  room.world->other.send("D", new_order("B"));
  room.world->network.cut(*room.world->venue.users.at("USER2"));
  room.world->run(5s);
  EXPECT_TRUE(room.world->gateway.is_venue_up(1)) << "it has logged on again";
  EXPECT_EQ(room.world->venue.orders.size(), orders);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  room.work();
  EXPECT_EQ(room.world->venue.orders.size(), 301u);
  room.expect_nothing_lost();
}

TEST(GatewayRoom, the_answer_about_all_open_orders_goes_on_when_a_segment_is_ready) {
  Shortage room;
  for (int count = 0; count < 200; ++count) {
    room.world->enter("A-" + std::to_string(count), 100 + static_cast<std::uint64_t>(count));
    room.lives.life->work();
  }
  const std::uint64_t waits = room.counters().journal_waits;
  room.world->client.send("AF", {{{584, "Q-1"}, {585, "7"}}});
  room.world->run(10ms);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  EXPECT_LT(room.world->client.received.size(), 200u);
  room.work();
  EXPECT_GT(room.counters().journal_waits, waits);
  const std::vector<Message> received = room.world->client.take();
  ASSERT_EQ(received.size(), 200u);
  EXPECT_EQ(received[0].show({11, 584, 911, 912}), "8 11=A-0 584=Q-1 911=200 912=N");
  EXPECT_EQ(received[198].show({11, 584, 911, 912}), "8 11=A-198 584=Q-1 911=200 912=N");
  EXPECT_EQ(received[199].show({11, 584, 911, 912}), "8 11=A-199 584=Q-1 911=200 912=Y");
  room.expect_nothing_lost();
}

TEST(GatewayRoom, drop_copies_are_made_when_a_segment_is_ready) {
  GatewayConfig config = many_orders();
  config.drop_copies = {{.comp_id = "FIRM"}};
  Shortage room(std::move(config));
  FixClient firm(room.world->scheduler, "FIRM");
  room.world->network.connect(k_fix_address, firm.session);
  const market::NewOrder order = room.world->enter("A-1", 77);
  room.lives.life->work();
  room.trade_lot_by_lot(order);
  room.world->run(10ms);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  room.work();
  EXPECT_EQ(room.world->client.take().size(), 100u);
  EXPECT_EQ(firm.take().size(), 101u);
  EXPECT_EQ(room.counters().uncopied, 0u);
  room.expect_nothing_lost();
  firm.session.logout("end");
  room.world->run(100ms);
}

/// A minute without a segment: who is not read is not taken for silent, and the venue's heartbeats wait.
TEST(GatewayRoom, a_slow_disk_ends_no_client) {
  Shortage room;
  const market::NewOrder order = room.world->enter("A-1", 77);
  room.lives.life->work();
  room.trade_lot_by_lot(order);
  room.world->run(60s);
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  EXPECT_EQ(room.counters().venue_sessions, 2u) << "nor a session with the venue";
  room.work();
  EXPECT_EQ(room.world->client.take().size(), 100u);
  room.expect_nothing_lost();
}

/// The same until the disk is full for good.
TEST(GatewayRoom, a_full_disk_ends_the_clients_in_order_and_loses_no_report) {
  Shortage room;
  const market::NewOrder order = room.world->enter("A-1", 77);
  room.lives.life->work();
  room.lives.disk.fail_writes(ENOSPC);
  for (std::int64_t lot = 1; lot <= 90; ++lot)
    room.world->venue.say(room.world->venue.traded(order, 77, 1, 10 * k_unit, 100 - lot));
  for (int second = 0; second < 12; ++second) {
    room.lives.life->work();
    room.world->run(1s);
  }
  EXPECT_TRUE(room.world->gateway.waits_for_journal());
  EXPECT_EQ(room.world->client.logouts, 1);
  const std::size_t before = room.world->client.take().size();
  EXPECT_LT(before, 90u);
  EXPECT_EQ(room.counters().undelivered, 0u);
  EXPECT_EQ(room.counters().unwritten, 0u);
  // There is room again. What the venue said meanwhile follows.
  room.lives.disk.fail_writes(0);
  room.work();
  room.world->network.connect(k_fix_address, room.world->client.session);
  room.work();
  EXPECT_TRUE(room.world->client.session.is_logged_on());
  EXPECT_EQ(before + room.world->client.take().size(), 90u);
  EXPECT_EQ(room.counters().undelivered, 0u);
  EXPECT_EQ(room.counters().journal_waits, 1u);
}

/// Requests that wait for their client's rate, in a gateway whose journal is short of room.
struct WaitingInShortage : Shortage {
  static GatewayConfig limited() {
    GatewayConfig config = many_orders();
    config.clients[0].limits = {.rate = 1, .rate_action = RateAction::queue, .queue = 40};
    return config;
  }
  /// Not short yet after so many orders of the other client.
  explicit WaitingInShortage(int others = 300) : Shortage(limited()) {
    world->log_on_other();
    for (int count = 0; count < 40; ++count) {
      world->client.send("D", new_order("A-" + std::to_string(count)));
      world->run(1ms);
      lives.life->work();
    }
    EXPECT_EQ(world->venue.orders.size(), 1u);
    EXPECT_EQ(waiting(world->gateway, 0), 39u);
    world->client.take();
    // The other client uses up the room.
    for (int count = 0; count < others; ++count) world->other.send("D", new_order("B-" + std::to_string(count)));
    world->run(10ms);
    EXPECT_EQ(world->gateway.waits_for_journal(), others == 300);
    written = lives.life->stores->written_while_short();
  }
  void expect_put_off(const std::string& text) {
    world->run(10ms);
    EXPECT_EQ(waiting(world->gateway, 0), 39u);
    EXPECT_LT(lives.life->stores->written_while_short(), written + 1000) << "no answer has been written";
    work();
    EXPECT_EQ(waiting(world->gateway, 0), 0u);
    const std::vector<Message> received = world->client.take();
    ASSERT_EQ(received.size(), 39u);
    for (const Message& each : received) EXPECT_EQ(each.show({150, 103, 58}), "8 150=8 103=99 58=" + text);
    EXPECT_EQ(counters().undelivered, 0u);
    EXPECT_EQ(counters().unwritten, 0u);
  }
  std::size_t written = 0;
};

TEST(GatewayRoom, what_waits_is_refused_when_there_is_room_behind_the_end_of_its_venue_session) {
  WaitingInShortage room;
  room.world->network.cut(*room.world->venue.users.at("USER1"));
  room.expect_put_off("the session with the venue ended before this left");
}

/// The venue is back before there is room: nothing leaves for it before what went before is settled.
TEST(GatewayRoom, what_waits_is_refused_when_there_is_room_though_the_venue_is_back) {
  WaitingInShortage room;
  room.world->network.cut(*room.world->venue.users.at("USER1"));
  room.world->run(5s);
  EXPECT_TRUE(room.world->gateway.is_venue_up(0));
  EXPECT_FALSE(room.world->gateway.is_venue_ready(0)) << "nothing leaves yet";
  EXPECT_FALSE(room.world->gateway.status(0).is_venue_ready);
  EXPECT_EQ(room.world->gateway.counters().stale, 0u);
  room.expect_put_off("the session with the venue ended before this left");
  EXPECT_TRUE(room.world->gateway.is_venue_ready(0));
  EXPECT_EQ(room.counters().stale, 1u) << "the one that had left";
  const std::size_t orders = room.world->venue.orders.size();
  room.world->run(2s);
  room.world->client.send("D", new_order("A-100"));
  room.world->run(1ms);
  EXPECT_EQ(room.world->venue.orders.size(), orders + 1);
}

/// A paused answer says of orders that they are open: it is whole before they end.
TEST(GatewayRoom, an_answer_about_all_open_orders_is_whole_before_what_waits_is_refused) {
  const int taken = [] {
    const WaitingInShortage room;
    return static_cast<int>(room.world->venue.orders.size()) - 1;
  }();
  ASSERT_GT(taken, 10);
  WaitingInShortage room(taken - 5);
  room.world->client.send("AF", {{{584, "Q-1"}, {585, "7"}}});
  room.world->run(1ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  ASSERT_LT(room.world->client.received.size(), 40u);
  room.world->network.cut(*room.world->venue.users.at("USER1"));
  room.world->run(1ms);
  room.work();
  const std::vector<Message> received = room.world->client.take();
  ASSERT_EQ(received.size(), 79u);
  for (std::size_t at = 0; at < 40; ++at)
    EXPECT_EQ(received[at].show({150, 911, 912}), std::string("8 150=I 911=40 912=") + (at == 39 ? "Y" : "N"));
  for (std::size_t at = 40; at < 79; ++at) EXPECT_EQ(received[at].show({150}), "8 150=8");
}

TEST(GatewayRoom, what_waits_is_refused_when_there_is_room_behind_a_kill_switch) {
  WaitingInShortage room;
  room.world->gateway.kill(0, false);
  room.expect_put_off("cancelled by the operator's kill switch");
}

/// The cancel of all is behind the refusals of what waits, and so behind the room for those.
TEST(GatewayRoom, a_kill_switch_cancels_all_when_there_is_room) {
  WaitingInShortage room;
  room.world->gateway.kill(0, true);
  room.world->run(10ms);
  EXPECT_EQ(waiting(room.world->gateway, 0), 39u);
  EXPECT_TRUE(room.world->venue.mass_cancels.empty());
  room.expect_put_off("cancelled by the operator's kill switch");
  EXPECT_EQ(room.world->venue.mass_cancels.size(), 1u);
}

/// What came in front of the room waits for it: the session's end, then the cancel that it left without an answer.
TEST(GatewayRoom, a_cancel_of_all_is_sent_again_when_there_is_room_though_the_venue_was_back_before) {
  Shortage room;
  room.world->log_on_other();
  room.world->enter("A-1", 77);
  room.lives.life->work();
  room.world->gateway.kill(0, true);
  room.world->run(1ms);
  ASSERT_EQ(room.world->venue.mass_cancels.size(), 1u);
  for (int count = 0; count < 300; ++count) room.world->other.send("D", new_order("B-" + std::to_string(count)));
  room.world->run(10ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  room.world->network.cut(*room.world->venue.users.at("USER1"));
  room.world->run(5s);
  EXPECT_TRUE(room.world->gateway.is_venue_up(0));
  EXPECT_EQ(room.world->venue.mass_cancels.size(), 1u);
  room.work();
  EXPECT_EQ(room.world->venue.mass_cancels.size(), 2u);
}

/// A cancel that waits for the venue is not reported: it leaves when there is both the venue and room.
TEST(GatewayRoom, a_cancel_of_all_that_the_venue_comes_back_for_leaves_when_there_is_room) {
  Shortage room;
  room.world->log_on_other();
  room.world->enter("A-1", 77);
  room.lives.life->work();
  room.world->network.cut(*room.world->venue.users.at("USER1"));
  room.world->run(1ms);
  room.world->gateway.kill(0, true);
  for (int count = 0; count < 300; ++count) room.world->other.send("D", new_order("B-" + std::to_string(count)));
  room.world->run(10ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  room.world->run(5s);
  EXPECT_TRUE(room.world->gateway.is_venue_ready(0));
  EXPECT_TRUE(room.world->venue.mass_cancels.empty());
  room.work();
  EXPECT_EQ(room.world->venue.mass_cancels.size(), 1u);
}

/// Nothing is read for hours, and both clients are sent heartbeats meanwhile.
TEST(GatewayRoom, heartbeats_leave_half_of_what_is_kept_to_answers) {
  Shortage room;
  room.world->log_on_other();
  for (int count = 0; count < 300; ++count) room.world->client.send("D", new_order("A-" + std::to_string(count)));
  room.world->run(10ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  const fix::JournalStores& stores = *room.lives.life->stores;
  const std::size_t before = stores.written_while_short();
  room.world->run(150s);
  EXPECT_GT(stores.written_while_short(), before) << "they go on";
  EXPECT_EQ(room.world->client.logouts, 0);
  room.world->run(std::chrono::hours{12});
  EXPECT_LE(stores.written_while_short(), stores.room_kept() / 2 + 1000);
  EXPECT_EQ(room.counters().undelivered, 0u);
}

/// A gateway that is killed while it waits: what it had read is in the journal, and nothing else was said.
TEST(GatewayRoom, what_was_read_survives_a_kill_while_it_waits) {
  Shortage room;
  for (int count = 0; count < 300; ++count) room.world->client.send("D", new_order("A-" + std::to_string(count)));
  room.world->run(10ms);
  ASSERT_TRUE(room.world->gateway.waits_for_journal());
  const std::size_t read = room.world->venue.orders.size();
  EXPECT_EQ(room.world->held().requests, read);
  room.lives.kill();
  World& world = room.lives.begin();
  EXPECT_EQ(world.held().requests, read);
}

TEST(GatewayRoom, what_is_kept_is_enough_for_what_a_configuration_lets_wait) {
  GatewayConfig config = small_config();
  config.limits.waiting_requests = 0;
  const std::size_t least = Gateway::journal_room(config);
  EXPECT_GT(least, 16u * 4096u);
  config.limits.waiting_requests = 1000;
  EXPECT_GT(Gateway::journal_room(config), least + 1000 * 4096);
  config.drop_copies = {{.comp_id = "FIRM"}};
  EXPECT_GT(Gateway::journal_room(config), 2 * (least + 1000 * 4096));
  config.clients[1].chain = 500;
  EXPECT_GT(Gateway::journal_room(config), 2 * (least + 1500 * 4096));
}

}  // namespace
}  // namespace dojima::gateway
