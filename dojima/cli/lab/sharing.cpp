// dojima lab sharing

#include "dojima/instruments/sharing.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"

namespace dojima::cli {
namespace {

struct SharingOptions {
  InstrumentOptions instrument;
  std::string cores;
  std::size_t rounds = 20;
};

int measure_sharing(const SharingOptions& options) {
  const auto cpus = chosen_cores(options.cores);
  if (!cpus) return k_usage;
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  if (cpus->size() < 2) {
    complain("unavailable: it takes two threads, and one processor may be used; --cores N,N has them take turns");
    return k_environment;
  }
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  instruments::SharingPlan plan;
  plan.cpus = *cpus;
  plan.rounds = options.instrument.is_quick ? std::min<std::size_t>(options.rounds, 4) : options.rounds;
  plan.chunks = 20'000;
  const auto all = static_cast<double>(plan.rounds * plan.distances.size());
  const auto result = instruments::measure_sharing(plan, clock, [&](std::size_t done) {
    run.show("sharing", static_cast<double>(done), all, "rounds");
    return !run.is_interrupted();
  });
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima lab sharing");
  instruments::add_sharing(artefact, plan, *result, clock);
  return run.finish(artefact, {.applied = result->outcome.applied,
                               .clock = "time stamp counter",
                               .ns_per_tick = clock.ns_per_cycle(),
                               .quantum_ns = clock.quantum_ns()});
}

}  // namespace

void add_lab_sharing(Command lab, int& status) {
  Command sharing = lab.add_command("sharing", "What it costs when threads write to words of one cache line");
  auto options = std::make_shared<SharingOptions>();
  add_cores_option(sharing, options->cores);
  sharing.add_option("--rounds", options->rounds, "Of 20 ms, each distance").show_default().between(1, 1'000);
  options->instrument.add_to(sharing);
  sharing.footer(
      "Fails (exit status 1) when the threads did not run at the same time, since then nothing was shared.\n"
      "example: dojima lab sharing --cores 0,1\n"
      "         dojima lab sharing --cores 0,0          takes turns on one processor: fails");
  sharing.on_run([options, &status] { status = measure_sharing(*options); });
}

}  // namespace dojima::cli
