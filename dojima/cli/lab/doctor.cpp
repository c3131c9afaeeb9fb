// dojima lab doctor

#include "dojima/evidence/host/doctor.hpp"

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/harness/measured_costs.hpp"

namespace dojima::cli {
namespace {

struct DoctorOptions : InstrumentOptions {
  std::string measured;  // a result of dojima lab tune; empty: none
};

/// Complains where the file is no such result.
bool quote(const std::string& file, std::vector<evidence::DoctorFinding>& findings) {
  const auto text = app::read_text_file(file);
  if (!text) {
    complain(text.error());
    return false;
  }
  const auto document = evidence::parse_document(*text);
  const auto quoted = document
                          ? harness::quote_measured(*document, findings)
                          : std::expected<std::size_t, std::string>(std::unexpected("is no JSON: " + document.error()));
  if (!quoted) complain(file + ": " + quoted.error());
  return quoted.has_value();
}

int examine_machine(const DoctorOptions& options) {
  InstrumentRun run(options);
  if (!run.can_write()) return k_environment;
  std::vector<evidence::DoctorFinding> findings = evidence::examine("/", evidence::look_at_machine());
  if (!options.measured.empty() && !quote(options.measured, findings)) return k_usage;
  evidence::Artefact artefact("dojima lab doctor");
  artefact.add_table(evidence::table_of(findings));
  return run.finish(artefact, {});
}

}  // namespace

void add_lab_doctor(Command lab, int& status) {
  Command doctor = lab.add_command("doctor", "Look at the settings of this machine that bear on latency");
  auto options = std::make_shared<DoctorOptions>();
  options->add_to(doctor);
  doctor
      .add_option("--measured", options->measured,
                  "A result of dojima lab tune, to be quoted in place of general costs")
      .type_name("FILE");
  doctor.footer(
      "Reads, and changes nothing. Each check is ok, warn or unavailable, with the reason, what it costs and, in the "
      "JSON\nand the report, what to read. The same findings go with the evidence of every measurement.\n"
      "example: dojima lab doctor --report doctor.html");
  doctor.on_run([options, &status] { status = examine_machine(*options); });
}

}  // namespace dojima::cli
