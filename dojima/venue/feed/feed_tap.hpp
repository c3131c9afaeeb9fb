#pragma once

// A partition's market data on its way to the thread that makes the feed: a ring of what the books report and of the
// facts of the days, as they are, so that the partition's thread pays for a copy of them and for nothing else. The two
// threads meet once a turn, at release(); then they come out at the other end, in their order, once the commands behind
// them are durable. When the ring is full they wait on the partition's side, in memory that is taken then: nothing is
// lost and nobody is held up.
//
//   FeedTap tap(partition, 1 << 16);
//   ...                                  // the partition's thread: at the end of an instant
//   if (tap.release()) feed_loop.wake();
//   ...                                  // the feed's thread
//   while (tap.pop(event)) event.write_to(writer);

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <variant>

#include "dojima/base/ring.hpp"
#include "dojima/venue/feed/market_data_writer.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

/// One thing that a partition says to everybody.
struct FeedEvent {
  using What = std::variant<market::BookReport, market::SymbolStatus, market::AuctionInfo, market::AuctionTrade,
                            market::TradeBreak, market::DayStart>;
  What what;
  Sequence command;
  Time time;  ///< of a report; the others know theirs

  /// The start of a day (on_day_start) is not the writer's: only the owner of the numbers can write it.
  void write_to(MarketDataWriter& writer) const;
};

class FeedTap final : public ReportSink, public FeedSink {
 public:
  /// Watches the partition from now on, with room for so many in the ring. Throws std::bad_alloc.
  FeedTap(Partition& partition, std::size_t ring);
  ~FeedTap();
  FeedTap(const FeedTap&) = delete;
  FeedTap& operator=(const FeedTap&) = delete;

  // The partition's thread.
  void on_reports(std::span<const market::BookReport> reports, Time now) override;
  void on_status(const market::SymbolStatus& status) override;
  void on_auction_info(const market::AuctionInfo& info) override;
  void on_auction_trade(const market::AuctionTrade& trade) override;
  void on_trade_break(const market::TradeBreak& broken) override;
  void on_day_start(const market::DayStart& start) override;
  /// What is durable may be taken. Whether there may be something to take that was not there before.
  [[nodiscard]] bool release();

  // The feed's thread.
  /// The next thing that is durable. False: none is.
  [[nodiscard]] bool pop(FeedEvent& event);

  // Any thread.
  /// In the ring; about.
  [[nodiscard]] std::size_t depth() const noexcept { return ring_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }
  /// Behind the ring, as of the last release().
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }

 private:
  template <class What>
  void put(const What& what, Sequence command, Time time);

  Partition& partition_;
  SpscRing<FeedEvent> ring_;
  std::deque<FeedEvent> overflow_;  // behind the ring; the partition's thread
  std::uint64_t last_put_ = 0;      // the command of what was put last
  std::uint64_t notified_ = 0;      // the durable command when release() last said yes
  std::atomic<std::uint64_t> durable_{0};
  std::atomic<std::uint64_t> waiting_{0};
  FeedEvent held_;  // taken out of the ring and not durable; the feed's thread
  bool is_held_ = false;
};

}  // namespace dojima::venue
