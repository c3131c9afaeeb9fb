#pragma once

// What the kernel counted for the calling thread and for a processor up to a moment, and between two of them: read
// before and after a slice of measuring, so that an outlier has beside it what happened meanwhile. What the kernel does
// not offer is missing, never 0. Reads four small files, some 100 us; allocates.

#include <cstdint>
#include <optional>
#include <string>

namespace dojima::instruments {

struct KernelCounts {
  std::optional<std::int64_t> interrupts{};   ///< of the processor, all kinds
  std::optional<std::int64_t> steal_ticks{};  ///< of the processor, ticks of the kernel's accounting
  std::optional<std::int64_t> waited_ns{};    ///< the thread could run and did not
  std::int64_t faults = 0;                    ///< of the thread, minor and major
  std::int64_t voluntary_switches = 0;        ///< of the thread
  std::int64_t involuntary_switches = 0;
};

[[nodiscard]] KernelCounts read_kernel_counts(int cpu);
[[nodiscard]] KernelCounts operator-(const KernelCounts& after, const KernelCounts& before);

/// The column of a processor in /proc/interrupts, added up; nothing when it has none.
[[nodiscard]] std::optional<std::int64_t> interrupts_of(const std::string& text, int cpu);
/// The stolen ticks of a processor in /proc/stat.
[[nodiscard]] std::optional<std::int64_t> steal_of(const std::string& text, int cpu);

}  // namespace dojima::instruments
