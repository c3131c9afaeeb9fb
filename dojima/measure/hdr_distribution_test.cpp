#include "dojima/measure/hdr_distribution.hpp"

#include <gtest/gtest.h>

namespace dojima::measure {
namespace {

TEST(Hgrm, prints_the_lines_of_hdr_histogram) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 10; ++value) histogram.record(value);
  histogram.record(1000);
  // The levels are Java's: two steps to the half, two to three quarters, two to seven eighths, and so on.
  EXPECT_EQ(to_hgrm(histogram.view(), {.ticks_per_half_distance = 2}),
            "       Value     Percentile TotalCount 1/(1-Percentile)\n"
            "\n"
            "        1.00 0.000000000000          1           1.00\n"
            "        3.00 0.250000000000          3           1.33\n"
            "        6.00 0.500000000000          6           2.00\n"
            "        7.00 0.625000000000          7           2.67\n"
            "        9.00 0.750000000000          9           4.00\n"
            "        9.00 0.812500000000          9           5.33\n"
            "       10.00 0.875000000000         10           8.00\n"
            "       10.00 0.906250000000         10          10.67\n"
            "     1003.00 0.937500000000         11          16.00\n"
            "     1003.00 1.000000000000         11\n"
            "#[Mean    =        96.09, StdDeviation   =       286.49]\n"
            "#[Max     =      1003.00, Total count    =           11]\n"
            "#[Buckets =           35, SubBuckets     =          256]\n");
}

TEST(Hgrm, shows_values_in_the_unit_asked_for) {
  FineHistogram histogram;
  histogram.record(1'500'000);
  const std::string text = to_hgrm(histogram.view(), {.unit = 1000});
  EXPECT_NE(text.find("    1500.159 0.000000000000          1           1.00\n"), std::string::npos) << text;
  EXPECT_NE(text.find("#[Buckets =           32, SubBuckets     =         2048]\n"), std::string::npos) << text;
}

TEST(Hgrm, has_no_lines_for_nothing) {
  const std::string text = to_hgrm(Histogram().view());
  EXPECT_NE(text.find("#[Max     =         0.00, Total count    =            0]"), std::string::npos) << text;
  const auto table = parse_hgrm(text);
  ASSERT_TRUE(table.has_value());
  EXPECT_TRUE(table->lines.empty());
}

TEST(Hgrm, reads_back_what_it_wrote) {
  FineHistogram histogram;
  for (std::uint64_t value = 1; value < 5'000'000; value = value * 5 / 4 + 1) histogram.record(value, 100);
  const auto table = parse_hgrm(to_hgrm(histogram.view()));
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->total_count, histogram.count());
  EXPECT_NEAR(table->mean, histogram.mean(), 0.001);
  EXPECT_NEAR(table->standard_deviation, histogram.standard_deviation(), 0.001);
  ASSERT_FALSE(table->lines.empty());
  EXPECT_EQ(table->lines.back().share, 1.0);
  EXPECT_EQ(table->lines.back().value, table->max);
  for (const HgrmTable::Line& line : table->lines) {
    EXPECT_EQ(histogram.view().count_up_to(static_cast<std::uint64_t>(line.value)), line.total_count);
  }
}

TEST(Hgrm, reads_the_python_packages_total_as_well) {
  const auto table = parse_hgrm(
      "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
      "    1000.000 0.000000000000      10000           1.00\r\n"
      "    1000.000 1.000000000000      10000\n"
      "#[Max     =     1000.000, TotalCount     =    10000.000]\n");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->total_count, 10'000u);
  EXPECT_EQ(table->lines.size(), 2u);
}

TEST(Hgrm, names_the_line_that_is_none) {
  const auto table = parse_hgrm("Value Percentile TotalCount\n\n10 0.5 1 2.0\n10 half 1\n");
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().offset, 4u);
  EXPECT_EQ(parse_hgrm("hello\n").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_hgrm("").error().code, ErrorCode::missing);
}

}  // namespace
}  // namespace dojima::measure
