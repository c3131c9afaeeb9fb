#include "dojima/instruments/hash_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dojima/evidence/svg.hpp"
#include "dojima/instruments/studies/hash_cells.hpp"
#include "dojima/instruments/studies/hash_demonstration.hpp"
#include "dojima/instruments/studies/hash_fit.hpp"
#include "dojima/instruments/studies/sample_charts.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr double k_limits_ns[] = {1e3, 1e4, 1e5, 1e6, 1e7};
constexpr const char* k_limit_columns[] = {"above_1_us", "above_10_us", "above_100_us", "above_1_ms", "above_10_ms"};

std::string sigma_column(double factor) {
  return "beyond_" + std::to_string(static_cast<int>(factor));
}

// ------------------------------------------------------------------------------------------------------------ tables

evidence::Table sigma_table(const HashStudy& study) {
  evidence::Table table{"sigma", "the article's table with its four rows and ours, ns", {{"source"}}};
  for (evidence::Column& column : key_columns()) table.columns.push_back(std::move(column));
  for (const char* name : {"mean_ns", "median_ns", "deviation_ns", "min_ns", "max_ns"})
    table.columns.push_back({name, 0});
  for (const double factor : measure::k_sigmas) table.columns.push_back({sigma_column(factor)});
  for (const PublishedHash& row : published_hashes()) {
    std::vector<evidence::Cell> cells = {"article",
                                         "process_cpu",
                                         policy_name(row.is_real_time),
                                         load_name(row.is_loaded),
                                         row.mean,
                                         row.median,
                                         row.deviation,
                                         row.min,
                                         row.max};
    for (const std::uint64_t count : row.beyond) cells.emplace_back(count);
    table.add_row(std::move(cells));
  }
  for (const HashCell& cell : study.cells) {
    std::vector<evidence::Cell> row = {"here"};
    for (evidence::Cell& part : key_of(cell)) row.push_back(std::move(part));
    const HashRun* run = middle_run(cell);
    if (run == nullptr) {
      table.add_row(gap_row(std::move(row), table, cell.trouble));
      continue;
    }
    const std::vector<double> values = values_of(*run);
    const measure::SampleSummary summary = measure::summarise(values);
    for (const double value : {summary.mean, summary.median, summary.deviation, summary.min, summary.max})
      row.emplace_back(value);
    for (const double factor : measure::k_sigmas)
      row.emplace_back(measure::count_beyond(values, summary.mean + factor * summary.deviation));
    table.add_row(std::move(row));
  }
  table.notes = {
      "beyond_k: values above the mean plus k standard deviations. One outlier of milliseconds widens the deviation "
      "until all columns count the same few values; the table robust does not do that."};
  return table;
}

evidence::Table robust_table(const HashStudy& study) {
  evidence::Table table{"robust",
                        "values above the median plus k spreads; the spread is 1.4826 MAD, at least the clock's step",
                        key_columns()};
  for (const char* name : {"median_ns", "mad_ns", "spread_ns"}) table.columns.push_back({name, 1});
  for (const double factor : measure::k_sigmas) table.columns.push_back({sigma_column(factor)});
  for (const HashCell& cell : study.cells) {
    const HashRun* run = middle_run(cell);
    if (run == nullptr) {
      table.add_row(gap_row(key_of(cell), table, cell.trouble));
      continue;
    }
    const std::vector<double> values = values_of(*run);
    const measure::SampleSummary summary = measure::summarise(values);
    const double spread = measure::robust_spread(summary, study.quantum_ns);
    std::vector<evidence::Cell> row = key_of(cell);
    for (const double value : {summary.median, summary.mad, spread}) row.emplace_back(value);
    for (const double factor : measure::k_sigmas)
      row.emplace_back(measure::count_beyond(values, summary.median + factor * spread));
    table.add_row(std::move(row));
  }
  return table;
}

evidence::Table absolute_table(const HashStudy& study) {
  evidence::Table table{"absolute",
                        "values above plain limits, tail, and how often the thread was taken off the processor",
                        key_columns()};
  for (const char* name : {"p99_ns", "p999_ns", "p9999_ns", "max_ns"}) table.columns.push_back({name, 0});
  for (const char* name : k_limit_columns) table.columns.push_back({name});
  for (const char* name : {"preemptions", "elapsed_us", "off_processor_us"}) table.columns.push_back({name, 0});
  for (const HashCell& cell : study.cells) {
    const HashRun* run = middle_run(cell);
    if (run == nullptr) {
      table.add_row(gap_row(key_of(cell), table, cell.trouble));
      continue;
    }
    const std::vector<double> values = values_of(*run);
    const measure::SampleSummary summary = measure::summarise(values);
    std::vector<evidence::Cell> row = key_of(cell);
    for (const double value : {summary.p99, summary.p999, summary.p9999, summary.max}) row.emplace_back(value);
    for (const double limit : k_limits_ns) row.emplace_back(measure::count_beyond(values, limit));
    row.emplace_back(static_cast<long long>(run->preemptions));
    row.emplace_back(run->elapsed_ns / 1e3);
    row.emplace_back((run->elapsed_ns - run->on_processor_ns) / 1e3);
    table.add_row(std::move(row));
  }
  table.notes = {
      "preemptions: involuntary switches during the run. elapsed: the whole run by CLOCK_MONOTONIC; off the processor: "
      "what of it the thread's own processor time does not have."};
  return table;
}

evidence::Table rounds_table(const HashStudy& study) {
  evidence::Table table{"rounds", "all runs of each cell: how far one of them may be believed", key_columns()};
  for (const char* name :
       {"runs", "median_of_medians_ns", "mad_percent", "least_max_ns", "middle_max_ns", "largest_max_ns"}) {
    table.columns.push_back({name, 1});
  }
  for (const HashCell& cell : study.cells) {
    if (cell.runs.empty()) {
      table.add_row(gap_row(key_of(cell), table, cell.trouble));
      continue;
    }
    std::vector<double> medians;
    std::vector<double> largest;
    for (const HashRun& run : cell.runs) {
      const std::vector<double> values = values_of(run);
      medians.push_back(measure::median(values));
      largest.push_back(std::ranges::max(values));
    }
    std::vector<evidence::Cell> row = key_of(cell);
    row.emplace_back(cell.runs.size());
    const double centre = measure::median(medians);
    for (const double value : {centre, centre > 0 ? measure::median_absolute_deviation(medians) / centre * 100 : 0.0,
                               std::ranges::min(largest), measure::median(largest), std::ranges::max(largest)}) {
      row.emplace_back(value);
    }
    table.add_row(std::move(row));
  }
  return table;
}

evidence::Table overhead_table(const HashStudy& study) {
  evidence::Table table{"overhead",
                        "two readings of each clock around nothing: part of every time above",
                        {{"clock"}, {"min_ns"}, {"median_ns"}, {"p99_ns"}}};
  for (const HashOverhead& overhead : study.overheads) {
    const measure::SampleSummary summary =
        measure::summarise(std::vector<double>(overhead.times.begin(), overhead.times.end()));
    table.add_row({name_of(overhead.clock), summary.min, summary.median, summary.p99});
  }
  return table;
}

// ------------------------------------------------------------------------------------------------------------ charts

void add_situation_charts(evidence::Artefact& artefact, const HashStudy& study, bool is_real_time, bool is_loaded) {
  const std::string situation =
      std::string(is_loaded ? "loaded" : "idle") + ", " + (is_real_time ? "SCHED_FIFO" : "SCHED_OTHER");
  const std::string name = std::string(policy_name(is_real_time)) + "_" + load_name(is_loaded);
  evidence::Chart density{.name = "density_" + name,
                          .title = "Density, zoomed: " + situation + ".",
                          .caption = "Up to the 99th percentile, in steps of the clock.",
                          .kind = evidence::ChartKind::lines,
                          .x = {"time of a hash", "ns"},
                          .y = {"share of the values"}};
  evidence::Chart zoomed{.name = "ecdf_zoomed_" + name,
                         .title = "Cumulative distribution, zoomed: " + situation + ".",
                         .caption = "Up to the 99th percentile.",
                         .kind = evidence::ChartKind::steps,
                         .x = {"time of a hash", "ns"},
                         .y = {"share of the values"}};
  evidence::Chart whole{.name = "ecdf_" + name,
                        .title = "Cumulative distribution, whole: " + situation + ".",
                        .caption = "Up to the largest value; logarithmic.",
                        .kind = evidence::ChartKind::steps,
                        .x = {"time of a hash", "ns", true},
                        .y = {"share of the values"}};
  const double width = std::max(study.quantum_ns, 1.0);
  for (const HashCell& cell : study.cells) {
    const HashRun* run = middle_run(cell);
    if (run == nullptr || cell.is_real_time != is_real_time || cell.is_loaded != is_loaded) continue;
    const std::vector<double> values = values_of(*run);
    const std::string label(name_of(cell.clock));
    const double limit = measure::summarise(values).p99;
    density.curves.push_back(density_curve(label, values, width, limit));
    zoomed.curves.push_back(cumulative_curve(label, values, limit));
    whole.curves.push_back(cumulative_curve(label, values, std::numeric_limits<double>::infinity()));
  }
  for (evidence::Chart* chart : {&density, &zoomed, &whole}) {
    if (evidence::has_points(*chart)) artefact.add_chart(std::move(*chart));
  }
}

}  // namespace

std::string label_of(const HashCell& cell) {
  return std::string(name_of(cell.clock)) + "_" + policy_name(cell.is_real_time) + "_" + load_name(cell.is_loaded);
}

const std::vector<PublishedHash>& published_hashes() {
  // K. Littlepage, "Queuing: Where Math Meets CS", 2013: the table of results, nanoseconds.
  static const std::vector<PublishedHash> published = {
      {true, false, 2108.956, 2081, 1619.491, 979, 189'705, {169, 156, 87, 62, 38, 29, 13, 12, 9, 8}},
      {true, true, 2115.28, 2092, 1564.30, 2084, 188'273, {82, 82, 76, 66, 55, 30, 16, 13, 9, 7}},
      {false, false, 2121.37, 2092, 1663.52, 192, 185'780, {130, 125, 96, 52, 32, 24, 10, 10, 9, 9}},
      {false, true, 2113.91, 2085, 1910.75, 2077, 176'213, {89, 85, 74, 43, 30, 24, 20, 16, 12, 0}}};
  return published;
}

const HashRun* middle_run(const HashCell& cell) {
  if (cell.runs.empty()) return nullptr;
  std::vector<std::pair<double, const HashRun*>> by_mean;
  for (const HashRun& run : cell.runs) {
    double sum = 0;
    for (const float time : run.times) sum += static_cast<double>(time);
    by_mean.emplace_back(sum / static_cast<double>(run.times.size()), &run);
  }
  std::ranges::sort(by_mean);  // equal means in the order of the runs
  return by_mean[(by_mean.size() - 1) / 2].second;
}

void add_hash_results(evidence::Artefact& artefact, const HashStudy& study, std::optional<double> tick_ns) {
  // Where the kernel does not show its tick: the shortest slice that any of its settings gives.
  const double tick = tick_ns.value_or(1e6);
  artefact.add_table(sigma_table(study)).add_table(robust_table(study)).add_table(absolute_table(study));
  artefact.add_table(rounds_table(study)).add_table(fit_table(study)).add_table(overhead_table(study));
  artefact.add_table(demonstration_table(study, tick));
  for (const bool is_loaded : {true, false}) {
    for (const bool is_real_time : {false, true}) add_situation_charts(artefact, study, is_real_time, is_loaded);
  }
}

}  // namespace dojima::instruments
