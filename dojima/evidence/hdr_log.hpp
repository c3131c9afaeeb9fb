#pragma once

// Histograms in HdrHistogram's compressed form ("HISTF...", encoding V2 in zlib and base64) and its interval log
// (.hlog), in and out: what jHiccup, wrk2 and the plotters around them exchange. Reading trusts nothing: sizes are
// checked before memory is taken. Allocates; for results.
//
//   evidence::HdrLogWriter log(start_of_run_s);
//   log.add({.start_s = 0, .length_s = 1, .histogram = measure::StoredHistogram(second.view())});
//   std::ofstream("latency.hlog") << log.text();

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/measure/histogram.hpp"

namespace dojima::evidence {

/// The counts as one word of text. The layout must be one of HdrHistogram's (1 to 5 significant figures).
[[nodiscard]] std::string encode_hdr(const measure::HistogramView& histogram);

/// Reads it back; min and max are the edges of the outermost cells. Histograms of whole numbers in encoding V2 only,
/// with at most 2^22 counters; `not_supported` for the others, `malformed` for what is none. No more than 64 MiB.
[[nodiscard]] Result<measure::StoredHistogram> decode_hdr(std::string_view text);

/// One line of a log. Times in seconds, relative to the log's base time.
struct HdrLogInterval {
  double start_s = 0;
  double length_s = 0;
  std::string tag{};  ///< which of several histograms; empty: none
  measure::StoredHistogram histogram{};
};

/// Makes the text of a log, line by line.
class HdrLogWriter {
 public:
  /// Nanoseconds are shown in milliseconds as "Interval_Max", as HdrHistogram does by default.
  explicit HdrLogWriter(double start_time_s, double max_unit = 1e6);
  void add(const HdrLogInterval& interval);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  double max_unit_;
};

struct HdrLog {
  std::optional<double> start_time_s;  ///< seconds since 1970
  std::optional<double> base_time_s;   ///< what the intervals' times are relative to
  std::vector<HdrLogInterval> intervals;
};

/// Reads a log; a line that is no interval, comment or legend is `malformed` and named.
[[nodiscard]] Result<HdrLog> parse_hdr_log(std::string_view text);

}  // namespace dojima::evidence
