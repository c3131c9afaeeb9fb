// dojima lab ...

#include "dojima/cli/lab/lab.hpp"

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {

void add_lab(Command program, int& status) {
  Command lab = program.add_command("lab", "Measure clocks and cores; compare, check, repeat and show measurements");
  lab.require_command();
  add_lab_doctor(lab, status);
  add_lab_clocks(lab, status);
  add_lab_hash(lab, status);
  add_lab_ab(lab, status);
  add_lab_jitter(lab, status);
  add_lab_c2c(lab, status);
  add_lab_sharing(lab, status);
  add_lab_numa(lab, status);
  add_lab_lock(lab, status);
  add_lab_latency(lab, status);
  add_lab_drive(lab, status);
  add_lab_step(lab, status);
  add_lab_claims(lab, status);
  add_lab_tune(lab, status);
  add_lab_import(lab, status);
  add_lab_evidence(lab, status);
}

}  // namespace dojima::cli
