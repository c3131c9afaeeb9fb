#pragma once

// The partition under a generated market, seen by the strategy: requests go in as commands of its user, its user's
// reports come out as reports, and what the books say becomes the feed, without the strategy's own orders in it. Who
// owns which order, and how much everybody holds, is kept beside.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dojima/backtest/exchange.hpp"
#include "dojima/backtest/market.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::backtest {

inline constexpr std::uint16_t k_strategy_user = 0;

class MarketVenue final : public venue::ReportSink {
 public:
  /// `participants`: users behind the strategy's. `exchange` gets reports and feed.
  MarketVenue(const MarketConfig& config, std::size_t participants, Exchange& exchange);
  ~MarketVenue();

  /// A command of anybody. `instrument` by place.
  template <class Command>
  void submit(Command& command, std::uint32_t instrument, std::uint16_t user, Time now) {
    command.header.instrument = instrument + 1;
    command.header.user = user;
    submit(command.header, now);
  }
  void submit(market::CommandHeader& header, Time now);
  /// Of the strategy.
  void on_request(const Request& request, Time now);
  /// Phases that are due.
  void keep_time(Time now);
  [[nodiscard]] Time next_phase() const noexcept { return has_day_ ? partition_.day_due() : time::k_never; }

  [[nodiscard]] const book::Book& book(std::uint32_t instrument) const noexcept { return *books_[instrument]; }
  [[nodiscard]] std::int64_t position(std::uint16_t user, std::uint32_t instrument) const noexcept {
    return positions_[std::size_t{user} * books_.size() + instrument];
  }
  [[nodiscard]] std::size_t own_resting() const noexcept { return own_.size(); }
  [[nodiscard]] const ExchangeCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] MarketCounts& market_counts() noexcept { return market_counts_; }
  [[nodiscard]] std::uint64_t digest() const { return partition_.digest(); }

 private:
  struct Standing {
    std::int64_t price = 0;
    std::int64_t leaves = 0;
    std::uint16_t user = 0;
    Side side = Side::none;
    bool is_in_feed = false;
    bool is_resting = false;
  };
  struct Own {
    OrderNumber number = 0;
    std::int64_t price = 0;
    std::int64_t leaves = 0;
    Time since{};
  };

  void on_reports(std::span<const market::BookReport> reports, Time now) override;
  void on_report(const market::BookReport& report, Time now);
  void on_trade(const market::BookReport& report, Time now);
  void leave(market::OrderId order, std::uint32_t instrument, Time now);
  recorded::RecordedEvent& tell(recorded::EventKind kind, std::uint32_t instrument, Time now);
  void read_own_reports(Time now);
  void on_own_report(const market::OwnerReport& report, Time now);
  void move_position(std::uint16_t user, std::uint32_t instrument, Side side, std::int64_t quantity);

  Exchange& exchange_;
  journal::MemoryJournal journal_;
  venue::Partition partition_;
  venue::Cursor cursor_{};
  bool has_day_ = false;
  std::vector<const book::Book*> books_;
  std::unordered_map<std::uint64_t, Standing> standing_;        // live orders; never walked through
  std::vector<std::uint64_t> fresh_;                            // accepted by the command at hand
  std::unordered_map<std::uint64_t, Own> own_;                  // the strategy's that live; never walked through
  std::vector<std::pair<OrderNumber, std::uint64_t>> own_ids_;  // the same by number
  const Request* request_ = nullptr;                            // at hand
  std::uint16_t user_ = 0;                                      // of the command at hand
  std::vector<std::int64_t> positions_;                         // by user and instrument
  ExchangeCounts counts_;
  MarketCounts market_counts_;
};

}  // namespace dojima::backtest
