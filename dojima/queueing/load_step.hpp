#pragma once

// One step of the load, by the clock of a machine: captured at one load, forecast for another, captured there, and the
// forecast's intervals held against what was measured. A capture that its own services do not give again had somebody
// else on its processor; a forecast made of it or judged by it says nothing, so such repeats have intervals only.
//
//   const Answer<StepRepeat> repeat = judge_step(low, high, {.rate = 40'000, .arrivals = config}, {.close_ns = 20});
//   const StepVerdict verdict = verdict_of(repeats, 8);
//
// For offline work; allocates.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::queueing {

struct StepRule {
  double close_ns = 0;  ///< waits that the capture's own services give again to this are the same: two clock steps
  double least_close = 0.99;  ///< share of them in either capture below which somebody else had the processor
};

/// One repeat. Times in nanoseconds.
struct StepRepeat {
  double low_load = 0;  ///< work over time, as captured
  double high_load = 0;
  measure::Interval p50{};  ///< forecast for the higher load
  measure::Interval p99{};
  double measured_p50 = 0;
  double measured_p99 = 0;
  double share_close = 0;  ///< of the waits, in the worse of both captures
  bool is_contended = false;

  [[nodiscard]] bool covers_p50() const noexcept { return p50.low <= measured_p50 && measured_p50 <= p50.high; }
  [[nodiscard]] bool covers_p99() const noexcept { return p99.low <= measured_p99 && measured_p99 <= p99.high; }
};

/// `scenario.rate` is that of the higher load; replicates have as many requests as `high`. Refused as forecasts are.
[[nodiscard]] Answer<StepRepeat> judge_step(const Trace& low, const Trace& high, const Scenario& scenario,
                                            const ForecastPlan& plan, const StepRule& rule);

enum class StepVerdict : std::uint8_t {
  met,         ///< both figures covered in so many repeats
  missed,      ///< no outcome of the contended repeats would make it so many
  undecidable  ///< too many repeats were contended: intervals only
};
[[nodiscard]] std::string_view name_of(StepVerdict verdict) noexcept;
[[nodiscard]] StepVerdict verdict_of(std::span<const StepRepeat> repeats, std::size_t needed);

}  // namespace dojima::queueing
