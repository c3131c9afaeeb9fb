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

/// Of a bucket of a histogram its bound, which is taken out of its labels, and `_bucket` out of its name.
std::optional<double> take_bound(ShownFigure& figure) {
  constexpr std::string_view k_bucket = "_bucket", k_bound = "le=";
  const std::size_t at = figure.labels.rfind(k_bound);
  if (!figure.name.ends_with(k_bucket) || at == std::string::npos) return std::nullopt;
  const std::string_view word = std::string_view(figure.labels).substr(at + k_bound.size());
  double bound = std::numeric_limits<double>::infinity();
  if (word != "+Inf" && std::from_chars(word.data(), word.data() + word.size(), bound).ec != std::errc())
    return std::nullopt;
  figure.name.resize(figure.name.size() - k_bucket.size());
  figure.labels.resize(at == 0 ? 0 : at - std::string_view(", ").size());
  return bound;
}

/// Within its range as if all of that were as likely; of the last range its beginning.
double quantile_of(const std::vector<std::pair<double, double>>& buckets, double share) {
  const double wanted = share * buckets.back().second;
  double begin = 0, below = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= wanted && count > below)
      return std::isinf(bound) ? begin : begin + (bound - begin) * (wanted - below) / (count - below);
    begin = bound;
    below = count;
  }
  return begin;
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

/// One row for all buckets of a histogram that have the same labels besides, which are in their order.
std::vector<TopView::Row> TopView::rows_of(std::vector<ShownFigure> figures) {
  std::vector<Row> rows;
  std::string histogram;
  for (ShownFigure& figure : figures) {
    const std::optional<double> bound = take_bound(figure);
    if (!bound) {
      const bool is_part =
          !histogram.empty() && (figure.name == histogram + "_sum" || figure.name == histogram + "_count");
      if (!is_part) rows.push_back({.figure = std::move(figure)});
      continue;
    }
    histogram = figure.name;
    const bool is_next = !rows.empty() && !rows.back().buckets.empty() && rows.back().figure.name == figure.name &&
                         rows.back().figure.labels == figure.labels;
    if (!is_next) rows.push_back({.figure = figure});
    rows.back().figure.value = figure.value;
    rows.back().figure.is_counter = true;
    rows.back().buckets.emplace_back(*bound, figure.value);
  }
  return rows;
}

/// What has become smaller began anew with the server.
void TopView::compare(Row& row, const Row* before, double elapsed) const {
  const bool goes_on =
      before != nullptr && row.figure.value >= before->figure.value && row.buckets.size() == before->buckets.size();
  row.has_rate = row.figure.is_counter && goes_on && elapsed > 0;
  if (row.has_rate) row.rate = (row.figure.value - before->figure.value) / elapsed;
  if (row.buckets.empty()) return;
  std::vector<std::pair<double, double>> news = row.buckets;
  for (std::size_t at = 0; goes_on && at < news.size(); ++at) news[at].second -= before->buckets[at].second;
  const auto part = [&](double share) { return figure_text(row.figure.name, quantile_of(news, share)); };
  row.text = news.back().second == 0 ? "none" : fmt::format("p50 {}, p99 {}", part(0.5), part(0.99));
}

void TopView::take(std::vector<ShownFigure> figures, std::chrono::duration<double> elapsed) {
  std::vector<Row> rows = rows_of(std::move(figures));
  for (Row& row : rows) {
    const auto before = std::ranges::find_if(rows_, [&](const Row& each) {
      return each.figure.name == row.figure.name && each.figure.labels == row.figure.labels;
    });
    compare(row, before == rows_.end() ? nullptr : &*before, elapsed.count());
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
    cells.push_back({short_name(figure.name), figure.labels,
                     row.text.empty() ? figure_text(figure.name, figure.value) : row.text,
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
