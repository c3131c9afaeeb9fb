#pragma once

// What the counter behind time::read_ticks can show, for the evidence of whatever was timed with it: the step in which
// it advances and what a reading costs. About a millisecond; allocates; not while measuring.

namespace dojima::measure {

struct TimingClock {
  double quantum_ns = 0;  ///< the smallest difference that can be seen
  double reading_ns = 0;  ///< the median of one reading

  /// What a thread that spins until a time comes can distinguish: it sees nothing between two readings, and on many
  /// virtual machines a reading takes longer than a step.
  [[nodiscard]] double resolution_ns() const noexcept { return quantum_ns < reading_ns ? reading_ns : quantum_ns; }
};

/// From readings back to back.
[[nodiscard]] TimingClock measure_timing_clock();

}  // namespace dojima::measure
