#pragma once

// The orders of a live strategy at the venue: its requests leave by the session, and what the session says of them
// comes back as the reports of a back-test.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/live/order_market.hpp"
#include "dojima/app/trade/live_strategy.hpp"
#include "dojima/app/trade/trade_report.hpp"
#include "dojima/app/trade/trade_session.hpp"
#include "dojima/backtest/exchange.hpp"

namespace dojima::app {

/// Allocates with each order.
class LiveOrders {
 public:
  /// `blotter` is empty; `reports` takes what the strategy is to know; ids of requests begin with `prefix`. All outlive
  /// it.
  LiveOrders(Blotter& blotter, OrderMarket& market, TradeSession& session, std::vector<backtest::Report>& reports,
             std::string prefix, LiveStrategy::Print print);

  void send(const backtest::Request& request, Time now);
  void on_report(const TradeReport& from, Time now);
  /// The peer's session refused a message.
  void on_refused(const std::string& id, const std::string& text, Time now);

  /// Of requests that could not be sent: for report_unsent(), in the next turn.
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  void report_unsent();

  [[nodiscard]] const backtest::ExchangeCounts& counts() const { return counts_; }

 private:
  void enter(const backtest::Request& request, Time now);
  [[nodiscard]] std::string next_id() { return prefix_ + std::to_string(++last_id_); }
  backtest::Report& say(const BlotterOrder& order, backtest::ReportKind kind, Time now);
  void say_rejected(const BlotterOrder& order, market::Quantity left, Time now);
  void refuse(const backtest::Request& request, backtest::ReportKind kind, const std::string& why, Time now);
  [[nodiscard]] BlotterOrder* order_of(const TradeReport& report);
  [[nodiscard]] BlotterOrder* order_of(backtest::OrderNumber number);

  Blotter& blotter_;
  OrderMarket& market_;
  TradeSession& session_;
  std::vector<backtest::Report>& reports_;
  LiveStrategy::Print print_;
  std::vector<backtest::OrderNumber> numbers_;                      // by the blotter's; they rise
  std::vector<Time> since_;                                         // likewise: when it took its place
  std::map<std::string, std::uint32_t, std::less<>> orders_by_id_;  // every id of an order that was sent
  std::vector<backtest::Report> unsent_;
  backtest::ExchangeCounts counts_;
  const std::string prefix_;
  std::uint32_t last_id_ = 0;
};

}  // namespace dojima::app
