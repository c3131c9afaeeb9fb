#pragma once

// What must hold of every report that a book hands over, whatever the command: the border between the book and who
// reads its reports.

#include "dojima/market/report.hpp"

namespace dojima::book {

/// Null, or what is wrong with a report of a book.
[[nodiscard]] constexpr const char* report_trouble(const market::BookReport& report) noexcept {
  using Kind = market::BookReportKind;
  if (report.kind == Kind::none || report.kind > Kind::indicative) return "a report has a kind";
  if (report.quantity.lots < 0 || report.leaves.lots < 0) return "no report has less than nothing";
  if (report.kind >= Kind::phase_changed)
    return report.order.value == 0 ? nullptr : "a report about the book names no order";
  if (report.kind == Kind::rejected) return report.reason == market::Reason::none ? "a refusal has a reason" : nullptr;
  if (report.order.value == 0) return "a report about an order names it";
  if (report.side != market::Side::buy && report.side != market::Side::sell) return "an order has a side";
  if (report.quantity.lots == 0) return "nothing happens to no lots";
  if (report.displayed.lots < 0 || report.displayed > report.leaves)
    return "an order displays at most what it has left";
  switch (report.kind) {
    case Kind::accepted:
    case Kind::added:
    case Kind::replaced:
    case Kind::parked:
    case Kind::triggered:
    case Kind::replenished:
      return report.leaves <= report.quantity ? nullptr : "an order never has more left than its total";
    case Kind::traded:
      return report.other.value != 0 && report.other != report.order ? nullptr : "a trade has two orders";
    case Kind::cancelled:
    case Kind::expired:
      return report.reason != market::Reason::none ? nullptr : "an order ends for a reason";
    default:
      return nullptr;
  }
}

}  // namespace dojima::book
