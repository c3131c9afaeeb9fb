#pragma once

// Forecasts of yes or no, held against what happened. The Brier score is the mean squared distance of chance and
// outcome (Brier 1950); its skill is what share of the base rate's score it saves, where the base rate is that of the
// part that was fitted: what somebody without a model would have said. The skill's interval is by block bootstrap:
// whole stretches of time are drawn again, because neighbouring samples hang together. The calibration error is the
// mean distance of forecast and frequency over ten bins with equally many samples (more where forecasts are equal), the
// reliability diagram those bins.
//
//   const Judgement judged = judge(forecasts, {.base_rate = 0.17, .block_s = 300});
//   judged.skill.low > 0

#include <cstdint>
#include <span>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {

/// A forecast and what happened, at a time.
struct Forecasted {
  double at_s = 0;    ///< from any moment on; never falls
  double chance = 0;  ///< 0 to 1
  bool is_yes = false;
};

struct JudgePlan {
  double base_rate = 0;  ///< of the part that was fitted
  double block_s = 300;  ///< of the bootstrap, above 0
  double confidence = 0.95;
  measure::Bootstrap bootstrap{};
};

struct ReliabilityBin {
  std::size_t samples = 0;
  double forecast = 0;   ///< mean
  double frequency = 0;  ///< of yes
};

struct Judgement {
  std::size_t samples = 0;
  double frequency = 0;  ///< of yes
  double brier = 0;
  double brier_of_base = 0;   ///< of the base rate
  measure::Interval skill{};  ///< 1 - brier / brier_of_base
  double calibration_error = 0;
  std::vector<ReliabilityBin> reliability{};  ///< by rising forecast
};

inline constexpr std::size_t k_reliability_bins = 10;

/// At least one sample. O(n log n + blocks x resamples).
[[nodiscard]] Judgement judge(std::span<const Forecasted> forecasts, const JudgePlan& plan);

}  // namespace dojima::queueing
