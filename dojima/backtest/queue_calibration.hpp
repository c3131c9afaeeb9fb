#pragma once

// Which queue model is nearest to the truth, on a day with orders, where the truth is known. Probes, orders of one lot,
// join both best prices in turn and are cancelled after a time; the same probes run through the exchange `orders`,
// where their place is exact, and through `levels` with each model. What probes do depends on the market alone, never
// on their fills, so that each probe can be compared with itself.
//
//   const auto calibration = calibrate_queue({.day = {.file = "day.events"}}, {});
//   if (!calibration) complain(calibration.error());
//   to_text(calibration->fits.front().model);         // "power2:3": the nearest first
//
// The fitted model is of feeds as fine as the day is: one that updates levels less often shows less of the queue.

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "dojima/backtest/backtest.hpp"

namespace dojima::backtest {

struct QueueCalibrationSettings {
  BacktestSettings day;                     ///< file, format, choice of events; nothing else of it
  Duration life = std::chrono::seconds{1};  ///< of a probe, > 0
  std::size_t passes = 2;                   ///< over the day, each with other instants; 1 to 100
  std::size_t threads = 1;
};

/// How far a model was from the truth.
struct QueueModelFit {
  QueueModelSettings model;
  std::uint64_t fills = 0;       ///< of probes
  std::uint64_t only_here = 0;   ///< filled by the model, not in truth
  std::uint64_t only_truth = 0;  ///< filled in truth, not by the model
  double mean_error_s = 0;       ///< |time to the fill here - in truth|, not filled counting as `life`; over all probes
  double late_s = 0;             ///< the mean of the same difference with its sign: above 0 the model fills too late
};

struct QueueCalibration {
  DaySurvey survey;
  std::uint64_t probes = 0;         ///< that came to rest
  std::uint64_t fills = 0;          ///< of them, in truth
  std::vector<QueueModelFit> fits;  ///< the least mean error first
  double elapsed_s = 0;
  bool was_interrupted = false;
};

struct CalibrationHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(std::size_t done, std::size_t runs)> progress{};
};

/// Power models with exponents 1 to 8, both log models and risk_averse. The error is one line for the user: the day has
/// no orders or no trades, or no probe came to rest.
[[nodiscard]] std::expected<QueueCalibration, std::string> calibrate_queue(const QueueCalibrationSettings& settings,
                                                                           const CalibrationHooks& hooks);

/// For people and programs. Check: at least 30 probes were filled in truth, fewer show nothing.
[[nodiscard]] evidence::Artefact artefact_of(const QueueCalibrationSettings& settings, const QueueCalibration& result);

}  // namespace dojima::backtest
