#include "dojima/harness/command_ab.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "dojima/evidence/temporary_file.hpp"

namespace dojima::harness {
namespace {

constexpr std::string_view k_placeholder = "{json}";

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The words with the file's name in the placeholder's stead, and whether there was one.
bool put_file(std::vector<std::string>& words, const std::string& path) {
  bool has_placeholder = false;
  for (std::string& word : words) {
    const std::size_t at = word.find(k_placeholder);
    if (at == std::string::npos) continue;
    word.replace(at, k_placeholder.size(), path);
    has_placeholder = true;
  }
  return has_placeholder;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::expected<double, std::string> measure_once(const AbPlan& plan, std::vector<std::string> words) {
  const evidence::TemporaryFile file;
  const bool has_file = plan.measure == AbMeasure::figure && put_file(words, file.path());
  const auto run = plan.run ? plan.run(words) : evidence::run_child(words, evidence::ChildOutput::kept);
  if (!run) return std::unexpected(run.error());
  if (run->status != 0) {
    return std::unexpected(joined(words) + ": exit status " + std::to_string(run->status) +
                           (run->errors.empty() ? "" : "\n" + run->errors));
  }
  double value = run->wall_s;
  if (plan.measure == AbMeasure::cpu) value = run->user_s + run->system_s;
  if (plan.measure == AbMeasure::user) value = run->user_s;
  if (plan.measure == AbMeasure::figure) {
    const auto result = evidence::parse_document(has_file ? file.text() : run->output);
    if (!result) return std::unexpected(joined(words) + ": no result in JSON: " + result.error());
    const auto figure = figure_of(*result, plan.figure);
    if (!figure) return std::unexpected(joined(words) + ": " + figure.error());
    value = *figure;
  }
  if (!(value > 0))
    return std::unexpected(joined(words) + ": the figure is " + std::to_string(value) + ", not above 0");
  return value;
}

struct Filter {
  std::string_view column;
  std::string_view value;
};

bool matches(const evidence::Document& row, const Filter& filter) {
  const evidence::Document& cell = row.at(filter.column);
  return cell.is_text() ? cell.as_text() == filter.value : !cell.is_null() && cell.canonical() == filter.value;
}

std::vector<Filter> filters_of(std::string_view text) {
  std::vector<Filter> filters;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equal = std::min(part.find('='), part.size());
    if (equal == part.size() && !filters.empty()) {  // the value has a comma in it
      std::string_view& value = filters.back().value;
      value = {value.data(), static_cast<std::size_t>(part.data() + part.size() - value.data())};
      continue;
    }
    filters.push_back({part.substr(0, equal), part.substr(std::min(equal + 1, part.size()))});
  }
  return filters;
}

std::string name_of(const AbPlan& plan) {
  switch (plan.measure) {
    case AbMeasure::wall:
      return "wall";
    case AbMeasure::cpu:
      return "cpu";
    case AbMeasure::user:
      return "user";
    case AbMeasure::figure:
      break;
  }
  return plan.figure;
}

measure::Comparison compare_runs(const std::vector<AbRun>& runs, const measure::ComparisonRule& rule) {
  std::vector<double> a;
  std::vector<double> b;
  for (const AbRun& run : runs) (run.is_a ? a : b).push_back(run.value);
  return measure::compare(a, b, rule);
}

}  // namespace

std::expected<double, std::string> figure_of(const evidence::Document& result, std::string_view figure) {
  const std::size_t at = std::min(figure.find('@'), figure.size());
  const std::string_view path = figure.substr(0, at);
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::unexpected("a figure is TABLE.COLUMN[@COLUMN=VALUE,...]");
  const std::string_view table_name = path.substr(0, dot);
  const std::string_view column = path.substr(dot + 1);
  const std::vector<Filter> filters = filters_of(figure.substr(std::min(at + 1, figure.size())));

  std::string names;
  for (const evidence::Document& table : result.at("tables").elements()) {
    const std::string_view name = table.at("name").as_text();
    names += (names.empty() ? "" : ", ") + std::string(name);
    if (name != table_name) continue;
    std::vector<const evidence::Document*> rows;
    for (const evidence::Document& row : table.at("rows").elements()) {
      if (std::all_of(filters.begin(), filters.end(), [&row](const Filter& filter) { return matches(row, filter); })) {
        rows.push_back(&row);
      }
    }
    if (rows.size() != 1) {
      for (const Filter& filter : filters) {
        const auto& all = table.at("rows").elements();
        if (!all.empty() && !all.front().has(filter.column))
          return std::unexpected("the table " + std::string(table_name) + " has no column " +
                                 std::string(filter.column) + "; choose rows with @COLUMN=VALUE");
      }
      return std::unexpected(std::to_string(rows.size()) + " rows of the table " + std::string(table_name) +
                             " match, choose one with @COLUMN=VALUE");
    }
    const evidence::Document& cell = rows.front()->at(column);
    if (cell.is_bool()) return cell.as_bool() ? 1.0 : 0.0;
    if (!cell.is_number()) return std::unexpected("no number in the column " + std::string(column));
    return cell.as_number();
  }
  return std::unexpected("no table " + std::string(table_name) + "; there are: " + names);
}

std::expected<AbResult, std::string> run_ab(const AbPlan& plan) {
  AbResult result;
  result.figure = name_of(plan);
  result.unit = plan.measure == AbMeasure::figure ? "" : "s";
  const double begin = seconds_now();
  for (std::size_t pair = 0; pair < plan.warm_up_pairs + plan.pairs; ++pair) {
    AbRun runs[2];
    for (int turn = 0; turn < 2; ++turn) {
      AbRun& run = runs[turn];
      run.is_a = measure::runs_a_first(pair) == (turn == 0);
      run.start_s = seconds_now() - begin;
      const auto value = measure_once(plan, run.is_a ? plan.a : plan.b);
      if (plan.is_interrupted && plan.is_interrupted()) {
        result.was_interrupted = true;
        result.comparison = compare_runs(result.runs, plan.rule);
        return result;
      }
      if (!value) return std::unexpected(value.error());
      run.value = *value;
    }
    if (pair >= plan.warm_up_pairs) result.runs.insert(result.runs.end(), runs, runs + 2);
    if (plan.progress) plan.progress(pair + 1);
  }
  result.comparison = compare_runs(result.runs, plan.rule);
  return result;
}

namespace {

evidence::Artefact begin_artefact(const AbPlan& plan, const AbResult& result) {
  evidence::Artefact artefact("dojima lab ab -- " + joined(plan.a) + " --vs " + joined(plan.b));
  artefact.set_parameter("pairs", plan.pairs)
      .set_parameter("warm_up_pairs", plan.warm_up_pairs)
      .set_parameter("figure", result.figure)
      .set_parameter("seed", plan.rule.seed);
  return artefact;
}

const std::vector<evidence::Column>& comparison_columns() {
  static const std::vector<evidence::Column> columns{{"verdict"},
                                                     {"figure"},
                                                     {"median_a", 6},
                                                     {"median_b", 6},
                                                     {"ratio", 4, true, "B / A: median over the pairs"},
                                                     {"ratio_low", 4, true, "lower end of its bootstrap interval"},
                                                     {"ratio_high", 4},
                                                     {"p_value", 6},
                                                     {"mad_percent", 1},
                                                     {"pairs"}};
  return columns;
}

std::vector<evidence::Cell> row_of(const AbResult& result) {
  const measure::Comparison& found = result.comparison;
  return {std::string(name_of(found.verdict)),
          result.figure,
          found.median_a,
          found.median_b,
          found.ratio.estimate,
          found.ratio.low,
          found.ratio.high,
          found.p_value,
          100 * found.relative_mad,
          found.pairs};
}

}  // namespace

evidence::Artefact artefact_of(const AbPlan& plan, const AbResult& result) {
  evidence::Artefact artefact = begin_artefact(plan, result);
  for (const AbRun& run : result.runs) {
    artefact.begin_run({.arm = run.is_a ? "A" : "B", .start_s = run.start_s});
    artefact.add_figure(result.figure, result.unit, run.value);
  }
  artefact.compare_arms(result.figure, plan.rule);
  evidence::Table table{"ab", "B beside A", comparison_columns(), {}, {}};
  table.add_row(row_of(result));
  artefact.add_table(std::move(table));
  artefact.add_rule({"ab", "verdict", evidence::Rule::equal, 0});
  artefact.add_rule({"ab", "ratio", evidence::Rule::within, plan.rule.margin});
  return artefact;
}

evidence::Artefact artefact_of_trials(const AbPlan& plan, const std::vector<AbResult>& trials) {
  evidence::Artefact artefact = begin_artefact(plan, trials.empty() ? AbResult{} : trials.front());
  artefact.set_parameter("trials", trials.size());
  evidence::Table verdicts{"verdicts", "how often each verdict came", {{"verdict"}, {"trials"}}, {}, {}};
  for (const measure::Verdict verdict :
       {measure::Verdict::better, measure::Verdict::worse, measure::Verdict::same, measure::Verdict::unstable}) {
    const auto count = std::count_if(trials.begin(), trials.end(),
                                     [verdict](const AbResult& trial) { return trial.comparison.verdict == verdict; });
    verdicts.add_row({std::string(name_of(verdict)), static_cast<std::int64_t>(count)});
  }
  evidence::Table each{"trials", "B beside A, trial by trial", {{"trial"}}, {}, {}};
  each.columns.insert(each.columns.end(), comparison_columns().begin(), comparison_columns().end());
  for (std::size_t trial = 0; trial < trials.size(); ++trial) {
    std::vector<evidence::Cell> row = row_of(trials[trial]);
    row.insert(row.begin(), evidence::Cell(trial + 1));
    each.add_row(std::move(row));
  }
  artefact.add_table(std::move(verdicts)).add_table(std::move(each));
  return artefact;
}

}  // namespace dojima::harness
