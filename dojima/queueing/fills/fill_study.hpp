#pragma once

// Forecasts of fills, fitted on the first part of a day and judged on the rest: a logistic regression of what can be
// seen when the order joins, the birth-death queue of Cont, Stoikov and Talreja, the queue-reactive market. What the
// regression sees is chosen inside the first part, by forecasts of its later stretches by the earlier ones
// (feature_choice.hpp); the same forecasts recalibrate it (recalibration.hpp). Nobody looks ahead. Whether an order is
// filled within the horizon is forecast by the regression once more, not recalibrated: its level follows the outcomes
// known when it is asked, those of the judged part too (level_follower.hpp), by a step that does best on the first
// part. The two models know rates of the first part; how busy the market is now enters them as the speed of their
// clock, to a power (0: not at all) that does best on the first part.
//
//   const Answer<FillStudy> study = study_fills(samples, {.fit_until = noon, .horizon = 10s, ...});
//   study->questions[0].models[0].judged.skill

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/flow/queue_reactive.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/fills/feature_choice.hpp"
#include "dojima/queueing/fills/fill_samples.hpp"
#include "dojima/queueing/fills/judgement.hpp"
#include "dojima/queueing/fills/recalibration.hpp"
#include "dojima/queueing/fills/touch_rates.hpp"

namespace dojima::queueing {

enum class FillModel : std::uint8_t { logistic, logistic_following, birth_death, queue_reactive };
inline constexpr std::size_t k_fill_models = 4;
[[nodiscard]] constexpr bool is_regression(FillModel model) noexcept {
  return model <= FillModel::logistic_following;
}
[[nodiscard]] std::string_view name_of(FillModel model) noexcept;

enum class FillQuestion : std::uint8_t { within_horizon, before_move };
[[nodiscard]] std::string_view name_of(FillQuestion question) noexcept;

struct FillStudyPlan {
  time::Time fit_until;  ///< what is known at this time is fitted, what is asked from it on is judged
  time::Duration horizon = std::chrono::seconds{10};
  std::int64_t tick = 1;                                     ///< price units, > 0
  std::int64_t order_quantity = 1;                           ///< that counts as one order, > 0
  const TouchRatesCounter* touch_rates = nullptr;            ///< of the first part; null: no birth-death forecast
  std::optional<flow::QueueReactiveRates> queue_reactive{};  ///< likewise; none: no queue-reactive forecast
  std::size_t runs = 400;                                    ///< of the queue-reactive market, a state
  double block_s = 300;                                      ///< of the bootstrap
  double confidence = 0.95;
  std::uint64_t seed = 1;
  ChoicePlan choice{};  ///< of the regression's features
};

struct JudgedModel {
  FillModel model = FillModel::logistic;
  Judgement judged;
  double clock_power = 0;  ///< of the two market models: their clock runs with the recent executions to this power
};

/// Samples with about the same quantity ahead of them.
struct PlaceRow {
  std::int64_t least_ahead = 0;  ///< in orders, rounded up
  std::int64_t most_ahead = 0;
  std::size_t samples = 0;
  double frequency = 0;
  std::vector<double> forecasts{};  ///< mean, by model as in JudgedQuestion::models
};

struct JudgedQuestion {
  FillQuestion question = FillQuestion::within_horizon;
  std::size_t fitted = 0;
  double base_rate = 0;  ///< of the part that was fitted
  std::vector<JudgedModel> models{};
  std::vector<PlaceRow> places{};
  FeatureChoice choice{};               ///< among fill_feature_groups()
  std::vector<std::string> features{};  ///< that were chosen, "constant" first
  std::vector<double> coefficients{};   ///< theirs
  Recalibration recalibration{};        ///< of the regression's chances
  double level_step = 0;                ///< of the regression whose level follows; 0: it is constant
};

struct FillStudy {
  std::vector<JudgedQuestion> questions;
  std::size_t out_of_view = 0;  ///< samples whose level was not shown for some of the time
};

/// What the regression may choose from, all as logarithms: either queue, the spread, the share of the queue that is
/// ahead; and, of both sides together, each kind of recent events over each memory. Columns are numbers in
/// fill_features().
[[nodiscard]] std::vector<FeatureGroup> fill_feature_groups();
[[nodiscard]] std::vector<std::string> fill_features();

/// Refused when one of the parts has too few samples or nothing in it to learn. `samples` by time.
[[nodiscard]] Answer<FillStudy> study_fills(std::span<const FillSample> samples, const FillStudyPlan& plan);

}  // namespace dojima::queueing
