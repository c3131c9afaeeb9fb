// dojima lab ab

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/progress.hpp"
#include "dojima/harness/command_ab.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

struct AbOptions {
  std::string measure = "wall";
  harness::AbPlan plan;
  std::size_t trials = 1;
  JsonOption json;
  bool is_silent = false;
};

std::atomic<bool> ab_interrupted = false;

void interrupt_ab(int) {
  ab_interrupted.store(true, std::memory_order_relaxed);
}

/// The commands end by themselves, the signal reaches them too; a second one ends this program.
void listen_for_interrupts() {
  struct sigaction action{};
  action.sa_handler = interrupt_ab;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

/// A and B of "A... --vs B..."; false when one is missing.
bool split(const std::vector<std::string>& words, harness::AbPlan& plan) {
  const auto middle = std::find(words.begin(), words.end(), "--vs");
  if (middle == words.end()) return false;
  plan.a.assign(words.begin(), middle);
  plan.b.assign(middle + 1, words.end());
  return !plan.a.empty() && !plan.b.empty();
}

int compare_commands(AbOptions& options) {
  harness::AbPlan& plan = options.plan;
  if (!split(words_after_dashes(), plan)) {
    complain("two commands are needed: dojima lab ab [OPTIONS] -- COMMAND_A... --vs COMMAND_B...");
    return k_usage;
  }
  plan.measure = !plan.figure.empty()        ? harness::AbMeasure::figure
                 : options.measure == "cpu"  ? harness::AbMeasure::cpu
                 : options.measure == "user" ? harness::AbMeasure::user
                                             : harness::AbMeasure::wall;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [begin] { return std::chrono::steady_clock::now() - begin; };

  evidence::ProgressLine line(!options.is_silent && evidence::stderr_is_terminal());
  listen_for_interrupts();
  plan.is_interrupted = [] { return ab_interrupted.load(std::memory_order_relaxed); };
  std::vector<harness::AbResult> results;
  plan.progress = [&](std::size_t pairs_done) {
    const std::size_t pairs_each = plan.pairs + plan.warm_up_pairs;
    line.show({.what = "ab",
               .done = static_cast<double>(results.size() * pairs_each + pairs_done),
               .total = static_cast<double>(options.trials * pairs_each),
               .unit = "pairs",
               .elapsed_s = std::chrono::duration<double>(elapsed()).count()});
  };
  while (results.size() < options.trials && !plan.is_interrupted()) {
    auto result = harness::run_ab(plan);
    if (!result) {
      line.clear();
      complain(result.error());
      return k_environment;
    }
    // A trial that was broken off is none; of a single comparison the pairs so far still say something.
    if (options.trials == 1 || !result->was_interrupted) results.push_back(std::move(*result));
  }
  line.clear();

  evidence::Artefact artefact =
      options.trials == 1 ? harness::artefact_of(plan, results.front()) : harness::artefact_of_trials(plan, results);
  if (!options.json.is_on_stdout()) {
    fmt::print("{}\n", evidence::to_text(artefact.tables().front()));
    if (options.trials == 1) fmt::print("{}\n", measure::to_text(results.front().comparison));
    if (plan.is_interrupted()) fmt::print("interrupted: results so far\n");
  }
  if (options.json.is_wanted()) {
    time::SystemClock clock;
    artefact.set_evidence(
        evidence.finish({.created = clock.now(), .elapsed = elapsed(), .applied = evidence::applied_settings()}));
    if (!options.json.write(artefact.text())) return k_environment;
  }
  if (options.trials > 1) return k_success;
  const measure::Verdict verdict = results.front().comparison.verdict;
  return verdict == measure::Verdict::better || verdict == measure::Verdict::same ? k_success : k_failed;
}

}  // namespace

void add_lab_ab(Command lab, int& status) {
  Command ab = lab.add_command("ab", "Compare two commands, run in turn, and say which is better");
  auto options = std::make_shared<AbOptions>();
  ab.add_option("--pairs", options->plan.pairs, "How many pairs of runs").show_default().between(1, 100'000);
  ab.add_option("--warm-up", options->plan.warm_up_pairs, "Pairs that are run first and forgotten").show_default();
  ab.add_option("--measure", options->measure,
                "wall: how long it took; cpu: processor time; user: of that, the part in user mode")
      .show_default()
      .one_of({"wall", "cpu", "user"});
  ab.add_option(
      "--figure", options->plan.figure,
      "A number of the commands' JSON instead: TABLE.COLUMN[@COLUMN=VALUE,...]. They print the JSON, or write "
      "it to the file whose name replaces {json}");
  ab.add_flag("--higher-is-better", options->plan.rule.higher_is_better, "For throughput");
  ab.add_option("--seed", options->plan.rule.seed, "Of the bootstrap").show_default();
  ab.add_option("--trials", options->trials, "Repeat the whole comparison and count the verdicts")
      .show_default()
      .between(1, 10'000);
  options->json.add_to(ab);
  ab.add_flag("--no-progress", options->is_silent, "No progress line");
  ab.footer(
      "dojima lab ab [OPTIONS] -- COMMAND_A... --vs COMMAND_B...\n"
      "Runs A B B A A B ... and compares pair by pair. Verdicts: better, worse (B beside A, by 1 % at least), same, "
      "and\n"
      "unstable: too much noise or fewer than 10 pairs. Exit status 0 for better and same, 1 for worse and unstable.\n"
      "example: dojima lab ab --pairs 20 -- ./old --quick --vs ./new --quick\n"
      "         dojima lab ab --figure latency.p50_us@stage=venue -- ./old demo --json --vs ./new demo --json");
  ab.on_run([options, &status] { status = compare_commands(*options); });
}

}  // namespace dojima::cli
