#pragma once

// The level of forecasts follows what came of them. A market changes over a day, so chances that were right on average
// in the morning are all too high or too low in the afternoon, whatever else they know. The log odds of a chance are
// moved by as much as the outcomes known by then lay above or below what had been forecast for them, older ones
// counting less (exponentially). Nothing is used before it is known.
//
//   LevelFollower level(1'800, 30);
//   level.learn(known_s, chance, was_filled);                   // in order of becoming known
//   const double followed = level.followed(now_s, chance);
//
// O(1) each.

namespace dojima::queueing {

class LevelFollower {
 public:
  /// Outcomes count 1/e after `memory_s` seconds. `prior`: how many outcomes the forecasts' own level is worth. Both
  /// above 0.
  LevelFollower(double memory_s, double prior);

  /// A chance, strictly between 0 and 1, and what came of it; `known_s` never falls.
  void learn(double known_s, double chance, bool is_yes);
  /// A chance asked for at `at_s`, not before what was learned, at the level of that time: between 0 and 1.
  [[nodiscard]] double followed(double at_s, double chance) const;

 private:
  [[nodiscard]] double weight_at(double at_s) const;

  double memory_s_;
  double prior_;
  double last_s_ = 0;
  double forecast_ = 0;  // sums over outcomes, as of last_s_
  double happened_ = 0;
};

}  // namespace dojima::queueing
