#include "dojima/gateway/translator/status_requests.hpp"

#include "dojima/fix/business_reject.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/routes/order_names.hpp"

namespace dojima::gateway {
namespace {

constexpr std::string_view k_nothing;
constexpr char k_status = 'I';

}  // namespace

std::optional<std::uint32_t> StatusRequests::find(std::uint32_t client, const fix::MessageView& view) const noexcept {
  if (const auto text = view.find(tag::k_cl_ord_id)) {
    const Result<ClOrdId> id = ClOrdId::from(*text);
    if (id && id->view() == *text)
      if (const auto slot = records_.find_order(client, *id)) return slot;
  }
  return find_by_order_id(records_, users_, client, view.find(tag::k_order_id).value_or(k_nothing));
}

void StatusRequests::answer_order(std::uint32_t client, const fix::MessageView& view, Time now) {
  for (const fix::Tag tag : {tag::k_cl_ord_id, tag::k_ord_status_req_id})
    if (const Read fits = check_repeatable(view, tag); !fits) return channels_.send_reject(client, view, fits.error());
  const std::optional<std::uint32_t> slot = find(client, view);
  Execution execution{.type = k_status,
                      .exec_id = channels_.next_exec_id(),
                      .cl_ord_id = view.find(tag::k_cl_ord_id).value_or(k_nothing),
                      .status_request = view.find(tag::k_ord_status_req_id).value_or(k_nothing),
                      .time = now};
  if (slot) {
    const Order& order = records_.order_at(*slot);
    execution.cl_ord_id = records_.id_of(order).view();
    channels_.send_execution(order, execution);
    return;
  }
  execution.reject_reason = order_reject::k_unknown_order;
  execution.text = "unknown order";
  fix::Writer writer = channels_.begin(client, fix::type::k_execution_report);
  write_order_reject(writer, channels_.form(client), view, execution);
  channels_.send(client, writer);
}

std::optional<std::uint32_t> StatusRequests::instrument_of(const fix::MessageView& view, bool& is_known) const {
  const bool is_of_one = view.find(tag::k_mass_status_req_type) == "1";
  is_known = is_of_one || view.find(tag::k_mass_status_req_type) == "7";
  if (!is_of_one) return std::nullopt;
  const auto instrument = read_instrument(view, symbols_, k_new_order_reasons);
  is_known = instrument.has_value();
  return instrument ? std::optional(*instrument) : std::nullopt;
}

void StatusRequests::answer_all(std::uint32_t client, const fix::MessageView& view, Time now) {
  if (const Read fits = check_repeatable(view, tag::k_mass_status_req_id); !fits)
    return channels_.send_reject(client, view, fits.error());
  // The answer to the request before was paused: it ends first, and as long as it cannot this request has no answer.
  if (answers_[client].next != k_no_slot) report_orders(client, now);
  if (answers_[client].next != k_no_slot) return refuse_second(client, view);
  bool is_known = false;
  const std::optional<std::uint32_t> instrument = instrument_of(view, is_known);
  const std::string_view request_id = view.find(tag::k_mass_status_req_id).value_or(k_nothing);
  if (is_known) {
    MassAnswer& answer = answers_[client];
    answer = {.request_id = Text<64>::cut(request_id), .instrument = instrument};
    answer.next = find_meant(client, answer, 0);
    for (std::uint32_t slot = answer.next; slot != k_no_slot; slot = find_meant(client, answer, slot + 1))
      ++answer.total;
    if (answer.total != 0) return report_orders(client, now);
  }
  const auto reason = is_known ? order_reject::k_unknown_order : order_reject::k_unsupported_characteristic;
  const std::string_view text =
      is_known ? "no open orders" : "MassStatusReqType 7, or 1 of a known instrument, is supported";
  report_none(client, view, {.reject_reason = reason, .text = text, .mass_request = request_id, .time = now});
}

/// The last report of an answer, about no order.
void StatusRequests::report_none(std::uint32_t client, const fix::MessageView& view, Execution execution) {
  execution.type = k_status;
  execution.exec_id = channels_.next_exec_id();
  execution.is_last_report = true;
  fix::Writer writer = channels_.begin(client, fix::type::k_execution_report);
  write_order_reject(writer, channels_.form(client), view, execution);
  channels_.send(client, writer);
}

void StatusRequests::refuse_second(std::uint32_t client, const fix::MessageView& view) {
  constexpr auto k_not_available = static_cast<std::uint16_t>(fix::BusinessRejectReason::application_not_available);
  channels_.send_reject(client, view,
                        {.answer = Refusal::Answer::business,
                         .reason = k_not_available,
                         .text = "another OrderMassStatusRequest(AF) is being answered"});
}

std::uint32_t StatusRequests::find_meant(std::uint32_t client, const MassAnswer& answer,
                                         std::uint32_t slot) const noexcept {
  for (; slot < records_.order_capacity(); ++slot) {
    if (!records_.has_order(slot)) continue;
    const Order& order = records_.order_at(slot);
    const bool is_meant = order.client == client && is_open(order.state);
    if (is_meant && (!answer.instrument || order.instrument == *answer.instrument)) return slot;
  }
  return k_no_slot;
}

/// Nobody is read while the journal is short of room, so hardly an order ends meanwhile; the last report is the last
/// one all the same, about no order where none is left.
void StatusRequests::report_orders(std::uint32_t client, Time now) {
  MassAnswer& answer = answers_[client];
  if (channels_.is_short_of_room()) return;
  answer.next = find_meant(client, answer, answer.next);
  if (answer.next == k_no_slot)
    return report_none(client, {},
                       {.reject_reason = order_reject::k_unknown_order,
                        .text = "the orders that are not reported have ended meanwhile",
                        .mass_request = answer.request_id.view(),
                        .total_reports = answer.total,
                        .time = now});
  while (answer.next != k_no_slot && !channels_.is_short_of_room()) {
    const Order& order = records_.order_at(answer.next);
    answer.next = find_meant(client, answer, answer.next + 1);
    channels_.send_execution(order, {.type = k_status,
                                     .exec_id = channels_.next_exec_id(),
                                     .cl_ord_id = records_.id_of(order).view(),
                                     .mass_request = answer.request_id.view(),
                                     .total_reports = answer.total,
                                     .is_last_report = answer.next == k_no_slot,
                                     .time = now});
  }
}

void StatusRequests::go_on(Time now) {
  for (std::uint32_t client = 0; client < answers_.size(); ++client) {
    if (answers_[client].next == k_no_slot) continue;
    report_orders(client, now);
    channels_.flush_all();
  }
}

}  // namespace dojima::gateway
