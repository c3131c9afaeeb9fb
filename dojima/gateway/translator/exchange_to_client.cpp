#include "dojima/gateway/translator/exchange_to_client.hpp"

#include <optional>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/exchange_to_client_machine.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/report_check.hpp"
#include "dojima/gateway/translator/translator_engine.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

constexpr std::string_view k_not_taken_text = "the session with the venue ended before it took this";
constexpr std::string_view k_late_fill_text =
    "executed at the venue, which has the order after all; what is left of it is cancelled there";
constexpr std::string_view k_other_venue_text =
    "the venue no longer has this: another one answers, or it lost what it had; executions may be missing";

/// An end that the venue has a reason for: its code where the order expired; where it was cancelled, that nobody asked.
[[nodiscard]] constexpr bool has_cause(const OwnerReport& report) noexcept {
  return report.kind == OwnerReportKind::expired ||
         (report.kind == OwnerReportKind::cancelled && report.restatement != 0);
}

/// The one report that answers a new order, a replace or a cancel.
[[nodiscard]] constexpr bool is_answer(OwnerReportKind kind) noexcept {
  using enum market::OwnerReportKind;
  return kind == accepted || kind == rejected || kind == replaced || kind == cancelled || kind == request_rejected ||
         kind == business_rejected;
}

}  // namespace

ExchangeToClient::ExchangeToClient(const Parts& parts)
    : records_(parts.records),
      channels_(parts.channels),
      probe_(parts.probe),
      counters_(parts.counters),
      journal_(parts.journal),
      limits_(parts.limits),
      users_(parts.users),
      chain_(parts.chain),
      lifecycle_(parts.records, parts.counters),
      reports_({.records = parts.records, .channels = parts.channels, .lifecycle = lifecycle_, .users = parts.users}),
      quote_answers_({.records = parts.records,
                      .channels = parts.channels,
                      .lifecycle = lifecycle_,
                      .limits = parts.limits,
                      .quotes = parts.quotes}),
      mass_answers_({.records = parts.records,
                     .channels = parts.channels,
                     .counters = parts.counters,
                     .journal = parts.journal,
                     .mass_cancels = parts.mass_cancels,
                     .order_cancels = parts.order_cancels,
                     .states = parts.states,
                     .users = parts.users}) {
  slots_.reserve(parts.records.request_capacity());
}

bool ExchangeToClient::on_report(std::uint32_t user, const OwnerReport& report, std::int32_t code, Channel channel) {
  ++counters_.reports;
  channels_.expect_execution(report.order);
  if (channel == Channel::live) check_sequence(user, report);
  if (channel == Channel::recovery) ++counters_.recovered;
  if (report.kind == OwnerReportKind::trade_cancelled || journal_.has_held_busts()) [[unlikely]] {
    if (apply_around_busts(user, report, channel)) return false;
  } else if (!journal_.note_report(user, report)) {
    ++counters_.strays;
  }
  if (is_refusal(report.kind) && apply_quote_refusal(user, report, code)) {
    channels_.flush_all();
    return false;
  }
  Request* request = find_request(user, report.client_order_id, report.side);
  if (request != nullptr) quote_answers_.follow_new_side(*request, report);
  if (request == nullptr && apply_without_request(user, report, code)) {
    channels_.flush_all();
    return is_answer(report.kind) && mass_answers_.can_answer_one(user, report.client_order_id);
  }
  if (request == nullptr ||
      !is_plausible(report, *request, records_.wanted_by(*request), std::as_const(records_).order_at(request->order))) {
    const std::optional<std::uint64_t> used = number_of(report.client_order_id);
    if (!is_of_forgotten_cancel(request, report, used, channel)) ++counters_.strays;
    // A request of a life that is forgotten: its number must not be used again.
    constexpr std::uint64_t k_most = std::uint64_t{1} << 62U;
    if (channel == Channel::recovery && used && *used < k_most) records_.skip_numbers(*used + 1);
    return is_answer(report.kind);
  }
  const std::uint64_t number = request->number;
  const bool is_awaited = !request->is_answered && request->quote == QuoteSide::none;
  probe_.mark_report_in(number);
  apply_to_request(*request, report, code);
  channels_.flush_all();
  probe_.mark_report_out(number);
  if (!is_awaited) return false;
  const Request* const left = std::as_const(records_).find_request(number);
  return left == nullptr || left->is_answered;
}

/// A report that can be about the request.
void ExchangeToClient::apply_to_request(Request& request, const OwnerReport& report, std::int32_t code) {
  if (is_refusal(report.kind)) {
    const ReasonText text = text_of(code);
    const VenueReject reject{.by = VenueReject::By::business_reject, .code = code};
    const bool is_reject = report.kind == OwnerReportKind::business_rejected;
    return process({.request = request,
                    .report = report,
                    .order_reason = order_reject_of(report.reason),
                    .change_reason = cancel_reject_of(report.reason),
                    .text = text.view(),
                    .reject = is_reject ? &reject : nullptr,
                    .is_venue_suspended = is_reject && is_suspension(reject)},
                   report.kind);
  }
  if (report.kind == OwnerReportKind::traded) limits_.note_trade(report.instrument, report.price);
  const QuoteAnswers::Answer answer = quote_answers_.answer_of(request);
  const ClOrdId orig = records_.orig_of(request);
  const bool is_change_answered = apply_execution(request, report);
  VenueReport venue_report{
      .request = request, .report = report, .is_change_answered = is_change_answered, .orig_cl_ord_id = orig.view()};
  process_execution(venue_report, code);
  quote_answers_.report(answer, false, {}, report.time);
}

/// What the record has taken up already.
inline void ExchangeToClient::process_execution(VenueReport& venue_report, std::int32_t code) {
  if (has_cause(venue_report.report)) [[unlikely]]
    process_end(venue_report, code);
  else
    process(venue_report, venue_report.report.kind);
}

/// An order that the venue has ended by itself; a text that is there already says more.
void ExchangeToClient::process_end(VenueReport& venue_report, std::int32_t code) {
  const OwnerReport& report = venue_report.report;
  ReasonText text;
  if (report.kind == OwnerReportKind::cancelled)
    text.add("cancelled by the venue");
  else if (code != mit::code::k_success)
    text = text_of(code);
  if (venue_report.text.empty()) venue_report.text = text.view();
  process(venue_report, report.kind);
}

/// The answer to a mass cancel, of which only the newest are remembered; or the refusal of a cancel that an earlier
/// life of the gateway sent by itself, of a mass cancel or order by order, neither of which the next life remembers. So
/// it is when the order has ended before the cancel gets to the venue, and the gateway dies before the venue's refusal
/// gets to it: the next life receives the order's end first, then the refusal, for which nobody waits.
bool ExchangeToClient::is_of_forgotten_cancel(const Request* request, const OwnerReport& report,
                                              std::optional<std::uint64_t> number, Channel channel) const noexcept {
  if (report.kind == OwnerReportKind::mass_cancelled) return true;
  return request == nullptr && channel == Channel::recovery && report.kind == OwnerReportKind::request_rejected &&
         number && records_.is_of_earlier_life(*number);
}

/// Ends of orders by a cancel that is no longer remembered, and busts of trades whose order is over, name the orders by
/// the venue's ids as well. False: the report is of none of them.
bool ExchangeToClient::apply_without_request(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  return mass_answers_.apply(user, report, code) || apply_to_order(user, report, code);
}

/// Whether the venue, which was taken for another one, has executed some of an order that was lost with it. All that it
/// ever said comes again then, so it is new only where less is left than is known; and where the order is the client's
/// latest one under that name, for another venue may have given its id to another order.
bool ExchangeToClient::is_late_fill_of(const Order& order, const OwnerReport& report) const noexcept {
  const market::Quantity remaining = order.terms.quantity - order.cumulative;
  return report.kind == OwnerReportKind::traded && order.state == OrderState::lost &&
         journal_.leftovers(order.user) != Leftovers::none &&
         number_of(report.client_order_id) == std::optional(order.current_request) &&
         report.instrument == order.instrument && report.side == order.terms.side && report.quantity.lots > 0 &&
         report.leaves.lots >= 0 && report.quantity + report.leaves <= remaining;
}

bool ExchangeToClient::apply_to_order(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  const auto [one, mass] = mass_answers_.find(user, report.client_order_id);
  std::optional<std::uint32_t> slot = records_.find_by_venue_id(user, report.order);
  if (!slot && one != nullptr) slot = mass_answers_.order_of(*one, user);
  if (!slot) return false;
  const bool is_bust = report.kind == OwnerReportKind::trade_cancelled;
  const bool is_end = report.kind == OwnerReportKind::cancelled || report.kind == OwnerReportKind::expired;
  const Order& order = std::as_const(records_).order_at(*slot);
  const bool is_late_fill = is_late_fill_of(order, report);
  if (!is_end && !is_bust && !is_late_fill) return false;
  Request* request = records_.find_request(order.current_request);
  Request forgotten = forgotten_request_of(order, *slot);
  if (request == nullptr && (is_bust || is_late_fill)) request = &forgotten;
  if (request == nullptr) return false;
  if (!is_late_fill && !is_plausible(report, *request, records_.wanted_by(*request), order)) return false;
  const std::string_view cause = is_late_fill ? k_late_fill_text
                                 : is_bust    ? std::string_view{}
                                              : mass_answers_.cause_text(order, report.client_order_id);
  [[maybe_unused]] const bool is_change_answered = apply_execution(*request, report);
  VenueReport venue_report{.request = *request, .report = report, .text = cause, .mass = mass};
  process_execution(venue_report, code);
  return true;
}

void ExchangeToClient::on_reject(std::uint32_t user, const mit::Reject& message, Time now) {
  ++counters_.reports;
  const ReasonText text = text_of(message.code, message.reason.view());
  const VenueReject reject{.code = message.code, .field = message.reason.view()};
  if (refuse_quote(user, number_of(message.client_order_id), order_reject::k_other, text.view(), now, &reject))
    return channels_.flush_all();
  Request* request = find_request(user, message.client_order_id, market::Side::none);
  if (request == nullptr && mass_answers_.apply_reject(user, message.client_order_id, reject, text.view(), now))
    return channels_.flush_all();
  if (request == nullptr || request->is_answered) {
    ++counters_.strays;
    return;
  }
  const std::uint64_t number = request->number;
  probe_.mark_report_in(number);
  OwnerReport report;
  report.time = now;
  const market::Reason reason = mit::reason_of(message.code);
  process({.request = *request,
           .report = report,
           .order_reason = order_reject_of(reason),
           .change_reason = cancel_reject_of(reason),
           .text = text.view(),
           .reject = &reject},
          OwnerReportKind::business_rejected);
  channels_.flush_all();
  probe_.mark_report_out(number);
}

void ExchangeToClient::refuse_unsent(std::uint64_t number, std::string_view text, Time now) {
  Request* const request = records_.find_request(number);
  DOJIMA_ASSERT(request != nullptr && !request->is_answered, "what was not sent has no answer", number);
  answer_for_venue(*request, text, now);
}

void ExchangeToClient::cancel_unsent(Request& cancel, Time now) {
  OwnerReport report;
  report.time = now;
  report.kind = OwnerReportKind::cancelled;
  const ClOrdId orig = records_.orig_of(cancel);
  const bool is_change_answered = lifecycle_.apply_execution(cancel, report);
  process({.request = cancel,
           .report = report,
           .text = "cancelled before it left for the venue",
           .is_change_answered = is_change_answered,
           .orig_cl_ord_id = orig.view()},
          report.kind);
  channels_.flush_all();
}

/// The slots of all requests that went through the user, or would have.
void ExchangeToClient::collect(std::uint32_t user) {
  slots_.clear();
  const Records& records = records_;
  for (const std::uint32_t client : users_.clients_of(user))
    for (std::uint32_t slot = records.first_request(client); slot != k_no_slot; slot = records.next_request(slot))
      if (records.order_at(records.request_at(slot).order).user == user) slots_.push_back(slot);
}

void ExchangeToClient::on_session_end(std::uint32_t user) {
  collect(user);
  lifecycle_.end_session(slots_);
  channels_.flush_all();
}

bool ExchangeToClient::settle(std::uint32_t user, Time now) {
  collect(user);
  return answer_unanswered(user, k_not_taken_text, now, true);
}

/// Of those that were collected; an answer may end others of them. False: for some there is no room now.
bool ExchangeToClient::answer_unanswered(std::uint32_t user, std::string_view text, Time now, bool is_counted) {
  for (const std::uint32_t slot : slots_) {
    const Request& request = std::as_const(records_).request_at(slot);
    if (!request.is_used || request.is_answered || request.is_chained) continue;
    DOJIMA_ASSERT(std::as_const(records_).order_at(request.order).user == user, "a request is one of the user's",
                  request.number, user);
    if (journal_.is_short_of_room()) return false;
    if (is_counted) ++counters_.settled;
    answer_for_venue(records_.request_at(slot), text, now);
  }
  return true;
}

bool ExchangeToClient::lose_orders(std::uint32_t user, Time now) {
  collect(user);
  if (!answer_unanswered(user, k_other_venue_text, now, false)) return false;
  OwnerReport report;
  report.time = now;
  for (const std::uint32_t slot : slots_) {
    const Request& named = std::as_const(records_).request_at(slot);
    if (!named.is_used) continue;
    const Order& order = std::as_const(records_).order_at(named.order);
    if (order.current_request != named.number || !is_open(order.state)) continue;
    if (journal_.is_short_of_room()) return false;
    ++counters_.lost_orders;
    process({.request = records_.request_at(slot), .report = report, .text = k_other_venue_text},
            OwnerReportKind::none);
    channels_.flush_all();
  }
  return true;
}

/// The venue never had the request, or refused it unheard.
void ExchangeToClient::answer_for_venue(Request& request, std::string_view text, Time now) {
  OwnerReport report;
  report.time = now;
  const bool is_new = request.kind == RequestKind::new_order;
  const QuoteAnswers::Answer answer = quote_answers_.answer_of(request);
  process({.request = request,
           .report = report,
           .order_reason = order_reject::k_other,
           .change_reason = cancel_reject::k_other,
           .text = text},
          is_new ? OwnerReportKind::rejected : OwnerReportKind::request_rejected);
  quote_answers_.report(answer, true, text, now);
  channels_.flush_all();
}

/// A refusal by the venue: of one side, or of both where it says none. A cancel of an order is no quote.
bool ExchangeToClient::apply_quote_refusal(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  const std::optional<std::uint64_t> number = number_of(report.client_order_id);
  if (!number || report.kind == OwnerReportKind::request_rejected) return false;
  const ReasonText text = text_of(code);
  const std::uint16_t reason = order_reject_of(report.reason);
  const VenueReject business{.by = VenueReject::By::business_reject, .code = code};
  const VenueReject* const reject = report.kind == OwnerReportKind::business_rejected ? &business : nullptr;
  if (report.side == market::Side::none) return refuse_quote(user, number, reason, text.view(), report.time, reject);
  const auto waits = [](const Request* of) {
    return of != nullptr && of->quote != QuoteSide::none && !of->is_answered;
  };
  Request* request = find_request(user, report.client_order_id, report.side);
  if (!waits(request)) {
    // Of a quote that takes back what the venue no longer has: it names the bid, whichever side there was.
    request = find_request(user, report.client_order_id, market::opposite(report.side));
    if (!waits(request) || request->kind != RequestKind::cancel) return false;
  }
  refuse_side(*request, reason, text.view(), report.time, reject);
  return true;
}

/// What the venue has refused without saying a side is both sides. False: the number is no quote's.
bool ExchangeToClient::refuse_quote(std::uint32_t user, std::optional<std::uint64_t> number, std::uint16_t reason,
                                    std::string_view text, Time now, const VenueReject* reject) {
  if (!number) return false;
  bool is_any = false;
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    Request* const request = request_of_side(records_, *number, side);
    const bool is_side = request != nullptr && request->quote != QuoteSide::none && !request->is_answered &&
                         std::as_const(records_).order_at(request->order).user == user;
    if (!is_side) continue;
    is_any = true;
    refuse_side(*request, reason, text, now, reject);
  }
  return is_any;
}

/// A new order is rejected; an order that is there lives on.
void ExchangeToClient::refuse_side(Request& request, std::uint16_t reason, std::string_view text, Time now,
                                   const VenueReject* reject) {
  const QuoteAnswers::Answer answer = quote_answers_.answer_of(request);
  OwnerReport report;
  report.time = now;
  const bool is_new = request.kind == RequestKind::new_order;
  process({.request = request,
           .report = report,
           .order_reason = reason,
           .change_reason = reason,
           .text = text,
           .reject = reject},
          is_new ? OwnerReportKind::rejected : OwnerReportKind::request_rejected);
  quote_answers_.report(answer, true, text, now, reject);
}

bool ExchangeToClient::apply_execution(Request& request, const OwnerReport& report) {
  if (report.kind == OwnerReportKind::trade_cancelled)
    journal_.note_bust({.execution = report.reference, .user = std::as_const(records_).order_at(request.order).user});
  return lifecycle_.apply_execution(request, report);
}

Request* ExchangeToClient::find_request(std::uint32_t user, const Text<20>& venue_id, market::Side side) {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  Request* request = number ? request_of_side(records_, *number, side) : nullptr;
  const bool is_of_user = request != nullptr && std::as_const(records_).order_at(request->order).user == user;
  return is_of_user ? request : nullptr;
}

/// Partition 0 and number 0 stand for "not numbered".
void ExchangeToClient::check_sequence(std::uint32_t user, const OwnerReport& report) const {
  if (report.partition == 0 || report.sequence.value == 0) return;
  const market::Sequence highest = channels_.venue(user).highest_sequence(report.partition);
  DOJIMA_ASSERT(report.sequence == highest, "a venue session delivers no report twice", user, report.partition,
                report.sequence, highest);
}

void ExchangeToClient::process(const VenueReport& venue_report, OwnerReportKind event) {
  const std::uint32_t slot = venue_report.request.order;
  const Time now = venue_report.report.time;
  Order& order = records_.order_at(slot);
  const std::uint32_t client = order.client;
  const bool was_open = is_open(order.state);
  const auto outcome = fsm::process<Machine, TranslatorEngine>(order.state, event, *this, venue_report);
  if (was_open && !is_open(outcome.to)) limits_.remove_open_order(client);
  DOJIMA_ASSERT(outcome.is_handled(), "what is plausible has a row", event, outcome.from);
  if (!chain_.entries(client).empty()) go_on_behind(slot, client, now);
}

/// Something was said of the order: changes that wait for that are looked at, or are too late.
void ExchangeToClient::go_on_behind(std::uint32_t slot, std::uint32_t client, Time now) {
  if (is_open(std::as_const(records_).order_at(slot).state)) return channels_.wake(client, Time{});
  for (std::size_t place = 0; place < chain_.entries(client).size();) {
    const ChainQueue::Entry entry = chain_.entries(client)[place];
    if (entry.order != slot) {
      ++place;
      continue;
    }
    chain_.remove(client, place);
    refuse_chained(entry.number, cancel_reject::k_too_late, "the order is closed", now);
  }
}

void ExchangeToClient::refuse_chained(std::uint64_t number, std::uint16_t reason, std::string_view text, Time now) {
  Request* const request = records_.find_request(number);
  DOJIMA_ASSERT(request != nullptr && !request->is_answered && request->is_chained, "a change that waits has no answer",
                number);
  const bool is_closed = !is_open(std::as_const(records_).order_at(request->order).state);
  OwnerReport report;
  report.time = now;
  reports_.reject_change({.request = *request, .report = report, .change_reason = reason, .text = text}, is_closed);
  channels_.flush_all();
}

bool ExchangeToClient::is_parked(const VenueReport& venue_report) const noexcept {
  return venue_report.report.status == market::OrderStatus::suspended;
}

bool ExchangeToClient::is_filled(const VenueReport& venue_report) const noexcept {
  return records_.order_at(venue_report.request.order).leaves().lots == 0;
}

bool ExchangeToClient::is_new_order(const VenueReport& venue_report) const noexcept {
  return venue_report.request.kind == RequestKind::new_order;
}

bool ExchangeToClient::is_venue_suspended(const VenueReport& venue_report) const noexcept {
  return venue_report.is_venue_suspended;
}

/// A new order never came to be.
bool ExchangeToClient::is_new_order_unavailable(const VenueReport& venue_report) const noexcept {
  return venue_report.is_venue_suspended && is_new_order(venue_report);
}

/// It ended while its venue session was down. How, only the venue's recovery can say.
bool ExchangeToClient::is_order_gone(const VenueReport& venue_report) const noexcept {
  return venue_report.change_reason == cancel_reject::k_unknown_order &&
         records_.order_at(venue_report.request.order).is_stale;
}

void ExchangeToClient::report(const VenueReport& venue_report) {
  reports_.report(venue_report, exec_type_of(venue_report.report.kind));
}

void ExchangeToClient::report_parked(const VenueReport& venue_report) {
  reports_.report(venue_report, '9');
}

void ExchangeToClient::report_closed(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  report(venue_report);
  lifecycle_.close_order(slot);
}

void ExchangeToClient::reject_order(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reports_.reject_order(venue_report);
  lifecycle_.close_order(slot);
}

void ExchangeToClient::reject_order_unavailable(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reports_.report_suspended(venue_report);
  lifecycle_.close_order(slot);
}

void ExchangeToClient::reject_change(const VenueReport& venue_report) {
  reports_.reject_change(venue_report, false);
}

void ExchangeToClient::reject_change_unavailable(const VenueReport& venue_report) {
  reports_.report_suspended(venue_report);
  lifecycle_.close_refused_change(venue_report.request);
}

void ExchangeToClient::reject_late_change(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reports_.reject_change(venue_report, true);
  lifecycle_.settle(slot);
}

void ExchangeToClient::reject_late_change_unavailable(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reject_change_unavailable(venue_report);
  lifecycle_.settle(slot);
}

void ExchangeToClient::lose_order(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reports_.reject_change(venue_report, false);
  lifecycle_.close_order(slot);
}

void ExchangeToClient::report_lost(const VenueReport& venue_report) {
  const std::uint32_t slot = venue_report.request.order;
  reports_.report_lost(venue_report);
  lifecycle_.close_order(slot);
}

}  // namespace dojima::gateway
