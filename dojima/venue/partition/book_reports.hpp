#pragma once

// What the books report of the command in hand, on its way to everybody who reads it: the owners of orders, the trading
// days, the limits of users, and the sinks. It is drained when the command has been applied, and before if it is full.
// No allocation after construction but for a new sink. One thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/book/report_buffer.hpp"
#include "dojima/market/command.hpp"
#include "dojima/venue/partition/owner_reports.hpp"
#include "dojima/venue/partition/trading_days.hpp"
#include "dojima/venue/partition_sinks.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue {

class BookReports final : public book::ReportBuffer {
 public:
  /// All must outlive it; they may be constructed later. Throws std::bad_alloc.
  BookReports(std::size_t capacity, OwnerReports& owners, TradingDays& days, RiskLimits& limits)
      : ReportBuffer(capacity), owners_(owners), days_(days), limits_(limits) {}

  /// A refusal before the book, as the book would report it.
  void refuse(const market::NewOrder& command, market::Reason reason);
  void refuse(const market::Replace& command, market::Reason reason);
  void refuse(const market::Cancel& command, market::Reason reason);

  void observe(ReportSink* sink) {
    sinks_.push_back(sink);
    note_watchers();
  }
  void dismiss(const ReportSink* sink) noexcept {
    std::erase(sinks_, sink);
    note_watchers();
  }
  /// Null: nobody.
  void show(TickerSink* ticker) noexcept {
    ticker_ = ticker;
    owners_.show(ticker);
    note_watchers();
  }

 private:
  void refuse(const market::CommandHeader& header, market::OrderId order, market::Side side, market::Reason reason,
              std::uint8_t flags);
  void drain(std::span<const market::BookReport> reports, Time now) override;
  void note_watchers() noexcept { is_watched_ = ticker_ != nullptr || !sinks_.empty(); }
  void drain_to_watchers(std::span<const market::BookReport> reports, Time now);
  void drain_to_all(std::span<const market::BookReport> reports, Time now);
  void drain_to_one(std::span<const market::BookReport> reports, Time now);
  void drain_to_limits(std::span<const market::BookReport> reports, Time now);
  void drain_with_days(const market::BookReport& report, Time now);

  OwnerReports& owners_;
  TradingDays& days_;
  RiskLimits& limits_;
  std::vector<ReportSink*> sinks_;
  TickerSink* ticker_ = nullptr;
  bool is_watched_ = false;  // by a sink or a ticker
};

}  // namespace dojima::venue
