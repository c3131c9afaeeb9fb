#pragma once

// A histogram as HdrHistogram's percentile table (.hgrm), the form its plotters and other load generators' tools read:
// the lines of outputPercentileDistribution in Java and C, character for character. Allocates; for results.
//
//   std::ofstream("latency.hgrm") << measure::to_hgrm(histogram.view());

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/measure/histogram.hpp"

namespace dojima::measure {

struct HgrmOptions {
  unsigned ticks_per_half_distance = 5;  ///< lines for each halving of the distance to 100 %
  double unit = 1;                       ///< values are divided by this: 1000 shows nanoseconds as microseconds
};

/// One line for each percentile level, then mean, deviation, largest value and size in comments. Values are the upper
/// edges of cells, as HdrHistogram prints them.
[[nodiscard]] std::string to_hgrm(const HistogramView& histogram, HgrmOptions options = {});

/// The contents of such a file.
struct HgrmTable {
  struct Line {
    double value = 0;
    double share = 0;  ///< 0..1
    std::uint64_t total_count = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::vector<Line> lines;
  double mean = 0;
  double standard_deviation = 0;
  double max = 0;
  std::uint64_t total_count = 0;
};

/// Reads a .hgrm written by us or by HdrHistogram in Java, C or Python. `malformed` names the line.
[[nodiscard]] Result<HgrmTable> parse_hgrm(std::string_view text);

}  // namespace dojima::measure
