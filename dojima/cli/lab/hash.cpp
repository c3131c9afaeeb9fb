// dojima lab hash

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/lab/samples.hpp"
#include "dojima/evidence/host/doctor.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/instruments/hash_tables.hpp"

namespace dojima::cli {
namespace {

struct HashOptions {
  InstrumentOptions shared;
  bool is_reference = false;
  std::string function = "littlepage";
  std::vector<std::string> clocks;
  std::vector<std::string> policies;
  std::vector<std::string> loads;
  std::optional<int> cpu;
  std::optional<std::size_t> rounds;
  std::size_t iterations = 100'000;
  std::string samples;
};

bool has(const std::vector<std::string>& words, std::string_view word) {
  return words.empty() || std::ranges::find(words, word) != words.end();
}

/// Without --reference only what a person wants to know first: the wall clock, the ordinary policy, both loads.
instruments::HashPlan hash_plan(const HashOptions& options) {
  instruments::HashPlan plan{.cpu = instruments::chosen_cpu(options.cpu), .iterations = options.iterations};
  plan.rounds = options.rounds.value_or(options.shared.is_quick ? 3 : 11);
  if (options.function == name_of(instruments::HashFunction::wang)) plan.function = instruments::HashFunction::wang;
  const auto is_wanted = [&](const std::vector<std::string>& asked, std::string_view word, bool is_first) {
    return asked.empty() && !options.is_reference ? is_first : has(asked, word);
  };
  std::erase_if(plan.clocks, [&](instruments::HashClock clock) {
    return !is_wanted(options.clocks, name_of(clock), clock == instruments::HashClock::monotonic);
  });
  std::erase_if(plan.real_time, [&](bool is) { return !is_wanted(options.policies, is ? "fifo" : "other", !is); });
  std::erase_if(plan.loaded, [&](bool is) { return !is_wanted(options.loads, is ? "full" : "idle", true); });
  return plan;
}

bool write_hash_samples(const std::string& folder, const instruments::HashStudy& study) {
  for (const instruments::HashCell& cell : study.cells) {
    std::vector<std::vector<float>> rounds;
    for (const instruments::HashRun& run : cell.runs) rounds.push_back(run.times);
    if (!rounds.empty() && !write_raw(folder, instruments::label_of(cell), rounds)) return false;
  }
  return true;
}

/// What was in force in the measuring threads, by cell.
evidence::Document applied_of(const instruments::HashStudy& study) {
  evidence::Document applied = evidence::Document::object();
  for (const instruments::HashCell& cell : study.cells) {
    if (!cell.runs.empty()) applied.set(instruments::label_of(cell), cell.applied);
  }
  return applied;
}

int time_hash(const HashOptions& options) {
  const instruments::HashPlan plan = hash_plan(options);
  InstrumentRun run(options.shared);
  if (!run.can_write()) return k_environment;
  const instruments::HashStudy study = instruments::study_hash(plan, [&run](double done) {
    run.show("hash", done * 100, 100, "%");
    return !run.is_interrupted();
  });
  if (!options.samples.empty() && !write_hash_samples(options.samples, study)) return k_environment;

  evidence::Artefact artefact(options.is_reference ? "dojima lab hash --reference" : "dojima lab hash");
  artefact.set_parameter("cpu", plan.cpu).set_parameter("rounds", plan.rounds);
  artefact.set_parameter("function", std::string(name_of(plan.function)));
  artefact.set_parameter("iterations", plan.iterations).set_parameter("fifo_priority", 50);
  instruments::add_hash_results(artefact, study, evidence::tick_ns("/"));
  return run.finish(artefact, {.applied = applied_of(study),
                               .clock = "those of the table, each for its rows",
                               .ns_per_tick = study.ns_per_cycle,
                               .quantum_ns = study.quantum_ns});
}

}  // namespace

void add_lab_hash(Command lab, int& status) {
  Command hash = lab.add_command(
      "hash", "Time a small piece of work 100,000 times, by clocks that see preemption and by one that does not");
  auto options = std::make_shared<HashOptions>();
  hash.add_flag(
      "--reference", options->is_reference,
      "All of \"Queuing: Where Math Meets CS\": four clocks, both policies, idle and loaded, the article's rows "
      "beside ours");
  hash.add_option("--function", options->function, "The work: the article's seven shifts, or Thomas Wang's mix")
      .show_default()
      .one_of({"littlepage", "wang"});
  hash.add_option("--clock", options->clocks, "process_cpu, thread_cpu, monotonic, tsc")
      .one_of({"process_cpu", "thread_cpu", "monotonic", "tsc"})
      .delimiter(',');
  hash.add_option("--policy", options->policies, "other, fifo").one_of({"other", "fifo"}).delimiter(',');
  hash.add_option("--load", options->loads, "idle; full: a thread that computes on the same processor")
      .one_of({"idle", "full"})
      .delimiter(',');
  hash.add_option("--cpu", options->cpu, "The processor to measure on; the last allowed one unless given");
  hash.add_option("--rounds", options->rounds, "Runs of every cell (11; 3 with --quick)").between(1, 1000);
  hash.add_option("--iterations", options->iterations, "Evaluations a run").show_default().between(1'000, 400'000);
  hash.add_option("--samples", options->samples, "Write the raw times into this folder, a file a cell");
  options->shared.add_to(hash);
  hash.footer(
      "Real-time runs last a fraction of a second each, below the kernel's budget. What the machine forbids is in the\n"
      "tables with its reason. Half a minute.\n"
      "example: dojima lab hash --reference --report hash.html --json hash.json");
  hash.on_run([options, &status] { status = time_hash(*options); });
}

}  // namespace dojima::cli
