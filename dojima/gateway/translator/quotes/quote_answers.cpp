#include "dojima/gateway/translator/quotes/quote_answers.hpp"

#include <utility>

#include "dojima/gateway/messages/quote_reader.hpp"
#include "dojima/gateway/messages/quote_writer.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

}  // namespace

Request* request_of_side(Records& records, std::uint64_t number, market::Side side) noexcept {
  Request* const named = records.find_request(number);
  const bool is_ask = side == market::Side::sell;
  if (named != nullptr && !(named->quote == QuoteSide::bid && is_ask)) return named;
  Request* const ask = is_ask ? records.find_request(number + 1) : nullptr;
  return ask != nullptr && ask->quote == QuoteSide::ask ? ask : nullptr;
}

QuoteAnswers::Answer QuoteAnswers::answer_of(const Request& request) const noexcept {
  if (request.quote == QuoteSide::none || request.is_answered) return {};
  const Order& order = std::as_const(parts_.records).order_at(request.order);
  return {.other = request.quote == QuoteSide::bid ? request.number + 1 : request.number - 1,
          .id = parts_.records.id_of(request),
          .client_sequence = request.client_sequence,
          .client = request.client,
          .instrument = order.instrument,
          .side = request.quote,
          .wants_status = request.wants_status};
}

void QuoteAnswers::report(const Answer& answer, bool is_refused, std::string_view text, time::Time now,
                          const VenueReject* reject) {
  if (answer.side == QuoteSide::none) return;
  Request* const other = parts_.records.find_request(answer.other);
  const QuoteSide side = answer.side == QuoteSide::bid ? QuoteSide::ask : QuoteSide::bid;
  const bool is_waiting = other != nullptr && other->quote == side && !other->is_answered;
  if (is_waiting && !parts_.lifecycle.close_idle_cancel(*other)) return;
  if (!is_refused && !answer.wants_status) return;
  if (is_refused) parts_.channels.note_reject(answer.client, text);
  const ReportForm& form = parts_.channels.form(answer.client);
  if (reject != nullptr && form.has_rejects) return send_reject(answer, text, *reject);
  fix::Writer writer = parts_.channels.begin(answer.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = answer.id.view(),
                      .symbol = parts_.channels.symbol_of(answer.instrument),
                      .status = is_refused ? QuoteStatus::rejected : QuoteStatus::accepted,
                      .reason = is_refused ? quote_reject::k_other : std::uint16_t{0},
                      .text = is_refused ? text : std::string_view{},
                      .time = now});
  parts_.channels.send(answer.client, writer);
}

void QuoteAnswers::send_reject(const Answer& answer, std::string_view text, const VenueReject& reject) {
  fix::Writer writer = parts_.channels.begin(answer.client, reject_type_of(reject));
  write_reject(writer, parts_.channels.form(answer.client).version, reject,
               {.sequence = answer.client_sequence, .type = fix::type::k_quote, .id = answer.id.view()}, text);
  parts_.channels.send(answer.client, writer);
}

void QuoteAnswers::follow_new_side(Request& request, const OwnerReport& report) {
  const bool says_order = report.kind == OwnerReportKind::accepted || report.kind == OwnerReportKind::traded ||
                          report.kind == OwnerReportKind::suspended;
  if (request.quote == QuoteSide::none || request.kind != RequestKind::replace || request.is_answered || !says_order)
    return;
  if (report.order == std::as_const(parts_.records).order_at(request.order).order_id) return;
  if (!parts_.lifecycle.enter_anew(request)) return;
  parts_.quotes.set(request.order);
  parts_.limits.add_open_order(request.client);
}

void report_quote_cancel(ClientChannels& channels, const MassCancelRequest& mass, bool is_refused,
                         std::string_view text, time::Time now) {
  if (is_refused) channels.note_reject(mass.client, text);
  const ReportForm& form = channels.form(mass.client);
  fix::Writer writer = channels.begin(mass.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = mass.cl_ord_id.view(),
                      .symbol = mass.instrument == 0 ? std::string_view{} : channels.symbol_of(mass.instrument),
                      .status = is_refused             ? QuoteStatus::rejected
                                : mass.instrument == 0 ? QuoteStatus::cancelled_all
                                                       : QuoteStatus::cancelled_for_symbol,
                      .reason = quote_reject::k_other,
                      .text = is_refused ? text : std::string_view{},
                      .time = now});
  channels.send(mass.client, writer);
}

}  // namespace dojima::gateway
