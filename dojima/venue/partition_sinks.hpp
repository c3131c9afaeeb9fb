#pragma once

// Who sees what a partition publishes: the reports of its books, and the facts of its trading days.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

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

/// Which books have changed, as bits that a partition sets and somebody else clears between two commands. Instruments
/// whose ids differ by a multiple of k_places share one.
class ChangedBooks {
 public:
  static constexpr std::size_t k_places = 1 << 14;

  [[nodiscard]] static constexpr std::size_t place_of(std::uint32_t instrument) noexcept {
    return instrument % k_places;
  }
  void note(std::uint32_t instrument) noexcept {
    const std::size_t place = place_of(instrument);
    words_[place / k_bits] |= std::uint64_t{1} << place % k_bits;
  }
  /// Calls `visit(place)` for each that has changed since the last time. O(places / 64 + changed).
  template <class Visit>
  void take(Visit&& visit) {
    for (std::size_t at = 0; at < words_.size(); ++at)
      for (std::uint64_t left = std::exchange(words_[at], 0); left != 0; left &= left - 1)
        visit(at * k_bits + static_cast<std::size_t>(std::countr_zero(left)));
  }

 private:
  static constexpr std::size_t k_bits = 64;
  std::array<std::uint64_t, k_places / k_bits> words_{};
};

/// Sees of all instruments what a ticker shows, for less than a ReportSink costs: it is called where the partition has
/// found out already what happened, and of most commands it is not called at all. Nothing here may call the partition.
class TickerSink {
 public:
  /// One trade, as ReportSink has it.
  virtual void on_trade(const market::BookReport& report, time::Time now) = 0;
  /// A refusal; `user`: whose request it was, beyond all users for the operator's.
  virtual void on_refusal(const market::BookReport& report, std::uint16_t user) = 0;
  /// What concerns a whole book: phases, uncrossings, indicative prices.
  virtual void on_book(const market::BookReport& report, time::Time now) = 0;

  /// Every book on which there was a report, a refusal among them.
  [[nodiscard]] ChangedBooks& changed_books() noexcept { return changed_; }

 protected:
  ~TickerSink() = default;

 private:
  ChangedBooks changed_;
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
