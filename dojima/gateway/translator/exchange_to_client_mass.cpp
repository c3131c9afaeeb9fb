// The part of ExchangeToClient that is about reports without a request of their own: those of mass cancels, of the
// clients' and of the gateway's own, whether the venue or the gateway carries them out, and of orders that are over.

#include <optional>
#include <utility>

#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/report_check.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

}  // namespace

/// Answers to a mass cancel carry its number, and name the orders by the venue's ids; so do ends of orders by one that
/// is no longer remembered, and busts of trades whose order is over. Cancels of the gateway's own, one for each order
/// of a client that shares its user, have numbers too. False: the report is of none of them.
bool ExchangeToClient::apply_without_request(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  if (is_refusal(report.kind) &&
      refuse_order_cancel(user, report.client_order_id, report.reason, text_of(code).view(), report.time))
    return true;
  const std::optional<std::uint64_t> number = number_of(report.client_order_id);
  const OrderCancel* const one = number ? order_cancels_.find(*number) : nullptr;
  const MassCancelRequest* mass = find_mass(number, one);
  if (mass != nullptr && one == nullptr && mass->user != user) mass = nullptr;
  if (mass == nullptr && apply_own_mass_cancel(user, report)) return true;
  if (mass != nullptr && report.kind == OwnerReportKind::mass_cancelled) {
    report_mass_cancel(*mass, report, code);
    return true;
  }
  if (mass != nullptr && report.kind == OwnerReportKind::request_rejected) {
    reject_one_of_many(*mass, records_.find_by_venue_id(user, report.order), report.reason, text_of(code).view(),
                       report.time);
    return true;
  }
  return apply_to_order(user, report, one, mass);
}

bool ExchangeToClient::apply_to_order(std::uint32_t user, const OwnerReport& report, const OrderCancel* one,
                                      const MassCancelRequest* mass) {
  std::optional<std::uint32_t> slot = records_.find_by_venue_id(user, report.order);
  if (!slot && one != nullptr) slot = order_of(*one, user);
  const bool is_bust = report.kind == OwnerReportKind::trade_cancelled;
  if (!slot || (report.kind != OwnerReportKind::cancelled && !is_bust)) return false;
  const Order& order = std::as_const(records_).order_at(*slot);
  Request* request = records_.find_request(order.current_request);
  Request forgotten{.cl_ord_id = order.cl_ord_id,
                    .order = *slot,
                    .client = static_cast<std::uint16_t>(order.client),
                    .is_answered = true};
  if (request == nullptr && is_bust) request = &forgotten;
  if (request == nullptr || !is_plausible(report, *request, records_.wanted_by(*request), order)) return false;
  const std::string_view cause = is_bust ? std::string_view{} : cause_text(order, report.client_order_id);
  [[maybe_unused]] const bool is_change_answered = apply_execution(*request, report);
  process({.request = *request, .report = report, .text = cause, .mass = mass}, report.kind);
  return true;
}

/// The client's mass cancel of that number, or that the cancel of one order belongs to; null: none, or forgotten.
const MassCancelRequest* ExchangeToClient::find_mass(std::optional<std::uint64_t> number,
                                                     const OrderCancel* one) const noexcept {
  if (one != nullptr) number = one->mass;
  return number ? mass_cancels_.find(*number) : nullptr;
}

/// None: another order has its place by now.
std::optional<std::uint32_t> ExchangeToClient::order_of(const OrderCancel& one, std::uint32_t user) const noexcept {
  const Order& order = std::as_const(records_).order_at(one.order);
  const bool is_there = records_.has_order(one.order) && order.generation == one.generation && order.user == user;
  return is_there ? std::optional(one.order) : std::nullopt;
}

/// A cancel of one order, of the gateway's own making, was refused. A client that wanted it is told; one that did not
/// is tried again.
bool ExchangeToClient::refuse_order_cancel(std::uint32_t user, const Text<20>& venue_id, market::Reason reason,
                                           std::string_view text, Time now) {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  const OrderCancel* const one = number ? order_cancels_.find(*number) : nullptr;
  if (one == nullptr) return false;
  const std::optional<std::uint32_t> slot = order_of(*one, user);
  const MassCancelRequest* const mass = find_mass(number, one);
  if (mass != nullptr)
    reject_one_of_many(*mass, slot, reason, text, now);
  else if (!one->mass && slot)
    note_own_refusal(std::as_const(records_).order_at(*slot).client);
  return true;
}

/// What the venue says of a mass cancel of the gateway's own, but for the orders that ended: nothing for the client.
/// One that was refused is sent again.
bool ExchangeToClient::apply_own_mass_cancel(std::uint32_t user, const OwnerReport& report) {
  const bool is_answer = report.kind == OwnerReportKind::mass_cancelled || is_refusal(report.kind);
  const std::optional<std::uint32_t> client =
      is_answer ? owner_of_mass_cancel(user, report.client_order_id) : std::nullopt;
  if (!client) return false;
  const bool is_done = report.kind == OwnerReportKind::mass_cancelled && report.reason == market::Reason::none;
  if (!is_done) note_own_refusal(*client);
  return true;
}

/// The client whose orders the gateway's own mass cancel meant; none: it is no such number.
std::optional<std::uint32_t> ExchangeToClient::owner_of_mass_cancel(std::uint32_t user,
                                                                    const Text<20>& venue_id) const noexcept {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  for (const std::uint32_t client : users_.clients_of(user)) {
    const std::uint64_t own = states_[client].presence.number;
    if (own != 0 && number == own) return client;
  }
  return std::nullopt;
}

void ExchangeToClient::note_own_refusal(std::uint32_t client) {
  ClientPresence& presence = states_[client].presence;
  ++counters_.cancels_refused;
  if (presence.stage != CancelStage::sent) return;
  presence.stage = CancelStage::again;
  journal_.note_state(client);
  channels_.wake(client, Time{});
}

/// Of an order that has ended by what the gateway itself sent under that number: one mass cancel, or cancels of those
/// orders that were older than it, with higher numbers.
std::string_view ExchangeToClient::cause_text(const Order& order, const Text<20>& venue_id) const noexcept {
  const ClientPresence& presence = states_[order.client].presence;
  const std::optional<std::uint64_t> number = number_of(venue_id);
  if (presence.number == 0 || !number) return {};
  const OrderCancel* const one = order_cancels_.find(*number);
  const bool is_clients = find_mass(number, one) != nullptr;
  const bool is_one_of_them = !users_.is_alone(order.client) && !is_clients && *number > presence.number &&
                              order.current_request < presence.number;
  return number == presence.number || is_one_of_them ? text_of(presence.cause) : std::string_view{};
}

/// One from each partition.
void ExchangeToClient::report_mass_cancel(const MassCancelRequest& mass, const OwnerReport& report, std::int32_t code) {
  constexpr int k_unknown_security = 1, k_other = 99;  // MassCancelRejectReason(532)
  int reason = -1;
  if (report.reason != market::Reason::none)
    reason = report.reason == market::Reason::unknown_instrument ? k_unknown_security : k_other;
  const ReasonText text = text_of(code);
  if (mass.is_of_quotes) return report_quote_cancel(mass, report, text.view());
  fix::Writer writer = channels_.begin(mass.client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, channels_.form(mass.client),
                           {.report_id = channels_.next_exec_id(),
                            .cl_ord_id = mass.cl_ord_id.view(),
                            .type = mass.type.view(),
                            .reject_reason = reason,
                            .partition = report.partition,
                            .text = reason < 0 ? std::string_view{} : text.view(),
                            .time = report.time});
  channels_.send(mass.client, writer);
}

/// An order that the mass cancel meant and could not end; none: nobody knows which.
void ExchangeToClient::reject_one_of_many(const MassCancelRequest& mass, std::optional<std::uint32_t> slot,
                                          market::Reason reason, std::string_view text, Time now) {
  const Order* order = slot ? &std::as_const(records_).order_at(*slot) : nullptr;
  if (order != nullptr && order->client != mass.client) order = nullptr;
  fix::Writer writer = channels_.begin(mass.client, fix::type::k_order_cancel_reject);
  write_cancel_reject(writer, channels_.form(mass.client),
                      {.order = order,
                       .cl_ord_id = mass.cl_ord_id.view(),
                       .orig_cl_ord_id = order == nullptr ? mass.cl_ord_id.view() : records_.id_of(*order).view(),
                       .response_to = '1',
                       .reason = cancel_reject_of(reason),
                       .text = text,
                       .time = now});
  channels_.send(mass.client, writer);
}

}  // namespace dojima::gateway
