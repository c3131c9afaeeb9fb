#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

// Commands that print a result of their own, so that no test depends on how long something takes.
constexpr const char* k_ten = R"(echo '{"tables": [{"name": "t", "rows": [{"x": 10}]}]}')";
constexpr const char* k_twelve = R"(echo '{"tables": [{"name": "t", "rows": [{"x": 12}]}]}')";

std::vector<std::string> ab(std::vector<std::string> options, const char* a, const char* b) {
  std::vector<std::string> words{"lab", "ab", "--figure", "t.x", "--pairs", "10", "--warm-up", "0"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "sh", "-c", a, "--vs", "sh", "-c", b});
  return words;
}

TEST(LabAb, calls_a_command_the_same_as_itself) {
  const Outcome outcome = call(ab({}, k_ten, k_ten));
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_NE(outcome.out.find("same: B / A = 1.0000"), std::string::npos) << outcome.out;
}

TEST(LabAb, fails_when_b_is_worse_and_knows_what_more_throughput_means) {
  EXPECT_EQ(call(ab({}, k_ten, k_twelve)).status, k_failed);
  EXPECT_EQ(call(ab({}, k_twelve, k_ten)).status, k_success);
  EXPECT_EQ(call(ab({"--higher-is-better"}, k_ten, k_twelve)).status, k_success);
}

TEST(LabAb, answers_in_an_artefact_that_verifies) {
  const Outcome outcome = call(ab({"--json"}, k_ten, k_twelve));
  EXPECT_EQ(outcome.status, k_failed);
  const evidence::Verification found = evidence::verify(outcome.out);
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
  const auto artefact = evidence::Artefact::from(*evidence::parse_document(outcome.out));
  ASSERT_TRUE(artefact.has_value());
  EXPECT_EQ(artefact->comparison()->result.verdict, measure::Verdict::worse);
}

TEST(LabAb, repeats_a_comparison_and_counts_verdicts) {
  const Outcome outcome = call(ab({"--trials", "3"}, k_ten, k_twelve));
  EXPECT_EQ(outcome.status, k_success);
  EXPECT_NE(outcome.out.find("worse          3"), std::string::npos) << outcome.out;
}

TEST(LabAb, says_what_is_missing) {
  const Outcome outcome = call({"lab", "ab", "--", "true"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_NE(outcome.err.find("two commands are needed"), std::string::npos) << outcome.err;
  const Outcome failing = call({"lab", "ab", "--", "false", "--vs", "true"});
  EXPECT_EQ(failing.status, k_environment);
  EXPECT_NE(failing.err.find("false: exit status 1"), std::string::npos) << failing.err;
}

TEST(Bench, says_which_benchmarks_there_are) {
  const Outcome outcome = call({"bench", "no_such_thing"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_NE(outcome.err.find("no benchmark \"no_such_thing\" beside this program"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace dojima::cli
