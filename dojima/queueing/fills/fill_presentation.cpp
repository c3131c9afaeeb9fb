#include "dojima/queueing/fills/fill_presentation.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace dojima::queueing {
namespace {

evidence::Table skill_table(const FillStudy& study, const FillStudyPlan& plan) {
  evidence::Table table{.name = "skill",
                        .title = "forecasts of the part that was not fitted",
                        .columns = {{.name = "question"},
                                    {.name = "forecast"},
                                    {.name = "brier", .decimals = 4},
                                    {.name = "skill", .decimals = 4},
                                    {.name = "low", .decimals = 4},
                                    {.name = "high", .decimals = 4},
                                    {.name = "calibration_error", .decimals = 4},
                                    {.name = "clock_power", .decimals = 2}}};
  for (const JudgedQuestion& question : study.questions) {
    const std::string name(name_of(question.question));
    table.add_row({name, "base rate", question.models.front().judged.brier_of_base, 0.0, "-", "-", "-", "-"});
    for (const JudgedModel& model : question.models) {
      const Judgement& judged = model.judged;
      table.add_row({name, std::string(name_of(model.model)), judged.brier, judged.skill.estimate, judged.skill.low,
                     judged.skill.high, judged.calibration_error,
                     is_regression(model.model) ? evidence::Cell("-") : evidence::Cell(model.clock_power)});
    }
  }
  table.notes.push_back(
      fmt::format("skill: share of the base rate's Brier score that is saved; low and high: {:g} % of "
                  "block bootstraps, blocks of {:g} s",
                  100 * plan.confidence, plan.block_s));
  table.notes.emplace_back("calibration error: mean distance of forecast and frequency in ten bins of equal size");
  for (const JudgedQuestion& question : study.questions)
    table.notes.push_back(fmt::format("{}: the regression's log odds are recalibrated, {:.3f} times them and {:+.3f}",
                                      name_of(question.question), question.recalibration.slope(),
                                      question.recalibration.constant()));
  const double step = study.questions.front().level_step;
  table.notes.push_back(step > 0 ? fmt::format("level follows: not recalibrated; an outcome moves the log odds by {:g} "
                                               "of its distance as soon as it is known, in the judged part too",
                                               step)
                                 : std::string("level follows: it stands still, which did best on the fitted part"));
  table.notes.emplace_back(
      "clock power: that of the recent executions, over their mean, with which a model's clock runs");
  return table;
}

evidence::Table sample_table(const FillStudy& study) {
  evidence::Table table{.name = "samples",
                        .title = "orders that were followed",
                        .columns = {{.name = "question"},
                                    {.name = "fitted"},
                                    {.name = "judged"},
                                    {.name = "base_rate", .decimals = 4},
                                    {.name = "frequency_judged", .decimals = 4}}};
  for (const JudgedQuestion& question : study.questions)
    table.add_row({std::string(name_of(question.question)), question.fitted, question.models.front().judged.samples,
                   question.base_rate, question.models.front().judged.frequency});
  if (study.out_of_view > 0)
    table.notes.push_back(
        fmt::format("the level of {} orders was not shown for some of the time: who was cancelled "
                    "ahead of them then is known only when it comes back",
                    study.out_of_view));
  return table;
}

evidence::Table place_table(const FillStudy& study) {
  evidence::Table table{
      .name = "places",
      .title = "by orders ahead: frequency and mean forecast",
      .columns = {{.name = "question"}, {.name = "ahead"}, {.name = "samples"}, {.name = "frequency", .decimals = 4}}};
  const std::vector<JudgedModel>& models = study.questions.front().models;
  for (const JudgedModel& model : models) {
    std::string name(name_of(model.model));
    for (char& letter : name)
      if (letter == ' ' || letter == '-' || letter == ',') letter = '_';
    table.columns.push_back({.name = name, .decimals = 4});
  }
  for (const JudgedQuestion& question : study.questions) {
    for (const PlaceRow& place : question.places) {
      std::vector<evidence::Cell> cells = {std::string(name_of(question.question)),
                                           place.least_ahead == place.most_ahead
                                               ? fmt::format("{}", place.most_ahead)
                                               : fmt::format("{}-{}", place.least_ahead, place.most_ahead),
                                           place.samples, place.frequency};
      for (const JudgedModel& model : models) {
        const auto has = std::ranges::find(question.models, model.model, &JudgedModel::model);
        cells.push_back(has == question.models.end()
                            ? evidence::Cell("-")
                            : evidence::Cell(place.forecasts[static_cast<std::size_t>(has - question.models.begin())]));
      }
      table.add_row(std::move(cells));
    }
  }
  table.notes.emplace_back("an order: the mean quantity of an entered order");
  return table;
}

void add_reliability(evidence::Artefact& artefact, const FillStudy& study) {
  evidence::Table table{.name = "reliability",
                        .title = "frequency of what was forecast, by rising forecast",
                        .columns = {{.name = "question"},
                                    {.name = "forecast_by"},
                                    {.name = "samples"},
                                    {.name = "forecast", .decimals = 4},
                                    {.name = "frequency", .decimals = 4}}};
  for (const JudgedQuestion& question : study.questions) {
    const bool is_within = question.question == FillQuestion::within_horizon;
    evidence::Chart chart{.name = is_within ? "reliability_within" : "reliability_before_move",
                          .title = fmt::format("Reliability: {}", name_of(question.question)),
                          .caption = "on the diagonal a forecast happens as often as it says",
                          .kind = evidence::ChartKind::lines,
                          .x = {"forecast", ""},
                          .y = {"frequency", ""}};
    double highest = 0;
    for (const JudgedModel& model : question.models) {
      evidence::ChartCurve curve{std::string(name_of(model.model)), {}};
      for (const ReliabilityBin& bin : model.judged.reliability) {
        table.add_row({std::string(name_of(question.question)), std::string(name_of(model.model)), bin.samples,
                       bin.forecast, bin.frequency});
        curve.points.push_back({bin.forecast, bin.frequency});
        highest = std::max({highest, bin.forecast, bin.frequency});
      }
      chart.curves.push_back(std::move(curve));
    }
    chart.curves.push_back({"as forecast", {{0, 0}, {highest, highest}}});
    artefact.add_chart(std::move(chart));
  }
  artefact.add_table(std::move(table));
}

evidence::Table regression_table(const FillStudy& study) {
  evidence::Table table{.name = "regression",
                        .title = "weights of the regression",
                        .columns = {{.name = "question"}, {.name = "feature"}, {.name = "weight", .decimals = 4}}};
  for (const JudgedQuestion& question : study.questions)
    for (std::size_t at = 0; at < question.features.size(); ++at)
      table.add_row({std::string(name_of(question.question)), question.features[at], question.coefficients[at]});
  return table;
}

evidence::Table choice_table(const FillStudy& study, const FillStudyPlan& plan) {
  evidence::Table table{
      .name = "features",
      .title = "features of the regression, chosen inside the fitted part by forecasts of its later stretches",
      .columns = {{.name = "question"},
                  {.name = "group"},
                  {.name = "brier", .decimals = 5},
                  {.name = "gain", .decimals = 5},
                  {.name = "gain_error", .decimals = 5},
                  {.name = "taken"}}};
  const std::vector<FeatureGroup> groups = fill_feature_groups();
  for (const JudgedQuestion& question : study.questions) {
    const std::string name(name_of(question.question));
    table.add_row({name, "none", question.choice.brier_of_none, "-", "-", "-"});
    for (const ChoiceStep& step : question.choice.steps)
      table.add_row({name, groups[step.group].name, step.brier, step.gain, step.gain_error,
                     std::string(step.is_taken ? "yes" : "no")});
  }
  table.notes.push_back(
      fmt::format("{} groups to choose from; {} stretches of time, those behind the first {} forecast from the ones "
                  "before; a group is taken while its gain exceeds the gain's standard error",
                  groups.size(), plan.choice.folds, plan.choice.only_teach));
  return table;
}

}  // namespace

void add_fill_study(evidence::Artefact& artefact, const FillStudy& study, const FillStudyPlan& plan) {
  artefact.add_table(sample_table(study));
  artefact.add_table(skill_table(study, plan));
  artefact.add_table(place_table(study));
  add_reliability(artefact, study);
  artefact.add_table(choice_table(study, plan));
  artefact.add_table(regression_table(study));
}

}  // namespace dojima::queueing
