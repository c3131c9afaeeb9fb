#include "dojima/backtest/queue_calibration.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <thread>

namespace dojima::backtest {
namespace {

constexpr std::uint64_t k_fills_least = 30;

/// Joins both best prices each `life` with one lot, and takes back what has not been filled by then.
class Prober final : public Strategy {
 public:
  Prober(Duration life, Duration phase, std::optional<Time> from) : life_(life), phase_(phase), from_(from) {}
  Wakes wakes() const override { return {}; }
  void on_begin(Desk& desk) override { desk.arm(0, std::max(desk.now(), from_.value_or(desk.now())) + phase_); }
  void on_timer(Desk& desk, std::uint32_t, Time due) override {
    std::vector<OrderNumber> old;
    for (const OwnOrder& order : desk.orders()) old.push_back(order.number);
    for (const OrderNumber order : old) desk.cancel(order);
    for (std::uint32_t instrument = 0; instrument < desk.instruments().size(); ++instrument) {
      const auto bid = desk.best(instrument, Side::buy), ask = desk.best(instrument, Side::sell);
      if (!bid || !ask || bid->price >= ask->price) continue;
      for (const Side side : {Side::buy, Side::sell})
        desk.submit({.instrument = instrument,
                     .side = side,
                     .is_post_only = true,
                     .price = side == Side::buy ? bid->price : ask->price,
                     .quantity = 1});
    }
    desk.arm(0, due + life_);
  }

 private:
  Duration life_, phase_;
  std::optional<Time> from_;
};

/// What became of each probe of a pass, by its number less one: the time to its fill; below 0: none.
struct ProbeTimes {
  std::vector<std::int64_t> nanoseconds;
  std::uint64_t rested = 0;
};

ProbeTimes run_probes(const QueueCalibrationSettings& settings, const LoadedDay& day, std::size_t pass,
                      const QueueModelSettings* model) {
  ExchangeSettings exchange_settings;
  exchange_settings.kind = model == nullptr ? ExchangeKind::orders : ExchangeKind::levels;
  if (model != nullptr) exchange_settings.queue = *model;
  const auto exchange = make_exchange(exchange_settings);
  Latencies latencies;  // none: a probe is where it wanted to be
  latencies.models.push_back(constant_latency({}));
  latencies.feed = latencies.models.back().get();
  Prober prober(settings.life,
                settings.life * static_cast<std::int64_t>(pass) / static_cast<std::int64_t>(settings.passes),
                settings.day.from);
  MemoryEvents events(day.events, day.survey.instruments);
  Engine engine(events, *exchange, prober, latencies,
                {.mark_every = std::chrono::hours{24}, .ticks = day.survey.ticks});
  engine.run({});
  ProbeTimes times;
  std::uint64_t submitted = 0;
  for (const Engine::Totals& totals : engine.totals()) {
    submitted += totals.orders;
    times.rested += totals.reports[static_cast<std::size_t>(ReportKind::accepted)];
  }
  times.nanoseconds.assign(submitted, -1);
  for (const Fill& fill : engine.fills())
    times.nanoseconds[fill.order - 1] = std::min(fill.rested, settings.life).count();
  return times;
}

std::vector<QueueModelSettings> all_models() {
  std::vector<QueueModelSettings> models{{.model = QueueModel::risk_averse, .exponent = 1},
                                         {.model = QueueModel::log1, .exponent = 1},
                                         {.model = QueueModel::log2, .exponent = 1}};
  for (const QueueModel model : {QueueModel::power1, QueueModel::power2, QueueModel::power3})
    for (unsigned exponent = 1; exponent <= 8; ++exponent) models.push_back({.model = model, .exponent = exponent});
  return models;
}

QueueModelFit fit_of(const QueueModelSettings& model, const std::vector<ProbeTimes>& truth,
                     const std::vector<ProbeTimes>& here, Duration life) {
  QueueModelFit fit{.model = model};
  std::uint64_t probes = 0;
  double error = 0, late = 0;
  for (std::size_t pass = 0; pass < truth.size(); ++pass) {
    for (std::size_t at = 0; at < truth[pass].nanoseconds.size(); ++at, ++probes) {
      const std::int64_t in_truth = truth[pass].nanoseconds[at], in_model = here[pass].nanoseconds[at];
      fit.fills += in_model >= 0 ? 1U : 0U;
      fit.only_here += in_model >= 0 && in_truth < 0 ? 1U : 0U;
      fit.only_truth += in_model < 0 && in_truth >= 0 ? 1U : 0U;
      const double difference =
          static_cast<double>((in_model < 0 ? life.count() : in_model) - (in_truth < 0 ? life.count() : in_truth)) /
          1e9;
      error += std::abs(difference);
      late += difference;
    }
  }
  if (probes > 0) {
    fit.mean_error_s = error / static_cast<double>(probes);
    fit.late_s = late / static_cast<double>(probes);
  }
  return fit;
}

}  // namespace

std::expected<QueueCalibration, std::string> calibrate_queue(const QueueCalibrationSettings& settings,
                                                             const CalibrationHooks& hooks) {
  if (settings.life <= Duration{}) return std::unexpected("the life of a probe is above 0");
  if (settings.passes < 1 || settings.passes > 100) return std::unexpected("there are 1 to 100 passes");
  auto day = load_day(settings.day);
  if (!day) return std::unexpected(day.error());
  if (const std::string missing = missing_for(ExchangeKind::orders, day->survey); !missing.empty())
    return std::unexpected(settings.day.file + ": " +
                           (day->survey.has_orders ? missing : "it has no orders, so the truth is not known"));
  if (!day->survey.trouble.empty()) return std::unexpected(day->survey.trouble);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<QueueModelSettings> models = all_models();
  // By model and pass; the truth comes first.
  const std::size_t runs = (models.size() + 1) * settings.passes;
  std::vector<std::vector<ProbeTimes>> times(models.size() + 1, std::vector<ProbeTimes>(settings.passes));
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> is_stopped = false;
  {
    std::vector<std::jthread> crew;
    const std::size_t threads = std::clamp<std::size_t>(settings.threads, 1, runs);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      crew.emplace_back([&] {
        for (std::size_t run = next.fetch_add(1); run < runs && !is_stopped; run = next.fetch_add(1)) {
          const std::size_t model = run / settings.passes, pass = run % settings.passes;
          times[model][pass] = run_probes(settings, *day, pass, model == 0 ? nullptr : &models[model - 1]);
          done.fetch_add(1);
        }
      });
    }
    while (done < runs && !is_stopped) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      if (hooks.progress) hooks.progress(done, runs);
      if (hooks.is_interrupted && hooks.is_interrupted()) is_stopped = true;
    }
  }
  QueueCalibration result{.survey = day->survey};
  result.was_interrupted = done < runs;
  for (const ProbeTimes& pass : times[0]) {
    result.probes += pass.rested;
    result.fills += static_cast<std::uint64_t>(
        std::ranges::count_if(pass.nanoseconds, [](std::int64_t nanoseconds) { return nanoseconds >= 0; }));
  }
  if (result.probes == 0 && !result.was_interrupted)
    return std::unexpected(settings.day.file +
                           ": no probe came to rest: no instrument has two sides at those instants");
  std::multimap<double, QueueModelFit> fits;  // equal ones in the order of the models
  for (std::size_t model = 0; model < models.size() && !result.was_interrupted; ++model) {
    QueueModelFit fit = fit_of(models[model], times[0], times[model + 1], settings.life);
    fits.emplace(fit.mean_error_s, std::move(fit));
  }
  for (auto& [error, fit] : fits) result.fits.push_back(std::move(fit));
  result.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

evidence::Artefact artefact_of(const QueueCalibrationSettings& settings, const QueueCalibration& result) {
  evidence::Artefact artefact("dojima backtest calibrate");
  artefact.set_parameter("format", result.survey.format)
      .set_parameter("file", std::filesystem::path(settings.day.file).filename().string())
      .set_parameter("life", duration_text(settings.life))
      .set_parameter("passes", settings.passes)
      .set_parameter("threads", settings.threads);
  evidence::Table summary{.name = "calibration", .title = "the calibration", .columns = {{"what"}, {"value", 3}}};
  summary.add_row({"events_of_the_day", result.survey.events});
  summary.add_row({"probes", result.probes});
  summary.add_row({"fills_in_truth", result.fills});
  if (!result.fits.empty()) summary.add_row({"nearest_model", to_text(result.fits.front().model)});
  summary.add_row({"elapsed_s", result.elapsed_s});
  artefact.add_table(std::move(summary));
  evidence::Table table{.name = "models",
                        .title = "queue models against the truth, the nearest first",
                        .columns = {{"model"},
                                    {"mean_error_s", 6},
                                    {"late_s", 6},
                                    {"fills"},
                                    {"fills_of_truth", 4},
                                    {"only_here"},
                                    {"only_in_truth"}}};
  for (const QueueModelFit& fit : result.fits)
    table.add_row({to_text(fit.model), fit.mean_error_s, fit.late_s, fit.fills,
                   result.fills == 0
                       ? evidence::Cell(evidence::Unmeasured{"no probe was filled in truth"})
                       : evidence::Cell(static_cast<double>(fit.fills) / static_cast<double>(result.fills)),
                   fit.only_here, fit.only_truth});
  if (!table.rows.empty()) artefact.add_table(std::move(table));
  artefact.add_check("probes", result.fills >= k_fills_least && !result.was_interrupted,
                     result.was_interrupted ? "interrupted before all models had run"
                                            : fmt::format("{} of {} were filled in truth, at least {} are needed",
                                                          result.fills, result.probes, k_fills_least));
  artefact.add_rule({.table = "calibration", .column = "elapsed_s", .rule = evidence::Rule::shown});
  return artefact;
}

}  // namespace dojima::backtest
