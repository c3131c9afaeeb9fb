#pragma once

// Which features a regression sees, chosen before anything is judged: by forward selection (Hastie, Tibshirani,
// Friedman, The Elements of Statistical Learning, 2nd edition, 3.3) with a validation that goes with time (Hyndman and
// Athanasopoulos, Forecasting: Principles and Practice, 3rd edition, 5.10). Rows are cut into consecutive folds; each
// fold but the first ones is forecast by a regression of what came before, of the rows whose outcome was known when the
// fold began: as later rows will be forecast. The group of features that lowers the Brier score of the folds most is
// taken, while it lowers it by more than the standard error of that gain over the folds.
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
  std::size_t only_teach = 3;     ///< so many of them, the first ones, are not forecast; 1 to folds - 1
  std::size_t most_rows = 8'192;  ///< more are thinned out evenly, at least `folds`
};

/// The best group of a step.
struct ChoiceStep {
  std::size_t group = 0;
  double brier = 0;       ///< of the folds that are forecast, with it
  double gain = 0;        ///< against the step before, mean over the folds
  double gain_error = 0;  ///< standard error of that mean
  bool is_taken = false;  ///< false at most for the last one
};

struct FeatureChoice {
  double brier_of_none = 0;         ///< of the share of yes before each fold
  std::vector<ChoiceStep> steps{};  ///< the one that was not taken included
  std::vector<std::size_t> groups{};
};

/// Whether a row may teach the forecasts of a fold, whose rows are asked from `first_asked_s` on.
[[nodiscard]] constexpr bool may_teach(const ChoiceRow& row, double first_asked_s) noexcept {
  return row.known_s <= first_asked_s;
}

/// `features`: `width` numbers for each of `rows`, at least as many as folds.
[[nodiscard]] FeatureChoice choose_features(std::span<const FeatureGroup> groups, std::span<const double> features,
                                            std::size_t width, std::span<const ChoiceRow> rows, const ChoicePlan& plan);

/// Forecasts of later rows by earlier ones.
struct ForwardForecasts {
  std::size_t first = 0;          ///< the row of the first chance; those before only taught
  std::vector<double> chances{};  ///< one a row
};
/// As the choice judges these columns, of all rows: `plan.most_rows` does not count.
[[nodiscard]] ForwardForecasts forward_forecasts(std::span<const std::size_t> columns, std::span<const double> features,
                                                 std::size_t width, std::span<const ChoiceRow> rows,
                                                 const ChoicePlan& plan);

}  // namespace dojima::queueing
