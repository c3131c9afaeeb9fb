#pragma once

// Two commands as process runs, interleaved A B B A A B ..., and the verdict over them: what `dojima lab ab` does. The
// number of pairs is fixed beforehand, because looking after each pair and stopping when the result pleases would raise
// the rate of false alarms. Starts processes and blocks; allocates.
//
//   harness::AbPlan plan{.a = {"./old", "--quick"}, .b = {"./new", "--quick"}, .pairs = 20};
//   const auto result = harness::run_ab(plan);
//   puts(measure::to_text(result->comparison).c_str());

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/child_process.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/measure/comparison.hpp"

namespace dojima::harness {

enum class AbMeasure : std::uint8_t {
  wall,    ///< seconds by the clock on the wall
  cpu,     ///< seconds of processor time, user and system: exact, where the kernel only samples which of both it was
  user,    ///< seconds of processor time in user mode
  figure,  ///< a number of the JSON that the commands write
};

struct AbPlan {
  std::vector<std::string> a{};
  std::vector<std::string> b{};
  std::size_t pairs = 20;
  std::size_t warm_up_pairs = 1;  ///< run and forgotten
  AbMeasure measure = AbMeasure::wall;
  /// TABLE.COLUMN[@COLUMN=VALUE,...]: which cell of the result's tables. The commands print the result on stdout, or
  /// into the file whose name takes the place of "{json}" in their words.
  std::string figure{};
  measure::ComparisonRule rule{};

  std::function<std::expected<evidence::ChildRun, std::string>(const std::vector<std::string>&)> run{};  ///< for tests
  std::function<bool()> is_interrupted{};
  std::function<void(std::size_t pairs_done)> progress{};
};

struct AbRun {
  bool is_a = true;
  double start_s = 0;
  double value = 0;
};

struct AbResult {
  measure::Comparison comparison;
  std::vector<AbRun> runs;  ///< in the order they were made, whole pairs only
  std::string figure;       ///< "wall", "cpu", "user" or the figure's name
  std::string unit;
  bool was_interrupted = false;
};

/// Runs the plan. An error names the command that failed, its status and its last words.
[[nodiscard]] std::expected<AbResult, std::string> run_ab(const AbPlan& plan);

/// The cell that `figure` names in a result `dojima.lab.run/1`, yes as 1 and no as 0; the error says what there is
/// instead.
[[nodiscard]] std::expected<double, std::string> figure_of(const evidence::Document& result, std::string_view figure);

/// The result as an artefact without evidence: runs of the arms A and B, verdict and figures.
[[nodiscard]] evidence::Artefact artefact_of(const AbPlan& plan, const AbResult& result);

/// Whole comparisons repeated: how often each verdict came. Artefact with a table of the counts and one of the trials.
[[nodiscard]] evidence::Artefact artefact_of_trials(const AbPlan& plan, const std::vector<AbResult>& trials);

}  // namespace dojima::harness
