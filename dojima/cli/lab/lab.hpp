#pragma once

// The subcommands of `dojima lab`, a file each; every one adds itself to `lab`.

namespace dojima::instruments {
struct LockPlan;
}  // namespace dojima::instruments

namespace dojima::cli {

class Command;

/// --rounds, --hold-ns and --think-ns of whoever measures locks. `plan` outlives the command's parsing.
void add_lock_options(Command command, instruments::LockPlan& plan);

/// doctor
void add_lab_doctor(Command lab, int& status);
/// clocks
void add_lab_clocks(Command lab, int& status);
/// hash
void add_lab_hash(Command lab, int& status);
/// ab
void add_lab_ab(Command lab, int& status);
/// jitter
void add_lab_jitter(Command lab, int& status);
/// c2c
void add_lab_c2c(Command lab, int& status);
/// sharing
void add_lab_sharing(Command lab, int& status);
/// numa
void add_lab_numa(Command lab, int& status);
/// lock
void add_lab_lock(Command lab, int& status);
/// latency
void add_lab_latency(Command lab, int& status);
/// drive
void add_lab_drive(Command lab, int& status);
/// step
void add_lab_step(Command lab, int& status);
/// claims
void add_lab_claims(Command lab, int& status);
/// tune
void add_lab_tune(Command lab, int& status);
/// import
void add_lab_import(Command lab, int& status);
/// verify, reproduce, report
void add_lab_evidence(Command lab, int& status);

}  // namespace dojima::cli
