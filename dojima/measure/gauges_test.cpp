#include "dojima/measure/gauges.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <thread>

namespace dojima::measure {
namespace {

TEST(Gauges, are_printed_as_prometheus_reads_them) {
  GaugeBoard board;
  Gauge& first = board.gauge("dojima_orders", "Open orders", {{"client", "A"}});
  Gauge& second = board.counter("dojima_requests_total", "Requests\nof all");
  Gauge& third = board.gauge("dojima_orders", "not printed", {{"client", "B \"the\\second\"\n"}, {"side", "buy"}});
  first.set(std::uint64_t{7});
  second.set(std::uint64_t{1} << 40U);
  third.set(0.25);
  EXPECT_EQ(board.prometheus(),
            "# HELP dojima_orders Open orders\n"
            "# TYPE dojima_orders gauge\n"
            "dojima_orders{client=\"A\"} 7\n"
            "dojima_orders{client=\"B \\\"the\\\\second\\\"\\n\",side=\"buy\"} 0.25\n"
            "# HELP dojima_requests_total Requests\\nof all\n"
            "# TYPE dojima_requests_total counter\n"
            "dojima_requests_total 1099511627776\n");
}

TEST(Gauges, print_every_double) {
  GaugeBoard board;
  Gauge& gauge = board.gauge("value", "");
  const auto printed = [&](double value) {
    gauge.set(value);
    const std::string text = board.prometheus();
    return text.substr(text.rfind("value ") + 6);
  };
  EXPECT_EQ(printed(0), "0\n");
  EXPECT_EQ(printed(-3), "-3\n");
  EXPECT_EQ(printed(1e-9), "1e-09\n");
  EXPECT_EQ(printed(1e300), "1e+300\n");
  EXPECT_EQ(printed(std::numeric_limits<double>::infinity()), "+Inf\n");
  EXPECT_EQ(printed(-std::numeric_limits<double>::infinity()), "-Inf\n");
  EXPECT_EQ(printed(std::numeric_limits<double>::quiet_NaN()), "NaN\n");
}

TEST(Gauges, are_read_while_they_are_written) {
  GaugeBoard board;
  Gauge& gauge = board.counter("steps_total", "");
  std::jthread writer([&] {
    for (std::uint64_t at = 1; at <= 2000; ++at) gauge.set(at);
  });
  double last = 0;
  while (last < 2000) {
    const double now = gauge.value();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Gauges, count_values_by_the_bound_that_they_are_not_above) {
  GaugeBoard board;
  GaugeHistogram& histogram = board.histogram("took_seconds", "How long", {0.25, 1, 4}, {{"of", "a"}});
  static_cast<void>(board.histogram("took_seconds", "", {2}, {{"of", "b"}}));
  for (const double value : {0.0, 0.25, 0.5, 1.0, 4.5, 8.0}) histogram.note(value);
  EXPECT_EQ(histogram.count(), 6u);
  EXPECT_EQ(board.prometheus(),
            "# HELP took_seconds How long\n"
            "# TYPE took_seconds histogram\n"
            "took_seconds_bucket{of=\"a\",le=\"0.25\"} 2\n"
            "took_seconds_bucket{of=\"a\",le=\"1\"} 4\n"
            "took_seconds_bucket{of=\"a\",le=\"4\"} 4\n"
            "took_seconds_bucket{of=\"a\",le=\"+Inf\"} 6\n"
            "took_seconds_sum{of=\"a\"} 14.25\n"
            "took_seconds_count{of=\"a\"} 6\n"
            "took_seconds_bucket{of=\"b\",le=\"2\"} 0\n"
            "took_seconds_bucket{of=\"b\",le=\"+Inf\"} 0\n"
            "took_seconds_sum{of=\"b\"} 0\n"
            "took_seconds_count{of=\"b\"} 0\n");
}

using GaugesDeathTest = ::testing::Test;

TEST(GaugesDeathTest, refuse_what_prometheus_would) {
  GaugeBoard board;
  board.gauge("twice", "", {{"a", "b"}});
  EXPECT_DEATH(board.gauge("twice", "", {{"a", "b"}}), "once with its labels");
  EXPECT_DEATH(board.gauge("9", ""), "has a name of letters");
  EXPECT_DEATH(board.gauge("a", "", {{"b-c", ""}}), "label has a name");
  EXPECT_DEATH(board.counter("grows", ""), "ends in _total");
  board.gauge("both_total", "");
  EXPECT_DEATH(board.counter("both_total", ""), "of one kind");
  EXPECT_DEATH(static_cast<void>(board.histogram("falls_seconds", "", {1, 1})), "bounds of a histogram rise");
}

}  // namespace
}  // namespace dojima::measure
