// dojima lab jitter

#include <cmath>
#include <memory>
#include <string>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/evidence/host/host.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/instruments/jitter_result.hpp"
#include "dojima/instruments/oslat_agreement.hpp"

namespace dojima::cli {
namespace {

struct JitterOptions {
  InstrumentOptions instrument;
  std::string cores;
  std::string mode = "spin";
  double seconds = 8;
  std::uint64_t threshold_ns = 1'000;
  std::uint64_t interval_us = 500;
  int fifo = 0;
  std::string gaps_file;
  std::string against;
  std::size_t rounds = 5;
};

instruments::RealTimeBudget budget_of_this_machine() {
  const evidence::Document host = evidence::read_host("/").values;
  const std::int64_t runtime_us = host.at("rt_runtime_us").as_whole(-1);
  const std::int64_t period_us = host.at("rt_period_us").as_whole(1'000'000);
  if (runtime_us < 0)
    return {static_cast<std::uint64_t>(period_us) * 1'000, static_cast<std::uint64_t>(period_us) * 1'000};
  return {static_cast<std::uint64_t>(runtime_us) * 1'000, static_cast<std::uint64_t>(period_us) * 1'000};
}

instruments::JitterPlan jitter_plan(const JitterOptions& options, std::vector<int> cpus) {
  instruments::JitterPlan plan;
  plan.cpus = std::move(cpus);
  plan.mode = options.mode == "spin" ? instruments::JitterMode::spin : instruments::JitterMode::sleep;
  if (options.fifo > 0) plan.policy.fifo_priority = options.fifo;
  plan.duration = std::chrono::nanoseconds(std::llround(options.seconds * 1e9));
  plan.threshold_ns = options.threshold_ns;
  plan.sleep_interval = std::chrono::microseconds(options.interval_us);
  return plan;
}

int measure_jitter(JitterOptions& options) {
  if (options.instrument.is_quick) options.seconds = std::min(options.seconds, 2.0);
  const auto cpus = chosen_cores(options.cores);
  if (!cpus) return k_usage;
  const instruments::JitterPlan plan = jitter_plan(options, *cpus);
  InstrumentRun run(options.instrument);
  if (!run.can_write() || (!options.gaps_file.empty() && !can_write_file(options.gaps_file))) return k_environment;
  const auto recording = instruments::record_jitter(plan, [&] {
    run.show("jitter", std::min(run.elapsed_s(), options.seconds), options.seconds, "s");
    return !run.is_interrupted();
  });
  if (!recording) {
    complain("nothing was recorded: " + recording.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima lab jitter --mode " + options.mode);
  instruments::add_jitter(artefact, plan, *recording, budget_of_this_machine());
  if (!options.gaps_file.empty() && !write_file(options.gaps_file, instruments::gap_list(*recording)))
    return k_environment;
  return run.finish(artefact, {.applied = recording->outcome.applied,
                               .clock = "time stamp counter",
                               .ns_per_tick = recording->ns_per_cycle,
                               .quantum_ns = recording->quantum_ns});
}

/// Rounds of ours and of oslat in turn, on the last of the processors: interrupts prefer the first.
int compare(const JitterOptions& options) {
  const auto cpus = chosen_cores(options.cores);
  if (!cpus || cpus->empty()) return k_usage;
  instruments::AgreementPlan plan{.cpu = cpus->back(), .rounds = options.instrument.is_quick ? 2 : options.rounds};
  plan.round_length = std::chrono::seconds(std::max<long>(1, std::lround(options.seconds)));
  if (options.fifo > 0) plan.policy.fifo_priority = options.fifo;
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  const auto go_on = [&] { return !run.is_interrupted(); };
  const auto rounds = instruments::compare_with_oslat(
      plan, instruments::our_counter(plan, go_on), instruments::oslat_counter(plan), [&](std::size_t done) {
        run.show("jitter, oslat", static_cast<double>(done), static_cast<double>(plan.rounds), "rounds");
        return go_on();
      });
  if (!rounds) {
    complain("unavailable: " + rounds.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima lab jitter --against oslat");
  instruments::add_agreement(artefact, plan, *rounds);
  return run.finish(artefact, {.clock = "time stamp counter"});
}

}  // namespace

void add_lab_jitter(Command lab, int& status) {
  Command jitter = lab.add_command("jitter", "When and for how long processors are away from a thread");
  auto options = std::make_shared<JitterOptions>();
  add_cores_option(jitter, options->cores);
  jitter
      .add_option("--mode", options->mode,
                  "spin: read the clock in a loop and keep the gaps; sleep: be woken on a schedule and keep how late")
      .show_default()
      .one_of({"spin", "sleep"});
  jitter.add_option("--seconds", options->seconds, "How long").show_default().between(0.05, 600.0);
  jitter.add_option("--threshold-ns", options->threshold_ns, "Shorter gaps are not kept")
      .show_default()
      .between(100, 1'000'000'000);
  jitter.add_option("--interval-us", options->interval_us, "Of the schedule when sleeping")
      .show_default()
      .between(20, 1'000'000);
  jitter.add_option("--fifo", options->fifo, "Under SCHED_FIFO with this priority; 0: the usual policy")
      .show_default()
      .between(0, 99);
  jitter.add_option("--gaps", options->gaps_file, "Write all gaps as CSV: cpu,at_ns,duration_ns");
  jitter
      .add_option("--against", options->against,
                  "Instead: rounds of ours and of another tool in turn, and whether both see the same gaps")
      .one_of({"oslat"});
  jitter.add_option("--rounds", options->rounds, "Of both, each --seconds long").show_default().between(1, 1'000);
  options->instrument.add_to(jitter);
  jitter.footer(
      "Spinning threads take their processors for themselves; under SCHED_FIFO only where the kernel has a budget for\n"
      "such threads, which then shows as gaps of its own.\n"
      "example: dojima lab jitter --cores 1 --seconds 20 --report jitter.html\n"
      "         dojima lab jitter --mode sleep --interval-us 1000 --fifo 80\n"
      "         dojima lab jitter --against oslat --rounds 10 --seconds 4 --json agreement.json");
  jitter.on_run(
      [options, &status] { status = options->against.empty() ? measure_jitter(*options) : compare(*options); });
}

}  // namespace dojima::cli
