#pragma once

// A log-linear histogram of unsigned values, usually nanoseconds. Use it wherever latencies are kept: recording is
// inline, O(1), takes no memory and calls nothing; the counters are taken once, at construction. A value v lands in a
// cell no wider than v / 2^PrecisionBits, so what is read back is at most that much too high. The cells are those of
// HdrHistogram with the same significant figures, counter for counter: precision 7 is its 2 figures, 10 its 3.
// One thread records and reads one histogram; for one writer and one reader at a time see interval_recorder.hpp.
//
//   measure::Histogram latencies;                      // 2 significant figures, 42 bits: 4,608 counters, 36 KiB
//   latencies.record(1'250);
//   latencies.value_at(0.99);                      // the value of rank ceil(0.99 n), at most 0.8 % too high

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima::measure {

/// Which counter a value belongs to. Below 2^(precision+1) units every value has its own; above, each power of two is
/// divided into 2^precision cells. Plain arithmetic, O(1).
struct HistogramLayout {
  unsigned precision_bits = 7;  ///< a cell is at most value / 2^precision wide; 1..17
  unsigned range_bits = 42;     ///< values below 2^range have a cell; at most 63 (42 bits of nanoseconds: 73 minutes)
  unsigned unit_bits = 0;  ///< values are distinguished in steps of 2^unit (HdrHistogram's lowest discernible value)

  /// HdrHistogram's layout of 1 to 5 significant figures: enough cells for 2 x 10^figures distinct values.
  [[nodiscard]] static constexpr HistogramLayout of_significant_figures(unsigned figures,
                                                                        unsigned range = 42) noexcept {
    std::uint64_t distinct = 2;
    for (unsigned figure = 0; figure < figures; ++figure) distinct *= 10;
    return {static_cast<unsigned>(std::bit_width(distinct - 1)) - 1, range, 0};
  }

  /// The significant figures whose layout this is, 0 when it is none of HdrHistogram's.
  [[nodiscard]] constexpr unsigned significant_figures() const noexcept {
    for (unsigned figures = 1; figures <= 5; ++figures) {
      if (of_significant_figures(figures).precision_bits == precision_bits) return figures;
    }
    return 0;
  }

  [[nodiscard]] constexpr std::size_t counters() const noexcept {
    return std::size_t{range_bits - precision_bits - unit_bits + 1} << precision_bits;
  }
  /// The largest value that has a cell of its own.
  [[nodiscard]] constexpr std::uint64_t largest() const noexcept { return (std::uint64_t{1} << range_bits) - 1; }

  /// The counter of `value`, which is at most `largest()`. Never falls as the value grows.
  [[nodiscard]] constexpr std::size_t index_of(std::uint64_t value) const noexcept {
    const std::uint64_t linear = ((std::uint64_t{2} << precision_bits) - 1) << unit_bits;
    const unsigned power = static_cast<unsigned>(std::bit_width(value | linear)) - (precision_bits + 1);
    return (std::size_t{power - unit_bits} << precision_bits) + static_cast<std::size_t>(value >> power);
  }

  /// The smallest value of a cell.
  [[nodiscard]] constexpr std::uint64_t lowest_of(std::size_t index) const noexcept {
    const std::uint64_t half = std::uint64_t{1} << precision_bits;
    const auto at = static_cast<std::uint64_t>(index);
    return at < 2 * half ? at << unit_bits : ((at & (half - 1)) + half) << ((at >> precision_bits) - 1 + unit_bits);
  }
  /// How many values share a cell.
  [[nodiscard]] constexpr std::uint64_t width_of(std::size_t index) const noexcept {
    const auto row = static_cast<unsigned>(index >> precision_bits);
    return std::uint64_t{1} << (unit_bits + (row < 2 ? 0 : row - 1));
  }
  /// The largest value of a cell.
  [[nodiscard]] constexpr std::uint64_t highest_of(std::size_t index) const noexcept {
    return lowest_of(index) + width_of(index) - 1;
  }
  /// The value that stands for a cell in means: HdrHistogram's "median equivalent value".
  [[nodiscard]] constexpr std::uint64_t middle_of(std::size_t index) const noexcept {
    return lowest_of(index) + width_of(index) / 2;
  }

  friend constexpr bool operator==(const HistogramLayout&, const HistogramLayout&) = default;
};

/// Which rank a percentile asks for, among n values in ascending order.
enum class RankRule : std::uint8_t {
  ceiling,        ///< the least k with k / n >= p: at least the share p of all values is not above the answer
  hdr_histogram,  ///< round(p n), at least 1, as HdrHistogram does; for output that is compared with its own
};

/// The rank, 1..n, that `share` (0..1) asks for among `count` > 0 values.
[[nodiscard]] std::uint64_t rank_of(double share, std::uint64_t count, RankRule rule = RankRule::ceiling) noexcept;

/// The counts of a histogram, to be looked at: what every query, file format and report works on. Lives as long as the
/// histogram it was taken from. Queries are O(counters) and allocate nothing.
struct HistogramView {
  HistogramLayout layout;
  std::span<const std::uint64_t> counts;  ///< may be shorter than the layout: what is missing is 0
  std::uint64_t min = 0;                  ///< exact; 0 when empty
  std::uint64_t max = 0;                  ///< exact; 0 when empty
  std::uint64_t overflow = 0;             ///< values above the range: counted in the last cell

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// From the middle of the cells; 0 when empty.
  [[nodiscard]] double mean() const noexcept;
  /// Of the population (divided by n), from the middle of the cells; 0 when empty.
  [[nodiscard]] double standard_deviation() const noexcept;

  /// The value of the rank that `share` (0..1) asks for: the upper edge of its cell, and never above `max`. With
  /// `hdr_histogram` exactly what HdrHistogram answers: not cut to `max`, and the lower edge for a share of 0. 0 when
  /// empty. Where values lie above the range, ranks in the last cell answer `max`.
  [[nodiscard]] std::uint64_t value_at(double share, RankRule rule = RankRule::ceiling) const noexcept;
  /// The same for a rank, 1..count().
  [[nodiscard]] std::uint64_t value_of_rank(std::uint64_t rank) const noexcept;

  /// How many values lie in cells wholly at or below `value`'s cell.
  [[nodiscard]] std::uint64_t count_up_to(std::uint64_t value) const noexcept;
  /// One past the last counter that is not 0.
  [[nodiscard]] std::size_t used_counters() const noexcept;
};

/// The histogram proper. Throws std::bad_alloc at construction only.
template <unsigned PrecisionBits, unsigned RangeBits = 42>
class BasicHistogram {
  static_assert(PrecisionBits >= 1 && PrecisionBits <= 17 && RangeBits > PrecisionBits && RangeBits <= 63);

 public:
  static constexpr HistogramLayout k_layout{PrecisionBits, RangeBits, 0};

  BasicHistogram() : counts_(std::make_unique<std::uint64_t[]>(k_layout.counters())) {}

  /// The counter of a value that is in range; what the hot path computes.
  [[nodiscard]] static constexpr std::size_t index_of(std::uint64_t value) noexcept { return k_layout.index_of(value); }

  /// Counts `value`; min and max are kept exactly. A value above the range goes to the last cell and is counted as
  /// overflow as well. O(1), no allocation.
  void record(std::uint64_t value) noexcept {
    // One compare keeps min and max and guards the range: below the least value the difference wraps around, and no
    // value above the range is ever let into [least_, least_ + span_). An empty histogram has a span of 0.
    if (value - least_ >= span_) [[unlikely]] {
      value = widen(value, 1);
    }
    ++counts_[index_of(value)];
  }

  /// Counts `value` `count` times; nothing when `count` is 0.
  void record(std::uint64_t value, std::uint64_t count) noexcept {
    if (count == 0) return;
    if (value - least_ >= span_) value = widen(value, count);
    counts_[index_of(value)] += count;
  }

  /// Counts `value`, and what a load generator waiting for it did not measure: value - interval, value - 2 interval,
  /// ... down to `expected_interval` (coordinated omission, as HdrHistogram in Java and C). An interval of 0 adds
  /// nothing. O(cells between), not O(values added).
  void record_corrected(std::uint64_t value, std::uint64_t expected_interval) noexcept {
    record(value);
    if (expected_interval == 0) return;
    while (value >= expected_interval && value - expected_interval >= expected_interval) {
      value -= expected_interval;  // the largest one not counted yet; count with it all that share its cell
      const std::uint64_t edge =
          value > k_layout.largest() ? k_layout.largest() + 1 : k_layout.lowest_of(index_of(value));
      const std::uint64_t more = (value - std::max(edge, expected_interval)) / expected_interval;
      record(value, more);
      value -= more * expected_interval;
      record(value);
    }
  }

  /// Counts `count` values of which only the cell is known; min and max go to its edges.
  void add_to_cell(std::size_t index, std::uint64_t count) noexcept {
    if (count == 0) return;
    counts_[index] += count;
    include(k_layout.lowest_of(index));
    include(k_layout.highest_of(index));
  }
  /// Says that `count` of the values in the last cell lay above the range, by how much is not known.
  void mark_overflow(std::uint64_t count) noexcept {
    if (count == 0) return;
    overflow_ += count;
    overflow_min_ = std::min(overflow_min_, k_layout.largest() + 1);
    overflow_max_ = std::max(overflow_max_, k_layout.largest() + 1);
  }

  /// Adds all counts of `other`. O(counters).
  void merge(const BasicHistogram& other) noexcept {
    for (std::size_t index = 0; index < k_layout.counters(); ++index) counts_[index] += other.counts_[index];
    overflow_ += other.overflow_;
    overflow_min_ = std::min(overflow_min_, other.overflow_min_);
    overflow_max_ = std::max(overflow_max_, other.overflow_max_);
    if (other.span_ == 0) return;
    include(other.least_);
    include(other.least_ + other.span_ - 1);
  }

  /// Forgets everything recorded; keeps the memory.
  void reset() noexcept {
    std::fill_n(counts_.get(), k_layout.counters(), std::uint64_t{0});
    least_ = span_ = overflow_ = overflow_max_ = 0;
    overflow_min_ = k_none;
  }

  /// How many values; the sum of the counters, O(counters): nothing on the hot path has to keep it.
  [[nodiscard]] std::uint64_t count() const noexcept { return view().count(); }
  /// The smallest and the largest value recorded, exactly; 0 when empty.
  [[nodiscard]] std::uint64_t min() const noexcept { return span_ != 0 ? least_ : overflow_ != 0 ? overflow_min_ : 0; }
  [[nodiscard]] std::uint64_t max() const noexcept {
    return overflow_ != 0 ? overflow_max_ : span_ != 0 ? least_ + span_ - 1 : 0;
  }
  /// Values above the range.
  [[nodiscard]] std::uint64_t overflow() const noexcept { return overflow_; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return {counts_.get(), k_layout.counters()}; }

  [[nodiscard]] HistogramView view() const noexcept { return {k_layout, counts(), min(), max(), overflow_}; }
  [[nodiscard]] double mean() const noexcept { return view().mean(); }
  [[nodiscard]] double standard_deviation() const noexcept { return view().standard_deviation(); }
  [[nodiscard]] std::uint64_t value_at(double share, RankRule rule = RankRule::ceiling) const noexcept {
    return view().value_at(share, rule);
  }

 private:
  static constexpr std::uint64_t k_none = std::numeric_limits<std::uint64_t>::max();

  /// Takes `value` into min and max and answers the value to count. Away from the hot path, so that it stays small.
  [[gnu::noinline, gnu::cold]] std::uint64_t widen(std::uint64_t value, std::uint64_t count) noexcept {
    if (value <= k_layout.largest()) {
      include(value);
      return value;
    }
    overflow_ += count;
    overflow_min_ = std::min(overflow_min_, value);
    overflow_max_ = std::max(overflow_max_, value);
    return k_layout.largest();
  }

  void include(std::uint64_t value) noexcept {
    const std::uint64_t first = span_ == 0 ? value : std::min(least_, value);
    const std::uint64_t last = span_ == 0 ? value : std::max(least_ + span_ - 1, value);
    least_ = first;
    span_ = last - first + 1;
  }

  std::unique_ptr<std::uint64_t[]> counts_;
  std::uint64_t least_ = 0;  // of the values in range
  std::uint64_t span_ = 0;   // largest in range - least + 1; 0: none yet
  std::uint64_t overflow_ = 0;
  std::uint64_t overflow_min_ = k_none;
  std::uint64_t overflow_max_ = 0;
};

/// For hot paths: HdrHistogram's 2 significant figures, small enough for the first-level cache.
using Histogram = BasicHistogram<7>;
/// For what is worked out afterwards: HdrHistogram's 3 significant figures.
using FineHistogram = BasicHistogram<10>;

/// A histogram whose layout is known only at run time: read from a file, or kept beside others. Allocates.
struct StoredHistogram {
  HistogramLayout layout;
  std::vector<std::uint64_t> counts;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::uint64_t overflow = 0;

  StoredHistogram() = default;
  explicit StoredHistogram(const HistogramView& view);
  /// Counts at a layout; min and max are the edges of the outermost cells that are not empty.
  StoredHistogram(HistogramLayout of, std::vector<std::uint64_t> cells);

  /// Adds `other`; false, with nothing changed, when the layouts differ.
  [[nodiscard]] bool merge(const HistogramView& other);
  [[nodiscard]] HistogramView view() const noexcept { return {layout, counts, min, max, overflow}; }
};

}  // namespace dojima::measure
