// Busts, and the corrections that some venues make of them: a bust and a fill of another price.

#include <optional>

#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/translator/exchange_to_client.hpp"
#include "dojima/gateway/translator/report_check.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

/// Whether the report comes behind the bust at the venue: a fill that goes with the bust would have come before it. A
/// refusal without a number may be one of those in front of the partition, which come whenever they like.
[[nodiscard]] bool is_behind(const HeldBust& bust, std::uint32_t user, const OwnerReport& report) noexcept {
  if (bust.user != user || (is_refusal(report.kind) && report.sequence.value == 0)) return false;
  return report.partition == bust.report.partition || report.order == bust.report.order;
}

/// Whether the fill is that of the bust, with another price.
[[nodiscard]] bool is_correction(const HeldBust& bust, std::uint32_t user, const OwnerReport& report) noexcept {
  return report.kind == OwnerReportKind::traded && bust.user == user && bust.report.trade == report.trade &&
         bust.report.order == report.order;
}

}  // namespace

/// Busts, and what comes while some wait for the fill that makes corrections of them. What nothing can come for any
/// more goes first: as soon as the journal has this report, nobody says again what was before it. True: there is
/// nothing else to the report.
bool ExchangeToClient::apply_around_busts(std::uint32_t user, const OwnerReport& report, Channel channel) {
  const std::optional<HeldBust> begun =
      journal_.take_bust([&](const HeldBust& bust) { return is_correction(bust, user, report); });
  const auto is_over = [&](const HeldBust& bust) { return is_behind(bust, user, report); };
  if (!begun)
    while (const std::optional<HeldBust> bust = journal_.take_bust(is_over)) apply_bust(*bust);
  if (!journal_.note_report(user, report)) ++counters_.strays;
  if (begun) {
    end_correction(*begun, report);
    channels_.flush_all();
    return true;
  }
  if (report.kind != OwnerReportKind::trade_cancelled) return false;
  if (journal_.has_bust(user, report.reference)) {
    ++counters_.strays;
    return true;
  }
  if (!begin_correction(user, report, channel)) return false;
  channels_.flush_all();
  return true;
}

/// Some venues have no word for a trade of another price: they take the execution back, say why, and say it anew. The
/// client hears of both together. Others say the same of any bust, and nothing follows. False: it is no such one.
bool ExchangeToClient::begin_correction(std::uint32_t user, const OwnerReport& bust, Channel channel) noexcept {
  constexpr auto k_market = static_cast<std::uint8_t>(market::Restatement::market);
  return bust.restatement == k_market && bust.reference != 0 &&
         journal_.hold_bust({.report = bust, .user = user, .is_of_session = channel != Channel::recovery});
}

/// The fill says what the execution that was taken back is now.
void ExchangeToClient::end_correction(const HeldBust& begun, const OwnerReport& fill) {
  journal_.note_bust({.execution = begun.report.reference, .user = begun.user});
  const std::optional<std::uint32_t> slot = records_.find_by_venue_id(begun.user, fill.order);
  if (!slot) {
    ++counters_.strays;  // the order is no longer remembered
    return;
  }
  const Order& order = std::as_const(records_).order_at(*slot);
  OwnerReport corrected = fill;
  corrected.kind = OwnerReportKind::trade_corrected;
  corrected.reference = begun.report.reference;
  Request forgotten = forgotten_request_of(order, *slot);
  Request* const current = records_.find_request(order.current_request);
  Request& request = current != nullptr ? *current : forgotten;
  if (!is_plausible(corrected, request, records_.wanted_by(request), order)) {
    ++counters_.strays;
    return;
  }
  lifecycle_.correct(*slot, begun.report.price, corrected);
  process({.request = request, .report = corrected}, corrected.kind);
}

/// No fill came for it: it was an ordinary one, and is reported as it would have been when it came.
void ExchangeToClient::apply_bust(const HeldBust& bust) {
  const OwnerReport& report = bust.report;
  Request* const request = find_request(bust.user, report.client_order_id, report.side);
  const bool is_known = request != nullptr && is_plausible(report, *request, records_.wanted_by(*request),
                                                           std::as_const(records_).order_at(request->order));
  if (is_known)
    apply_to_request(*request, report, mit::code::k_success);
  else if (request != nullptr || !apply_to_order(bust.user, report, mit::code::k_success))
    ++counters_.strays;
  channels_.flush_all();
}

/// A session brings both reports one behind the other, unless it ends between them. So what came over the session at
/// hand waits on; of anything else all that the venue had to say has come.
bool ExchangeToClient::release_busts(std::uint32_t user) {
  for (;;) {
    if (journal_.is_short_of_room()) return !journal_.has_held_busts();
    const std::optional<HeldBust> bust =
        journal_.take_bust([=](const HeldBust& each) { return each.user == user && !each.is_of_session; });
    if (!bust) return true;
    apply_bust(*bust);
  }
}

void ExchangeToClient::forget_busts(std::uint32_t user) noexcept {
  while (journal_.take_bust([=](const HeldBust& each) { return each.user == user; })) {
  }
}

}  // namespace dojima::gateway
