#include "dojima/venue/partition/book_reports.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::venue {

using market::BookReport;
using market::BookReportKind;

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
  DOJIMA_ASSERT(reports.front().sequence == owners_.owned().request().command, "books report on the command in hand",
                reports.front().sequence, owners_.owned().request().command, reports.front().kind);
  if (is_watched_ || !days_.is_empty()) [[unlikely]]
    return drain_to_watchers(reports, now);
  if (!limits_.is_on()) [[likely]]
    return owners_.report(reports, now);
  drain_to_limits(reports, now);
}

/// Apart, so that nothing is kept over a call where nobody looks.
[[gnu::noinline]] void BookReports::drain_to_watchers(std::span<const BookReport> reports, Time now) {
  if (ticker_ != nullptr) {
    ChangedBooks& changed = ticker_->changed_books();
    for (const BookReport& report : reports) changed.note(report.instrument);
  }
  if (!days_.is_empty() || sinks_.size() > 1) return drain_to_all(reports, now);
  if (!sinks_.empty()) return drain_to_one(reports, now);
  if (!limits_.is_on()) return owners_.report(reports, now);
  drain_to_limits(reports, now);
}

/// As drain_to_all(), where there are no days and one sink: little is kept over the first call, nothing over the last.
void BookReports::drain_to_one(std::span<const BookReport> reports, Time now) {
  owners_.report(reports, now);
  if (limits_.is_on()) limits_.count(reports, now);
  sinks_.front()->on_reports(reports, now);
}

void BookReports::drain_to_limits(std::span<const BookReport> reports, Time now) {
  if (reports.size() == 1 && reports.front().kind == BookReportKind::rejected) return owners_.report(reports, now);
  owners_.report(reports, now);
  limits_.count(reports, now);
}

void BookReports::drain_to_all(std::span<const BookReport> reports, Time now) {
  if (days_.is_empty()) {
    owners_.report(reports, now);
    if (limits_.is_on()) limits_.count(reports, now);
  } else {
    for (const BookReport& report : reports) drain_with_days(report, now);
  }
  for (ReportSink* sink : sinks_) sink->on_reports(reports, now);
}

void BookReports::drain_with_days(const BookReport& report, Time now) {
  if (is_of_book(report.kind)) {
    if (ticker_ != nullptr) ticker_->on_book(report, now);
    return days_.publish_auction(report, owners_.numbers().last_trade(), now);
  }
  if (report.kind == BookReportKind::traded && !days_.is_empty())
    days_.on_trade(report, (report.flags & market::k_auction) != 0);
  owners_.report(report, now);
  if (limits_.is_on()) limits_.count({&report, 1}, now);
}

}  // namespace dojima::venue
