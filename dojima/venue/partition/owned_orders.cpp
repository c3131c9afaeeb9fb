#include "dojima/venue/partition/owned_orders.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/venue/partition/trades.hpp"

namespace dojima::venue {

using market::OrderId;
using market::Quantity;

OwnedOrders::OwnedOrders(const PartitionConfig& config, book::OrderTable& orders)
    : is_full_(config.full_reports),
      orders_(orders),
      known_(config.limits.orders),
      names_(orders),
      quotes_(orders, config.users.size() * config.instruments.size()),
      totals_(config.users.size()) {}

// ---- The request in hand -------------------------------------------------------------------------------------------

/// The order that a request means: by its id, else the latest live order of the user with that client order id.
[[gnu::always_inline]] inline OrderId OwnedOrders::resolve(OrderId order, const Text<20>& original,
                                                           std::uint16_t user) const {
  if (order.value != 0) return order;
  const book::Slot slot = names_.find(original, user);
  return slot != book::k_no_slot ? orders_.id(slot) : OrderId{};
}

market::Replace OwnedOrders::begin(const market::Replace& command) {
  request_.begin(command.header, command.client_order_id, true);
  request_.account = &command.account;
  request_.old_quantity = {};
  market::Replace resolved = command;
  resolved.order = resolve(command.order, command.original_client_order_id, command.header.user);
  const book::Slot slot = orders_.find(resolved.order);
  if (slot != book::k_no_slot) request_.old_quantity = orders_.quantity(slot);
  return resolved;
}

/// One that names its order, or means none that is there, goes on as it is.
const market::Cancel& OwnedOrders::begin(const market::Cancel& command) {
  request_.begin(command.header, command.client_order_id);
  if (command.order.value != 0) return command;
  const book::Slot slot = names_.find(command.original_client_order_id, command.header.user);
  if (slot == book::k_no_slot) return command;
  cancel_ = command;
  cancel_.order = orders_.id(slot);
  if (!quotes_.is_empty()) [[unlikely]]
    cancel_.order = side_of(cancel_.order, command.side);
  return cancel_;
}

/// Both sides of a quote have its client order id: the one that is meant by it and a side; 0 where that one is over.
OrderId OwnedOrders::side_of(OrderId order, market::Side side) const {
  const book::Slot slot = orders_.slot_of(order);
  if ((orders_.flags(slot) & market::k_quote) == 0 || orders_[slot].side == side) return order;
  return quotes_.find(orders_[slot].owner, orders_[slot].instrument).at(side);
}

void OwnedOrders::begin_quote(book::Slot slot) {
  quotes_.add(slot);
}

void OwnedOrders::end_quote(book::Slot slot) noexcept {
  quotes_.remove(slot);
}

// ---- Trades that are taken back ------------------------------------------------------------------------------------

book::Slot OwnedOrders::take_back(const TradeRecord& trade, const TradeSide& side) {
  UserTotals& totals = totals_[side.user];
  (side.side == market::Side::buy ? totals.bought : totals.sold) -= static_cast<std::uint64_t>(trade.quantity.lots);
  totals.submitted -= static_cast<std::uint64_t>(trade.quantity.lots);
  --totals.trades;
  check_totals(side.user);
  const book::Slot slot = orders_.find(side.order);
  if (slot != book::k_no_slot) restate_total(slot, trade.quantity);
  return slot;
}

/// The total goes down with what was executed, so that what is left of the order stays.
void OwnedOrders::restate_total(book::Slot slot, Quantity quantity) {
  market::OrderTerms& terms = orders_.change_terms(slot);
  DOJIMA_ASSERT(orders_.executed(slot) >= quantity, "a trade that is busted is among what was executed",
                orders_.executed(slot), quantity, orders_.id(slot));
  terms.quantity -= quantity;
  terms.displayed = std::min(terms.displayed, terms.quantity);
  terms.minimum = std::min(terms.minimum, terms.quantity);
  OrderState& state = known(slot).state;
  if (state == OrderState::partly_filled && orders_.executed(slot).lots == 0) state = OrderState::live;
}

// ---- Digest and state ----------------------------------------------------------------------------------------------

void OwnedOrders::add_names_to(book::Digest& digest, std::uint16_t user) const {
  for (const book::Slot slot : orders_.of_owner(user)) {
    digest.add(std::uint8_t{names_.find(orders_.labels(slot).client_order_id, user) == slot});
  }
}

void OwnedOrders::save(StateWriter& out) const {
  for (const UserTotals& totals : totals_) out.add(totals);
  out.add(std::uint64_t{orders_.size()});
  for (const book::Slot slot : orders_.live()) {
    const Known& known = known_[static_cast<std::size_t>(slot)];
    out.add(orders_.id(slot));
    out.add(known.state);
    out.add(known.leaves);
    out.add(std::uint8_t{names_.find(orders_.labels(slot).client_order_id, orders_[slot].owner) == slot});
  }
}

bool OwnedOrders::load(StateReader& in) {
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
    // Without full reports it is not reported that an order enters.
    if (state == OrderState::suspended && !is_full_)
      known(slot).state = orders_.executed(slot).lots == 0 ? OrderState::live : OrderState::partly_filled;
    if (is_named) known(slot).name = names_.assign(slot);
    if ((orders_.flags(slot) & market::k_quote) != 0) quotes_.add(slot);
  }
  return true;
}

}  // namespace dojima::venue
