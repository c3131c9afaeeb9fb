#include "dojima/app/trade/live/live_market.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "dojima/app/trade/live/live_orders.hpp"
#include "dojima/mitch/codec.hpp"

namespace dojima::app {
namespace {

using backtest::ReportKind;
using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;

constexpr std::uint32_t k_rice = 1001, k_salt = 1002;
constexpr std::int64_t k_unit = market::k_price_scale;

/// A session that takes every request, or none, and notes it.
class NotingSession final : public TradeSession {
 public:
  struct Sent {
    TradeVerb verb;
    std::string id;
    TradeCommand command;
  };
  void start(Time) override {}
  void stop() override {}
  [[nodiscard]] bool is_connected() const override { return true; }
  Understood<void> send(const TradeRequest& request) override {
    if (is_refusing) return std::unexpected("no room");
    sent.push_back({request.command.verb, std::string(request.id), request.command});
    return {};
  }
  [[nodiscard]] const char* peer_name() const override { return "gateway"; }
  std::vector<Sent> sent;
  bool is_refusing = false;
};

LiveStrategyOptions options_of_two() {
  LiveStrategyOptions options;
  options.instruments = {{.symbol = "RICE", .id = k_rice}, {.symbol = "SALT", .id = k_salt}};
  return options;
}

/// What a strategy would see of a feed, and of its own orders.
struct LiveTrading {
  LiveTrading() { market.open(); }

  template <class Message>
  void hear(const Message& message) {
    std::array<std::byte, 256> room{};
    const auto length = mitch::encode(message, room);
    ASSERT_TRUE(length.has_value());
    market.on_message('1', 1, std::span(room).first(*length), now);
  }
  void add(std::uint64_t id, std::uint32_t quantity, std::int64_t units, char side = 'S') {
    mitch::AddOrder message;
    message.order_id = id;
    message.side = side;
    message.quantity = quantity;
    message.instrument_id = k_rice;
    message.price = {units * k_unit};
    hear(message);
  }
  void execute(std::uint64_t id, std::uint32_t quantity) {
    mitch::OrderExecuted message;
    message.order_id = id;
    message.executed_quantity = quantity;
    message.trade_match_id = 7;
    hear(message);
  }
  /// "add 5 10@100": kind, order, quantity, price; those that an event has not are left out.
  std::vector<std::string> seen() {
    constexpr std::int64_t k_none = std::numeric_limits<std::int64_t>::min();
    std::vector<std::string> lines;
    for (const RecordedEvent& event : events) {
      std::string& line = lines.emplace_back(recorded::name_of(event.kind));
      line += " " + std::to_string(event.order);
      if (event.quantity != k_none) line += " " + std::to_string(event.quantity);
      if (event.price != k_none) line += "@" + std::to_string(event.price / k_unit);
    }
    events.clear();
    return lines;
  }
  /// The strategy buys `quantity` RICE at `units`; the request's id.
  std::string buy(backtest::OrderNumber number, std::int64_t quantity, std::int64_t units) {
    backtest::Request request{.kind = backtest::RequestKind::submit, .order = number};
    request.terms.side = Side::buy;
    request.terms.quantity = quantity;
    request.terms.price = units * k_unit;
    orders.send(request, now);
    return session.sent.empty() ? "" : session.sent.back().id;
  }
  void say(TradeReport report) { orders.on_report(report, now); }
  /// "accepted 1 10": kind, order, quantity.
  std::vector<std::string> reported() {
    std::vector<std::string> lines;
    for (const backtest::Report& report : reports)
      lines.push_back(std::string(backtest::name_of(report.kind)) + " " + std::to_string(report.order) + " " +
                      std::to_string(report.quantity));
    reports.clear();
    return lines;
  }

  std::vector<std::string> printed;
  LiveStrategy::Print print = [this](const std::string& line) { printed.push_back(line); };
  Time now = time::from_nanoseconds(1'000'000'000);
  std::vector<RecordedEvent> events;
  std::vector<backtest::Report> reports;
  NotingSession session;
  Blotter blotter;
  LiveMarket market{options_of_two(), blotter, events, print};
  LiveOrders orders{blotter, market, session, reports, "P-", print};
};

using Shown = std::vector<std::string>;

TEST(LiveMarket, shows_what_a_feed_says_as_events_of_a_day) {
  LiveTrading live;
  EXPECT_TRUE(live.market.take_news()) << "all books are to be shown";
  EXPECT_FALSE(live.market.take_news());
  live.add(5, 10, 100);
  EXPECT_TRUE(live.market.take_news());
  live.execute(5, 4);
  mitch::OrderModified change;
  change.order_id = 5;
  change.new_quantity = 3;
  change.new_price = {101 * k_unit};
  live.hear(change);
  live.execute(5, 3);
  live.execute(5, 1);
  EXPECT_EQ(live.seen(), (Shown{"add 5 10@100", "execute 5 4@100", "amend 5 3@101", "execute 5 3@101"}))
      << "and nothing of an order that is not there";
  live.add(6, 1, 99, 'B');
  mitch::OrderDeleted gone;
  gone.order_id = 6;
  live.hear(gone);
  live.hear(gone);
  EXPECT_EQ(live.seen(), (Shown{"add 6 1@99", "remove 6"}));
}

TEST(LiveMarket, says_nothing_of_other_instruments_nor_before_it_is_open) {
  std::vector<RecordedEvent> events;
  const Blotter blotter;
  LiveMarket market(options_of_two(), blotter, events, [](const std::string&) {});
  std::array<std::byte, 256> room{};
  mitch::AddOrder order;
  order.order_id = 5;
  order.side = 'B';
  order.quantity = 1;
  order.instrument_id = k_rice;
  order.price = {k_unit};
  const auto hear = [&] {
    const auto length = mitch::encode(order, room);
    ASSERT_TRUE(length.has_value());
    market.on_message('1', 1, std::span(room).first(*length), Time{});
  };
  hear();
  EXPECT_TRUE(events.empty());
  market.open();
  order.instrument_id = 77;
  hear();
  EXPECT_TRUE(events.empty());
  order.instrument_id = k_salt;
  hear();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].instrument, 1u) << "its place among those that are traded";
}

TEST(LiveMarket, shows_the_next_peak_of_an_iceberg) {
  LiveTrading live;
  live.add(5, 10, 100);
  mitch::OrderExecutedWithPriceSize peak;
  peak.order_id = 5;
  peak.executed_quantity = 10;
  peak.display_quantity = 20;
  peak.trade_match_id = 8;
  peak.printable = 'Y';
  peak.price = {100 * k_unit};
  live.hear(peak);
  peak.executed_quantity = 5;
  peak.display_quantity = 30;
  live.hear(peak);
  EXPECT_EQ(live.seen(), (Shown{"add 5 10@100", "execute 5 10@100", "add 5 20@100", "execute 5 5@100", "amend 5 30"}));
}

TEST(LiveMarket, does_not_show_own_orders_but_the_trades_with_them) {
  LiveTrading live;
  const std::string id = live.buy(1, 10, 100);
  // The feed is first to say that it is there, then the session whose it is.
  live.add(62, 10, 100, 'B');
  EXPECT_EQ(live.seen(), (Shown{"add 62 10@100"}));
  live.say({.kind = TradeReportKind::accepted, .id = id, .order_id = "10"});  // base 62
  EXPECT_EQ(live.seen(), (Shown{"remove 62"}));
  live.execute(62, 4);
  live.add(62, 6, 100, 'B');
  ASSERT_EQ(live.events.size(), 1u);
  EXPECT_EQ(live.events[0].kind, EventKind::trade);
  EXPECT_EQ(live.events[0].side, Side::sell) << "of who took";
  EXPECT_EQ(live.seen(), (Shown{"trade 0 4@100"}));
}

TEST(LiveOrders, are_the_requests_of_a_back_test_and_their_reports_too) {
  LiveTrading live;
  const std::string id = live.buy(9, 10, 100);
  EXPECT_EQ(id, "P-1");
  ASSERT_EQ(live.session.sent.size(), 1u);
  EXPECT_EQ(live.session.sent[0].command.order.symbol, "RICE");
  EXPECT_EQ(live.session.sent[0].command.order.terms.time_in_force, market::TimeInForce::day) << "nothing stays behind";
  live.say({.kind = TradeReportKind::accepted, .id = id, .order_id = "10"});
  live.say({.kind = TradeReportKind::traded,
            .id = id,
            .order_id = "10",
            .execution_id = "E1",
            .liquidity = 'A',
            .last_quantity = {4},
            .last_price = {100 * k_unit}});
  EXPECT_EQ(live.reported(), (Shown{"accepted 9 10", "traded 9 4"}));
  backtest::Request cancel{.kind = backtest::RequestKind::cancel, .order = 9};
  live.orders.send(cancel, live.now);
  ASSERT_EQ(live.session.sent.size(), 2u);
  EXPECT_EQ(live.session.sent[1].verb, TradeVerb::cancel);
  live.say({.kind = TradeReportKind::cancelled, .id = "P-2", .original_id = id, .order_id = "10"});
  EXPECT_EQ(live.reported(), (Shown{"cancelled 9 6"}));
  EXPECT_EQ(live.blotter.open_count(), 0u);
  EXPECT_EQ(live.orders.counts().requests, 2u);
  EXPECT_EQ(live.orders.counts().fills, 1u);
}

TEST(LiveOrders, report_what_could_not_be_sent_in_the_next_turn) {
  LiveTrading live;
  live.session.is_refusing = true;
  live.buy(3, 10, 100);
  EXPECT_EQ(live.reported(), Shown{}) << "a strategy that asks again at once would not let the turn end";
  EXPECT_TRUE(live.orders.has_unsent());
  backtest::Request cancel{.kind = backtest::RequestKind::cancel, .order = 4};
  live.orders.send(cancel, live.now);
  live.orders.report_unsent();
  EXPECT_EQ(live.reported(), (Shown{"rejected 3 10", "request_rejected 4 0"}));
  EXPECT_FALSE(live.orders.has_unsent());
  EXPECT_EQ(live.printed, (Shown{"3 not sent: no room"}));
}

TEST(LiveOrders, end_where_the_venue_or_the_session_refuses_them) {
  LiveTrading live;
  const std::string one = live.buy(1, 10, 100), two = live.buy(2, 20, 100), three = live.buy(3, 30, 100);
  live.say({.kind = TradeReportKind::rejected, .id = one});
  live.orders.on_refused(two, "a field is missing", live.now);
  live.say({.kind = TradeReportKind::request_rejected, .id = three});
  EXPECT_EQ(live.reported(), (Shown{"rejected 1 10", "rejected 2 20", "rejected 3 30"}));
  EXPECT_EQ(live.blotter.open_count(), 0u);
}

}  // namespace
}  // namespace dojima::app
