#pragma once

// A histogram that one thread writes while another takes it in intervals: latencies per second of a running system.
// Nobody waits and nobody locks. The writer only ever adds to its counters; the reader remembers what they were and
// takes the difference, so every value lands in exactly one interval. Recording costs what it costs in a Histogram;
// taking is O(counters). Memory is taken once. One writer, one reader; both may change threads if they synchronise.
//
//   recorder.record(nanoseconds);          // the loop
//   recorder.take(interval);               // once a second, elsewhere

#include <atomic>
#include <cstdint>
#include <memory>

#include "dojima/measure/histogram.hpp"

namespace dojima::measure {

template <unsigned PrecisionBits, unsigned RangeBits = 42>
class IntervalRecorder {
 public:
  using Interval = BasicHistogram<PrecisionBits, RangeBits>;

  /// Throws std::bad_alloc.
  IntervalRecorder()
      : counts_(std::make_unique<std::atomic<std::uint64_t>[]>(k_counters)),
        taken_(std::make_unique<std::uint64_t[]>(k_counters)) {}

  /// The writer's: counts `value`. Above the range it goes to the last cell. Wait-free, no locked instruction.
  void record(std::uint64_t value) noexcept {
    if (value > Interval::k_layout.largest()) [[unlikely]] {
      value = Interval::k_layout.largest();
      add_one(overflow_);
    }
    add_one(counts_[Interval::index_of(value)]);
  }

  /// The reader's: replaces `interval` by what was recorded since the last call. A value recorded meanwhile falls into
  /// this interval or the next. The interval knows its smallest and largest value to the cell: min and max are the
  /// outermost cells' edges.
  void take(Interval& interval) noexcept {
    interval.reset();
    for (std::size_t index = 0; index < k_counters; ++index) {
      const std::uint64_t now = counts_[index].load(std::memory_order_relaxed);
      interval.add_to_cell(index, now - taken_[index]);
      taken_[index] = now;
    }
    const std::uint64_t overflow = overflow_.load(std::memory_order_relaxed);
    interval.mark_overflow(overflow - taken_overflow_);
    taken_overflow_ = overflow;
  }

 private:
  static constexpr std::size_t k_counters = Interval::k_layout.counters();

  /// There is one writer: a load and a store suffice, where an atomic addition would lock the line.
  static void add_one(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
  std::atomic<std::uint64_t> overflow_ = 0;

  // The reader's, on a line of its own.
  alignas(64) std::unique_ptr<std::uint64_t[]> taken_;
  std::uint64_t taken_overflow_ = 0;
};

}  // namespace dojima::measure
