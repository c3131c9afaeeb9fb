#include "dojima/app/trade/report_text.hpp"

#include <array>
#include <fmt/core.h>

#include "dojima/app/trade/blotter_text.hpp"

namespace dojima::app {
namespace {

std::string trade_text(const BlotterOrder& order, const TradeReport& report) {
  const bool is_buy = order.entry.terms.side == market::Side::buy;
  const bool is_filled = order.state == OrderState::filled;
  return fmt::format("{} {}: {} {} {} @ {}, {} left, average {}{}", order.number, is_filled ? "filled" : "traded",
                     is_buy ? "bought" : "sold", report.last_quantity.lots, order.entry.symbol,
                     price_text(report.last_price), order.leaves.lots, price_text(order.average()),
                     report.venue_fields.empty() ? "" : fmt::format(" ({})", report.venue_fields));
}

std::string status_text(const BlotterOrder& order, const TradeReport& report) {
  if (report.reason != 0) return fmt::format("{}: {}", order.number, reason_text(report));
  return fmt::format("{} is {}: {}, {} done, {} left", order.number, report.status, order_text(order.entry),
                     report.executed.value_or(order.executed).lots, report.leaves.value_or(order.leaves).lots);
}

const char* name_of(TradeReportKind kind) {
  constexpr std::array k_names{"accepted",
                               "waits",
                               "rejected",
                               "traded",
                               "corrected",
                               "busted",
                               "cancelled",
                               "amended",
                               "expired",
                               "restated",
                               "status",
                               "a change was refused",
                               "a request was refused",
                               "a mass cancel was taken",
                               "an answer",
                               "a report"};
  static_assert(k_names.size() == static_cast<std::size_t>(TradeReportKind::other) + 1);
  return k_names[static_cast<std::size_t>(kind)];
}

std::string because(const TradeReport& report) {
  return report.text.empty() ? "" : ": " + report.text;
}

}  // namespace

std::string reason_text(const TradeReport& report) {
  return report.text.empty() ? fmt::format("reason {}", report.reason) : report.text;
}

bool is_refusal(const TradeReport& report) {
  return report.kind == TradeReportKind::rejected || report.kind == TradeReportKind::change_rejected ||
         report.kind == TradeReportKind::request_rejected;
}

std::string report_line(const BlotterOrder& order, const TradeReport& report) {
  switch (report.kind) {
    case TradeReportKind::accepted:
      return fmt::format("{} accepted: {}", order.number, order_text(order.entry));
    case TradeReportKind::parked:
      return fmt::format("{} parked: {}", order.number, order_text(order.entry));
    case TradeReportKind::rejected:
      return fmt::format("{} rejected: {}", order.number, reason_text(report));
    case TradeReportKind::traded:
      return trade_text(order, report);
    case TradeReportKind::corrected:
      return fmt::format("{} corrected: execution {} is {} @ {}", order.number, report.reference_id,
                         report.last_quantity.lots, price_text(report.last_price));
    case TradeReportKind::busted:
      return fmt::format("{} busted: execution {} is void{}", order.number, report.reference_id, because(report));
    case TradeReportKind::cancelled:
      return fmt::format("{} cancelled, {} done{}", order.number, order.executed.lots, because(report));
    case TradeReportKind::expired:
      return fmt::format("{} expired, {} done{}", order.number, order.executed.lots, because(report));
    case TradeReportKind::replaced:
      return fmt::format("{} amended: {}, {} left", order.number, order_text(order.entry), order.leaves.lots);
    case TradeReportKind::restated:
      return fmt::format("{} restated by the venue: {}, {} left{}", order.number, order_text(order.entry),
                         order.leaves.lots, because(report));
    case TradeReportKind::status:
      return status_text(order, report);
    case TradeReportKind::change_rejected:
      return fmt::format("{} not changed: {}", order.number, reason_text(report));
    case TradeReportKind::request_rejected:
      return fmt::format("{} refused: {}", order.number, reason_text(report));
    case TradeReportKind::mass_cancelled:
    case TradeReportKind::answer:
    case TradeReportKind::other:
      break;
  }
  return fmt::format("{}: a report that needs no action", order.number);
}

std::string foreign_line(const TradeReport& report) {
  const std::string& id = report.original_id.empty() ? report.id : report.original_id;
  if (report.kind == TradeReportKind::status && report.reason != 0) return reason_text(report);
  if (report.kind == TradeReportKind::status)
    return fmt::format("{} ({}) is {}: {} done, {} left", id, report.symbol, report.status,
                       report.executed.value_or(market::Quantity{}).lots,
                       report.leaves.value_or(market::Quantity{}).lots);
  if (report.kind == TradeReportKind::traded)
    return fmt::format("{}, from before: {} {} @ {}, {} left", id, report.side == market::Side::buy ? "bought" : "sold",
                       report.last_quantity.lots, price_text(report.last_price),
                       report.leaves.value_or(market::Quantity{}).lots);
  return fmt::format("{}, from before: {}", id, name_of(report.kind));
}

}  // namespace dojima::app
