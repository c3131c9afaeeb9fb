#include "dojima/harness/call_profile.hpp"

#include <gtest/gtest.h>

namespace dojima::harness {
namespace {

constexpr std::string_view k_profile =
    "# callgrind format\n"
    "version: 1\n"
    "creator: callgrind-3.19.0\n"
    "positions: line\n"
    "events: Ir Dr Bcm\n"
    "\n"
    "ob=/bin/road\n"
    "fl=road.cpp\n"
    "fn=turn(int)\n"
    "0 10 4\n"
    "cfn=receive(char)'turn(int)\n"
    "calls=3 0\n"
    "0 900 100 5\n"
    "0 1\n"
    "fn=receive(char)'turn(int)\n"
    "0 20 2 1\n"
    "cfn=copy'receive(char)'turn(int)\n"
    "calls=6 0\n"
    "0 60\n"
    "fn=copy'receive(char)'turn(int)\n"
    "0 60\n"
    "fn=copy'2'turn(int)\n"
    "0 7\n"
    "summary: 98 6 1\n";

TEST(CallProfile, a_function_has_what_it_cost_itself_with_its_callers_and_calls) {
  const auto profile = read_call_profile(k_profile);
  ASSERT_TRUE(profile.has_value()) << profile.error();
  ASSERT_EQ(profile->stacks.size(), 4U);
  const StackCost& turn = profile->stacks[0];
  EXPECT_EQ(turn.frames, (std::vector<std::string>{"turn(int)"}));
  EXPECT_EQ(turn.self, (std::vector<std::uint64_t>{11, 4, 0})) << "what it called does not count as its own";
  const StackCost& copy = profile->stacks[3];
  EXPECT_EQ(copy.frames, (std::vector<std::string>{"turn(int)", "receive(char)", "copy"}));
  EXPECT_EQ(copy.calls, 6U);
  EXPECT_EQ(profile->sum("Ir"), 98U);
  EXPECT_EQ(profile->sum("Bcm"), 1U);
  EXPECT_EQ(profile->sum("DLmr"), 0U);
  EXPECT_EQ(profile->creator, "callgrind-3.19.0");
}

TEST(CallProfile, the_level_of_a_recursion_is_no_function) {
  const auto profile = read_call_profile(k_profile);
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->stacks[1].frames, (std::vector<std::string>{"turn(int)", "copy"}));
}

TEST(CallProfile, what_is_not_callgrinds_is_refused_with_its_line) {
  const auto compressed = read_call_profile("positions: line\nevents: Ir\nfn=a\n+3 5\n");
  ASSERT_FALSE(compressed.has_value());
  EXPECT_EQ(compressed.error(), "line 4 of the profile is not callgrind's: \"+3 5\"");
  EXPECT_FALSE(read_call_profile("hello").has_value());
  EXPECT_FALSE(read_call_profile("positions: instr line\nevents: Ir\n").has_value());
  EXPECT_FALSE(read_call_profile("events: Ir\nfn=a\n0 1 2\n").has_value()) << "more costs than events";
  EXPECT_FALSE(read_call_profile("events: Ir\n0 1\n").has_value()) << "a cost of no function";
  EXPECT_FALSE(read_call_profile("").has_value());
}

TEST(CallProfile, the_innermost_known_function_decides_the_stage_and_the_first_rule_that_knows_it) {
  const StageRule rules[] = {{0, "receive("}, {1, "encode"}, {2, "e"}};
  const std::vector<std::string> frames{"main", "receive(char)", "encode(int)", "copy"};
  StageMatch match = stage_of(frames, rules);
  EXPECT_EQ(match.stage, 1U);
  EXPECT_EQ(match.frame, 2U);
  EXPECT_EQ(match.rule, 1U);
  match = stage_of(std::span(frames).first(2), rules);
  EXPECT_EQ(match.stage, 0U);
  EXPECT_EQ(match.frame, 1U);
  EXPECT_EQ(stage_of(std::span(frames).first(1), rules).stage, k_no_stage);
}

TEST(CallProfile, a_stage_begins_with_its_outermost_function_behind_the_stage_before) {
  const StageRule rules[] = {{0, "session"}, {1, "match"}};
  const std::vector<std::string> frames{"session_in", "match_a", "helper", "match_b", "copy"};
  const StageMatch match = stage_of(frames, rules);
  EXPECT_EQ(match.stage, 1U);
  EXPECT_EQ(match.frame, 1U);
}

TEST(CallProfile, short_names_have_no_parameters_template_arguments_or_results) {
  EXPECT_EQ(short_name("dojima::venue::Risk::check(dojima::market::NewOrder const&) const"),
            "dojima::venue::Risk::check");
  EXPECT_EQ(short_name("void dojima::book::BasicBook<dojima::book::Ladder<2> >::match_plain<true>(int)"),
            "dojima::book::BasicBook::match_plain");
  EXPECT_EQ(short_name("dojima::fix::(anonymous namespace)::digits(char)"), "dojima::fix::digits");
  EXPECT_EQ(short_name("memcpy"), "memcpy");
  EXPECT_EQ(short_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_name("Machine::operator()(int) const"), "Machine::operator()");
}

}  // namespace
}  // namespace dojima::harness
