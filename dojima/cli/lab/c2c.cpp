// dojima lab c2c

#include <memory>
#include <string>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/instruments/core_to_core.hpp"

namespace dojima::cli {
namespace {

struct CoreToCoreOptions {
  InstrumentOptions instrument;
  std::string cores;
  std::size_t exchanges = 20'000;
};

int measure_c2c(const CoreToCoreOptions& options) {
  const auto cpus = chosen_cores(options.cores);
  if (!cpus) return k_usage;
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  instruments::CorePairPlan plan;
  plan.exchanges = options.instrument.is_quick ? std::min<std::size_t>(options.exchanges, 5'000) : options.exchanges;
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{50});
  const std::size_t all = cpus->size() * (cpus->size() - 1) / 2;
  std::vector<instruments::CorePair> pairs;
  const auto go_on = [&] {
    run.show("c2c", static_cast<double>(pairs.size()), static_cast<double>(all), "pairs");
    return !run.is_interrupted();
  };
  for (std::size_t i = 0; i < cpus->size(); ++i) {
    for (std::size_t j = i + 1; j < cpus->size() && go_on(); ++j) {
      auto pair = instruments::measure_core_pair((*cpus)[i], (*cpus)[j], plan, clock, go_on);
      if (!pair) {
        complain(pair.error());
        return k_environment;
      }
      pairs.push_back(std::move(*pair));
    }
  }
  evidence::Artefact artefact("dojima lab c2c");
  artefact.set_parameter("exchanges", plan.exchanges).set_parameter("batch", plan.batch);
  instruments::add_core_to_core(artefact, *cpus, pairs, clock);
  return run.finish(artefact, {.clock = "time stamp counter",
                               .ns_per_tick = clock.ns_per_cycle(),
                               .quantum_ns = clock.quantum_ns(),
                               .smallest_figure_ns = 100});
}

}  // namespace

void add_lab_c2c(Command lab, int& status) {
  Command c2c = lab.add_command("c2c", "How long a word takes between processors; how far their counters are apart");
  auto options = std::make_shared<CoreToCoreOptions>();
  add_cores_option(c2c, options->cores);
  c2c.add_option("--exchanges", options->exchanges, "Stamped round trips of each pair")
      .show_default()
      .between(1'000, 1'000'000);
  options->instrument.add_to(c2c);
  c2c.footer(
      "Each pair takes at most two seconds; two threads spin meanwhile.\n"
      "example: dojima lab c2c --report c2c.html");
  c2c.on_run([options, &status] { status = measure_c2c(*options); });
}

}  // namespace dojima::cli
