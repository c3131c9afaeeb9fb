#pragma once

// Runs the command of an artefact again and judges the new result by rule: counts and verdicts must be the same, ratios
// within the tolerance that the artefact states, absolute times are shown side by side and never judged. Only programs
// of this project are started, and only those that lie beside the running one: nothing in a file chooses a path.
//
//   const auto again = run_again(recorded, folder_of_this_program);
//   const Reproduction result = reproduction_of(recorded, *again);
//   std::fputs(to_text(result.table).c_str(), stdout);

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"

namespace dojima::evidence {

struct Reproduction {
  Table table{};  ///< what, by which rule, recorded, again, outcome
  std::size_t failures = 0;

  [[nodiscard]] bool is_same() const noexcept { return failures == 0; }
};

/// Judges `again` against `recorded`. Pure. Without a rule of its own a text has to be equal and a number is shown.
[[nodiscard]] Reproduction reproduction_of(const Artefact& recorded, const Artefact& again);

/// The words that are run for `argv`: the options that name outputs (--json, --report, --out) and their files taken
/// out, the program checked. The error says why this command is not run again.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> words_to_run(const std::vector<std::string>& argv);

/// Starts the program of the artefact that lies in `folder`, waits for it and reads what it wrote with `--json`.
[[nodiscard]] std::expected<Artefact, std::string> run_again(const Artefact& recorded,
                                                             const std::filesystem::path& folder);

}  // namespace dojima::evidence
