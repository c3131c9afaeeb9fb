#include "dojima/gateway/translator/client_reports.hpp"

#include <string_view>
#include <utility>

#include "dojima/fix/business_reject.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport;

constexpr std::string_view k_stale_text = "the venue session was lost: executions may be missing";

/// MsgType(35) of the client's message.
[[nodiscard]] fix::MsgType type_of(RequestKind kind) noexcept {
  return kind == RequestKind::new_order ? fix::type::k_new_order_single
         : kind == RequestKind::cancel  ? fix::type::k_order_cancel_request
                                        : fix::type::k_order_cancel_replace_request;
}

}  // namespace

void ClientReports::report(const VenueReport& venue_report, char exec_type) {
  const Order& order = std::as_const(parts_.records).order_at(venue_report.request.order);
  if (order.is_stale) [[unlikely]]
    report_of_stale(venue_report, exec_type);
  else
    report_with(venue_report, exec_type, venue_report.text);
}

/// Of an order of which executions may be missing, behind what there is to say anyway.
void ClientReports::report_of_stale(const VenueReport& venue_report, char exec_type) {
  ReasonText text;
  text.add(venue_report.text).add(venue_report.text.empty() ? "" : "; ").add(k_stale_text);
  report_with(venue_report, exec_type, text.view());
}

void ClientReports::report_with(const VenueReport& venue_report, char exec_type, std::string_view text) {
  const OwnerReport& report = venue_report.report;
  Request& request = venue_report.request;
  const Order& order = parts_.records.order_at(request.order);
  const bool is_cancel = request.kind == RequestKind::cancel;
  std::string_view id = parts_.records.text(is_cancel ? request.cl_ord_id : order.cl_ord_id).view();
  std::string_view orig = venue_report.is_change_answered ? venue_report.orig_cl_ord_id : std::string_view{};
  if (venue_report.mass != nullptr && !venue_report.mass->is_of_quotes) {
    id = venue_report.mass->cl_ord_id.view();
    orig = parts_.records.id_of(order).view();
  }
  Identifier exec_id;
  parts_.channels.send_execution(order, {.type = exec_type,
                                         .exec_id = parts_.channels.exec_id_of(order.user, report.execution, exec_id),
                                         .cl_ord_id = id,
                                         .orig_cl_ord_id = orig,
                                         .text = text,
                                         .venue = parts_.users[order.user].venue,
                                         .time = report.time,
                                         .report = &report});
  if (is_cancel) {
    parts_.lifecycle.answer(request);
    parts_.lifecycle.close_change(request);
  }
}

void ClientReports::reject_order(const VenueReport& venue_report) {
  const OwnerReport& report = venue_report.report;
  const std::uint32_t slot = venue_report.request.order;
  const Order& order = parts_.records.order_at(slot);
  // Of a quote it is the quote that is refused, once.
  if (venue_report.request.quote == QuoteSide::none)
    parts_.channels.note_reject(venue_report.request.client, venue_report.text);
  parts_.lifecycle.answer(venue_report.request);
  if (report.order.value != 0) parts_.records.set_venue_id(slot, report.order);
  if (is_sent_as_reject(venue_report)) return send_reject(venue_report);
  Identifier exec_id;
  parts_.channels.send_execution(order, {.type = '8',
                                         .exec_id = parts_.channels.exec_id_of(order.user, report.execution, exec_id),
                                         .cl_ord_id = parts_.records.id_of(venue_report.request).view(),
                                         .reject_reason = venue_report.order_reason,
                                         .text = venue_report.text,
                                         .time = report.time});
}

void ClientReports::reject_change(const VenueReport& venue_report, bool is_closed) {
  Request& request = venue_report.request;
  const Order& order = parts_.records.order_at(request.order);
  parts_.lifecycle.answer(request);
  // The quote is reported to the client as a whole.
  if (request.quote != QuoteSide::none) return parts_.lifecycle.close_refused_change(request);
  parts_.channels.note_reject(request.client, venue_report.text);
  if (is_sent_as_reject(venue_report)) {
    send_reject(venue_report);
    return parts_.lifecycle.close_refused_change(request);
  }
  const bool is_unknown = venue_report.change_reason == cancel_reject::k_unknown_order;
  fix::Writer writer = parts_.channels.begin_about(order, fix::type::k_order_cancel_reject);
  write_cancel_reject(writer, parts_.channels.form(request.client),
                      {.order = is_unknown && !is_closed ? nullptr : &order,
                       .cl_ord_id = parts_.records.id_of(request).view(),
                       .orig_cl_ord_id = parts_.records.orig_of(request).view(),
                       .response_to = request.kind == RequestKind::cancel ? '1' : '2',
                       .reason = is_closed ? cancel_reject::k_too_late : venue_report.change_reason,
                       .text = venue_report.text,
                       .time = venue_report.report.time});
  parts_.channels.send(request.client, writer);
  parts_.lifecycle.close_refused_change(request);
}

void ClientReports::report_suspended(const VenueReport& venue_report) {
  Request& request = venue_report.request;
  parts_.channels.note_reject(request.client, venue_report.text);
  parts_.lifecycle.answer(request);
  fix::Writer writer = parts_.channels.begin_about(std::as_const(parts_.records).order_at(request.order),
                                                   fix::type::k_business_message_reject);
  writer.field(tag::k_ref_seq_num, request.client_sequence)
      .field(tag::k_ref_msg_type, fix::text_of(type_of(request.kind)).view())
      .field(tag::k_business_reject_ref_id, parts_.records.id_of(request).view())
      .field(tag::k_business_reject_reason, static_cast<unsigned>(fix::BusinessRejectReason::application_not_available))
      .field(tag::k_text, venue_report.text);
  parts_.channels.send(request.client, writer);
}

bool ClientReports::is_sent_as_reject(const VenueReport& venue_report) const noexcept {
  return venue_report.reject != nullptr && parts_.channels.form(venue_report.request.client).has_rejects;
}

/// Of a quote it is sent once, for the quote as a whole.
void ClientReports::send_reject(const VenueReport& venue_report) {
  const Request& request = venue_report.request;
  if (request.quote != QuoteSide::none) return;
  const Order& order = std::as_const(parts_.records).order_at(request.order);
  fix::Writer writer = parts_.channels.begin_about(order, reject_type_of(*venue_report.reject));
  write_reject(writer, parts_.channels.form(request.client).version, *venue_report.reject,
               {.sequence = request.client_sequence,
                .type = type_of(request.kind),
                .id = parts_.records.id_of(request).view(),
                .time_in_force = order.terms.time_in_force},
               venue_report.text);
  parts_.channels.send(request.client, writer);
}

/// Nobody cancelled it, but FIX has no better word for an order that is nowhere.
void ClientReports::report_lost(const VenueReport& venue_report) {
  const Order& order = std::as_const(parts_.records).order_at(venue_report.request.order);
  parts_.channels.send_execution(order, {.type = '4',
                                         .exec_id = parts_.channels.next_exec_id(),
                                         .cl_ord_id = parts_.records.id_of(order).view(),
                                         .text = venue_report.text,
                                         .time = venue_report.report.time});
}

}  // namespace dojima::gateway
