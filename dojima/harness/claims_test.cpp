#include "dojima/harness/claims.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "dojima/evidence/verify.hpp"

namespace dojima::harness {
namespace {

constexpr std::string_view k_protocols = R"("protocols":[
  {"name":"hold","meaning":"events held","words":["dojima-bench-sched","--table","hold"],"short_words":["dojima-bench-sched"]},
  {"name":"long","meaning":"events held for long","words":["dojima-bench-sched","--long"],"short_words":[]}])";

/// A set with one claim whose members follow an id, a source, a statement.
std::string set_with(const std::string& members) {
  return R"({"schema":"dojima.claims/1",)" + std::string(k_protocols) +
         R"(,"claims":[{"id":"c","source":"s","statement":"it is so")" + members + "}]}";
}

constexpr const char* k_ratio =
    R"(,"given":0.8,"given_text":"0.8","protocol":"hold","number":"hold.ns@container=a","divisor":"hold.ns@container=b","rule":"at_most","limit":1)";

evidence::Document result_of(double a, double b) {
  return *evidence::parse_document(
      R"({"tables":[{"name":"hold","rows":[{"container":"a","ns":)" + std::to_string(a) +
      R"(},{"container":"b","ns":)" + std::to_string(b) +
      R"(},{"container":"none","ns":null}]}],"evidence":{"quality":[{"field":"tables.hold.ns","label":"unavailable","reason":"no counters"}]}})");
}

std::string error_of(const std::string& members) {
  const auto set = parse_claims(set_with(members));
  return set ? "parsed" : set.error();
}

TEST(Claims, of_the_program_are_well_formed_and_from_all_five_documents) {
  const auto set = parse_claims(known_claims());
  ASSERT_TRUE(set) << set.error();
  EXPECT_GE(set->claims.size(), 40u);
  std::set<std::string> documents;
  std::size_t answerable = 0;
  for (const Claim& claim : set->claims) {
    documents.insert(claim.id.substr(0, 3));
    answerable += claim.cannot.empty() ? 1U : 0U;
  }
  EXPECT_EQ(documents, (std::set<std::string>{"000", "001", "002", "003", "004"}));
  EXPECT_GE(answerable, 25u);
  // With what it takes to end a protocol: five minutes, and half a minute.
  EXPECT_LE(planned_seconds(*set, false), 290);
  EXPECT_LE(planned_seconds(*set, true), 29);
}

TEST(Claims, are_given_the_time_that_is_planned_and_say_how_much_of_it_is_gone) {
  const std::string a_claim =
      R"(,"source":"s","statement":"t","given":1,"given_text":"1","number":"hold.ns@container=a","rule":"at_most","limit":200)";
  const auto set = parse_claims(R"({"schema":"dojima.claims/1","protocols":[
      {"name":"p","meaning":"m","words":["w"],"short_words":["s"],"seconds":100,"short_seconds":7},
      {"name":"unasked","meaning":"m","words":["w"],"seconds":1000},
      {"name":"q","meaning":"m","words":["w"],"seconds":50}],"claims":[
      {"id":"1","protocol":"p")" +
                                a_claim + R"(},{"id":"2","protocol":"q")" + a_claim + "}]}");
  ASSERT_TRUE(set) << set.error();
  EXPECT_EQ(planned_seconds(*set, false), 150);
  EXPECT_EQ(planned_seconds(*set, true), 7);
  std::vector<double> given;
  std::vector<double> gone;
  const auto plan = [&](bool is_short) {
    return ClaimPlan{
        .is_short = is_short,
        .run = [&](const auto&, double seconds) -> std::expected<evidence::Document, std::string> {
          given.push_back(seconds);
          return result_of(1, 1);
        },
        .progress = [&](double done, double all, const std::string&) { gone.insert(gone.end(), {done, all}); }};
  };
  static_cast<void>(ask(*set, plan(false)));
  EXPECT_EQ(given, (std::vector<double>{100, 50}));
  EXPECT_EQ(gone, (std::vector<double>{0, 150, 100, 150}));
  given.clear();
  static_cast<void>(ask(*set, plan(true)));
  EXPECT_EQ(given, (std::vector<double>{7}));
  EXPECT_EQ(parse_claims(R"({"schema":"dojima.claims/1","protocols":[
      {"name":"p","meaning":"m","words":["w"],"seconds":0}],"claims":[]})")
                .error(),
            "protocol 'p': may take no time: seconds and short_seconds are above 0");
}

TEST(Claims, are_judged_by_their_rule_alone) {
  const auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  const ClaimAnswer faster = judge(set->claims[0], result_of(70, 100));
  EXPECT_EQ(faster.verdict, ClaimVerdict::reproduced);
  EXPECT_DOUBLE_EQ(*faster.measured, 0.7);
  EXPECT_EQ(faster.why, "0.7, the rule: at most 1");
  EXPECT_EQ(judge(set->claims[0], result_of(150, 100)).verdict, ClaimVerdict::not_reproduced);
  const ClaimAnswer near = judge(set->claims[0], result_of(101, 100));
  EXPECT_EQ(near.verdict, ClaimVerdict::inconclusive);
  EXPECT_NE(near.why.find("too near to the limit"), std::string::npos);
}

TEST(Claims, are_not_told_from_runs_that_vary_by_more_than_what_is_left_to_the_limit) {
  const auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  const auto noisy = [](double mad) {
    return *evidence::parse_document(R"({"tables":[{"name":"hold","rows":[
        {"container":"a","ns":90,"mad_percent":)" +
                                     std::to_string(mad) + R"(},{"container":"b","ns":100,"mad_percent":1}]}]})");
  };
  EXPECT_EQ(judge(set->claims[0], noisy(2)).verdict, ClaimVerdict::reproduced);
  EXPECT_EQ(judge(set->claims[0], noisy(12)).verdict, ClaimVerdict::inconclusive);
}

TEST(Claims, may_be_within_a_tolerance_and_about_counts) {
  auto set = parse_claims(set_with(
      R"(,"given":1,"given_text":"1","protocol":"hold","number":"hold.ns@container=a","rule":"within","limit":1,"tolerance":0.2)"));
  ASSERT_TRUE(set) << set.error();
  EXPECT_EQ(judge(set->claims[0], result_of(0.9, 1)).verdict, ClaimVerdict::reproduced);
  EXPECT_EQ(judge(set->claims[0], result_of(1.5, 1)).verdict, ClaimVerdict::not_reproduced);
  set->claims[0].rule = ClaimRule::at_most;
  set->claims[0].limit = 0;
  EXPECT_EQ(judge(set->claims[0], result_of(0, 1)).verdict, ClaimVerdict::reproduced);
  EXPECT_EQ(judge(set->claims[0], result_of(0.001, 1)).verdict, ClaimVerdict::not_reproduced) << "a count has no noise";
}

TEST(Claims, cannot_be_told_where_the_number_is_missing_and_say_why) {
  auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  set->claims[0].number = "hold.ns@container=none";
  EXPECT_EQ(judge(set->claims[0], result_of(1, 1)).why, "no counters");
  set->claims[0].number = "hold.ns@container=nobody";
  EXPECT_EQ(judge(set->claims[0], result_of(1, 1)).verdict, ClaimVerdict::inconclusive);
  EXPECT_NE(judge(set->claims[0], result_of(1, 1)).why.find("0 rows"), std::string::npos);
}

TEST(Claims, whose_row_was_not_reached_in_time_say_so) {
  auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  set->claims[0].number = "hold.ns@container=nobody";
  const auto result_with = [](const std::string& note) {
    return *evidence::parse_document(R"({"tables":[{"name":"hold","notes":["in turn",")" + note +
                                     R"("],"rows":[{"container":"a","ns":90}]}]})");
  };
  EXPECT_EQ(judge(set->claims[0], result_with("interrupted: results so far")).why,
            "the time that is planned for it was over before this row was measured");
  EXPECT_NE(judge(set->claims[0], result_with("all of them")).why.find("0 rows"), std::string::npos);
}

TEST(Claims, lack_nothing) {
  EXPECT_EQ(error_of(k_ratio), "parsed");
  EXPECT_TRUE(error_of(R"(,"given_text":"0.8","cannot":"no"})").starts_with("no JSON: "));
  EXPECT_EQ(error_of(R"(,"given_text":"0.8","cannot":"no")"), "claim c: lacks the figure that the source gave");
  EXPECT_EQ(error_of(R"(,"given":"fast","given_text":"0.8","cannot":"no")"),
            "claim c: lacks the figure that the source gave");
  EXPECT_EQ(error_of(R"(,"given":1,"cannot":"no")"), "claim c: lacks the figure in words");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1")"), "claim c: no protocol ''");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","protocol":"hold")"),
            "claim c: lacks the number that is to be measured");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","protocol":"hold","number":"a.b","rule":"near","limit":1)"),
            "claim c: the rule is one of at_most, at_least, within, not 'near'");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","protocol":"hold","number":"a.b","rule":"at_most")"),
            "claim c: lacks the limit of its rule");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","protocol":"hold","number":"a.b","rule":"within","limit":1)"),
            "claim c: the rule within needs a tolerance above 0");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","cannot":"no","protocol":"hold")"),
            "claim c: has a protocol and a reason why there is none");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","cannot":"no","figure":2)"), "claim c: unknown member 'figure'");
  EXPECT_EQ(parse_claims("{}").error(), "the schema is dojima.claims/1");
  EXPECT_EQ(parse_claims(R"({"schema":"dojima.claims/1","claims":[]})").error(), "no claims");
}

TEST(Claims, run_each_protocol_once_and_not_the_dear_ones_in_the_short_form) {
  const auto set = parse_claims(R"({"schema":"dojima.claims/1",)" + std::string(k_protocols) + R"(,"claims":[
        {"id":"a","source":"s","statement":"t")" +
                                k_ratio + R"(},
        {"id":"b","source":"s","statement":"t")" +
                                k_ratio + R"(},
        {"id":"c","source":"s","statement":"t","given":1,"given_text":"1","protocol":"long","number":"hold.ns@container=a","rule":"at_most","limit":200},
        {"id":"d","source":"s","statement":"t","given":1,"given_text":"1","cannot":"no such machine"}]})");
  ASSERT_TRUE(set) << set.error();
  std::vector<std::vector<std::string>> runs;
  const auto run = [&runs](const std::vector<std::string>& words,
                           double) -> std::expected<evidence::Document, std::string> {
    runs.push_back(words);
    return result_of(50, 100);
  };
  auto answers = ask(*set, {.is_short = true, .run = run});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0], (std::vector<std::string>{"dojima-bench-sched"}));
  EXPECT_EQ(answers[1].verdict, ClaimVerdict::reproduced);
  EXPECT_EQ(answers[2].verdict, ClaimVerdict::inconclusive);
  EXPECT_NE(answers[2].why.find("short form"), std::string::npos);
  EXPECT_EQ(answers[3].why, "no such machine");
  runs.clear();
  answers = ask(*set, {.run = run});
  EXPECT_EQ(runs.size(), 2u);
  EXPECT_EQ(answers[2].verdict, ClaimVerdict::reproduced);

  const evidence::Artefact artefact = artefact_of_claims(*set, answers, false);
  EXPECT_TRUE(evidence::verify(artefact.text()).is_right());
  EXPECT_EQ(artefact.tables()[0].rows[0][1].number(), 3);
  EXPECT_EQ(artefact.tables()[1].rows.size(), 4u);
}

TEST(Claims, cannot_be_told_where_the_protocol_fails) {
  const auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  const auto answers = ask(*set, {.run = [](const auto&, double) -> std::expected<evidence::Document, std::string> {
    return std::unexpected("it does not lie beside this program");
  }});
  EXPECT_EQ(answers[0].verdict, ClaimVerdict::inconclusive);
  EXPECT_EQ(answers[0].why, "it does not lie beside this program");
}

}  // namespace
}  // namespace dojima::harness
