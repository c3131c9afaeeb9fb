#pragma once

// Which features a regression sees, chosen before anything is judged: by forward selection with cross-validation over
// stretches of time (Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd edition, 3.3 and 7.10).
// Rows are cut into consecutive folds; each fold is forecast by a regression of the others, without the rows whose
// outcome was not known before the fold began or that were asked before the fold's outcomes were known. The group of
// features that lowers the Brier score of all folds most is taken, while it lowers it by more than the standard error
// of that gain over the folds.
//
//   const FeatureChoice choice = choose_features(groups, features, width, rows, {});
//   choice.groups                                                      // in the order in which they were taken
//
// Nothing is drawn: the same rows give the same choice. O(steps x groups x folds) fits of at most `most_rows` rows.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dojima::queueing {

/// Columns of the features that are taken or left together.
struct FeatureGroup {
  std::string name;
  std::vector<std::size_t> columns;
};

/// A question and its answer, in seconds from any moment on.
struct ChoiceRow {
  double asked_s = 0;  ///< never falls
  double known_s = 0;  ///< when the answer was known, at least `asked_s`
  bool is_yes = false;
};

struct ChoicePlan {
  std::size_t folds = 10;         ///< 2 or more
  std::size_t most_rows = 8'192;  ///< more are thinned out evenly, at least `folds`
};

/// The best group of a step.
struct ChoiceStep {
  std::size_t group = 0;
  double brier = 0;       ///< of all folds, with it
  double gain = 0;        ///< against the step before, mean over the folds
  double gain_error = 0;  ///< standard error of that mean
  bool is_taken = false;  ///< false at most for the last one
};

struct FeatureChoice {
  double brier_of_none = 0;         ///< of the share of yes outside each fold
  std::vector<ChoiceStep> steps{};  ///< the one that was not taken included
  std::vector<std::size_t> groups{};
};

/// Whether a row may teach the forecasts of a fold, whose rows are asked from `first_asked_s` on and known by
/// `last_known_s`.
[[nodiscard]] constexpr bool is_apart(const ChoiceRow& row, double first_asked_s, double last_known_s) noexcept {
  return row.known_s <= first_asked_s || row.asked_s >= last_known_s;
}

/// `features`: `width` numbers for each of `rows`, at least as many as folds.
[[nodiscard]] FeatureChoice choose_features(std::span<const FeatureGroup> groups, std::span<const double> features,
                                            std::size_t width, std::span<const ChoiceRow> rows, const ChoicePlan& plan);

}  // namespace dojima::queueing
