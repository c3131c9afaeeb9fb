#pragma once

// Where, with what and under which circumstances a run was made: the member `evidence` of an artefact. Make a collector
// before measuring, finish it afterwards. It reads what was really in force back from the kernel instead of repeating
// what was asked for, and never asks for a host or user name. Reads files and makes system calls; allocates.
//
//   evidence::EvidenceCollector collector({.build = evidence::build_identity(), .argv = {argv, argv + argc}});
//   ... measure; in the measuring thread: const Document applied = evidence::applied_settings(); ...
//   run.set_evidence(collector.finish({.created = now, .elapsed = elapsed, .applied = applied, .quantum_ns = 10}));

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/host/host.hpp"
#include "dojima/time/time.hpp"

namespace dojima::evidence {

struct EvidenceSettings {
  BuildIdentity build{};
  /// As the program was started; the first becomes its bare name, paths are cut when the artefact is written.
  std::vector<std::string> argv{};
  /// SHA-256 of the files that went in, by whatever name they may be shown.
  std::vector<std::pair<std::string, std::string>> inputs{};
  std::filesystem::path root = "/";
  DisturbanceLimits limits{};
};

/// What is known only when the run is over.
struct EvidenceResults {
  time::Time created{};  ///< when the run ended, UTC
  std::chrono::nanoseconds elapsed{0};
  /// `applied_settings()` of the measuring thread, or an object of such by thread name.
  Document applied = Document::object();
  std::string clock = "CLOCK_MONOTONIC";
  std::optional<double> ns_per_tick{};
  std::optional<double> quantum_ns{};          ///< smallest step seen
  std::optional<double> read_overhead_ns{};    ///< of one timed section
  std::optional<double> smallest_figure_ns{};  ///< of what is reported; `quantised` when it is under ten quanta
};

class EvidenceCollector {
 public:
  /// Reads the machine and its state before the run.
  explicit EvidenceCollector(EvidenceSettings settings);

  /// Reads the state after the run and puts everything together.
  [[nodiscard]] Document finish(const EvidenceResults& results) const;

 private:
  EvidenceSettings settings_;
  HostFacts host_;
  Document capability_;
  Document doctor_;
  HostState before_;
};

/// ISO 8601, to the second.
[[nodiscard]] std::string utc_text(time::Time when);

/// What is in force for the calling thread: cpus, policy, priority, locked memory, timer slack.
[[nodiscard]] Document applied_settings();

/// What this process may do, each tried and undone in a thread of its own: "ok" or "unavailable: reason".
[[nodiscard]] Document probe_capability();

}  // namespace dojima::evidence
