#include "dojima/app/trade/blotter.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dojima::app {
namespace {

using market::Side;

constexpr std::array<std::string_view, 7> k_states{"sent",      "open",    "parked",  "filled",
                                                   "cancelled", "expired", "rejected"};
constexpr std::array<std::string_view, 3> k_trade_states{"done", "corrected", "busted"};

}  // namespace

market::Price mean_price(TradedValue value, market::Quantity quantity) {
  if (quantity.lots <= 0) return {};
  const TradedValue magnitude = value < 0 ? -value : value;
  const TradedValue rounded = (2 * magnitude + quantity.lots) / (TradedValue{2} * quantity.lots);
  return {static_cast<std::int64_t>(value < 0 ? -rounded : rounded)};
}

std::string price_text(market::Price price) {
  char text[market::k_price_text_max];
  return std::string(market::format_price(price, text));
}

std::string_view name_of(OrderState state) {
  return k_states[static_cast<std::size_t>(state)];
}

bool is_order_state(std::string_view word) {
  return std::ranges::find(k_states, word) != k_states.end();
}

std::string_view name_of(TradeState state) {
  return k_trade_states[static_cast<std::size_t>(state)];
}

BlotterOrder& Blotter::enter(const OrderEntry& entry, std::string id) {
  orders_.push_back({.number = static_cast<std::uint32_t>(orders_.size() + 1),
                     .entry = entry,
                     .id = std::move(id),
                     .leaves = entry.terms.quantity});
  return orders_.back();
}

BlotterOrder* Blotter::find(std::uint32_t number) {
  return number == 0 || number > orders_.size() ? nullptr : &orders_[number - 1];
}

const BlotterOrder* Blotter::find(std::uint32_t number) const {
  return number == 0 || number > orders_.size() ? nullptr : &orders_[number - 1];
}

BlotterOrder* Blotter::find_by_order_id(std::string_view order_id) {
  if (order_id.empty()) return nullptr;
  const auto found = std::find_if(orders_.rbegin(), orders_.rend(),
                                  [&](const BlotterOrder& order) { return order.order_id == order_id; });
  return found == orders_.rend() ? nullptr : &*found;
}

const Trade* Blotter::find_trade(std::uint32_t number) const {
  return number == 0 || number > trades_.size() ? nullptr : &trades_[number - 1];
}

Position Blotter::position(std::string_view symbol) const {
  const auto found = positions_.find(symbol);
  return found == positions_.end() ? Position{} : found->second;
}

std::size_t Blotter::open_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(orders_, &BlotterOrder::is_open));
}

std::size_t Blotter::trade_count() const {
  return trades_.size() - static_cast<std::size_t>(std::ranges::count(trades_, TradeState::busted, &Trade::state));
}

/// What the report says of the order as a whole.
void Blotter::take_terms(BlotterOrder& order, const TradeReport& report) {
  market::OrderTerms& terms = order.entry.terms;
  const bool was_visible = terms.displayed == terms.quantity;
  if (!report.order_id.empty() && report.order_id != "NONE") order.order_id = report.order_id;
  if (report.kind == TradeReportKind::replaced && !report.id.empty()) order.id = report.id;
  if (report.kind == TradeReportKind::replaced || report.kind == TradeReportKind::restated) {
    if (report.total) terms.quantity = *report.total;
    if (report.limit) terms.limit = *report.limit;
    if (report.stop) terms.stop = *report.stop;
    terms.displayed =
        report.displayed.value_or(was_visible ? terms.quantity : std::min(terms.displayed, terms.quantity));
  }
  if (report.executed) order.executed = *report.executed;
  if (report.leaves) order.leaves = *report.leaves;
}

bool Blotter::apply(BlotterOrder& order, const TradeReport& report) {
  // An order that the peer does not know is no news of ours.
  if (report.kind == TradeReportKind::status && report.reason != 0) return true;
  bool is_new = true;
  if (report.kind == TradeReportKind::traded) is_new = book_trade(order, report);
  if (report.kind == TradeReportKind::corrected || report.kind == TradeReportKind::busted)
    is_new = change_trade(report);
  if (!is_new) return false;
  take_terms(order, report);
  const OrderState working = order.leaves.lots == 0 ? OrderState::filled : OrderState::open;
  switch (report.kind) {
    case TradeReportKind::accepted:
    case TradeReportKind::traded:
    case TradeReportKind::replaced:
      order.state =
          order.state == OrderState::parked && report.kind == TradeReportKind::replaced ? order.state : working;
      break;
    case TradeReportKind::parked:
      order.state = OrderState::parked;
      break;
    case TradeReportKind::rejected:
      order.state = OrderState::rejected;
      break;
    case TradeReportKind::cancelled:
      order.state = OrderState::cancelled;
      break;
    case TradeReportKind::expired:
      order.state = OrderState::expired;
      break;
    case TradeReportKind::request_rejected:
      if (order.state == OrderState::sent) order.state = OrderState::rejected;
      break;
    default:
      break;
  }
  if (order.state == OrderState::rejected || order.state == OrderState::cancelled || order.state == OrderState::expired)
    order.leaves = {};
  return true;
}

/// Adds a trade to its order and position, or takes it away.
void Blotter::book(const Trade& trade, int sign) {
  const TradedValue value = TradedValue{trade.price.units} * trade.quantity.lots * sign;
  BlotterOrder& order = orders_[trade.order - 1];
  order.priced.lots += sign * trade.quantity.lots;
  order.value += value;
  order.executed.lots += sign * trade.quantity.lots;
  Position& position = positions_[trade.symbol];
  (trade.side == Side::buy ? position.bought : position.sold) += sign * trade.quantity.lots;
  (trade.side == Side::buy ? position.bought_value : position.sold_value) += value;
}

bool Blotter::book_trade(BlotterOrder& order, const TradeReport& report) {
  if (!report.execution_id.empty() && trades_by_id_.contains(report.execution_id)) return false;
  Trade trade{.number = static_cast<std::uint32_t>(trades_.size() + 1),
              .order = order.number,
              .symbol = order.entry.symbol,
              .side = order.entry.terms.side,
              .quantity = report.last_quantity,
              .price = report.last_price,
              .execution_id = report.execution_id,
              .order_id = report.order_id,
              .trade_id = report.trade_id,
              .counterparty = report.counterparty,
              .liquidity = report.liquidity};
  trades_by_id_[trade.execution_id] = trades_.size();
  trades_.push_back(std::move(trade));
  book(trades_.back(), 1);
  order.leaves.lots -= report.last_quantity.lots;
  return true;
}

/// A correction or a bust names the execution as it was, and is known by its own id afterwards too.
bool Blotter::change_trade(const TradeReport& report) {
  const auto found = trades_by_id_.find(report.reference_id);
  if (found == trades_by_id_.end() || trades_by_id_.contains(report.execution_id)) return false;
  const std::size_t place = found->second;
  Trade& trade = trades_[place];
  if (!report.execution_id.empty()) trades_by_id_[report.execution_id] = place;
  if (trade.state != TradeState::busted) book(trade, -1);
  if (report.kind == TradeReportKind::busted) {
    trade.state = TradeState::busted;
    return true;
  }
  trade.state = TradeState::corrected;
  trade.quantity = report.last_quantity;
  trade.price = report.last_price;
  book(trade, 1);
  return true;
}

}  // namespace dojima::app
