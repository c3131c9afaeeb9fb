// After construction and warm-up a gateway takes no memory: not for orders, fills, changes, refusals or resends.

#include <array>
#include <charconv>
#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

/// Answers at once: accepts, fills half, replaces, cancels; every seventh request is refused.
class PromptVenue final : public link::Acceptor, public mit::ServerHandler {
 public:
  explicit PromptVenue(sched::Scheduler& scheduler) : session_({}, mit::lse_21_2::k_dialect, scheduler, *this) {}
  link::Connection* on_accept(const link::Address&) override { return session_.is_connected() ? nullptr : &session_; }
  mit::LogonReply on_logon(mit::ServerSession&, const mit::Logon&, Time) override { return {}; }
  void on_new_order(mit::ServerSession&, market::NewOrder& order, Time now) override {
    order_ = order;
    ++order_id_;
    const bool is_refused = order_id_ % 7 == 0;
    say(is_refused ? OwnerReportKind::rejected : OwnerReportKind::accepted, order.labels.client_order_id, now, 100);
    if (!is_refused) say(OwnerReportKind::traded, order.labels.client_order_id, now, 50);
  }
  void on_replace(mit::ServerSession&, market::Replace& replace, Time now) override {
    order_.labels.client_order_id = replace.client_order_id;
    say(OwnerReportKind::replaced, replace.client_order_id, now, replace.quantity.lots - 50);
  }
  void on_cancel(mit::ServerSession&, market::Cancel& cancel, Time now) override {
    say(OwnerReportKind::cancelled, cancel.client_order_id, now, 0);
  }
  void on_mass_cancel(mit::ServerSession&, market::MassCancel&, Time) override {}
  void on_quote(mit::ServerSession&, market::Quote&, Time) override {}
  void on_end(mit::ServerSession&, market::SessionEnd, Time) override {}

 private:
  void say(OwnerReportKind kind, const Text<20>& id, Time now, std::int64_t leaves) {
    OwnerReport report;
    report.sequence = {++sequence_};
    report.time = now;
    report.order = {order_id_};
    report.execution = ++execution_;
    report.client_order_id = id;
    report.partition = 1;
    report.instrument = order_.header.instrument;
    report.kind = kind;
    report.side = order_.terms.side;
    report.leaves = {leaves};
    if (kind == OwnerReportKind::traded) {
      report.quantity = {50};
      report.price = order_.terms.limit;
    }
    if (kind == OwnerReportKind::rejected) report.reason = market::Reason::price_not_on_tick;
    EXPECT_TRUE(session_.send(report));
  }

  mit::ServerSession session_;
  market::NewOrder order_;
  std::uint64_t order_id_ = 0, sequence_ = 0, execution_ = 0;
};

/// A client that only counts.
class CountingClient final : public fix::Handler {
 public:
  explicit CountingClient(sched::Scheduler& scheduler)
      : session(scheduler, {.role = fix::Role::initiator, .sender_comp_id = "CLIENT1", .target_comp_id = "DOJIMA"},
                *this) {}
  void on_logon(fix::Session&, Time) override {}
  void on_logout(fix::Session&, std::string_view, Time) override {}
  void on_message(fix::Session&, const fix::MessageView&, Time) override { ++messages; }
  void on_trouble(fix::Session&, const Error&) override {}

  /// Type F or G with an original id, or D.
  void send(std::string_view type, std::uint64_t number, std::uint64_t original, std::string_view symbol) {
    fix::Writer writer = session.begin(fix::msg_type(type));
    if (original != 0) writer.field(tag::k_orig_cl_ord_id, original);
    writer.field(tag::k_cl_ord_id, number)
        .field(tag::k_symbol, symbol)
        .field(tag::k_side, '1')
        .field(tag::k_transact_time, k_noon);
    if (type != "F")
      writer.field(tag::k_order_qty, 100 + number % 7).field(tag::k_ord_type, '2').field(tag::k_price, 10);
    EXPECT_TRUE(session.send(writer).has_value());
  }

  fix::Session session;
  std::uint64_t messages = 0;
};

/// Limits that let everything pass but what they refuse in every round.
void expect_no_memory_taken(const ClientLimits& limits) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "this build does not count allocations";
  sched::Scheduler scheduler(256, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  PromptVenue venue(scheduler);
  ASSERT_TRUE(network.listen(k_venue_address, venue).has_value());
  GatewayConfig config = small_config();
  config.clients.pop_back();
  config.clients[0].limits = limits;
  Gateway gateway(config, network, scheduler);
  ASSERT_TRUE(gateway.start(k_fix_address, k_venue_address).has_value());
  CountingClient client(scheduler);
  network.connect(k_fix_address, client.session);
  const auto run = [&](time::Duration duration) { link::run_for(network, scheduler, duration); };
  run(10ms);
  ASSERT_TRUE(client.session.is_logged_on());
  std::uint64_t number = 0;
  const bool waits = limits.rate_action == RateAction::queue;
  const time::Duration pause = waits ? time::Duration{1100ms} : time::Duration{1ms};
  const auto round = [&] {
    const std::uint64_t first = ++number;
    client.send("D", first, 0, "ALPHA");
    run(1ms);
    client.send("G", ++number, first, "ALPHA");
    if (!waits) client.send("F", ++number, first, "ALPHA");  // refused: one change at a time
    run(pause);
    client.send("F", ++number, first + 1, "ALPHA");
    run(pause);
    client.send("D", first, 0, "ALPHA");                                 // refused: used before
    client.send("D", ++number, 0, "GAMMA");                              // refused: unknown symbol
    if (!limits.symbols.empty()) client.send("D", ++number, 0, "BETA");  // refused: not permitted
    client.send("F", ++number, 999'999'999, "ALPHA");
    run(1ms);
  };
  const int rounds = waits ? 200 : 1000;
  for (int count = 0; count < 300; ++count) round();
  const std::uint64_t messages = client.messages, before = heap_allocations();
  for (int count = 0; count < rounds; ++count) round();
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_GT(client.messages - messages, (waits ? 6u : 7u) * static_cast<unsigned>(rounds) - 1);
  EXPECT_EQ(gateway.counters().undelivered, 0u);
  EXPECT_EQ(gateway.counters().strays, 0u);
  EXPECT_EQ(gateway.counters().waited >= 300, waits);
  EXPECT_EQ(gateway.counters().limited >= 1000, !limits.symbols.empty());
  gateway.stop("end");
  client.session.logout("end");
  run(20s);
}

TEST(GatewayAllocation, the_steady_state_takes_no_memory) {
  expect_no_memory_taken({});
}

TEST(GatewayAllocation, limits_take_no_memory) {
  ClientLimits limits{.rate = 10'000, .quantity = {1000}, .value = 1'000'000, .collar_bp = 1000, .open_orders = 60};
  limits.duplicate_window = 1ms;
  limits.symbols = {"ALPHA"};
  expect_no_memory_taken(limits);
}

TEST(GatewayAllocation, what_waits_for_the_rate_takes_no_memory) {
  expect_no_memory_taken({.rate = 1, .rate_action = RateAction::queue, .queue = 50});
}

}  // namespace
}  // namespace dojima::gateway
