#pragma once

// The comparison of clocks by the protocol of "How Accurate is Your Time?" (100 calls between two readings of
// CLOCK_MONOTONIC, 10,000 times, the first 10 forgotten) and beyond it: without optimisation and with, on an idle and
// on a shared processor, in other batch sizes, single calls, what step a clock has, whether it ever goes back, and how
// far the processor's counter drifts from the kernel's clock. `study_clocks` measures; what the recording says is the
// business of clock_tables.hpp. Rounds are interleaved: every clock once, then all again. Allocates between the loops.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/instruments/studies/kernel_counts.hpp"

namespace dojima::instruments {

enum class Compiled : std::uint8_t { plain, optimised };
[[nodiscard]] std::string_view name_of(Compiled compiled) noexcept;

struct ClockPlan {
  int cpu = 0;
  bool is_reference = true;           ///< without optimisation too, and on a shared processor too
  std::vector<std::string> clocks{};  ///< names; empty: all
  std::size_t rounds = 11;
  std::size_t repetitions = 10'000;
  std::size_t dropped = 10;
  std::size_t calls = 100;
  std::size_t singles = 20'000;            ///< single calls a round
  std::vector<double> drift_s{1, 10, 60};  ///< when to look how far the counter has drifted
  std::optional<double> time_limit_s{};    ///< what is not begun by then is not measured
};

/// Batches of one clock in one situation.
struct ClockSample {
  std::string clock;
  std::string way;
  Compiled compiled = Compiled::optimised;
  bool is_loaded = false;  ///< a spinner shares the processor
  bool is_single = false;  ///< a single call between two fenced readings of the processor's counter
  std::size_t calls = 1;
  /// Of each round the time of every batch, in nanoseconds.
  std::vector<std::vector<float>> rounds{};
  /// Of each round the batches that were dropped, from the first on.
  std::vector<std::vector<float>> first{};
};

/// Some batches of gettimeofday in a row, and what the kernel counted meanwhile.
struct ClockSlice {
  bool is_loaded = false;
  double begin_s = 0;     ///< since the first slice of its situation
  double elapsed_ns = 0;  ///< of all its batches
  double largest_ns = 0;  ///< of its batches, a call
  KernelCounts counts{};
};

/// What the readings of one clock say about its step.
struct ClockStep {
  std::string clock;
  std::size_t readings = 0;
  std::size_t equal = 0;                  ///< readings that showed the same time as the one before
  std::size_t backwards = 0;              ///< readings before the one before
  std::optional<double> smallest_ns{};    ///< difference other than 0
  std::optional<double> quantum_ns{};     ///< what differences are multiples of
  std::optional<double> resolution_ns{};  ///< what clock_getres says
};

/// The counter, calibrated over 20 ms, against CLOCK_MONOTONIC some time later.
struct ClockDrift {
  double span_s = 0;
  double wanted_s = 0;
  double residual_ns = 0;      ///< by how much the counter is ahead
  double residual_ppm = 0;     ///< the same as a share of the span
  double uncertainty_ppm = 0;  ///< of both, from the width of the pairs of readings
};

struct ClockStudy {
  std::vector<ClockSample> samples;
  std::vector<ClockStep> steps;
  std::vector<ClockDrift> drifts;
  std::vector<ClockSlice> slices;  ///< of a reference plan
  evidence::Document applied = evidence::Document::object();
  double ns_per_cycle = 0;
  double quantum_ns = 0;  ///< of the counter
  bool is_complete = false;
};

/// Measures in a thread on `plan.cpu`. `go_on` is called about four times a second by the calling thread with the share
/// that is done; when it says no the study ends with what there is. The error says why nothing could be measured.
[[nodiscard]] std::expected<ClockStudy, std::string> study_clocks(const ClockPlan& plan,
                                                                  const std::function<bool(double done)>& go_on);

/// What a row of differences between neighbouring readings, in units of `ns_per_unit`, says about a clock. Pure.
[[nodiscard]] ClockStep step_of(std::string clock, const std::vector<std::int64_t>& differences, double ns_per_unit);

}  // namespace dojima::instruments
