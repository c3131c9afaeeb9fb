// FIX client -> gateway -> venue -> book and back, under faults. After each, every lot is accounted for.

#include "road.hpp"

#include <rapidcheck/gtest.h>

#include "dojima/mit/client_session.hpp"
#include "dojima/mit/describe.hpp"

namespace dojima::integration {
namespace {

TEST(Road, every_lot_is_accounted_for_at_every_stage) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Road road(seed, {.delay = 20us, .jitter = 60us});
    road.log_on_all();
    for (int step = 0; step < 800; ++step) road.act(road.draw(Road::k_traders));
    road.check();
  }
}

TEST(Road, every_dialect_goes_the_whole_way) {
  for (const mit::Dialect* dialect : mit::dialects()) {
    SCOPED_TRACE(dialect->name);
    Road road(21, {.delay = 20us, .jitter = 60us}, *dialect);
    road.log_on_all();
    for (int step = 0; step < 400; ++step) road.act(road.draw(Road::k_traders));
    road.check();
  }
}

TEST(Road, a_gateway_of_another_dialect_trades_nothing_and_is_answered) {
  Road road(22, {}, mit::lse_21_2::k_dialect);
  struct Member final : mit::ClientHandler {
    void on_logged_on(mit::ClientSession&, std::int32_t, Time) override { is_on = true; }
    void on_logon_refused(mit::ClientSession&, std::int32_t, Time) override {}
    void on_report(mit::ClientSession&, const market::OwnerReport&, std::int32_t, Time) override { ++reports; }
    void on_reject(mit::ClientSession&, const mit::Reject& reject, Time) override {
      EXPECT_EQ(reject.reason.view(), "MessageLength");
      ++rejects;
    }
    void on_end(mit::ClientSession&, link::CloseReason, std::string_view, Time) override { is_on = false; }
    bool is_on = false;
    int rejects = 0, reports = 0;
  } member;
  // All dialects log on with the same bytes; an order has another length.
  mit::ClientSession stranger({.user = "USER4", .password = "Secret#2026"}, mit::bit_9_4::k_dialect, road.scheduler,
                              member);
  road.network->connect(k_venue_address, stranger);
  road.run(10ms);
  ASSERT_TRUE(member.is_on);
  market::NewOrder order;
  order.header.instrument = 7;
  order.labels.client_order_id = Text<20>::cut("ORDER");
  order.terms.side = market::Side::buy;
  order.terms.type = market::OrderType::limit;
  order.terms.quantity = order.terms.displayed = {5};
  order.terms.limit = {100 * market::k_price_scale};
  order.terms.capacity = market::Capacity::any_other;
  order.labels.clearing = 1;
  order.labels.executing_trader = 3;
  ASSERT_TRUE(stranger.send(order));
  road.run(10ms);
  EXPECT_EQ(member.rejects, 1);
  EXPECT_EQ(member.reports, 0);
  EXPECT_EQ(road.partitions[0]->live_orders(), 0u);
  stranger.logout("end");
  road.run(60s);
}

TEST(Road, bytes_in_small_pieces_change_nothing) {
  Road road(11, {.delay = 5us, .jitter = 20us, .max_delivery = 7});
  road.log_on_all();
  for (int step = 0; step < 300; ++step) road.act(road.draw(Road::k_traders));
  road.check();
}

TEST(Road, garbage_on_either_port_harms_nobody) {
  Road road(12);
  road.log_on_all();
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int step = 0; step < 300; ++step) {
    if (step % 10 == 0) {
      peers.push_back(std::make_unique<RawPeer>());
      road.network->connect(step % 20 == 0 ? k_fix_address : k_venue_address, *peers.back());
    }
    std::string garbage;
    for (std::uint64_t size = road.draw(60); size > 0; --size) garbage += static_cast<char>(road.draw(256));
    if (road.draw(3) == 0) garbage.insert(0, "8=FIX.4.4\x01" + std::to_string(road.draw(99999)));
    if (road.draw(3) == 0) garbage.insert(0, "\x02\x4d\x00\x41", 4);
    if (road.draw(5) == 0) garbage = fix_bytes("35=D|34=1|49=CLIENT1|52=20260720-12:00:00|56=DOJIMA|11=X|");
    peers.back()->say(garbage);
    road.act(road.draw(Road::k_traders));
  }
  road.check();
  for (std::size_t trader = 0; trader < Road::k_traders; ++trader) EXPECT_TRUE(road.gate->is_client_up(trader));
  EXPECT_TRUE(road.gate->is_venue_up());
  for (const auto& peer : peers) peer->hang_up();
  road.run(60s);
}

/// A client by hand, so that a message can be cut anywhere.
std::string logon() {
  return fix_bytes("35=A|34=1|49=CLIENT3|52=20260720-12:00:00.000|56=DOJIMA|98=0|108=0|141=Y|");
}
std::string limit_order(const std::string& id) {
  return fix_bytes("35=D|34=2|49=CLIENT3|52=20260720-12:00:00.000|56=DOJIMA|11=" + id +
                   "|55=ALPHA|54=1|60=20260720-12:00:00.000|38=5|40=2|44=1|");
}

TEST(Road, a_message_cut_at_any_byte_is_no_message) {
  Road road(13);
  road.log_on(0);
  road.log_on(1);
  const std::size_t size = limit_order("CUT-000").size();
  for (std::size_t cut = 0; cut <= size; ++cut) {
    const std::uint64_t before = road.partitions[0]->open_orders(2);
    RawPeer peer;
    road.network->connect(k_fix_address, peer);
    road.run(1ms);
    peer.say(logon());
    road.run(1ms);
    ASSERT_TRUE(road.gate->is_client_up(2)) << cut;
    const std::string number = std::to_string(1000 + cut).substr(1);
    peer.say(limit_order("CUT-" + number).substr(0, cut));
    road.run(1ms);
    if (cut % 2 == 0) {
      peer.hang_up();
    } else {
      road.network->cut(peer);
    }
    road.run(1ms);
    EXPECT_FALSE(road.gate->is_client_up(2));
    EXPECT_EQ(road.partitions[0]->open_orders(2) - before, cut == size ? 1u : 0u) << cut;
    road.act(cut % 2);
  }
  for (std::size_t trader = 0; trader < 2; ++trader)
    EXPECT_EQ(road.traders[trader]->ledger.complaints(), std::vector<std::string>{});
  EXPECT_TRUE(road.gate->is_client_up(0));
  EXPECT_TRUE(road.gate->is_client_up(1));
}

TEST(Road, a_second_logon_of_a_live_client_is_dropped_and_the_first_kept) {
  Road road(14);
  road.log_on_all();
  FixClient twin(road.scheduler, "CLIENT1");
  for (int step = 0; step < 100; ++step) {
    if (step % 25 == 0) road.network->connect(k_fix_address, twin.session);
    road.act(road.draw(Road::k_traders));
    road.run(1ms);
    EXPECT_FALSE(twin.session.is_logged_on());
  }
  road.check();
}

TEST(Road, a_second_logon_of_the_gateways_venue_user_is_refused_and_the_gateway_kept) {
  struct Twin final : mit::ClientHandler {
    void on_logged_on(mit::ClientSession&, std::int32_t, Time) override { is_on = true; }
    void on_logon_refused(mit::ClientSession&, std::int32_t, Time) override { ++refusals; }
    void on_report(mit::ClientSession&, const market::OwnerReport&, std::int32_t, Time) override {}
    void on_reject(mit::ClientSession&, const mit::Reject&, Time) override {}
    void on_end(mit::ClientSession&, link::CloseReason, std::string_view, Time) override {}
    bool is_on = false;
    int refusals = 0;
  } handler;
  Road road(15);
  road.log_on_all();
  mit::ClientSession twin({.user = "USER1", .password = "Secret#2026"}, mit::lse_21_2::k_dialect, road.scheduler,
                          handler);
  road.network->connect(k_venue_address, twin);
  for (int step = 0; step < 100; ++step) road.act(road.draw(Road::k_traders));
  EXPECT_EQ(handler.refusals, 1);
  EXPECT_FALSE(handler.is_on);
  EXPECT_EQ(road.gate->counters().venue_sessions, Road::k_traders);
  road.check();
}

TEST(Road, a_client_that_does_not_read_holds_up_nobody_and_gets_everything_in_the_end) {
  Road road(16, {.input_capacity = 4096, .output_capacity = 4096});
  road.log_on_all();
  for (int step = 0; step < 60; ++step) road.act(road.draw(Road::k_traders));
  road.network->pause(road.traders[0]->client.session);
  // It goes on sending, and the others trade with what it sent.
  for (int step = 0; step < 600; ++step) road.act(road.draw(Road::k_traders));
  for (std::size_t trader = 1; trader < Road::k_traders; ++trader) {
    road.run(10ms);
    road.listen();
    ClientLedger ledger = road.traders[trader]->ledger;
    ledger.check_answers();
    EXPECT_EQ(ledger.complaints(), std::vector<std::string>{});
  }
  road.network->resume(road.traders[0]->client.session);
  road.check();
}

TEST(Road, clients_that_vanish_and_return_lose_and_double_nothing) {
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    Road road(seed, {.delay = 20us, .jitter = 60us, .max_delivery = 50});
    road.log_on_all();
    for (int round = 0; round < 6; ++round) {
      for (int step = 0; step < 40; ++step) road.act(road.draw(Road::k_traders));
      const std::size_t trader = road.draw(Road::k_traders);
      road.network->cut(road.traders[trader]->client.session);
      road.run(1ms);
      for (int step = 0; step < 20; ++step) road.act(road.draw(Road::k_traders));  // the lost one as well
      road.log_on(trader);
    }
    road.check();
  }
}

TEST(Road, orders_end_with_the_venue_session_and_new_ones_go_on_after_it) {
  Road road(30);
  road.log_on_all();
  for (int step = 0; step < 100; ++step) road.act(road.draw(Road::k_traders));
  road.check();
  // Everybody's orders follow the venue's cancel-on-disconnect; the gateway hears nothing of that.
  road.front->logout_all("closing");
  road.run(1s);
  EXPECT_FALSE(road.gate->is_venue_up());
  EXPECT_EQ(road.partitions[0]->live_orders() + road.partitions[1]->live_orders(), 0u);
  road.run(5s);
  EXPECT_TRUE(road.gate->is_venue_up());
  road.listen();
  // In answer to a cancel the venue says that the order is gone, and the gateway takes its word.
  Trader& trader = *road.traders[0];
  std::string open;
  for (const auto& [id, order] : trader.ledger.orders()) {
    if (order.is_open()) open = order.id;
  }
  ASSERT_FALSE(open.empty());
  trader.client.take();
  for (const char* symbol : {"ALPHA", "BETA"}) {
    for (const char* side : {"1", "2"}) {
      trader.client.send("F", {{{41, open},
                                {11, std::string("LATE-") + symbol + side},
                                {55, symbol},
                                {54, side},
                                {60, "20260720-12:00:00.000"}}});
      road.run(1ms);
    }
  }
  int unknown = 0;
  for (const Message& message : trader.client.take()) unknown += message.at(102) == "1" ? 1 : 0;
  EXPECT_GE(unknown, 1);
  trader.client.send("D", gateway::testing::new_order("NEXT-1"));
  road.run(1ms);
  const std::vector<Message> received = trader.client.take();
  ASSERT_FALSE(received.empty());
  EXPECT_EQ(received[0].show({11, 150, 39}), "8 11=NEXT-1 150=0 39=0");
}

TEST(Road, the_same_seed_gives_the_same_day) {
  const auto day = [](std::uint64_t seed) {
    Road road(seed, {.jitter = 100us});
    road.log_on_all();
    for (int step = 0; step < 200; ++step) road.act(road.draw(Road::k_traders));
    road.check();
    return std::pair(road.partitions[0]->digest(), road.partitions[1]->digest());
  };
  EXPECT_EQ(day(40), day(40));
  EXPECT_NE(day(40), day(41));
}

}  // namespace
}  // namespace dojima::integration
