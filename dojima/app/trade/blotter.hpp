#pragma once

// The orders of one run of a terminal client with their executions, and what was bought and sold: it gets every request
// that leaves and every report. Busts and corrections change executions, orders and positions. Deterministic; a
// report costs O(log orders), one that names an execution O(log trades).
//
//   Blotter blotter;
//   BlotterOrder& order = blotter.enter(entry, "ME-1");
//   blotter.apply(order, report);
//   blotter.position("KAGA").net();

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/trade/order_entry.hpp"
#include "dojima/app/trade/trade_report.hpp"
#include "dojima/market/order.hpp"

namespace dojima::app {

/// A sum of price * quantity.
__extension__ using TradedValue = __int128;

/// The mean price of so many lots, to eight decimals, what lies half-way rounded away from zero; 0 for none.
[[nodiscard]] market::Price mean_price(TradedValue value, market::Quantity quantity);
[[nodiscard]] std::string price_text(market::Price price);

enum class OrderState : std::uint8_t { sent, open, parked, filled, cancelled, expired, rejected };
[[nodiscard]] std::string_view name_of(OrderState state);
/// Whether it is the name of a state.
[[nodiscard]] bool is_order_state(std::string_view word);

struct BlotterOrder {
  std::uint32_t number = 0;  ///< as it is shown, from 1
  OrderEntry entry{};        ///< as it is now
  std::string id{};          ///< the last one that was accepted
  std::string order_id{};    ///< the venue's; empty: unknown
  OrderState state = OrderState::sent;
  market::Quantity executed{};
  market::Quantity leaves{};
  market::Quantity priced{};  ///< of those executed, lots whose price is known
  TradedValue value = 0;      ///< of these
  std::uint32_t changes = 0;  ///< requests to change it

  [[nodiscard]] bool is_open() const noexcept { return state == OrderState::open || state == OrderState::parked; }
  [[nodiscard]] market::Price average() const { return mean_price(value, priced); }
};

enum class TradeState : std::uint8_t { done, corrected, busted };
[[nodiscard]] std::string_view name_of(TradeState state);

struct Trade {
  std::uint32_t number = 0;  ///< as it is shown, from 1
  std::uint32_t order = 0;
  std::string symbol{};
  market::Side side = market::Side::none;
  market::Quantity quantity{};
  market::Price price{};
  std::string execution_id{};
  std::string order_id{};  ///< the venue's
  std::string trade_id{};
  std::string counterparty{};
  char liquidity = '\0';
  TradeState state = TradeState::done;
};

/// What was done in one symbol.
struct Position {
  std::int64_t bought = 0, sold = 0;  ///< lots
  TradedValue bought_value = 0, sold_value = 0;
  [[nodiscard]] std::int64_t net() const noexcept { return bought - sold; }
};

class Blotter {
 public:
  /// An order that is about to be sent; it gets the next number.
  BlotterOrder& enter(const OrderEntry& entry, std::string id);

  /// Books a report about an order. An execution that is known already changes nothing: false.
  bool apply(BlotterOrder& order, const TradeReport& report);

  /// Null: there is none.
  [[nodiscard]] BlotterOrder* find(std::uint32_t number);
  [[nodiscard]] const BlotterOrder* find(std::uint32_t number) const;
  /// The last order with that id at the venue. O(orders).
  [[nodiscard]] BlotterOrder* find_by_order_id(std::string_view order_id);
  [[nodiscard]] const Trade* find_trade(std::uint32_t number) const;
  /// All zero where nothing was traded.
  [[nodiscard]] Position position(std::string_view symbol) const;

  [[nodiscard]] const std::vector<BlotterOrder>& orders() const noexcept { return orders_; }
  [[nodiscard]] const std::vector<Trade>& trades() const noexcept { return trades_; }
  [[nodiscard]] const std::map<std::string, Position, std::less<>>& positions() const noexcept { return positions_; }
  /// Orders that are open. O(orders).
  [[nodiscard]] std::size_t open_count() const;
  /// Trades that are not void. O(trades).
  [[nodiscard]] std::size_t trade_count() const;

 private:
  bool book_trade(BlotterOrder& order, const TradeReport& report);
  bool change_trade(const TradeReport& report);
  void book(const Trade& trade, int sign);
  void take_terms(BlotterOrder& order, const TradeReport& report);

  std::vector<BlotterOrder> orders_;  // by number - 1
  std::vector<Trade> trades_;         // by number - 1
  std::map<std::string, std::size_t, std::less<>> trades_by_id_;
  std::map<std::string, Position, std::less<>> positions_;
};

}  // namespace dojima::app
