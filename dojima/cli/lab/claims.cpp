// dojima lab claims

#include "dojima/harness/claims.hpp"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/evidence/child_process.hpp"

namespace dojima::cli {
namespace {

struct ClaimsOptions {
  InstrumentOptions shared;
  bool is_short = false;
  bool is_list = false;
  double patience = 1;
  std::vector<std::string> only;
  std::string file;
};

/// The result of a command of this project, which must lie beside this program; what it prints on the way is dropped.
/// When its time is over it is interrupted, and ends with what it has.
std::expected<harness::ProtocolResult, harness::ProtocolTrouble> run_beside(const std::vector<std::string>& words,
                                                                            double seconds) {
  using harness::ProtocolTrouble;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / words.front();
  std::error_code error;
  if (!std::filesystem::is_regular_file(program, error))
    return std::unexpected(ProtocolTrouble{words.front() + " does not lie beside this program"});
  std::vector<std::string> all{program.string()};
  all.insert(all.end(), words.begin() + 1, words.end());
  all.insert(all.end(), {"--json"});
  const auto run = evidence::run_child(all, evidence::ChildOutput::kept, seconds);
  if (!run) return std::unexpected(ProtocolTrouble{run.error()});
  auto result = evidence::parse_document(run->output);
  if (!result && run->was_ended)
    return std::unexpected(ProtocolTrouble{
        fmt::format("it had no result after {:.1f} s, the time that is planned for it", seconds), true});
  if (!result)
    return std::unexpected(ProtocolTrouble{words.front() + " ended with status " + std::to_string(run->status) +
                                           " and no result: " + run->errors.substr(0, run->errors.find('\n'))});
  return harness::ProtocolResult{std::move(*result), run->was_ended};
}

void list_claims(const harness::ClaimSet& set) {
  for (const harness::Claim& claim : set.claims) {
    fmt::print("{:24} {}; {}{}\n", claim.id, claim.statement, claim.given_text,
               claim.cannot.empty() ? "" : " (cannot be judged here)");
  }
}

/// The set that was asked for; nothing: that has been reported.
std::optional<harness::ClaimSet> chosen_set(const ClaimsOptions& options) {
  std::string text(harness::known_claims());
  const std::string name = options.file.empty() ? "the claims of the program" : options.file;
  if (!options.file.empty()) {
    auto read = app::read_text_file(options.file);
    if (!read) {
      complain(read.error());
      return std::nullopt;
    }
    text = std::move(*read);
  }
  auto set = harness::parse_claims(text);
  if (!set) {
    complain(name + ": " + set.error());
    return std::nullopt;
  }
  for (const std::string& id : options.only) {
    if (std::ranges::find(set->claims, id, &harness::Claim::id) != set->claims.end()) continue;
    complain("no claim '" + id + "'; dojima lab claims --list names them");
    return std::nullopt;
  }
  if (!options.only.empty()) {
    std::erase_if(set->claims, [&](const harness::Claim& one) {
      return std::ranges::find(options.only, one.id) == options.only.end();
    });
  }
  return std::move(*set);
}

int ask_claims(const ClaimsOptions& options) {
  const auto set = chosen_set(options);
  if (!set) return k_usage;
  if (options.is_list) {
    list_claims(*set);
    return k_success;
  }
  InstrumentRun run(options.shared);
  if (!run.can_write()) return k_environment;
  const harness::ClaimPlan plan{
      .is_short = options.is_short || options.shared.is_quick,
      .patience = options.patience,
      .run = run_beside,
      .now_s = [&run] { return run.elapsed_s(); },
      .is_interrupted = [&run] { return run.is_interrupted(); },
      .progress = [&run](double done_s, double all_s,
                         const std::string& what) { run.show("claims, " + what, done_s, all_s, "s planned"); }};
  evidence::Artefact artefact = harness::artefact_of_claims(*set, harness::ask(*set, plan), plan);
  return run.finish(artefact, {.clock = "those of the protocols"});
}

}  // namespace

void add_lab_claims(Command lab, int& status) {
  Command claims = lab.add_command("claims", "Ask on this machine what the sources of this project claim");
  auto options = std::make_shared<ClaimsOptions>();
  claims.add_flag("--short", options->is_short, "Half a minute instead of five: fewer rounds, the dear protocols not");
  claims.add_flag("--list", options->is_list, "Name the claims and ask nothing");
  claims.add_option("--patience", options->patience, "So many times the seconds planned, for a busy machine")
      .show_default()
      .between(1.0, 100.0);
  claims.add_option("--only", options->only, "Only the claim of this id");
  claims.add_option("--file", options->file, "Claims of your own, as JSON; docs/claims.md has the form")
      .existing_file();
  options->shared.add_to(claims);
  claims.footer(
      "Each claim has a protocol, a figure that its source gave, and a rule that decides: reproduced, not reproduced, "
      "or\n"
      "cannot be judged here, and why. A verdict is no failure; the exit status is 0 whenever the claims were asked.\n"
      "example: dojima lab claims --short --report claims.html");
  claims.on_run([options, &status] { status = ask_claims(*options); });
}

}  // namespace dojima::cli
