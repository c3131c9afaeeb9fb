#pragma once

// What the machine says of itself: its parts, what it allows, and how it felt before and after a run. Everything is
// read from the files below a root (the real one is "/"; tests bring trees of their own). What is not there is null,
// with the reason in a note of quality: never 0, never skipped. No host name, user name or path is read. Reads files,
// allocates.
//
//   HostFacts host = read_host("/");
//   HostState before = read_host_state("/");  ...  HostState after = read_host_state("/");
//   append(notes, judge(before, after, elapsed));

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::evidence {

/// Values by name, and why those that are null could not be found.
struct HostFacts {
  Document values = Document::object();
  std::vector<QualityNote> notes{};
};

/// The members of `evidence.host`: processor, caches, memory, kernel and the settings that bear on latency.
[[nodiscard]] HostFacts read_host(const std::filesystem::path& root);

/// What the files say of `evidence.capability`: each "ok" or "unavailable: reason".
[[nodiscard]] Document read_capability(const std::filesystem::path& root);

/// Counters that only grow, read before and after a run. Nothing where the kernel does not offer one.
struct HostState {
  std::optional<double> load_1_minute{};
  std::optional<double> psi_cpu_us{};                  ///< time in which some task waited for a processor
  std::optional<std::int64_t> steal_ticks{};           ///< all processors
  std::optional<std::int64_t> ticks{};                 ///< all processors, all states
  std::optional<std::int64_t> voluntary_switches{};    ///< of this process's threads that live at the moment
  std::optional<std::int64_t> involuntary_switches{};  ///< the same
  std::optional<std::int64_t> minor_faults{};          ///< of this process
  std::optional<std::int64_t> major_faults{};
  std::optional<std::int64_t> run_delay_ns{};  ///< runnable but not running, threads that live at the moment
  std::optional<std::int64_t> throttled_us{};  ///< of the control group

  [[nodiscard]] Document document() const;
  friend bool operator==(const HostState&, const HostState&) = default;
};

[[nodiscard]] HostState read_host_state(const std::filesystem::path& root);

/// From where on a run counts as disturbed.
struct DisturbanceLimits {
  double run_delay_share = 0.01;  ///< of the elapsed time
  double psi_share = 0.01;        ///< of the elapsed time
  double involuntary_per_second = 20;
  double steal_share = 0.001;  ///< of all ticks
};

/// `contended`, `throttled` and `virtualised` (stolen time) as far as the counters between both states show them.
[[nodiscard]] std::vector<QualityNote> judge(const HostState& before, const HostState& after,
                                             std::chrono::nanoseconds elapsed, const DisturbanceLimits& limits = {});

}  // namespace dojima::evidence
