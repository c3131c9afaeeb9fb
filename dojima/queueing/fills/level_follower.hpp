#pragma once

// The level of forecasts follows what came of them. A market changes over a day, so chances that were right on average
// in the morning may all be too high or too low in the afternoon, whatever else they know. Here the log odds of a
// chance are moved by an offset, and every outcome moves the offset, as soon as it is known, by a step times its
// distance from the chance that had been given for it (a step of stochastic approximation after Robbins and Monro 1951,
// for the constant of a logistic regression). So the mean distance of the outcomes from the chances that were given is
// the offset's own change over step times outcomes, exactly and whatever happens: a lasting error of the level is
// impossible while the offset stays bounded.
//
//   const double step = best_level_step(rows_of_the_fitted_part, 7);
//   const std::vector<double> chances = followed(rows, step);      // each at the level known when it was asked
//
// Nothing is used before it is known. O(1) an outcome.

#include <cstddef>
#include <span>
#include <vector>

namespace dojima::queueing {

class LevelFollower {
 public:
  /// `step`: how far the log odds move for an outcome that had been called impossible; 0 (never) to 1.
  explicit LevelFollower(double step);

  /// A chance, strictly between 0 and 1, at the level of now; likewise.
  [[nodiscard]] double followed(double chance) const;
  /// What came of a chance that followed() gave.
  void learn(double given, bool is_yes) noexcept { offset_ += step_ * ((is_yes ? 1 : 0) - given); }
  /// In log odds.
  [[nodiscard]] double offset() const noexcept { return offset_; }

 private:
  double step_;
  double offset_ = 0;
};

/// A forecast and what came of it.
struct LevelRow {
  double asked_s = 0;  ///< never falls from row to row
  double known_s = 0;  ///< when the outcome was known, later than `asked_s`
  double chance = 0;   ///< before its level is moved, strictly between 0 and 1
  bool is_yes = false;
};

/// The rows' chances, each moved by the outcomes that were known when it was asked. O(n log n).
[[nodiscard]] std::vector<double> followed(std::span<const LevelRow> rows, double step);

/// The step with the smallest Brier score of these rows, of 1/1024 to 1/16, each twice the one before; 0 where it does
/// not gain more on a constant level than the standard error of the gain over `parts` >= 2 equal parts of the
/// rows.
[[nodiscard]] double best_level_step(std::span<const LevelRow> rows, std::size_t parts);

}  // namespace dojima::queueing
