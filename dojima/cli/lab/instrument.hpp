#pragma once

// What the instruments of `dojima lab` have in common: their options, progress, Ctrl-C, evidence, and where the result
// goes. An instrument's file registers its subcommand, and its work begins with an InstrumentRun and ends with
// `finish`.
//
//   auto options = std::make_shared<InstrumentOptions>();
//   options->add_to(command);
//   command.on_run([options, &status] {
//     InstrumentRun run(*options);
//     if (!run.can_write()) { status = k_environment; return; }
//     while (!run.is_interrupted()) run.show("gaps", done, total, "s"), ...;
//     status = run.finish(artefact, {.applied = applied_while_measuring, .quantum_ns = 10});
//   });

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/progress.hpp"

namespace dojima::cli {

class Command;

struct InstrumentOptions {
  bool is_quick = false;
  bool is_silent = false;
  JsonOption json;
  std::string page;  ///< where the report goes; empty: none

  /// --json, --report, --quick and --no-progress.
  void add_to(Command command);
};

/// --cores LIST; `cores` outlives the command.
void add_cores_option(Command command, std::string& cores);
/// The processors that were named, or all that this process may use. Nothing: that has been reported.
[[nodiscard]] std::optional<std::vector<int>> chosen_cores(const std::string& cores);

class InstrumentRun {
 public:
  /// Reads the state of the machine and takes Ctrl-C over. `options` outlives the run.
  explicit InstrumentRun(const InstrumentOptions& options);

  /// Whether the result can be stored, asked before the work. False: that has been reported.
  [[nodiscard]] bool can_write() const;
  /// Ctrl-C was pressed: end now, with the results so far.
  [[nodiscard]] bool is_interrupted() const noexcept { return stop_.is_raised(); }
  [[nodiscard]] double elapsed_s() const;
  void show(std::string_view what, double done, double total, std::string_view unit);

  /// Prints the tables and checks, writes the artefact and the report, answers with the exit status: k_failed when a
  /// check failed. `results` without a time gets now; without applied settings it gets those of the calling thread.
  [[nodiscard]] int finish(evidence::Artefact& artefact, evidence::EvidenceResults results);

 private:
  const InstrumentOptions& options_;
  app::StopSignal stop_;
  evidence::EvidenceCollector evidence_;
  evidence::ProgressLine line_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace dojima::cli
