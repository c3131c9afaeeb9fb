// dojima lab step

#include <algorithm>
#include <cmath>
#include <expected>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/app/demo/run.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/measure/pinning.hpp"
#include "dojima/measure/timing_clock.hpp"
#include "dojima/queueing/load_step.hpp"

namespace dojima::cli {
namespace {

namespace demo = app::demo;
using queueing::StepRepeat;

struct StepOptions {
  InstrumentOptions instrument;
  std::size_t repeats = 10;
  double from = 0.5;
  double to = 0.7;
  double seconds = 1;
  std::uint64_t seed = 1;
  double confidence = 0.9;
  std::optional<int> processor;
};

constexpr double k_covered_share = 0.8;
/// Of the first run, which only says how long a request takes. At so low a rate it takes longer than at the rate that
/// follows from it, since caches and branch predictions are lost in between; so the next trial has that rate, until
/// both agree.
constexpr std::uint64_t k_trial_rate = 5'000;
constexpr double k_trial_seconds = 0.5;
constexpr int k_trials = 6;
constexpr double k_trials_agree = 0.05;

class StepRun {
 public:
  StepRun(const StepOptions& options, InstrumentRun& run) : options_(options), run_(run) {}

  /// The repeats that were made; an error: why a run was not possible.
  std::expected<std::vector<StepRepeat>, std::string> repeats() {
    timing_ = measure::measure_timing_clock();
    if (auto known = find_service(); !known) return std::unexpected(std::move(known.error()));
    std::vector<StepRepeat> made;
    for (std::size_t i = 0; i < options_.repeats && !run_.is_interrupted(); ++i) {
      run_.show("steps", static_cast<double>(i), static_cast<double>(options_.repeats), "repeats");
      const auto repeat = one(i);
      if (!repeat && run_.is_interrupted()) break;
      if (!repeat) return std::unexpected(repeat.error());
      made.push_back(*repeat);
    }
    return made;
  }

  [[nodiscard]] double service_ns() const noexcept { return service_ns_; }
  [[nodiscard]] double quantum_ns() const noexcept { return timing_.quantum_ns; }
  /// A thread that spins begins a request up to one reading late, which is no wait.
  [[nodiscard]] double close_ns() const noexcept { return 2 * timing_.resolution_ns(); }
  [[nodiscard]] std::uint64_t rate_of(double load) const noexcept {
    return static_cast<std::uint64_t>(std::clamp(load * 1e9 / service_ns_ + 0.5, 1.0, 1e7));
  }

 private:
  std::expected<void, std::string> find_service() {
    std::uint64_t rate = k_trial_rate;
    for (int number = 0; number < k_trials && !run_.is_interrupted(); ++number) {
      const auto trial = captured(rate, std::min(k_trial_seconds, options_.seconds), options_.seed);
      if (!trial) return std::unexpected(trial.error());
      const double before = std::exchange(service_ns_, queueing::study_services(*trial, {}).mean);
      if (std::abs(service_ns_ - before) < k_trials_agree * before) break;
      rate = rate_of(options_.from);
    }
    return {};
  }

  std::expected<StepRepeat, std::string> one(std::size_t number) {
    const std::uint64_t seed = options_.seed + 2 * number + 1;
    const auto low = captured(rate_of(options_.from), options_.seconds, seed);
    if (!low) return std::unexpected(low.error());
    const auto high = captured(rate_of(options_.to), options_.seconds, seed + 1);
    if (!high) return std::unexpected(high.error());
    auto repeat = queueing::judge_step(
        *low, *high, {.rate = static_cast<double>(rate_of(options_.to)), .arrivals = flow::ArrivalConfig{}},
        {.confidence = options_.confidence, .seed = seed}, {.close_ns = close_ns()});
    if (!repeat) return std::unexpected(repeat.error().text);
    return *repeat;
  }

  /// The whole road in this process, on this thread.
  std::expected<queueing::Trace, std::string> captured(std::uint64_t rate, double seconds, std::uint64_t seed) {
    demo::Settings settings{.seconds = seconds, .clients = 2, .rate = rate, .seed = seed};
    settings.is_virtual = settings.is_timed = settings.keeps_services = true;
    if (const char* complaint = demo::complaint(settings)) return std::unexpected(std::string(complaint));
    const auto result = demo::run(settings, [this] { return run_.is_interrupted(); }, {});
    if (!result) return std::unexpected(result.error());
    const auto is_whole = [](const measure::ServiceRecord& of) { return of.kind == demo::k_road_kind; };
    if (std::ranges::none_of(result->services, is_whole))
      return std::unexpected(
          fmt::format("no request of {} a second was answered within {} s: this machine is too busy for a forecast",
                      rate, seconds));
    auto trace = queueing::trace_of(result->services, demo::k_road_kind);
    if (!trace) return std::unexpected(trace.error().text);
    return std::move(*trace);
  }

  const StepOptions& options_;
  InstrumentRun& run_;
  double service_ns_ = 0;
  measure::TimingClock timing_;
};

evidence::Table step_table(std::span<const StepRepeat> repeats) {
  evidence::Table table{.name = "step",
                        .title = "captured at one load, forecast for another, held against a capture there",
                        .columns = {{"repeat"},
                                    {"captured_load", 3},
                                    {"load", 3},
                                    {"p50_low_us", 2},
                                    {"p50_high_us", 2},
                                    {"p50_us", 2, true, "measured"},
                                    {"p50_verdict"},
                                    {"p99_low_us", 2},
                                    {"p99_high_us", 2},
                                    {"p99_us", 2, true, "measured"},
                                    {"p99_verdict"},
                                    {"share_same", 4, true, "waits that the capture's own services give again"}}};
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const StepRepeat& of = repeats[i];
    const auto verdict = [&of](bool covers) {
      return of.is_contended ? "interval only: contended" : covers ? "inside" : "outside";
    };
    table.add_row({i + 1, of.low_load, of.high_load, of.p50.low / 1e3, of.p50.high / 1e3, of.measured_p50 / 1e3,
                   verdict(of.covers_p50()), of.p99.low / 1e3, of.p99.high / 1e3, of.measured_p99 / 1e3,
                   verdict(of.covers_p99()), of.share_close});
  }
  return table;
}

evidence::Table verdict_table(std::span<const StepRepeat> repeats, std::size_t needed) {
  evidence::Table table{
      .name = "verdict",
      .title = "intervals that cover what was measured, of the repeats that nobody disturbed",
      .columns = {{"repeats"}, {"contended"}, {"covers_p50"}, {"covers_p99"}, {"needed"}, {"verdict"}}};
  const auto count = [&](auto is_so) { return std::ranges::count_if(repeats, is_so); };
  table.add_row({repeats.size(), count([](const StepRepeat& of) { return of.is_contended; }),
                 count([](const StepRepeat& of) { return !of.is_contended && of.covers_p50(); }),
                 count([](const StepRepeat& of) { return !of.is_contended && of.covers_p99(); }), needed,
                 std::string(name_of(queueing::verdict_of(repeats, needed)))});
  return table;
}

int step(StepOptions options) {
  if (options.instrument.is_quick) {
    options.repeats = std::min<std::size_t>(options.repeats, 2);
    options.seconds = std::min(options.seconds, 0.2);
  }
  if (!(options.from < options.to)) {
    complain("--to is the higher load: it must be above --from");
    return k_usage;
  }
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  StepRun steps(options, run);
  std::expected<std::vector<StepRepeat>, std::string> repeats;
  evidence::Document applied = evidence::Document::object();
  std::jthread([&] {  // of its own: nobody else is to stay on that processor
    const measure::Pinning pinning = measure::pin_to_processor(options.processor);
    applied = evidence::applied_settings();
    repeats = pinning.cpu || !options.processor
                  ? steps.repeats()
                  : std::unexpected(fmt::format("processor {}: {}", *options.processor, pinning.reason));
  })
      .join();
  if (!repeats) {
    complain(repeats.error());
    return k_environment;
  }
  const auto needed = static_cast<std::size_t>(k_covered_share * static_cast<double>(options.repeats) + 0.999);
  evidence::Artefact artefact("dojima lab step");
  artefact.set_parameter("repeats", options.repeats)
      .set_parameter("from", options.from)
      .set_parameter("to", options.to)
      .set_parameter("seconds", options.seconds)
      .set_parameter("seed", options.seed)
      .set_parameter("confidence", options.confidence)
      .set_parameter("service_ns", steps.service_ns())
      .set_parameter("was_interrupted", run.is_interrupted());
  evidence::Table table = step_table(*repeats);
  table.notes.push_back(
      fmt::format("{} and {} requests a second; same: within {:g} ns, two steps or readings of the clock; "
                  "contended: fewer than 99 in a hundred are",
                  steps.rate_of(options.from), steps.rate_of(options.to), steps.close_ns()));
  artefact.add_table(std::move(table)).add_table(verdict_table(*repeats, needed));
  for (const evidence::Table& each : artefact.tables())
    for (const evidence::Column& column : each.columns)
      artefact.add_rule({each.name, column.name, evidence::Rule::shown, 0});
  return run.finish(artefact, {.applied = applied, .ns_per_tick = 1, .quantum_ns = steps.quantum_ns()});
}

}  // namespace

void add_lab_step(Command lab, int& status) {
  Command command =
      lab.add_command("step", "Capture here at one load, forecast for another, and see whether the interval holds");
  auto options = std::make_shared<StepOptions>();
  command.add_option("--repeats", options->repeats, "Of both captures and the forecast")
      .between(std::size_t{1}, std::size_t{1'000})
      .show_default();
  command.add_option("--from", options->from, "Load that is captured").between(0.01, 0.95).show_default();
  command.add_option("--to", options->to, "Load that is forecast").between(0.01, 0.95).show_default();
  command.add_option("--seconds", options->seconds, "Of each capture").between(0.05, 600.0).show_default();
  command.add_option("--confidence", options->confidence, "Of the intervals").between(0.5, 0.95).show_default();
  command.add_option("--seed", options->seed, "Of the order flow and the forecasts").show_default();
  command.add_option("--processor", options->processor, "Where it runs; the last that it may use otherwise");
  options->instrument.add_to(command);
  command.footer(
      "One thread on one processor does each request of an open loop from the client to its answer, as dojima lab "
      "drive does.\nThe verdict is met when the intervals of median and p99 cover what was measured in eight repeats "
      "of ten. A repeat whose\nown services do not give its waits again had somebody else on its processor: it shows "
      "its interval and is not judged,\nand where that leaves too few the verdict is \"interval only\". No verdict "
      "is a failure: the exit status is 0.\nexample: dojima lab step --json step.json");
  command.on_run([options, &status] { status = step(*options); });
}

}  // namespace dojima::cli
