#include "dojima/measure/interval_recorder.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::measure {
namespace {

using Recorder = IntervalRecorder<7>;

TEST(IntervalRecorder, gives_each_interval_what_was_recorded_in_it) {
  Recorder recorder;
  Histogram interval;
  recorder.record(100);
  recorder.record(5'000'000);
  recorder.take(interval);
  EXPECT_EQ(interval.count(), 2u);
  EXPECT_EQ(interval.min(), 100u);
  EXPECT_EQ(interval.max(), Histogram::k_layout.highest_of(Histogram::index_of(5'000'000)));
  recorder.record(7);
  recorder.take(interval);
  EXPECT_EQ(interval.count(), 1u);
  EXPECT_EQ(interval.max(), 7u);
  recorder.take(interval);
  EXPECT_EQ(interval.count(), 0u);
}

TEST(IntervalRecorder, counts_values_above_the_range) {
  Recorder recorder;
  Histogram interval;
  recorder.record(Histogram::k_layout.largest() + 1);
  recorder.take(interval);
  EXPECT_EQ(interval.count(), 1u);
  EXPECT_EQ(interval.overflow(), 1u);
  recorder.take(interval);
  EXPECT_EQ(interval.overflow(), 0u);
}

TEST(IntervalRecorder, loses_and_doubles_nothing_while_it_is_being_written) {
  constexpr std::uint64_t k_values = 300'000;
  Recorder recorder;
  Histogram expected;
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < k_values; ++i) recorder.record(i * i % 1'000'003);
    is_done.store(true, std::memory_order_release);
  });
  for (std::uint64_t i = 0; i < k_values; ++i) expected.record(i * i % 1'000'003);

  std::vector<std::uint64_t> sums(Histogram::k_layout.counters());
  Histogram interval;
  const auto take = [&] {
    recorder.take(interval);
    for (std::size_t index = 0; index < sums.size(); ++index) sums[index] += interval.counts()[index];
  };
  while (!is_done.load(std::memory_order_acquire)) take();
  writer.join();
  take();
  EXPECT_EQ(sums, std::vector<std::uint64_t>(expected.counts().begin(), expected.counts().end()));
}

TEST(IntervalRecorder, allocates_nothing_once_it_is_made) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  Recorder recorder;
  Histogram interval;
  const auto before = heap_allocations();
  recorder.record(5);
  recorder.take(interval);
  const auto after = heap_allocations();
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace dojima::measure
