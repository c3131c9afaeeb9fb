#include "dojima/harness/bench_harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/base/assert.hpp"

namespace dojima::harness {
namespace {

template <class Value>
Value* find_or_add(std::array<Operations::Named<Value>, Operations::k_most>& list, std::size_t& count,
                   std::string_view name) noexcept {
  for (std::size_t at = 0; at < count; ++at) {
    if (list[at].name == name) return &list[at].value;
  }
  DOJIMA_ASSERT(count < list.size(), "a batch has at most so many kinds and so many figures", count, list.size());
  list[count].name = name;
  return &list[count++].value;
}

}  // namespace

Operations& Operations::add(std::string_view kind, std::uint64_t count) noexcept {
  *find_or_add(kinds_, kind_count_, kind) += count;
  return *this;
}

Operations& Operations::figure(std::string_view name, double value) noexcept {
  *find_or_add(figures_, figure_count_, name) = value;
  return *this;
}

std::uint64_t Operations::total() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& kind : kinds()) sum += kind.value;
  return sum;
}

std::int64_t BenchCase::integer(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name && value.integer() != nullptr) return *value.integer();
  }
  DOJIMA_ASSERT(false, "a parameter of the table, a whole number");
}

std::string_view BenchCase::text(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name && value.text() != nullptr) return *value.text();
  }
  DOJIMA_ASSERT(false, "a parameter of the table, a text");
}

std::vector<BenchCase> cases_of(const BenchTable& table, std::uint64_t seed) {
  std::vector<std::vector<std::pair<std::string, evidence::Cell>>> rows(1);
  for (const BenchParameter& parameter : table.parameters) {
    std::vector<std::vector<std::pair<std::string, evidence::Cell>>> longer;
    for (const auto& row : rows) {
      for (const evidence::Cell& value : parameter.values) {
        longer.push_back(row);
        longer.back().emplace_back(parameter.name, value);
      }
    }
    rows = std::move(longer);
  }
  std::vector<BenchCase> cases;
  for (auto& row : rows) cases.emplace_back(std::move(row), seed);
  return cases;
}

namespace {

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A competitor during its case.
struct Runner {
  std::string name;
  std::unique_ptr<Competitor> competitor;
  std::size_t batches = 1;  ///< in a round
  std::vector<double> ns_per_operation{};
  std::vector<std::pair<std::string, std::uint64_t>> kinds{};
  std::vector<std::pair<std::string, std::vector<double>>> figures{};
  std::uint64_t operations = 0;
  std::uint64_t allocations = 0;
  std::uint64_t digest = 0;
  bool is_steady_digest = true;
};

template <class Value>
Value& entry(std::vector<std::pair<std::string, Value>>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [name](const auto& pair) { return pair.first == name; });
  if (found != list.end()) return found->second;
  return list.emplace_back(std::string(name), Value{}).second;
}

/// All rounds of one case.
class CaseRun {
 public:
  CaseRun(const BenchTable& table, const BenchCase& bench_case, const BenchSettings& settings)
      : table_(table), settings_(settings), random_(settings.seed) {
    for (const BenchCompetitor& entrant : table.competitors) {
      if (auto made = entrant.make(bench_case))
        runners_.push_back({.name = entrant.name, .competitor = std::move(made)});
    }
  }

  /// False when it was interrupted.
  bool run(std::size_t cases_done) {
    const std::int64_t begin = now();
    for (Runner& runner : runners_) {
      if (!warm_up(runner)) return false;
    }
    std::size_t next_judgement = settings_.rule.min_runs;
    for (std::size_t round = 1; !runners_.empty(); ++round) {
      if (!run_round()) return false;
      if (settings_.progress) settings_.progress(cases_done, round);
      const std::chrono::nanoseconds elapsed{now() - begin};
      if (settings_.rounds != 0 ? round >= settings_.rounds : is_done(round, elapsed, next_judgement)) break;
    }
    return true;
  }

  /// The competitors go, with their memory; what was measured stays.
  void release() {
    for (Runner& runner : runners_) runner.competitor.reset();
  }

  [[nodiscard]] const std::vector<Runner>& runners() const noexcept { return runners_; }
  [[nodiscard]] const Runner* runner(std::string_view name) const noexcept {
    const auto found =
        std::find_if(runners_.begin(), runners_.end(), [name](const Runner& r) { return r.name == name; });
    return found == runners_.end() ? nullptr : &*found;
  }

  /// What the stopping rule looks at: ratios to the baseline, because the machine's own ups and downs cancel in them.
  [[nodiscard]] std::vector<double> judged_series(const Runner& runner) const {
    const Runner* baseline = this->runner(table_.baseline);
    if (baseline == nullptr || baseline == &runner) return runner.ns_per_operation;
    return ratios(runner, *baseline);
  }

  [[nodiscard]] static std::vector<double> ratios(const Runner& above, const Runner& below) {
    const std::size_t rounds = std::min(above.ns_per_operation.size(), below.ns_per_operation.size());
    std::vector<double> result(rounds);
    for (std::size_t at = 0; at < rounds; ++at) result[at] = above.ns_per_operation[at] / below.ns_per_operation[at];
    return result;
  }

 private:
  [[nodiscard]] std::int64_t now() const { return settings_.now_ns ? settings_.now_ns() : monotonic_ns(); }
  [[nodiscard]] bool is_interrupted() const { return settings_.is_interrupted && settings_.is_interrupted(); }

  /// One batch; its time, at least 1 ns.
  std::int64_t batch(Runner& runner, Operations& operations) {
    runner.competitor->prepare();
    const std::uint64_t allocations = heap_allocations();
    const std::int64_t begin = now();
    operations = runner.competitor->run();
    const std::int64_t end = now();
    runner.allocations += heap_allocations() - allocations;
    return std::max<std::int64_t>(end - begin, 1);
  }

  bool warm_up(Runner& runner) {
    std::int64_t spent = 0;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    do {
      Operations operations;
      const std::int64_t took = batch(runner, operations);
      DOJIMA_ASSERT(operations.total() > 0, "a batch says how many operations it did");
      spent += took;
      shortest = std::min(shortest, took);
      if (is_interrupted()) return false;
    } while (spent < settings_.warm_up.count());
    runner.batches = static_cast<std::size_t>(settings_.slice.count() / shortest) + 1;
    runner.allocations = 0;
    return true;
  }

  bool run_round() {
    // Another order each round: who comes after whom must favour nobody.
    std::vector<std::size_t> order(runners_.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    for (std::size_t at = order.size(); at > 1; --at) std::swap(order[at - 1], order[random_.below(at)]);
    std::vector<double> times(runners_.size());
    for (const std::size_t at : order) {
      Runner& runner = runners_[at];
      std::int64_t spent = 0;
      std::uint64_t done = 0;
      for (std::size_t i = 0; i < runner.batches; ++i) {
        Operations operations;
        spent += batch(runner, operations);
        done += operations.total();
        take(runner, operations, i == 0);
      }
      runner.operations += done;
      times[at] = static_cast<double>(spent) / static_cast<double>(done);
      if (is_interrupted()) return false;
    }
    // Only whole rounds count: the same number of values for all.
    for (std::size_t at = 0; at < runners_.size(); ++at) runners_[at].ns_per_operation.push_back(times[at]);
    return true;
  }

  static void take(Runner& runner, const Operations& operations, bool is_first_of_round) {
    for (const auto& kind : operations.kinds()) entry(runner.kinds, kind.name) += kind.value;
    for (const auto& figure : operations.figures()) entry(runner.figures, figure.name).push_back(figure.value);
    if (is_first_of_round && runner.ns_per_operation.empty()) runner.digest = operations.digest();
    if (runner.digest != operations.digest()) runner.is_steady_digest = false;
  }

  /// Judged at 1, 1.5, 2.25 ... times the least number of rounds: the bootstrap shall not outweigh the measuring.
  bool is_done(std::size_t round, std::chrono::nanoseconds elapsed, std::size_t& next_judgement) const {
    const bool is_over = elapsed >= settings_.rule.time_cap || round >= settings_.rule.max_runs;
    if (round < next_judgement || is_over) return is_over;
    next_judgement += std::max<std::size_t>(next_judgement / 2, 1);
    return std::all_of(runners_.begin(), runners_.end(), [&](const Runner& runner) {
      // Where there is somebody to compare with the baseline, its absolute time need not settle.
      if (runner.name == table_.baseline && runners_.size() > 1) return true;
      return settings_.rule.judge(judged_series(runner), elapsed).answer == measure::StoppingRule::Answer::converged;
    });
  }

  const BenchTable& table_;
  const BenchSettings& settings_;
  measure::Random random_;
  std::vector<Runner> runners_;
};

// ------------------------------------------------------------------------------------------------------------- table

struct Names {
  std::vector<std::string> kinds;
  std::vector<std::string> figures;
};

template <class Value>
void join(std::vector<std::string>& names, const std::vector<std::pair<std::string, Value>>& list) {
  for (const auto& [name, value] : list) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

double percent_mad(const std::vector<double>& values) {
  return 100 * measure::median_absolute_deviation(values) / measure::median(values);
}

void add_ratio_columns(evidence::Table& table, const std::string& column, const std::string& whom) {
  table.columns.push_back({column, 3, true, "cost divided by that of " + whom + ", median over the rounds"});
  table.columns.push_back({column + "_p10", 3, false, "tenth percentile of the same"});
  table.columns.push_back({column + "_mad_percent", 1, false, "median absolute deviation of the same"});
}

bool has_rate(const BenchTable& bench) {
  return bench.operation != "operation";
}

evidence::Table empty_table(const BenchTable& bench, const Names& names) {
  evidence::Table table{bench.name, bench.title, {}, {}, {}};
  for (const BenchParameter& parameter : bench.parameters) table.columns.push_back({parameter.name, 2});
  table.columns.push_back({bench.competitor});
  table.columns.push_back({"ns_per_" + bench.operation, 2, true, "median over the rounds"});
  if (has_rate(bench)) table.columns.push_back({bench.operation + "s_per_second", 0, true, "of the median"});
  table.columns.push_back({"mad_percent", 1, true, "median absolute deviation of ns_per_" + bench.operation});
  table.columns.push_back({"p10_ns_per_" + bench.operation, 2, true, "tenth percentile over the rounds"});
  if (!bench.baseline.empty()) add_ratio_columns(table, "vs_baseline", bench.baseline);
  if (!bench.floor.empty()) add_ratio_columns(table, bench.floor_ratio, bench.floor);
  for (const std::string& figure : names.figures) table.columns.push_back({figure, 2, true, "median over the rounds"});
  for (const std::string& figure : bench.compared_figures) {
    table.columns.push_back({figure + "_vs_baseline", 3, true, "divided by that of " + bench.baseline});
    table.columns.push_back({figure + "_low", 3, true, "of the 99 % interval of that"});
    table.columns.push_back({figure + "_high", 3, true, "of the 99 % interval of that"});
  }
  table.columns.push_back({"allocations_per_" + bench.operation, 4});
  table.columns.push_back({"rounds"});
  table.columns.push_back({"converged", 0, true, "the stopping rule was content"});
  table.columns.push_back({"operations", 0, false, "timed in all rounds"});
  for (const std::string& kind : names.kinds) {
    if (!kind.empty()) table.columns.push_back({"operations_" + kind, 0});
  }
  table.columns.push_back({"digest", 0, false, "of the results; equal for all competitors of a case"});
  if (!bench.baseline.empty()) table.notes.push_back("baseline: " + bench.baseline);
  if (!bench.floor.empty()) table.notes.push_back("floor: " + bench.floor);
  table.notes.insert(table.notes.end(), bench.notes.begin(), bench.notes.end());
  return table;
}

void add_ratios(std::vector<evidence::Cell>& row, const CaseRun& run, const Runner& runner,
                const std::string& against) {
  if (against.empty()) return;
  const Runner* other = run.runner(against);
  if (other == nullptr) {
    row.insert(row.end(), 3, evidence::Cell(evidence::Unmeasured{against + " does not take part in this case"}));
    return;
  }
  const std::vector<double> ratios = CaseRun::ratios(runner, *other);
  row.emplace_back(measure::median(ratios));
  row.emplace_back(measure::quantile(ratios, 0.1));
  row.emplace_back(percent_mad(ratios));
}

evidence::Cell allocations_of(const Runner& runner) {
  if (!counts_heap_allocations()) return evidence::Unmeasured{"this build does not count allocations"};
  return static_cast<double>(runner.allocations) / static_cast<double>(runner.operations);
}

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::optional<double> median_of_measured(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::nullopt;
  return measure::median(values);
}

/// The median of a figure over the rounds that could measure it; none where none could.
std::optional<double> figure_of(const Runner& runner, const std::string& name) {
  for (const auto& [figure, values] : runner.figures) {
    if (figure != name) continue;
    return median_of_measured(values);
  }
  return std::nullopt;
}

/// A figure of one by that of another, round by round; empty where they were never measured together.
std::vector<double> figure_ratios(const Runner& runner, const Runner& against, const std::string& name) {
  if (!figure_of(runner, name) || !figure_of(against, name)) return {};
  const auto values = [&name](const Runner& of) {
    return std::find_if(of.figures.begin(), of.figures.end(), [&](const auto& each) { return each.first == name; })
        ->second;
  };
  const std::vector<double> own = values(runner), other = values(against);
  std::vector<double> ratios(std::min(own.size(), other.size()));  // a round may have been interrupted
  std::transform(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(ratios.size()), other.begin(), ratios.begin(),
                 std::divides<>());
  std::erase_if(ratios, [](double ratio) { return std::isnan(ratio); });
  return ratios;
}

/// Their median over the rounds.
std::optional<double> figure_ratio(const Runner& runner, const Runner& against, const std::string& name) {
  return median_of_measured(figure_ratios(runner, against, name));
}

void add_compared_figures(std::vector<evidence::Cell>& row, const BenchTable& bench, const CaseRun& run,
                          const Runner& runner) {
  for (const std::string& name : bench.compared_figures) {
    const Runner* const other = run.runner(bench.baseline);
    const std::vector<double> ratios = other == nullptr ? std::vector<double>() : figure_ratios(runner, *other, name);
    if (ratios.empty()) {
      row.insert(row.end(), 3,
                 evidence::Cell(evidence::Unmeasured{name + " was not measured beside that of " + bench.baseline}));
      continue;
    }
    const measure::Interval interval = measure::median_interval(ratios, 0.99);
    row.emplace_back(interval.estimate);
    row.emplace_back(interval.low);
    row.emplace_back(interval.high);
  }
}

std::vector<evidence::Cell> row_of(const BenchTable& bench, const Names& names, const BenchCase& bench_case,
                                   const CaseRun& run, const Runner& runner, const BenchSettings& settings) {
  std::vector<evidence::Cell> row;
  for (const auto& [name, value] : bench_case.values()) row.push_back(value);
  row.emplace_back(runner.name);
  row.emplace_back(measure::median(runner.ns_per_operation));
  if (has_rate(bench)) row.emplace_back(1e9 / measure::median(runner.ns_per_operation));
  row.emplace_back(percent_mad(runner.ns_per_operation));
  row.emplace_back(measure::quantile(runner.ns_per_operation, 0.1));
  add_ratios(row, run, runner, bench.baseline);
  add_ratios(row, run, runner, bench.floor);
  for (const std::string& name : names.figures) {
    const std::optional<double> value = figure_of(runner, name);
    row.push_back(value ? evidence::Cell(*value)
                        : evidence::Cell(evidence::Unmeasured{runner.name + " has no " + name}));
  }
  add_compared_figures(row, bench, run, runner);
  row.push_back(allocations_of(runner));
  row.emplace_back(runner.ns_per_operation.size());
  const auto verdict = settings.rule.judge(run.judged_series(runner), std::chrono::nanoseconds{0});
  row.emplace_back(verdict.answer == measure::StoppingRule::Answer::converged);
  row.emplace_back(runner.operations);
  for (const std::string& name : names.kinds) {
    if (name.empty()) continue;
    const auto found = std::find_if(runner.kinds.begin(), runner.kinds.end(),
                                    [&name](const auto& kind) { return kind.first == name; });
    row.emplace_back(found == runner.kinds.end() ? std::uint64_t{0} : found->second);
  }
  row.push_back(runner.digest == 0 ? evidence::Cell("") : evidence::Cell(hexadecimal(runner.digest)));
  return row;
}

std::string name_of(const BenchCase& bench_case) {
  std::string text;
  for (const auto& [name, value] : bench_case.values()) {
    text += (text.empty() ? "" : ", ") + name + " " + to_text(value, 2);
  }
  return text;
}

std::string with_case(const std::string& name, const BenchCase& bench_case) {
  return bench_case.values().empty() ? name : name + " (" + name_of(bench_case) + ")";
}

void check_agreement(const BenchTable& bench, const BenchCase& bench_case, const CaseRun& run,
                     std::vector<BenchCheck>& checks) {
  const Runner* first = nullptr;
  BenchCheck check{with_case(bench.name + ": all competitors have the same results", bench_case), true, {}};
  std::size_t compared = 0;
  for (const Runner& runner : run.runners()) {
    if (runner.digest == 0) continue;
    ++compared;
    if (first == nullptr) first = &runner;
    if (!runner.is_steady_digest) {
      check.ok = false;
      check.detail += runner.name + " differs from round to round; ";
    }
    if (runner.digest != first->digest) {
      check.ok = false;
      check.detail += runner.name + " has " + hexadecimal(runner.digest) + ", " + first->name + " has " +
                      hexadecimal(first->digest) + "; ";
    }
  }
  if (compared == 0) return;
  if (check.ok) check.detail = std::to_string(compared) + " competitors, digest " + hexadecimal(first->digest);
  checks.push_back(std::move(check));
}

bool is_wanted_of(const BenchTarget& target, const BenchCase& bench_case) {
  return std::all_of(target.where.begin(), target.where.end(), [&bench_case](const auto& wanted) {
    return std::find(bench_case.values().begin(), bench_case.values().end(), wanted) != bench_case.values().end();
  });
}

void check_targets(const BenchTable& bench, const BenchCase& bench_case, const CaseRun& run,
                   std::vector<BenchCheck>& checks) {
  for (const BenchTarget& target : bench.targets) {
    if (!is_wanted_of(target, bench_case)) continue;
    const Runner* runner = run.runner(target.competitor);
    if (runner == nullptr) continue;
    char limit[48];
    char detail[48];
    if (target.against.empty()) {
      const std::string name = target.figure.empty() ? "ns_per_" + bench.operation : target.figure;
      const std::optional<double> value =
          target.figure.empty() ? measure::median(runner->ns_per_operation) : figure_of(*runner, name);
      if (!value) continue;
      std::snprintf(limit, sizeof limit, " <= %.2f", target.limit);
      std::snprintf(detail, sizeof detail, "%.3f", *value);
      checks.push_back({with_case(bench.name + ": " + name + " of " + target.competitor + limit, bench_case),
                        *value <= target.limit, detail});
      continue;
    }
    const Runner* against = run.runner(target.against);
    if (against == nullptr) continue;
    const std::optional<double> ratio = target.figure.empty() ? measure::median(CaseRun::ratios(*runner, *against))
                                                              : figure_ratio(*runner, *against, target.figure);
    if (!ratio) continue;
    const std::string what = target.figure.empty() ? "" : target.figure + " of ";
    std::snprintf(limit, sizeof limit, " <= %.*f x ", target.limit < 1 ? 4 : 2, target.limit);
    std::snprintf(detail, sizeof detail, "%.3f", *ratio);
    checks.push_back({with_case(bench.name + ": " + what + target.competitor + limit + target.against, bench_case),
                      *ratio <= target.limit, detail});
  }
}

/// The share of the values in each of up to 60 cells of equal width from the smallest value to the 99th percentile of
/// all.
evidence::ChartCurve histogram_of(const std::string& name, const std::vector<double>& values, double low,
                                  double width) {
  constexpr std::size_t k_cells = 60;
  std::array<std::size_t, k_cells> cells{};
  for (const double value : values) {
    const auto cell = static_cast<std::size_t>(std::max((value - low) / width, 0.0));
    if (cell < k_cells) ++cells[cell];
  }
  evidence::ChartCurve curve{name, {}};
  for (std::size_t i = 0; i < k_cells; ++i) {
    const double middle = low + (static_cast<double>(i) + 0.5) * width;
    const double share = static_cast<double>(cells[i]) / static_cast<double>(values.size());
    curve.points.push_back({std::round(middle * 1e4) / 1e4, std::round(share * 1e6) / 1e6});
  }
  return curve;
}

std::optional<evidence::Chart> chart_of_rounds(const BenchTable& bench, const BenchCase& bench_case,
                                               const CaseRun& run) {
  if (!bench.is_drawn || !bench.is_drawn(bench_case)) return std::nullopt;
  std::vector<const Runner*> runners;
  std::vector<double> all;
  for (const std::string& name : bench.drawn) {
    const Runner* runner = run.runner(name);
    if (runner == nullptr || runner->ns_per_operation.size() < 2) continue;
    runners.push_back(runner);
    all.insert(all.end(), runner->ns_per_operation.begin(), runner->ns_per_operation.end());
  }
  if (runners.empty()) return std::nullopt;
  const double low = *std::min_element(all.begin(), all.end());
  // The percentile itself belongs to the last cell.
  const double width = std::max((measure::quantile(all, 0.99) - low) / 59.5, 1e-4);
  evidence::Chart chart{.name = "rounds_" + bench.name + "_" + name_of(bench_case),
                        .title = "Histograms of the rounds: " + name_of(bench_case) + ".",
                        .caption = "A value a round, up to the 99th percentile of all.",
                        .kind = evidence::ChartKind::lines,
                        .x = {"time of a " + bench.operation, "ns"},
                        .y = {"share of the rounds"}};
  for (const Runner* runner : runners)
    chart.curves.push_back(histogram_of(runner->name, runner->ns_per_operation, low, width));
  return chart;
}

}  // namespace

BenchResult run_table(const BenchTable& table, std::span<const BenchCase> cases, const BenchSettings& settings) {
  BenchResult result;
  std::vector<std::pair<const BenchCase*, std::unique_ptr<CaseRun>>> runs;
  Names names;
  for (std::size_t at = 0; at < cases.size() && !result.was_interrupted; ++at) {
    auto run = std::make_unique<CaseRun>(table, cases[at], settings);
    result.was_interrupted = !run->run(at);
    run->release();
    runs.emplace_back(&cases[at], std::move(run));
    for (const Runner& runner : runs.back().second->runners()) {
      join(names.kinds, runner.kinds);
      join(names.figures, runner.figures);
    }
  }
  result.table = empty_table(table, names);
  for (const auto& [bench_case, run] : runs) {
    bool has_rounds = false;
    for (const Runner& runner : run->runners()) {
      if (runner.ns_per_operation.empty()) continue;
      has_rounds = true;
      result.table.add_row(row_of(table, names, *bench_case, *run, runner, settings));
    }
    if (!has_rounds) continue;
    check_agreement(table, *bench_case, *run, result.agreement);
    check_targets(table, *bench_case, *run, result.targets);
    if (auto chart = chart_of_rounds(table, *bench_case, *run)) result.charts.push_back(std::move(*chart));
  }
  if (result.was_interrupted) result.table.notes.emplace_back("interrupted: results so far");
  return result;
}

}  // namespace dojima::harness
