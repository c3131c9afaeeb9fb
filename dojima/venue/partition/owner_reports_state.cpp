// Busted trades, the digest, and the saved state of the reports to owners.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/venue/partition/owner_reports.hpp"

namespace dojima::venue {

using market::OrderId;
using market::OrderStatus;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Quantity;

// ---- Busted trades -------------------------------------------------------------------------------------------------

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
  OwnerReport outgoing{.command = request_.command, .time = request_.now};
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

void OwnerReports::bust_side(const TradeRecord& trade, std::size_t at) {
  const TradeSide& side = trade.sides[at];
  const book::Slot slot = orders_.find(side.order);
  const bool is_open = slot != book::k_no_slot;
  UserTotals& totals = totals_[side.user];
  (side.side == market::Side::buy ? totals.bought : totals.sold) -= static_cast<std::uint64_t>(trade.quantity.lots);
  totals.submitted -= static_cast<std::uint64_t>(trade.quantity.lots);
  --totals.trades;
  check_totals(side.user);

  OwnerReport outgoing = begin_bust(trade, side, trade.liquidity[at]);
  if (is_open) {
    restate_total(slot, trade.quantity);
    const OrderState state = known(slot).state;
    const bool is_suspended = state == OrderState::suspended;
    outgoing.client_order_id = orders_.labels(slot).client_order_id;
    outgoing.leaves = known(slot).leaves;
    outgoing.displayed = std::min(outgoing.leaves, orders_.terms(slot).displayed);
    outgoing.minimum = orders_.terms(slot).minimum;
    outgoing.status = is_suspended                ? OrderStatus::suspended
                      : state == OrderState::live ? OrderStatus::new_order
                                                  : OrderStatus::partially_filled;
  }
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

/// The total goes down with what was executed, so that what is left of the order stays.
void OwnerReports::restate_total(book::Slot slot, Quantity quantity) {
  market::OrderTerms& terms = orders_.change_terms(slot);
  DOJIMA_ASSERT(orders_.executed(slot) >= quantity, "a trade that is busted is among what was executed",
                orders_.executed(slot), quantity, orders_.id(slot));
  terms.quantity -= quantity;
  terms.displayed = std::min(terms.displayed, terms.quantity);
  terms.minimum = std::min(terms.minimum, terms.quantity);
  OrderState& state = known(slot).state;
  if (state == OrderState::partly_filled && orders_.executed(slot).lots == 0) state = OrderState::live;
}

// ---- Digest --------------------------------------------------------------------------------------------------------

void OwnerReports::add_numbers_to(book::Digest& digest) const {
  digest.add(last_report_);
  digest.add(last_execution_);
  digest.add(last_trade_);
}

void OwnerReports::add_names_to(book::Digest& digest, std::uint16_t user) const {
  for (const book::Slot slot : orders_.of_owner(user)) {
    digest.add(std::uint8_t{names_.find(orders_.labels(slot).client_order_id, user) == slot});
  }
}

// ---- Saving and loading --------------------------------------------------------------------------------------------

void OwnerReports::save(StateWriter& out, std::uint64_t reports) const {
  out.section("owners");
  out.add(last_report_);
  out.add(last_execution_);
  out.add(last_trade_);
  for (const UserTotals& totals : totals_) out.add(totals);
  out.add(std::uint64_t{orders_.size()});
  for (const book::Slot slot : orders_.live()) {
    const Known& known = known_[static_cast<std::size_t>(slot)];
    out.add(orders_.id(slot));
    out.add(known.state);
    out.add(known.leaves);
    out.add(std::uint8_t{names_.find(orders_.labels(slot).client_order_id, orders_[slot].owner) == slot});
  }
  log_.save(out, reports);
  if (!is_full_ && !keeps_trades_) return;
  out.section("trades");
  log_.save_references(out, reports);
  trades_.save(out);
}

bool OwnerReports::load(StateReader& in) {
  in.section("owners");
  if (!in.read(last_report_) || !in.read(last_execution_) || !in.read(last_trade_)) return false;
  for (UserTotals& totals : totals_)
    if (!in.read(totals)) return false;
  std::uint64_t count = 0;
  if (!in.read(count)) return false;
  if (count != orders_.size()) return in.fail("the orders of the table");
  for (std::uint64_t at = 0; at < count; ++at) {
    OrderId order;
    OrderState state{};
    market::Quantity leaves;
    bool is_named = false;
    if (!in.read(order) || !in.read(state) || !in.read(leaves) || !in.read(is_named)) return false;
    const book::Slot slot = orders_.find(order);
    if (slot == book::k_no_slot || state > OrderState::suspended || leaves.lots < 0)
      return in.fail("a live order and what its owner knows");
    known(slot) = {.leaves = leaves, .state = state};
    // Without full reports nobody is told that an order enters.
    if (state == OrderState::suspended && !is_full_)
      known(slot).state = orders_.executed(slot).lots == 0 ? OrderState::live : OrderState::partly_filled;
    if (is_named) known(slot).name = names_.assign(slot);
    if ((orders_.flags(slot) & market::k_quote) != 0) quotes_.add(slot);
  }
  if (!log_.load(in)) return false;
  return !in.is_next("trades") || (in.section("trades") && log_.load_references(in) && trades_.load(in));
}

}  // namespace dojima::venue
