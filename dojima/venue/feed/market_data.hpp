#pragma once

// The venue's market data: what the books of a partition report, and the facts of its trading days, as units of MIT303.
// A watcher of one partition; a unit goes out whenever the partition has published something, so one command is one
// unit, or a few. What the feed cannot carry (a quantity above UInt32) is counted, never cut. Deterministic: the same
// commands give the same bytes. Nothing is allocated after construction. One thread, the partition's; the sink may call
// neither.
//
//   MarketData data(partition, sink, {.orders = 1 << 16, .midnight = midnight});
//   data.start(now);  ...

#include <cstdint>
#include <optional>
#include <span>

#include "dojima/mitch/feed_writer.hpp"
#include "dojima/venue/feed/market_data_writer.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

struct MarketDataOptions {
  std::size_t orders = 1 << 16;   ///< on display at a time
  std::size_t unit_size = 1'400;  ///< bytes of a datagram at most
  Time midnight{};                ///< of the day that begins first; no event is before it
};

class MarketData final : public ReportSink, public FeedSink {
 public:
  /// Watches the partition from now on. Throws std::bad_alloc, std::invalid_argument for a unit size that no message
  /// may fit. The market data group is the partition's number.
  MarketData(Partition& partition, mitch::FeedSink& sink, const MarketDataOptions& options);
  ~MarketData();
  MarketData(const MarketData&) = delete;
  MarketData& operator=(const MarketData&) = delete;

  /// The start of the day, the directory, and what rests in the books: MarketDataWriter::start.
  void start(Time now, std::span<const DirectoryEntry> directory = {});
  /// The end of the day.
  void finish(Time now);

  void on_reports(std::span<const market::BookReport> reports, Time now) override;
  void on_status(const market::SymbolStatus& status) override;
  void on_auction_info(const market::AuctionInfo& info) override;
  void on_auction_trade(const market::AuctionTrade& trade) override;
  void on_trade_break(const market::TradeBreak& broken) override;

  /// Messages so far.
  [[nodiscard]] std::uint64_t messages() const noexcept { return feed_.next_sequence() - 1; }
  /// Facts that the feed could not carry, and why not the first of them.
  [[nodiscard]] std::uint64_t unpublished() const noexcept { return writer_.unpublished(); }
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return writer_.trouble(); }

 private:
  Partition& partition_;
  mitch::FeedWriter feed_;
  MarketDataWriter writer_;
};

}  // namespace dojima::venue
