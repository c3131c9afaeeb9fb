#include "bench/budget/counting.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gnu/libc-version.h>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/child_process.hpp"
#include "dojima/evidence/temporary_file.hpp"

namespace dojima::bench {
namespace {

using evidence::Cell, evidence::Document, evidence::Table, evidence::Unmeasured;

std::string beside(const char* name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

std::string cause(const evidence::ChildRun& run) {
  std::string text = run.errors;
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t last = text.rfind('\n');
  if (last != std::string::npos) text.erase(0, last + 1);
  return text.empty() ? "exit status " + std::to_string(run.status) : text;
}

std::expected<std::string, std::string> output_of(const std::vector<std::string>& words, const std::string& what) {
  const auto run = evidence::run_child(words, evidence::ChildOutput::kept);
  if (!run) return std::unexpected(what + ": " + run.error());
  constexpr int k_not_found = 127;
  if (run->status == k_not_found)
    return std::unexpected(what +
                           ": valgrind was not found; ./dev setup installs it (Debian: apt-get install valgrind)");
  if (run->status != 0) return std::unexpected(what + " failed: " + cause(*run));
  return run->output;
}

/// Without the line's end.
std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

double share(double sum, std::size_t requests) {
  return sum / static_cast<double>(requests);
}

void add_row(Table& table, std::string_view name, const StageCost& cost, std::size_t requests, bool has_copies) {
  table.add_row({name, share(cost.instructions, requests), share(cost.first_level_misses, requests),
                 share(cost.last_level_misses, requests), share(cost.branches, requests),
                 share(cost.branch_misses, requests), share(cost.allocations, requests),
                 has_copies ? Cell(share(cost.bytes_copied, requests)) : Cell(Unmeasured{"not counted with --check"})});
}

void add(StageCost& sum, const StageCost& cost) {
  sum.instructions += cost.instructions;
  sum.first_level_misses += cost.first_level_misses;
  sum.last_level_misses += cost.last_level_misses;
  sum.branches += cost.branches;
  sum.branch_misses += cost.branch_misses;
  sum.allocations += cost.allocations;
  sum.bytes_copied += cost.bytes_copied;
}

StageCost whole_road(const RoadCost& road) {
  StageCost sum;
  for (std::size_t stage = 0; stage < road.stages.size(); ++stage) {
    if (stages()[stage].is_of_the_road) add(sum, road.stages[stage]);
  }
  return sum;
}

Cell counted(const Document& thread, std::string_view name) {
  const Document& value = thread.at(name);
  if (value.is_number()) return value.as_number();
  return Unmeasured{"the kernel does not say it of a thread: /proc/PID/task/TID/sched has no nr_wakeups"};
}

/// The columns behind thread and probe, of one thread.
std::vector<Cell> cells_of(const Document& thread) {
  double system_calls = 0;
  for (const char* call : {"receives", "empty_receives", "sends", "waits", "looks", "controls", "files"})
    system_calls += thread.at(call).as_number();
  std::vector<Cell> cells{Cell(system_calls)};
  for (const char* name : {"receives", "empty_receives", "sends", "waits", "looks", "turns", "kernel_clock_reads",
                           "voluntary_switches", "involuntary_switches", "wake_ups"})
    cells.push_back(counted(thread, name));
  return cells;
}

void add_threads(Table& table, const Document& run, std::string_view probe) {
  std::vector<Cell> sums;
  for (const Document& thread : run.at("threads").elements()) {
    const std::vector<Cell> cells = cells_of(thread);
    if (sums.empty()) sums.assign(cells.size(), Cell(0.0));
    std::vector<Cell> row{Cell(thread.at("thread").as_text()), Cell(probe)};
    for (std::size_t at = 0; at < cells.size(); ++at) {
      row.push_back(cells[at]);
      sums[at] = cells[at].is_measured() ? Cell(sums[at].number() + cells[at].number()) : cells[at];
    }
    table.add_row(std::move(row));
  }
  std::vector<Cell> row{Cell("both"), Cell(probe)};
  row.insert(row.end(), sums.begin(), sums.end());
  table.add_row(std::move(row));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string html_of(const Table& table) {
  std::string out = "<h2>" + escaped(table.title) + "</h2>\n<div class=\"wide\"><table>\n<tr>";
  for (const evidence::Column& column : table.columns) out += "<th>" + escaped(column.name) + "</th>";
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t at = 0; at < row.size(); ++at)
      out += (at == 0 ? "<th>" : "<td>") + escaped(to_text(row[at], table.columns[at].decimals)) +
             (at == 0 ? "</th>" : "</td>");
    out += "</tr>\n";
  }
  out += "</table></div>\n";
  for (const std::string& note : table.notes) out += "<p>" + escaped(note) + "</p>\n";
  return out;
}

/// The C library copies and compares with what the processor has.
bool has_wide_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

/// The same graph of one order's share.
harness::FlameNode scaled(const harness::FlameNode& node, double by) {
  harness::FlameNode out{.self = node.self * by};
  for (const auto& [name, callee] : node.callees) out.callees.emplace(name, scaled(callee, by));
  return out;
}

}  // namespace

std::expected<Counted, std::string> count_road(RoadProgram program, std::size_t requests) {
  const bool is_road = program == RoadProgram::road;
  const evidence::TemporaryFile profile;
  // All functions are bound at the start, so that binding is nobody's cost.
  std::vector<std::string> words{"/usr/bin/env",
                                 "LD_BIND_NOW=1",
                                 "valgrind",
                                 "--quiet",
                                 "--tool=callgrind",
                                 "--instr-atstart=no",
                                 "--separate-callers=30",
                                 "--separate-recs=1",
                                 "--compress-strings=no",
                                 "--compress-pos=no",
                                 "--callgrind-out-file=" + profile.path()};
  if (is_road) {
    const std::string first = std::string("=") + k_first_level;
    for (const std::string& word : {std::string("--cache-sim=yes"), "--I1" + first, "--D1" + first,
                                    std::string("--LL=") + k_last_level, std::string("--branch-sim=yes")})
      words.push_back(word);
  }
  words.push_back(beside(is_road ? "dojima-budget-road" : "dojima-budget-copies"));
  words.push_back(std::to_string(requests));
  const auto outcome = output_of(words, "counting the road with valgrind");
  if (!outcome) return std::unexpected(outcome.error());
  auto read = harness::read_call_profile(profile.text());
  if (!read) return std::unexpected("counting the road with valgrind: " + read.error());
  return Counted{std::move(*read), trimmed(*outcome)};
}

std::expected<Document, std::string> count_sockets(std::size_t requests, bool has_probe) {
  std::vector<std::string> words{beside("dojima-budget-sockets"), std::to_string(requests)};
  if (has_probe) words.emplace_back("--probe");
  const auto output = output_of(words, "counting the road over loopback");
  if (!output) return std::unexpected(output.error());
  return evidence::parse_document(*output);
}

Table stage_table(const RoadCost& road, std::size_t requests, bool has_copies) {
  Table table{"stages",
              "what an order costs, stage by stage: counts an order",
              {{"stage"},
               {"instructions", 1},
               {"first_level_misses"},
               {"last_level_misses"},
               {"branches", 1},
               {"branch_misses"},
               {"allocations"},
               {"bytes_copied", 1}}};
  for (std::size_t stage = 0; stage < road.stages.size(); ++stage) {
    if (stages()[stage].is_of_the_road) add_row(table, stages()[stage].name, road.stages[stage], requests, has_copies);
  }
  add_row(table, "the road", whole_road(road), requests, has_copies);
  for (std::size_t stage = 0; stage < road.stages.size(); ++stage) {
    if (!stages()[stage].is_of_the_road) add_row(table, stages()[stage].name, road.stages[stage], requests, has_copies);
  }
  add_row(table, "other", road.unknown, requests, has_copies);
  table.notes = {"One order at a time, in virtual time and one thread, counted by " +
                     std::string("valgrind's callgrind: ") + "instructions are exact, caches (first level " +
                     k_first_level + ", last " + k_last_level + ": bytes, ways, line) and branches simulated.",
                 "bytes_copied: by calls of memcpy and memmove; copies of a few known bytes are instructions only."};
  return table;
}

Table socket_table(const Document& without, const Document& with) {
  Table table{"sockets",
              "what an order costs the kernel, over loopback: counts an order",
              {{"thread"},
               {"probe"},
               {"system_calls"},
               {"receives"},
               {"empty_receives"},
               {"sends"},
               {"waits"},
               {"looks"},
               {"loop_clock_reads"},
               {"kernel_clock_reads"},
               {"voluntary_switches"},
               {"involuntary_switches"},
               {"wake_ups"}}};
  add_threads(table, without, "no");
  add_threads(table, with, "yes");
  table.notes = {
      "One order at a time; threads sleep when there is nothing to do. The loop reads its clock once a turn; "
      "kernel_clock_reads are calls of clock_gettime, from whomever.",
      "System calls: where the program calls the C library. Switches depend on how threads meet; they do not "
      "come out again to the digit."};
  return table;
}

std::expected<std::string, std::string> counter() {
  auto version = output_of({"valgrind", "--version"}, "counting");
  if (!version) return version;
  constexpr std::string_view k_program = "valgrind";
  std::string text = trimmed(std::move(*version));
  if (text.starts_with(k_program)) text.replace(0, k_program.size(), "callgrind");
  return text;
}

harness::CountBaseline planned_baseline(const std::string& counted_by, std::size_t requests) {
  RoadCost nothing;
  nothing.stages.resize(stages().size());
  return baseline_of(nothing, counted_by, requests);
}

harness::CountBaseline baseline_of(const RoadCost& road, const std::string& counted_by, std::size_t requests) {
  const evidence::BuildIdentity& build = evidence::build_identity();
  harness::CountBaseline baseline;
  baseline.circumstances = {{"build type", build.build_type}, {"c library", gnu_get_libc_version()},
                            {"compiler", build.compiler},     {"counter", counted_by},
                            {"flags", build.flags},           {"requests", std::to_string(requests)},
                            {"sanitizers", build.sanitizers}, {"vectors", has_wide_vectors() ? "avx2" : "sse"}};
  for (std::size_t stage = 0; stage < road.stages.size(); ++stage) {
    if (stages()[stage].is_of_the_road)
      baseline.counts.emplace_back(stages()[stage].name, share(road.stages[stage].instructions, requests));
  }
  baseline.counts.emplace_back("the road", share(whole_road(road).instructions, requests));
  std::ranges::sort(baseline.counts);
  return baseline;
}

std::string page_of(const std::vector<Table>& tables, const RoadCost& road, std::size_t requests) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>The budget of an order</title>\n<style>:root{color-scheme:light dark}"
      "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em}"
      ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
      "td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #8884}th:first-child{text-align:left}"
      "svg{width:100%;height:auto}</style></head><body>\n<h1>The budget of an order</h1>\n";
  for (const Table& table : tables) page += html_of(table);
  page +=
      "<h2>Where the instructions go</h2>\n<p>A bar is a function, as wide as what was counted in it and below; upon "
      "it "
      "what it calls. A click makes a bar as wide as the graph, one on the lowest shows all again.</p>\n";
  for (std::size_t stage = 0; stage < road.stages.size(); ++stage) {
    harness::FlameGraph graph{.title = std::string(stages()[stage].name),
                              .unit = "instructions an order",
                              .root = scaled(road.stages[stage].flames.root, 1 / static_cast<double>(requests))};
    page += "<h3>" + escaped(stages()[stage].name) + "</h3>\n<p>" + escaped(stages()[stage].meaning) + "</p>\n" +
            flame_svg(graph, harness::FlamePlace::in_page);
  }
  return page + "<script>\n" + std::string(harness::flame_script()) + "</script>\n</body></html>\n";
}

}  // namespace dojima::bench
