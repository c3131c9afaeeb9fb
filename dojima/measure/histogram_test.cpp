#include "dojima/measure/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::measure {
namespace {

constexpr std::uint64_t k_largest = Histogram::k_layout.largest();

/// Everything that can be seen of a histogram.
struct Seen {
  std::vector<std::uint64_t> counts;
  std::uint64_t min, max, overflow;
  friend bool operator==(const Seen&, const Seen&) = default;
};

template <class Any>
Seen seen(const Any& histogram) {
  return {
      {histogram.counts().begin(), histogram.counts().end()}, histogram.min(), histogram.max(), histogram.overflow()};
}

Histogram histogram_of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

/// Latencies as they come: any power of two is as likely as any other, a few above the range.
rc::Gen<std::uint64_t> latency() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 45), rc::gen::arbitrary<std::uint64_t>()),
                      [](auto pair) { return pair.second & ((std::uint64_t{1} << pair.first) - 1); });
}

rc::Gen<std::vector<std::uint64_t>> latencies() {
  return rc::gen::container<std::vector<std::uint64_t>>(latency());
}

TEST(HistogramLayout, has_as_many_counters_as_hdr_histogram) {
  EXPECT_EQ(Histogram::k_layout, HistogramLayout::of_significant_figures(2));
  EXPECT_EQ(FineHistogram::k_layout, HistogramLayout::of_significant_figures(3));
  EXPECT_EQ(Histogram::k_layout.counters(), 4608u);
  EXPECT_EQ(FineHistogram::k_layout.counters(), 33792u);
  EXPECT_EQ(HistogramLayout::of_significant_figures(1).precision_bits, 4u);
  EXPECT_EQ(HistogramLayout::of_significant_figures(4).precision_bits, 14u);
  EXPECT_EQ(HistogramLayout::of_significant_figures(5).precision_bits, 17u);
  EXPECT_EQ((HistogramLayout{8, 42, 0}).significant_figures(), 0u);
  EXPECT_EQ((HistogramLayout{10, 42, 0}).significant_figures(), 3u);
}

/// At every cell of a layout: the edges belong to it, the neighbours' edges meet, and no value is wider off than the
/// precision promises. As an index never falls between edges, that covers every value.
void expect_sound_at_every_edge(HistogramLayout layout) {
  std::uint64_t next = 0;
  for (std::size_t index = 0; index < layout.counters(); ++index) {
    const std::uint64_t lowest = layout.lowest_of(index);
    const std::uint64_t highest = layout.highest_of(index);
    ASSERT_EQ(lowest, next) << "cell " << index << " begins where the one before ends";
    ASSERT_EQ(layout.index_of(lowest), index);
    ASSERT_EQ(layout.index_of(highest), index);
    ASSERT_EQ(layout.index_of((lowest + highest) / 2), index);
    const std::uint64_t unit = std::uint64_t{1} << layout.unit_bits;
    ASSERT_LE((highest - lowest) / unit << layout.precision_bits, lowest)
        << "cell " << index << " is no wider than 2^-precision of its values";
    ASSERT_GE(layout.middle_of(index), lowest);
    ASSERT_LE(layout.middle_of(index), highest);
    next = highest + 1;
  }
  ASSERT_EQ(next, layout.largest() + 1) << "the cells end where the range ends";
}

TEST(HistogramLayoutLong, keeps_its_error_bound_at_every_edge_of_every_cell) {
  for (const unsigned precision : {1u, 4u, 5u, 7u, 10u, 14u, 17u}) {
    for (const unsigned range : {precision + 1, 42u, 63u}) {
      for (const unsigned unit : {0u, 3u}) {
        if (range > precision + unit) expect_sound_at_every_edge({precision, range, unit});
      }
    }
  }
}

TEST(HistogramLayout, gives_every_value_of_the_first_ranges_its_neighbours_index_or_the_next) {
  for (std::uint64_t value = 1; value < 1u << 20; ++value) {
    const std::size_t step = Histogram::index_of(value) - Histogram::index_of(value - 1);
    ASSERT_LE(step, 1u) << value;
  }
}

RC_GTEST_PROP(HistogramLayout, never_lowers_the_index_as_the_value_grows, ()) {
  const std::uint64_t one = *latency() % (k_largest + 1);
  const std::uint64_t other = *latency() % (k_largest + 1);
  RC_ASSERT(Histogram::index_of(std::min(one, other)) <= Histogram::index_of(std::max(one, other)));
  RC_ASSERT(FineHistogram::index_of(std::min(one, other)) <= FineHistogram::index_of(std::max(one, other)));
}

TEST(Histogram, is_empty_at_first_and_after_a_reset) {
  Histogram histogram;
  const Seen fresh = seen(histogram);
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.value_at(0.99), 0u);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.standard_deviation(), 0.0);
  for (const std::uint64_t value : {5u, 0u, 77'000u}) histogram.record(value);
  histogram.record(k_largest + 1);
  EXPECT_EQ(histogram.count(), 4u);
  histogram.reset();
  EXPECT_EQ(seen(histogram), fresh);
}

TEST(Histogram, keeps_min_and_max_exactly_where_cells_are_wide) {
  Histogram histogram;
  histogram.record(1'000'003);
  EXPECT_EQ(histogram.min(), 1'000'003u);
  EXPECT_EQ(histogram.max(), 1'000'003u);
  histogram.record(1'000'001);
  histogram.record(1'000'002);
  histogram.record(2'000'005);
  EXPECT_EQ(histogram.min(), 1'000'001u);
  EXPECT_EQ(histogram.max(), 2'000'005u);
  histogram.record(0);
  EXPECT_EQ(histogram.min(), 0u);
}

TEST(Histogram, counts_values_above_the_range_in_the_last_cell_and_as_overflow) {
  Histogram histogram;
  histogram.record(k_largest + 5);
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.overflow(), 1u);
  EXPECT_EQ(histogram.min(), k_largest + 5) << "the true values are kept";
  EXPECT_EQ(histogram.max(), k_largest + 5);
  histogram.record(k_largest);
  histogram.record(10);
  histogram.record(std::numeric_limits<std::uint64_t>::max(), 3);
  EXPECT_EQ(histogram.overflow(), 4u) << "the largest value in range is none";
  EXPECT_EQ(histogram.counts().back(), 5u);
  EXPECT_EQ(histogram.min(), 10u);
  EXPECT_EQ(histogram.max(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(histogram.value_at(0.5), std::numeric_limits<std::uint64_t>::max()) << "at least that is certain";
}

RC_GTEST_PROP(Histogram, keeps_count_min_max_and_overflow_of_whatever_is_recorded, ()) {
  const auto values = *rc::gen::nonEmpty(latencies());
  const Histogram histogram = histogram_of(values);
  RC_ASSERT(histogram.count() == values.size());
  RC_ASSERT(histogram.min() == *std::min_element(values.begin(), values.end()));
  RC_ASSERT(histogram.max() == *std::max_element(values.begin(), values.end()));
  RC_ASSERT(histogram.overflow() == static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(),
                                                                             [](auto v) { return v > k_largest; })));
}

RC_GTEST_PROP(Histogram, records_a_count_as_it_records_one_by_one, ()) {
  const auto values = *latencies();
  const auto count = *rc::gen::inRange<std::uint64_t>(0, 5);
  Histogram at_once;
  Histogram one_by_one;
  for (const std::uint64_t value : values) {
    at_once.record(value, count);
    for (std::uint64_t i = 0; i < count; ++i) one_by_one.record(value);
  }
  RC_ASSERT(seen(at_once) == seen(one_by_one));
}

RC_GTEST_PROP(Histogram, merges_to_what_recording_everything_into_one_gives, ()) {
  const auto first = *latencies();
  const auto second = *latencies();
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  Histogram merged = histogram_of(first);
  merged.merge(histogram_of(second));
  RC_ASSERT(seen(merged) == seen(histogram_of(both)));
}

RC_GTEST_PROP(Histogram, merges_in_any_order_and_grouping, ()) {
  const auto a = *latencies();
  const auto b = *latencies();
  const auto c = *latencies();
  Histogram left = histogram_of(a);
  left.merge(histogram_of(b));
  left.merge(histogram_of(c));
  Histogram right = histogram_of(b);
  right.merge(histogram_of(c));
  Histogram grouped = histogram_of(a);
  grouped.merge(right);
  RC_ASSERT(seen(left) == seen(grouped));
  right.merge(histogram_of(a));
  RC_ASSERT(seen(left) == seen(right));
}

void record_corrected_one_by_one(Histogram& histogram, std::uint64_t value, std::uint64_t interval) {
  histogram.record(value);
  if (interval == 0) return;
  while (value >= interval && value - interval >= interval) {
    value -= interval;
    histogram.record(value);
  }
}

TEST(Histogram, fills_in_what_a_stalled_generator_did_not_measure) {
  Histogram histogram;
  histogram.record_corrected(5'000'000, 1'000'000);
  EXPECT_EQ(histogram.count(), 5u) << "four extra for a pause of five intervals";
  EXPECT_EQ(histogram.min(), 1'000'000u);
  EXPECT_EQ(histogram.max(), 5'000'000u);
  histogram.record_corrected(999'999, 1'000'000);
  EXPECT_EQ(histogram.count(), 6u) << "none for one that took less than an interval";
}

RC_GTEST_PROP(Histogram, corrects_as_a_loop_over_every_missing_value_does, ()) {
  Histogram by_cells;
  Histogram one_by_one;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t interval = *latency();
    const std::uint64_t times = *rc::gen::inRange<std::uint64_t>(0, 3000);
    const std::uint64_t rest = *latency();
    const std::uint64_t value = interval == 0 ? rest : interval * times + rest % interval;
    by_cells.record_corrected(value, interval);
    record_corrected_one_by_one(one_by_one, value, interval);
  }
  RC_ASSERT(seen(by_cells) == seen(one_by_one));
}

TEST(Histogram, corrects_a_stall_of_seconds_over_nanoseconds_without_looping_over_each) {
  Histogram histogram;
  histogram.record_corrected(3'000'000'000, 1);
  EXPECT_EQ(histogram.count(), 3'000'000'000u);
  EXPECT_EQ(histogram.min(), 1u);
}

TEST(RankRule, asks_for_the_least_rank_that_covers_the_share) {
  EXPECT_EQ(rank_of(0.5, 2), 1u);
  EXPECT_EQ(rank_of(0.5, 3), 2u);
  EXPECT_EQ(rank_of(0.0, 10), 1u);
  EXPECT_EQ(rank_of(1.0, 10), 10u);
  EXPECT_EQ(rank_of(0.99, 100), 99u);
  EXPECT_EQ(rank_of(0.991, 100), 100u);
  EXPECT_EQ(rank_of(0.9999, 10'000), 9'999u);
  EXPECT_EQ(rank_of(0.999, 1'500), 1'499u) << "ceil(1498.5)";
  EXPECT_EQ(rank_of(0.999, 1'400, RankRule::hdr_histogram), 1'399u) << "round(1398.6)";
  EXPECT_EQ(rank_of(0.999, 1'300, RankRule::hdr_histogram), 1'299u) << "round(1298.7)";
  EXPECT_EQ(rank_of(0.9, 14, RankRule::hdr_histogram), 13u) << "round(12.6)";
  EXPECT_EQ(rank_of(0.9, 13, RankRule::hdr_histogram), 12u) << "round(11.7); ceil gives the same";
  EXPECT_EQ(rank_of(0.9, 12, RankRule::hdr_histogram), 11u) << "round(10.8)";
  EXPECT_EQ(rank_of(0.9, 11, RankRule::hdr_histogram), 10u) << "round(9.9)";
  EXPECT_EQ(rank_of(0.6, 2, RankRule::hdr_histogram), 1u) << "round(1.2), where ceil gives 2";
  EXPECT_EQ(rank_of(0.6, 2), 2u);
  EXPECT_EQ(rank_of(0.0, 5, RankRule::hdr_histogram), 1u);
}

TEST(RankRule, is_not_moved_by_the_rounding_of_a_product) {
  for (std::uint64_t n = 1; n <= 400; ++n) {
    for (std::uint64_t k = 1; k <= n; ++k) {
      ASSERT_EQ(rank_of(static_cast<double>(k) / static_cast<double>(n), n), k) << k << " of " << n;
    }
  }
}

RC_GTEST_PROP(Histogram, answers_percentiles_never_too_low_and_at_most_a_cell_too_high, ()) {
  auto values = *rc::gen::nonEmpty(latencies());
  const double share = *rc::gen::inRange(0, 1001) / 1000.0;
  for (auto& value : values) value = std::min(value, k_largest);
  const std::uint64_t answer = histogram_of(values).value_at(share);
  std::sort(values.begin(), values.end());
  const std::uint64_t exact = values[rank_of(share, values.size()) - 1];
  RC_ASSERT(answer >= exact);
  RC_ASSERT(answer - exact <= exact >> 7);
  RC_ASSERT(answer <= values.back());
}

TEST(Histogram, answers_as_hdr_histogram_when_asked_by_its_rule) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 1000; ++value) histogram.record(value * 1000);
  // Frozen from PyPI hdrhistogram 0.10.8, HdrHistogram(1, 2**42 - 1, 2); tools/oracle compares far more.
  EXPECT_EQ(histogram.value_at(0.0, RankRule::hdr_histogram), 1'000u);
  EXPECT_EQ(histogram.value_at(0.5, RankRule::hdr_histogram), 501'759u);
  EXPECT_EQ(histogram.value_at(0.99, RankRule::hdr_histogram), 991'231u);
  EXPECT_EQ(histogram.value_at(1.0, RankRule::hdr_histogram), 1'003'519u);
  EXPECT_EQ(histogram.value_at(1.0), 1'000'000u) << "our own rule never answers above the largest value";
  EXPECT_DOUBLE_EQ(histogram.mean(), 500'499.326);
  EXPECT_NEAR(histogram.standard_deviation(), 288'676.4542092855, 1e-6);
}

TEST(Histogram, allocates_nothing_once_it_is_made) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  Histogram histogram;
  Histogram other;
  const auto before = heap_allocations();
  for (std::uint64_t value = 1; value < k_largest; value *= 3) {
    histogram.record(value);
    other.record_corrected(value, value / 7);
  }
  histogram.record(k_largest + 1);
  histogram.merge(other);
  const auto p99 = histogram.value_at(0.99);
  histogram.reset();
  const auto after = heap_allocations();
  EXPECT_EQ(after, before);
  EXPECT_GT(p99, 0u);
}

TEST(StoredHistogram, keeps_a_copy_and_merges_equal_layouts_only) {
  Histogram histogram = histogram_of({3, 700, 1'000'003});
  StoredHistogram stored(histogram.view());
  histogram.reset();
  EXPECT_EQ(stored.view().count(), 3u);
  EXPECT_EQ(stored.max, 1'000'003u);
  EXPECT_TRUE(stored.merge(histogram_of({1, 9'000'000}).view()));
  EXPECT_EQ(stored.view().count(), 5u);
  EXPECT_EQ(stored.min, 1u);
  EXPECT_EQ(stored.max, 9'000'000u);
  FineHistogram fine;
  fine.record(5);
  EXPECT_FALSE(stored.merge(fine.view()));
  EXPECT_EQ(stored.view().count(), 5u);
}

TEST(StoredHistogram, takes_min_and_max_from_the_outermost_cells) {
  std::vector<std::uint64_t> counts(Histogram::index_of(1'000'000) + 1);
  counts[Histogram::index_of(1000)] = 2;
  counts.back() = 1;
  const StoredHistogram stored(Histogram::k_layout, counts);
  EXPECT_EQ(stored.min, 1000u);
  EXPECT_EQ(stored.max, Histogram::k_layout.highest_of(Histogram::index_of(1'000'000)));
  EXPECT_EQ(stored.view().count_up_to(1000), 2u);
  EXPECT_EQ(stored.view().count_up_to(999'999'999), 3u);
}

}  // namespace
}  // namespace dojima::measure
