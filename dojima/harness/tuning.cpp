#include "dojima/harness/tuning.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/harness/command_ab.hpp"

namespace dojima::harness {
namespace {

constexpr int k_refused = 3;

/// The figures of one run, or why there are none.
struct Run {
  std::vector<double> figures{};
  std::string error{};
  bool is_refusal = false;
};

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

Run run_once(const TunePlan& plan, const std::vector<std::string>& more) {
  std::vector<std::string> words = plan.command;
  words.insert(words.end(), more.begin(), more.end());
  const auto child = plan.run ? plan.run(words) : evidence::run_child(words, evidence::ChildOutput::kept);
  if (!child) return {.error = child.error()};
  // 1: a check of the run failed, of lost time perhaps; its figures hold.
  if (child->status > 1)
    return {.error = last_line(child->errors), .is_refusal = child->status == k_refused && !more.empty()};
  const auto result = evidence::parse_document(child->output);
  if (!result) return {.error = "no result in JSON: " + result.error()};
  Run run;
  for (const TuneFigure& figure : plan.figures) {
    const auto value = harness::figure_of(*result, figure.path);
    if (!value) return {.error = value.error()};
    if (!(*value > 0)) return {.error = "the figure " + figure.name + " is not above 0"};
    run.figures.push_back(*value);
  }
  return run;
}

/// Runs of one setting: for each figure the values without and with it.
struct Pairs {
  std::vector<std::vector<double>> without, with;

  explicit Pairs(std::size_t figures) : without(figures), with(figures) {}
  void add(const Run& a, const Run& b) {
    for (std::size_t figure = 0; figure < without.size(); ++figure) {
      without[figure].push_back(a.figures[figure]);
      with[figure].push_back(b.figures[figure]);
    }
  }
};

class Tuner {
 public:
  explicit Tuner(const TunePlan& plan) : plan_(plan), result_{.figures = plan.figures, .outcomes = {}} {
    const std::size_t loads = (plan.is_quiet_wanted ? 1U : 0U) + (plan.is_loaded_wanted ? 1U : 0U);
    all_ = loads * plan.settings.size() * plan.pairs;
  }

  std::expected<TuneResult, std::string> run() && {
    for (const bool is_loaded : {false, true}) {
      if (is_loaded ? !plan_.is_loaded_wanted : !plan_.is_quiet_wanted) continue;
      if (is_loaded && plan_.load) plan_.load(true);
      for (const TuneSetting& setting : plan_.settings) {
        if (!is_interrupted() && error_.empty()) compare(setting, is_loaded);
      }
      if (is_loaded && plan_.load) plan_.load(false);
    }
    if (!error_.empty()) return std::unexpected(std::move(error_));
    result_.was_interrupted = is_interrupted();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_interrupted() const { return plan_.is_interrupted && plan_.is_interrupted(); }

  void compare(const TuneSetting& setting, bool is_loaded) {
    TuneOutcome outcome{.setting = setting.name, .is_loaded = is_loaded};
    Pairs pairs(plan_.figures.size());
    std::size_t done = 0;
    for (; done < plan_.pairs && outcome.refusal.empty() && !is_interrupted(); ++done) {
      const bool is_without_first = measure::runs_a_first(done);
      const Run first = run_once(plan_, is_without_first ? std::vector<std::string>{} : setting.words);
      const Run second = run_once(plan_, is_without_first ? setting.words : std::vector<std::string>{});
      const Run& without = is_without_first ? first : second;
      const Run& with = is_without_first ? second : first;
      if (is_interrupted()) break;
      if (with.is_refusal && without.error.empty()) {
        outcome.refusal = with.error;
      } else if (!without.error.empty() || !with.error.empty()) {
        error_ = without.error.empty() ? "with " + setting.name + ": " + with.error
                                       : "without " + setting.name + ": " + without.error;
        return;
      } else {
        pairs.add(without, with);
      }
      if (plan_.progress) plan_.progress(++done_, all_);
    }
    if (outcome.refusal.empty()) {
      if (done == 0) return;
      for (std::size_t figure = 0; figure < plan_.figures.size(); ++figure)
        outcome.comparisons.push_back(measure::compare(pairs.without[figure], pairs.with[figure], plan_.rule));
    } else {
      done_ += plan_.pairs - done;
    }
    result_.outcomes.push_back(std::move(outcome));
  }

  const TunePlan& plan_;
  TuneResult result_;
  std::string error_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

}  // namespace

std::expected<TuneResult, std::string> run_tune(const TunePlan& plan) {
  return Tuner(plan).run();
}

evidence::Table tune_table(const TuneResult& result) {
  evidence::Table table{"tune",
                        "settings off and on, in turn: what each does",
                        {{"beside"},
                         {"setting"},
                         {"figure"},
                         {"off", 1},
                         {"on", 1},
                         {"ratio", 3},
                         {"low", 3},
                         {"high", 3},
                         {"verdict"},
                         {"pairs"}}};
  for (const TuneOutcome& outcome : result.outcomes) {
    const char* const beside = outcome.is_loaded ? "a load" : "nothing";
    for (std::size_t figure = 0; figure < result.figures.size(); ++figure) {
      const std::string& name = result.figures[figure].name;
      if (outcome.comparisons.empty()) {
        const evidence::Unmeasured refused{outcome.setting + " was refused: " + outcome.refusal};
        table.add_row({beside, outcome.setting, name, refused, refused, refused, refused, refused, "unavailable", 0});
        continue;
      }
      const measure::Comparison& of = outcome.comparisons[figure];
      table.add_row({beside, outcome.setting, name, of.median_a, of.median_b, of.ratio.estimate, of.ratio.low,
                     of.ratio.high, measure::name_of(of.verdict), of.pairs});
    }
  }
  table.notes.push_back(
      "ratio: on / off, median over pairs of runs, with its interval; unstable: the runs differ too much, or there are "
      "too few, to say");
  return table;
}

namespace {

std::string spread_text(double relative_mad) {
  char text[64];
  std::snprintf(text, sizeof text, "pairs differ by %.1f %%", 100 * relative_mad);
  return text;
}

/// "met", "missed" or "undecidable", and why.
std::pair<std::string, std::string> target_verdict(const measure::Comparison& of, double limit, std::size_t least) {
  if (of.pairs < least)
    return {"undecidable", std::to_string(of.pairs) + " pairs of runs; it takes " + std::to_string(least)};
  const std::string spread = spread_text(of.relative_mad);
  if (of.ratio.high <= limit) return {"met", spread};
  if (of.ratio.low > limit) return {"missed", spread};
  return {"undecidable", "the interval has the limit in it; " + spread};
}

}  // namespace

evidence::Table tune_target_table(const TuneResult& result, const std::string& figure, double limit,
                                  const measure::ComparisonRule& rule) {
  const auto found = std::ranges::find(result.figures, figure, &TuneFigure::name);
  DOJIMA_ASSERT(found != result.figures.end(), "a figure of the run");
  const auto at = static_cast<std::size_t>(found - result.figures.begin());
  char title[128];
  std::snprintf(title, sizeof title, "%s beside a load, settings on, at most %g of that with them off", figure.c_str(),
                limit);
  evidence::Table table{
      "target",
      title,
      {{"setting"}, {"ratio", 3}, {"low", 3}, {"high", 3}, {"spread_percent", 1}, {"verdict"}, {"why"}}};
  for (const TuneOutcome& outcome : result.outcomes) {
    if (!outcome.is_loaded) continue;
    if (outcome.comparisons.empty()) {
      const evidence::Unmeasured refused{outcome.setting + " was refused: " + outcome.refusal};
      table.add_row({outcome.setting, refused, refused, refused, refused, "unavailable", outcome.refusal});
      continue;
    }
    const measure::Comparison& of = outcome.comparisons[at];
    const auto [verdict, why] = target_verdict(of, limit, rule.min_pairs);
    table.add_row(
        {outcome.setting, of.ratio.estimate, of.ratio.low, of.ratio.high, 100 * of.relative_mad, verdict, why});
  }
  return table;
}

}  // namespace dojima::harness
