#pragma once

// The subcommands of `dojima lab`, a file each; every one adds itself to `lab`.

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
}  // namespace CLI

namespace dojima::cli {

/// doctor
void add_lab_doctor(CLI::App& lab, int& status);
/// clocks
void add_lab_clocks(CLI::App& lab, int& status);
/// hash
void add_lab_hash(CLI::App& lab, int& status);
/// ab
void add_lab_ab(CLI::App& lab, int& status);
/// jitter
void add_lab_jitter(CLI::App& lab, int& status);
/// c2c
void add_lab_c2c(CLI::App& lab, int& status);
/// sharing
void add_lab_sharing(CLI::App& lab, int& status);
/// numa
void add_lab_numa(CLI::App& lab, int& status);
/// lock
void add_lab_lock(CLI::App& lab, int& status);
/// import
void add_lab_import(CLI::App& lab, int& status);
/// verify, reproduce, report
void add_lab_evidence(CLI::App& lab, int& status);

}  // namespace dojima::cli
