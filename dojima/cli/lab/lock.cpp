// dojima lab lock

#include <algorithm>
#include <memory>
#include <string>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/instruments/lock_study.hpp"

namespace dojima::cli {
namespace {

struct LockOptions {
  InstrumentOptions instrument;
  std::string cores;
  instruments::LockPlan plan;
  std::string trace_file;
};

int measure_lock(const LockOptions& options) {
  auto cpus = chosen_cores(options.cores);
  if (!cpus) return k_usage;
  instruments::LockPlan plan = options.plan;
  plan.cpus = std::move(*cpus);
  if (options.instrument.is_quick) plan.rounds = std::min<std::size_t>(plan.rounds, 2);
  InstrumentRun run(options.instrument);
  if (!run.can_write() || (!options.trace_file.empty() && !can_write_file(options.trace_file))) return k_environment;
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  const auto all = static_cast<double>(plan.rounds * instruments::k_locks.size());
  const auto study = instruments::measure_locks(plan, clock, [&](std::size_t done) {
    run.show("lock", static_cast<double>(done), all, "rounds");
    return !run.is_interrupted();
  });
  if (!study) {
    complain(study.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima lab lock");
  instruments::add_lock_study(artefact, plan, *study);
  if (!options.trace_file.empty() && !write_file(options.trace_file, measure::encode_service_trace(study->trace)))
    return k_environment;
  return run.finish(artefact, {.applied = study->outcome.applied,
                               .clock = "time stamp counter",
                               .ns_per_tick = clock.ns_per_cycle(),
                               .quantum_ns = clock.quantum_ns(),
                               .smallest_figure_ns = study->uncontended_ns});
}

}  // namespace

void add_lock_options(Command command, instruments::LockPlan& plan) {
  command.add_option("--rounds", plan.rounds, "Of 100 ms, each lock").show_default().between(1, 600);
  command.add_option("--hold-ns", plan.hold_ns, "How long the lock is held").show_default().between(0, 10'000'000);
  command.add_option("--think-ns", plan.think_ns, "How long a thread does without it, on average")
      .show_default()
      .between(0, 10'000'000);
}

void add_lab_lock(Command lab, int& status) {
  Command lock = lab.add_command("lock", "How long threads wait for a mutex, a spin lock and a ticket lock");
  auto options = std::make_shared<LockOptions>();
  add_cores_option(lock, options->cores);
  add_lock_options(lock, options->plan);
  lock.add_option("--seed", options->plan.seed, "Of the times without it").show_default();
  lock.add_option("--trace", options->trace_file,
                  "Write every request with its arrival, grant and end: what queueing models are fitted to");
  options->instrument.add_to(lock);
  lock.footer(
      "A thread for each processor; all of them spin while a round lasts.\n"
      "example: dojima lab lock --hold-ns 200 --think-ns 1000 --trace waits.svc --report lock.html");
  lock.on_run([options, &status] { status = measure_lock(*options); });
}

}  // namespace dojima::cli
