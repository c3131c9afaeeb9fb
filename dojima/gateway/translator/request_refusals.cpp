#include "dojima/gateway/translator/request_refusals.hpp"

#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

RefusedFor refused_for_of_order(std::uint16_t reason) noexcept {
  switch (reason) {
    case order_reject::k_unknown_symbol:
      return RefusedFor::unknown_symbol;
    case order_reject::k_unknown_order:
      return RefusedFor::unknown_order;
    case order_reject::k_duplicate:
      return RefusedFor::duplicate;
    case order_reject::k_unsupported_characteristic:
      return RefusedFor::not_supported;
    case order_reject::k_incorrect_quantity:
      return RefusedFor::quantity;
    default:
      return RefusedFor::other;
  }
}

RefusedFor refused_for_of_change(std::uint16_t reason) noexcept {
  switch (reason) {
    case cancel_reject::k_too_late:
      return RefusedFor::too_late;
    case cancel_reject::k_unknown_order:
      return RefusedFor::unknown_order;
    case cancel_reject::k_exchange_option:
      return RefusedFor::not_supported;
    case cancel_reject::k_pending:
      return RefusedFor::pending;
    case cancel_reject::k_duplicate:
      return RefusedFor::duplicate;
    default:
      return RefusedFor::other;
  }
}

}  // namespace

void RequestRefusals::refuse(const ClientMessage& message, const Refusal& read) {
  const RefusalText text = text_of(read);
  const Refusal refusal = with_text(read, text);
  const bool is_new = message.view.msg_type() == fix::type::k_new_order_single;
  parts_.counters.count_refusal(
      refused_for(refusal, is_new ? refused_for_of_order(refusal.reason) : refused_for_of_change(refusal.reason)));
  parts_.channels.note_reject(message.client, message.view, refusal);
  if (refusal.answer != Refusal::Answer::report)
    parts_.channels.send_reject(message.client, message.view, refusal);
  else if (message.view.msg_type() == fix::type::k_new_order_single)
    send_order_reject(message, refusal);
  else
    send_cancel_reject(message, refusal);
  if (message.number) parts_.probe.mark_report_out(*message.number);
}

/// ExecutionReport(8) of an order that has no record.
void RequestRefusals::send_order_reject(const ClientMessage& message, const Refusal& refusal) {
  fix::Writer writer = parts_.channels.begin(message.client, fix::type::k_execution_report);
  write_order_reject(writer, parts_.channels.form(message.client), message.view,
                     {.type = '8',
                      .exec_id = parts_.channels.next_exec_id(),
                      .cl_ord_id = message.text(tag::k_cl_ord_id),
                      .reject_reason = refusal.reason,
                      .text = refusal.text,
                      .time = message.now});
  parts_.channels.send(message.client, writer);
}

void RequestRefusals::send_cancel_reject(const ClientMessage& message, const Refusal& refusal) {
  const bool is_cancel = message.view.msg_type() == fix::type::k_order_cancel_request;
  const bool is_unknown = refusal.reason == cancel_reject::k_unknown_order;
  // Without 41 it is the own id of the order that OrderID(37) names, if there is one.
  const std::string_view written = message.text(tag::k_orig_cl_ord_id);
  fix::Writer writer = parts_.channels.begin(message.client, fix::type::k_order_cancel_reject);
  write_cancel_reject(writer, parts_.channels.form(message.client),
                      {.order = message.order && !is_unknown ? &parts_.records.order_at(*message.order) : nullptr,
                       .cl_ord_id = message.text(tag::k_cl_ord_id),
                       .orig_cl_ord_id = written.empty() ? message.orig.view() : written,
                       .response_to = is_cancel ? '1' : '2',
                       .reason = refusal.reason,
                       .text = refusal.text,
                       .time = message.now});
  parts_.channels.send(message.client, writer);
}

void RequestRefusals::answer_possible_resend(const ClientMessage& message) {
  parts_.counters.count_refusal(RefusedFor::sent_before);
  const Order& order = parts_.records.order_at(*parts_.records.find_order(message.client, message.id));
  parts_.channels.send_execution(order, {.type = 'I',
                                         .exec_id = parts_.channels.next_exec_id(),
                                         .cl_ord_id = message.text(tag::k_cl_ord_id),
                                         .text = "known order, sent before",
                                         .time = message.now});
  if (message.number) parts_.probe.mark_report_out(*message.number);
}

}  // namespace dojima::gateway
