// dojima queue claims

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/instruments/lock_study.hpp"
#include "dojima/instruments/other_work.hpp"
#include "dojima/instruments/run_queue_study.hpp"
#include "dojima/queueing/formulas/closed_line.hpp"

namespace dojima::cli {
namespace {

using evidence::Cell;
using queueing::ClosedLine;
using queueing::LineForecasts;

struct ClaimOptions {
  InstrumentOptions instrument;
  std::string which = "both";
  std::string cores;
  instruments::LockPlan lock{.hold_ns = 2'000, .think_ns = 8'000};
  std::size_t threads_per_cpu = 4;
  int burst_us = 2'000;
  int sleep_us = 8'000;
  double seconds = 5;

  [[nodiscard]] bool asks(const char* claim) const { return which == "both" || which == claim; }
};

/// A forecast, and how many times the measured wait it is; an overload says how fast the line would grow.
std::pair<Cell, Cell> forecast_cells(const queueing::Answer<double>& forecast, double measured_ns) {
  if (!forecast && forecast.error().kind == queueing::RefusalKind::unstable) return {forecast.error().text, "-"};
  if (!forecast) return {"-", "-"};
  return {*forecast, measured_ns > 0 ? Cell(*forecast / measured_ns) : Cell("-")};
}

evidence::Table claim_table(std::string name, std::string title, std::string first) {
  return {.name = std::move(name),
          .title = std::move(title),
          .columns = {{std::move(first)},
                      {"customers"},
                      {"servers"},
                      {"requests"},
                      {"load", 4, true, "measured rate times service, per server"},
                      {"service_ns", 0},
                      {"think_ns", 0},
                      {"wait_ns", 0, true, "measured, on average"},
                      {"open_ns", 0, true, "M/M/c of the measured rate"},
                      {"open_ratio", 3, true, "forecast over measured"},
                      {"finite_ns", 0, true, "a finite source, exponential services"},
                      {"finite_ratio", 3},
                      {"finite_fixed_ns", 0, true, "a finite source, services that all take the same time"},
                      {"finite_fixed_ratio", 3}}};
}

void add_claim_row(evidence::Table& table, std::string first, const ClosedLine& line) {
  const LineForecasts forecasts = queueing::forecasts_of(line);
  const auto [open, open_ratio] = forecast_cells(forecasts.open, line.wait_ns);
  const auto [finite, finite_ratio] = forecast_cells(forecasts.finite, line.wait_ns);
  const auto [fixed, fixed_ratio] = forecast_cells(forecasts.finite_fixed, line.wait_ns);
  table.add_row({std::move(first), line.customers, line.servers, line.requests,
                 line.per_second * line.service_ns * 1e-9 / line.servers, line.service_ns, line.think_ns, line.wait_ns,
                 open, open_ratio, finite, finite_ratio, fixed, fixed_ratio});
}

/// Other work of more than this share of the processors spoils a measured wait: the lines are short, and who is taken
/// away from its processor with the lock in hand makes all others wait.
constexpr double k_spoils = 0.02;

std::string note_of(const instruments::OtherWork& others) {
  const std::optional<double> share = others.share();
  if (!share) return "how much else ran on these processors meanwhile the kernel does not say";
  const std::string much =
      fmt::format("{:.1f} % of these processors went to other programs, the kernel and the host", 100 * *share);
  return *share <= k_spoils ? much + " meanwhile"
                            : much +
                                  " meanwhile: the measured waits are longer for it, so no forecast can be judged "
                                  "by this run";
}

/// Threads that think and ask for a lock. Nothing; otherwise what is wrong.
std::optional<std::string> ask_mutex(const ClaimOptions& options, const std::vector<int>& cpus, InstrumentRun& run,
                                     evidence::Artefact& artefact) {
  instruments::LockPlan plan = options.lock;
  plan.cpus = cpus;
  if (options.instrument.is_quick) plan.rounds = std::min<std::size_t>(plan.rounds, 2);
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  const instruments::OtherWork others(cpus);
  const auto all = static_cast<double>(plan.rounds * instruments::k_locks.size());
  const auto study = instruments::measure_locks(plan, clock, [&](std::size_t done) {
    run.show("lock", static_cast<double>(done), all, "rounds");
    return !run.is_interrupted();
  });
  if (!study) return study.error();
  evidence::Table table = claim_table(
      "mutex", "threads that think and ask for a lock: the wait that formulas forecast, beside the measured one",
      "lock");
  for (const instruments::LockKind kind : instruments::k_locks) {
    const auto trace = queueing::trace_of(study->trace, static_cast<std::uint16_t>(kind));
    if (!trace) continue;
    const auto line = queueing::closed_line_of(*trace);
    if (!line) {
      table.notes.push_back(fmt::format("{}: {}", instruments::name_of(kind), line.error().text));
      continue;
    }
    add_claim_row(table, std::string(instruments::name_of(kind)), *line);
  }
  table.notes.push_back(note_of(others));
  artefact.set_parameter("hold_ns", plan.hold_ns).set_parameter("think_ns", plan.think_ns);
  artefact.add_table(std::move(table));
  return std::nullopt;
}

/// More threads than processors, which compute and sleep.
std::optional<std::string> ask_scheduler(const ClaimOptions& options, const std::vector<int>& cpus, InstrumentRun& run,
                                         evidence::Artefact& artefact) {
  instruments::RunQueuePlan plan{.cpus = cpus,
                                 .threads = cpus.size() * options.threads_per_cpu,
                                 .burst = std::chrono::microseconds{options.burst_us},
                                 .sleep = std::chrono::microseconds{options.sleep_us},
                                 .length = std::chrono::milliseconds{static_cast<int>(options.seconds * 1e3)},
                                 .seed = options.lock.seed};
  if (options.instrument.is_quick) plan.length = std::min(plan.length, std::chrono::milliseconds{500});
  const instruments::OtherWork others(cpus);
  const auto study = instruments::measure_run_queue(plan, [&] {
    run.show("run queue", run.elapsed_s(), options.seconds, "s");
    return !run.is_interrupted();
  });
  if (!study) return study.error();
  evidence::Table table =
      claim_table("scheduler",
                  "threads that compute and sleep: the wait for a processor that formulas forecast, beside the "
                  "kernel's own count of it",
                  "who");
  add_claim_row(table, "threads",
                {.customers = static_cast<std::uint32_t>(plan.threads),
                 .servers = static_cast<std::uint32_t>(cpus.size()),
                 .requests = study->bursts,
                 .per_second = static_cast<double>(study->bursts) / study->seconds,
                 .think_ns = study->mean_sleep_ns(),
                 .service_ns = study->mean_run_ns(),
                 .wait_ns = study->mean_wait_ns()});
  table.notes.push_back(note_of(others));
  artefact.set_parameter("burst_us", options.burst_us)
      .set_parameter("sleep_us", options.sleep_us)
      .set_parameter("threads", plan.threads);
  artefact.add_table(std::move(table));
  return std::nullopt;
}

int ask(const ClaimOptions& options) {
  const auto cpus = chosen_cores(options.cores);
  if (!cpus) return k_usage;
  if (options.asks("mutex") && cpus->size() < 2) {
    complain("one processor has no two threads that want a lock at once: name more with --cores");
    return k_environment;
  }
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  evidence::Artefact artefact("dojima queue claims");
  evidence::Document named = evidence::Document::array();
  for (const int cpu : *cpus) named.push(cpu);
  artefact.set_parameter("cpus", std::move(named)).set_parameter("seed", options.lock.seed);
  std::optional<std::string> trouble;
  if (options.asks("mutex")) trouble = ask_mutex(options, *cpus, run, artefact);
  if (!trouble && options.asks("scheduler")) trouble = ask_scheduler(options, *cpus, run, artefact);
  if (trouble) {
    complain(*trouble);
    return k_environment;
  }
  return run.finish(artefact, {.clock = "time stamp counter and the kernel's schedstat"});
}

}  // namespace

void add_queue_claims(Command queue, int& status) {
  Command claims = queue.add_command("claims", "Is a mutex M/M/1, and the kernel's scheduler M/M/c? Measured here");
  auto options = std::make_shared<ClaimOptions>();
  claims.add_option("CLAIM", options->which, "mutex, scheduler or both")
      .one_of({"mutex", "scheduler", "both"})
      .show_default();
  add_cores_option(claims, options->cores);
  add_lock_options(claims, options->lock);
  claims.add_option("--threads-per-cpu", options->threads_per_cpu, "That compute and sleep")
      .between(std::size_t{2}, std::size_t{50})
      .show_default();
  claims.add_option("--burst-us", options->burst_us, "Processor time of one burst, on average")
      .between(50, 1'000'000)
      .show_default();
  claims.add_option("--sleep-us", options->sleep_us, "Between bursts, on average")
      .between(50, 1'000'000)
      .show_default();
  claims.add_option("--seconds", options->seconds, "How long they compute and sleep")
      .between(0.2, 600.0)
      .show_default();
  claims.add_option("--seed", options->lock.seed, "Of all random times").show_default();
  options->instrument.add_to(claims);
  claims.footer(
      "Customers who wait do not ask: both lines are finite sources, and the formulas of one are beside the "
      "claim's.\n"
      "example: dojima queue claims mutex --hold-ns 2000 --think-ns 8000 --report claims.html");
  claims.on_run([options, &status] { status = ask(*options); });
}

}  // namespace dojima::cli
