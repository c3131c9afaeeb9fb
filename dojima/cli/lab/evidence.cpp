// dojima lab verify|reproduce|report

#include "dojima/evidence/evidence.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/evidence/reproduce.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

/// The result of one of these commands is an artefact as well.
bool write_result(evidence::Artefact& result, const evidence::EvidenceCollector& evidence, const JsonOption& json) {
  if (!json.is_wanted()) return true;
  time::SystemClock clock;
  result.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
  return json.write(result.text());
}

evidence::EvidenceCollector begin_evidence() {
  return evidence::EvidenceCollector({.build = evidence::build_identity(), .argv = command_line()});
}

// ----------------------------------------------------------------------------------------------------------- verify

int verify_files(const std::vector<std::string>& files, const JsonOption& json) {
  const evidence::EvidenceCollector evidence = begin_evidence();
  evidence::Artefact result("dojima lab verify");
  evidence::Table table{"files", "", {{"file"}, {"id"}, {"is_right"}, {"findings"}}};
  int status = k_success;
  for (const std::string& file : files) {
    const auto text = app::read_text_file(file);
    if (!text) {
      complain(text.error());
      return k_usage;
    }
    const evidence::Verification found = evidence::verify(*text);
    if (!json.is_on_stdout())
      fmt::print("{:<6} {:<12}  {}\n", found.is_right() ? "ok" : "WRONG", found.id.substr(0, 12), file);
    for (const std::string& finding : found.findings) complain(file + ": " + finding);
    const std::string name = std::filesystem::path(file).filename().string();
    table.add_row({name, found.id, found.is_right(), found.findings.size()});
    result.add_check(name, found.is_right(), found.findings.empty() ? std::string() : found.findings.front());
    if (!found.is_right()) status = k_failed;
  }
  result.add_table(std::move(table));
  return write_result(result, evidence, json) ? status : k_environment;
}

// --------------------------------------------------------------------------------------------------- reading others

/// An artefact that verifies; otherwise what is wrong has been reported and `status` says how bad it is.
std::optional<evidence::Artefact> read_artefact(const std::string& file, int& status) {
  const auto text = app::read_text_file(file);
  if (!text) {
    complain(text.error());
    status = k_usage;
    return std::nullopt;
  }
  const evidence::Verification found = evidence::verify(*text);
  for (const std::string& finding : found.findings) complain(file + ": " + finding);
  if (!found.is_right()) {
    complain(file + ": does not verify, so nothing is made of it");
    status = k_failed;
    return std::nullopt;
  }
  return *evidence::Artefact::from(*evidence::parse_document(*text));
}

// -------------------------------------------------------------------------------------------------------- reproduce

int reproduce_file(const std::string& file, const JsonOption& json) {
  int status = k_success;
  const auto recorded = read_artefact(file, status);
  if (!recorded) return status;
  const evidence::EvidenceCollector evidence = begin_evidence();
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto again = evidence::run_again(*recorded, folder);
  if (!again) {
    complain(file + ": " + again.error());
    return k_environment;
  }
  const evidence::Reproduction outcome = evidence::reproduction_of(*recorded, *again);
  if (!json.is_on_stdout()) {
    fmt::print("{}\n{}\n", evidence::to_text(outcome.table),
               outcome.is_same() ? "reproduced: everything that is judged is the same"
                                 : fmt::format("NOT reproduced: {} differences", outcome.failures));
  }
  evidence::Artefact result("dojima lab reproduce");
  result.add_check("reproduced", outcome.is_same(), fmt::format("{} differences", outcome.failures));
  result.add_table(outcome.table);
  if (!write_result(result, evidence, json)) return k_environment;
  return outcome.is_same() ? k_success : k_failed;
}

// ----------------------------------------------------------------------------------------------------------- report

int report_files(const std::vector<std::string>& files, const std::string& out) {
  std::vector<evidence::Artefact> artefacts;
  for (const std::string& file : files) {
    int status = k_success;
    auto artefact = read_artefact(file, status);
    if (!artefact) return status;
    artefacts.push_back(std::move(*artefact));
  }
  const std::string page = evidence::report(artefacts);
  if (!write_file(out, page)) return k_environment;
  fmt::print("{}: {} KiB\n", out, (page.size() + 1023) / 1024);
  return k_success;
}

}  // namespace

void add_lab_evidence(Command lab, int& status) {
  struct Options {
    std::vector<std::string> files;
    std::string out = "report.html";
    JsonOption json;
    bool is_silent = false;
  };

  Command verifier = lab.add_command("verify", "Compute ids and summaries of artefacts again and say what differs");
  auto verified = std::make_shared<Options>();
  verifier.add_option("FILE", verified->files, "Artefacts, as --json writes them").required();
  verified->json.add_to(verifier);
  verifier.add_flag("--no-progress", verified->is_silent, "No progress line");
  verifier.footer("example: dojima lab verify docs/measurements/*.json");
  verifier.on_run([verified, &status] { status = verify_files(verified->files, verified->json); });

  Command reproducer = lab.add_command("reproduce", "Run the command of an artefact again and compare by its rules");
  auto reproduced = std::make_shared<Options>();
  reproducer.add_option("FILE", reproduced->files, "An artefact").required().single();
  reproduced->json.add_to(reproducer);
  reproducer.add_flag("--no-progress", reproduced->is_silent, "No progress line");
  reproducer.footer(
      "Starts only programs of this project that lie beside this one. Counts must be equal, ratios within their\n"
      "tolerance; absolute times are shown, not judged.\n"
      "example: dojima lab reproduce demo.json");
  reproducer.on_run([reproduced, &status] { status = reproduce_file(reproduced->files.front(), reproduced->json); });

  Command reporter = lab.add_command("report", "Show artefacts as one HTML page that stands alone");
  auto reported = std::make_shared<Options>();
  reporter.add_option("FILE", reported->files, "Artefacts; several are laid over each other").required();
  reporter.add_option("--out", reported->out, "Where the page goes").show_default();
  reporter.footer("example: dojima lab report before.json after.json --out report.html");
  reporter.on_run([reported, &status] { status = report_files(reported->files, reported->out); });
}

}  // namespace dojima::cli
