#pragma once

// The messages of a partition's market data: the start of the day, the directory and what rests already, then what its
// books report and the facts of its days. Wherever the reports come from: the partition itself, or a ring behind it.
// What the feed cannot carry (a quantity above UInt32) is counted, never cut. Deterministic; nothing is allocated after
// construction. One thread; the feed outlives it.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/book_publisher.hpp"
#include "dojima/mitch/feed_writer.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

struct MarketDataWriterOptions {
  std::size_t orders = 1 << 16;  ///< on display at a time
  Time midnight{};               ///< of the day that begins first; no event is before it
};

/// What the directory says of an instrument besides what its partition knows; empty: nothing.
struct DirectoryEntry {
  std::uint32_t instrument = 0;
  Text<12> isin;
  Text<12> sedol;
  Text<3> currency;
};

class MarketDataWriter {
 public:
  /// The partition as it is now; it is not looked at later. Throws std::bad_alloc.
  MarketDataWriter(const Partition& partition, mitch::FeedWriter& feed, const MarketDataWriterOptions& options);

  /// The start of the day, the directory (every instrument with its segment, its previous close, whether orders are
  /// taken, and what `directory` has of it), and what rests in the books. `directory`: by rising instrument, also of
  /// other partitions. O(instruments log directory + limits + orders).
  void start(const Partition& partition, Time now, std::span<const DirectoryEntry> directory = {});
  /// The start of a further day, whose messages are numbered anew: the directory as it was, and what `shown` has on
  /// display, which is what was written so far. The feed begins with it. Allocates; O(instruments + orders).
  void start_again(const mitch::BookBuilder& shown, Time now);
  /// The end of the day.
  void finish(Time now);

  void write(const market::BookReport& report, Time now) { count_failure(publisher_.publish(report, now)); }
  void write(const market::SymbolStatus& status) { count_failure(publisher_.publish(status)); }
  void write(const market::AuctionInfo& info) { publisher_.publish(info); }
  void write(const market::AuctionTrade& trade) { publisher_.publish(trade); }
  void write(const market::TradeBreak& broken) { count_failure(publisher_.publish(broken)); }

  /// Facts that the feed could not carry, and why not the first of them.
  [[nodiscard]] std::uint64_t unpublished() const noexcept { return unpublished_; }
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }

 private:
  void count_failure(const Result<void>& published);
  void event(char code, Time now);
  void show_book(const book::Book& book, Time now);

  mitch::BookPublisher publisher_;
  std::vector<mitch::SymbolDirectory> directory_;  // as it was published
  std::uint64_t unpublished_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace dojima::venue
