#pragma once

// What each setting of a machine does to a program: runs without and with it, in turn, on a quiet machine and beside a
// load, and a verdict for each figure. What `dojima lab tune` does. The number of pairs is fixed beforehand. Starts
// processes and blocks; allocates.
//
//   TunePlan plan{.command = {"dojima", "demo", "--json"}, .settings = {{"processor", {"--loop", "processor=1"}}},
//                 .figures = {{"p50_us", "latency.p50_us@stage=venue"}}};
//   const auto result = harness::run_tune(plan);
//   puts(evidence::to_text(tune_table(*result)).c_str());

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/evidence/child_process.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/measure/comparison.hpp"

namespace dojima::harness {

struct TuneSetting {
  std::string name;
  std::vector<std::string> words;  ///< behind the command's, when it is on
};

struct TuneFigure {
  std::string name;
  std::string path;  ///< TABLE.COLUMN[@COLUMN=VALUE,...] of the command's JSON
};

struct TunePlan {
  std::vector<std::string> command{};  ///< prints its result as JSON; an exit status of 3: the setting was refused
  std::vector<TuneSetting> settings{};
  std::vector<TuneFigure> figures{};
  std::size_t pairs = 10;
  bool is_quiet_wanted = true;
  bool is_loaded_wanted = true;
  measure::ComparisonRule rule{};

  /// Begins or ends the load beside the command.
  std::function<void(bool is_on)> load{};
  std::function<std::expected<evidence::ChildRun, std::string>(const std::vector<std::string>&)> run{};  ///< for tests
  std::function<bool()> is_interrupted{};
  std::function<void(std::size_t done, std::size_t all)> progress{};  ///< pairs of runs
};

/// One setting under one load. The figures in the order of the plan.
struct TuneOutcome {
  std::string setting;
  bool is_loaded = false;
  std::vector<measure::Comparison> comparisons{};  ///< B is with the setting; empty: it was refused
  std::string refusal{};
};

struct TuneResult {
  std::vector<TuneFigure> figures;
  std::vector<TuneOutcome> outcomes;  ///< all settings on a quiet machine, then all beside a load; as far as it came
  bool was_interrupted = false;
};

/// An error: the command failed, other than by a refusal, or its result lacks a figure; it says whether the setting was
/// on.
[[nodiscard]] std::expected<TuneResult, std::string> run_tune(const TunePlan& plan);

/// A row for each setting, load and figure.
[[nodiscard]] evidence::Table tune_table(const TuneResult& result);

/// Whether the settings bring the figure of this name, beside a load, to at most `limit` of what it is without: "met"
/// or "missed" where the whole interval of the ratio says so, "undecidable" with the spread of the pairs where it does
/// not.
[[nodiscard]] evidence::Table tune_target_table(const TuneResult& result, const std::string& figure, double limit,
                                                const measure::ComparisonRule& rule = {});

}  // namespace dojima::harness
