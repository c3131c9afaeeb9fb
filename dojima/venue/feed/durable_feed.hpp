#pragma once

// Holds a partition's market data back until the commands that caused it are durable, as reports to owners are. Where a
// journal is durable at once, units pass without being copied. Units leave in their order. One thread; the sink may not
// call the partition.
//
//   DurableFeed feed(partition, out);
//   MarketData data(partition, feed, ...);
//   Loop loop(scheduler, pacer, sources = {&feed, &front, &fabric});     // it releases at the end of each instant

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "dojima/mitch/feed_writer.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

class DurableFeed final : public mitch::FeedSink, public sched::Source {
 public:
  /// Both must outlive it.
  DurableFeed(const Partition& partition, mitch::FeedSink& out) : partition_(partition), out_(out) {}

  void on_unit(Bytes unit) override;
  /// What may leave leaves. How many units did.
  std::size_t release();
  /// Bytes that wait.
  [[nodiscard]] std::size_t held() const noexcept { return bytes_.size() - first_; }

  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  std::size_t finish(Time) override { return release(); }

 private:
  struct Unit {
    Sequence command;
    std::size_t size = 0;
  };

  const Partition& partition_;
  mitch::FeedSink& out_;
  std::vector<std::byte> bytes_;  // of the units that wait, from first_ on
  std::size_t first_ = 0;
  std::deque<Unit> units_;
};

}  // namespace dojima::venue
