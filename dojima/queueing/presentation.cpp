#include "dojima/queueing/presentation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace dojima::queueing {
namespace {

using evidence::Cell;

int decimals_for(double scale) {
  return static_cast<int>(std::clamp(5 - std::floor(std::log10(scale)), 0.0, 15.0));
}

Cell cell_of(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell("-");
}

std::vector<FigureRow> rows_of(const Comparison& comparison) {
  std::vector<FigureRow> rows;
  if (comparison.formula) {
    const Means& means = comparison.formula->means;
    const std::pair<const char*, double> figures[] = {{"load", means.load},
                                                      {"utilisation", means.utilisation},
                                                      {"throughput_per_s", means.throughput},
                                                      {"loss", means.loss},
                                                      {"delayed", means.delayed},
                                                      {"wait_s", means.wait},
                                                      {"response_s", means.response},
                                                      {"queue", means.queue},
                                                      {"system", means.system}};
    for (const auto& [name, value] : figures) {
      if (!std::isfinite(value) || (std::string_view(name) == "loss" && value == 0)) continue;
      rows.push_back({.figure = name, .formula = value, .kind = comparison.kind});
    }
  } else {
    rows = {{.figure = "delayed", .kind = "-"}, {.figure = "wait_s", .kind = "-"}};
  }
  if (comparison.seen != nullptr) {
    for (FigureRow& row : rows) {
      if (row.figure == "delayed") row.seen = comparison.seen->share_above(0);
      if (row.figure == "wait_s") row.seen = comparison.seen->mean_wait();
    }
  }
  rows.insert(rows.end(), comparison.more.begin(), comparison.more.end());
  return rows;
}

std::string name_of(double share) {
  return fmt::format("p{:g}", share * 100);
}

evidence::Table quantile_table(const Comparison& comparison) {
  const int decimals = decimals_for(comparison.scale);
  evidence::Table table{.name = "quantiles",
                        .title = "the wait that this share of the requests does not exceed, in seconds",
                        .columns = {{.name = "quantile"},
                                    {.name = "formula_s", .decimals = decimals},
                                    {.name = "kind"},
                                    {.name = "simulated_s", .decimals = decimals},
                                    {.name = "low_95_s", .decimals = decimals},
                                    {.name = "high_95_s", .decimals = decimals}}};
  const Tail* tail =
      comparison.formula && comparison.formula->wait_exceeds ? &comparison.formula->wait_exceeds : nullptr;
  for (const double share : k_shares) {
    std::vector<Cell> cells{name_of(share)};
    cells.emplace_back(tail != nullptr ? Cell(quantile(*tail, share, comparison.scale)) : Cell("-"));
    cells.emplace_back(tail != nullptr ? comparison.tail_kind : "-");
    if (comparison.seen == nullptr) {
      cells.insert(cells.end(), 3, Cell("-"));
    } else if (!comparison.seen->waits.can_show(share)) {
      cells.insert(cells.end(), 3, Cell(evidence::Unmeasured{"too few jobs for this quantile: --jobs"}));
    } else {
      const Estimate seen = comparison.seen->quantile(share);
      cells.insert(cells.end(), {Cell(seen.value), Cell(std::max(seen.low(), 0.0)), Cell(seen.high())});
    }
    table.add_row(std::move(cells));
  }
  return table;
}

evidence::Chart tail_chart(const Comparison& comparison) {
  evidence::Chart chart{.name = "wait",
                        .title = "How often a wait is exceeded",
                        .kind = evidence::ChartKind::lines,
                        .x = {"wait", "ns"},
                        .y = {"share of the requests that wait longer", "", true}};
  const Tail* tail =
      comparison.formula && comparison.formula->wait_exceeds ? &comparison.formula->wait_exceeds : nullptr;
  std::vector<double> sorted;
  double longest = 0;
  if (comparison.seen != nullptr) {
    for (const Ticks wait : comparison.seen->waits)
      sorted.push_back(static_cast<double>(wait) / comparison.seen->ticks_per_unit);
    std::ranges::sort(sorted);
    longest = sorted[sorted.size() - 1 - sorted.size() / 10'000];
  }
  if (tail != nullptr) longest = std::max(longest, quantile(*tail, 0.9999, comparison.scale));
  constexpr int k_points = 80;
  evidence::ChartCurve by_formula{"formula", {}};
  evidence::ChartCurve by_simulation{"simulation", {}};
  for (int i = 0; i <= k_points && longest > 0; ++i) {
    const double t = longest * i / k_points;
    const double ns = t * 1e9;
    if (tail != nullptr && (*tail)(t) > 1e-6) by_formula.points.push_back({ns, (*tail)(t)});
    const auto above = static_cast<double>(sorted.end() - std::ranges::upper_bound(sorted, t));
    if (above >= 10) by_simulation.points.push_back({ns, above / static_cast<double>(sorted.size())});
  }
  for (evidence::ChartCurve* curve : {&by_formula, &by_simulation})
    if (!curve->points.empty()) chart.curves.push_back(std::move(*curve));
  return chart;
}

}  // namespace

evidence::Table figure_table(std::string name, std::string title, std::span<const FigureRow> rows, double scale) {
  const int decimals = decimals_for(scale);
  evidence::Table table{.name = std::move(name),
                        .title = std::move(title),
                        .columns = {{.name = "figure"},
                                    {.name = "formula", .decimals = decimals},
                                    {.name = "kind"},
                                    {.name = "simulated", .decimals = decimals},
                                    {.name = "low_95", .decimals = decimals},
                                    {.name = "high_95", .decimals = decimals},
                                    {.name = "z", .decimals = 2}}};
  for (const FigureRow& row : rows) {
    std::vector<Cell> cells{row.figure, cell_of(row.formula), row.formula ? row.kind : "-"};
    if (row.seen && row.seen->error <= 0) {  // known without an interval
      cells.emplace_back(row.seen->value);
      cells.insert(cells.end(), 3, Cell("-"));
    } else if (row.seen) {
      cells.insert(cells.end(), {Cell(row.seen->value), Cell(row.seen->low()), Cell(row.seen->high())});
      cells.emplace_back(row.formula && row.kind == "exact" ? Cell(row.seen->z(*row.formula)) : Cell("-"));
    } else {
      cells.insert(cells.end(), 4, Cell("-"));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

void add_comparison(evidence::Artefact& artefact, const Comparison& comparison) {
  const std::vector<FigureRow> rows = rows_of(comparison);
  evidence::Table table =
      figure_table("means", "formula beside simulation; z counts standard errors", rows, comparison.scale);
  if (comparison.seen == nullptr) table.notes.emplace_back("not simulated: --jobs says how many requests to draw");
  artefact.add_table(std::move(table));
  const bool has_tail = comparison.formula && comparison.formula->wait_exceeds;
  if (!has_tail && comparison.seen == nullptr) return;
  artefact.add_table(quantile_table(comparison));
  evidence::Chart chart = tail_chart(comparison);
  if (!chart.curves.empty()) artefact.add_chart(std::move(chart));
}

Answer<Law> parse_law(const std::string& text, double mean) {
  const auto refusal = [&text] {
    return std::unexpected(impossible(
        fmt::format("\"{}\" is no law of times: exponential, constant, erlang:STAGES or hyperexponential:SCV", text)));
  };
  if (!is_positive(mean)) return std::unexpected(impossible(fmt::format("a mean of {:g}; it must be above 0", mean)));
  if (text == "exponential") return Law::exponential(mean);
  if (text == "constant") return Law::constant(mean);
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return refusal();
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc{} || stop != end) return refusal();
  const std::string kind = text.substr(0, colon);
  if (kind == "erlang" && number >= 1 && number <= 1000 && number == std::floor(number))
    return Law::erlang(mean, static_cast<std::uint32_t>(number));
  if (kind == "hyperexponential" && number >= 1 && number <= 1e4) return Law::hyperexponential(mean, number);
  return refusal();
}

}  // namespace dojima::queueing
