// Busted and corrected trades, and the saved state of the reports to owners.

#include <algorithm>

#include "dojima/base/state.hpp"
#include "dojima/venue/partition/owner_reports.hpp"

namespace dojima::venue {

using market::OrderStatus;
using market::OwnerReport;
using market::OwnerReportKind;

// ---- Busted and corrected trades -----------------------------------------------------------------------------------

/// The first side that is reported comes first.
void OwnerReports::keep_trade(const OwnerReport& fill, const Text<20>& client_order_id) {
  TradeRecord* trade = trades_.find(fill.trade);
  const std::size_t at = trade != nullptr ? 1 : 0;
  if (trade == nullptr) trade = trades_.begin(fill.trade);
  trade->price = fill.price;
  trade->quantity = fill.quantity;
  trade->instrument = fill.instrument;
  trade->liquidity[at] = fill.liquidity;
  trade->sides[at] = {.order = fill.order,
                      .execution = fill.execution,
                      .client_order_id = client_order_id,
                      .user = fill.user,
                      .side = fill.side,
                      .capacity = fill.capacity};
}

bool OwnerReports::bust(const market::TradeBust& command) {
  TradeRecord* trade = trades_.find(command.trade);
  if (trade == nullptr || trade->is_busted || trade->instrument != command.header.instrument) return false;
  trade->is_busted = true;
  for (std::size_t at = 0; at < trade->sides.size(); ++at) bust_side(*trade, at);
  return true;
}

/// What both reports about a side say. An order that is over has what its trade said of it.
OwnerReport OwnerReports::begin_bust(const TradeRecord& trade, const TradeSide& side, char liquidity) const {
  OwnerReport outgoing{.command = owned_.request().command, .time = owned_.request().now};
  outgoing.order = outgoing.public_order = side.order;
  outgoing.trade = trade.number;
  outgoing.client_order_id = side.client_order_id;
  outgoing.partition = app_id_;
  outgoing.instrument = trade.instrument;
  outgoing.user = side.user;
  outgoing.side = side.side;
  outgoing.capacity = side.capacity;
  outgoing.liquidity = liquidity;
  outgoing.status = OrderStatus::cancelled;
  return outgoing;
}

/// What its owner knows of an order that is still there.
void OwnerReports::add_open_order(book::Slot slot, OwnerReport& outgoing) {
  const OwnedOrders::Known& known = owned_.known(slot);
  outgoing.client_order_id = orders_.labels(slot).client_order_id;
  outgoing.leaves = known.leaves;
  outgoing.displayed = std::min(outgoing.leaves, orders_.terms(slot).displayed);
  outgoing.minimum = orders_.terms(slot).minimum;
  outgoing.status = known.state == OrderState::suspended ? OrderStatus::suspended
                    : known.state == OrderState::live    ? OrderStatus::new_order
                                                         : OrderStatus::partially_filled;
}

void OwnerReports::bust_side(const TradeRecord& trade, std::size_t at) {
  const TradeSide& side = trade.sides[at];
  const book::Slot slot = owned_.take_back(trade, side);
  const bool is_open = slot != book::k_no_slot;
  OwnerReport outgoing = begin_bust(trade, side, trade.liquidity[at]);
  if (is_open) add_open_order(slot, outgoing);
  OwnerReport restated = outgoing;
  outgoing.kind = OwnerReportKind::trade_cancelled;
  outgoing.reference = side.execution;
  outgoing.price = trade.price;
  outgoing.quantity = trade.quantity;
  append(outgoing);
  if (!is_open) return;
  restated.kind = OwnerReportKind::restated;
  restated.restatement = static_cast<std::uint8_t>(market::Restatement::market);
  restated.trade = 0;
  restated.liquidity = '\0';
  append(restated);
}

bool OwnerReports::correct(const market::TradeCorrection& command) {
  TradeRecord* trade = trades_.find(command.trade);
  if (trade == nullptr || trade->is_busted || trade->instrument != command.header.instrument) return false;
  if (command.price.units <= 0 || command.price == trade->price) return false;
  for (std::size_t at = 0; at < trade->sides.size(); ++at) correct_side(*trade, at, command.price);
  trade->price = command.price;
  return true;
}

/// The execution that counts now has a number of its own, under which a later bust or correction finds it.
void OwnerReports::correct_side(TradeRecord& trade, std::size_t at, market::Price price) {
  TradeSide& side = trade.sides[at];
  const book::Slot slot = orders_.find(side.order);
  OwnerReport outgoing = begin_bust(trade, side, trade.liquidity[at]);
  if (slot != book::k_no_slot) add_open_order(slot, outgoing);
  outgoing.quantity = trade.quantity;
  OwnerReport corrected = outgoing;
  outgoing.kind = OwnerReportKind::trade_cancelled;
  outgoing.restatement = static_cast<std::uint8_t>(market::Restatement::market);
  outgoing.reference = side.execution;
  outgoing.price = trade.price;
  append(outgoing);
  corrected.kind = OwnerReportKind::traded;
  corrected.price = price;
  corrected.last_market = last_market_;
  if (slot == book::k_no_slot) corrected.status = OrderStatus::filled;  // a fill has this or "partially filled"
  append(corrected);
  side.execution = corrected.execution;
}

// ---- Saving and loading --------------------------------------------------------------------------------------------

void OwnerReports::save(StateWriter& out, std::uint64_t reports) const {
  out.section("owners");
  numbers_.save(out);
  owned_.save(out);
  log_.save(out, reports);
  if (!owned_.has_full_reports() && !keeps_trades_) return;
  out.section("trades");
  log_.save_references(out, reports);
  trades_.save(out);
}

bool OwnerReports::load(StateReader& in) {
  in.section("owners");
  if (!numbers_.load(in) || !owned_.load(in) || !log_.load(in)) return false;
  return !in.is_next("trades") || (in.section("trades") && log_.load_references(in) && trades_.load(in));
}

}  // namespace dojima::venue
