// From the venue to the clients.

#include "dojima/base/assert.hpp"
#include "dojima/gateway/reasons.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/values.hpp"
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
  apply(*request, report, code);
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
  if (request->kind == RequestKind::new_order) {
    reject_order(*request, order_reject_of(mit::reason_of(reject.code)), text.view(), report);
  } else {
    reject_change(*request, cancel_reject_of(mit::reason_of(reject.code)), text.view(), now);
  }
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

void Translator::apply(Request& request, const OwnerReport& report, std::int32_t code) {
  switch (report.kind) {
    case OwnerReportKind::rejected:
      return reject_order(request, order_reject_of(report.reason), text_of(code).view(), report);
    case OwnerReportKind::request_rejected:
      return reject_change(request, cancel_reject_of(report.reason), text_of(code).view(), report.time);
    case OwnerReportKind::business_rejected:
      if (is_suspension(code)) return report_unavailable(request, text_of(code).view());
      if (request.kind == RequestKind::new_order)
        return reject_order(request, order_reject_of(report.reason), text_of(code).view(), report);
      return reject_change(request, cancel_reject_of(report.reason), text_of(code).view(), report.time);
    default:
      return apply_execution(request, report);
  }
}

/// Accepted, traded, cancelled, replaced, expired: the order's record changes, then the client is told.
void Translator::apply_execution(Request& request, const OwnerReport& report) {
  const std::uint32_t place = request.order;
  Order& order = records_.order_at(place);
  const bool is_cancel = request.kind == RequestKind::cancel;
  // A replace not answered so far whose id the order bears was accepted, whether or not we heard of it.
  const bool is_change_answered = is_cancel || (request.kind == RequestKind::replace && !request.is_answered);
  if (request.kind == RequestKind::replace && !request.is_answered) adopt_replacement(request);
  if (Request* named = records_.find_request(order.naming); named != nullptr && !named->is_answered) answer(*named);
  if (report.order.value != 0) order.order_id = report.order;
  if (order.state == OrderState::pending_new) order.state = OrderState::live;

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

  char type = exec_type_of(report.kind);
  if (report.kind == OwnerReportKind::cancelled) order.state = OrderState::cancelled;
  if (report.kind == OwnerReportKind::expired) order.state = OrderState::expired;
  if (report.kind == OwnerReportKind::accepted) {
    const bool is_parked = report.status == market::OrderStatus::suspended;
    order.state = is_parked ? OrderState::suspended : OrderState::live;
    if (is_parked) type = '9';
  }
  if (tells_leaves && order.leaves().lots == 0) {
    order.state = OrderState::filled;
  } else if (tells_leaves && report.status != market::OrderStatus::suspended) {
    order.state = OrderState::live;
  }

  const std::uint64_t execution = report.execution;
  const Identifier exec_id = identifier_of(execution);
  tell_execution(order, {.type = type,
                         .exec_id = execution != 0 ? exec_id.view() : own_exec_id(),
                         .cl_ord_id = is_cancel ? request.cl_ord_id.view() : order.cl_ord_id.view(),
                         .orig_cl_ord_id = is_change_answered ? request.orig_cl_ord_id.view() : std::string_view{},
                         .text = order.is_stale ? k_stale_text : std::string_view{},
                         .time = report.time,
                         .report = &report});
  if (is_cancel) {
    answer(request);
    records_.close_request(request);
  }
  if (!is_open(order.state)) close_order(place);
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

void Translator::reject_order(Request& request, std::uint16_t reason, std::string_view text,
                              const OwnerReport& report) {
  const std::uint32_t place = request.order;
  Order& order = records_.order_at(place);
  answer(request);
  if (report.order.value != 0) order.order_id = report.order;
  order.state = OrderState::rejected;
  const Identifier exec_id = identifier_of(report.execution);
  tell_execution(order, {.type = '8',
                         .exec_id = report.execution != 0 ? exec_id.view() : own_exec_id(),
                         .cl_ord_id = request.cl_ord_id.view(),
                         .reject_reason = reason,
                         .text = text,
                         .time = report.time});
  close_order(place);
}

void Translator::reject_change(Request& request, std::uint16_t reason, std::string_view text, Time time) {
  const std::uint32_t place = request.order;
  Order& order = records_.order_at(place);
  answer(request);
  const bool is_unknown = reason == cancel_reject::k_unknown_order;
  const bool is_closed = !is_open(order.state);
  fix::Writer writer = begin(request.client, fix::type::k_order_cancel_reject);
  write_cancel_refusal(writer, {.order = is_unknown && !is_closed ? nullptr : &order,
                                .cl_ord_id = request.cl_ord_id.view(),
                                .orig_cl_ord_id = request.orig_cl_ord_id.view(),
                                .response_to = request.kind == RequestKind::cancel ? '1' : '2',
                                .reason = is_closed ? cancel_reject::k_too_late : reason,
                                .text = text,
                                .time = time});
  send(request.client, writer);
  records_.disown(request.client, request.cl_ord_id);
  records_.close_request(request);
  if (is_closed) return settle(place);
  if (is_unknown && order.is_stale) {
    // It ended while we were away. How, only the venue's recovery can tell.
    order.state = OrderState::lost;
    close_order(place);
  }
}

/// BusinessMessageReject: the venue, or a part of it, is closed for now. A new order never came to be.
void Translator::report_unavailable(Request& request, std::string_view text) {
  const std::uint32_t place = request.order;
  Order& order = records_.order_at(place);
  const bool is_new = request.kind == RequestKind::new_order;
  answer(request);
  fix::Writer writer = begin(request.client, fix::type::k_business_message_reject);
  writer.field(tag::k_ref_seq_num, request.client_sequence)
      .field(tag::k_ref_msg_type, is_new                                ? 'D'
                                  : request.kind == RequestKind::cancel ? 'F'
                                                                        : 'G')
      .field(tag::k_business_reject_ref_id, request.cl_ord_id.view())
      .field(tag::k_business_reject_reason, static_cast<unsigned>(fix::BusinessRejectReason::application_not_available))
      .field(tag::k_text, text);
  send(request.client, writer);
  if (is_new) {
    order.state = OrderState::rejected;
    return close_order(place);
  }
  records_.disown(request.client, request.cl_ord_id);
  records_.close_request(request);
  if (!is_open(order.state)) settle(place);
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
