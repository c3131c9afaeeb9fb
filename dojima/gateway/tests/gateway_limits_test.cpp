// Limits of clients before the venue: what breaks one never reaches it and is answered in words with the limit and the
// value; the rate refuses, holds back or ends sessions; cancels pass; what an operator changes survives a kill.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_lives.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

GatewayConfig limited_config(const ClientLimits& limits, FixVersion version = FixVersion::fix_4_4) {
  GatewayConfig config = small_config();
  config.clients[0].limits = limits;
  config.clients[0].version = version;
  config.symbols[0].reference = {10 * k_unit};
  return config;
}

struct LimitedWorld : World {
  explicit LimitedWorld(const ClientLimits& limits, FixVersion version = FixVersion::fix_4_4)
      : World(limited_config(limits, version)) {
    if (version == FixVersion::fix_4_4) log_on();
  }
  /// The answer to an order that the venue never sees.
  Message answer_to(const Fields& fields, std::string_view type = "D") {
    const std::size_t orders = venue.orders.size(), replaces = venue.replaces.size();
    client.send(type, fields);
    run(1ms);
    EXPECT_EQ(venue.orders.size(), orders);
    EXPECT_EQ(venue.replaces.size(), replaces);
    return client.only();
  }
};

TEST(GatewayLimits, an_order_above_a_limit_is_refused_with_the_limit_and_the_value) {
  LimitedWorld world({.quantity = {1000}, .value = 5000, .collar_bp = 2000});
  EXPECT_EQ(world.answer_to(new_order("A-1").set(38, "1001")).show({11, 150, 39, 103, 58}),
            "8 11=A-1 150=8 39=8 103=3 58=order quantity 1,001 above the client's limit of 1,000");
  EXPECT_EQ(world.answer_to(new_order("A-2").set(38, "501")).show({103, 58}),
            "8 103=3 58=order value 5,010 above the client's limit of 5,000");
  EXPECT_EQ(world.answer_to(new_order("A-3").set(44, "12.01")).show({103, 58}),
            "8 103=3 58=price 12.01 outside the client's limit of 20 % around the reference 10");
  EXPECT_EQ(world.answer_to(new_order("A-4").set(38, "600").set(40, "1").drop(44)).show({103, 58}),
            "8 103=3 58=order value 6,000 above the client's limit of 5,000");
  EXPECT_EQ(world.counters().limited, 4u);
  world.enter("A-5", 77);
}

TEST(GatewayLimits, a_replace_is_held_against_what_the_order_would_become) {
  LimitedWorld world({.quantity = {1000}});
  world.enter("A-1", 77);
  EXPECT_EQ(world.answer_to(replace("A-2", "A-1", "1001", "10"), "G").show({11, 41, 434, 102, 39, 58}),
            "9 11=A-2 41=A-1 434=2 102=2 39=0 58=order quantity 1,001 above the client's limit of 1,000");
  world.client.send("G", replace("A-3", "A-1", "1000", "10"));
  world.run(1ms);
  EXPECT_EQ(world.venue.replaces.size(), 1u);
}

TEST(GatewayLimits, the_reference_is_the_last_trade_of_anybody) {
  LimitedWorld world({.collar_bp = 1000});
  EXPECT_EQ(world.answer_to(new_order("A-1").set(44, "12")).at(103), "3");
  world.log_on_other();
  world.other.send("D", new_order("B-1").set(44, "12"));  // no limits
  world.run(1ms);
  const market::NewOrder order = world.venue.orders.at(0);
  world.venue.say(world.venue.accepted(order, 77), "USER2");
  world.venue.say(world.venue.traded(order, 77, 10, 12 * k_unit, 90), "USER2");
  world.run(1ms);
  world.client.send("D", new_order("A-2").set(44, "12"));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  EXPECT_EQ(world.answer_to(new_order("A-3").set(44, "10.5")).at(58),
            "price 10.5 outside the client's limit of 10 % around the reference 12");
}

TEST(GatewayLimits, symbols_and_accounts_are_the_permitted_ones) {
  LimitedWorld world({.symbols = {"BETA"}, .accounts = {"HOUSE", "AGENT"}});
  EXPECT_EQ(world.answer_to(new_order("A-1").set(1, "HOUSE")).show({103, 58}),
            "8 103=1 58=ALPHA is not among the client's permitted symbols");
  EXPECT_EQ(world.answer_to(new_order("A-2").set(55, "BETA")).show({103, 58}),
            "8 103=15 58=an account is required, one of the client's permitted ones");
  EXPECT_EQ(world.answer_to(new_order("A-3").set(55, "BETA").set(1, "OTHER")).at(58),
            "account OTHER is not among the client's permitted ones");
  world.client.send("D", new_order("A-4").set(55, "BETA").set(1, "AGENT"));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 1u);
}

TEST(GatewayLimits, open_orders_are_counted_until_they_end) {
  LimitedWorld world({.open_orders = 2});
  const market::NewOrder first = world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.run(1ms);
  EXPECT_EQ(world.answer_to(new_order("A-3")).at(58), "open orders 3 above the client's limit of 2");
  OwnerReport refusal = world.venue.about(world.venue.orders.at(1), OwnerReportKind::rejected, 78);
  refusal.reason = market::Reason::price_not_on_tick;
  world.venue.say(refusal);
  world.run(1ms);
  EXPECT_EQ(world.client.only().at(150), "8");
  world.enter("A-4", 79);
  EXPECT_EQ(world.answer_to(new_order("A-5")).at(103), "3");
  world.venue.say(world.venue.traded(first, 77, 100, 10 * k_unit, 0));
  world.run(1ms);
  world.client.take();
  world.enter("A-6", 80);
}

TEST(GatewayLimits, the_same_order_again_within_the_window_is_a_duplicate) {
  LimitedWorld world({.duplicate_window = 500ms});
  world.enter("A-1", 77);
  world.run(200ms);
  const Message refused = world.answer_to(new_order("A-2"));
  EXPECT_EQ(refused.at(103), "6");
  EXPECT_NE(refused.at(58).find("within the client's limit of 500 ms"), std::string::npos) << refused.at(58);
  world.run(300ms);
  world.enter("A-3", 78);
}

TEST(GatewayLimits, each_version_is_answered_in_its_own_codes) {
  const std::vector<std::pair<FixVersion, std::string>> codes{{FixVersion::fix_4_2, "8 103=3 20=0"},
                                                              {FixVersion::fix_5_0_sp2, "8 103=20 20="}};
  for (const auto& [version, shown] : codes) {
    LimitedWorld world({.value = 10}, version);
    FixClient strict(world.scheduler, "CLIENT1", {}, version,
                     fix::dictionary_of(begin_string_of(version), application_version_of(version)));
    world.network.connect(k_fix_address, strict.session);
    world.run(10ms);
    strict.send("D", version == FixVersion::fix_4_2 ? new_order("A-1").set(21, "1") : new_order("A-1"));
    world.run(1ms);
    EXPECT_EQ(strict.only().show({103, 20}), shown);
    EXPECT_EQ(strict.troubles, 0);
    strict.session.logout("end");
    world.run(1s);
  }
}

// ------------------------------------------------------------------------------------------------------------ the rate

TEST(GatewayLimits, above_the_rate_orders_are_refused_and_cancels_pass) {
  LimitedWorld world({.rate = 2});
  world.enter("A-1", 77);
  world.enter("A-2", 78);
  EXPECT_EQ(world.answer_to(new_order("A-3")).show({103, 58}),
            "8 103=3 58=orders and replaces above the client's limit of 2 a second");
  EXPECT_EQ(world.answer_to(replace("A-4", "A-1", "50", "10"), "G").at(102), "2");
  world.client.send("F", cancel("A-5", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
  world.run(1s);
  world.enter("A-6", 79);
}

TEST(GatewayLimits, above_the_rate_orders_wait_and_leave_in_their_order) {
  LimitedWorld world({.rate = 2, .rate_action = RateAction::queue, .queue = 3});
  for (int order = 1; order <= 5; ++order)
    world.client.send("D", new_order("A-" + std::to_string(order)).set(38, std::to_string(100 + order)));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 2u);
  EXPECT_EQ(world.answer_to(new_order("A-6")).at(58), "requests that wait 4 above the client's limit of 3");
  world.run(997ms);
  EXPECT_EQ(world.venue.orders.size(), 2u) << "the second is not over";
  world.run(2ms);
  EXPECT_EQ(world.venue.orders.size(), 4u);
  world.run(1s);
  ASSERT_EQ(world.venue.orders.size(), 5u);
  for (std::int64_t order = 1; order <= 5; ++order)
    EXPECT_EQ(world.venue.orders[static_cast<std::size_t>(order - 1)].terms.quantity.lots, 100 + order);
  EXPECT_EQ(world.counters().waited, 3u);
  EXPECT_TRUE(world.client.take().empty());
}

TEST(GatewayLimits, a_cancel_passes_what_waits_of_other_orders) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DF");
  world.run(1s);
  EXPECT_EQ(world.venue.inbox, "DFD");
}

TEST(GatewayLimits, an_order_that_waits_is_cancelled_without_the_venue) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("G", replace("A-3", "A-2", "50", "10"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "D");
  world.client.send("F", cancel("A-4", "A-2"));
  world.run(1ms);
  const std::vector<Message> answers = world.client.take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].show({11, 41, 434, 58}), "9 11=A-3 41=A-2 434=2 58=the order is cancelled before this left");
  EXPECT_EQ(answers[1].show({11, 41, 150, 39, 37, 58}),
            "8 11=A-4 41=A-2 150=4 39=4 37=NONE 58=cancelled before it left for the venue");
  world.run(3s);
  EXPECT_EQ(world.venue.inbox, "D");
  EXPECT_EQ(world.held().requests, 1u) << "of A-1";
  world.enter("A-5", 78);
}

TEST(GatewayLimits, a_replace_does_not_overtake_its_order_and_is_forgotten_by_a_cancel) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  world.client.send("D", new_order("A-1"));
  world.client.send("G", replace("A-2", "A-1", "50", "10"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "D");
  world.run(1s);
  EXPECT_EQ(world.venue.inbox, "DG");
  world.venue.say(world.venue.accepted(world.venue.orders.at(0), 77));
  world.venue.say(world.venue.answer(world.venue.orders.at(0), OwnerReportKind::replaced, 77,
                                     world.venue.replaces.at(0).client_order_id, 50));
  world.run(1ms);
  world.client.take();
  world.client.send("G", replace("A-3", "A-2", "40", "10"));
  world.client.send("F", cancel("A-4", "A-2"));
  world.run(1ms);
  EXPECT_EQ(world.venue.inbox, "DGF");
  EXPECT_EQ(world.client.only().show({11, 434}), "9 11=A-3 434=2");
  world.run(2s);
  EXPECT_EQ(world.venue.inbox, "DGF");
}

TEST(GatewayLimits, a_mass_cancel_ends_what_waits) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("D", new_order("A-3").set(55, "BETA"));
  world.client.send("q", {{{11, "M-1"}, {530, "1"}, {55, "ALPHA"}, {60, "20260720-12:00:00.000"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 103, 58}),
            "8 11=A-2 150=8 103=99 58=a mass cancel came before this left");
  world.run(2s);
  EXPECT_EQ(world.venue.inbox, "DqD") << "the order in the other symbol";
}

TEST(GatewayLimits, what_waits_is_refused_when_the_venue_goes) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("G", replace("A-3", "A-1", "50", "10"));
  world.run(1ms);
  world.venue.is_open = false;
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(1ms);
  const std::vector<Message> answers = world.client.take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].show({11, 150, 58}), "8 11=A-2 150=8 58=the session with the venue ended before this left");
  EXPECT_EQ(answers[1].show({11, 434, 58}), "9 11=A-3 434=2 58=the session with the venue ended before this left");
  EXPECT_EQ(world.counters().stale, 0u) << "nothing is in doubt";
}

TEST(GatewayLimits, a_replace_whose_order_is_filled_while_it_waits_is_too_late) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("G", replace("A-2", "A-1", "50", "10"));
  world.run(1ms);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * k_unit, 0));
  world.run(2s);
  const std::vector<Message> answers = world.client.take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].show({11, 41, 39, 102, 58}), "9 11=A-2 41=A-1 39=2 102=0 58=the order is closed");
  EXPECT_EQ(world.venue.inbox, "D");
}

TEST(GatewayLimits, more_requests_than_may_wait_in_all_are_refused) {
  GatewayConfig config = limited_config({.rate = 1, .rate_action = RateAction::queue});
  config.limits.waiting_requests = 1;
  World world(config);
  world.log_on();
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.client.send("D", new_order("A-3"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 103, 58}), "8 11=A-3 103=99 58=no room for another request that waits");
  world.run(1s);
  EXPECT_EQ(world.venue.orders.size(), 2u);
}

TEST(GatewayLimits, above_the_rate_the_session_ends) {
  LimitedWorld world({.rate = 2, .rate_action = RateAction::logout});
  world.enter("A-1", 77);
  world.client.send("F", cancel("A-2", "A-1"));
  world.run(1ms);
  EXPECT_TRUE(world.client.session.is_logged_on());
  world.client.send("D", new_order("A-3"));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 103, 58}),
            "8 11=A-3 103=3 58=orders and replaces above the client's limit of 2 a second");
  world.run(100ms);
  EXPECT_FALSE(world.client.session.is_logged_on());
  EXPECT_EQ(world.counters().rate_logouts, 1u);
  EXPECT_EQ(world.venue.inbox, "DF");
  world.run(1s);
  world.log_on();
  world.enter("A-4", 78);
}

TEST(GatewayLimits, where_the_rate_ends_sessions_cancels_count_and_still_leave) {
  LimitedWorld world({.rate = 2, .rate_action = RateAction::logout});
  world.enter("A-1", 77);
  world.enter("A-2", 78);
  world.client.send("F", cancel("A-3", "A-1"));
  world.run(100ms);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_FALSE(world.client.session.is_logged_on());
}

// ----------------------------------------------------------------------------------------------- changed while running

TEST(GatewayLimits, a_change_holds_at_once_and_a_wrong_one_not_at_all) {
  LimitedWorld world({});
  world.enter("A-1", 77);
  ClientLimits limits = world.gateway.limits(0);
  limits.quantity = {50};
  ASSERT_TRUE(world.gateway.change_limits(0, limits));
  EXPECT_EQ(world.answer_to(new_order("A-2")).at(58), "order quantity 100 above the client's limit of 50");
  const Result<void> wrong = world.gateway.change_limits(0, {.symbols = {"NOTHING"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::unknown);
  EXPECT_EQ(world.gateway.limits(0), limits);
  ASSERT_TRUE(world.gateway.change_limits(0, {}));
  world.enter("A-3", 78);
}

TEST(GatewayLimits, a_higher_rate_lets_go_what_waits) {
  LimitedWorld world({.rate = 1, .rate_action = RateAction::queue});
  for (int order = 1; order <= 4; ++order) world.client.send("D", new_order("A-" + std::to_string(order)));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 1u);
  ASSERT_TRUE(world.gateway.change_limits(0, {.rate = 3}));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 3u);
  ASSERT_TRUE(world.gateway.change_limits(0, {}));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 4u);
}

TEST(GatewayLimits, the_kill_switch_stops_orders_and_lets_cancels_pass) {
  LimitedWorld world({.rate = 2, .rate_action = RateAction::queue});
  world.enter("A-1", 77);
  world.enter("A-2", 78);
  world.client.send("D", new_order("A-3"));
  world.run(1ms);
  world.gateway.kill(0, false);
  EXPECT_TRUE(world.gateway.is_killed(0));
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150, 58}), "8 11=A-3 150=8 58=cancelled by the operator's kill switch");
  EXPECT_EQ(world.answer_to(new_order("A-4")).show({103, 58}),
            "8 103=0 58=the client's kill switch is set: no new orders, no replaces");
  EXPECT_EQ(world.answer_to(replace("A-5", "A-1", "50", "10"), "G").at(102), "2");
  world.client.send("F", cancel("A-6", "A-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_TRUE(world.venue.mass_cancels.empty());
  world.log_on_other();
  world.other.send("D", new_order("B-1"));
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 3u) << "others trade on";
  world.gateway.revive(0);
  world.run(1s);
  world.enter("A-7", 79);
}

TEST(GatewayLimits, the_kill_switch_cancels_all_open_orders_when_it_shall) {
  LimitedWorld world({});
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  world.gateway.kill(0, true);
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
  const market::MassCancel mass = world.venue.mass_cancels[0];
  EXPECT_EQ(mass.header.instrument, 0u);
  world.venue.say(world.venue.answer(first, OwnerReportKind::mass_cancelled, 0, mass.client_order_id, 0));
  for (const auto& [order, id] : {std::pair{first, 77}, std::pair{second, 78}})
    world.venue.say(
        world.venue.answer(order, OwnerReportKind::cancelled, static_cast<std::uint64_t>(id), mass.client_order_id, 0));
  world.run(1ms);
  const std::vector<Message> ends = world.client.take();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].show({11, 41, 150, 39, 58}), "8 11=A-1 41= 150=4 39=4 58=cancelled by the operator's kill switch");
  EXPECT_EQ(ends[1].show({11, 150}), "8 11=A-2 150=4");
  EXPECT_EQ(world.counters().strays, 0u);
  EXPECT_EQ(world.counters().cancels_all, 1u);
}

TEST(GatewayLimits, changes_and_the_kill_switch_survive_a_kill_of_the_gateway) {
  GatewayLives lives;
  lives.config = limited_config({.quantity = {500}});
  World* world = &lives.begin();
  world->log_on();
  world->enter("A-1", 77);
  ASSERT_TRUE(world->gateway.change_limits(0, {.open_orders = 2, .symbols = {"BETA", "ALPHA"}}));
  world->gateway.kill(1, false);
  lives.kill();

  lives.config.clients[0].limits.quantity = {400};
  lives.config.clients[1].limits.quantity = {300};
  world = &lives.begin();
  EXPECT_EQ(world->gateway.limits(0), (ClientLimits{.open_orders = 2, .symbols = {"ALPHA", "BETA"}}));
  EXPECT_EQ(world->gateway.limits(1), (ClientLimits{.quantity = {300}})) << "nobody changed them";
  EXPECT_FALSE(world->gateway.is_killed(0));
  EXPECT_TRUE(world->gateway.is_killed(1));
  world->log_on();
  world->enter("A-2", 78);
  world->client.send("D", new_order("A-3"));
  world->run(1ms);
  EXPECT_EQ(world->client.only().at(58), "open orders 3 above the client's limit of 2") << "A-1 is open still";
  world->gateway.revive(1);
  lives.kill();
  EXPECT_FALSE(lives.begin().gateway.is_killed(1));
}

TEST(GatewayLimits, another_venue_user_lifts_no_kill_switch) {
  GatewayLives lives;
  lives.begin().gateway.kill(0, false);
  lives.kill();
  lives.config.clients[0].venue_user = "USER9";
  EXPECT_TRUE(lives.begin().gateway.is_killed(0));
}

TEST(GatewayLimits, an_order_that_waits_when_the_gateway_is_killed_never_leaves) {
  GatewayLives lives;
  lives.config = limited_config({.rate = 1, .rate_action = RateAction::queue});
  World* world = &lives.begin();
  world->log_on();
  world->enter("A-1", 77);
  world->client.send("D", new_order("A-2"));
  world->run(1ms);
  EXPECT_EQ(world->venue.inbox, "D");
  lives.kill();
  world = &lives.begin();
  world->log_on();
  world->run(5s);
  EXPECT_EQ(world->venue.inbox, "");
}

TEST(GatewayLimits, a_configuration_with_impossible_limits_is_refused) {
  const auto complaint = [](const ClientLimits& limits) {
    try {
      World world(limited_config(limits));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint({.rate = 200'000}), "limits of client CLIENT1: expected a rate of 0 to 100000 a second");
  EXPECT_EQ(complaint({.symbols = {"GAMMA"}}), "limits of client CLIENT1: expected symbols that the gateway trades");
}

}  // namespace
}  // namespace dojima::gateway
