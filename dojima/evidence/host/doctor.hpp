#pragma once

// A read-only look at the settings of the machine that bear on latency: what they are, what a quiet machine would
// have, what the difference costs, and what to read. It never changes anything. Everything is read from the files below
// a root, so tests bring machines of their own; the few facts that are in no file come in as LiveFacts. What cannot be
// seen is `unavailable` with its reason, never taken for well. Reads some forty small files; allocates.
//
//   for (const DoctorFinding& one : examine("/", look_at_machine())) ...

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/evidence/table.hpp"

namespace dojima::evidence {

enum class Health : std::uint8_t {
  ok,
  warn,         ///< set otherwise than a quiet machine would have it
  unavailable,  ///< not there, or not to be seen from here
};
[[nodiscard]] std::string_view name_of(Health health) noexcept;

struct DoctorFinding {
  std::string check;
  Health health = Health::unavailable;
  std::string reason;  ///< what the setting is
  std::string cost;    ///< what it costs when it is not as it should be
  std::string read;    ///< where more about it is written
};

/// What a network card says by system call.
struct NicFacts {
  std::string name;
  std::optional<std::uint32_t> rx_usecs{};  ///< how long it may hold a packet back before it interrupts
  std::optional<bool> merges_packets{};     ///< generic or large receive offload
};

/// What is in no file.
struct LiveFacts {
  std::optional<double> tsc_quantum_ns{};
  std::optional<std::string> hardware_counters{};  ///< "ok" or "unavailable: reason", as probe_capability has it
  std::vector<NicFacts> nics{};
};

/// Looks at this machine; about two milliseconds.
[[nodiscard]] LiveFacts look_at_machine();

/// All checks, always in the same order.
[[nodiscard]] std::vector<DoctorFinding> examine(const std::filesystem::path& root, const LiveFacts& live = {});

/// The table `doctor`.
[[nodiscard]] Table table_of(const std::vector<DoctorFinding>& findings);
/// The member `evidence.doctor`: by check "ok: reason", "warn: reason" or "unavailable: reason".
[[nodiscard]] Document document_of(const std::vector<DoctorFinding>& findings);

/// The period of the kernel's tick in nanoseconds, from its configuration where it is shown.
[[nodiscard]] std::optional<double> tick_ns(const std::filesystem::path& root);

}  // namespace dojima::evidence
