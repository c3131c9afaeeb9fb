#include "dojima/harness/tuning.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace dojima::harness {
namespace {

/// A program whose p50 is halved by the setting "quick", whose p99.9 is doubled by it, and which cannot have "never".
class MadeUpProgram {
 public:
  std::expected<evidence::ChildRun, std::string> operator()(const std::vector<std::string>& words) {
    calls.push_back(words.size() > 1 ? words[1] : "");
    const bool is_quick = calls.back() == "quick";
    if (calls.back() == "never") return evidence::ChildRun{.status = 3, .errors = "some text\ndojima: refused\n"};
    const double noise = 1 + 0.001 * static_cast<double>(calls.size() % 3);
    const double p50 = (is_quick ? 50 : 100) * noise * (is_loaded ? 2 : 1);
    const double p999 = (is_quick ? 2000 : 1000) * noise;
    return evidence::ChildRun{.output = "{\"tables\":[{\"name\":\"latency\",\"rows\":[{\"p50\":" + std::to_string(p50) +
                                        ",\"p999\":" + std::to_string(p999) + "}]}]}"};
  }
  std::vector<std::string> calls;
  bool is_loaded = false;
};

TunePlan plan_of(MadeUpProgram& program) {
  return {.command = {"program"},
          .settings = {{"quick", {"quick"}}, {"idle", {"idle"}}, {"never", {"never"}}},
          .figures = {{"p50", "latency.p50"}, {"p99.9", "latency.p999"}},
          .pairs = 12,
          .load = [&program](bool is_on) { program.is_loaded = is_on; },
          .run = std::ref(program)};
}

TEST(Tuning, each_setting_gets_a_verdict_for_each_figure_and_load) {
  MadeUpProgram program;
  const auto result = run_tune(plan_of(program));
  ASSERT_TRUE(result.has_value()) << result.error();
  ASSERT_EQ(result->outcomes.size(), 6U);
  const TuneOutcome& quick = result->outcomes[0];
  EXPECT_EQ(quick.comparisons[0].verdict, measure::Verdict::better);
  EXPECT_NEAR(quick.comparisons[0].ratio.estimate, 0.5, 0.01);
  EXPECT_EQ(quick.comparisons[1].verdict, measure::Verdict::worse);
  EXPECT_EQ(result->outcomes[1].comparisons[0].verdict, measure::Verdict::same);
  EXPECT_TRUE(result->outcomes[3].is_loaded);
  EXPECT_NEAR(result->outcomes[3].comparisons[0].median_a, 200, 2) << "measured beside the load";
  EXPECT_FALSE(program.is_loaded) << "the load has ended";
}

TuneResult result_with(std::vector<measure::Comparison> of_p999) {
  TuneResult result{.figures = {{"p50", "latency.p50"}, {"p99.9", "latency.p999"}}, .outcomes = {}};
  for (const measure::Comparison& each : of_p999)
    result.outcomes.push_back({.setting = "all", .is_loaded = true, .comparisons = {measure::Comparison{}, each}});
  return result;
}

TEST(Tuning, a_target_is_met_or_missed_by_the_whole_interval_and_undecidable_otherwise) {
  using measure::Comparison;
  TuneResult result = result_with({Comparison{.ratio = {0.3, 0.2, 0.5}, .relative_mad = 0.125, .pairs = 10},
                                   Comparison{.ratio = {0.8, 0.501, 0.9}, .pairs = 10},
                                   Comparison{.ratio = {0.3, 0.2, 0.501}, .relative_mad = 0.4, .pairs = 10},
                                   Comparison{.ratio = {0.8, 0.5, 0.9}, .pairs = 10},
                                   Comparison{.ratio = {0.3, 0.2, 0.4}, .pairs = 9}});
  result.outcomes.push_back({.setting = "policy", .is_loaded = true, .refusal = "not permitted"});
  result.outcomes.push_back({.setting = "quiet", .is_loaded = false, .comparisons = result.outcomes[0].comparisons});
  const evidence::Table table = tune_target_table(result, "p99.9", 0.5);
  ASSERT_EQ(table.rows.size(), 6U) << "of those beside a load";
  std::vector<std::string> verdicts;
  std::vector<std::string> why;
  for (const auto& row : table.rows) {
    verdicts.push_back(*row[table.column("verdict")].text());
    why.push_back(*row[table.column("why")].text());
  }
  EXPECT_EQ(verdicts,
            (std::vector<std::string>{"met", "missed", "undecidable", "undecidable", "undecidable", "unavailable"}));
  EXPECT_EQ(why[0], "pairs differ by 12.5 %");
  EXPECT_EQ(why[2], "the interval has the limit in it; pairs differ by 40.0 %");
  EXPECT_EQ(why[4], "9 pairs of runs; it takes 10");
  EXPECT_EQ(why[5], "not permitted");
  EXPECT_NEAR(table.rows[0][table.column("spread_percent")].number(), 12.5, 1e-12);
}

TEST(Tuning, runs_are_interleaved_so_that_a_drift_reaches_both) {
  MadeUpProgram program;
  ASSERT_TRUE(run_tune(plan_of(program)).has_value());
  const std::vector<std::string> first(program.calls.begin(), program.calls.begin() + 4);
  EXPECT_EQ(first, (std::vector<std::string>{"", "quick", "quick", ""}));
}

TEST(Tuning, a_setting_that_is_refused_is_unavailable_and_the_others_go_on) {
  MadeUpProgram program;
  const auto result = run_tune(plan_of(program));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcomes[2].refusal, "dojima: refused");
  EXPECT_EQ(std::ranges::count(program.calls, "never"), 2) << "once for each load";
  const evidence::Table table = tune_table(*result);
  ASSERT_EQ(table.rows.size(), 12U);
  EXPECT_EQ(*table.rows[4][table.column("verdict")].text(), "unavailable");
  EXPECT_FALSE(table.rows[4][table.column("ratio")].is_measured());
}

TEST(Tuning, a_command_that_fails_by_itself_is_an_error) {
  MadeUpProgram program;
  TunePlan plan = plan_of(program);
  plan.run = [](const std::vector<std::string>&) { return evidence::ChildRun{.status = 3, .errors = "no port\n"}; };
  const auto result = run_tune(plan);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), "without quick: no port");
}

TEST(Tuning, an_error_says_whether_the_setting_was_on) {
  MadeUpProgram program;
  TunePlan plan = plan_of(program);
  plan.run = [&program](const std::vector<std::string>& words) -> std::expected<evidence::ChildRun, std::string> {
    return words.size() > 1 ? evidence::ChildRun{.status = 2, .errors = "bad\n"} : *program(words);
  };
  EXPECT_EQ(run_tune(plan).error(), "with quick: bad");
}

TEST(Tuning, an_interrupt_leaves_what_was_measured_so_far) {
  MadeUpProgram program;
  TunePlan plan = plan_of(program);
  plan.is_interrupted = [&program] { return program.calls.size() >= 30; };
  const auto result = run_tune(plan);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->was_interrupted);
  EXPECT_EQ(result->outcomes.size(), 2U);
  EXPECT_LT(result->outcomes[1].comparisons[0].pairs, 12U);
}

}  // namespace
}  // namespace dojima::harness
