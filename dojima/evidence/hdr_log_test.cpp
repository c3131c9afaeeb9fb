#include "dojima/evidence/hdr_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace dojima::evidence {
namespace {

// Made by PyPI hdrhistogram 0.10.8: HdrHistogram(1, 3600000000, 3) with 1, 1, 5, 1000, 123456789 and 3599999999.
constexpr std::string_view k_three_figures = "HISTFAAAAC14nJNpmSzMwMDAxwABzFCaEURcm7yEwf4DVICFlekwP9PjXiam9b5MAKfVB+c=";
// HdrHistogram(1000, 3600000000, 2), which distinguishes values in steps of 512, with 500, 1000, 5000 and 123456789.
constexpr std::string_view k_coarse_unit = "HISTFAAAACd4nJNpmSzMwMDAzgABTBCK+QWIvDZ5CYP9B6gEEy/TQXEmAIpMBmQ=";

TEST(HdrEncoding, reads_what_hdr_histogram_wrote) {
  const auto histogram = decode_hdr(k_three_figures);
  ASSERT_TRUE(histogram.has_value());
  EXPECT_EQ(histogram->layout, (measure::HistogramLayout{10, 32, 0}));
  EXPECT_EQ(histogram->view().count(), 6u);
  EXPECT_EQ(histogram->min, 1u);
  EXPECT_EQ(histogram->max, 3'600'809'983u);
  EXPECT_EQ(histogram->counts[1], 2u);
  EXPECT_EQ(histogram->counts[histogram->layout.index_of(123'456'789)], 1u);
}

TEST(HdrEncoding, keeps_a_coarser_unit) {
  const auto histogram = decode_hdr(k_coarse_unit);
  ASSERT_TRUE(histogram.has_value());
  EXPECT_EQ(histogram->layout, (measure::HistogramLayout{7, 32, 9}));
  EXPECT_EQ(histogram->layout.counters(), 2176u);
  EXPECT_EQ(histogram->counts[0], 1u);
  EXPECT_EQ(histogram->counts[9], 1u);
  EXPECT_EQ(histogram->counts[1515], 1u);
  EXPECT_EQ(histogram->max, 123'731'967u);
}

template <class Any>
std::vector<std::uint64_t> used(const Any& view) {
  return {view.counts.begin(), view.counts.begin() + static_cast<std::ptrdiff_t>(view.used_counters())};
}

RC_GTEST_PROP(HdrEncoding, reads_back_every_count, ()) {
  measure::FineHistogram histogram;
  const auto values = *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 42),
                    rc::gen::element<std::uint64_t>(1, 2, 63, 64, 100'000, std::uint64_t{1} << 40)));
  for (const auto& [value, count] : values) histogram.record(value, count);
  const auto again = decode_hdr(encode_hdr(histogram.view()));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->layout == measure::FineHistogram::k_layout);
  RC_ASSERT(used(again->view()) == used(histogram.view()));
}

TEST(HdrEncoding, carries_counts_of_every_length) {
  measure::Histogram histogram;
  for (unsigned bit = 0; bit < 63; ++bit) histogram.record(std::uint64_t{bit} * 2, std::uint64_t{1} << bit);
  const auto again = decode_hdr(encode_hdr(histogram.view()));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(used(again->view()), used(histogram.view()));
}

TEST(HdrEncoding, refuses_what_is_none) {
  EXPECT_FALSE(decode_hdr("").has_value());
  EXPECT_FALSE(decode_hdr("HISTF").has_value());
  EXPECT_FALSE(decode_hdr("AAAAAAAAAAAAAAAA").has_value());
  std::string cut(k_three_figures);
  cut.resize(cut.size() - 8);
  EXPECT_FALSE(decode_hdr(cut).has_value()) << "the length does not fit";
  std::string changed(k_three_figures);
  changed[40] = changed[40] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(decode_hdr(changed).has_value()) << "zlib carries a checksum";
}

TEST(HdrLog, is_read_back_with_times_and_tags) {
  measure::Histogram first;
  first.record(1'000'000);
  measure::Histogram second;
  second.record(2'500'000, 3);
  HdrLogWriter writer(1'700'000'000.25);
  writer.add({.start_s = 0.5, .length_s = 1, .histogram = measure::StoredHistogram(first.view())});
  writer.add({.start_s = 1.5, .length_s = 0.25, .tag = "venue", .histogram = measure::StoredHistogram(second.view())});
  EXPECT_TRUE(writer.text().starts_with(
      "#[Histogram log format version 1.2]\n"
      "#[StartTime: 1700000000.250 (seconds since epoch)]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
      "0.500,1.000,1.000,HISTFAAAA"))
      << writer.text();
  EXPECT_NE(writer.text().find("\nTag=venue,1.500,0.250,2.500,HISTFAAAA"), std::string::npos);

  const auto log = parse_hdr_log(writer.text());
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->start_time_s, 1'700'000'000.25);
  EXPECT_FALSE(log->base_time_s.has_value());
  ASSERT_EQ(log->intervals.size(), 2u);
  EXPECT_EQ(log->intervals[0].start_s, 0.5);
  EXPECT_EQ(log->intervals[0].length_s, 1.0);
  EXPECT_EQ(used(log->intervals[0].histogram.view()), used(first.view()));
  EXPECT_EQ(log->intervals[1].tag, "venue");
  EXPECT_EQ(used(log->intervals[1].histogram.view()), used(second.view()));
}

TEST(HdrLog, reads_base_times_and_skips_comments) {
  const auto log =
      parse_hdr_log("#[Logged with another tool]\r\n#[BaseTime: 12.5 (seconds since epoch)]\n\n0.1,1,2.0," +
                    std::string(k_three_figures) + "\n");
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->base_time_s, 12.5);
  ASSERT_EQ(log->intervals.size(), 1u);
}

TEST(HdrLog, names_the_line_that_is_wrong) {
  const auto log = parse_hdr_log("#comment\n0.1,1,2.0,HISTFbroken\n");
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().offset, 2u);
  EXPECT_EQ(parse_hdr_log("a,b,c,d\n").error().offset, 1u);
}

}  // namespace
}  // namespace dojima::evidence
