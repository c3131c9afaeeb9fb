#include "dojima/harness/bench_harness.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/evidence/progress.hpp"
#include "dojima/harness/bench_options.hpp"

namespace dojima::harness {
namespace {

/// Time that passes only when a competitor says so.
struct World {
  std::int64_t now_ns = 0;
  std::vector<std::string> calls;
};

/// Costs so many nanoseconds an operation, 100 operations a batch; more when the world is slow.
class Scripted final : public Competitor {
 public:
  Scripted(World& world, std::string name, std::int64_t ns_per_operation)
      : world_(world), name_(std::move(name)), ns_per_operation_(ns_per_operation) {}

  void prepare() override { world_.now_ns += 1'000'000; }  // not timed
  Operations run() override {
    world_.calls.push_back(name_);
    world_.now_ns += 100 * ns_per_operation_ * slowness();
    return Operations{}.add("push", 60).add("pop", 40).digest(7);
  }

 private:
  // Every other dozen of batches takes three times as long, for everybody.
  [[nodiscard]] std::int64_t slowness() const { return world_.calls.size() / 12 % 2 == 0 ? 1 : 3; }

  World& world_;
  std::string name_;
  std::int64_t ns_per_operation_;
};

BenchTable scripted_table(World& world) {
  BenchTable table{.name = "scripted", .title = "what is known beforehand"};
  table.parameters = {{"n", {10, 20}}, {"kind", {"a", "b"}}};
  const auto of = [&world](const char* name, std::int64_t cost) {
    return BenchCompetitor{
        name, [&world, name, cost](const BenchCase&) { return std::make_unique<Scripted>(world, name, cost); }};
  };
  table.competitors = {of("ours", 20), of("theirs", 50), of("bare", 10)};
  table.baseline = "theirs";
  table.floor = "bare";
  table.targets = {{"ours", "bare", 2.5}, {"theirs", "bare", 2.5}};
  return table;
}

BenchSettings settings_of(World& world) {
  BenchSettings settings;
  settings.now_ns = [&world] { return world.now_ns; };
  settings.warm_up = std::chrono::nanoseconds{1};
  settings.slice = std::chrono::nanoseconds{1};
  settings.rounds = 12;
  return settings;
}

double number(const evidence::Table& table, std::size_t row, std::string_view column) {
  return table.rows.at(row).at(table.column(column)).number();
}

TEST(BenchHarness, knows_every_combination_of_the_parameters) {
  World world;
  const auto cases = cases_of(scripted_table(world), 5);
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_EQ(cases[0].integer("n"), 10);
  EXPECT_EQ(cases[0].text("kind"), "a");
  EXPECT_EQ(cases[1].text("kind"), "b");
  EXPECT_EQ(cases[2].integer("n"), 20);
  EXPECT_EQ(cases[3].seed(), 5u);
  EXPECT_EQ(cases_of(BenchTable{.name = "none", .title = ""}, 1).size(), 1u);
}

TEST(BenchHarness, compares_round_by_round_with_the_baseline_and_the_floor) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  const BenchResult result = run_table(table, std::span(cases).first(1), settings_of(world));
  ASSERT_EQ(result.table.rows.size(), 3u);
  EXPECT_EQ(*result.table.rows[0][result.table.column("competitor")].text(), "ours");
  EXPECT_NEAR(number(result.table, 0, "vs_floor"), 2.0, 1e-9) << "although every other dozen of batches is slow";
  EXPECT_NEAR(number(result.table, 0, "vs_baseline"), 0.4, 1e-9);
  EXPECT_NEAR(number(result.table, 1, "vs_baseline"), 1.0, 1e-9);
  EXPECT_NEAR(number(result.table, 2, "p10_ns_per_operation"), 10.0, 1e-9) << "what prepare() takes is not timed";
  EXPECT_EQ(number(result.table, 0, "rounds"), 12);
  EXPECT_EQ(number(result.table, 0, "n"), 10);
}

TEST(BenchHarness, counts_operations_by_kind) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  const BenchResult result = run_table(table, std::span(cases).first(1), settings_of(world));
  EXPECT_EQ(number(result.table, 0, "operations"), 1200);
  EXPECT_EQ(number(result.table, 0, "operations_push"), 720);
  EXPECT_EQ(number(result.table, 0, "operations_pop"), 480);
}

TEST(BenchHarness, says_which_targets_were_reached) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  const BenchResult result = run_table(table, std::span(cases).first(1), settings_of(world));
  ASSERT_EQ(result.targets.size(), 2u);
  EXPECT_EQ(result.targets[0].name, "scripted: ours <= 2.50 x bare (n 10, kind a)");
  EXPECT_TRUE(result.targets[0].ok);
  EXPECT_FALSE(result.targets[1].ok);
  EXPECT_EQ(result.targets[1].detail, "5.000");
}

TEST(BenchHarness, judges_a_target_only_in_the_cases_it_speaks_of) {
  World world;
  BenchTable table = scripted_table(world);
  table.targets = {{"ours", "bare", 2.5, {{"n", 20}, {"kind", "b"}}}};
  const BenchResult result = run_table(table, cases_of(table, 1), settings_of(world));
  ASSERT_EQ(result.targets.size(), 1u);
  EXPECT_EQ(result.targets[0].name, "scripted: ours <= 2.50 x bare (n 20, kind b)");
}

TEST(BenchHarness, judges_a_figure_of_a_competitor_and_leaves_out_what_was_not_measured) {
  World world;
  BenchTable table{.name = "memory", .title = ""};
  const auto of = [&world](const char* name, double bytes) {
    return BenchCompetitor{name, [&world, bytes](const BenchCase&) {
                             return competitor([&world, bytes] {
                               world.now_ns += 1000;
                               return Operations{}.add("", 10).figure("bytes", bytes);
                             });
                           }};
  };
  table.competitors = {of("ours", 9), of("theirs", 28), of("counterless", std::nan(""))};
  table.targets = {{.competitor = "ours", .against = "", .limit = 10, .figure = "bytes"},
                   {.competitor = "theirs", .against = "", .limit = 10, .figure = "bytes"},
                   {.competitor = "counterless", .against = "", .limit = 10, .figure = "bytes"},
                   {.competitor = "theirs", .against = "ours", .limit = 3, .figure = "bytes"},
                   {.competitor = "theirs", .against = "counterless", .limit = 3, .figure = "bytes"}};
  const BenchResult result = run_table(table, cases_of(table, 1), settings_of(world));
  ASSERT_EQ(result.targets.size(), 3u);
  EXPECT_EQ(result.targets[0].name, "memory: bytes of ours <= 10.00");
  EXPECT_TRUE(result.targets[0].ok);
  EXPECT_FALSE(result.targets[1].ok);
  EXPECT_EQ(result.targets[2].name, "memory: bytes of theirs <= 3.00 x ours");
  EXPECT_FALSE(result.targets[2].ok) << "28 is more than three times 9";
  EXPECT_EQ(result.targets[2].detail, "3.111");
  EXPECT_FALSE(result.table.rows[2][result.table.column("bytes")].is_measured());
}

TEST(BenchHarness, judges_what_an_operation_takes_where_a_rate_was_promised) {
  World world;
  BenchTable table{.name = "memory", .title = "", .operation = "message"};
  table.competitors = {{"ours", [&world](const BenchCase&) {
                          return competitor([&world] {
                            world.now_ns += 1000;
                            return Operations{}.add("", 10);
                          });
                        }}};
  table.targets = {{.competitor = "ours", .against = "", .limit = 101},
                   {.competitor = "ours", .against = "", .limit = 99}};
  const BenchResult result = run_table(table, cases_of(table, 1), settings_of(world));
  ASSERT_EQ(result.targets.size(), 2u);
  EXPECT_EQ(result.targets[0].name, "memory: ns_per_message of ours <= 101.00");
  EXPECT_EQ(result.targets[0].detail, "100.000");
  EXPECT_TRUE(result.targets[0].ok);
  EXPECT_FALSE(result.targets[1].ok);
}

TEST(BenchHarness, calls_operations_and_competitors_as_the_table_does_and_shows_the_rate) {
  World world;
  BenchTable table = scripted_table(world);
  table.operation = "event";
  table.competitor = "container";
  const auto cases = cases_of(table, 1);
  const BenchResult result = run_table(table, std::span(cases).first(1), settings_of(world));
  EXPECT_EQ(*result.table.rows[0][result.table.column("container")].text(), "ours");
  const double cost = number(result.table, 0, "ns_per_event");
  EXPECT_NEAR(number(result.table, 0, "events_per_second"), 1e9 / cost, 1);
}

TEST(BenchHarness, runs_all_competitors_in_every_round_in_changing_order) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  static_cast<void>(run_table(table, std::span(cases).first(1), settings_of(world)));
  ASSERT_EQ(world.calls.size(), 3u + 3 * 12) << "a batch of warm-up each, then twelve rounds";
  bool has_changed = false;
  for (std::size_t round = 0; round < 12; ++round) {
    std::vector<std::string> calls(world.calls.begin() + static_cast<std::ptrdiff_t>(3 + 3 * round),
                                   world.calls.begin() + static_cast<std::ptrdiff_t>(6 + 3 * round));
    has_changed = has_changed || calls.front() != world.calls[3];
    std::sort(calls.begin(), calls.end());
    EXPECT_EQ(calls, (std::vector<std::string>{"bare", "ours", "theirs"})) << "round " << round;
  }
  EXPECT_TRUE(has_changed);
}

TEST(BenchHarness, stops_when_the_ratios_have_settled) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  BenchSettings settings = settings_of(world);
  settings.rounds = 0;
  const BenchResult result = run_table(table, std::span(cases).first(1), settings);
  EXPECT_EQ(number(result.table, 0, "rounds"), static_cast<double>(settings.rule.min_runs));
  EXPECT_EQ(result.table.rows[0][result.table.column("converged")], evidence::Cell(true));
  EXPECT_EQ(result.table.rows[1][result.table.column("converged")], evidence::Cell(false))
      << "the baseline's own time went up and down";
}

TEST(BenchHarness, keeps_the_results_so_far_when_interrupted) {
  World world;
  const BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  BenchSettings settings = settings_of(world);
  settings.is_interrupted = [&world] { return world.calls.size() > 100; };
  const BenchResult result = run_table(table, cases, settings);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_EQ(result.table.rows.size(), 9u) << "two whole cases, and the third as far as it came";
  EXPECT_LT(number(result.table, 6, "rounds"), 12);
  EXPECT_EQ(result.table.notes.back(), "interrupted: results so far");
}

TEST(BenchHarness, finds_competitors_that_disagree) {
  World world;
  BenchTable table = scripted_table(world);
  const auto cases = cases_of(table, 1);
  BenchSettings settings = settings_of(world);
  settings.rounds = 1;
  EXPECT_TRUE(run_table(table, std::span(cases).first(1), settings).agreement.at(0).ok);
  table.competitors.push_back({"wrong", [&world](const BenchCase&) {
                                 return competitor([&world] {
                                   world.now_ns += 10;
                                   return Operations{}.add("", 1).digest(8);
                                 });
                               }});
  const BenchResult result = run_table(table, std::span(cases).first(1), settings);
  ASSERT_EQ(result.agreement.size(), 1u);
  EXPECT_FALSE(result.agreement[0].ok);
  EXPECT_NE(result.agreement[0].detail.find("wrong has 0000000000000008, ours has 0000000000000007"), std::string::npos)
      << result.agreement[0].detail;
}

TEST(BenchHarness, counts_allocations_of_the_timed_part_only) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  class Allocating final : public Competitor {
   public:
    void prepare() override { ::operator delete(::operator new(10)); }
    Operations run() override {
      ::operator delete(::operator new(10));
      return Operations{}.add("", 2);
    }
  };
  BenchTable table{.name = "t", .title = ""};
  table.competitors = {{"allocating", [](const BenchCase&) { return std::make_unique<Allocating>(); }}};
  World world;
  const BenchResult result = run_table(table, cases_of(table, 1), settings_of(world));
  EXPECT_EQ(number(result.table, 0, "allocations_per_operation"), 0.5);
}

TEST(BenchHarness, shows_figures_that_a_batch_measured_itself) {
  World world;
  BenchTable table{.name = "t", .title = ""};
  table.competitors = {{"with",
                        [&world](const BenchCase&) {
                          return competitor([&world, p99 = 100.0]() mutable {
                            world.now_ns += 10;
                            return Operations{}.add("", 1).figure("p99_ns", p99 += 1);
                          });
                        }},
                       {"without",
                        [&world](const BenchCase&) {
                          return competitor([&world] {
                            world.now_ns += 10;
                            return Operations{}.add("", 1);
                          });
                        }},
                       {"absent", [](const BenchCase&) { return std::unique_ptr<Competitor>(); }}};
  BenchSettings settings = settings_of(world);
  settings.rounds = 3;
  const BenchResult result = run_table(table, cases_of(table, 1), settings);
  ASSERT_EQ(result.table.rows.size(), 2u) << "who does not take part has no row";
  EXPECT_GT(number(result.table, 0, "p99_ns"), 101);
  EXPECT_FALSE(result.table.rows[1][result.table.column("p99_ns")].is_measured());
}

TEST(BenchHarness, compares_figures_with_the_baselines_of_the_same_round) {
  World world;
  const auto measured = [&world](const char* name, double factor) {
    return BenchCompetitor{name, [&world, factor](const BenchCase&) {
                             return competitor([&world, factor, p99 = 100.0]() mutable {
                               world.now_ns += 10;
                               return Operations{}.add("", 1).figure("p99_us", factor * (p99 += 7));
                             });
                           }};
  };
  BenchTable table{.name = "t", .title = ""};
  table.competitors = {measured("with", 1.25), measured("without", 1)};
  table.baseline = "without";
  table.compared_figures = {"p99_us", "p50_us"};
  BenchSettings settings = settings_of(world);
  settings.rounds = 12;
  const BenchResult result = run_table(table, cases_of(table, 1), settings);
  ASSERT_EQ(result.table.rows.size(), 2u);
  for (const char* column : {"p99_us_vs_baseline", "p99_us_low", "p99_us_high"}) {
    EXPECT_DOUBLE_EQ(number(result.table, 0, column), 1.25) << "whatever both do from round to round: " << column;
    EXPECT_DOUBLE_EQ(number(result.table, 1, column), 1) << column;
  }
  EXPECT_FALSE(result.table.rows[0][result.table.column("p50_us_low")].is_measured()) << "nobody measures it";
}

// ----------------------------------------------------------------------------------------------------------- options

BenchProgram program() {
  static World world;
  return {.name = "scripted", .tables = {scripted_table(world)}};
}

std::expected<BenchOptions, BenchUsage> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "dojima-bench-scripted");
  return parse_bench_options(program(), static_cast<int>(words.size()), words.data());
}

TEST(BenchHarness, draws_the_rounds_of_the_cases_that_are_asked_for) {
  World world;
  BenchTable table = scripted_table(world);
  table.is_drawn = [](const BenchCase& of) { return of.integer("n") == 20 && of.text("kind") == "a"; };
  table.drawn = {"ours", "theirs", "nobody"};
  const auto cases = cases_of(table, 1);
  const BenchResult result = run_table(table, cases, settings_of(world));
  ASSERT_EQ(result.charts.size(), 1u);
  const evidence::Chart& chart = result.charts[0];
  EXPECT_EQ(chart.name, "rounds_scripted_n 20, kind a");
  ASSERT_EQ(chart.curves.size(), 2u) << "nobody does not take part";
  for (const evidence::ChartCurve& curve : chart.curves) {
    double sum = 0;
    for (const auto& point : curve.points) sum += point.y;
    EXPECT_GT(sum, 0.4) << curve.label;
    EXPECT_LE(sum, 1.0001) << curve.label;
  }
}

TEST(BenchOptions, have_defaults_that_measure_everything) {
  const auto options = parse({});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->pin);
  EXPECT_TRUE(options->progress);
  EXPECT_FALSE(options->json.has_value());
  const BenchTable table = program().tables[0];
  EXPECT_TRUE(options->asks_for(table, cases_of(table, 1)[3]));
}

TEST(BenchOptions, choose_tables_cases_and_lengths) {
  const auto options = parse({"--table", "scripted", "--where", "n=20", "--where", "kind=b", "--seconds", "0.5",
                              "--seed", "9", "--rounds", "40", "--no-pin", "--no-progress", "--json", "out.json"});
  ASSERT_TRUE(options.has_value());
  const BenchTable table = program().tables[0];
  const auto cases = cases_of(table, 1);
  EXPECT_FALSE(options->asks_for(table, cases[2]));
  EXPECT_TRUE(options->asks_for(table, cases[3]));
  EXPECT_EQ(options->settings().rounds, 40u);
  EXPECT_EQ(options->settings().rule.time_cap, std::chrono::milliseconds{500});
  EXPECT_EQ(options->settings().seed, 9u);
  EXPECT_FALSE(options->pin);
  EXPECT_FALSE(options->progress);
  EXPECT_EQ(options->json, "out.json");
}

TEST(BenchOptions, take_only_the_competitors_that_are_named) {
  const BenchTable table = program().tables[0];
  ASSERT_GT(table.competitors.size(), 1u);
  const std::string name = table.competitors[1].name;
  const auto options = parse({"--only", name.c_str()});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  const BenchTable reduced = options->reduced(table);
  ASSERT_EQ(reduced.competitors.size(), 1u);
  EXPECT_EQ(reduced.competitors[0].name, name);
  EXPECT_EQ(parse({})->reduced(table).competitors.size(), table.competitors.size());
  EXPECT_EQ(parse({"--only", "nobody"}).error().text, "no competitor 'nobody'; --list names them\n");
}

TEST(BenchOptions, leave_large_cases_out_when_quick_unless_asked_for_them) {
  BenchTable table = program().tables[0];
  table.is_quick = [](const BenchCase& of) { return of.integer("n") <= 10; };
  const auto cases = cases_of(table, 1);
  EXPECT_TRUE(parse({})->asks_for(table, cases[2]));
  const auto quick = parse({"--quick"});
  EXPECT_TRUE(quick->asks_for(table, cases[0]));
  EXPECT_FALSE(quick->asks_for(table, cases[2]));
  EXPECT_TRUE(parse({"--quick", "--where", "n=20"})->asks_for(table, cases[2]));
  const auto both = parse({"--where", "n=10", "--where", "n=20", "--where", "kind=b"});
  EXPECT_FALSE(both->asks_for(table, cases[0]));
  EXPECT_TRUE(both->asks_for(table, cases[1]));
  EXPECT_TRUE(both->asks_for(table, cases[3])) << "several values of one parameter are alternatives";
}

TEST(BenchOptions, write_json_to_stdout_when_no_file_is_named) {
  EXPECT_EQ(parse({"--json"})->json, "");
  EXPECT_EQ(parse({"--json", "--quick"})->json, "");
  EXPECT_EQ(parse({"--quick"})->settings().rounds, 5u);
}

TEST(BenchOptions, say_what_is_wrong) {
  const auto table = parse({"--table", "x"});
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().status, 2);
  EXPECT_EQ(table.error().text, "no table 'x'; there are: scripted\n");
  EXPECT_EQ(parse({"--where", "n"}).error().status, 2);
  EXPECT_EQ(parse({"--unknown"}).error().status, 2);
  const auto help = parse({"--help"});
  EXPECT_EQ(help.error().status, 0);
  EXPECT_NE(help.error().text.find("example: dojima-bench-scripted"), std::string::npos);
}

TEST(BenchProgram, says_in_one_line_why_a_competitor_cannot_run) {
  BenchTable table{.name = "broken", .title = "what needs another program"};
  table.competitors = {{"ours", [](const BenchCase&) -> std::unique_ptr<Competitor> {
                          throw std::runtime_error("there is no other program");
                        }}};
  const char* const words[] = {"dojima-bench-scripted", "--quick", "--no-pin", "--no-progress"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_benchmarks({.name = "scripted", .tables = {table}}, 4, words), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "dojima-bench-scripted: there is no other program\n");
}

TEST(Progress, says_how_far_and_how_long) {
  EXPECT_EQ(to_text(evidence::Progress{"record", 3, 8, "cases", 2.5}), "record  3/8 cases  1.2 cases/s  5 s left");
  EXPECT_EQ(to_text(evidence::Progress{"record", 0, 8, "cases", 2.5}), "record  0/8 cases");
  EXPECT_EQ(to_text(evidence::Progress{"orders", 50, 0, "orders", 1}), "orders  50 orders  50 orders/s");
  EXPECT_EQ(to_text(evidence::Progress{"pairs", 1, 20, "pairs", 30}), "pairs  1/20 pairs  0.0333 pairs/s  10 min left");
}

}  // namespace
}  // namespace dojima::harness
