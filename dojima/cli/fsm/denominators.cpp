// dojima fsm denominators

#include "dojima/cli/fsm/denominators.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/fsm/fsm.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/progress.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/measure/statistics.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

struct Row {
  unsigned bits;
  std::size_t keys;
};
constexpr Row k_rows[] = {{8, 3},  {8, 4},  {8, 5},  {8, 6},  {8, 7},   {8, 8},   {8, 12},
                          {8, 16}, {8, 24}, {16, 4}, {16, 7}, {16, 10}, {16, 12}, {16, 16}};

std::vector<std::uint64_t> random_keys(measure::Random& random, Row row) {
  std::vector<std::uint64_t> keys;
  while (keys.size() < row.keys) {
    const std::uint64_t key = random.next() >> (64 - row.bits);
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// What the sets of one row have come to.
struct Tally {
  std::vector<double> slots_a_key{}, tries{};
  std::size_t minimal = 0, one_more = 0, twice = 0, even = 0, seed_zero = 0;
  double slowest_ms = 0;
};

Tally tally_of(Row row, const DenominatorPlan& plan) {
  measure::Random random(plan.seed * 1'000 + row.bits * 100 + row.keys);
  Tally tally;
  for (std::size_t set = 0; set < plan.sets; ++set) {
    const std::vector<std::uint64_t> keys = random_keys(random, row);
    const auto begin = std::chrono::steady_clock::now();
    const auto found = smallest_hash(keys, row.bits, std::uint64_t{1} << row.bits);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    tally.slowest_ms = std::max(tally.slowest_ms, took.count());
    if (!found) continue;  // never: a denominator above all keys has one
    const std::uint64_t count = row.keys;
    tally.slots_a_key.push_back(static_cast<double>(found->denominator) / static_cast<double>(count));
    tally.tries.push_back(static_cast<double>(found->tries));
    tally.minimal += found->denominator == count ? 1U : 0U;
    tally.one_more += found->denominator <= count + 1 ? 1U : 0U;
    tally.twice += found->denominator <= 2 * count ? 1U : 0U;
    tally.even += found->denominator % 2 == 0 ? 1U : 0U;
    tally.seed_zero += found->seed == 0 ? 1U : 0U;
  }
  return tally;
}

struct DenominatorsOptions {
  DenominatorPlan plan;
  bool no_progress = false;
  JsonOption json;
};

int study_denominators(const DenominatorsOptions& options) {
  if (!options.json.can_write()) return k_environment;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  evidence::Artefact artefact("dojima fsm denominators");
  artefact.set_parameter("sets", options.plan.sets).set_parameter("seed", options.plan.seed);
  DenominatorPlan plan = options.plan;
  ProgressLine line(!options.no_progress);
  plan.progress = [&line, begin = std::chrono::steady_clock::now()](std::size_t done, std::size_t all) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin;
    line.show(fmt::format("{} of {} rows, {:.0f} s", done, all, gone.count()));
  };
  const evidence::Table table = denominator_table(plan);
  line.clear();
  if (!options.json.is_on_stdout()) fmt::print("{}\n", to_text(table));
  artefact.add_table(table);
  for (const evidence::Column& column : table.columns) {
    if (column.name != "slowest_ms") artefact.add_rule({table.name, column.name, evidence::Rule::equal});
  }
  if (!options.json.is_wanted()) return k_success;
  time::SystemClock clock;
  artefact.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
  return options.json.write(artefact.text()) ? k_success : k_environment;
}

}  // namespace

std::optional<SmallestHash> smallest_hash(std::span<const std::uint64_t> keys, unsigned bits,
                                          std::uint64_t last_denominator) {
  SmallestHash hash;
  std::vector<std::uint64_t> taken_at(last_denominator + 1, 0);  // the try that last took the slot
  for (hash.denominator = keys.size(); hash.denominator <= last_denominator; ++hash.denominator) {
    for (hash.seed = 0; hash.seed < std::uint64_t{1} << bits; ++hash.seed) {
      ++hash.tries;
      const bool is_free = std::ranges::all_of(keys, [&](std::uint64_t key) {
        std::uint64_t& slot = taken_at[(key ^ hash.seed) % hash.denominator];
        return std::exchange(slot, hash.tries) != hash.tries;
      });
      if (is_free) return hash;
    }
  }
  return std::nullopt;
}

evidence::Table denominator_table(const DenominatorPlan& plan) {
  evidence::Table table{"denominators",
                        "the smallest denominator of (key ^ seed) % denominator for random keys, all seeds tried",
                        {{"key_bits"},
                         {"n", 0, true, "keys"},
                         {"sets"},
                         {"minimal", 3, true, "share of the sets whose denominator is n"},
                         {"without_minimal", 3, true, "share that has no hash of n slots"},
                         {"without_one_more", 3, true, "share that has none of n or n + 1 slots"},
                         {"without_twice", 3, true, "share that has none of up to 2 n slots"},
                         {"median_slots_a_key", 3},
                         {"most_slots_a_key", 3},
                         {"even", 3, true, "share whose smallest denominator is even"},
                         {"seed_zero", 3, true, "share whose smallest seed is 0"},
                         {"median_tries", 0},
                         {"slowest_ms", 2, true, "one search on one core"}}};
  const auto n = static_cast<double>(plan.sets);
  for (const Row row : k_rows) {
    if (plan.progress) plan.progress(table.rows.size(), std::size(k_rows));
    const Tally tally = tally_of(row, plan);
    const auto share = [n](std::size_t count) { return static_cast<double>(count) / n; };
    table.add_row({row.bits, row.keys, plan.sets, share(tally.minimal), 1 - share(tally.minimal),
                   1 - share(tally.one_more), 1 - share(tally.twice), measure::median(tally.slots_a_key),
                   std::ranges::max(tally.slots_a_key), share(tally.even), share(tally.seed_zero),
                   measure::median(tally.tries), tally.slowest_ms});
  }
  table.notes = {
      "Keys are drawn from all numbers of so many bits. 2^bits seeds are all that matter for a denominator, so a set "
      "without a hash has none."};
  return table;
}

void add_fsm_denominators(Command fsm, int& status) {
  auto options = std::make_shared<DenominatorsOptions>();
  Command study =
      fsm.add_command("denominators", "How large the smallest hash of random keys is, and how often it fails");
  study.add_option("--sets", options->plan.sets, "Key sets for each row").show_default().between(1, 100'000);
  study.add_option("--seed", options->plan.seed, "Of the keys").show_default();
  study.add_flag("--no-progress", options->no_progress, "No progress line on stderr");
  options->json.add_to(study);
  study.footer("Some seconds.\nexample: dojima fsm denominators --sets 100");
  study.on_run([options, &status] { status = study_denominators(*options); });
}

}  // namespace dojima::cli
