// dojima lab clocks

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/lab/samples.hpp"
#include "dojima/evidence/host/system_files.hpp"
#include "dojima/instruments/clock_reads.hpp"
#include "dojima/instruments/clock_tables.hpp"
#include "dojima/instruments/core_to_core.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::cli {
namespace {

struct ClocksOptions {
  InstrumentOptions shared;
  instruments::ClockPlan plan{.is_reference = false};
  std::optional<int> cpu;
  std::optional<std::size_t> rounds;
  std::optional<std::vector<double>> drift_s;
  std::string samples;  ///< folder for the raw times
};

/// The plan in force: what was asked for, or what --quick leaves.
instruments::ClockPlan clocks_plan(const ClocksOptions& options) {
  instruments::ClockPlan plan = options.plan;
  plan.cpu = instruments::chosen_cpu(options.cpu);
  if (options.shared.is_quick) {
    plan.rounds = 1;
    plan.drift_s = {1, 10};
    plan.time_limit_s = 50;
  }
  if (options.rounds) plan.rounds = *options.rounds;
  if (options.drift_s) plan.drift_s = *options.drift_s;
  return plan;
}

bool write_clocks_samples(const std::string& folder, const instruments::ClockStudy& study) {
  for (const instruments::ClockSample& sample : study.samples) {
    if (!write_raw(folder, instruments::label_of(sample), sample.rounds)) return false;
  }
  return true;
}

/// The measuring processor against every other that may be used, at most seven; what was broken off is left out.
std::vector<instruments::CorePair> compare_cores(int cpu, const InstrumentRun& run) {
  constexpr std::size_t k_most = 7;
  const measure::CycleClock clock = measure::CycleClock::calibrate();
  std::vector<instruments::CorePair> pairs;
  for (const int other : instruments::allowed_cpus()) {
    if (other == cpu || pairs.size() == k_most || run.is_interrupted()) continue;
    auto pair = instruments::measure_core_pair(cpu, other, {.time_cap = std::chrono::seconds{1}}, clock,
                                               [&run] { return !run.is_interrupted(); });
    if (pair) pairs.push_back(std::move(*pair));
  }
  return pairs;
}

int compare_clocks(const ClocksOptions& options) {
  const instruments::ClockPlan plan = clocks_plan(options);
  InstrumentRun run(options.shared);
  if (!run.can_write()) return k_environment;
  const auto study = instruments::study_clocks(plan, [&run](double done) {
    run.show("clocks", done * 100, 100, "%");
    return !run.is_interrupted();
  });
  if (!study) {
    complain(study.error());
    return k_environment;
  }
  if (!options.samples.empty() && !write_clocks_samples(options.samples, *study)) return k_environment;

  const std::string source =
      evidence::read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("unknown");
  evidence::Artefact artefact(plan.is_reference ? "dojima lab clocks --reference" : "dojima lab clocks");
  artefact.set_parameter("cpu", plan.cpu).set_parameter("rounds", plan.rounds).set_parameter("calls", plan.calls);
  artefact.set_parameter("repetitions", plan.repetitions).set_parameter("dropped", plan.dropped);
  artefact.set_parameter("singles", plan.singles).set_parameter("clock_source", source);
  instruments::add_clock_results(artefact, *study, plan, source);
  instruments::add_core_offsets(artefact, compare_cores(plan.cpu, run), study->ns_per_cycle);
  return run.finish(artefact, {.applied = study->applied,
                               .clock = "CLOCK_MONOTONIC around batches, time stamp counter around single calls",
                               .ns_per_tick = study->ns_per_cycle,
                               .quantum_ns = study->quantum_ns});
}

}  // namespace

void add_lab_clocks(Command lab, int& status) {
  Command clocks = lab.add_command("clocks", "Compare the ways to ask for the time: cost, tail, step, drift");
  auto options = std::make_shared<ClocksOptions>();
  clocks.add_flag("--reference", options->plan.is_reference,
                  "The protocol of \"How Accurate is Your Time?\" in full: without optimisation too, on a shared "
                  "processor too, the article's results beside ours");
  std::vector<std::string> names;
  for (const instruments::ClockRead& read : instruments::clock_reads_optimised()) names.emplace_back(read.name);
  clocks.add_option("--clock", options->plan.clocks, "Only these clocks").one_of(names).delimiter(',');
  clocks.add_option("--cpu", options->cpu, "The processor to measure on; the last allowed one unless given");
  clocks.add_option("--rounds", options->rounds, "How often every clock is measured (11; 1 with --quick)")
      .between(1, 1000);
  clocks.add_option("--repetitions", options->plan.repetitions, "Batches a round")
      .show_default()
      .between(100, 1'000'000);
  clocks.add_option("--singles", options->plan.singles, "Single calls a round").show_default().between(100, 1'000'000);
  clocks
      .add_option("--drift", options->drift_s,
                  "When to look how far the counter has drifted, seconds (1,10,60; 1,10 with --quick)")
      .between(0, 3600)
      .delimiter(',');
  clocks.add_option("--samples", options->samples, "Write the raw times into this folder, a file a row");
  options->shared.add_to(clocks);
  clocks.footer(
      "100 calls between two readings of CLOCK_MONOTONIC, 10,000 times, the first 10 forgotten; compiled with -O0 as "
      "the\n"
      "article did, and with -O2; alone on the processor, and beside a thread that computes. Four minutes; with "
      "--quick\n"
      "less than one.\n"
      "example: dojima lab clocks --reference --report clocks.html --json clocks.json");
  clocks.on_run([options, &status] { status = compare_clocks(*options); });
}

}  // namespace dojima::cli
