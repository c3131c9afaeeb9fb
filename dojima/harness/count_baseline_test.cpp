#include "dojima/harness/count_baseline.hpp"

#include <gtest/gtest.h>

namespace dojima::harness {
namespace {

CountBaseline counted(double parse, double match) {
  return {.circumstances = {{"compiler", "GNU 12.2.0"}, {"flags", "-O3"}},
          .counts = {{"match", match}, {"parse", parse}}};
}

TEST(CountBaseline, it_is_read_back_as_it_was_written) {
  const auto read = read_baseline(text_of(counted(812.25, 1090)));
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(read->circumstances, counted(0, 0).circumstances);
  EXPECT_EQ(read->counts, counted(812.25, 1090).counts);
}

TEST(CountBaseline, growth_of_two_percent_passes_and_more_does_not) {
  const auto just = compare(counted(1000, 500), counted(1020, 500));
  ASSERT_TRUE(just.has_value());
  for (const CountFinding& finding : *just) EXPECT_FALSE(finding.has_grown) << finding.name;
  const auto more = compare(counted(1000, 500), counted(1021, 500));
  ASSERT_TRUE(more.has_value());
  EXPECT_FALSE(more->at(0).has_grown);
  EXPECT_EQ(more->at(0).remark, "");
  EXPECT_TRUE(more->at(1).has_grown);
  EXPECT_EQ(more->at(1).remark, "1000.0 -> 1021.0, +2.10 %");
}

TEST(CountBaseline, less_is_no_growth_and_neither_is_a_fraction_of_an_instruction) {
  const auto findings = compare(counted(1000, 3), counted(900, 3.4));
  ASSERT_TRUE(findings.has_value());
  for (const CountFinding& finding : *findings) EXPECT_FALSE(finding.has_grown) << finding.name;
}

TEST(CountBaseline, a_count_that_is_new_or_gone_needs_a_new_baseline) {
  CountBaseline after = counted(1000, 500);
  after.counts[0].first = "risk";
  const auto findings = compare(counted(1000, 500), after);
  ASSERT_TRUE(findings.has_value());
  ASSERT_EQ(findings->size(), 3U);
  EXPECT_EQ(findings->at(0).remark, "is counted no more");
  EXPECT_TRUE(findings->at(0).has_grown);
  EXPECT_EQ(findings->at(2).remark, "is not in the baseline");
  EXPECT_TRUE(findings->at(2).has_grown);
}

TEST(CountBaseline, counts_of_another_compiler_are_refused_in_one_line) {
  CountBaseline clang = counted(1000, 500);
  clang.circumstances[0].second = "Clang 19.1.7";
  const auto refused = compare(clang, counted(1000, 500));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            "was counted with compiler \"Clang 19.1.7\", and this is \"GNU 12.2.0\": such counts do not compare");
  clang.circumstances.erase(clang.circumstances.begin());
  EXPECT_FALSE(compare(clang, counted(1000, 500)).has_value());
}

TEST(CountBaseline, what_cannot_be_held_against_it_is_known_before_counting) {
  const CountBaseline planned = counted(0, 0);
  EXPECT_TRUE(fits(counted(1000, 500), planned).has_value());
  CountBaseline clang = counted(1000, 500);
  clang.circumstances[0].second = "Clang 19.1.7";
  EXPECT_EQ(fits(clang, planned).error(),
            "was counted with compiler \"Clang 19.1.7\", and this is \"GNU 12.2.0\": such counts do not compare");
  CountBaseline half = counted(1000, 500);
  half.counts.pop_back();
  EXPECT_EQ(fits(half, planned).error(), "has no count of \"parse\"");
  half.counts[0].first = "risk";
  EXPECT_EQ(fits(half, planned).error(),
            "has no count of \"match\", \"parse\" and counts \"risk\", which there is no more");
}

TEST(CountBaseline, what_is_no_baseline_is_refused_with_the_reason) {
  EXPECT_EQ(read_baseline("{}").error(), "is no baseline of counts: its schema is not \"dojima.counts/1\"");
  EXPECT_TRUE(read_baseline("{").error().starts_with("is no JSON: "));
  EXPECT_EQ(read_baseline(R"({"schema":"dojima.counts/1","counts":{"parse":-1}})").error(),
            "has no count of \"parse\": a number of at least 0 was expected");
  EXPECT_EQ(read_baseline(R"({"schema":"dojima.counts/1","circumstances":{},"counts":{}})").error(), "has no counts");
}

}  // namespace
}  // namespace dojima::harness
