#pragma once

// A server's figures as a person watches them: what /metrics says, read, held against what it said before, and shown as
// a table of values and rates.

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dojima::cli {

/// One figure of the text exposition format.
struct ShownFigure {
  std::string name;
  std::string labels;  ///< "partition=1, reason=rate"; empty: none
  double value = 0;
  bool is_counter = false;
  friend bool operator==(const ShownFigure&, const ShownFigure&) = default;
};

/// The figures in their order. The error: the first line that is none, and what is wrong with it.
[[nodiscard]] std::expected<std::vector<ShownFigure>, std::string> parse_figures(std::string_view text);

struct TopOptions {
  std::string match;     ///< names or labels with this in them; empty: all
  bool has_all = false;  ///< figures that are 0, too
  std::size_t rows = 0;  ///< at most so many; 0: all
};

class TopView {
 public:
  explicit TopView(TopOptions options) : options_(std::move(options)) {}

  /// What the server says now, `elapsed` after what it said before.
  void take(std::vector<ShownFigure> figures, std::chrono::duration<double> elapsed);
  /// A line for each figure: name, labels, value, and of what only grows how much a second. Of a histogram one for each
  /// of its labels: p50 and p99 of what came since the look before, at the first one of all, and how many a second.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Row {
    ShownFigure figure;
    double rate = 0;
    bool has_rate = false;
    std::vector<std::pair<double, double>> buckets{};  ///< of a histogram: bounds, and how many were not above
    std::string text{};                                ///< of a histogram, instead of its value, which is how many
  };
  [[nodiscard]] static std::vector<Row> rows_of(std::vector<ShownFigure> figures);
  void compare(Row& row, const Row* before, double elapsed) const;
  TopOptions options_;
  std::vector<Row> rows_;
};

/// "1500000", "0.0012", "3.1 ms" of seconds, "12.5 MB" of bytes, by the unit that the name ends in.
[[nodiscard]] std::string figure_text(std::string_view name, double value);

}  // namespace dojima::cli
