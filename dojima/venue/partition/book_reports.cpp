#include "dojima/venue/partition/book_reports.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;

namespace {

/// What concerns a book and no order.
bool is_of_book(BookReportKind kind) noexcept {
  static_assert(static_cast<int>(BookReportKind::phase_changed) == 12 &&
                static_cast<int>(BookReportKind::indicative) == 14);
  return kind >= BookReportKind::phase_changed;
}

}  // namespace

void BookReports::refuse(const market::NewOrder& command, market::Reason reason) {
  refuse(command.header, {}, command.terms.side, reason, 0);
}

void BookReports::refuse(const market::Replace& command, market::Reason reason) {
  refuse(command.header, command.order, command.side, reason, market::k_replacement);
}

void BookReports::refuse(const market::Cancel& command, market::Reason reason) {
  refuse(command.header, command.order, command.side, reason, market::k_replacement);
}

void BookReports::refuse(const market::CommandHeader& header, market::OrderId order, market::Side side,
                         market::Reason reason, std::uint8_t flags) {
  BookReport& report = append();
  report.kind = BookReportKind::rejected;
  report.order = order;
  report.instrument = header.instrument;
  report.side = side;
  report.reason = reason;
  report.flags = flags;
}

void BookReports::drain(std::span<const BookReport> reports, Time now) {
  DOJIMA_ASSERT(reports.front().sequence == owners_.command(), "books report on the command in hand",
                reports.front().sequence, owners_.command(), reports.front().kind);
  const bool has_days = !days_.is_empty();
  for (const BookReport& report : reports) {
    if (is_of_book(report.kind)) [[unlikely]] {
      days_.publish_auction(report, owners_.last_trade(), now);
      continue;
    }
    if (has_days && report.kind == BookReportKind::traded)
      days_.on_trade(report, (report.flags & market::k_auction) != 0);
    owners_.report(report, now);
  }
  for (ReportSink* sink : sinks_) sink->on_reports(reports, now);
}

}  // namespace dojima::venue
