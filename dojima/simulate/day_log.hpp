#pragma once

// What a demo's trading day published: phases, indicative prices, auctions; for the progress line, the statistics
// at the end and the check that the day was a whole one. One log for all partitions, in the venue's thread. Memory is
// taken at construction, enough for a day.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "dojima/simulate/exchange_config.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::simulate {

/// The name of a phase, in words.
[[nodiscard]] std::string_view name_of(market::DayPhase phase) noexcept;

/// What became of one instrument.
struct DayStatistics {
  std::string symbol;
  market::Price opening;  ///< of the opening auction; 0: nothing traded in it
  std::int64_t opening_volume = 0;
  market::Price closing;
  std::int64_t closing_volume = 0;
  std::uint64_t auctions = 0;  ///< in which something traded
  std::int64_t auction_volume = 0;
  std::uint64_t interruptions = 0;  ///< by bands
  std::uint64_t extensions = 0;
  std::uint64_t indicative_prices = 0;
  bool is_whole = false;  ///< from start of day to end of day
};

class DayLog final : public venue::FeedSink {
 public:
  explicit DayLog(const ExchangeConfig& config);

  void on_status(const market::SymbolStatus& status) override;
  void on_auction_info(const market::AuctionInfo& info) override;
  void on_auction_trade(const market::AuctionTrade& trade) override;

  /// Phases of all instruments, in their order.
  [[nodiscard]] const std::vector<market::SymbolStatus>& statuses() const noexcept { return statuses_; }
  [[nodiscard]] std::vector<DayStatistics> statistics() const { return statistics_; }
  /// The symbol of an instrument.
  [[nodiscard]] const std::string& symbol(std::uint32_t instrument) const;
  /// The phase of the day, for one line: an instrument in a call with its indicative price, if there is one.
  [[nodiscard]] std::string line() const;

 private:
  struct Instrument {
    std::uint32_t id = 0;
    market::SymbolStatus status;
    market::AuctionInfo info;  // of the call in hand
  };
  [[nodiscard]] std::size_t place(std::uint32_t instrument) const;

  std::mutex writing_;  // by partitions that have threads
  std::vector<Instrument> instruments_;
  std::vector<DayStatistics> statistics_;
  std::vector<market::SymbolStatus> statuses_;
};

}  // namespace dojima::simulate
