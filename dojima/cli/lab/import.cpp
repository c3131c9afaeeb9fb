// dojima lab import

#include "dojima/evidence/import.hpp"

#include <fmt/core.h>
#include <memory>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

struct ImportOptions {
  std::string file;
  std::string format = "auto";
  std::string unit = "ns";
  JsonOption json;
  std::string page;
};

std::optional<evidence::ForeignFormat> format_named(const std::string& name) {
  for (const evidence::ForeignFormat format : evidence::k_foreign_formats) {
    if (evidence::name_of(format) == name) return format;
  }
  return std::nullopt;
}

int import(const ImportOptions& options) {
  const auto text = app::read_text_file(options.file);
  if (!text) {
    complain(text.error());
    return k_usage;
  }
  const auto format = options.format == "auto" ? evidence::format_of(*text) : format_named(options.format);
  if (!format) {
    complain(options.file + ": looks like none of the formats that can be imported; --format names one");
    return k_usage;
  }
  time::SystemClock clock;
  evidence::ImportSettings settings{.file = options.file,
                                    .created_utc = evidence::utc_text(clock.now()),
                                    .tool_version = evidence::build_identity().tool_version,
                                    .argv = command_line()};
  settings.hdr_log_unit_ns = options.unit == "ns" ? 1 : options.unit == "us" ? 1'000 : 1'000'000;
  const auto artefact = evidence::import_foreign(*text, *format, settings);
  if (!artefact) {
    complain(options.file + ": " + artefact.error());
    return k_usage;
  }
  if (!options.json.is_on_stdout()) {
    fmt::print("{}: {}\n\n", options.file, evidence::name_of(*format));
    for (const evidence::Table& table : artefact->tables()) fmt::print("{}\n", to_text(table));
  }
  if (options.json.is_wanted() && !options.json.write(artefact->text())) return k_environment;
  if (!options.page.empty() && !write_file(options.page, evidence::report({*artefact}))) return k_environment;
  return k_success;
}

}  // namespace

void add_lab_import(Command lab, int& status) {
  Command importer = lab.add_command("import", "Results of other tools as artefacts, for reports beside ours");
  auto options = std::make_shared<ImportOptions>();
  importer.add_option("FILE", options->file, "What the tool wrote").required();
  importer
      .add_option("--format", options->format,
                  "auto: by its looks; otherwise cyclictest, oslat, hlog, google-benchmark, hyperfine")
      .show_default()
      .one_of({"auto", "cyclictest", "oslat", "hlog", "google-benchmark", "hyperfine"});
  importer.add_option("--unit", options->unit, "Of the values in an interval log: ns, us or ms")
      .show_default()
      .one_of({"ns", "us", "ms"});
  options->json.add_to(importer);
  importer.add_option("--report", options->page, "Write it as an HTML page");
  importer.footer(
      "cyclictest and oslat with --json=FILE (rt-tests), HdrHistogram's interval logs, Google Benchmark with\n"
      "--benchmark_out=FILE, hyperfine with --export-json FILE.\n"
      "example: dojima lab import oslat.json --json oslat-run.json\n"
      "         dojima lab report jitter.json oslat-run.json --out both.html");
  importer.on_run([options, &status] { status = import(*options); });
}

}  // namespace dojima::cli
