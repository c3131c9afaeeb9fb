#include "dojima/gateway/translator/order_lifecycle.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind, market::Quantity;

void check_quantities(const Order& order) noexcept {
  DOJIMA_ASSERT(order.cumulative.lots >= 0 && order.cumulative <= order.terms.quantity,
                "no order executes more than its quantity", order.order_id, order.cumulative, order.terms.quantity,
                order.state);
  DOJIMA_ASSERT(order.unpriced.lots >= 0 && order.unpriced <= order.cumulative,
                "what was executed without a report is part of what was executed", order.order_id, order.unpriced,
                order.cumulative);
}

}  // namespace

bool OrderLifecycle::apply_execution(Request& request, const OwnerReport& report) {
  Order& order = records_.order_at(request.order);
  const bool is_cancel = request.kind == RequestKind::cancel;
  // A replace not answered so far whose id the order has at the venue was accepted, whether or not its report reached
  // us.
  const bool is_replaced = request.kind == RequestKind::replace && !request.is_answered;
  if (is_replaced) adopt_replacement(request);
  if (Request* current = records_.find_request(order.current_request); current != nullptr && !current->is_answered)
    answer(*current);
  if (report.order.value != 0) records_.set_venue_id(request.order, report.order);

  if (report.kind == OwnerReportKind::traded) {
    ++counters_.executions;
    order.cumulative += report.quantity;
    order.notional += notional_of(report.price, report.quantity);
  }
  if (report.kind == OwnerReportKind::trade_cancelled) take_back(order, report);
  if (report.kind == OwnerReportKind::restated) restate(order, report);
  const bool says_leaves = report.kind == OwnerReportKind::traded || report.kind == OwnerReportKind::replaced;
  if (order.is_stale && says_leaves) count_missed(order, report.leaves);
  check_quantities(order);
  return is_cancel || is_replaced;
}

/// The venue says what is left; what else is gone was executed while its session was down.
void OrderLifecycle::count_missed(Order& order, Quantity leaves) {
  const Quantity missed = order.leaves() - leaves;
  if (missed.lots <= 0) return;
  order.cumulative += missed;
  order.unpriced += missed;
  counters_.missed_lots += static_cast<std::uint64_t>(missed.lots);
}

/// An execution counts no more. What is left of an open order stays, so its total goes down.
void OrderLifecycle::take_back(Order& order, const OwnerReport& report) {
  ++counters_.busts;
  const Notional value = notional_of(report.price, report.quantity);
  const bool is_priced = report.quantity <= order.cumulative - order.unpriced && value <= order.notional;
  order.cumulative -= report.quantity;
  if (is_priced)
    order.notional -= value;
  else
    order.unpriced -= std::min(order.unpriced, report.quantity);
  order.unpriced = std::min(order.unpriced, order.cumulative);
  if (order.cumulative == order.unpriced) order.notional = 0;
  if (is_open(order.state)) set_total(order, order.terms.quantity - report.quantity);
}

void OrderLifecycle::correct(std::uint32_t slot, market::Price before, const OwnerReport& report) {
  ++counters_.corrections;
  Order& order = records_.order_at(slot);
  const Notional value = notional_of(before, report.quantity);
  const bool is_priced = report.quantity <= order.cumulative - order.unpriced && value <= order.notional;
  if (is_priced)
    order.notional -= value;
  else  // it was executed while the venue's session was down, at a price that nobody knew
    order.unpriced -= std::min(order.unpriced, report.quantity);
  order.notional += notional_of(report.price, report.quantity);
  check_quantities(order);
}

/// The venue has changed the order. What it took from a total without a trade, nobody executes.
void OrderLifecycle::restate(Order& order, const OwnerReport& report) {
  ++counters_.restatements;
  const auto reason = static_cast<market::Restatement>(report.restatement);
  if (reason == market::Restatement::repriced && report.price.units > 0) order.terms.limit = report.price;
  if (reason == market::Restatement::market)
    set_total(order, order.cumulative + report.leaves);
  else if (order.is_stale)
    count_missed(order, report.leaves);
}

void OrderLifecycle::set_total(Order& order, Quantity total) {
  order.terms.quantity = total;
  order.terms.displayed = std::min(order.terms.displayed, total);
  order.terms.minimum = std::min(order.terms.minimum, total);
}

/// The order becomes what the request wanted, and has its id from now on.
void OrderLifecycle::adopt_replacement(Request& request) {
  Order& order = records_.order_at(request.order);
  DOJIMA_ASSERT(request.number != order.current_request, "an order has the id of an answered request", request.number,
                request.client, request.order);
  // That of a quote addresses both its sides.
  DOJIMA_CHECK_SLOW(
      request.quote != QuoteSide::none || records_.find_order(request.client, records_.id_of(request)) == request.order,
      "a replace's ClOrdID addresses the order that it changes", request.number, request.order);
  if (Request* current = records_.find_request(order.current_request)) {
    if (!current->is_answered) answer(*current);
    records_.close_request(*current);
  }
  answer(request);
  order.current_request = request.number;
  records_.name_order(order, request.cl_ord_id);
  const RequestedChange& change = records_.change_of(request);
  order.terms = change.terms;
  if (request.quote != QuoteSide::none) {
    order.terms.quantity = order.terms.displayed = change.terms.quantity + order.cumulative;
    adopt_parties(request.order, request);
  }
  if (!change.account.is_empty()) order.account = change.account;
  records_.close_change(request);
}

/// A quote that amends says for whom its sides are now, or that the client's defaults are.
void OrderLifecycle::adopt_parties(std::uint32_t slot, const Request& request) {
  const OrderParties* const wanted = std::as_const(records_).wanted_parties(request);
  if (wanted != nullptr || std::as_const(records_).order_at(slot).has_parties)
    records_.set_parties(slot, wanted == nullptr ? OrderParties{} : *wanted);
}

void OrderLifecycle::answer(Request& request) {
  DOJIMA_ASSERT(!request.is_answered, "a request is answered once", request.number, request.client, request.kind);
  request.is_answered = true;
  ++counters_.answers;
  Order& order = records_.order_at(request.order);
  DOJIMA_ASSERT(order.client == request.client, "an order and its requests are one client's", request.number,
                request.client, order.client);
  if (request.is_stale) {
    ++counters_.stale_answered;
    if (request.kind != RequestKind::new_order) unlink_stale(order, request);
    return;
  }
  if (order.pending_change == records_.slot_of(request) && request.kind != RequestKind::new_order)
    order.pending_change = k_no_slot;
}

bool OrderLifecycle::close_idle_cancel(Request& request) {
  const std::uint32_t slot = request.order;
  const bool is_idle = request.quote != QuoteSide::none && request.kind == RequestKind::cancel &&
                       !is_open(std::as_const(records_).order_at(slot).state);
  if (!is_idle) return false;
  answer(request);
  records_.close_request(request);
  settle(slot);
  return true;
}

bool OrderLifecycle::enter_anew(Request& request) {
  const std::uint32_t before = request.order;
  Order& old = records_.order_at(before);
  if (is_open(old.state) || old.pending_change != records_.slot_of(request)) return false;
  const market::OrderTerms terms = records_.change_of(request).terms;
  const std::uint32_t client = old.client, instrument = old.instrument;
  const std::uint16_t user = old.user;
  old.pending_change = k_no_slot;
  // The order that is over may be forgotten now, so there is a slot.
  settle(before);
  const std::optional<std::uint32_t> slot = records_.open_order();
  DOJIMA_ASSERT(slot.has_value(), "an order that is over leaves its slot to another", request.number, before);
  Order& order = records_.order_at(*slot);
  records_.name_order(order, request.cl_ord_id);
  order.terms = terms;
  order.current_request = request.number;
  order.client = client;
  order.user = user;
  order.instrument = instrument;
  adopt_parties(*slot, request);
  request.kind = RequestKind::new_order;
  records_.close_change(request);
  records_.move_request(request, *slot);
  return true;
}

void OrderLifecycle::close_refused_change(Request& request) {
  if (!request.is_id_shared) records_.detach_id(request);
  records_.close_request(request);
}

void OrderLifecycle::close_order(std::uint32_t slot) {
  const Order& order = records_.order_at(slot);
  DOJIMA_ASSERT(order.state != OrderState::filled || order.cumulative == order.terms.quantity,
                "all of a filled order was executed", slot, order.order_id, order.cumulative, order.terms.quantity);
  if (Request* current = records_.find_request(order.current_request)) {
    if (!current->is_answered) ++counters_.stale_abandoned;
    records_.close_request(*current);
  }
  settle(slot);
}

void OrderLifecycle::settle(std::uint32_t slot) {
  Order& order = records_.order_at(slot);
  if (order.pending_change != k_no_slot) return;
  abandon_stale(order);
  records_.retire_order(slot);
}

/// Requests of an order that is over, lost with their session: no answer will come.
void OrderLifecycle::abandon_stale(Order& order) {
  while (order.stale_changes != k_no_slot) {
    Request& request = records_.request_at(order.stale_changes);
    DOJIMA_ASSERT(request.is_used && request.is_stale && !request.is_answered, "a stale change waits for its answer",
                  request.number, request.is_used, request.is_stale, request.is_answered);
    order.stale_changes = records_.change_of(request).next_stale;
    ++counters_.stale_abandoned;
    records_.close_request(request);
  }
}

void OrderLifecycle::unlink_stale(Order& order, const Request& request) {
  std::uint32_t* link = &order.stale_changes;
  while (*link != records_.slot_of(request)) {
    DOJIMA_ASSERT(*link != k_no_slot, "a stale change is in its order's list", request.number, request.order);
    link = &records_.change_of(records_.request_at(*link)).next_stale;
  }
  *link = records_.change_of(request).next_stale;
}

void OrderLifecycle::end_session(std::span<const std::uint32_t> requests) {
  for (const std::uint32_t slot : requests) {
    Request& request = records_.request_at(slot);
    if (request.is_used && !request.is_stale) make_stale(request);
  }
}

void OrderLifecycle::make_stale(Request& request) {
  const std::uint32_t slot = request.order;
  Order& order = records_.order_at(slot);
  order.is_stale = order.is_stale || is_open(order.state);
  if (request.is_answered) return;
  request.is_stale = true;
  ++counters_.stale;
  if (request.kind == RequestKind::new_order) return;
  order.pending_change = k_no_slot;
  records_.change_of(request).next_stale = order.stale_changes;
  order.stale_changes = records_.slot_of(request);
  if (!is_open(order.state)) settle(slot);
}

}  // namespace dojima::gateway
