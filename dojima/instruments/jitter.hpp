#pragma once

// Records when processors are away from a thread: spinning (the thread reads the clock in a loop and keeps every
// distance above a threshold with its moment, as oslat and sysjitter do) or sleeping (it asks to be woken on a fixed
// schedule and keeps how late it was, as cyclictest does). The only part of the instrument that reads a clock; what the
// recording says is `gap_analysis.hpp`'s business. Memory is taken before the recording begins; spins for as long
// as it is asked to, one thread a processor.
//
//   const auto recording = record_jitter({.cpus = {1}, .duration = std::chrono::seconds{8}}, [] { return true; });
//   for (const JitterCore& core : recording->cores) gap_statistics(core.trace);

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/instruments/studies/gap_trace.hpp"
#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/histogram.hpp"

namespace dojima::instruments {

enum class JitterMode : std::uint8_t { spin, sleep };

struct JitterPlan {
  std::vector<int> cpus{};
  JitterMode mode = JitterMode::spin;
  ThreadPolicy policy{};
  std::chrono::nanoseconds duration = std::chrono::seconds{8};
  std::uint64_t threshold_ns = 1'000;                                        ///< shorter gaps are not kept
  std::chrono::nanoseconds sleep_interval = std::chrono::microseconds{500};  ///< of the schedule
  std::size_t capacity = std::size_t{1} << 20;                               ///< gaps a processor
};

/// What one processor yields.
struct JitterCore {
  GapTrace trace{};          ///< of sleeping: wake-ups later than four times the median, or than the threshold
  std::uint64_t turns = 0;   ///< of the loop, or wake-ups
  double turn_ns = 0;        ///< of the quickest turns of the spinning loop
  std::uint64_t missed = 0;  ///< moments of the schedule that had passed before the thread asked for them
  measure::FineHistogram durations{};  ///< of the gaps; of sleeping: how late every wake-up was
};

struct JitterRecording {
  std::vector<JitterCore> cores;
  CoreOutcome outcome;
  double ns_per_cycle = 0;
  double quantum_ns = 0;
};

/// `go_on` is asked about four times a second; when it says no the recording ends with what there is. The error says
/// why nothing could be recorded.
[[nodiscard]] std::expected<JitterRecording, std::string> record_jitter(const JitterPlan& plan,
                                                                        const std::function<bool()>& go_on);

}  // namespace dojima::instruments
