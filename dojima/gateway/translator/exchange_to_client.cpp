// From the venue to the clients.

#include "dojima/base/assert.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/gateway/exchange_to_client_machine.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind, market::Quantity;

constexpr std::string_view k_stale_text = "the venue session was lost: executions may be missing";

[[nodiscard]] bool is_suspension(std::int32_t code) noexcept {
  return code == mit::code::k_partition_suspended || code == mit::code::k_system_suspended;
}

}  // namespace

void Translator::on_venue(std::uint32_t client, const OwnerReport& report, std::int32_t code, Time) {
  ++counters_.reports;
  Request* request = request_of(client, report.client_order_id);
  if (request == nullptr || !is_plausible(*request, report)) {
    ++counters_.strays;
    return;
  }
  const std::uint64_t number = request->number;
  mark(stages_.back_in, number);
  const bool is_refusal = report.kind == OwnerReportKind::rejected ||
                          report.kind == OwnerReportKind::request_rejected ||
                          report.kind == OwnerReportKind::business_rejected;
  if (is_refusal) {
    const ReasonText text = text_of(code);
    apply({.request = *request,
           .report = report,
           .order_reason = order_reject_of(report.reason),
           .change_reason = cancel_reject_of(report.reason),
           .text = text.view(),
           .is_suspended = report.kind == OwnerReportKind::business_rejected && is_suspension(code)},
          report.kind);
  } else {
    const bool is_change_answered = change_record(*request, report);
    apply({.request = *request, .report = report, .is_change_answered = is_change_answered}, report.kind);
  }
  mark(stages_.back_out, number);
}

void Translator::on_venue_reject(std::uint32_t client, const mit::Reject& reject, Time now) {
  ++counters_.reports;
  Request* request = request_of(client, reject.client_order_id);
  if (request == nullptr || request->is_answered) {
    ++counters_.strays;
    return;
  }
  const std::uint64_t number = request->number;
  mark(stages_.back_in, number);
  const ReasonText text = text_of(reject.code, reject.reason.view());
  OwnerReport report;
  report.time = now;
  const market::Reason reason = mit::reason_of(reject.code);
  apply({.request = *request,
         .report = report,
         .order_reason = order_reject_of(reason),
         .change_reason = cancel_reject_of(reason),
         .text = text.view()},
        OwnerReportKind::business_rejected);
  mark(stages_.back_out, number);
}

Request* Translator::request_of(std::uint32_t client, const Text<20>& client_order_id) {
  const Result<std::uint64_t> number = mit::parse_base62(client_order_id.view());
  Request* request = number ? records_.find_request(*number) : nullptr;
  return request != nullptr && request->client == client ? request : nullptr;
}

/// Whether the report can be about this request and its order. What cannot is dropped and counted: a record that
/// contradicts itself would be worse than a lost message.
bool Translator::is_plausible(const Request& request, const OwnerReport& report) const {
  const Order& order = records_.order_at(request.order);
  if (report.order.value != 0 && order.order_id.value != 0 && report.order != order.order_id) return false;
  const bool is_change = request.kind != RequestKind::new_order;
  if (report.kind == OwnerReportKind::request_rejected) return is_change && !request.is_answered;
  if (report.kind == OwnerReportKind::business_rejected) return !request.is_answered;
  if (!is_open(order.state)) return false;
  if (report.kind == OwnerReportKind::rejected)
    return request.kind == RequestKind::new_order && order.state == OrderState::pending_new;
  if (report.instrument != order.instrument || report.side != order.terms.side) return false;
  const bool is_replacing = request.kind == RequestKind::replace && !request.is_answered;
  const Quantity total = is_replacing ? request.terms.quantity : order.terms.quantity;
  const std::int64_t remaining = total.lots - order.cumulative.lots;
  switch (report.kind) {
    case OwnerReportKind::accepted:
      return request.kind != RequestKind::cancel && !is_replacing && report.leaves.lots <= remaining;
    case OwnerReportKind::traded:
      return request.kind != RequestKind::cancel && report.quantity.lots > 0 && report.leaves.lots >= 0 &&
             report.quantity.lots + report.leaves.lots <= remaining;
    case OwnerReportKind::cancelled:
      return request.kind != RequestKind::replace || remaining >= 0;
    case OwnerReportKind::expired:
      return request.kind != RequestKind::cancel && remaining >= 0;
    case OwnerReportKind::replaced:
      return is_replacing && report.leaves.lots >= 0 && report.leaves.lots <= remaining;
    default:
      return false;
  }
}

void Translator::apply(const Told& told, OwnerReportKind event) {
  OrderState& state = records_.order_at(told.request.order).state;
  const auto outcome = fsm::process<ExchangeToClient>(state, event, *this, told);
  DOJIMA_ASSERT(outcome.is_handled(), "what is plausible has a row");
}

/// Accepted, traded, cancelled, replaced, expired: the order's record becomes what the venue says, but for its state.
/// True: the report answers a cancel or replace.
bool Translator::change_record(Request& request, const OwnerReport& report) {
  Order& order = records_.order_at(request.order);
  const bool is_cancel = request.kind == RequestKind::cancel;
  // A replace not answered so far whose id the order bears was accepted, whether or not we heard of it.
  const bool is_replaced = request.kind == RequestKind::replace && !request.is_answered;
  if (is_replaced) adopt_replacement(request);
  if (Request* named = records_.find_request(order.naming); named != nullptr && !named->is_answered) answer(*named);
  if (report.order.value != 0) order.order_id = report.order;

  if (report.kind == OwnerReportKind::traded) {
    ++counters_.executions;
    order.cumulative += report.quantity;
    order.notional += notional_of(report.price, report.quantity);
  }
  const bool tells_leaves = report.kind == OwnerReportKind::traded || report.kind == OwnerReportKind::replaced;
  const Quantity unheard = order.leaves() - report.leaves;
  if (order.is_stale && tells_leaves && unheard.lots > 0) {
    // The venue says what is left; what else is gone was executed while we were away.
    order.cumulative += unheard;
    order.unpriced += unheard;
    counters_.missed_lots += static_cast<std::uint64_t>(unheard.lots);
  }
  return is_cancel || is_replaced;
}

bool Translator::is_parked(const Told& told) const noexcept {
  return told.report.status == market::OrderStatus::suspended;
}

bool Translator::is_used_up(const Told& told) const noexcept {
  return records_.order_at(told.request.order).leaves().lots == 0;
}

void Translator::tell(const Told& told) {
  tell_as(told, exec_type_of(told.report.kind));
}

void Translator::tell_parked(const Told& told) {
  tell_as(told, '9');
}

void Translator::tell_end(const Told& told) {
  const std::uint32_t place = told.request.order;
  tell(told);
  close_order(place);
}

void Translator::tell_as(const Told& told, char type) {
  const OwnerReport& report = told.report;
  Request& request = told.request;
  const Order& order = records_.order_at(request.order);
  const bool is_cancel = request.kind == RequestKind::cancel;
  const Identifier exec_id = identifier_of(report.execution);
  tell_execution(order, {.type = type,
                         .exec_id = report.execution != 0 ? exec_id.view() : own_exec_id(),
                         .cl_ord_id = is_cancel ? request.cl_ord_id.view() : order.cl_ord_id.view(),
                         .orig_cl_ord_id = told.is_change_answered ? request.orig_cl_ord_id.view() : std::string_view{},
                         .text = order.is_stale ? k_stale_text : std::string_view{},
                         .time = report.time,
                         .report = &report});
  if (is_cancel) {
    answer(request);
    records_.close_request(request);
  }
}

/// The order becomes what the request wanted, and bears its id from now on.
void Translator::adopt_replacement(Request& request) {
  Order& order = records_.order_at(request.order);
  if (Request* named = records_.find_request(order.naming)) {
    if (!named->is_answered) answer(*named);
    records_.close_request(*named);
  }
  answer(request);
  order.naming = request.number;
  order.cl_ord_id = request.cl_ord_id;
  order.terms = request.terms;
  if (!request.account.is_empty()) order.account = request.account;
}

bool Translator::is_new(const Told& told) const noexcept {
  return told.request.kind == RequestKind::new_order;
}

bool Translator::is_suspended(const Told& told) const noexcept {
  return told.is_suspended;
}

/// A new order never came to be.
bool Translator::is_unavailable_new(const Told& told) const noexcept {
  return told.is_suspended && is_new(told);
}

/// It ended while we were away. How, only the venue's recovery can tell.
bool Translator::is_gone(const Told& told) const noexcept {
  return told.change_reason == cancel_reject::k_unknown_order && records_.order_at(told.request.order).is_stale;
}

void Translator::reject_order(const Told& told) {
  const OwnerReport& report = told.report;
  const std::uint32_t place = told.request.order;
  Order& order = records_.order_at(place);
  answer(told.request);
  if (report.order.value != 0) order.order_id = report.order;
  const Identifier exec_id = identifier_of(report.execution);
  tell_execution(order, {.type = '8',
                         .exec_id = report.execution != 0 ? exec_id.view() : own_exec_id(),
                         .cl_ord_id = told.request.cl_ord_id.view(),
                         .reject_reason = told.order_reason,
                         .text = told.text,
                         .time = report.time});
  close_order(place);
}

void Translator::reject_change(const Told& told) {
  tell_change_refusal(told, false);
}

void Translator::reject_late_change(const Told& told) {
  const std::uint32_t place = told.request.order;
  tell_change_refusal(told, true);
  settle(place);
}

void Translator::lose_order(const Told& told) {
  const std::uint32_t place = told.request.order;
  tell_change_refusal(told, false);
  close_order(place);
}

/// OrderCancelReject; the request is over.
void Translator::tell_change_refusal(const Told& told, bool is_closed) {
  Request& request = told.request;
  const Order& order = records_.order_at(request.order);
  answer(request);
  const bool is_unknown = told.change_reason == cancel_reject::k_unknown_order;
  fix::Writer writer = begin(request.client, fix::type::k_order_cancel_reject);
  write_cancel_refusal(writer, {.order = is_unknown && !is_closed ? nullptr : &order,
                                .cl_ord_id = request.cl_ord_id.view(),
                                .orig_cl_ord_id = request.orig_cl_ord_id.view(),
                                .response_to = request.kind == RequestKind::cancel ? '1' : '2',
                                .reason = is_closed ? cancel_reject::k_too_late : told.change_reason,
                                .text = told.text,
                                .time = told.report.time});
  send(request.client, writer);
  forget_change(request);
}

void Translator::forget_change(Request& request) {
  records_.disown(request.client, request.cl_ord_id);
  records_.close_request(request);
}

void Translator::end_unavailable(const Told& told) {
  const std::uint32_t place = told.request.order;
  tell_closed_venue(told);
  close_order(place);
}

void Translator::tell_unavailable(const Told& told) {
  tell_closed_venue(told);
  forget_change(told.request);
}

void Translator::settle_unavailable(const Told& told) {
  const std::uint32_t place = told.request.order;
  tell_unavailable(told);
  settle(place);
}

/// BusinessMessageReject: the venue, or a part of it, is closed for now.
void Translator::tell_closed_venue(const Told& told) {
  Request& request = told.request;
  answer(request);
  fix::Writer writer = begin(request.client, fix::type::k_business_message_reject);
  writer.field(tag::k_ref_seq_num, request.client_sequence)
      .field(tag::k_ref_msg_type, is_new(told)                          ? 'D'
                                  : request.kind == RequestKind::cancel ? 'F'
                                                                        : 'G')
      .field(tag::k_business_reject_ref_id, request.cl_ord_id.view())
      .field(tag::k_business_reject_reason, static_cast<unsigned>(fix::BusinessRejectReason::application_not_available))
      .field(tag::k_text, told.text);
  send(request.client, writer);
}

/// The request has its one answer.
void Translator::answer(Request& request) {
  DOJIMA_ASSERT(!request.is_answered, "a request is answered once");
  request.is_answered = true;
  ++counters_.answers;
  Order& order = records_.order_at(request.order);
  if (request.is_stale) {
    ++counters_.stale_answered;
    if (request.kind != RequestKind::new_order) unlink_stale(order, request);
    return;
  }
  if (order.pending == records_.place_of(request) && request.kind != RequestKind::new_order) order.pending = k_nowhere;
}

/// The order's state is a final one: nothing will bear its name any more.
void Translator::close_order(std::uint32_t place) {
  const Order& order = records_.order_at(place);
  if (Request* named = records_.find_request(order.naming)) {
    if (!named->is_answered) ++counters_.stale_abandoned;
    records_.close_request(*named);
  }
  if (order.pending == k_nowhere) settle(place);
}

/// A closed order for which nothing is under way.
void Translator::settle(std::uint32_t place) {
  abandon_stale(records_.order_at(place));
  records_.retire_order(place);
}

/// Requests of an order that is over, lost with their session: nobody will answer them.
void Translator::abandon_stale(Order& order) {
  while (order.stale != k_nowhere) {
    Request& request = records_.request_at(order.stale);
    order.stale = request.next_stale;
    ++counters_.stale_abandoned;
    records_.close_request(request);
  }
}

void Translator::unlink_stale(Order& order, const Request& request) {
  std::uint32_t* link = &order.stale;
  while (*link != records_.place_of(request)) {
    DOJIMA_ASSERT(*link != k_nowhere, "a stale request hangs on its order");
    link = &records_.request_at(*link).next_stale;
  }
  *link = request.next_stale;
}

void Translator::on_venue_end(std::uint32_t client) {
  for (std::uint32_t place = 0; place < records_.request_capacity(); ++place) {
    Request& request = records_.request_at(place);
    if (!request.is_used || request.client != client || request.is_stale) continue;
    const std::uint32_t order_place = request.order;
    Order& order = records_.order_at(order_place);
    order.is_stale = order.is_stale || is_open(order.state);
    if (request.is_answered) continue;
    request.is_stale = true;
    ++counters_.stale;
    if (request.kind == RequestKind::new_order) continue;
    order.pending = k_nowhere;
    request.next_stale = order.stale;
    order.stale = place;
    if (!is_open(order.state)) settle(order_place);
  }
}

}  // namespace dojima::gateway
