#include "dojima/gateway/translator/mass_cancel_answers.hpp"

#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/quotes/quote_answers.hpp"
#include "dojima/gateway/translator/venue_report.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

/// MassCancelRejectReason(532) of a segment that the venue does not know.
[[nodiscard]] int segment_reject_in(FixVersion version) noexcept {
  constexpr int k_unknown_segment = 8, k_other = 99;
  return version == FixVersion::fix_5_0_sp2 ? k_unknown_segment : k_other;
}

}  // namespace

/// Answers to a mass cancel carry its number, and name the orders by the venue's ids. Cancels of the gateway's own, one
/// for each order of a client that shares its user, have numbers too.
bool MassCancelAnswers::apply(std::uint32_t user, const OwnerReport& report, std::int32_t code) {
  if (is_refusal(report.kind) &&
      refuse_order_cancel(user, report.client_order_id, report.reason, text_of(code).view(), report.time))
    return true;
  const MassCancelRequest* const mass = find(user, report.client_order_id).mass;
  if (mass == nullptr && apply_own(user, report)) return true;
  if (mass != nullptr && report.kind == OwnerReportKind::mass_cancelled) {
    report_mass_cancel(*mass, report, code);
    return true;
  }
  if (mass != nullptr && report.kind == OwnerReportKind::business_rejected) {
    reject_mass_cancel(*mass, {.by = VenueReject::By::business_reject, .code = code}, text_of(code).view(),
                       report.time);
    return true;
  }
  if (mass != nullptr && report.kind == OwnerReportKind::request_rejected) {
    reject_one_of_many(*mass, parts_.records.find_by_venue_id(user, report.order), report.reason, text_of(code).view(),
                       report.time);
    return true;
  }
  return false;
}

MassCancelAnswers::Cause MassCancelAnswers::find(std::uint32_t user, const Text<20>& venue_id) const noexcept {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  const OrderCancel* const one = number ? parts_.order_cancels.find(*number) : nullptr;
  const MassCancelRequest* mass = find_mass(number, one);
  if (mass != nullptr && one == nullptr && mass->user != user) mass = nullptr;
  return {.one = one, .mass = mass};
}

bool MassCancelAnswers::apply_reject(std::uint32_t user, const Text<20>& venue_id, const VenueReject& reject,
                                     std::string_view text, time::Time now) {
  const std::optional<std::uint32_t> owner = owner_of(user, venue_id);
  if (owner) note_refusal(*owner);
  if (owner || refuse_order_cancel(user, venue_id, mit::reason_of(reject.code), text, now)) return true;
  const MassCancelRequest* const mass = find(user, venue_id).mass;
  if (mass != nullptr) reject_mass_cancel(*mass, reject, text, now);
  return mass != nullptr;
}

/// A client's mass cancel, or its cancel of quotes, of which the venue has done nothing: in that partition, where it
/// has several.
void MassCancelAnswers::reject_mass_cancel(const MassCancelRequest& mass, const VenueReject& reject,
                                           std::string_view text, time::Time now) {
  constexpr int k_other = 99;  // MassCancelRejectReason(532)
  const ReportForm& form = parts_.channels.form(mass.client);
  const bool is_suspended = is_suspension(reject);
  if (mass.is_of_quotes && !form.has_rejects) return report_quote_cancel(parts_.channels, mass, true, text, now);
  parts_.channels.note_reject(mass.client, text);
  if (form.has_rejects || is_suspended) {
    fix::Writer writer = parts_.channels.begin(mass.client, reject_type_of(reject));
    write_reject(writer, form.version, reject,
                 {.sequence = mass.client_sequence,
                  .type = mass.is_of_quotes ? fix::type::k_quote_cancel : fix::type::k_order_mass_cancel_request,
                  .id = mass.cl_ord_id.view()},
                 text);
    return parts_.channels.send(mass.client, writer);
  }
  fix::Writer writer = parts_.channels.begin(mass.client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, form,
                           {.report_id = parts_.channels.next_exec_id(),
                            .cl_ord_id = mass.cl_ord_id.view(),
                            .type = mass.type.view(),
                            .reject_reason = k_other,
                            .text = text,
                            .time = now});
  parts_.channels.send(mass.client, writer);
}

/// Cancels of the gateway's own, order by order, are answered one by one, unlike mass cancels; which of both it was may
/// be forgotten.
bool MassCancelAnswers::can_answer_one(std::uint32_t user, const Text<20>& venue_id) const noexcept {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  const bool is_of_mass = number && parts_.mass_cancels.find(*number) != nullptr;
  return !is_of_mass && !owner_of(user, venue_id);
}

/// The client's mass cancel of that number, or that the cancel of one order belongs to; null: none, or forgotten.
const MassCancelRequest* MassCancelAnswers::find_mass(std::optional<std::uint64_t> number,
                                                      const OrderCancel* one) const noexcept {
  if (one != nullptr) number = one->mass;
  return number ? parts_.mass_cancels.find(*number) : nullptr;
}

/// None: another order has its place by now.
std::optional<std::uint32_t> MassCancelAnswers::order_of(const OrderCancel& one, std::uint32_t user) const noexcept {
  const Order& order = parts_.records.order_at(one.order);
  const bool is_there = parts_.records.has_order(one.order) && order.generation == one.generation && order.user == user;
  return is_there ? std::optional(one.order) : std::nullopt;
}

/// A cancel of one order that the gateway itself had sent was refused. The refusal is reported to a client that had
/// asked for it; otherwise the cancel is tried again.
bool MassCancelAnswers::refuse_order_cancel(std::uint32_t user, const Text<20>& venue_id, market::Reason reason,
                                            std::string_view text, time::Time now) {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  const OrderCancel* const one = number ? parts_.order_cancels.find(*number) : nullptr;
  if (one == nullptr) return false;
  const std::optional<std::uint32_t> slot = order_of(*one, user);
  const MassCancelRequest* const mass = find_mass(number, one);
  if (mass != nullptr)
    reject_one_of_many(*mass, slot, reason, text, now);
  else if (!one->mass && slot)
    note_refusal(parts_.records.order_at(*slot).client);
  return true;
}

/// What the venue says of a mass cancel of the gateway's own, but for the orders that ended: nothing for the client.
/// One that was refused is sent again.
bool MassCancelAnswers::apply_own(std::uint32_t user, const OwnerReport& report) {
  const bool is_answer = report.kind == OwnerReportKind::mass_cancelled || is_refusal(report.kind);
  const std::optional<std::uint32_t> client = is_answer ? owner_of(user, report.client_order_id) : std::nullopt;
  if (!client) return false;
  const bool is_done = report.kind == OwnerReportKind::mass_cancelled && report.reason == market::Reason::none;
  if (!is_done) note_refusal(*client);
  return true;
}

/// The client whose orders the gateway's own mass cancel meant; none: it is no such number.
std::optional<std::uint32_t> MassCancelAnswers::owner_of(std::uint32_t user, const Text<20>& venue_id) const noexcept {
  const std::optional<std::uint64_t> number = number_of(venue_id);
  for (const std::uint32_t client : parts_.users.clients_of(user)) {
    const std::uint64_t own = parts_.states[client].presence.number;
    if (own != 0 && number == own) return client;
  }
  return std::nullopt;
}

void MassCancelAnswers::note_refusal(std::uint32_t client) {
  ClientPresence& presence = parts_.states[client].presence;
  ++parts_.counters.cancels_refused;
  if (presence.stage != CancelStage::sent) return;
  presence.stage = CancelStage::again;
  parts_.journal.note_state(client);
  parts_.channels.wake(client, Time{});
}

/// Of an order that has ended by what the gateway itself sent under that number: one mass cancel, or cancels of those
/// orders that were older than it, with higher numbers.
std::string_view MassCancelAnswers::cause_text(const Order& order, const Text<20>& venue_id) const noexcept {
  const ClientPresence& presence = parts_.states[order.client].presence;
  const std::optional<std::uint64_t> number = number_of(venue_id);
  if (presence.number == 0 || !number) return {};
  const OrderCancel* const one = parts_.order_cancels.find(*number);
  const bool is_clients = find_mass(number, one) != nullptr;
  const bool is_one_of_them = !parts_.users.is_alone(order.client) && !is_clients && *number > presence.number &&
                              order.current_request < presence.number;
  return number == presence.number || is_one_of_them ? text_of(presence.cause) : std::string_view{};
}

/// One from each partition.
void MassCancelAnswers::report_mass_cancel(const MassCancelRequest& mass, const OwnerReport& report,
                                           std::int32_t code) {
  constexpr int k_unknown_security = 1, k_other = 99;  // MassCancelRejectReason(532)
  int reason = -1;
  if (report.reason != market::Reason::none)
    reason = report.reason == market::Reason::unknown_instrument ? k_unknown_security : k_other;
  ReasonText text = text_of(code);
  // The venue has one code for an instrument and a segment that it does not know.
  if (reason == k_unknown_security && !mass.segment.is_empty()) {
    reason = segment_reject_in(parts_.channels.form(mass.client).version);
    text = ReasonText{};
    text.add(code).add(" unknown MarketSegmentID(1300) ").add(mass.segment.view());
  }
  if (mass.is_of_quotes)
    return report_quote_cancel(parts_.channels, mass, report.reason != market::Reason::none, text.view(), report.time);
  if (reason >= 0) parts_.channels.note_reject(mass.client, text.view());
  fix::Writer writer = parts_.channels.begin(mass.client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, parts_.channels.form(mass.client),
                           {.report_id = parts_.channels.next_exec_id(),
                            .cl_ord_id = mass.cl_ord_id.view(),
                            .type = mass.type.view(),
                            .reject_reason = reason,
                            .partition = report.partition,
                            .text = reason < 0 ? std::string_view{} : text.view(),
                            .time = report.time});
  parts_.channels.send(mass.client, writer);
}

/// An order that the mass cancel meant and could not end; none: nobody knows which.
void MassCancelAnswers::reject_one_of_many(const MassCancelRequest& mass, std::optional<std::uint32_t> slot,
                                           market::Reason reason, std::string_view text, time::Time now) {
  const Order* order = slot ? &parts_.records.order_at(*slot) : nullptr;
  if (order != nullptr && order->client != mass.client) order = nullptr;
  parts_.channels.note_reject(mass.client, text);
  fix::Writer writer = parts_.channels.begin(mass.client, fix::type::k_order_cancel_reject);
  write_cancel_reject(writer, parts_.channels.form(mass.client),
                      {.order = order,
                       .cl_ord_id = mass.cl_ord_id.view(),
                       .orig_cl_ord_id = order == nullptr ? mass.cl_ord_id.view() : parts_.records.id_of(*order).view(),
                       .response_to = '1',
                       .reason = cancel_reject_of(reason),
                       .text = text,
                       .time = now});
  parts_.channels.send(mass.client, writer);
}

}  // namespace dojima::gateway
