#pragma once

// The processor's own counters around a piece of work, by perf_event_open(2). Many machines have none, virtual ones
// above all: then they say why, and every count is NaN. One thread; system calls at construction, begin and end.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dojima::bench_sched {

class HardwareCounters {
 public:
  enum Kind : std::size_t { k_instructions, k_first_level_misses, k_last_level_misses, k_kinds };

  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  /// Empty, or why there are none.
  [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }

  void begin() noexcept;
  void end() noexcept;
  /// Between the last begin and end; NaN where that cannot be counted.
  [[nodiscard]] double count(Kind kind) const noexcept { return counts_[kind]; }

 private:
  std::array<int, k_kinds> files_{};
  std::array<double, k_kinds> counts_{};
  std::string complaint_;
};

}  // namespace dojima::bench_sched
