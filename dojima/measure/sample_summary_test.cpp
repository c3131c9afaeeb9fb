#include "dojima/measure/sample_summary.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace dojima::measure {
namespace {

TEST(SampleSummary, knows_a_hundred_numbers) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const SampleSummary summary = summarise(values);
  EXPECT_EQ(summary.n, 100u);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summary.mean, 50.5);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(83325.0 / 99));
  EXPECT_DOUBLE_EQ(summary.median, 50.5);
  EXPECT_DOUBLE_EQ(summary.mad, 25);
  // The value of rank ceil(p n).
  EXPECT_EQ(summary.p99, 99);
  EXPECT_EQ(summary.p999, 100);
  EXPECT_EQ(summary.p9999, 100);
}

TEST(SampleSummary, has_a_99_99th_percentile_below_the_largest_of_ten_thousand) {
  std::vector<double> values(10'000, 1);
  values[17] = 1000;
  values[18] = 500;
  EXPECT_EQ(summarise(values).p9999, 500);
  EXPECT_EQ(summarise(values).max, 1000);
}

TEST(SampleSummary, is_no_number_without_a_value) {
  EXPECT_TRUE(std::isnan(summarise({}).mean));
  EXPECT_EQ(summarise({}).n, 0u);
}

TEST(SampleSummary, counts_what_lies_far_out_and_bounds_the_spread_by_the_clock) {
  const std::vector<double> values = {10, 10, 10, 10, 40, 5000};
  EXPECT_EQ(count_beyond(values, 10), 2u);
  EXPECT_EQ(count_beyond(values, 40), 1u);
  EXPECT_EQ(robust_spread(summarise(values), 10), 10);
  EXPECT_DOUBLE_EQ(robust_spread({.mad = 20}, 10), 1.4826 * 20);
}

}  // namespace
}  // namespace dojima::measure
