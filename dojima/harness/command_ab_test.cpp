#include "dojima/harness/command_ab.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

#include "dojima/harness/bench_merge.hpp"

namespace dojima::harness {
namespace {

constexpr std::string_view k_result =
    R"({"tables": [{"name": "hold", "columns": ["container", "n", "ns"],
        "rows": [{"container": "heap", "n": 10, "ns": 20.5}, {"container": "wheel", "n": 10, "ns": 17},
                 {"container": "wheel", "n": 20, "ns": null}]}]})";

TEST(Figure, is_found_by_table_column_and_row) {
  const evidence::Document result = *evidence::parse_document(k_result);
  EXPECT_EQ(figure_of(result, "hold.ns@container=heap"), 20.5);
  EXPECT_EQ(figure_of(result, "hold.ns@container=wheel,n=10"), 17.0);
}

TEST(Figure, may_be_chosen_by_a_value_with_commas) {
  const evidence::Document result = *evidence::parse_document(
      R"({"tables":[{"name":"ab","columns":["competitor","n","ns"],"rows":[{"competitor":"emplace, load 1","n":3,"ns":7},
          {"competitor":"emplace, load 0.25","n":3,"ns":5}]}]})");
  EXPECT_EQ(figure_of(result, "ab.ns@competitor=emplace, load 0.25"), 5.0);
  EXPECT_EQ(figure_of(result, "ab.ns@competitor=emplace, load 1,n=3"), 7.0);
}

TEST(Figure, says_what_there_is_instead) {
  const evidence::Document result = *evidence::parse_document(k_result);
  EXPECT_EQ(figure_of(result, "hld.ns").error(), "no table hld; there are: hold");
  EXPECT_EQ(figure_of(result, "hold.ns@container=wheel").error(),
            "2 rows of the table hold match, choose one with @COLUMN=VALUE");
  EXPECT_EQ(figure_of(result, "hold.ns@n=20").error(), "no number in the column ns");
  EXPECT_EQ(figure_of(result, "hold.ns@0").error(), "the table hold has no column 0; choose rows with @COLUMN=VALUE");
  EXPECT_EQ(figure_of(result, "hold").error(), "a figure is TABLE.COLUMN[@COLUMN=VALUE,...]");
}

/// Commands that take as long as their second word says, a little more each time.
AbPlan scripted_plan(std::vector<std::string>& calls) {
  AbPlan plan{.a = {"cmd", "100"}, .b = {"cmd", "110"}, .pairs = 12};
  plan.run = [&calls](const std::vector<std::string>& words) -> std::expected<evidence::ChildRun, std::string> {
    calls.push_back(words[1]);
    return evidence::ChildRun{.wall_s = std::stod(words[1]) + 0.01 * static_cast<double>(calls.size()), .user_s = 5};
  };
  return plan;
}

TEST(CommandAb, interleaves_and_judges) {
  std::vector<std::string> calls;
  const auto result = run_ab(scripted_plan(calls));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(calls.size(), 2u * (12 + 1));
  EXPECT_EQ(std::vector<std::string>(calls.begin(), calls.begin() + 8),
            (std::vector<std::string>{"100", "110", "110", "100", "100", "110", "110", "100"}));
  EXPECT_EQ(result->comparison.verdict, measure::Verdict::worse);
  EXPECT_EQ(result->comparison.pairs, 12u);
  EXPECT_NEAR(result->comparison.ratio.estimate, 1.1, 0.001);
  EXPECT_EQ(result->runs.size(), 24u);
}

TEST(CommandAb, reads_a_figure_from_stdout_or_from_the_file_it_names) {
  AbPlan plan{.a = {"a"}, .b = {"b", "--json={json}"}, .pairs = 10, .measure = AbMeasure::figure, .figure = "t.x"};
  plan.run = [](const std::vector<std::string>& words) -> std::expected<evidence::ChildRun, std::string> {
    const auto text = [](double x) {
      return R"({"tables": [{"name": "t", "rows": [{"x": )" + std::to_string(x) + "}]}]}";
    };
    if (words[0] == "a") return evidence::ChildRun{.output = text(10)};
    std::ofstream(words[1].substr(7)) << text(8);
    return evidence::ChildRun{};
  };
  const auto result = run_ab(plan);
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_EQ(result->comparison.verdict, measure::Verdict::better);
  EXPECT_DOUBLE_EQ(result->comparison.ratio.estimate, 0.8);
}

TEST(CommandAb, measures_the_time_that_its_plan_names) {
  AbPlan plan{.a = {"a"}, .b = {"b"}, .pairs = 10};
  plan.run = [](const std::vector<std::string>& words) -> std::expected<evidence::ChildRun, std::string> {
    if (words[0] == "a") return evidence::ChildRun{.wall_s = 10, .user_s = 4, .system_s = 1};
    return evidence::ChildRun{.wall_s = 20, .user_s = 2, .system_s = 3};
  };
  EXPECT_DOUBLE_EQ(run_ab(plan)->comparison.ratio.estimate, 2.0);
  plan.measure = AbMeasure::cpu;
  EXPECT_DOUBLE_EQ(run_ab(plan)->comparison.ratio.estimate, 1.0);
  plan.measure = AbMeasure::user;
  EXPECT_DOUBLE_EQ(run_ab(plan)->comparison.ratio.estimate, 0.5);
}

TEST(CommandAb, names_the_command_that_failed) {
  AbPlan plan{.a = {"a", "-x"}, .b = {"b"}, .pairs = 10};
  plan.run = [](const std::vector<std::string>&) -> std::expected<evidence::ChildRun, std::string> {
    return evidence::ChildRun{.status = 3, .errors = "no port"};
  };
  EXPECT_EQ(run_ab(plan).error(), "a -x: exit status 3\nno port");
}

TEST(CommandAb, keeps_whole_pairs_when_interrupted) {
  std::vector<std::string> calls;
  AbPlan plan = scripted_plan(calls);
  plan.is_interrupted = [&calls] { return calls.size() >= 7; };
  const auto result = run_ab(plan);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->was_interrupted);
  EXPECT_EQ(result->runs.size(), 4u);
  EXPECT_EQ(result->comparison.verdict, measure::Verdict::unstable) << "two pairs say nothing";
}

TEST(CommandAb, becomes_an_artefact_with_both_arms_and_the_verdict) {
  std::vector<std::string> calls;
  const AbPlan plan = scripted_plan(calls);
  const evidence::Artefact artefact = artefact_of(plan, *run_ab(plan));
  EXPECT_EQ(artefact.command(), "dojima lab ab -- cmd 100 --vs cmd 110");
  EXPECT_EQ(artefact.runs().size(), 24u);
  ASSERT_TRUE(artefact.comparison().has_value());
  EXPECT_EQ(artefact.comparison()->result.verdict, measure::Verdict::worse);
  EXPECT_NEAR(artefact.comparison()->result.ratio.estimate, 1.1, 0.001);
  EXPECT_EQ(figure_of(artefact.document(), "ab.pairs"), 12.0);
}

TEST(CommandAb, counts_the_verdicts_of_repeated_comparisons) {
  std::vector<std::string> calls;
  const AbPlan plan = scripted_plan(calls);
  const std::vector<AbResult> trials{*run_ab(plan), *run_ab(plan)};
  const evidence::Document result = artefact_of_trials(plan, trials).document();
  EXPECT_EQ(figure_of(result, "verdicts.trials@verdict=worse"), 2.0);
  EXPECT_EQ(figure_of(result, "verdicts.trials@verdict=same"), 0.0);
  EXPECT_EQ(figure_of(result, "trials.pairs@trial=2"), 12.0);
}

TEST(ChildProcess, is_run_timed_and_heard) {
  const auto run = evidence::run_child({"sh", "-c", "echo out; echo err >&2; exit 4"}, evidence::ChildOutput::kept);
  ASSERT_TRUE(run.has_value()) << run.error();
  EXPECT_EQ(run->status, 4);
  EXPECT_EQ(run->output, "out\n");
  EXPECT_EQ(run->errors, "err\n");
  EXPECT_GT(run->wall_s, 0);
  EXPECT_EQ(evidence::run_child({"sh", "-c", "kill -9 $$"}, evidence::ChildOutput::kept)->status, 128 + 9);
}

TEST(ChildProcess, is_interrupted_also_where_interrupts_are_ignored_here) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  const auto run = evidence::run_child({"sleep", "30"}, evidence::ChildOutput::kept, 0.05);
  static_cast<void>(std::signal(SIGINT, before));
  ASSERT_TRUE(run.has_value()) << run.error();
  EXPECT_EQ(run->status, 128 + 2);
}

TEST(ChildProcess, is_ended_when_its_time_is_over) {
  const auto run = evidence::run_child({"sleep", "30"}, evidence::ChildOutput::kept, 0.05);
  ASSERT_TRUE(run.has_value()) << run.error();
  EXPECT_TRUE(run->was_ended);
  EXPECT_EQ(run->status, 128 + 2);
  EXPECT_LT(run->wall_s, 20);
  const auto brief = evidence::run_child({"sh", "-c", "exit 4"}, evidence::ChildOutput::kept, 60);
  EXPECT_FALSE(brief->was_ended);
  EXPECT_EQ(brief->status, 4);
}

TEST(ChildProcess, says_why_it_did_not_start) {
  EXPECT_EQ(evidence::run_child({"/no/such/program"}, evidence::ChildOutput::kept).error(),
            "cannot start /no/such/program: No such file or directory");
  EXPECT_FALSE(evidence::run_child({}, evidence::ChildOutput::kept).has_value());
}

evidence::Artefact result_of(const char* compiler, std::vector<evidence::Column> columns,
                             std::vector<evidence::Cell> row) {
  evidence::Artefact artefact("dojima bench x");
  evidence::Table table{"t", "title", std::move(columns), {}, {"note"}};
  table.add_row(std::move(row));
  artefact.add_table(std::move(table)).add_check("agree", true);
  evidence::Document evidence = evidence::Document::object();
  evidence.set("compiler", compiler);
  artefact.set_evidence(std::move(evidence));
  return artefact;
}

TEST(BenchMerge, puts_builds_into_one_table_with_a_column_for_the_compiler) {
  const std::vector<evidence::Artefact> results{result_of("GNU 12", {{"n"}, {"ns"}}, {1, 2.5}),
                                                result_of("Clang 19", {{"ns"}, {"extra"}, {"n"}}, {2.0, "x", 1})};
  const evidence::Artefact both = merged(results);
  ASSERT_EQ(both.tables().size(), 1u);
  const evidence::Table& table = both.tables()[0];
  EXPECT_EQ(to_text(table),
            "t: title\n\n"
            "compiler  n    ns  extra\n"
            "GNU 12    1  2.50  -\n"
            "Clang 19  1  2.00  x\n"
            "\nextra -: not in this result\nnote\n");
  EXPECT_EQ(both.checks()[1].name, "Clang 19: agree");
  EXPECT_EQ(both.parameters().at("merged").elements().size(), 2u);
}

}  // namespace
}  // namespace dojima::harness
