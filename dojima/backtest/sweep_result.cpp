#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>

#include "dojima/backtest/sweep.hpp"

namespace dojima::backtest {
namespace {

constexpr std::size_t k_best = 20, k_shown_points = 5000, k_drawn_points = 2000;

/// Not a number: there is none.
double number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? value : std::nan("");
}

evidence::Cell cell_of(std::string_view text) {
  const double value = number_in(text);
  if (std::isnan(value))
    return text.empty() ? evidence::Cell(evidence::Unmeasured{"there is none"}) : evidence::Cell(text);
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return whole;
  return value;
}

/// The columns of the tables; the CSV has all.
constexpr std::string_view k_shown_columns[] = {"fills",           "fill_ratio", "profit",      "fees",      "drawdown",
                                                "sharpe_of_a_day", "winners",    "round_trips", "markout_1s"};
constexpr std::string_view k_amounts[] = {"profit", "fees", "turnover", "drawdown"};

int decimals_of(const SweepResult& result, std::string_view column) {
  const bool is_amount = std::ranges::find(k_amounts, column) != std::end(k_amounts);
  return is_amount ? money_decimals(result.survey.instruments) : 4;
}

evidence::Table empty_table(const SweepResult& result, const char* name, const char* title) {
  evidence::Table table{.name = name, .title = title, .columns = {{"point"}}};
  for (const SweepAxis& axis : result.axes) table.columns.push_back({axis.name});
  for (const std::string_view column : k_shown_columns)
    table.columns.push_back({std::string(column), decimals_of(result, column)});
  return table;
}

std::string value_at(const SweepResult& result, std::size_t index, std::size_t axis) {
  std::size_t stride = result.rows.size();
  for (std::size_t before = 0; before <= axis; ++before) stride /= result.axes[before].values.size();
  return result.axes[axis].values[index / stride % result.axes[axis].values.size()];
}

void add_point(evidence::Table& table, const SweepResult& result, std::size_t index) {
  std::vector<evidence::Cell> cells{index};
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) cells.emplace_back(value_at(result, index, axis));
  for (const std::string_view column : k_shown_columns)
    cells.push_back(cell_of(sweep_cell(result.rows[index], column)));
  table.add_row(std::move(cells));
}

/// The column over the values of an axis: a dot a point, or the means where there are too many.
evidence::Chart chart_over(const SweepResult& result, std::size_t axis, std::string_view column) {
  const SweepAxis& of = result.axes[axis];
  evidence::Chart chart{.name = fmt::format("{} over {}", column, of.name),
                        .title = fmt::format("{} over {}", column, of.name),
                        .caption = "Every point of the sweep, and the mean of those with the same value",
                        .kind = evidence::ChartKind::dots,
                        .x = {of.name, ""},
                        .y = {std::string(column), ""}};
  std::vector<double> sums(of.values.size()), counts(of.values.size());
  evidence::ChartCurve all{.label = "points", .points = {}}, means{.label = "mean", .points = {}};
  for (std::size_t index = 0; index < result.rows.size(); ++index) {
    const double value = number_in(sweep_cell(result.rows[index], column));
    if (!result.rows[index].is_done || std::isnan(value)) continue;
    const std::string text = value_at(result, index, axis);
    const auto place = static_cast<std::size_t>(std::ranges::find(of.values, text) - of.values.begin());
    const double number = number_in(text);
    const double x = std::isnan(number) ? static_cast<double>(place) : number;
    sums[place] += value;
    counts[place] += 1;
    if (result.rows.size() <= k_drawn_points) all.points.push_back({x, value});
  }
  for (std::size_t place = 0; place < of.values.size(); ++place) {
    const double number = number_in(of.values[place]);
    if (counts[place] > 0)
      means.points.push_back({std::isnan(number) ? static_cast<double>(place) : number, sums[place] / counts[place]});
  }
  const bool is_numbered = std::ranges::any_of(of.values, [](const auto& text) { return std::isnan(number_in(text)); });
  if (is_numbered) {
    chart.x.title += " (by place: ";
    for (std::size_t place = 0; place < std::min<std::size_t>(of.values.size(), 12); ++place)
      chart.x.title += fmt::format("{}{} {}", place == 0 ? "" : ", ", place, of.values[place]);
    chart.x.title += of.values.size() > 12 ? ", ...)" : ")";
  }
  if (!all.points.empty()) chart.curves.push_back(std::move(all));
  if (!means.points.empty()) chart.curves.push_back(std::move(means));
  return chart;
}

/// Two axes of at most this many values: the mean of the column for each pair.
evidence::Table pairs_table(const SweepResult& result, std::size_t down, std::size_t across, std::string_view column) {
  const SweepAxis &rows = result.axes[down], &columns = result.axes[across];
  evidence::Table table{.name = "pairs",
                        .title = fmt::format("mean {} by {} (down) and {} (across)", column, rows.name, columns.name),
                        .columns = {{rows.name}}};
  for (const std::string& value : columns.values) table.columns.push_back({value, decimals_of(result, column)});
  std::vector<double> sums(rows.values.size() * columns.values.size()), counts(sums.size());
  for (std::size_t index = 0; index < result.rows.size(); ++index) {
    const double value = number_in(sweep_cell(result.rows[index], column));
    if (!result.rows[index].is_done || std::isnan(value)) continue;
    const auto place_of = [&](std::size_t axis) {
      const auto& values = result.axes[axis].values;
      return static_cast<std::size_t>(std::ranges::find(values, value_at(result, index, axis)) - values.begin());
    };
    const std::size_t place = place_of(down) * columns.values.size() + place_of(across);
    sums[place] += value;
    counts[place] += 1;
  }
  for (std::size_t row = 0; row < rows.values.size(); ++row) {
    std::vector<evidence::Cell> cells{rows.values[row]};
    for (std::size_t at = 0; at < columns.values.size(); ++at) {
      const std::size_t place = row * columns.values.size() + at;
      cells.push_back(counts[place] == 0 ? evidence::Cell(evidence::Unmeasured{"no point has been done"})
                                         : evidence::Cell(sums[place] / counts[place]));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

evidence::Artefact artefact_of(const SweepSettings& settings, const SweepResult& result, std::string_view column) {
  evidence::Artefact artefact("dojima sweep");
  const BacktestSettings& base = settings.base;
  artefact.set_parameter("format", result.survey.format).set_parameter("strategy", base.strategy);
  if (settings.markets) {
    artefact.set_parameter("exchange", "market");
  } else {
    artefact.set_parameter("file", std::filesystem::path(base.file).filename().string())
        .set_parameter("exchange", std::string(name_of(base.exchange.kind)))
        .set_parameter("queue", to_text(base.exchange.queue))
        .set_parameter("fills", std::string(name_of(base.exchange.fills)));
  }
  artefact.set_parameter("feed", base.latencies.feed)
      .set_parameter("entry", base.latencies.entry)
      .set_parameter("response", base.latencies.response)
      .set_parameter("seed", base.seed)
      .set_parameter("threads", settings.threads)
      .set_parameter("digest", fmt::format("{:016x}", result.digest));
  for (const SweepAxis& axis : result.axes) {
    std::string values;
    for (const std::string& value : axis.values) values += (values.empty() ? "" : ",") + value;
    artefact.set_parameter("set." + axis.name, values);
  }
  evidence::Table summary{.name = "sweep", .title = "the sweep", .columns = {{"what"}, {"value", 3}}};
  if (!settings.markets) summary.add_row({"events_of_the_day", result.survey.events});
  summary.add_row({"points", result.rows.size()});
  summary.add_row({"done", result.done});
  summary.add_row({"taken_over", result.taken_over});
  summary.add_row({"elapsed_s", result.elapsed_s});
  summary.add_row(
      {"points_per_second", static_cast<double>(result.done - result.taken_over) / std::max(result.elapsed_s, 1e-9)});
  artefact.add_table(std::move(summary));
  std::vector<std::size_t> order;
  for (std::size_t index = 0; index < result.rows.size(); ++index)
    if (result.rows[index].is_done && !std::isnan(number_in(sweep_cell(result.rows[index], column))))
      order.push_back(index);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double first = number_in(sweep_cell(result.rows[a], column));
    const double second = number_in(sweep_cell(result.rows[b], column));
    return first != second ? first > second : a < b;
  });
  const std::string title = fmt::format("the best points by {}", column);
  evidence::Table best = empty_table(result, "best", title.c_str());
  for (std::size_t at = 0; at < std::min(order.size(), k_best); ++at) add_point(best, result, order[at]);
  if (!best.rows.empty()) artefact.add_table(std::move(best));
  std::vector<std::size_t> wide;
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis)
    if (result.axes[axis].values.size() > 1) wide.push_back(axis);
  constexpr std::size_t k_most_across = 24;
  if (wide.size() >= 2 && result.done > 0) {
    const bool is_turned = result.axes[wide[1]].values.size() > k_most_across;
    const std::size_t down = wide[is_turned ? 1 : 0], across = wide[is_turned ? 0 : 1];
    if (result.axes[across].values.size() <= k_most_across)
      artefact.add_table(pairs_table(result, down, across, column));
  }
  for (const std::size_t axis : wide)
    if (evidence::Chart chart = chart_over(result, axis, column); has_points(chart))
      artefact.add_chart(std::move(chart));
  if (result.rows.size() <= k_shown_points && result.rows.size() > k_best) {
    evidence::Table all = empty_table(result, "points", "all points");
    for (std::size_t index = 0; index < result.rows.size(); ++index)
      if (result.rows[index].is_done) add_point(all, result, index);
    if (!all.rows.empty()) artefact.add_table(std::move(all));
  }
  artefact.add_check("points", result.done == result.rows.size(),
                     fmt::format("{} of {} done", result.done, result.rows.size()));
  const auto failed = std::ranges::find_if(result.rows, [](const SweepRow& row) { return !row.trouble.empty(); });
  const auto failures = std::ranges::count_if(result.rows, [](const SweepRow& row) { return !row.trouble.empty(); });
  artefact.add_check(
      "runs", failed == result.rows.end(),
      failed == result.rows.end() ? "none failed" : fmt::format("{} failed; {}", failures, failed->trouble));
  for (const char* shown : {"elapsed_s", "points_per_second"})
    artefact.add_rule({.table = "sweep", .column = shown, .rule = evidence::Rule::shown});
  return artefact;
}

}  // namespace dojima::backtest
