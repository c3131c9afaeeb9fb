#pragma once

// How often executions, cancels and entries have happened of late on either side of a market.

#include <array>
#include <cstddef>

#include "dojima/market/order.hpp"
#include "dojima/queueing/fills/fill_samples.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"
#include "dojima/time/time.hpp"

namespace dojima::queueing {

/// Events that count less the older they are.
class DecayingCount {
 public:
  explicit DecayingCount(double memory_s) : memory_(memory_s) {}
  void add(time::Time now);
  /// Per second; a recording that began not long ago counts only as long as it is.
  [[nodiscard]] double rate(time::Time begin, time::Time now) const;

 private:
  [[nodiscard]] double at(time::Time now) const;
  double memory_;
  double value_ = 0;
  time::Time last_{};
};

class RecentRates {
 public:
  RecentRates();

  void note(const QueueChange& change, time::Time now);
  /// Writes the rates at the sample's time, of its own side and of the other. `begin`: of the recording.
  void write(FillSample& sample, time::Time begin) const;

 private:
  using Memories = std::array<DecayingCount, k_recent_memories_s.size()>;
  using SideCounts = std::array<Memories, k_recent_kinds>;  // by kind

  [[nodiscard]] static std::size_t place_of(market::Side side) noexcept { return side == market::Side::buy ? 0 : 1; }

  std::array<SideCounts, 2> sides_;
};

}  // namespace dojima::queueing
