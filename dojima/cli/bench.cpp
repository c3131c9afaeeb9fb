// dojima bench: runs the programs dojima-bench-* that lie beside this one.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/child_process.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/harness/bench_merge.hpp"

namespace dojima::cli {
namespace {

constexpr std::string_view k_prefix = "dojima-bench-";

struct BenchOptions {
  std::vector<std::string> names;
  std::vector<std::string> tables;
  std::vector<std::string> where;
  std::vector<std::string> only;
  std::vector<std::string> merge;
  std::string rounds, seconds, seed, cpu;
  bool list = false;
  bool quick = false;
  bool no_pin = false;
  bool no_progress = false;
  // Of the budget alone.
  std::string baseline, report, requests;
  bool check = false;
  bool renew = false;
  bool other = false;
  JsonOption json;
};

std::atomic<bool> interrupted = false;

void note_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

/// The benchmarks in a folder by name, in order.
std::vector<std::string> benchmarks_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(k_prefix) && entry.is_regular_file()) names.push_back(file.substr(k_prefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// What only the budget understands.
std::vector<std::string> budget_words(const BenchOptions& options) {
  std::vector<std::string> words;
  const std::pair<const char*, const std::string*> values[] = {
      {"--baseline", &options.baseline}, {"--report", &options.report}, {"--requests", &options.requests}};
  for (const auto& [name, value] : values) {
    if (!value->empty()) words.insert(words.end(), {name, *value});
  }
  const std::pair<const char*, bool> flags[] = {
      {"--check", options.check}, {"--renew", options.renew}, {"--other", options.other}};
  for (const auto& [name, is_set] : flags) {
    if (is_set) words.emplace_back(name);
  }
  return words;
}

/// What the programs understand themselves.
std::vector<std::string> passed_on(const BenchOptions& options) {
  std::vector<std::string> words;
  for (const std::string& table : options.tables) words.insert(words.end(), {"--table", table});
  for (const std::string& pair : options.where) words.insert(words.end(), {"--where", pair});
  for (const std::string& name : options.only) words.insert(words.end(), {"--only", name});
  const std::pair<const char*, const std::string*> values[] = {{"--rounds", &options.rounds},
                                                               {"--seconds", &options.seconds},
                                                               {"--seed", &options.seed},
                                                               {"--cpu", &options.cpu}};
  for (const auto& [name, value] : values) {
    if (!value->empty()) words.insert(words.end(), {name, *value});
  }
  const std::vector<std::string> more = budget_words(options);
  words.insert(words.end(), more.begin(), more.end());
  if (options.list) words.emplace_back("--list");
  if (options.quick) words.emplace_back("--quick");
  if (options.no_pin) words.emplace_back("--no-pin");
  if (options.no_progress) words.emplace_back("--no-progress");
  if (options.json.is_wanted()) {
    words.emplace_back("--json");
    if (!options.json.is_on_stdout()) words.push_back(options.json.file());
  }
  return words;
}

int run_programs(const BenchOptions& options) {
  const std::filesystem::path folder = own_folder();
  const std::vector<std::string> known = benchmarks_in(folder);
  for (const std::string& name : options.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    complain("no benchmark \"" + name + "\" beside this program; there are: " + listed(known));
    return k_usage;
  }
  const std::vector<std::string>& chosen = options.names.empty() ? known : options.names;
  if (chosen.empty()) {
    complain("no programs dojima-bench-* beside this one; build the target `benchmarks`");
    return k_environment;
  }
  if (chosen.size() > 1 && (options.json.is_wanted() || !options.tables.empty())) {
    complain("--json and --table are about one benchmark; name one of: " + listed(chosen));
    return k_usage;
  }
  if (!budget_words(options).empty() && chosen != std::vector<std::string>{"budget"}) {
    complain(
        "--check, --renew, --baseline, --report, --requests and --other are about the budget: dojima bench budget");
    return k_usage;
  }
  // Ctrl-C reaches the benchmark as well, which ends with its results so far; this program waits for it.
  std::signal(SIGINT, note_interrupt);
  int status = k_success;
  for (const std::string& name : chosen) {
    std::vector<std::string> words{(folder / (std::string(k_prefix) + name)).string()};
    const std::vector<std::string> rest = passed_on(options);
    words.insert(words.end(), rest.begin(), rest.end());
    if (chosen.size() > 1 && !options.list) fmt::print("== {}\n", name);
    std::fflush(stdout);
    const auto run = evidence::run_child(words, evidence::ChildOutput::inherited);
    if (!run) {
      complain(run.error());
      return k_environment;
    }
    status = std::max(status, std::min(run->status, k_environment));
    if (interrupted.load(std::memory_order_relaxed)) break;
  }
  return status;
}

int merge_results(const BenchOptions& options) {
  std::vector<evidence::Artefact> results;
  for (const std::string& file : options.merge) {
    const auto text = app::read_text_file(file);
    if (!text) {
      complain(text.error());
      return k_usage;
    }
    const evidence::Verification found = evidence::verify(*text);
    if (!found.is_right()) {
      complain(file + ": does not verify, so nothing is made of it; see dojima lab verify");
      return k_failed;
    }
    results.push_back(*evidence::Artefact::from(*evidence::parse_document(*text)));
  }
  const evidence::Artefact both = harness::merged(results);
  if (!options.json.is_on_stdout()) {
    for (const evidence::Table& table : both.tables()) fmt::print("{}\n", to_text(table));
  }
  if (!options.json.is_wanted()) return k_success;
  return options.json.write(both.text()) ? k_success : k_environment;
}

}  // namespace

std::vector<std::string> benchmark_names() {
  return benchmarks_in(own_folder());
}

std::vector<std::string> benchmark_tables(const std::string& benchmark) {
  constexpr double k_limit_s = 1;
  std::vector<std::string> names;
  const std::vector<std::string> known = benchmark_names();
  if (std::find(known.begin(), known.end(), benchmark) == known.end()) return names;
  const std::string program = (own_folder() / (std::string(k_prefix) + benchmark)).string();
  const auto run = evidence::run_child({program, "--list"}, evidence::ChildOutput::kept, k_limit_s);
  if (!run || run->status != 0) return names;
  // "fsm walk: from a state and an event to an action", and what it has, further to the right.
  const std::string begin = benchmark + " ";
  std::istringstream lines(run->output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin)) names.push_back(line.substr(begin.size(), line.find(':') - begin.size()));
  return names;
}

void add_bench(Command program, int& status) {
  Command bench = program.add_command("bench", "Run the benchmarks with their peers, as tables");
  auto options = std::make_shared<BenchOptions>();
  bench.add_option("NAME", options->names, "Which benchmarks (default: all that lie beside this program)");
  bench.add_flag("--list", options->list, "Name every table with its parameters and competitors");
  bench.add_option("--table", options->tables, "Only these tables").type_name("NAME");
  bench.add_option("--where", options->where, "Only cases with this parameter, e.g. n=1000").type_name("NAME=VALUE");
  bench.add_option("--only", options->only, "Only this competitor; --list names them").type_name("NAME");
  bench.add_option("--rounds", options->rounds, "Exactly so many rounds instead of the stopping rule");
  bench.add_option("--seconds", options->seconds, "At most so long for each case");
  bench.add_option("--seed", options->seed, "Of inputs and of the order of competitors");
  bench.add_option("--cpu", options->cpu, "Run on this processor");
  bench.add_flag("--quick", options->quick, "A few short rounds: whether it works, not how fast");
  bench.add_flag("--no-pin", options->no_pin, "Let the kernel choose the processor");
  bench.add_flag("--no-progress", options->no_progress, "No progress line");
  bench.add_flag("--check", options->check, "budget: only instructions, held against the baseline");
  bench.add_flag("--renew", options->renew, "budget: write the baseline anew");
  bench.add_option("--baseline", options->baseline, "budget: the committed counts (bench/budget/baseline.json)")
      .type_name("FILE");
  bench.add_option("--report", options->report, "budget: a page with the tables and a flame graph a stage")
      .type_name("FILE");
  bench.add_option("--requests", options->requests, "budget: how many are counted");
  bench.add_flag("--other", options->other, "budget: also the costliest stacks that belong to no stage");
  bench.add_option("--merge", options->merge, "Run nothing: put results of several builds into one table")
      .type_name("FILE");
  options->json.add_to(bench);
  bench.footer(
      "example: dojima bench histogram --table record --json record.json\n"
      "         dojima bench --merge gcc.json clang.json\n"
      "         dojima bench budget --report budget.html");
  bench.on_run(
      [options, &status] { status = options->merge.empty() ? run_programs(*options) : merge_results(*options); });
}

}  // namespace dojima::cli
