#include "dojima/cli/lab/instrument.hpp"

#include <fmt/core.h>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {

void InstrumentOptions::add_to(Command command) {
  json.add_to(command);
  command.add_option("--report", page, "Write the result as an HTML page");
  command.add_flag("--quick", is_quick, "Less of everything: for a look, not for figures");
  command.add_flag("--no-progress", is_silent, "No progress line");
}

void add_cores_option(Command command, std::string& cores) {
  command.add_option("--cores", cores, "Processors such as 0,2 or 0-3; all that may be used otherwise");
}

std::optional<std::vector<int>> chosen_cores(const std::string& cores) {
  auto cpus = cores.empty() ? instruments::allowed_cpus() : instruments::parse_cpu_list(cores);
  if (!cpus) complain("--cores " + cpus.error());
  return cpus ? std::optional(std::move(*cpus)) : std::nullopt;
}

InstrumentRun::InstrumentRun(const InstrumentOptions& options)
    : options_(options),
      evidence_({.build = evidence::build_identity(), .argv = command_line()}),
      line_(!options.is_silent && evidence::stderr_is_terminal()),
      begin_(std::chrono::steady_clock::now()) {}

bool InstrumentRun::can_write() const {
  return options_.json.can_write() && (options_.page.empty() || can_write_file(options_.page));
}

double InstrumentRun::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void InstrumentRun::show(std::string_view what, double done, double total, std::string_view unit) {
  line_.show({.what = what, .done = done, .total = total, .unit = unit, .elapsed_s = elapsed_s()});
}

int InstrumentRun::finish(evidence::Artefact& artefact, evidence::EvidenceResults results) {
  line_.clear();
  artefact.set_parameter("quick", options_.is_quick).set_parameter("was_interrupted", is_interrupted());
  time::SystemClock clock;
  if (results.created == time::Time{}) results.created = clock.now();
  if (results.elapsed == std::chrono::nanoseconds{0}) results.elapsed = std::chrono::steady_clock::now() - begin_;
  if (results.applied.members().empty()) results.applied = evidence::applied_settings();
  artefact.set_evidence(evidence_.finish(results));

  int status = k_success;
  for (const evidence::Check& check : artefact.checks()) status = check.ok ? status : k_failed;
  if (!options_.json.is_on_stdout()) {
    for (const evidence::Table& table : artefact.tables()) fmt::print("{}\n", to_text(table));
    for (const evidence::Check& check : artefact.checks()) {
      fmt::print("{:<6}  {}{}{}\n", check.ok ? "ok" : "FAILED", check.name, check.detail.empty() ? "" : ": ",
                 check.detail);
    }
    if (is_interrupted()) fmt::print("interrupted: results so far\n");
  }
  if (options_.json.is_wanted() && !options_.json.write(artefact.text())) return k_environment;
  if (!options_.page.empty() && !write_file(options_.page, evidence::report({artefact}))) return k_environment;
  return status;
}

}  // namespace dojima::cli
