#pragma once

// Every way to ask for the time that the lab compares, each with the loops that time it. The loops exist twice,
// compiled without optimisation, as the article did that the table repeats, and with -O2 (clock_reads_plain.cpp,
// clock_reads_optimised.cpp); both are made of clock_reads_loops.inl. The only unit of `lab clocks` that reads clocks
// in a loop; nothing here allocates.

#include <cstddef>
#include <cstdint>

namespace dojima::instruments {

struct ClockRead {
  /// spans[i] becomes the time of `calls` readings, for `repetitions` batches.
  using Loop = void (*)(std::size_t repetitions, std::size_t calls, std::int64_t* spans);

  const char* name;
  const char* way;  ///< "vdso", "system call", "instruction" or "none"
  /// The batch is between two readings of CLOCK_MONOTONIC; nanoseconds.
  Loop by_monotonic;
  /// The batch is between two fenced readings of the processor's counter; cycles.
  Loop by_cycles;
  /// The time itself, in nanoseconds or, when `is_cycles`, in cycles; null where there is none.
  std::int64_t (*now)();
  bool is_cycles = false;
  int clock_id = -1;  ///< for clock_getres; -1: none
};

/// All of them. No std::span: its inline functions would come out of the unit without optimisation, for everybody.
struct ClockReads {
  const ClockRead* first;
  std::size_t count;

  [[nodiscard]] const ClockRead* begin() const noexcept { return first; }
  [[nodiscard]] const ClockRead* end() const noexcept { return first + count; }
};

/// Compiled with -O0. The same clocks in the same order as the others.
[[nodiscard]] ClockReads clock_reads_plain() noexcept;
/// Compiled with -O2.
[[nodiscard]] ClockReads clock_reads_optimised() noexcept;

}  // namespace dojima::instruments
