// dojima lab numa

#include "dojima/instruments/numa.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/instruments/cpu_list.hpp"

namespace dojima::cli {
namespace {

struct NumaOptions {
  InstrumentOptions instrument;
  std::size_t mebibytes = 64;
};

int measure_numa(const NumaOptions& options) {
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  instruments::NumaPlan plan;
  plan.bytes = options.mebibytes << 20;
  if (options.instrument.is_quick) {
    plan.rounds = 2;
    plan.loads = 500'000;
  }
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  const std::vector<instruments::NumaNode> nodes = instruments::read_numa_nodes("/", instruments::allowed_cpus());
  const auto all = static_cast<double>(plan.rounds * nodes.size() * nodes.size());
  const auto latencies = instruments::measure_numa(nodes, plan, clock, [&](std::size_t done) {
    run.show("numa", static_cast<double>(done), all, "measurements");
    return !run.is_interrupted();
  });
  evidence::Artefact artefact("dojima lab numa");
  instruments::add_numa(artefact, nodes, plan, latencies, clock.reading_ns());
  return run.finish(
      artefact, {.clock = "time stamp counter", .ns_per_tick = clock.ns_per_cycle(), .quantum_ns = clock.quantum_ns()});
}

}  // namespace

void add_lab_numa(Command lab, int& status) {
  Command numa = lab.add_command("numa", "What a load costs from memory of the own node and of others");
  auto options = std::make_shared<NumaOptions>();
  numa.add_option("--mebibytes", options->mebibytes, "Memory that is chased through; more than the caches hold")
      .show_default()
      .between(1, 4'096);
  options->instrument.add_to(numa);
  numa.footer(
      "On a machine of one node what is remote is unavailable, and the table says so.\n"
      "example: dojima lab numa --mebibytes 256");
  numa.on_run([options, &status] { status = measure_numa(*options); });
}

}  // namespace dojima::cli
