#include "dojima/gateway/translator/client_channels.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// Channels to one client, who is not connected: what is sent waits in the session's store.
struct Channels {
  Channels() {
    channels.attach(0, client.session);
    channels.attach_user(0, venue);
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    order.terms.quantity = order.terms.displayed = {100};
    order.instrument = 7;
    order.state = OrderState::live;
    journal.restore_executions(61);
  }

  /// A user of the venue who is never connected.
  struct QuietMember final : mit::ClientHandler {
    void on_logged_on(mit::ClientSession&, std::int32_t, Time) override {}
    void on_logon_refused(mit::ClientSession&, std::int32_t, Time) override {}
    void on_report(mit::ClientSession&, const market::OwnerReport&, std::int32_t, Time) override {}
    void on_reject(mit::ClientSession&, const mit::Reject&, Time) override {}
    void on_end(mit::ClientSession&, link::CloseReason, std::string_view, Time) override {}
  };

  sched::Scheduler scheduler{64, k_noon};
  FixClient client{scheduler, "CLIENT1"};
  QuietMember member;
  mit::ClientSession venue{{.user = "USER1", .password = "Secret#1"}, mit::lse_21_2::k_dialect, scheduler, member};
  SymbolTable symbols{std::vector<SymbolConfig>{{"ALPHA", 7}}};
  GatewayCounters counters;
  Records records{{.orders = 4, .requests = 8, .remembered_ids = 8}, 0};
  const std::vector<ClientState> states{1};
  GatewayConfig config{.clients = {{.comp_id = "CLIENT1", .venue_user = "USER1"}}};
  VenueUsers users{config};
  StateJournal journal{records, counters, states, users};
  ClientChannels channels{config.clients, users, symbols, counters, journal, records};
  Order order;
};

TEST(ClientChannels, executions_of_the_gateways_own_are_numbered_behind_a_g) {
  Channels test;
  EXPECT_EQ(test.channels.next_exec_id(), "G00000000000z");
  EXPECT_EQ(test.channels.next_exec_id(), "G000000000010");
}

TEST(ClientChannels, an_execution_of_the_venue_keeps_its_number) {
  Channels test;
  Identifier text;
  EXPECT_EQ(test.channels.exec_id_of(0, 62, text), "000000000010");
  EXPECT_EQ(test.channels.exec_id_of(0, 0, text), "G00000000000z");
}

TEST(ClientChannels, what_a_session_takes_is_delivered_and_what_it_cannot_take_is_counted) {
  Channels test;
  test.channels.send_execution(test.order, {.type = '0', .exec_id = "1", .cl_ord_id = "A-1", .time = k_noon});
  EXPECT_EQ(test.client.session.next_outgoing().value, 1u) << "it waits";
  test.channels.flush();
  EXPECT_EQ(test.client.session.next_outgoing().value, 2u);
  EXPECT_EQ(test.counters.undelivered, 0u);
  const std::string too_long(8192, 'x');
  test.channels.send_execution(test.order, {.type = '0', .exec_id = "2", .cl_ord_id = too_long, .time = k_noon});
  test.channels.flush();
  EXPECT_EQ(test.client.session.next_outgoing().value, 2u);
  EXPECT_EQ(test.counters.undelivered, 1u);
}

TEST(ClientChannelsDeathTest, no_quantity_that_a_client_sees_is_negative) {
  Channels test;
  test.order.cumulative = {101};
  EXPECT_DEATH(test.channels.send_execution(test.order, {.exec_id = "1", .cl_ord_id = "A-1", .time = k_noon}),
               "no quantity that a client sees is negative .*= 0, 100, 101, 1");
}

TEST(ClientChannelsDeathTest, a_refusal_that_wants_a_report_is_no_reject) {
  Channels test;
  EXPECT_DEATH(test.channels.send_reject(0, {}, {.reason = 99, .tag = 38}),
               "only rejects go without the record of an order .*= 0, 99, 38");
}

}  // namespace
}  // namespace dojima::gateway
