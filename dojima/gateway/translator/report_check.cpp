#include "dojima/gateway/translator/report_check.hpp"

namespace dojima::gateway {
namespace {

using market::OwnerReport, market::OwnerReportKind;

/// Quantities of a report about an order.
[[nodiscard]] bool are_quantities_plausible(const OwnerReport& report, const Request& request, market::Quantity wanted,
                                            const Order& order) noexcept {
  const bool is_replacing = request.kind == RequestKind::replace && !request.is_answered;
  const market::Quantity total = is_replacing ? wanted : order.terms.quantity;
  // What a quote wants is what shall be left, whatever was executed meanwhile.
  const bool is_left = is_replacing && request.quote != QuoteSide::none;
  const std::int64_t remaining = is_left ? total.lots : total.lots - order.cumulative.lots;
  switch (report.kind) {
    case OwnerReportKind::accepted:
      return request.kind != RequestKind::cancel && !is_replacing && report.leaves.lots <= remaining;
    case OwnerReportKind::traded:
      return request.kind != RequestKind::cancel && report.quantity.lots > 0 && report.leaves.lots >= 0 &&
             report.quantity.lots + report.leaves.lots <= remaining;
    case OwnerReportKind::cancelled:
      return request.kind != RequestKind::replace || remaining >= 0;
    case OwnerReportKind::expired:
      return request.kind != RequestKind::cancel && remaining >= 0;
    case OwnerReportKind::suspended:
      return request.kind != RequestKind::cancel && !is_replacing && report.leaves.lots <= remaining;
    case OwnerReportKind::restated:
      return request.kind != RequestKind::cancel && report.leaves.lots > 0 && report.leaves.lots <= remaining;
    case OwnerReportKind::trade_cancelled:
    case OwnerReportKind::trade_corrected:
      return report.quantity.lots > 0 && report.quantity <= order.cumulative && report.price.units > 0;
    case OwnerReportKind::replaced:
      return is_replacing && report.leaves.lots >= 0 && report.leaves.lots <= remaining;
    default:
      return false;
  }
}

}  // namespace

bool is_plausible(const OwnerReport& report, const Request& request, market::Quantity wanted,
                  const Order& order) noexcept {
  if (report.order.value != 0 && order.order_id.value != 0 && report.order != order.order_id) return false;
  const bool is_change = request.kind != RequestKind::new_order;
  if (report.kind == OwnerReportKind::request_rejected) return is_change && !request.is_answered;
  if (report.kind == OwnerReportKind::business_rejected) return !request.is_answered;
  // A trade can be taken back or corrected when its order is over.
  const bool is_past =
      report.kind == OwnerReportKind::trade_cancelled || report.kind == OwnerReportKind::trade_corrected;
  if (!is_open(order.state) && !is_past) return false;
  if (report.kind == OwnerReportKind::rejected)
    return request.kind == RequestKind::new_order && order.state == OrderState::pending_new;
  if (report.instrument != order.instrument || report.side != order.terms.side) return false;
  return are_quantities_plausible(report, request, wanted, order);
}

}  // namespace dojima::gateway
