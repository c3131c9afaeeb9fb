// dojima-bench-budget: what an order costs, stage by stage and counted, held against a committed baseline. The counting
// is done by programs of its own (counting.hpp); this one reads, compares, shows and writes.

#include "bench/budget/counting.hpp"

#include <cstdio>
#include <ctime>
#include <expected>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/harness/program_options.hpp"
#include "dojima/measure/timing_clock.hpp"
#include "dojima/time/clock.hpp"

namespace {

using namespace dojima;
using bench::Counted, bench::RoadCost;

constexpr int k_success = 0;
constexpr int k_grown = 1;
constexpr int k_usage = 2;
constexpr int k_environment = 3;

struct Options {
  std::size_t requests = 6'000;
  std::string baseline = "bench/budget/baseline.json";
  std::string report;
  std::optional<std::string> json;
  bool check = false;
  bool renew = false;
  bool list = false;
  bool quick = false;
  bool show_other = false;
};

int complain(int status, const std::string& what) {
  std::fprintf(stderr, "dojima-bench-budget: %s\n", what.c_str());
  return status;
}

std::optional<std::string> text_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Whole or not at all.
bool write(const std::string& file, const std::string& text) {
  if (file.empty()) return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  return stream.good();
}

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What was found when the counts were held against the file.
struct Verdict {
  int status = k_success;
  std::vector<harness::CountFinding> findings{};
};

/// The baseline, judged before anything is counted; nothing in it: there is none that could be held against, and nobody
/// asked for that. The error is the status to leave with, which has been reported.
std::expected<std::optional<harness::CountBaseline>, int> usable_baseline(const Options& options) {
  const std::string name = "the baseline " + options.baseline;
  const auto text = text_of_file(options.baseline);
  if (!text) {
    if (!options.check) return std::nullopt;
    return std::unexpected(complain(k_usage, name + " cannot be read; --renew makes one, --baseline names another"));
  }
  auto before = harness::read_baseline(*text);
  if (!before) return std::unexpected(complain(k_usage, name + " " + before.error()));
  const auto counter = bench::counter();
  if (!counter) return std::unexpected(complain(k_environment, counter.error()));
  if (const auto fit = harness::fits(*before, bench::planned_baseline(*counter, options.requests)); !fit) {
    const std::string line = name + " " + fit.error() + "; --renew makes a new one";
    if (options.check) return std::unexpected(complain(k_usage, line));
    // Who only looks may look with any compiler.
    std::fprintf(stderr, "%s\n", line.c_str());
    return std::nullopt;
  }
  return std::move(*before);
}

Verdict judge(const Options& options, const harness::CountBaseline& before, const harness::CountBaseline& today) {
  auto findings = harness::compare(before, today);
  if (!findings) return {complain(k_usage, "the baseline " + options.baseline + " " + findings.error())};
  int status = k_success;
  for (const harness::CountFinding& finding : *findings) {
    if (!finding.remark.empty())
      std::fprintf(stderr, "%s  %s: %s\n", finding.has_grown ? "GROWN " : "      ", finding.name.c_str(),
                   finding.remark.c_str());
    if (finding.has_grown) status = k_grown;
  }
  if (status == k_grown)
    complain(k_grown,
             "instructions of an order have grown by more than 2 %: make it cheaper, or commit a new baseline "
             "with the change (./dev budget --renew)");
  return {status, std::move(*findings)};
}

evidence::Table baseline_table(const std::vector<harness::CountFinding>& findings) {
  evidence::Table table{
      "baseline", "instructions an order, before and now", {{"stage"}, {"before", 1}, {"now", 1}, {"has_grown"}}};
  for (const harness::CountFinding& finding : findings)
    table.add_row({finding.name, finding.before, finding.after, finding.has_grown});
  return table;
}

int write_json(const Options& options, const evidence::EvidenceCollector& collector, double begin,
               const std::vector<evidence::Table>& tables, const Verdict& verdict) {
  evidence::Artefact artefact("dojima bench budget");
  artefact.set_parameter("requests", options.requests)
      .set_parameter("first_level", bench::k_first_level)
      .set_parameter("last_level", bench::k_last_level);
  for (const evidence::Table& table : tables) {
    artefact.add_table(table);
    for (const evidence::Column& column : table.columns) {
      const bool is_counted = table.name == "stages" || column.name == "thread" || column.name == "probe";
      artefact.add_rule({table.name, column.name, is_counted ? evidence::Rule::equal : evidence::Rule::shown, 0});
    }
  }
  if (!verdict.findings.empty())
    artefact.add_check("no stage has grown by more than 2 %", verdict.status == k_success, options.baseline);
  const measure::TimingClock timing = measure::measure_timing_clock();
  time::SystemClock clock;
  artefact.set_evidence(collector.finish({.created = clock.now(),
                                          .elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(seconds_now() - begin)),
                                          .applied = evidence::applied_settings(),
                                          .ns_per_tick = 1,
                                          .quantum_ns = timing.quantum_ns,
                                          .read_overhead_ns = timing.reading_ns,
                                          .smallest_figure_ns = 1e9}));
  if (write(*options.json, artefact.text())) return verdict.status;
  return complain(k_environment, "cannot write " + *options.json);
}

void show_unknown(const harness::CallProfile& profile) {
  for (const std::string& line : bench::unknown_stacks(profile, 20)) std::printf("%s\n", line.c_str());
}

/// The functions that make stages must be there, or a stage counts nothing and nobody sees it.
int check_rules(const RoadCost& road) {
  if (road.unused.empty()) return k_success;
  std::string names;
  for (const std::string& name : road.unused) names += (names.empty() ? "" : ", ") + name;
  return complain(k_grown,
                  "these functions of bench/budget/stages.cpp were never called; renamed, or inlined? " + names);
}

int run(const Options& options, int count, const char* const* words) {
  std::optional<harness::CountBaseline> before;
  if (!options.renew) {
    auto usable = usable_baseline(options);
    if (!usable) return usable.error();
    before = std::move(*usable);
  }
  const evidence::EvidenceCollector collector({.build = evidence::build_identity(), .argv = {words, words + count}});
  const double begin = seconds_now();
  const auto counted = bench::count_road(bench::RoadProgram::road, options.requests);
  if (!counted) return complain(k_environment, counted.error());
  std::optional<Counted> copies;
  if (!options.check && !options.renew) {
    auto run = bench::count_road(bench::RoadProgram::copies, options.requests);
    if (!run) return complain(k_environment, run.error());
    if (run->outcome != counted->outcome)
      return complain(k_grown, "the road did not do the same twice: " + counted->outcome + " and " + run->outcome);
    copies = std::move(*run);
  }
  const RoadCost road = bench::cost_of(counted->profile, copies ? &copies->profile : nullptr);
  if (options.show_other) show_unknown(counted->profile);
  if (const int status = check_rules(road); status != k_success) return status;

  const harness::CountBaseline today = baseline_of(road, counted->profile.creator, options.requests);
  if (options.renew) {
    if (!write(options.baseline, text_of(today))) return complain(k_environment, "cannot write " + options.baseline);
    std::printf("%s: a new baseline; commit it with the change that needs it\n", options.baseline.c_str());
    return k_success;
  }
  const Verdict verdict = before ? judge(options, *before, today) : Verdict{};
  if (verdict.status == k_usage) return k_usage;
  std::vector<evidence::Table> tables{bench::stage_table(road, options.requests, copies.has_value())};
  if (copies) {
    const auto without = bench::count_sockets(options.requests, false);
    if (!without) return complain(k_environment, without.error());
    const auto with = bench::count_sockets(options.requests, true);
    if (!with) return complain(k_environment, with.error());
    tables.push_back(bench::socket_table(*without, *with));
  }
  const bool is_json_on_stdout = options.json && options.json->empty();
  if (!is_json_on_stdout) {
    for (const evidence::Table& table : tables) std::printf("%s\n", to_text(table).c_str());
  }
  if (!verdict.findings.empty()) tables.push_back(baseline_table(verdict.findings));
  if (!options.report.empty() && !write(options.report, page_of(tables, road, options.requests)))
    return complain(k_environment, "cannot write " + options.report);
  return options.json ? write_json(options, collector, begin, tables, verdict) : verdict.status;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  harness::ProgramOptions parser(
      "What an order costs, counted stage by stage: instructions, simulated misses, branches, allocations, copied "
      "bytes, "
      "system calls, clock readings, switches",
      "dojima bench budget");
  parser.add_flag("--check", options.check,
                  "Only instructions, held against the baseline; exit status 1 when one grew");
  parser.add_flag("--renew", options.renew, "Write the baseline anew, from what is counted now, and nothing else");
  parser.add("--baseline", options.baseline, "The committed counts").type_name("FILE").show_default();
  parser.add("--report", options.report, "A page with the tables and a flame graph a stage").type_name("FILE");
  parser.add("--requests", options.requests, "How many are counted").between(60, 100'000).show_default();
  parser.add("--json", options.json, "The result as JSON, to a file or to stdout").type_name("[FILE]").values(0, 1);
  parser.add_flag("--other", options.show_other, "Also the costliest stacks that belong to no stage");
  parser.add_flag("--list", options.list, "Name the tables and stages");
  parser.add_flag("--quick", options.quick, "Fewer requests: whether it works");
  // What all benchmarks take, and what says nothing to counts.
  bool ignored = false;
  std::string ignored_value;
  for (const char* flag : {"--no-pin", "--no-progress"}) parser.add_flag(flag, ignored, "").hidden();
  for (const char* value : {"--rounds", "--seconds", "--seed", "--cpu"}) parser.add(value, ignored_value, "").hidden();
  parser.footer("example: dojima bench budget --report budget.html --json budget.json");
  if (const auto status = parser.parse(count, words)) return *status == 0 ? k_success : k_usage;
  if (options.check && options.renew) return complain(k_usage, "--check and --renew are two things: choose one");
  if (options.renew && (options.json || !options.report.empty()))
    return complain(k_usage, "--renew writes the baseline and nothing else; --json and --report are of another run");
  if (options.list) {
    std::printf("budget stages: what an order costs, stage by stage\nbudget sockets: what an order costs the kernel\n");
    for (const bench::Stage& stage : bench::stages())
      std::printf("  %s: %s\n", std::string(stage.name).c_str(), std::string(stage.meaning).c_str());
    return k_success;
  }
  if (options.quick) options.requests = 600;
  return run(options, count, words);
}
