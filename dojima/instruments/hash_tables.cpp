#include "dojima/instruments/hash_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dojima/evidence/svg.hpp"
#include "dojima/instruments/studies/sample_charts.hpp"
#include "dojima/measure/fit_tests.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr double k_limits_ns[] = {1e3, 1e4, 1e5, 1e6, 1e7};
constexpr const char* k_limit_columns[] = {"above_1_us", "above_10_us", "above_100_us", "above_1_ms", "above_10_ms"};

const char* policy_name(bool is_real_time) {
  return is_real_time ? "fifo" : "other";
}
const char* load_name(bool is_loaded) {
  return is_loaded ? "loaded" : "idle";
}

std::vector<double> values_of(const HashRun& run) {
  return {run.times.begin(), run.times.end()};
}

std::vector<evidence::Cell> key_of(const HashCell& cell) {
  return {name_of(cell.clock), policy_name(cell.is_real_time), load_name(cell.is_loaded)};
}

std::vector<evidence::Column> key_columns() {
  return {{"clock"}, {"policy"}, {"load"}};
}

/// The row's key, then for each of the other columns why there is nothing.
std::vector<evidence::Cell> gap_row(std::vector<evidence::Cell> row, const evidence::Table& table,
                                    const std::string& reason) {
  while (row.size() < table.columns.size()) row.emplace_back(evidence::Unmeasured{reason});
  return row;
}

const HashCell* find(const HashStudy& study, HashClock clock, bool is_real_time, bool is_loaded) {
  const auto found = std::ranges::find_if(study.cells, [&](const HashCell& one) {
    return one.clock == clock && one.is_real_time == is_real_time && one.is_loaded == is_loaded && !one.runs.empty();
  });
  return found == study.cells.end() ? nullptr : &*found;
}

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

evidence::Table fit_table(const HashStudy& study) {
  evidence::Table table{"fit", "the clock's lattice, and the distance to fitted distributions (Kolmogorov and Smirnov)",
                        key_columns()};
  table.columns.push_back({"quantum_ns"});
  table.columns.push_back({"on_lattice", 4});
  for (const char* model : {"exponential", "shifted_exponential", "lognormal"}) {
    table.columns.push_back({.name = std::string(model) + "_distance", .decimals = 4, .on_screen = false});
    table.columns.push_back({.name = std::string(model) + "_p", .decimals = 4, .on_screen = false});
  }
  table.columns.push_back({"verdict"});
  for (const HashCell& cell : study.cells) {
    const HashRun* run = middle_run(cell);
    if (run == nullptr) {
      table.add_row(gap_row(key_of(cell), table, cell.trouble));
      continue;
    }
    std::vector<double> values = values_of(*run);
    std::erase_if(values, [](double value) { return value <= 0; });
    std::vector<evidence::Cell> row = key_of(cell);
    if (values.empty() || std::ranges::min(values) == std::ranges::max(values)) {
      table.add_row(gap_row(std::move(row), table, "the clock stood still: nothing to fit"));
      continue;
    }
    const measure::Lattice lattice = measure::lattice_of(values);
    row.push_back(lattice.quantum > 0 ? evidence::Cell(lattice.quantum)
                                      : evidence::Cell(evidence::Unmeasured{"no lattice"}));
    row.push_back(lattice.quantum > 0 ? evidence::Cell(lattice.share)
                                      : evidence::Cell(evidence::Unmeasured{"no lattice"}));
    std::vector<measure::FitTest> tests;
    for (const measure::FitModel model : measure::k_fit_models) {
      tests.push_back(measure::test_fit(model, values, lattice.quantum));
      row.emplace_back(tests.back().distance);
      row.emplace_back(tests.back().p_value);
    }
    row.emplace_back(verdict_of(lattice, tests));
    table.add_row(std::move(row));
  }
  table.notes = {
      "Compared at the edges between the clock's steps, where there are steps. p below 0.01 is a bound, "
      "2 exp(-2 n D^2), otherwise from a parametric bootstrap of 99 samples. Values of 0, where a clock stood still, "
      "are "
      "left out."};
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

// ------------------------------------------------------------------------------------------------- the demonstration

/// What one clock saw of the stalls of its run.
struct Sight {
  double largest_ns = 0;
  std::uint64_t above_1_ms = 0;
  std::int64_t preemptions = 0;
  double off_processor_ns = 0;
};

/// Over all runs of a cell: one of them may by chance have been spared.
std::optional<Sight> sight_of(const HashCell* cell) {
  if (cell == nullptr) return std::nullopt;
  Sight sight;
  for (const HashRun& run : cell->runs) {
    const std::vector<double> values = values_of(run);
    sight.largest_ns = std::max(sight.largest_ns, std::ranges::max(values));
    sight.above_1_ms += measure::count_beyond(values, 1e6);
    sight.preemptions += run.preemptions;
    sight.off_processor_ns += run.elapsed_ns - run.on_processor_ns;
  }
  return sight;
}

std::string ns_text(double value) {
  return evidence::value_text(value, "ns");
}

void add_statement(evidence::Table& table, std::string statement, std::optional<bool> holds, std::string figures) {
  table.add_row({std::move(statement), holds ? evidence::Cell(*holds) : evidence::Cell(evidence::Unmeasured{figures}),
                 std::move(figures)});
}

/// With the ordinary policy beside a spinner: who saw the preemptions?
void add_blindness(evidence::Table& table, const HashStudy& study, double tick_ns) {
  const auto blind = sight_of(find(study, HashClock::process_cpu, false, true));
  const auto seeing = sight_of(find(study, HashClock::monotonic, false, true));
  const char* statement = "The processor-time clock hides preemption";
  if (!blind || !seeing)
    return add_statement(table, statement, std::nullopt, "not measured with both clocks on a shared processor");
  const bool was_stopped = blind->preemptions > 0 && seeing->preemptions > 0;
  const std::string figures = "process_cpu: taken off the processor " + std::to_string(blind->preemptions) +
                              " times for " + ns_text(blind->off_processor_ns) + " in all, largest time " +
                              ns_text(blind->largest_ns) + ", " + std::to_string(blind->above_1_ms) +
                              " above 1 ms; monotonic: " + std::to_string(seeing->preemptions) + " times for " +
                              ns_text(seeing->off_processor_ns) + ", largest time " + ns_text(seeing->largest_ns) +
                              ", " + std::to_string(seeing->above_1_ms) + " above 1 ms";
  if (!was_stopped) return add_statement(table, statement, std::nullopt, "no preemption in these runs; " + figures);
  add_statement(table, statement, blind->largest_ns < tick_ns && seeing->largest_ns >= tick_ns, figures);
}

/// What the real-time policy does to the largest time that a wall clock sees.
void add_priority(evidence::Table& table, const HashStudy& study) {
  const auto other = sight_of(find(study, HashClock::monotonic, false, true));
  const auto fifo = sight_of(find(study, HashClock::monotonic, true, true));
  const char* statement = "Real-time priority keeps the other thread away";
  if (!other || !fifo) {
    const auto forbidden =
        std::ranges::find_if(study.cells, [](const HashCell& one) { return one.is_real_time && !one.trouble.empty(); });
    return add_statement(table, statement, std::nullopt,
                         forbidden == study.cells.end() ? "not measured" : forbidden->trouble);
  }
  const bool was_stopped = other->preemptions > 0;
  const std::string figures = "monotonic, loaded: largest time " + ns_text(other->largest_ns) +
                              " with SCHED_OTHER and " + ns_text(fifo->largest_ns) + " with SCHED_FIFO, preemptions " +
                              std::to_string(other->preemptions) + " and " + std::to_string(fifo->preemptions);
  add_statement(table, statement, was_stopped ? std::optional(fifo->preemptions < other->preemptions) : std::nullopt,
                figures);
}

/// The article's own comparison, by its own clock: nothing to be seen.
void add_article_view(evidence::Table& table, const HashStudy& study) {
  const auto other = sight_of(find(study, HashClock::process_cpu, false, true));
  const auto fifo = sight_of(find(study, HashClock::process_cpu, true, true));
  const char* statement = "By the article's clock both policies look alike";
  if (!other || !fifo) return add_statement(table, statement, std::nullopt, "not measured with both policies");
  const double ratio = other->largest_ns / fifo->largest_ns;
  add_statement(table, statement, ratio < 10 && ratio > 0.1,
                "process_cpu, loaded: largest time " + ns_text(other->largest_ns) + " with SCHED_OTHER, " +
                    ns_text(fifo->largest_ns) + " with SCHED_FIFO; the article: 189,705 ns and 188,273 ns");
}

/// The clock costs more than the work that it times.
void add_cost(evidence::Table& table, const HashStudy& study) {
  const HashCell* cpu = find(study, HashClock::process_cpu, false, false);
  const HashCell* wall = find(study, HashClock::monotonic, false, false);
  const char* statement = "The processor-time clock costs more than the work";
  if (cpu == nullptr || wall == nullptr)
    return add_statement(table, statement, std::nullopt, "not measured with both clocks on an idle processor");
  const double with_cpu = measure::median(values_of(*middle_run(*cpu)));
  const double with_wall = measure::median(values_of(*middle_run(*wall)));
  add_statement(
      table, statement, with_cpu > 2 * with_wall,
      "median of the same work: " + ns_text(with_cpu) + " by process_cpu, " + ns_text(with_wall) + " by monotonic");
}

evidence::Table demonstration_table(const HashStudy& study, double tick_ns) {
  evidence::Table table{
      "demonstration", "what these runs show, over all runs of a cell", {{"statement"}, {"holds"}, {"figures"}}};
  add_blindness(table, study, tick_ns);
  add_article_view(table, study);
  add_priority(table, study);
  add_cost(table, study);
  table.notes = {"A preemption costs a slice, at least one tick (" + ns_text(tick_ns) +
                 "). \"holds\" is empty where the runs had no preemption to show, or the machine forbids one side."};
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

std::string verdict_of(const measure::Lattice& lattice, const std::vector<measure::FitTest>& tests) {
  std::string text = lattice.quantum > 0
                         ? "a lattice of " + evidence::value_text(lattice.quantum, "ns") + " (" +
                               evidence::share_text(std::round(lattice.share * 1e4) / 1e4) + " of the values)"
                         : std::string("no lattice");
  for (const measure::FitTest& test : tests) {
    char distance[32];
    std::snprintf(distance, sizeof distance, " (D %.3f)", test.distance);
    text += (&test == &tests.front() ? "; " : ", ") + std::string(test.is_rejected() ? "not " : "perhaps ") +
            std::string(name_of(test.model)) + distance;
  }
  return text;
}

}  // namespace dojima::instruments
