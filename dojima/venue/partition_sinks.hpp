#pragma once

// Who sees what a partition publishes: the reports of its books, and the facts of its trading days.

#include <span>

#include "dojima/market/day.hpp"
#include "dojima/market/report.hpp"

namespace dojima::venue {

/// Sees what the books emit: a mirror, a market data feed.
class ReportSink {
 public:
  /// Reports of one command, or of part of one; they die when it returns. It must not call the partition.
  virtual void on_reports(std::span<const market::BookReport> reports, time::Time now) = 0;

 protected:
  ~ReportSink() = default;
};

/// Sees the facts of the trading day that are published to everybody: a market data feed, a progress line.
class FeedSink {
 public:
  // They must not call the partition.
  virtual void on_status(const market::SymbolStatus& status) = 0;
  virtual void on_auction_info(const market::AuctionInfo& info) = 0;
  virtual void on_auction_trade(const market::AuctionTrade& trade) = 0;
  virtual void on_trade_break(const market::TradeBreak& broken) { static_cast<void>(broken); }
  virtual void on_day_start(const market::DayStart& start) { static_cast<void>(start); }

 protected:
  ~FeedSink() = default;
};

}  // namespace dojima::venue
