// What becomes of the orders of a client that goes: cancelled at once, after a grace, or not at all, as it was
// configured or its Logon wants; also by a gateway that was killed with its client, and as soon as the venue is there.

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/gateway/gateway_test_lives.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

GatewayConfig cancelling(CancelOnDisconnect mode, time::Duration grace = {}) {
  GatewayConfig config = small_config();
  config.clients[0].cancel_on_disconnect = mode;
  config.clients[0].cancel_grace = grace;
  return config;
}

/// The venue ends these orders by its last mass cancel.
void end_by_mass_cancel(World& world, const std::vector<std::pair<market::NewOrder, std::uint64_t>>& orders) {
  ASSERT_FALSE(world.venue.mass_cancels.empty());
  const Text<20> id = world.venue.mass_cancels.back().client_order_id;
  world.venue.say(world.venue.answer(orders.at(0).first, OwnerReportKind::mass_cancelled, 0, id, 0));
  for (const auto& [order, order_id] : orders)
    world.venue.say(world.venue.answer(order, OwnerReportKind::cancelled, order_id, id, 0));
  world.run(1ms);
}

void lose_client(World& world) {
  world.network.cut(world.client.session);
  world.run(1ms);
  ASSERT_FALSE(world.gateway.is_client_up(0));
}

TEST(GatewayCancel, a_lost_client_finds_its_orders_cancelled_with_the_reason) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  lose_client(world);
  ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
  EXPECT_EQ(world.venue.mass_cancels[0].header.instrument, 0u);
  EXPECT_FALSE(world.venue.mass_cancels[0].is_account);
  end_by_mass_cancel(world, {{first, 77}, {second, 78}});
  world.network.connect(k_fix_address, world.client.session);
  world.run(100ms);
  const std::vector<Message> received = world.client.take();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].show({11, 41, 150, 39, 58}),
            "8 11=A-1 41= 150=4 39=4 58=cancelled because the connection to the client was lost");
  EXPECT_EQ(received[1].show({11, 150}), "8 11=A-2 150=4");
  world.enter("A-3", 79);
  world.run(10s);
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
}

TEST(GatewayCancel, a_logout_cancels_only_where_it_shall) {
  for (const auto& [mode, count] :
       {std::pair{CancelOnDisconnect::never, 0u}, std::pair{CancelOnDisconnect::disconnect, 0u},
        std::pair{CancelOnDisconnect::logout, 1u}}) {
    World world(cancelling(mode));
    world.log_on();
    world.enter("A-1", 77);
    world.client.session.logout("good night");
    world.run(10s);
    EXPECT_EQ(world.venue.mass_cancels.size(), count);
  }
}

TEST(GatewayCancel, a_client_that_nothing_is_configured_for_keeps_its_orders) {
  World world(cancelling(CancelOnDisconnect::never));
  world.log_on();
  world.enter("A-1", 77);
  lose_client(world);
  world.run(10s);
  EXPECT_TRUE(world.venue.mass_cancels.empty());
}

TEST(GatewayCancel, a_client_that_is_back_within_the_grace_keeps_its_orders) {
  World world(cancelling(CancelOnDisconnect::logout, 5s));
  world.log_on();
  world.enter("A-1", 77);
  lose_client(world);
  world.run(4990ms);
  world.log_on();
  world.run(10s);
  EXPECT_TRUE(world.venue.mass_cancels.empty());
  lose_client(world);
  world.run(4990ms);
  EXPECT_TRUE(world.venue.mass_cancels.empty()) << "counted anew";
  world.run(20ms);
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
}

TEST(GatewayCancel, without_open_orders_nothing_is_sent) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  lose_client(world);
  world.run(1s);
  EXPECT_TRUE(world.venue.mass_cancels.empty());
}

TEST(GatewayCancel, what_waits_for_the_rate_ends_first) {
  GatewayConfig config = cancelling(CancelOnDisconnect::disconnect);
  config.clients[0].limits = {.rate = 1, .rate_action = RateAction::queue};
  World world(config);
  world.log_on();
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.run(1ms);
  lose_client(world);
  world.run(5s);
  EXPECT_EQ(world.venue.inbox, "Dq");
}

TEST(GatewayCancel, waits_for_a_venue_that_is_away) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  world.enter("A-1", 77);
  world.venue.is_open = false;
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
  lose_client(world);
  world.run(10s);
  world.log_on();  // too late: the orders are to go
  world.venue.is_open = true;
  world.run(5s);
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
}

TEST(GatewayCancel, one_that_a_lost_venue_session_may_have_taken_is_sent_again) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  world.enter("A-1", 77);
  lose_client(world);
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(10s);
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  ASSERT_EQ(world.venue.mass_cancels.size(), 2u);
  EXPECT_NE(world.venue.mass_cancels[0].client_order_id, world.venue.mass_cancels[1].client_order_id);
}

TEST(GatewayCancel, is_not_repeated_where_it_would_hit_what_was_entered_since) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  world.enter("A-1", 77);
  lose_client(world);
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
  world.log_on();
  world.enter("A-2", 78);
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(10s);
  ASSERT_TRUE(world.gateway.is_venue_up(0));
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
}

TEST(GatewayCancel, one_that_the_venue_refuses_is_tried_again_every_second) {
  World world(cancelling(CancelOnDisconnect::disconnect));
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  lose_client(world);
  OwnerReport refusal =
      world.venue.answer(order, OwnerReportKind::mass_cancelled, 0, world.venue.mass_cancels.back().client_order_id, 0);
  refusal.reason = market::Reason::wrong_phase;
  world.venue.say(refusal);
  world.run(900ms);
  EXPECT_EQ(world.venue.mass_cancels.size(), 1u);
  world.run(200ms);
  EXPECT_EQ(world.venue.mass_cancels.size(), 2u);
  EXPECT_EQ(world.counters().cancels_refused, 1u);
  end_by_mass_cancel(world, {{order, 77}});
  world.run(10s);
  EXPECT_EQ(world.venue.mass_cancels.size(), 2u);
  world.log_on();
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST(GatewayCancel, an_answer_to_a_mass_cancel_that_nobody_remembers_is_no_stray) {
  World world;
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.answer(order, OwnerReportKind::mass_cancelled, 0, Text<20>::cut("zz"), 0));
  world.run(1ms);
  EXPECT_EQ(world.counters().strays, 0u);
  EXPECT_TRUE(world.client.take().empty());
}

// ------------------------------------------------------------------------------------------------ asked for in a Logon

/// A FIX client of a few bytes: says one Logon and notes what comes.
class RawClient final : public link::Connection {
 public:
  RawClient(FixVersion version, std::string more) : version_(version), more_(std::move(more)) {}

  void on_open(link::Transport& transport, Time) override {
    std::string body = "35=A|34=1|49=CLIENT1|52=20260720-12:00:00.000|56=DOJIMA|98=0|108=30|141=Y|";
    if (version_ == FixVersion::fix_5_0_sp2) body += "1137=9|";
    body += more_;
    std::string text = "8=" + std::string(begin_string_of(version_)) + "|9=" + std::to_string(body.size()) + "|" + body;
    std::ranges::replace(text, '|', '\1');
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    std::string check = std::to_string(sum % 256);
    text += "10=" + std::string(3 - check.size(), '0') + check + "\1";
    const Room room = transport.prepare(text.size());
    ASSERT_EQ(room.size(), text.size());
    std::memcpy(room.data(), text.data(), text.size());
    transport.commit(text.size());
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    received += as_text(bytes);
    return bytes.size();
  }
  void on_writable(Time) override {}
  void on_closed(link::CloseReason, Time) override { is_closed = true; }

  std::string received;
  bool is_closed = false;

 private:
  FixVersion version_;
  std::string more_;
};

TEST(GatewayCancel, a_logon_of_any_version_may_say_what_it_wants) {
  for (const FixVersion version : k_fix_versions) {
    for (const auto& [wish, mode] :
         {std::pair{"0", CancelOnDisconnect::never}, std::pair{"1", CancelOnDisconnect::disconnect},
          std::pair{"2", CancelOnDisconnect::logout}}) {
      GatewayConfig config =
          cancelling(mode == CancelOnDisconnect::never ? CancelOnDisconnect::logout : CancelOnDisconnect::never);
      config.clients[0].version = version;
      World world(config);
      RawClient raw(version, "27030=" + std::string(wish) + "|");
      world.network.connect(k_fix_address, raw);
      world.run(10ms);
      ASSERT_TRUE(world.gateway.is_client_up(0)) << name_of(version) << " " << wish << " " << raw.received;
      EXPECT_EQ(cancels_at(world.gateway, 0).mode, mode);
      world.network.cut(raw);
      world.run(10ms);
      EXPECT_EQ(cancels_at(world.gateway, 0).why,
                mode == CancelOnDisconnect::never ? "" : "cancelled because the connection to the client was lost");
    }
  }
}

struct NotedRefusals final : Observer {
  void on_refused(const fix::RefusedConnection& refused, Time) override { text = std::string(refused.text); }
  std::string text;
};

TEST(GatewayCancel, a_logon_that_wants_what_there_is_not_is_refused_in_words) {
  for (const std::string wish : {"3", "-1", "99999999999999999999"}) {
    GatewayConfig config = small_config();
    config.fix.session.refusal = fix::Refusal::logout;
    NotedRefusals observer;
    World world(config, {.observer = &observer});
    RawClient raw(FixVersion::fix_4_4, "27030=" + wish + "|");
    world.network.connect(k_fix_address, raw);
    world.run(100ms);
    EXPECT_FALSE(world.gateway.is_client_up(0));
    if (wish.size() < 3) {
      EXPECT_NE(raw.received.find("CancelOnDisconnect(27030)=" + wish + " is not supported: 0 never"),
                std::string::npos)
          << raw.received;
      EXPECT_EQ(observer.text, "CancelOnDisconnect(27030)=" + wish +
                                   " is not supported: 0 never, 1 on disconnect, 2 on disconnect and logout");
    }
  }
}

// ---------------------------------------------------------------------------------------------------- killed gateways

TEST(GatewayCancel, a_killed_gateway_counts_the_grace_of_a_lost_client_from_the_loss) {
  GatewayLives lives;
  lives.config = cancelling(CancelOnDisconnect::disconnect, 150s);  // a life lasts 100 s longer than the one before
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder order = world->enter("A-1", 77);
  lose_client(*world);
  lives.kill();
  world = &lives.begin();
  EXPECT_TRUE(world->venue.mass_cancels.empty()) << "100 s after the loss";
  lives.kill();
  world = &lives.begin();
  ASSERT_EQ(world->venue.mass_cancels.size(), 1u) << "200 s after the loss";
  end_by_mass_cancel(*world, {{order, 77}});
  world->log_on();
  world->run(100ms);
  EXPECT_TRUE(is_cancelled(world->gateway, 77));
  lives.kill();
  EXPECT_TRUE(lives.begin().venue.mass_cancels.empty()) << "it is done";
}

TEST(GatewayCancel, a_client_that_was_connected_when_the_gateway_was_killed_has_its_grace_from_the_restart) {
  GatewayLives lives;
  lives.config = cancelling(CancelOnDisconnect::disconnect, 60s);
  World* world = &lives.begin();
  world->log_on();
  world->enter("A-1", 77);
  lives.kill();
  world = &lives.begin();  // and 200 s
  ASSERT_EQ(world->venue.mass_cancels.size(), 1u);
  lives.kill();

  GatewayLives others;
  others.config = cancelling(CancelOnDisconnect::disconnect, 1000s);
  world = &others.begin();
  world->log_on();
  world->enter("A-1", 77);
  others.kill();
  world = &others.begin();
  world->log_on();
  world->run(2000s);
  EXPECT_TRUE(world->venue.mass_cancels.empty()) << "it came back";
}

TEST(GatewayCancel, one_that_was_sent_before_the_gateway_was_killed_says_why_in_the_next_life) {
  GatewayLives lives;
  lives.config = cancelling(CancelOnDisconnect::disconnect);
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder order = world->enter("A-1", 77);
  lose_client(*world);
  ASSERT_EQ(world->venue.mass_cancels.size(), 1u);
  const Text<20> id = world->venue.mass_cancels[0].client_order_id;
  lives.kill();
  world = &lives.begin();
  ASSERT_EQ(world->venue.mass_cancels.size(), 1u) << "the venue may not have had it";
  EXPECT_NE(world->venue.mass_cancels[0].client_order_id, id);
  end_by_mass_cancel(*world, {{order, 77}});
  world->network.connect(k_fix_address, world->client.session);
  world->run(100ms);
  EXPECT_EQ(world->client.only().show({11, 150, 58}),
            "8 11=A-1 150=4 58=cancelled because the connection to the client was lost; "
            "the venue session was lost: executions may be missing");
}

TEST(GatewayCancel, a_kill_switch_set_while_the_venue_is_away_cancels_in_the_next_life) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  world->enter("A-1", 77);
  world->venue.is_open = false;
  world->network.cut(*world->venue.users.at("USER1"));
  world->run(1ms);
  world->gateway.kill(0, true);
  lives.kill();
  world = &lives.begin();
  EXPECT_EQ(world->venue.mass_cancels.size(), 1u);
  EXPECT_TRUE(world->gateway.is_killed(0));
}

}  // namespace
}  // namespace dojima::gateway
