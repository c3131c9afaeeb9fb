#include "dojima/harness/claims.hpp"

#include <expected>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

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
    EXPECT_FALSE(claim.unit.empty()) << claim.id;
    EXPECT_TRUE(claim.unit != k_yes_or_no || (claim.given == 0 || claim.given == 1)) << claim.id;
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
      {"name":"p","meaning":"m","words":["dojima"],"short_words":["dojima"],"seconds":100,"short_seconds":7},
      {"name":"unasked","meaning":"m","words":["dojima"],"seconds":1000},
      {"name":"q","meaning":"m","words":["dojima"],"seconds":50}],"claims":[
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
        .run = [&](const auto&, double seconds) -> std::expected<ProtocolResult, ProtocolTrouble> {
          given.push_back(seconds);
          return ProtocolResult{result_of(1, 1)};
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
      {"name":"p","meaning":"m","words":["dojima"],"seconds":0}],"claims":[]})")
                .error(),
            "protocol 'p': may take no time: seconds and short_seconds are above 0");
}

TEST(Claims, may_use_what_protocols_before_them_have_left_of_their_time) {
  const std::string a_claim =
      R"(,"source":"s","statement":"t","given":1,"given_text":"1","number":"hold.ns@container=a","rule":"at_most","limit":200)";
  std::string protocols, claims;
  for (const std::string name : {"p", "q", "r"}) {
    protocols += (name == "p" ? "" : ",") + std::string(R"({"name":")") + name +
                 R"(","meaning":"m","words":["dojima"],"seconds":10})";
    claims +=
        (name == "p" ? "" : ",") + std::string(R"({"id":")") + name + R"(","protocol":")" + name + '"' + a_claim + "}";
  }
  const auto set =
      parse_claims(R"({"schema":"dojima.claims/1","protocols":[)" + protocols + R"(],"claims":[)" + claims + "]}");
  ASSERT_TRUE(set) << set.error();
  double now = 0;
  std::vector<double> given;
  const std::vector<double> takes{4, 17, 1};
  const auto plan = [&](double patience) {
    return ClaimPlan{.patience = patience,
                     .run = [&](const auto&, double seconds) -> std::expected<ProtocolResult, ProtocolTrouble> {
                       now += takes[given.size() % 3];
                       given.push_back(seconds);
                       return ProtocolResult{result_of(1, 1)};
                     },
                     .now_s = [&now] { return now; }};
  };
  static_cast<void>(ask(*set, plan(1)));
  EXPECT_EQ(given, (std::vector<double>{10, 16, 9})) << "all together as long as is planned";
  given.clear();
  static_cast<void>(ask(*set, plan(2)));
  EXPECT_EQ(given, (std::vector<double>{20, 36, 39}));
}

TEST(Claims, that_were_lost_to_time_are_counted_with_what_helps) {
  const auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  const auto asked = [&](std::expected<ProtocolResult, ProtocolTrouble> result) {
    const ClaimPlan plan{.run = [&result](const auto&, double) { return result; }};
    const auto answers = ask(*set, plan);
    const evidence::Artefact artefact = artefact_of_claims(*set, answers, plan);
    const auto& notes = artefact.tables()[0].notes;
    return notes.empty() ? std::string() : notes.front();
  };
  const std::string lost =
      "1 claim was lost to time, of hold: is the machine busy? --patience 4 gives every protocol four times as long";
  EXPECT_EQ(asked(std::unexpected(ProtocolTrouble{"no result after 5 s", true})), lost);
  EXPECT_EQ(asked(ProtocolResult{*evidence::parse_document(R"({"tables":[]})"), true}), lost);
  EXPECT_EQ(asked(ProtocolResult{result_of(50, 100), true}), "") << "what was measured before counts";
  EXPECT_EQ(asked(std::unexpected(ProtocolTrouble{"it does not lie beside this program"})), "");
}

TEST(Claims, are_shown_with_units_in_words_and_without_exponents) {
  const auto why = [](const std::string& unit, const std::string& rule, double value) {
    const auto set = parse_claims(
        set_with(R"(,"given":1,"given_text":"1","protocol":"hold","number":"hold.ns@container=a","unit":")" + unit +
                 "\"," + rule));
    return set ? judge(set->claims[0],
                       *evidence::parse_document(R"({"tables":[{"name":"hold","rows":[{"container":"a","ns":)" +
                                                 evidence::Document(value).canonical() + "}]}]}"))
                     .why
               : set.error();
  };
  EXPECT_EQ(why("events/s", R"("rule":"at_least","limit":4800000)", 2963071.2),
            "2,963,071 events/s, the rule: at least 4,800,000 events/s");
  EXPECT_EQ(why("ms", R"("rule":"at_least","limit":60000)", 0.010862), "0.01086 ms, the rule: at least 60,000 ms");
  EXPECT_EQ(why("ns", R"("rule":"at_most","limit":1000)", 21931.363), "21,931 ns, the rule: at most 1,000 ns");
  EXPECT_EQ(why("x", R"("rule":"within","limit":1,"tolerance":0.25)", 0.000012345),
            "0.00001234 x, the rule: 1 within 0.25 x");
  EXPECT_EQ(why("yes/no", R"("rule":"at_least","limit":1)", 0), "no, the rule: yes");
  EXPECT_EQ(why("yes/no", R"("rule":"at_least","limit":1)", 1), "yes, the rule: yes");
}

TEST(Claims, run_programs_of_this_project_alone_and_name_each_protocol_once) {
  const auto error_with = [](const std::string& protocols) {
    const auto set = parse_claims(
        R"({"schema":"dojima.claims/1","protocols":[)" + protocols +
        R"(],"claims":[{"id":"c","source":"s","statement":"t","given":1,"given_text":"1","cannot":"no"}]})");
    return set ? "parsed" : set.error();
  };
  const std::string good = R"({"name":"p","meaning":"m","words":["dojima-bench-sched"],"short_words":[]})";
  EXPECT_EQ(error_with(good), "parsed");
  EXPECT_EQ(error_with(good + "," + good), "protocol 'p' is listed twice");
  for (const std::string program :
       {"/bin/echo", "./dojima", "../dojima", "echo", "dojimax", "dojima-bench/../../bin/echo"}) {
    EXPECT_EQ(error_with(R"({"name":"p","meaning":"m","words":[")" + program + "\"]}"),
              "protocol 'p': '" + program + "' is no program of this project: dojima or dojima-..., without a path");
    EXPECT_NE(error_with(R"({"name":"p","meaning":"m","words":["dojima"],"short_words":[")" + program + "\"]}"),
              "parsed");
  }
  EXPECT_EQ(error_with(R"({"name":"p","meaning":"m","words":["dojima"],"seconds":"9"})"),
            "protocol 'p': the member seconds is not a number: \"9\"");
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

TEST(Claims, are_inconclusive_where_runs_vary_by_more_than_what_is_left_to_the_limit) {
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

TEST(Claims, are_inconclusive_where_the_number_is_missing_and_say_why) {
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
            "claim c: the member given is not a number: \"fast\"");
  EXPECT_EQ(error_of(R"(,"given":1,"given_text":"1","protocol":"hold","number":"a.b","rule":"at_most","limit":"1")"),
            "claim c: the member limit is not a number: \"1\"");
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
                           double) -> std::expected<ProtocolResult, ProtocolTrouble> {
    runs.push_back(words);
    return ProtocolResult{result_of(50, 100)};
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

  const evidence::Artefact artefact = artefact_of_claims(*set, answers, {});
  EXPECT_TRUE(evidence::verify(artefact.text()).is_right());
  EXPECT_EQ(artefact.tables()[0].rows[0][1].number(), 3);
  EXPECT_EQ(artefact.tables()[1].rows.size(), 4u);
}

TEST(Claims, are_inconclusive_where_the_protocol_fails) {
  const auto set = parse_claims(set_with(k_ratio));
  ASSERT_TRUE(set) << set.error();
  const auto answers = ask(*set, {.run = [](const auto&, double) -> std::expected<ProtocolResult, ProtocolTrouble> {
    return std::unexpected(ProtocolTrouble{"it does not lie beside this program"});
  }});
  EXPECT_EQ(answers[0].verdict, ClaimVerdict::inconclusive);
  EXPECT_EQ(answers[0].why, "it does not lie beside this program");
}

}  // namespace
}  // namespace dojima::harness
