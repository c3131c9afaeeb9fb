#include "dojima/instruments/clock_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dojima/instruments/studies/clock_outliers.hpp"
#include "dojima/instruments/studies/sample_charts.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

const char* load_name(bool is_loaded) {
  return is_loaded ? "loaded" : "idle";
}

const ClockSample* find(const ClockStudy& study, std::string_view clock, Compiled compiled, bool is_loaded,
                        bool is_single, std::size_t calls) {
  const auto found = std::ranges::find_if(study.samples, [&](const ClockSample& one) {
    return one.clock == clock && one.compiled == compiled && one.is_loaded == is_loaded && one.is_single == is_single &&
           one.calls == calls && !one.rounds.empty();
  });
  return found == study.samples.end() ? nullptr : &*found;
}

constexpr const char* k_not_reached = "the run ended before it was measured";

/// Six statistics in the order of the article.
std::vector<double> six(const measure::SampleSummary& summary) {
  return {summary.min, summary.max, summary.mean, summary.deviation, summary.p99, summary.p9999};
}

const std::vector<std::string>& names_of_six() {
  static const std::vector<std::string> names = {"min", "max", "average", "deviation", "99 %", "99.99 %"};
  return names;
}

std::vector<double> six(const PublishedClock& published) {
  return {published.min, published.max, published.average, published.deviation, published.p99, published.p9999};
}

/// A picosecond is finer than any clock here, and a table of thousands of digits helps nobody.
evidence::Cell to_picoseconds(double ns) {
  return std::round(ns * 1e3) / 1e3;
}

// ------------------------------------------------------------------------------------------------------- the article

struct Ours {
  const char* column;
  const char* label;
  Compiled compiled;
  bool is_loaded;
};
constexpr Ours k_ours[] = {{"here_O0_ns", "here, -O0", Compiled::plain, false},
                           {"here_O2_ns", "here, -O2", Compiled::optimised, false},
                           {"here_O0_loaded_ns", "here, -O0, loaded", Compiled::plain, true},
                           {"here_O2_loaded_ns", "here, -O2, loaded", Compiled::optimised, true}};

evidence::Table article_table(const ClockStudy& study, const ClockPlan& plan, const std::string& source) {
  evidence::Table table{"article",
                        "gettimeofday by the article's protocol: its three machines and this one, ns a call",
                        {{"statistic"}, {"nehalem_ns"}, {"power7_dedicated_ns"}, {"power7_shared_ns"}}};
  for (const Ours& ours : k_ours) table.columns.push_back({ours.column});
  for (std::size_t i = 0; i < names_of_six().size(); ++i) {
    std::vector<evidence::Cell> row = {names_of_six()[i]};
    for (const PublishedClock& published : published_clocks()) row.emplace_back(six(published)[i]);
    for (const Ours& ours : k_ours) {
      const ClockSample* sample = find(study, "gettimeofday", ours.compiled, ours.is_loaded, false, plan.calls);
      row.push_back(sample == nullptr ? evidence::Cell(evidence::Unmeasured{k_not_reached})
                                      : to_picoseconds(six(summarise(*sample).of_rounds)[i]));
    }
    table.add_row(std::move(row));
  }
  table.notes = {"Here the clock source " + source + " answered. Each number is an average over " +
                     std::to_string(plan.calls) + " calls, " + std::to_string(plan.repetitions) +
                     " of them after the first " + std::to_string(plan.dropped) +
                     "; of several rounds the median of what they say.",
                 "The largest of these averages hides that a single call took up to " + std::to_string(plan.calls) +
                     " times as much longer: see the tables batches and single."};
  return table;
}

evidence::Chart article_chart(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Chart chart{
      .name = "article",
      .title = "The article's results with ours.",
      .caption = "gettimeofday, average of 100 calls. Three machines of 2012 and this one; logarithmic.",
      .kind = evidence::ChartKind::bars,
      .x = {"statistic over 10,000 averages"},
      .y = {"time of a call", "ns", true},
      .groups = names_of_six()};
  const auto add = [&chart](const std::string& label, const std::vector<double>& values) {
    evidence::ChartCurve curve{label, {}};
    for (std::size_t i = 0; i < values.size(); ++i) curve.points.push_back({static_cast<double>(i), values[i]});
    chart.curves.push_back(std::move(curve));
  };
  for (const PublishedClock& published : published_clocks()) add(published.machine, six(published));
  for (const Ours& ours : k_ours) {
    const ClockSample* sample = find(study, "gettimeofday", ours.compiled, ours.is_loaded, false, plan.calls);
    if (sample != nullptr) add(ours.label, six(summarise(*sample).of_rounds));
  }
  return chart;
}

// -------------------------------------------------------------------------------------------------------- all clocks

std::vector<evidence::Column> statistic_columns() {
  return {{"min_ns"}, {"max_ns"}, {"average_ns"}, {"deviation_ns"}, {"p99_ns"}, {"p9999_ns"}, {"median_ns"}};
}

void append_statistics(std::vector<evidence::Cell>& row, const ClockSample& sample) {
  const measure::SampleSummary summary = summarise(sample).of_rounds;
  for (const double value : six(summary)) row.push_back(to_picoseconds(value));
  row.push_back(to_picoseconds(summary.median));
}

/// Says of how many samples there is nothing; a row of gaps for each would bury the others.
void note_unreached(evidence::Table& table, std::size_t count) {
  if (count > 0)
    table.notes.push_back(std::to_string(count) + " rows are missing: the run ended before they were measured");
}

evidence::Table calls_table(const ClockStudy& study, const ClockPlan& plan, const std::string& source) {
  evidence::Table table{"calls",
                        "every clock by the article's protocol: averages of " + std::to_string(plan.calls) + " calls",
                        {{"clock"}, {"way"}, {"compiled"}, {"load"}}};
  for (evidence::Column& column : statistic_columns()) table.columns.push_back(std::move(column));
  table.columns.push_back({.name = "rounds", .on_screen = false});
  table.columns.push_back({"mad_percent"});
  table.columns.push_back({"is_settled"});
  std::size_t unreached = 0;
  for (const ClockSample& sample : study.samples) {
    if (sample.is_single || sample.calls != plan.calls) continue;
    if (sample.rounds.empty()) {
      ++unreached;
      continue;
    }
    std::vector<evidence::Cell> row = {sample.clock, sample.way, name_of(sample.compiled), load_name(sample.is_loaded)};
    append_statistics(row, sample);
    const ClockSummary summary = summarise(sample);
    row.emplace_back(summary.rounds);
    row.emplace_back(summary.mad_percent);
    row.emplace_back(summary.is_settled());
    table.add_row(std::move(row));
  }
  table.notes = {"clock source: " + source + "; settled: ten rounds at least whose medians agree within 2 %"};
  note_unreached(table, unreached);
  return table;
}

evidence::Table batches_table(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Table table{
      "batches", "the same calls averaged over more of them: what an average hides", {{"clock"}, {"load"}, {"calls"}}};
  for (evidence::Column& column : statistic_columns()) table.columns.push_back(std::move(column));
  std::size_t unreached = 0;
  for (const ClockSample& sample : study.samples) {
    if (sample.is_single || sample.compiled != Compiled::optimised) continue;
    if (sample.rounds.empty()) {
      ++unreached;
      continue;
    }
    std::vector<evidence::Cell> row = {sample.clock, load_name(sample.is_loaded), sample.calls};
    append_statistics(row, sample);
    table.add_row(std::move(row));
  }
  table.notes = {
      "The readings of CLOCK_MONOTONIC around a batch count as part of it: with one call they are most of it. "
      "The row \"empty\" has nothing but them.",
      "A stall of s ns in one of k calls shows as s / k: max times calls is what a single call may have taken. " +
          std::to_string(plan.repetitions) + " batches a round."};
  note_unreached(table, unreached);
  return table;
}

evidence::Table single_table(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Table table{
      "single",
      "one call between two fenced readings of the processor's counter, " + std::to_string(plan.singles) + " a round",
      {{"clock"}, {"load"}}};
  for (evidence::Column& column : statistic_columns()) table.columns.push_back(std::move(column));
  std::size_t unreached = 0;
  for (const ClockSample& sample : study.samples) {
    if (!sample.is_single) continue;
    if (sample.rounds.empty()) {
      ++unreached;
      continue;
    }
    std::vector<evidence::Cell> row = {sample.clock, load_name(sample.is_loaded)};
    append_statistics(row, sample);
    table.add_row(std::move(row));
  }
  table.notes = {"The counter advances in steps of " + to_text(evidence::Cell(study.quantum_ns), 2) +
                 " ns: times come in multiples of that. The row \"empty\" is what the two readings cost."};
  note_unreached(table, unreached);
  return table;
}

evidence::Cell or_unmeasured(const std::optional<double>& value, const char* reason) {
  return value ? evidence::Cell(*value) : evidence::Cell(evidence::Unmeasured{reason});
}

evidence::Table steps_table(const ClockStudy& study) {
  evidence::Table table{
      "steps",
      "readings one after the other: step, resolution, and whether the clock ever goes back",
      {{"clock"}, {"readings"}, {"equal"}, {"backwards"}, {"smallest_step_ns"}, {"quantum_ns"}, {"getres_ns"}}};
  for (const ClockStep& step : study.steps) {
    table.add_row({step.clock, step.readings, step.equal, step.backwards,
                   or_unmeasured(step.smallest_ns, "it did not move while it was read"),
                   or_unmeasured(step.quantum_ns, "its differences gather at no multiples"),
                   or_unmeasured(step.resolution_ns, "no clock of clock_getres")});
  }
  return table;
}

evidence::Table drift_table(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Table table{
      "drift",
      "the processor's counter, calibrated over 20 ms, against CLOCK_MONOTONIC later",
      {{"wanted_s", 0}, {"span_s", 3}, {"residual_ns", 0}, {"residual_ppm", 3}, {"uncertainty_ppm", 4}}};
  for (const double wanted : plan.drift_s) {
    const auto found = std::ranges::find(study.drifts, wanted, &ClockDrift::wanted_s);
    if (found == study.drifts.end()) {
      const evidence::Unmeasured gap{k_not_reached};
      table.add_row({wanted, gap, gap, gap, gap});
    } else {
      table.add_row({wanted, found->span_s, found->residual_ns, found->residual_ppm, found->uncertainty_ppm});
    }
  }
  table.notes = {
      "Above zero the counter is ahead. CLOCK_MONOTONIC follows the time service, so its slewing is in here too."};
  return table;
}

evidence::Table overhead_table(const ClockStudy& study) {
  evidence::Table table{"overhead",
                        "what the instrument itself costs, per call that it times",
                        {{"part"}, {"min_ns"}, {"median_ns"}, {"p99_ns"}}};
  const auto add = [&](const std::string& part, bool is_single, std::size_t calls) {
    const ClockSample* sample = find(study, "empty", Compiled::optimised, false, is_single, calls);
    if (sample == nullptr) {
      const evidence::Unmeasured gap{"the clock \"empty\" was not asked for, or not reached"};
      table.add_row({part, gap, gap, gap});
      return;
    }
    const measure::SampleSummary summary = summarise(*sample).of_rounds;
    table.add_row({part, to_picoseconds(summary.min), to_picoseconds(summary.median), to_picoseconds(summary.p99)});
  };
  add("two readings of CLOCK_MONOTONIC around one call", false, 1);
  add("two readings of CLOCK_MONOTONIC around 100 calls", false, 100);
  add("two fenced readings of the counter around one call", true, 1);
  return table;
}

// ------------------------------------------------------------------------------------------------------------ charts

std::vector<double> times_of_a_call(const ClockSample& sample) {
  std::vector<double> values;
  for (const auto& round : sample.rounds) {
    for (const float span : round) values.push_back(static_cast<double>(span) / static_cast<double>(sample.calls));
  }
  return values;
}

evidence::Chart cumulative_chart(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Chart chart{
      .name = "batches",
      .title = "An average hides a stall.",
      .caption = "gettimeofday on a shared processor: cumulative distribution of batches of 1, 10 and 100 calls.",
      .kind = evidence::ChartKind::steps,
      .x = {"time of a call", "ns", true},
      .y = {"share of the batches"}};
  for (const std::size_t calls : {std::size_t{1}, std::size_t{10}, plan.calls}) {
    const ClockSample* sample = find(study, "gettimeofday", Compiled::optimised, true, false, calls);
    if (sample != nullptr)
      chart.curves.push_back(cumulative_curve(std::to_string(calls) + (calls == 1 ? " call" : " calls"),
                                              times_of_a_call(*sample), std::numeric_limits<double>::infinity()));
  }
  return chart;
}

evidence::Chart cost_chart(const ClockStudy& study, const ClockPlan& plan) {
  evidence::Chart chart{.name = "cost",
                        .title = "What a reading costs.",
                        .caption = "Median of averages of 100 calls, -O2; logarithmic.",
                        .kind = evidence::ChartKind::bars,
                        .x = {"clock"},
                        .y = {"time of a call", "ns", true}};
  evidence::ChartCurve idle{"idle", {}};
  evidence::ChartCurve loaded{"loaded", {}};
  for (const char* clock : {"rdtsc", "rdtscp", "gettimeofday", "monotonic", "monotonic_coarse", "monotonic_syscall",
                            "thread_cpu", "process_cpu"}) {
    const ClockSample* one = find(study, clock, Compiled::optimised, false, false, plan.calls);
    if (one == nullptr) continue;
    const auto group = static_cast<double>(chart.groups.size());
    std::string label = clock;
    std::ranges::replace(label, '_', ' ');
    chart.groups.push_back(std::move(label));
    idle.points.push_back({group, summarise(*one).of_rounds.median});
    const ClockSample* other = find(study, clock, Compiled::optimised, true, false, plan.calls);
    if (other != nullptr) loaded.points.push_back({group, summarise(*other).of_rounds.median});
  }
  chart.curves = {std::move(idle), std::move(loaded)};
  return chart;
}

}  // namespace

std::string label_of(const ClockSample& sample) {
  return sample.clock + (sample.compiled == Compiled::plain ? "_O0_" : "_O2_") + load_name(sample.is_loaded) + "_" +
         (sample.is_single ? std::string("single") : std::to_string(sample.calls));
}

ClockSummary summarise(const ClockSample& sample) {
  std::vector<measure::SampleSummary> rounds;
  for (const auto& round : sample.rounds) {
    std::vector<double> values;
    values.reserve(round.size());
    for (const float span : round) values.push_back(static_cast<double>(span) / static_cast<double>(sample.calls));
    rounds.push_back(measure::summarise(values));
  }
  const auto middle = [&rounds](double measure::SampleSummary::* part) {
    std::vector<double> values;
    for (const measure::SampleSummary& round : rounds) values.push_back(round.*part);
    return std::pair{measure::median(values), measure::median_absolute_deviation(values)};
  };
  ClockSummary summary{.rounds = rounds.size()};
  for (double measure::SampleSummary::* part :
       {&measure::SampleSummary::min, &measure::SampleSummary::max, &measure::SampleSummary::mean,
        &measure::SampleSummary::deviation, &measure::SampleSummary::median, &measure::SampleSummary::mad,
        &measure::SampleSummary::p99, &measure::SampleSummary::p999, &measure::SampleSummary::p9999}) {
    summary.of_rounds.*part = middle(part).first;
  }
  summary.of_rounds.n = rounds.empty() ? 0 : rounds.front().n;
  const auto [centre, spread] = middle(&measure::SampleSummary::median);
  summary.mad_percent = centre > 0 ? spread / centre * 100 : 0;
  return summary;
}

const std::vector<PublishedClock>& published_clocks() {
  // P. Short, "How Accurate is Your Time?", 2012: the table of results, nanoseconds.
  static const std::vector<PublishedClock> published = {{"Intel Nehalem", 29.06, 296.02, 67.27, 7.33, 85.30, 278.58},
                                                        {"POWER7, dedicated", 46.29, 81.58, 56.95, 1.36, 58.74, 73.99},
                                                        {"POWER7, shared", 44.17, 59.03, 52.99, 1.71, 55.67, 58.96}};
  return published;
}

void add_clock_results(evidence::Artefact& artefact, const ClockStudy& study, const ClockPlan& plan,
                       const std::string& source) {
  if (plan.is_reference) {
    artefact.add_table(article_table(study, plan, source));
    artefact.add_table(settling_table(study, plan)).add_table(outliers_table(study));
    artefact.add_chart(article_chart(study, plan)).add_chart(cumulative_chart(study, plan));
  }
  artefact.add_table(calls_table(study, plan, source));
  artefact.add_table(batches_table(study, plan)).add_table(single_table(study, plan)).add_table(steps_table(study));
  artefact.add_table(drift_table(study, plan)).add_table(overhead_table(study));
  artefact.add_chart(cost_chart(study, plan));
}

void add_core_offsets(evidence::Artefact& artefact, const std::vector<CorePair>& pairs, double ns_per_cycle) {
  evidence::Table table{"cores",
                        "the processor's counter beside those of others: bounds that causality gives",
                        {{"from"}, {"to"}, {"exchanges"}, {"offset_low_ns"}, {"offset_high_ns"}, {"goes_back"}}};
  for (const CorePair& pair : pairs) {
    if (pair.exchanges.empty()) {
      const evidence::Unmeasured gap{"no exchange came to its end in the time allowed"};
      table.add_row({pair.from, pair.to, 0, gap, gap, gap});
      continue;
    }
    const CounterOffset offset = offset_of(pair.exchanges);
    // A time stamp taken there and carried here lies before one taken here only if the counter there is behind for
    // sure.
    const bool goes_back = offset.high_cycles < 0 || offset.low_cycles > 0 || offset.is_contradiction();
    table.add_row({pair.from, pair.to, pair.exchanges.size(),
                   to_picoseconds(static_cast<double>(offset.low_cycles) * ns_per_cycle),
                   to_picoseconds(static_cast<double>(offset.high_cycles) * ns_per_cycle), goes_back});
  }
  if (pairs.empty())
    table.notes.emplace_back("This process may use one processor only: there is no other to compare with.");
  table.notes.emplace_back(
      "The counter of \"to\" is ahead by a value between both. goes_back: the counters are apart for sure, so a clock "
      "of them may run backwards when a thread moves. dojima lab c2c measures all pairs.");
  artefact.add_table(std::move(table));
}

}  // namespace dojima::instruments
