#include "dojima/measure/timed_section.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::measure {
namespace {

void add(std::vector<std::uint64_t>& differences, std::uint64_t value, int times) {
  differences.insert(differences.end(), static_cast<std::size_t>(times), value);
}

TEST(ClockQuantum, is_found_from_clusters_where_the_common_divisor_is_one) {
  // Back-to-back readings on a virtual machine whose counter advances every 26 ticks, or nearly so.
  std::vector<std::uint64_t> differences;
  add(differences, 26, 7000);
  add(differences, 25, 400);
  add(differences, 1, 900);
  add(differences, 52, 1500);
  add(differences, 77, 190);
  add(differences, 40'013, 3);  // interruptions
  add(differences, 7, 1);
  EXPECT_NEAR(quantum_of(differences), 26, 0.3);
}

TEST(ClockQuantum, is_one_tick_where_differences_gather_nowhere) {
  std::vector<std::uint64_t> differences;
  for (std::uint64_t value = 18; value < 60; ++value) add(differences, value, 100);
  EXPECT_EQ(quantum_of(differences), 1.0);
  EXPECT_EQ(quantum_of({}), 1.0);
  EXPECT_EQ(quantum_of(std::vector<std::uint64_t>(1000, 24)), 1.0) << "one cluster says nothing about steps";
}

TEST(ClockQuantum, is_one_tick_where_clusters_are_no_multiples) {
  std::vector<std::uint64_t> differences;
  add(differences, 20, 500);
  add(differences, 31, 500);
  add(differences, 47, 500);
  EXPECT_EQ(quantum_of(differences), 1.0);
}

TEST(ClockQuantum, is_one_tick_where_every_tick_is_taken_in_two_stretches) {
  std::vector<std::uint64_t> differences;
  for (std::uint64_t value = 500; value < 560; ++value) add(differences, value, 100);
  for (std::uint64_t value = 630; value < 690; ++value) add(differences, value, 10);
  EXPECT_EQ(quantum_of(differences), 1.0);
}

RC_GTEST_PROP(ClockQuantum, is_found_for_any_step, ()) {
  const double step = *rc::gen::inRange(100, 1000) / 10.0;
  std::vector<std::uint64_t> differences;
  for (int multiple = 0; multiple < 5; ++multiple) {
    add(differences, static_cast<std::uint64_t>(step * multiple), *rc::gen::inRange(50, 1000));
    add(differences, static_cast<std::uint64_t>(step * multiple) + 1, *rc::gen::inRange(50, 1000));
  }
  RC_ASSERT(std::abs(quantum_of(differences) - step) < 1.0);
}

TEST(CycleClock, turns_cycles_into_nanoseconds_by_one_multiplication) {
  const CycleClock clock(0.385192, 26);
  EXPECT_EQ(clock.nanoseconds(0), 0u);
  EXPECT_EQ(clock.nanoseconds(1'000'001), 385'192u);
  EXPECT_EQ(clock.nanoseconds(std::uint64_t{1} << 50), 433687636916524u) << "no overflow after five days";
  EXPECT_NEAR(clock.quantum_ns(), 10.0, 0.02);
}

TEST(CycleClock, is_calibrated_to_a_rate_that_a_processor_can_have) {
  const CycleClock clock = CycleClock::calibrate(std::chrono::milliseconds{2});
  EXPECT_GT(clock.ns_per_cycle(), 0.05);
  EXPECT_LT(clock.ns_per_cycle(), 20.0);
  EXPECT_GE(clock.quantum_cycles(), 1.0);
  EXPECT_GE(clock.uncertainty_ppm(), 0.0);
}

TEST(TimedSection, is_recorded_once_and_allocates_nothing) {
  const CycleClock clock(0.4);
  Histogram histogram;
  const auto before = heap_allocations();
  {
    SectionTimer<Fencing::fenced> fenced(clock, histogram);
    SectionTimer<Fencing::unfenced> unfenced(clock, histogram);
    for (int i = 0; i < 10; ++i) {
      const TimedSection outer(fenced);
      const TimedSection inner(unfenced);
    }
    EXPECT_EQ(histogram.count(), 18u) << "the last of each timer is still pending";
    fenced.flush();
    EXPECT_EQ(histogram.count(), 19u);
    fenced.flush();
    EXPECT_EQ(histogram.count(), 19u) << "nothing is recorded twice";
  }
  const auto after = heap_allocations();
  EXPECT_EQ(after, before);
  EXPECT_EQ(histogram.count(), 20u);
}

TEST(SectionTimer, records_nanoseconds_of_the_cycles_it_is_given) {
  const CycleClock clock(0.5);
  Histogram histogram;
  SectionTimer<Fencing::unfenced> timer(clock, histogram);
  for (const std::uint64_t cycle_count : {0u, 200u, 100u}) timer.add(cycle_count);
  timer.flush();
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 100u);
}

TEST(SectionCost, is_measured_and_shown) {
  const CycleClock clock(0.4, 25);
  const SectionCost cost = measure_section_cost<Fencing::unfenced>(clock, 5);
  EXPECT_GT(cost.whole_ns, 0.0);
  EXPECT_EQ(to_text(SectionCost{20, 30, 41.06}, clock),
            "an empty section shows 20 ns (p99 30 ns) and takes 41.1 ns; clock step 10.0 ns");
}

}  // namespace
}  // namespace dojima::measure
