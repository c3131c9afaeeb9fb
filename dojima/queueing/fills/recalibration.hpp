#pragma once

// Forecasts brought back to what came of them: log odds times a slope plus a constant (Cox, "Two further applications
// of a model for binary regression", 1958; Platt 1999), by maximum likelihood over forecasts whose outcomes are known.
// Forecasts that a model made of rows it had not been fitted to are often too bold, a slope below 1, or all too high.
//
//   const Recalibration recalibration = Recalibration::fit(chances, outcomes);
//   const double chance = recalibration.of(forecast);

#include <cstdint>
#include <span>

namespace dojima::queueing {

class Recalibration {
 public:
  /// Changes nothing.
  Recalibration() = default;
  /// `chances` strictly between 0 and 1, each with its outcome, 0 or 1. Changes nothing where one outcome is missing,
  /// there are fewer than 20, or the best slope is not above 0: such forecasts are no better for it.
  [[nodiscard]] static Recalibration fit(std::span<const double> chances, std::span<const std::uint8_t> outcomes);

  /// Strictly between 0 and 1, as `chance` is.
  [[nodiscard]] double of(double chance) const;
  [[nodiscard]] double constant() const noexcept { return constant_; }
  [[nodiscard]] double slope() const noexcept { return slope_; }

 private:
  double constant_ = 0;
  double slope_ = 1;
};

}  // namespace dojima::queueing
