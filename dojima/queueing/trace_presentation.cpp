#include "dojima/queueing/trace_presentation.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace dojima::queueing {
namespace {

evidence::Table two_columns(std::string name, std::string title) {
  return {.name = std::move(name),
          .title = std::move(title),
          .columns = {{.name = "figure"}, {.name = "value", .decimals = 4}}};
}

}  // namespace

void add_arrival_fit(evidence::Artefact& artefact, const ArrivalFit& fit) {
  evidence::Table arrivals = two_columns("arrivals", "when requests arrive");
  arrivals.add_row({"gaps", fit.arrivals});
  arrivals.add_row({"seconds", fit.seconds});
  arrivals.add_row({"rate_per_s", fit.rate});
  arrivals.add_row({"gap_scv", fit.gap_scv});
  arrivals.add_row({"independence_p", fit.independence_p});
  arrivals.add_row({"exponential_p", fit.exponential_p});
  artefact.add_table(std::move(arrivals));

  evidence::Table dispersion{.name = "dispersion",
                             .title = "variance over mean of counts; a Poisson process has 1",
                             .columns = {{.name = "window_s", .decimals = 9},
                                         {.name = "windows"},
                                         {.name = "index", .decimals = 3},
                                         {.name = "p_value", .decimals = 4}}};
  for (const Dispersion& each : fit.dispersion)
    dispersion.add_row({each.window, each.windows, each.index, each.p_value});
  artefact.add_table(std::move(dispersion));

  evidence::Table models{.name = "models",
                         .title = "models of the arrivals, by Akaike's criterion",
                         .columns = {{.name = "model"},
                                     {.name = "verdict"},
                                     {.name = "aic_above_best", .decimals = 1},
                                     {.name = "parameters"},
                                     {.name = "values"}}};
  double best = fit.models.front().aic;
  for (const ArrivalModelFit& model : fit.models) best = std::min(best, model.aic);
  for (std::size_t i = 0; i < fit.models.size(); ++i) {
    const ArrivalModelFit& model = fit.models[i];
    const char* const verdict = i == fit.chosen ? "chosen" : model.is_rejected ? "rejected by a test" : "rejected";
    models.add_row({name_of(model.kind), verdict, model.aic - best, model.parameters, model.values});
  }
  models.notes.emplace_back("tests: dispersion, independence and law of the gaps, each at 0.15 %");
  artefact.add_table(std::move(models));

  evidence::Chart chart{.name = "rate",
                        .title = "Rate over time",
                        .kind = evidence::ChartKind::steps,
                        .x = {"time", "s"},
                        .y = {"requests", "per s"}};
  evidence::ChartCurve curve{"arrivals", {}};
  for (std::size_t i = 0; i < fit.rate_over_time.size(); ++i)
    curve.points.push_back(
        {fit.seconds * static_cast<double>(i) / static_cast<double>(fit.rate_over_time.size()), fit.rate_over_time[i]});
  chart.curves.push_back(std::move(curve));
  artefact.add_chart(std::move(chart));
}

void add_service_study(evidence::Artefact& artefact, const ServiceStudy& study) {
  evidence::Table table = two_columns("services", "how long services take, without stalls");
  table.add_row({"services", study.n});
  table.add_row({"load", study.load});
  table.add_row({"mean_ns", study.mean});
  table.add_row({"scv", study.scv});
  table.add_row({"skewness", study.skewness});
  table.add_row({"least_ns", study.least});
  table.add_row({"median_ns", study.median});
  table.add_row({"p99_ns", study.p99});
  table.add_row({"longest_ns", study.longest});
  for (std::size_t i = 0; i < 4; ++i)
    table.add_row({fmt::format("correlation_lag_{}", ServiceStudy::k_lags[i]), study.correlation[i]});
  table.add_row({"independence_p", study.independence_p});
  table.add_row({"stalls", study.stalls});
  table.add_row({"stalls_per_s", study.stalls_per_second});
  table.add_row({"stall_mean_ns", study.stall_mean});
  table.add_row({"stall_share", study.stall_share});
  table.add_row({"calm_mean_ns", study.calm_mean});
  table.add_row({"calm_scv", study.calm_scv});
  table.notes.push_back(
      fmt::format("a stall: a service longer than {:.0f} ns; calm: without what stalls added", study.stall_ns));
  artefact.add_table(std::move(table));
}

void add_replay(evidence::Artefact& artefact, const ReplayCheck& check, double close_ns) {
  evidence::Table table{.name = "replay",
                        .title = "the same arrivals and services through one server, first come, first served",
                        .columns = {{.name = "figure"}, {.name = "measured"}, {.name = "replayed"}}};
  table.add_row({"mean_wait_ns", check.mean_measured, check.mean_replayed});
  table.add_row({"p99_wait_ns", check.p99_measured, check.p99_replayed});
  table.notes.push_back(fmt::format("{:.2f} % of the waits agree to {:g} ns; the largest difference is {:.0f} ns",
                                    100 * check.share_close, close_ns, check.largest_difference_ns));
  if (check.most_in_service > 1)
    table.notes.push_back(fmt::format("up to {} services at once: this is no single server", check.most_in_service));
  artefact.add_table(std::move(table));
}

}  // namespace dojima::queueing
