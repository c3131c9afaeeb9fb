#include "dojima/app/demo/knee.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/core.h>
#include <stdexcept>
#include <utility>

#include "dojima/evidence/table.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::app::demo {
namespace {

/// Microseconds of processor time for each request.
double cpu_a_request(const KneeStep& step, const ThreadLoad& thread) {
  return step.requests > 0 ? thread.cpu_s * 1e6 / static_cast<double>(step.requests) : 0;
}

std::uint64_t highest_met(const std::vector<KneeStep>& steps) noexcept {
  std::uint64_t rate = 0;
  for (const KneeStep& step : steps)
    if (step.is_met && !step.is_overload) rate = std::max(rate, step.rate);
  return rate;
}

std::string micro_text(std::uint64_t nanoseconds) {
  return nanoseconds == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(nanoseconds) / 1e3);
}

void check_settings(const KneeSettings& settings) {
  if (settings.settings.is_virtual || has_kills(settings.settings) || !settings.settings.journal.empty() ||
      settings.settings.dashboard.port >= 0)
    throw std::invalid_argument("a knee is looked for over sockets, in runs without kills, journal and dashboard");
  if (!(settings.factor > 1) || !(settings.kept > 0 && settings.kept < 1) || !(settings.overload >= 0))
    throw std::invalid_argument("rates rise by a factor above 1, and are met where a part below 1 was answered");
}

}  // namespace

std::uint64_t KneeResult::knee() const noexcept {
  return highest_met(steps);
}

double KneeResult::kept_in_overload() const noexcept {
  const std::uint64_t rate = knee();
  if (steps.empty() || !steps.back().is_overload || rate == 0) return 0;
  return steps.back().answered / static_cast<double>(rate);
}

bool KneeResult::is_ok() const noexcept {
  return std::ranges::all_of(steps, &KneeStep::is_ok);
}

NextRate next_rate(const KneeSettings& settings, const std::vector<KneeStep>& steps) {
  if (steps.empty()) return {.rate = settings.settings.rate};
  if (steps.back().is_overload) return {};
  const std::uint64_t met = highest_met(steps);
  const auto first_missed = std::ranges::find(steps, false, &KneeStep::is_met);
  if (first_missed == steps.end()) {
    const auto higher = static_cast<std::uint64_t>(static_cast<double>(met) * settings.factor);
    if (met < settings.most) return {.rate = std::clamp(higher, met + 1, settings.most)};
  } else if (met == 0) {
    return {};  // it begins beyond the knee
  } else if (static_cast<std::size_t>(steps.end() - first_missed) <= settings.halvings) {
    std::uint64_t missed = first_missed->rate;
    for (const KneeStep& step : steps)
      if (!step.is_met && step.rate > met) missed = std::min(missed, step.rate);
    const std::uint64_t between = met + (missed - met) / 2;
    if (between != met) return {.rate = between};
  }
  return {.rate = static_cast<std::uint64_t>(static_cast<double>(met) * settings.overload), .is_overload = true};
}

KneeStep step_of(const KneeSettings& settings, const DemoResult& result) {
  KneeStep step{.rate = result.settings.rate,
                .requests = result.clients.answered,
                .threads = result.threads,
                .memory = result.memory};
  // Who is behind at the end has not answered as fast as requests fell due.
  double seconds = result.flow_seconds;
  if (!result.measured.stretches.empty()) seconds += static_cast<double>(result.measured.stretches.back().p50_ns) / 1e9;
  if (seconds > 0) step.answered = static_cast<double>(result.clients.answered) / seconds;
  step.is_met = step.answered >= settings.kept * static_cast<double>(step.rate);
  step.is_ok = result.is_ok();
  if (const auto failed = std::ranges::find(result.checks, false, &simulate::Check::is_ok);
      failed != result.checks.end())
    step.trouble = failed->name + ": " + failed->detail;
  if (result.measured.parts.empty()) return step;
  const measure::FineHistogram& whole = result.measured.parts.back().nanoseconds;
  if (measure::percentile_support(whole.count(), 0.5).is_printable) step.p50_ns = whole.value_at(0.5);
  if (measure::percentile_support(whole.count(), 0.99).is_printable) step.p99_ns = whole.value_at(0.99);
  return step;
}

std::expected<KneeResult, std::string> find_knee(const KneeSettings& settings, const Stops& stops,
                                                 const std::function<void(const KneeStep&)>& show) {
  check_settings(settings);
  KneeResult result{.settings = settings};
  for (NextRate next = next_rate(settings, {}); next.rate != 0; next = next_rate(settings, result.steps)) {
    Settings of_run = settings.settings;
    of_run.rate = next.rate;
    const auto run_of_rate = run(of_run, stops);
    if (!run_of_rate) return std::unexpected(run_of_rate.error());
    if (run_of_rate->is_interrupted) {
      result.is_interrupted = true;
      return result;
    }
    KneeStep step = step_of(settings, *run_of_rate);
    step.is_overload = next.is_overload;
    if (show) show(step);
    result.steps.push_back(std::move(step));
  }
  return result;
}

// ---- Shown ---------------------------------------------------------------------------------------------------------

std::string knee_header(const Settings& settings) {
  std::string line = fmt::format("{:>12} {:>12} {:>10} {:>10}", "rate, 1/s", "answered", "p50, us", "p99, us");
  for (const std::string& name : thread_names(settings)) line += fmt::format("  {:>24}", name);
  return line;
}

std::string text_of(const KneeStep& step) {
  std::string line = fmt::format("{:>12} {:>12.0f} {:>10} {:>10}", step.rate, step.answered, micro_text(step.p50_ns),
                                 micro_text(step.p99_ns));
  for (const ThreadLoad& thread : step.threads)
    line += fmt::format("  {:>24}",
                        fmt::format("{:.0f} %, {:.2f} us each", thread.busy() * 100, cpu_a_request(step, thread)));
  if (step.is_overload) line += "  overload";
  if (!step.is_met && !step.is_overload) line += "  not met";
  if (!step.is_ok) line += "  FAILED " + step.trouble;
  return line;
}

std::string text_of(const KneeResult& result) {
  const std::uint64_t knee = result.knee();
  if (knee == 0) return "no rate was met: begin with a lower --rate\n";
  std::string text = fmt::format("the knee: {} requests a second\n", knee);
  if (result.kept_in_overload() > 0)
    text += fmt::format("at {:g} times the knee {:.2f} of its rate are answered; {}\n", result.settings.overload,
                        result.kept_in_overload(),
                        result.steps.back().is_ok ? "nothing is lost, no session ended" : "a check FAILED");
  if (!result.steps.empty() && result.steps.back().is_overload && result.steps.back().memory.is_known())
    text += text_of(result.steps.back().memory) + "\n";
  return text;
}

evidence::Artefact artefact_of(const KneeResult& result) {
  const Settings& settings = result.settings.settings;
  evidence::Artefact run("dojima demo --knee");
  run.set_parameter("seconds", settings.seconds)
      .set_parameter("clients", settings.clients)
      .set_parameter("rate_per_s", settings.rate)
      .set_parameter("seed", settings.seed)
      .set_parameter("topology", name_of(settings.topology))
      .set_parameter("idle", net::name_of(settings.idle))
      .set_parameter("factor", result.settings.factor)
      .set_parameter("kept", result.settings.kept)
      .set_parameter("halvings", result.settings.halvings)
      .set_parameter("overload", result.settings.overload);
  evidence::Table table{.name = "knee",
                        .title = "rates, and what came of them",
                        .columns = {{"rate_per_s"}, {"answered_per_s", 0}, {"p50_us", 1}, {"p99_us", 1}, {"run"}}};
  for (std::string name : thread_names(settings)) {
    std::erase(name, ',');
    std::ranges::replace(name, ' ', '_');
    table.columns.push_back({name + "_busy", 3});
    table.columns.push_back({name + "_us_a_request", 3});
  }
  table.columns.push_back({"resident_begin_bytes"});
  table.columns.push_back({"resident_end_bytes"});
  const auto micro = [](std::uint64_t nanoseconds) -> evidence::Cell {
    if (nanoseconds == 0) return evidence::Unmeasured{"too few requests for this percentile"};
    return static_cast<double>(nanoseconds) / 1e3;
  };
  for (const KneeStep& step : result.steps) {
    std::vector<evidence::Cell> row{step.rate, step.answered, micro(step.p50_ns), micro(step.p99_ns),
                                    std::string(step.is_overload ? "overload"
                                                : step.is_met    ? "met"
                                                                 : "not met")};
    for (const ThreadLoad& thread : step.threads) {
      row.emplace_back(thread.busy());
      row.emplace_back(cpu_a_request(step, thread));
    }
    for (const std::uint64_t bytes : {step.memory.begin_bytes, step.memory.end_bytes})
      row.push_back(step.memory.is_known() ? evidence::Cell(bytes)
                                           : evidence::Cell(evidence::Unmeasured{"fewer answers than the warm-up"}));
    table.add_row(std::move(row));
  }
  run.add_table(std::move(table));
  run.add_figure("knee_per_s", "1/s", static_cast<double>(result.knee()));
  if (result.kept_in_overload() > 0) run.add_figure("kept_in_overload", "", result.kept_in_overload());
  for (const KneeStep& step : result.steps)
    run.add_check(fmt::format("every check at {} a second", step.rate), step.is_ok, step.trouble);
  return run;
}

}  // namespace dojima::app::demo
