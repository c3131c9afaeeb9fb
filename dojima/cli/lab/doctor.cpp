// dojima lab doctor

#include "dojima/evidence/host/doctor.hpp"

#include <memory>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"

namespace dojima::cli {
namespace {

int examine_machine(const InstrumentOptions& options) {
  InstrumentRun run(options);
  if (!run.can_write()) return k_environment;
  const std::vector<evidence::DoctorFinding> findings = evidence::examine("/", evidence::look_at_machine());
  evidence::Artefact artefact("dojima lab doctor");
  artefact.add_table(evidence::table_of(findings));
  return run.finish(artefact, {});
}

}  // namespace

void add_lab_doctor(Command lab, int& status) {
  Command doctor = lab.add_command("doctor", "Look at the settings of this machine that bear on latency");
  auto options = std::make_shared<InstrumentOptions>();
  options->add_to(doctor);
  doctor.footer(
      "Reads, and changes nothing. Each check is ok, warn or unavailable, with the reason, what it costs and, in the "
      "JSON\nand the report, what to read. The same findings go with the evidence of every measurement.\n"
      "example: dojima lab doctor --report doctor.html");
  doctor.on_run([options, &status] { status = examine_machine(*options); });
}

}  // namespace dojima::cli
