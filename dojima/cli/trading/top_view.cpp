#include "dojima/cli/trading/top_view.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <optional>
#include <utility>

namespace dojima::cli {
namespace {

/// Reads one line of the format, from the left.
class FigureLine {
 public:
  explicit FigureLine(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string name() {
    const std::size_t end = std::min(rest_.find_first_of("{ "), rest_.size());
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  /// `{a="1",b="x\"y"}` as `a=1, b=x"y`; none: it is no such list.
  [[nodiscard]] std::optional<std::string> labels() {
    std::string labels;
    if (!take('{')) return labels;
    while (!take('}')) {
      const std::size_t equals = rest_.find('=');
      if (equals == std::string_view::npos) return std::nullopt;
      if (!labels.empty()) labels += ", ";
      labels += std::string(rest_.substr(0, equals)) + "=";
      rest_.remove_prefix(equals + 1);
      if (!take('"') || !take_text(labels)) return std::nullopt;
      static_cast<void>(take(','));
    }
    return labels;
  }

  [[nodiscard]] std::optional<double> value() {
    if (!take(' ')) return std::nullopt;
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    if (word == "+Inf" || word == "-Inf") return (word[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
    return value;
  }

 private:
  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The text before the closing quotation mark.
  bool take_text(std::string& into) {
    while (!rest_.empty()) {
      const char next = rest_.front();
      rest_.remove_prefix(1);
      if (next == '"') return true;
      if (next != '\\') {
        into += next;
        continue;
      }
      if (rest_.empty()) return false;
      into += rest_.front() == 'n' ? ' ' : rest_.front();
      rest_.remove_prefix(1);
    }
    return false;
  }

  std::string_view rest_;
};

std::string scaled(double value, const std::vector<std::pair<double, const char*>>& units) {
  for (const auto& [size, unit] : units)
    if (std::abs(value) >= size) return fmt::format("{:.3g} {}", value / size, unit);
  return fmt::format("{:.3g} {}", value / units.back().first, units.back().second);
}

std::string short_name(std::string_view name) {
  if (name.starts_with("dojima_")) name.remove_prefix(7);
  return std::string(name);
}

}  // namespace

std::expected<std::vector<ShownFigure>, std::string> parse_figures(std::string_view text) {
  std::vector<ShownFigure> figures;
  std::vector<std::string> counters;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() == '#') {
      constexpr std::string_view k_type = "# TYPE ", k_counter = " counter";
      if (line.starts_with(k_type) && line.ends_with(k_counter))
        counters.emplace_back(line.substr(k_type.size(), line.size() - k_type.size() - k_counter.size()));
      continue;
    }
    FigureLine reader(line);
    ShownFigure figure;
    figure.name = reader.name();
    auto labels = reader.labels();
    const auto value = labels ? reader.value() : std::nullopt;
    if (figure.name.empty() || !value)
      return std::unexpected(fmt::format("line {} is no figure: {}", number, line.substr(0, 60)));
    figure.labels = *std::move(labels);
    figure.value = *value;
    figure.is_counter = std::ranges::find(counters, figure.name) != counters.end();
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string figure_text(std::string_view name, double value) {
  if (name.ends_with("_total")) name.remove_suffix(6);
  if (value != 0 && std::isfinite(value)) {
    if (name.ends_with("_seconds") && std::abs(value) < 1)
      return scaled(value, {{1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
    if (name.ends_with("_seconds")) return fmt::format("{:.6g} s", value);
    if (name.ends_with("_bytes")) return scaled(value, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
  }
  if (std::abs(value) < 9e15 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

void TopView::take(std::vector<ShownFigure> figures, std::chrono::duration<double> elapsed) {
  std::vector<Row> rows;
  for (ShownFigure& figure : figures) {
    Row row{.figure = std::move(figure)};
    const auto before = std::ranges::find_if(rows_, [&](const Row& each) {
      return each.figure.name == row.figure.name && each.figure.labels == row.figure.labels;
    });
    // What has become smaller began anew with the server.
    row.has_rate = row.figure.is_counter && before != rows_.end() && elapsed.count() > 0 &&
                   row.figure.value >= before->figure.value;
    if (row.has_rate) row.rate = (row.figure.value - before->figure.value) / elapsed.count();
    rows.push_back(std::move(row));
  }
  rows_ = std::move(rows);
}

std::vector<std::string> TopView::lines() const {
  std::vector<std::array<std::string, 4>> cells;
  std::size_t hidden = 0;
  for (const Row& row : rows_) {
    const ShownFigure& figure = row.figure;
    const bool is_wanted = options_.match.empty() || figure.name.find(options_.match) != std::string::npos ||
                           figure.labels.find(options_.match) != std::string::npos;
    if (!is_wanted || (!options_.has_all && figure.value == 0)) continue;
    if (options_.rows != 0 && cells.size() == options_.rows) {
      ++hidden;
      continue;
    }
    cells.push_back({short_name(figure.name), figure.labels, figure_text(figure.name, figure.value),
                     row.has_rate ? fmt::format("{:.6g}/s", row.rate) : std::string()});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : cells)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  std::vector<std::string> lines;
  for (const auto& row : cells) {
    std::string line = fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}", row[0], widths[0], row[1], widths[1], row[2],
                                   widths[2], row[3], widths[3]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  if (hidden != 0) lines.push_back(fmt::format("{} further figures: --match chooses", hidden));
  if (lines.empty()) lines.emplace_back(options_.has_all ? "no such figure" : "no such figure that is not 0");
  return lines;
}

}  // namespace dojima::cli
