// The part of ExchangeToClient that is about quotes: which of the two requests under one number a report is about, and
// what the client is told of the quote as a whole.

#include <utility>

#include "dojima/gateway/messages/quote_reader.hpp"
#include "dojima/gateway/messages/quote_writer.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

}  // namespace

/// The venue knows both sides by the number of the bid.
Request* ExchangeToClient::request_of_side(std::uint64_t number, market::Side side) noexcept {
  Request* const named = records_.find_request(number);
  const bool is_ask = side == market::Side::sell;
  if (named != nullptr && !(named->quote == QuoteSide::bid && is_ask)) return named;
  Request* const ask = is_ask ? records_.find_request(number + 1) : nullptr;
  return ask != nullptr && ask->quote == QuoteSide::ask ? ask : nullptr;
}

ExchangeToClient::QuoteAnswer ExchangeToClient::quote_answer_of(const Request& request) const noexcept {
  if (request.quote == QuoteSide::none || request.is_answered) return {};
  const Order& order = std::as_const(records_).order_at(request.order);
  return {.other = request.quote == QuoteSide::bid ? request.number + 1 : request.number - 1,
          .id = records_.id_of(request),
          .client = request.client,
          .instrument = order.instrument,
          .side = request.quote,
          .wants_status = request.wants_status};
}

/// One side has been answered. When the other one has been, too, the client may hear of the quote as a whole.
void ExchangeToClient::tell_quote(const QuoteAnswer& answer, bool is_refused, std::string_view text, Time now) {
  if (answer.side == QuoteSide::none) return;
  Request* const other = records_.find_request(answer.other);
  const QuoteSide side = answer.side == QuoteSide::bid ? QuoteSide::ask : QuoteSide::bid;
  const bool is_waiting = other != nullptr && other->quote == side && !other->is_answered;
  if (is_waiting && !lifecycle_.close_idle_cancel(*other)) return;
  if (!is_refused && !answer.wants_status) return;
  const ReportForm& form = channels_.form(answer.client);
  fix::Writer writer = channels_.begin(answer.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = answer.id.view(),
                      .symbol = channels_.symbol_of(answer.instrument),
                      .status = is_refused ? QuoteStatus::rejected : QuoteStatus::accepted,
                      .reason = is_refused ? quote_reject::k_other : std::uint16_t{0},
                      .text = is_refused ? text : std::string_view{},
                      .time = now});
  channels_.send(answer.client, writer);
}

/// A refusal by the venue: of one side, or of both where it says none. A cancel of an order is no quote.
bool ExchangeToClient::apply_quote_refusal(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  const std::optional<std::uint64_t> number = number_of(report.client_order_id);
  if (!number || report.kind == OwnerReportKind::request_rejected) return false;
  const ReasonText text = text_of(code);
  const std::uint16_t reason = order_reject_of(report.reason);
  if (report.side == market::Side::none) return refuse_quote(user, number, reason, text.view(), report.time);
  const auto waits = [](const Request* of) {
    return of != nullptr && of->quote != QuoteSide::none && !of->is_answered;
  };
  Request* request = find_request(user, report.client_order_id, report.side);
  if (!waits(request)) {
    // Of a quote that takes back what the venue no longer has: it names the bid, whichever side there was.
    request = find_request(user, report.client_order_id, market::opposite(report.side));
    if (!waits(request) || request->kind != RequestKind::cancel) return false;
  }
  refuse_side(*request, reason, text.view(), report.time);
  return true;
}

/// What the venue has refused without saying a side is both sides. False: the number is no quote's.
bool ExchangeToClient::refuse_quote(std::uint32_t user, std::optional<std::uint64_t> number, std::uint16_t reason,
                                    std::string_view text, Time now) {
  if (!number) return false;
  bool is_any = false;
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    Request* const request = request_of_side(*number, side);
    const bool is_side = request != nullptr && request->quote != QuoteSide::none && !request->is_answered &&
                         std::as_const(records_).order_at(request->order).user == user;
    if (!is_side) continue;
    is_any = true;
    refuse_side(*request, reason, text, now);
  }
  return is_any;
}

/// A new order is rejected; an order that is there lives on.
void ExchangeToClient::refuse_side(Request& request, std::uint16_t reason, std::string_view text, Time now) {
  const QuoteAnswer answer = quote_answer_of(request);
  OwnerReport report;
  report.time = now;
  const bool is_new = request.kind == RequestKind::new_order;
  process({.request = request, .report = report, .order_reason = reason, .change_reason = reason, .text = text},
          is_new ? OwnerReportKind::rejected : OwnerReportKind::request_rejected);
  tell_quote(answer, true, text, now);
}

/// The order that a quote meant to change was over at the venue, which has entered another one.
void ExchangeToClient::follow_new_side(Request& request, const OwnerReport& report) {
  const bool says_order = report.kind == OwnerReportKind::accepted || report.kind == OwnerReportKind::traded ||
                          report.kind == OwnerReportKind::suspended;
  if (request.quote == QuoteSide::none || request.kind != RequestKind::replace || request.is_answered || !says_order)
    return;
  if (report.order == std::as_const(records_).order_at(request.order).order_id) return;
  if (!lifecycle_.enter_anew(request)) return;
  quotes_.set(request.order);
  limits_.add_open_order(request.client);
}

/// What the venue says of a mass cancel of quotes, once for each of its partitions.
void ExchangeToClient::report_quote_cancel(const MassCancelRequest& mass, const OwnerReport& report,
                                           std::string_view text) {
  const bool is_refused = report.reason != market::Reason::none;
  const ReportForm& form = channels_.form(mass.client);
  fix::Writer writer = channels_.begin(mass.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = mass.cl_ord_id.view(),
                      .symbol = mass.instrument == 0 ? std::string_view{} : channels_.symbol_of(mass.instrument),
                      .status = is_refused             ? QuoteStatus::rejected
                                : mass.instrument == 0 ? QuoteStatus::cancelled_all
                                                       : QuoteStatus::cancelled_for_symbol,
                      .reason = quote_reject::k_other,
                      .text = is_refused ? text : std::string_view{},
                      .time = report.time});
  channels_.send(mass.client, writer);
}

}  // namespace dojima::gateway
