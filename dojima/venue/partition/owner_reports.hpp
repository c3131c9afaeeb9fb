#pragma once

// The reports to the owners of orders: it turns what the books report of a command into numbered reports to users and
// appends them to the report log. What owners know of their orders is in OwnedOrders. docs/venue.md has the rules. O(1)
// per report, no allocation after construction. One thread.
//
//   const auto& command = reports.begin(journaled);   // the request that answers belong to
//   ... the book reports ...  reports.report(book_report, now);

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/book/digest.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/venue/partition/owned_orders.hpp"
#include "dojima/venue/partition/report_numbers.hpp"
#include "dojima/venue/partition/trades.hpp"
#include "dojima/venue/partition_config.hpp"
#include "dojima/venue/partition_sinks.hpp"
#include "dojima/venue/report_log.hpp"

namespace dojima::venue {

using time::Time;

/// What concerns a book and no order.
[[nodiscard]] constexpr bool is_of_book(market::BookReportKind kind) noexcept {
  static_assert(static_cast<int>(market::BookReportKind::phase_changed) == 12 &&
                static_cast<int>(market::BookReportKind::indicative) == 14);
  return kind >= market::BookReportKind::phase_changed;
}

class OwnerReports {
 public:
  /// Both must outlive it. Throws std::bad_alloc.
  OwnerReports(const PartitionConfig& config, book::OrderTable& orders);

  /// See OwnedOrders::begin().
  template <class Command>
  decltype(auto) begin(const Command& command) {
    return owned_.begin(command);
  }
  [[nodiscard]] OwnedOrders& owned() noexcept { return owned_; }
  [[nodiscard]] const OwnedOrders& owned() const noexcept { return owned_; }

  /// The answer to a mass cancel, before its cancellations: `is_concerned`, some instrument of the partition is meant.
  /// The operator, who is no user, gets none.
  void answer(const market::MassCancel& command, bool is_concerned);

  /// A book reported on an order of the command in hand, or refused it.
  void report(const market::BookReport& report, Time now);
  /// The same of several reports; those that concern a book and no order are left out.
  void report(std::span<const market::BookReport> reports, Time now);

  /// Takes a trade back, unless it is not kept or was taken back before: both owners hear of it, and once more of an
  /// order that is still open, with what it has left. True: it is done, and `find_trade` has it.
  [[nodiscard]] bool bust(const market::TradeBust& command);
  /// Gives a trade another price, unless it is not kept, was taken back or has this price: both owners hear that the
  /// execution no longer counts (trade_cancelled of Restatement::market), and of the one that counts now. True: it is
  /// done, and `find_trade` has it.
  [[nodiscard]] bool correct(const market::TradeCorrection& command);
  /// Null: no such trade, or it is not kept any more.
  [[nodiscard]] const TradeRecord* find_trade(std::uint64_t number) const noexcept { return trades_.find(number); }

  /// Refusals for this reason that owners were told of, whether of a book or before it, since construction. No state.
  [[nodiscard]] std::uint64_t refused(market::Reason reason) const noexcept {
    return refused_[static_cast<std::size_t>(reason)];
  }

  /// Who sees trades and refusals, and of the several reports what concerns books. Null: nobody.
  void show(TickerSink* ticker) noexcept { ticker_ = ticker; }

  [[nodiscard]] const Trades& trades() const noexcept { return trades_; }
  [[nodiscard]] const ReportLog& log() const noexcept { return log_; }
  void keep_reports_from(std::uint64_t position) noexcept { log_.keep_from(position); }
  /// Reports are numbered from 1 again; those of the day before are not kept. All of them must have been read.
  void begin_day(std::uint64_t day, Time now) noexcept {
    log_.begin_day();
    numbers_.begin_day(day, now);
  }
  [[nodiscard]] const ReportNumbers& numbers() const noexcept { return numbers_; }
  void save_day(StateWriter& out) const { numbers_.save_day(out); }
  [[nodiscard]] bool load_day(StateReader& in) { return numbers_.load_day(in); }

  /// With at most so many of the newest reports.
  void save(StateWriter& out, std::uint64_t reports) const;
  /// Once the order table was loaded. What belongs to full reports and busts may be missing: of a state saved without.
  [[nodiscard]] bool load(StateReader& in);

 private:
  using Outgoing = OwnedOrders::Outgoing;
  using LifeInput = OwnedOrders::LifeInput;
  using OrderState = OwnedOrders::OrderState;

  void report_one(const market::BookReport& report, Time now);
  template <market::BookReportKind Kind>
  [[gnu::flatten]] void report_change(const market::BookReport& report, Time now);
  void report_trade(const market::BookReport& report, Time now);
  void report_auction_trade(const market::BookReport& report, Time now);
  void report_rejection(const market::BookReport& report, Time now);
  void write_change(const market::BookReport& report, book::Slot slot, Outgoing outgoing, market::OrderStatus status,
                    Time now);
  [[nodiscard]] market::OwnerReport& write_about(const LifeInput& input, Time now);
  void append_fill(const LifeInput& input, Time now, market::Quantity displayed, char liquidity);
  void keep_trade(const market::OwnerReport& fill, const Text<20>& client_order_id);
  [[nodiscard]] market::OwnerReport begin_bust(const TradeRecord& trade, const TradeSide& side, char liquidity) const;
  void bust_side(const TradeRecord& trade, std::size_t at);
  void correct_side(TradeRecord& trade, std::size_t at, market::Price price);
  void add_open_order(book::Slot slot, market::OwnerReport& outgoing);
  void append(market::OwnerReport& report);
  void count_refusal(market::Reason reason) noexcept { ++refused_[static_cast<std::size_t>(reason)]; }

  std::uint8_t app_id_;
  std::uint8_t last_market_;
  bool keeps_trades_;
  const book::OrderTable& orders_;
  OwnedOrders owned_;
  ReportNumbers numbers_;
  ReportLog log_;
  Trades trades_;
  TickerSink* ticker_ = nullptr;
  std::array<std::uint64_t, static_cast<std::size_t>(market::k_last_reason) + 1> refused_{};
};

}  // namespace dojima::venue
