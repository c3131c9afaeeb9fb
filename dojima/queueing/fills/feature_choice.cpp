#include "dojima/queueing/fills/feature_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/fills/logistic.hpp"

namespace dojima::queueing {
namespace {

constexpr double k_least_gain = 1e-9;  // less may be rounding

/// Mean squared distances of chance and outcome, by fold.
using FoldScores = std::vector<double>;

class Folds {
 public:
  Folds(std::span<const double> features, std::size_t width, std::span<const ChoiceRow> rows, const ChoicePlan& plan)
      : features_(features), width_(width), rows_(rows) {
    const std::size_t kept = std::min(rows.size(), plan.most_rows);
    for (std::size_t i = 0; i < kept; ++i) kept_.push_back(i * rows.size() / kept);
    for (std::size_t fold = plan.only_teach; fold < plan.folds; ++fold)
      folds_.push_back(fold_of(fold * kept / plan.folds, (fold + 1) * kept / plan.folds));
  }

  /// Chances of the kept rows from first() on, by a regression of these columns over what came before their fold, or by
  /// the share of yes in that where there are no columns or nothing to learn.
  [[nodiscard]] std::vector<double> forecasts(std::span<const std::size_t> columns) const {
    std::vector<double> chances;
    chances.reserve(kept_.size());
    for (const Fold& fold : folds_) {
      std::vector<double> taught;
      taught.reserve(fold.teachers.size() * columns.size());
      for (const std::size_t row : fold.teachers) add_row(row, columns, taught);
      const auto regression = columns.empty() || fold.teachers.empty()
                                  ? Answer<Logistic>(std::unexpected(impossible("no features")))
                                  : Logistic::fit(taught, columns.size(), fold.outcomes);
      std::vector<double> row;
      for (std::size_t at = fold.begin; at < fold.end; ++at) {
        row.clear();
        add_row(kept_[at], columns, row);
        chances.push_back(regression ? regression->forecast(row) : fold.share);
      }
    }
    return chances;
  }

  /// In the kept rows.
  [[nodiscard]] std::size_t first() const noexcept { return folds_.front().begin; }

  [[nodiscard]] FoldScores scores(std::span<const std::size_t> columns) const {
    const std::vector<double> chances = forecasts(columns);
    FoldScores scores;
    for (const Fold& fold : folds_) {
      double sum = 0;
      for (std::size_t at = fold.begin; at < fold.end; ++at) {
        const double off = chances[at - first()] - (rows_[kept_[at]].is_yes ? 1 : 0);
        sum += off * off;
      }
      scores.push_back(sum / static_cast<double>(fold.end - fold.begin));
    }
    return scores;
  }

 private:
  struct Fold {
    std::size_t begin = 0, end = 0;      // in kept_
    std::vector<std::size_t> teachers;   // rows
    std::vector<std::uint8_t> outcomes;  // theirs
    double share = 0;                    // of yes among them
  };

  [[nodiscard]] Fold fold_of(std::size_t begin, std::size_t end) const {
    Fold fold{.begin = begin, .end = end, .teachers = {}, .outcomes = {}};
    for (std::size_t at = 0; at < begin; ++at) {
      const ChoiceRow& row = rows_[kept_[at]];
      if (!may_teach(row, rows_[kept_[begin]].asked_s)) continue;
      fold.teachers.push_back(kept_[at]);
      fold.outcomes.push_back(row.is_yes ? 1 : 0);
      fold.share += row.is_yes ? 1 : 0;
    }
    if (!fold.teachers.empty()) fold.share /= static_cast<double>(fold.teachers.size());
    return fold;
  }

  void add_row(std::size_t row, std::span<const std::size_t> columns, std::vector<double>& to) const {
    for (const std::size_t column : columns) to.push_back(features_[row * width_ + column]);
  }

  std::span<const double> features_;
  std::size_t width_;
  std::span<const ChoiceRow> rows_;
  std::vector<std::size_t> kept_;
  std::vector<Fold> folds_;
};

double mean_score(const FoldScores& scores) {
  double sum = 0;
  for (const double score : scores) sum += score;
  return sum / static_cast<double>(scores.size());
}

/// By how much `after` is better than `before`, fold by fold.
ChoiceStep compared(std::size_t group, const FoldScores& before, const FoldScores& after) {
  const auto folds = static_cast<double>(before.size());
  ChoiceStep step{.group = group, .brier = mean_score(after), .gain = mean_score(before) - mean_score(after)};
  double squares = 0;
  for (std::size_t fold = 0; fold < before.size(); ++fold) {
    const double off = before[fold] - after[fold] - step.gain;
    squares += off * off;
  }
  if (folds > 1) step.gain_error = std::sqrt(squares / (folds * (folds - 1)));
  step.is_taken = step.gain > std::max(step.gain_error, k_least_gain);
  return step;
}

}  // namespace

ForwardForecasts forward_forecasts(std::span<const std::size_t> columns, std::span<const double> features,
                                   std::size_t width, std::span<const ChoiceRow> rows, const ChoicePlan& plan) {
  ChoicePlan of_all = plan;
  of_all.most_rows = rows.size();
  const Folds folds(features, width, rows, of_all);
  return {.first = folds.first(), .chances = folds.forecasts(columns)};
}

FeatureChoice choose_features(std::span<const FeatureGroup> groups, std::span<const double> features, std::size_t width,
                              std::span<const ChoiceRow> rows, const ChoicePlan& plan) {
  DOJIMA_ASSERT(plan.folds >= 2 && plan.most_rows >= plan.folds && rows.size() >= plan.folds,
                "every fold has a row, and others to learn from", plan.folds, rows.size());
  DOJIMA_ASSERT(plan.only_teach >= 1 && plan.only_teach < plan.folds, "some folds teach and some are forecast",
                plan.only_teach, plan.folds);
  DOJIMA_ASSERT(features.size() == width * rows.size(), "every row has its features", width, features.size(),
                rows.size());
  const Folds folds(features, width, rows, plan);
  FeatureChoice choice;
  std::vector<std::size_t> columns;
  FoldScores before = folds.scores(columns);
  choice.brier_of_none = mean_score(before);
  while (choice.groups.size() < groups.size()) {
    ChoiceStep best;
    FoldScores best_scores;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (std::ranges::find(choice.groups, group) != choice.groups.end()) continue;
      std::vector<std::size_t> wider = columns;
      wider.insert(wider.end(), groups[group].columns.begin(), groups[group].columns.end());
      FoldScores after = folds.scores(wider);
      const ChoiceStep step = compared(group, before, after);
      if (!best_scores.empty() && step.brier >= best.brier) continue;
      best = step;
      best_scores = std::move(after);
    }
    choice.steps.push_back(best);
    if (!best.is_taken) break;
    choice.groups.push_back(best.group);
    columns.insert(columns.end(), groups[best.group].columns.begin(), groups[best.group].columns.end());
    before = std::move(best_scores);
  }
  return choice;
}

}  // namespace dojima::queueing
