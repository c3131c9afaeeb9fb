// What a benchmark program does from its command line to its exit status.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/progress.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/harness/bench_options.hpp"
#include "dojima/measure/pinning.hpp"
#include "dojima/measure/timing_clock.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::harness {
namespace {

constexpr int k_success = 0;
constexpr int k_disagreement = 1;
constexpr int k_environment = 3;

std::atomic<bool> interrupted = false;

void note_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

/// The first Ctrl-C ends the measuring, a second one the program.
void listen_for_interrupts() {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

void print_list(const BenchProgram& program) {
  for (const BenchTable& table : program.tables) {
    std::printf("%s %s: %s\n", program.name.c_str(), table.name.c_str(), table.title.c_str());
    for (const BenchParameter& parameter : table.parameters) {
      std::vector<std::string> values;
      for (const evidence::Cell& value : parameter.values) values.push_back(to_text(value, 2));
      std::printf("  %s: %s\n", parameter.name.c_str(), joined(values, ", ").c_str());
    }
    std::vector<std::string> names;
    for (const BenchCompetitor& competitor : table.competitors) names.push_back(competitor.name);
    std::printf("  competitors: %s\n", joined(names, ", ").c_str());
  }
}

struct Work {
  BenchTable table;
  std::vector<BenchCase> cases;
};

std::vector<Work> work_of(const BenchProgram& program, const BenchOptions& options) {
  std::vector<Work> work;
  for (const BenchTable& table : program.tables) {
    const auto& names = options.tables;
    if (!names.empty() && std::find(names.begin(), names.end(), table.name) == names.end()) continue;
    Work part{options.reduced(table), {}};
    if (part.table.competitors.empty()) continue;
    for (const BenchCase& bench_case : cases_of(table, options.seed)) {
      if (options.asks_for(table, bench_case)) part.cases.push_back(bench_case);
    }
    if (!part.cases.empty()) work.push_back(std::move(part));
  }
  return work;
}

std::vector<BenchResult> measure(const std::vector<Work>& work, const BenchOptions& options) {
  evidence::ProgressLine line(options.progress && evidence::stderr_is_terminal());
  const double begin = seconds_now();
  std::size_t all_cases = 0;
  for (const Work& part : work) all_cases += part.cases.size();

  std::vector<BenchResult> results;
  std::size_t cases_before = 0;
  for (const Work& part : work) {
    BenchSettings settings = options.settings();
    settings.is_interrupted = [] { return interrupted.load(std::memory_order_relaxed); };
    settings.progress = [&](std::size_t done, std::size_t round) {
      const std::string what = part.table.name + ", round " + std::to_string(round);
      line.show({.what = what,
                 .done = static_cast<double>(cases_before + done),
                 .total = static_cast<double>(all_cases),
                 .unit = "cases",
                 .elapsed_s = seconds_now() - begin});
    };
    results.push_back(run_table(part.table, part.cases, settings));
    cases_before += part.cases.size();
    if (results.back().was_interrupted) break;
  }
  return results;
}

void print(const BenchProgram& program, const std::vector<BenchResult>& results, const measure::Pinning& pinning) {
  for (const BenchResult& result : results) {
    std::printf("%s\n", to_text(result.table).c_str());
    for (const BenchCheck& check : result.agreement) {
      if (!check.ok) std::printf("DISAGREEMENT  %s: %s\n", check.name.c_str(), check.detail.c_str());
    }
    for (const BenchCheck& target : result.targets) {
      std::printf("%s  %s: %s\n", target.ok ? "reached" : "missed ", target.name.c_str(), target.detail.c_str());
    }
    if (!result.targets.empty()) std::printf("\n");
  }
  if (!program.notes.empty()) std::printf("%s\n", program.notes.c_str());
  if (pinning.cpu) {
    std::printf("pinned to processor %d\n", *pinning.cpu);
  } else {
    std::printf("not pinned: %s\n", pinning.reason.c_str());
  }
}

evidence::Artefact artefact_of(const BenchProgram& program, const BenchOptions& options,
                               const std::vector<BenchResult>& results) {
  evidence::Artefact artefact("dojima bench " + program.name + (options.tables.empty() ? "" : " --table ") +
                              joined(options.tables, " --table "));
  const BenchSettings settings = options.settings();
  evidence::Document tables = evidence::Document::array();
  for (const BenchResult& result : results) tables.push(result.table.name);
  artefact.set_parameter("seed", options.seed)
      .set_parameter("rounds", settings.rounds)
      .set_parameter("seconds_per_case", options.seconds)
      .set_parameter("quick", options.quick)
      .set_parameter("pin", options.pin)
      .set_parameter("warm_up_ns", settings.warm_up.count())
      .set_parameter("slice_ns", settings.slice.count())
      .set_parameter("min_rounds", settings.rule.min_runs)
      .set_parameter("max_rounds", settings.rule.max_runs)
      .set_parameter("max_relative_mad", settings.rule.max_relative_mad)
      .set_parameter("max_relative_half_width", settings.rule.max_relative_half_width)
      .set_parameter("tables", std::move(tables));
  evidence::Document where = evidence::Document::object();
  for (const auto& [name, value] : options.where) where.set(name, value);
  artefact.set_parameter("where", std::move(where));
  if (!options.only.empty()) {
    evidence::Document only = evidence::Document::array();
    for (const std::string& name : options.only) only.push(name);
    artefact.set_parameter("only", std::move(only));
  }
  if (options.cpu) artefact.set_parameter("cpu", *options.cpu);
  for (const BenchResult& result : results) {
    artefact.add_table(result.table);
    for (const evidence::Chart& chart : result.charts) artefact.add_chart(chart);
    for (const BenchCheck& check : result.agreement) artefact.add_check(check.name, check.ok, check.detail);
    for (const BenchCheck& target : result.targets) artefact.add_check(target.name, target.ok, target.detail);
    // Run again, ratios shall come out again; how many rounds it took and absolute times are the machine's affair.
    for (const evidence::Column& column : result.table.columns) {
      // ... unless there were too few rounds for them to settle.
      const bool is_judged = settings.rounds == 0 || settings.rounds >= settings.rule.min_runs;
      const bool is_ratio = is_judged && (column.name == "vs_baseline" || column.name == "vs_floor");
      const bool is_result = column.name == "digest";
      const evidence::Rule rule = is_ratio    ? evidence::Rule::within
                                  : is_result ? evidence::Rule::equal
                                              : evidence::Rule::shown;
      artefact.add_rule({result.table.name, column.name, rule, is_ratio ? 0.15 : 0});
    }
  }
  return artefact;
}

/// False when the file cannot be written.
bool write(const std::string& text, const std::string& file) {
  if (file.empty()) return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  return stream.good();
}

}  // namespace

int run_benchmarks(const BenchProgram& program, int count, const char* const* words) {
  const auto options = parse_bench_options(program, count, words);
  if (!options) {
    std::fputs(options.error().text.c_str(), options.error().status == 0 ? stdout : stderr);
    return options.error().status;
  }
  if (options->list) {
    print_list(program);
    return k_success;
  }
  const std::vector<Work> work = work_of(program, *options);
  if (work.empty()) {
    std::fprintf(stderr, "dojima-bench-%s: no case has these parameters; see --list\n", program.name.c_str());
    return 2;
  }

  const evidence::EvidenceCollector collector({.build = program.build, .argv = {words, words + count}});
  const measure::Pinning pinning = options->pin ? measure::pin_to_processor(options->cpu) : measure::current_pinning();
  listen_for_interrupts();
  const double begin = seconds_now();
  std::vector<BenchResult> results;
  try {
    results = measure(work, *options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "dojima-bench-%s: %s\n", program.name.c_str(), failure.what());
    return k_environment;
  }
  const double elapsed = seconds_now() - begin;

  int status = k_success;
  for (const BenchResult& result : results) {
    for (const BenchCheck& check : result.agreement) status = check.ok ? status : k_disagreement;
  }
  const bool is_json_on_stdout = options->json && options->json->empty();
  if (!is_json_on_stdout) print(program, results, pinning);
  if (!options->json) return status;

  evidence::Artefact artefact = artefact_of(program, *options, results);
  const measure::TimingClock timing = measure::measure_timing_clock();
  time::SystemClock clock;
  artefact.set_evidence(collector.finish(
      {.created = clock.now(),
       .elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(elapsed)),
       .applied = evidence::applied_settings(),
       .ns_per_tick = 1,
       .quantum_ns = timing.quantum_ns,
       .read_overhead_ns = timing.reading_ns,
       // A batch is timed as a whole, and a slice is one batch at least: the step counts against that.
       .smallest_figure_ns = static_cast<double>(options->settings().slice.count())}));
  if (!write(artefact.text(), *options->json)) {
    std::fprintf(stderr, "dojima-bench-%s: cannot write %s\n", program.name.c_str(), options->json->c_str());
    return k_environment;
  }
  return status;
}

}  // namespace dojima::harness
