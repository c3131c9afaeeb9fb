#include "dojima/queueing/fills/fill_study.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/fills/feature_choice.hpp"
#include "dojima/queueing/fills/level_follower.hpp"
#include "dojima/queueing/fills/logistic.hpp"
#include "dojima/queueing/fills/queue_reactive_fills.hpp"

namespace dojima::queueing {
namespace {

using time::Duration;

constexpr std::size_t k_state_features = 4;
constexpr std::size_t k_features = k_state_features + k_recent_rates;
constexpr std::size_t k_least_fitted = 200;
constexpr std::size_t k_clock_short = 1, k_clock_long = 3;  // the clock's memories: 10 s and 10 min
constexpr std::size_t k_memories = k_recent_memories_s.size();
constexpr std::size_t k_least_judged = 100;
constexpr double k_least_chance = 1e-6;
constexpr std::uint32_t k_longest_queue = 40;  // orders, for the models
constexpr double k_rate_memory_s = 60;         // what the long-term rate is worth, in seconds of recent observation

constexpr const char* k_kind_names[k_recent_kinds] = {"executions", "cancels", "entries"};

double seconds_of(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

double own_executions(const FillSample& sample, std::size_t memory) {
  return static_cast<double>(sample.rates[recent_rate(RecentKind::executions, true, memory)]);
}

void add_features(const FillSample& sample, std::vector<double>& row) {
  const auto ahead = static_cast<double>(sample.ahead), own = static_cast<double>(sample.own);
  row.push_back(std::log(own));
  row.push_back(std::log(static_cast<double>(sample.other)));
  row.push_back(std::log(static_cast<double>(sample.spread)));
  row.push_back(std::log((1 + ahead) / (1 + own)));
  for (std::size_t i = 0; i < k_recent_rates; ++i)  // one event more than there was
    row.push_back(std::log(static_cast<double>(sample.rates[i]) + 1 / k_recent_memories_s[i / 2 % k_memories]));
}

bool is_yes(const FillSample& sample, FillQuestion question, Duration horizon) {
  return question == FillQuestion::within_horizon ? sample.is_filled_within(horizon) : sample.is_filled_before_move();
}

/// When the answer is known.
time::Time known_at(const FillSample& sample, FillQuestion question, Duration horizon) {
  if (question == FillQuestion::within_horizon) return sample.at + horizon;
  return sample.at + std::min(sample.filled_after, sample.mid_moved_after);
}

struct Parts {
  std::vector<const FillSample*> fitted, judged;
};

Parts parts_of(std::span<const FillSample> samples, FillQuestion question, const FillStudyPlan& plan) {
  Parts parts;
  for (const FillSample& sample : samples) {
    if (question == FillQuestion::before_move && !sample.is_race_decided()) continue;
    if (known_at(sample, question, plan.horizon) <= plan.fit_until) {
      parts.fitted.push_back(&sample);
    } else if (sample.at >= plan.fit_until) {
      parts.judged.push_back(&sample);
    }
  }
  return parts;
}

/// Forecasts by the two models of the market.
class MarketModels {
 public:
  MarketModels(const FillStudyPlan& plan, double mean_executions) : plan_(plan), mean_executions_(mean_executions) {
    if (plan.queue_reactive)
      fills_.emplace(*plan.queue_reactive,
                     FillRuns{.runs = plan.runs, .longest_s = k_fastest * seconds_of(plan.horizon), .seed = plan.seed});
  }

  [[nodiscard]] double birth_death(const FillSample& sample, FillQuestion question, double clock_power) {
    const FillState state = state_of(sample);
    const TouchRates rates = plan_.touch_rates->rates(state.spread);
    if (rates.execution <= 0) return 0;
    if (question == FillQuestion::within_horizon)
      return filled_within(rates, state.ahead, model_seconds(sample, clock_power));
    const auto key = std::tuple(state.ahead, state.other, rates.improvement);
    const auto known = races_.find(key);
    if (known != races_.end()) return known->second;
    return races_[key] = filled_before_move(rates, state.ahead, state.other);
  }

  [[nodiscard]] double queue_reactive(const FillSample& sample, FillQuestion question, double clock_power) {
    const FillChances& chances = fills_->chances(state_of(sample));
    return question == FillQuestion::within_horizon ? chances.within(model_seconds(sample, clock_power))
                                                    : chances.before_move();
  }

  [[nodiscard]] double forecast(FillModel model, const FillSample& sample, FillQuestion question, double clock_power) {
    return model == FillModel::birth_death ? birth_death(sample, question, clock_power)
                                           : queue_reactive(sample, question, clock_power);
  }

  /// The power with the smallest Brier score on these samples.
  [[nodiscard]] double best_clock_power(FillModel model, const std::vector<const FillSample*>& samples) {
    double best = 0, least = -1;
    for (const double power : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      double sum = 0;
      for (std::size_t at = 0; at < samples.size(); at += k_clock_step) {
        const double chance = forecast(model, *samples[at], FillQuestion::within_horizon, power);
        const double off = chance - (samples[at]->is_filled_within(plan_.horizon) ? 1 : 0);
        sum += off * off;
      }
      if (least < 0 || sum < least) {
        least = sum;
        best = power;
      }
    }
    return best;
  }

  /// Quantity in orders, rounded up.
  [[nodiscard]] std::uint32_t orders_of(std::int64_t quantity) const {
    const std::int64_t orders = (quantity + plan_.order_quantity - 1) / plan_.order_quantity;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(orders, 0, k_longest_queue));
  }

 private:
  static constexpr std::size_t k_clock_step = 5;  // of so many samples one decides on the clock
  static constexpr double k_fastest = 4;

  /// The horizon by the model's clock.
  [[nodiscard]] double model_seconds(const FillSample& sample, double clock_power) const {
    return seconds_of(plan_.horizon) * std::pow(speed(sample), clock_power);
  }

  /// Executions of the own side lately, over the mean; what was seen for long counts as a minute of it.
  [[nodiscard]] double speed(const FillSample& sample) const {
    const double memory = k_recent_memories_s[k_clock_short];
    const double recent =
        (memory * own_executions(sample, k_clock_short) + k_rate_memory_s * own_executions(sample, k_clock_long)) /
        (memory + k_rate_memory_s);
    return mean_executions_ > 0 ? std::clamp(recent / mean_executions_, 0.05, k_fastest) : 1;
  }

  [[nodiscard]] FillState state_of(const FillSample& sample) const {
    FillState state{.ahead = orders_of(sample.ahead),
                    .own = std::max(orders_of(sample.own), 1u),
                    .other = std::max(orders_of(sample.other), 1u),
                    .spread = static_cast<std::uint32_t>(std::clamp<std::int64_t>(sample.spread / plan_.tick, 1, 64))};
    // Wide spreads and long queues are alike: fewer states to simulate.
    if (state.spread > 8) state.spread = (state.spread + 2) / 4 * 4;
    if (state.other > 4) state.other = (state.other + 2) / 4 * 4;
    state.ahead = std::min(state.ahead, state.own);
    return state;
  }

  const FillStudyPlan& plan_;
  double mean_executions_;
  std::optional<QueueReactiveFills> fills_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, double>, double> races_;
};

double mean_executions(const std::vector<const FillSample*>& samples) {
  double sum = 0;
  for (const FillSample* const sample : samples) sum += own_executions(*sample, k_clock_long);
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

double at_seconds(time::Time at) {
  return static_cast<double>(time::nanoseconds_of(at)) * 1e-9;
}

/// A regression of the features that were chosen for it; the base rate where none was.
struct ChosenRegression {
  FeatureChoice choice;
  std::vector<std::size_t> columns;
  std::optional<Logistic> regression;
  Recalibration recalibration;
  double base_rate = 0;
  double level_step = 0;

  [[nodiscard]] double forecast(const FillSample& sample) const {
    return regression ? recalibration.of(raw_forecast(sample)) : base_rate;
  }
  /// Before it is recalibrated.
  [[nodiscard]] double raw_forecast(const FillSample& sample) const {
    if (!regression) return base_rate;
    std::vector<double> all, row;
    add_features(sample, all);
    for (const std::size_t column : columns) row.push_back(all[column]);
    return regression->forecast(row);
  }
};

/// What forecasts of later stretches by earlier ones say: how they are recalibrated, and by which step their level is
/// to follow, of so many stretches; 0: it is not to.
void learn_from_forward_forecasts(const ForwardForecasts& forward, std::span<const ChoiceRow> rows,
                                  std::span<const std::uint8_t> outcomes, std::size_t stretches,
                                  ChosenRegression& made) {
  std::vector<double> chances = forward.chances;
  for (double& chance : chances) chance = std::clamp(chance, k_least_chance, 1 - k_least_chance);  // a share may be 0
  made.recalibration = Recalibration::fit(chances, outcomes.subspan(forward.first));
  if (stretches < 2) return;
  std::vector<LevelRow> level;
  for (std::size_t at = 0; at < chances.size(); ++at) {
    const ChoiceRow& row = rows[forward.first + at];
    level.push_back({row.asked_s, row.known_s, chances[at], row.is_yes});
  }
  made.level_step = best_level_step(level, stretches);
}

/// Features and weights, from the samples that are fitted alone.
Answer<ChosenRegression> fit_regression(const Parts& parts, FillQuestion question, const FillStudyPlan& plan) {
  const std::size_t samples = parts.fitted.size();
  if (samples < k_least_fitted)
    return std::unexpected(impossible(
        fmt::format("{} samples in the part that is fitted: it takes {} to choose features and fit their weights",
                    samples, k_least_fitted)));
  std::vector<double> features;
  std::vector<ChoiceRow> rows;
  std::vector<std::uint8_t> outcomes;
  features.reserve(samples * k_features);
  ChosenRegression made;
  for (const FillSample* const sample : parts.fitted) {
    add_features(*sample, features);
    const bool is_it = is_yes(*sample, question, plan.horizon);
    rows.push_back({at_seconds(sample->at), at_seconds(known_at(*sample, question, plan.horizon)), is_it});
    outcomes.push_back(is_it ? 1 : 0);
    made.base_rate += is_it ? 1.0 / static_cast<double>(samples) : 0;
  }
  const std::vector<FeatureGroup> groups = fill_feature_groups();
  made.choice = choose_features(groups, features, k_features, rows, plan.choice);
  for (const std::size_t group : made.choice.groups)
    made.columns.insert(made.columns.end(), groups[group].columns.begin(), groups[group].columns.end());
  // Without a feature a fit still says whether there is anything to learn.
  const std::vector<std::size_t> fitted = made.columns.empty() ? std::vector<std::size_t>{0} : made.columns;
  std::vector<double> chosen;
  chosen.reserve(samples * fitted.size());
  for (std::size_t row = 0; row < samples; ++row)
    for (const std::size_t column : fitted) chosen.push_back(features[row * k_features + column]);
  Answer<Logistic> regression = Logistic::fit(chosen, fitted.size(), outcomes);
  if (!regression) return std::unexpected(regression.error());
  if (!made.columns.empty()) made.regression = std::move(*regression);
  // Races may last long, and many end at once: a level that waited for their outcomes would swing.
  const bool may_follow = question == FillQuestion::within_horizon;
  learn_from_forward_forecasts(forward_forecasts(made.columns, features, k_features, rows, plan.choice), rows, outcomes,
                               may_follow ? plan.choice.folds - plan.choice.only_teach : 0, made);
  return made;
}

/// Chances of the judged samples at the level of the outcomes that were known when each was asked, of both parts.
std::vector<double> following(const ChosenRegression& regression, const Parts& parts, FillQuestion question,
                              Duration horizon) {
  std::vector<LevelRow> rows;
  for (const auto* const part : {&parts.fitted, &parts.judged})
    for (const FillSample* const sample : *part)
      rows.push_back({at_seconds(sample->at), at_seconds(known_at(*sample, question, horizon)),
                      regression.raw_forecast(*sample), is_yes(*sample, question, horizon)});
  std::vector<double> chances = followed(rows, regression.level_step);
  chances.erase(chances.begin(), chances.begin() + static_cast<std::ptrdiff_t>(parts.fitted.size()));
  return chances;
}

/// 0, 1, 2, 3-4, 5-8, ... orders ahead.
std::size_t place_class(std::uint32_t ahead) {
  std::size_t at = 0;
  for (std::uint32_t most = 0; ahead > most; most = most == 0 ? 1 : 2 * most) ++at;
  return at;
}

std::vector<PlaceRow> places_of(const Parts& parts, const MarketModels& markets, FillQuestion question,
                                const FillStudyPlan& plan, const std::vector<std::vector<double>>& chances) {
  std::map<std::size_t, PlaceRow> rows;
  for (std::size_t i = 0; i < parts.judged.size(); ++i) {
    const std::size_t at = place_class(markets.orders_of(parts.judged[i]->ahead));
    PlaceRow& row = rows[at];
    row.most_ahead = at == 0 ? 0 : std::int64_t{1} << (at - 1);
    row.least_ahead = at <= 1 ? row.most_ahead : row.most_ahead / 2 + 1;
    row.forecasts.resize(chances.size());
    ++row.samples;
    row.frequency += is_yes(*parts.judged[i], question, plan.horizon) ? 1 : 0;
    for (std::size_t model = 0; model < chances.size(); ++model) row.forecasts[model] += chances[model][i];
  }
  std::vector<PlaceRow> made;
  for (auto& [at, row] : rows) {
    const auto samples = static_cast<double>(row.samples);
    row.frequency /= samples;
    for (double& forecast : row.forecasts) forecast /= samples;
    made.push_back(std::move(row));
  }
  return made;
}

Answer<JudgedQuestion> judge_question(std::span<const FillSample> samples, FillQuestion question,
                                      const FillStudyPlan& plan) {
  const Parts parts = parts_of(samples, question, plan);
  if (parts.judged.size() < k_least_judged)
    return std::unexpected(impossible(fmt::format("{} samples after the part that is fitted: it takes {} to judge",
                                                  parts.judged.size(), k_least_judged)));
  const Answer<ChosenRegression> regression = fit_regression(parts, question, plan);
  if (!regression) return std::unexpected(regression.error());
  JudgedQuestion judged{.question = question,
                        .fitted = parts.fitted.size(),
                        .base_rate = regression->base_rate,
                        .choice = regression->choice,
                        .features = {"constant"},
                        .coefficients = {std::log(regression->base_rate / (1 - regression->base_rate))}};
  if (regression->regression) judged.coefficients = regression->regression->coefficients();
  for (const std::size_t column : regression->columns) judged.features.push_back(fill_features()[column]);
  if (regression->regression) judged.recalibration = regression->recalibration;
  judged.level_step = regression->level_step;

  MarketModels markets(plan, mean_executions(parts.fitted));
  std::vector<std::vector<double>> chances;
  for (const FillModel model :
       {FillModel::logistic, FillModel::logistic_following, FillModel::birth_death, FillModel::queue_reactive}) {
    if (model == FillModel::logistic_following && question != FillQuestion::within_horizon) continue;
    if (model == FillModel::birth_death && plan.touch_rates == nullptr) continue;
    if (model == FillModel::queue_reactive && !plan.queue_reactive) continue;
    const bool has_clock = !is_regression(model) && question == FillQuestion::within_horizon;
    const double clock_power = has_clock ? markets.best_clock_power(model, parts.fitted) : 0;
    std::vector<double> model_chances;
    if (model == FillModel::logistic_following) model_chances = following(*regression, parts, question, plan.horizon);
    for (const FillSample* const sample : parts.judged) {
      if (model == FillModel::logistic) model_chances.push_back(regression->forecast(*sample));
      if (!is_regression(model)) model_chances.push_back(markets.forecast(model, *sample, question, clock_power));
    }
    std::vector<Forecasted> forecasts;
    for (std::size_t i = 0; i < model_chances.size(); ++i)
      forecasts.push_back(
          {at_seconds(parts.judged[i]->at), model_chances[i], is_yes(*parts.judged[i], question, plan.horizon)});
    chances.push_back(std::move(model_chances));
    judged.models.push_back({model,
                             judge(forecasts, {.base_rate = judged.base_rate,
                                               .block_s = plan.block_s,
                                               .confidence = plan.confidence,
                                               .bootstrap = {.seed = plan.seed}}),
                             clock_power});
  }
  judged.places = places_of(parts, markets, question, plan, chances);
  return judged;
}

}  // namespace

std::string_view name_of(FillModel model) noexcept {
  constexpr std::string_view k_names[] = {"logistic regression", "regression, level follows", "birth-death queue",
                                          "queue-reactive market"};
  return k_names[static_cast<std::size_t>(model)];
}

std::string_view name_of(FillQuestion question) noexcept {
  return question == FillQuestion::within_horizon ? "filled within the horizon" : "filled before the mid moves";
}

std::vector<std::string> fill_features() {
  std::vector<std::string> names = {"log own queue", "log other queue", "log spread", "log share ahead"};
  for (std::size_t kind = 0; kind < k_recent_kinds; ++kind)
    for (const double memory : k_recent_memories_s)
      for (const char* const side : {"own", "other"})
        names.push_back(fmt::format("log {} {}, {:g} s", side, k_kind_names[kind], memory));
  return names;
}

std::vector<FeatureGroup> fill_feature_groups() {
  std::vector<FeatureGroup> groups = {{"own queue", {0}}, {"other queue", {1}}, {"spread", {2}}, {"share ahead", {3}}};
  for (std::size_t kind = 0; kind < k_recent_kinds; ++kind)
    for (std::size_t memory = 0; memory < k_memories; ++memory) {
      const auto column = [&](bool is_own) {
        return k_state_features + recent_rate(static_cast<RecentKind>(kind), is_own, memory);
      };
      groups.push_back(
          {fmt::format("{}, {:g} s", k_kind_names[kind], k_recent_memories_s[memory]), {column(true), column(false)}});
    }
  return groups;
}

Answer<FillStudy> study_fills(std::span<const FillSample> samples, const FillStudyPlan& plan) {
  DOJIMA_ASSERT(plan.tick > 0 && plan.order_quantity > 0, "tick and quantity are above 0", plan.tick,
                plan.order_quantity);
  FillStudy study;
  for (const FillSample& sample : samples) study.out_of_view += sample.was_out_of_view ? 1 : 0;
  for (const FillQuestion question : {FillQuestion::within_horizon, FillQuestion::before_move}) {
    auto judged = judge_question(samples, question, plan);
    if (!judged) return std::unexpected(impossible(fmt::format("{}: {}", name_of(question), judged.error().text)));
    study.questions.push_back(std::move(*judged));
  }
  return study;
}

}  // namespace dojima::queueing
