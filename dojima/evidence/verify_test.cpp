#include "dojima/evidence/verify.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/reproduce.hpp"

namespace dojima::evidence {
namespace {

Artefact recorded() {
  Artefact run("dojima bench histogram");
  run.set_parameter("seed", 1);
  run.add_check("equal to the reference", true);
  Table table{"record", "", {{"competitor"}, {"operations"}, {"ns_per_operation"}, {"ratio"}}};
  table.add_row({"dojima", 4096, 0.81, 1.25});
  table.add_row({"floor", 4096, 0.65, 1.0});
  run.add_table(table).add_rule({"record", "operations", Rule::equal}).add_rule({"record", "ratio", Rule::within, 0.1});
  measure::Histogram histogram;
  for (std::uint64_t value = 0; value < 5'000; ++value) histogram.record(100 + value % 977);
  run.add_histogram({.name = "record", .role = Role::total}, histogram.view());
  run.set_evidence(
      Document::object()
          .set("commit", nullptr)
          .set("quality",
               Document::array(
                   {Document::object().set("label", "unavailable").set("reason", "no git").set("field", "commit")})));
  return run;
}

std::string all_of(const Verification& found) {
  std::string text;
  for (const std::string& finding : found.findings) text += finding + "\n";
  return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Verify, finds_nothing_wrong_with_what_was_written) {
  const Verification found = verify(recorded().text());
  EXPECT_TRUE(found.is_right()) << all_of(found);
  EXPECT_EQ(found.id.size(), 64u);
}

TEST(Verify, does_not_mind_white_space) {
  const Verification found = verify(recorded().document().canonical());
  EXPECT_TRUE(found.is_right()) << all_of(found);
}

TEST(Verify, names_the_count_that_was_changed) {
  Document document = recorded().document();
  const auto parsed = Artefact::from(document);
  ASSERT_TRUE(parsed.has_value());
  // Three values moved from the first cell to another: n stays what it was.
  Document run = document.at("runs").elements().at(0);
  Document histogram = run.at("histograms").elements().at(0);
  Document::Array counts = histogram.at("counts").elements();
  counts.at(1) = counts.at(1).as_whole() - 3;
  counts.at(60) = counts.at(60).as_whole() + 3;
  histogram.set("counts", Document::array(counts));
  run.set("histograms", Document::array({histogram}));
  document.set("runs", Document::array({run}));
  const Verification found = verify(document.pretty());
  EXPECT_FALSE(found.is_right());
  EXPECT_NE(all_of(found).find("id: "), std::string::npos) << all_of(found);
  EXPECT_NE(all_of(found).find("summary.distributions[0]."), std::string::npos) << all_of(found);
}

TEST(Verify, sees_a_changed_count_even_when_the_id_was_made_again) {
  Document document = recorded().document();
  Document summary = document.at("summary");
  Document distribution = summary.at("distributions").elements().at(0);
  distribution.set("max", 1);
  summary.set("distributions", Document::array({distribution}));
  document.set("summary", summary);
  document.set("id", id_of(document));
  const Verification found = verify(document.pretty());
  EXPECT_EQ(all_of(found), "summary.distributions[0].max: 1 is there, 1076 is right by the runs\n");
}

TEST(Verify, sees_a_sum_that_is_not_that_of_the_counts) {
  const Verification found = verify(replaced(recorded().text(), "\"n\": 5000", "\"n\": 5001"));
  EXPECT_NE(all_of(found).find("expected 5000, the sum of the counts, not 5001"), std::string::npos) << all_of(found);
}

TEST(Verify, compares_the_arms_again) {
  Artefact run("dojima lab ab");
  for (int pair = 0; pair < 12; ++pair) {
    run.begin_run({.arm = "A"}).add_figure("median", "ns", 500 + pair);
    run.begin_run({.arm = "B"}).add_figure("median", "ns", 600 + pair);
  }
  run.compare_arms("median");
  const std::string text = run.text();
  const Verification right = verify(text);
  EXPECT_TRUE(right.is_right()) << all_of(right);
  const Verification wrong = verify(replaced(text, "\"worse\"", "\"better\""));
  EXPECT_NE(all_of(wrong).find("comparison.verdict: \"better\" is there, \"worse\" is right"), std::string::npos)
      << all_of(wrong);
}

TEST(Verify, sees_another_spelling_of_the_same_number) {
  const Verification found = verify(replaced(recorded().text(), "0.81", "0.810"));
  EXPECT_NE(all_of(found).find("not in canonical form"), std::string::npos) << all_of(found);
}

TEST(Verify, sees_a_key_that_is_given_twice) {
  const Verification found = verify(replaced(recorded().text(), "\"schema\"", "\"id\":\"x\",\"schema\""));
  EXPECT_FALSE(found.is_right());
}

TEST(Verify, wants_a_reason_for_every_null) {
  Artefact run("dojima demo");
  run.set_evidence(Document::object().set("host", Document::object().set("governor", nullptr)));
  EXPECT_EQ(all_of(verify(run.text())), "evidence.host.governor: null, and evidence.quality does not say why\n");
}

TEST(Verify, sees_a_path_that_was_put_in_afterwards) {
  Document document = recorded().document();
  document.set("command", "/home/kaori/dojima demo");
  document.set("id", id_of(document));
  EXPECT_EQ(all_of(verify(document.pretty())), "command: holds an absolute path of the machine that made it\n");
}

RC_GTEST_PROP(Verify, sees_every_changed_digit, (std::size_t where, unsigned char by)) {
  static const std::string text = recorded().text();
  static const std::vector<std::size_t> digits = [] {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] >= '0' && text[i] <= '9') places.push_back(i);
    }
    return places;
  }();
  std::string changed = text;
  char& digit = changed[digits[where % digits.size()]];
  digit = static_cast<char>('0' + (digit - '0' + 1 + by % 9) % 10);
  RC_ASSERT(!verify(changed).is_right());
}

TEST(Verify, survives_what_is_no_artefact) {
  for (const char* text : {"", "[]", "{}", "null", "{\"schema\":\"dojima.lab.run/1\"}"}) {
    EXPECT_FALSE(verify(text).is_right()) << text;
  }
}

TEST(Reproduce, finds_a_run_equal_to_itself) {
  const Reproduction result = reproduction_of(recorded(), recorded());
  EXPECT_TRUE(result.is_same());
  EXPECT_GT(result.table.rows.size(), 8u);
}

/// The recorded run with one cell of its table changed.
Artefact with_cell(std::size_t column, const Cell& cell) {
  Table table = recorded().tables().at(0);
  table.rows.at(0).at(column) = cell;
  Artefact run("dojima bench histogram");
  run.set_parameter("seed", 1).add_check("equal to the reference", true).add_table(table);
  run.add_histogram({.name = "record", .role = Role::total}, recorded().runs().at(0).histograms.at(0).histogram.view());
  return run;
}

TEST(Reproduce, judges_each_column_by_its_rule) {
  EXPECT_TRUE(reproduction_of(recorded(), with_cell(2, 99.0)).is_same()) << "absolute times are shown, not judged";
  EXPECT_TRUE(reproduction_of(recorded(), with_cell(3, 1.3)).is_same()) << "a ratio may move within its tolerance";
  EXPECT_EQ(reproduction_of(recorded(), with_cell(3, 1.5)).failures, 1u);
  EXPECT_EQ(reproduction_of(recorded(), with_cell(1, 4095)).failures, 1u) << "counts are equal or wrong";
  EXPECT_EQ(reproduction_of(recorded(), with_cell(0, "other")).failures, 1u);
  EXPECT_EQ(reproduction_of(recorded(), with_cell(3, Unmeasured{"lost"})).failures, 1u);
}

TEST(Reproduce, names_the_parameter_that_is_another) {
  const Reproduction result = reproduction_of(recorded(), recorded().set_parameter("seed", 2));
  EXPECT_EQ(result.failures, 1u);
  EXPECT_NE(to_text(result.table).find("parameter seed"), std::string::npos);
}

TEST(Reproduce, sees_missing_tables_checks_and_distributions) {
  EXPECT_EQ(reproduction_of(recorded(), Artefact("dojima bench histogram").set_parameter("seed", 1)).failures, 3u);
}

TEST(Reproduce, runs_only_programs_of_this_project) {
  const auto refused = [](const std::vector<std::string>& argv) { return !words_to_run(argv).has_value(); };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({"sh", "-c", "true"}));
  EXPECT_TRUE(refused({"../dojima", "demo"}));
  EXPECT_TRUE(refused({"dojima", "venue"})) << "a server is no measurement";
  EXPECT_TRUE(refused({"dojima", "lab", "ab", "--", "rm", "x", "--vs", "dojima", "demo"}));
  EXPECT_TRUE(refused({"dojima", "lab", "ab", "--", "dojima", "demo", "--vs", "rm", "x"}));
  EXPECT_FALSE(refused({"dojima", "lab", "ab", "--", "dojima", "demo", "--vs", "dojima", "demo"}));
  EXPECT_FALSE(refused({"dojima-bench-histogram", "--seed", "1"}));
  EXPECT_TRUE(refused({"dojima", "demo", "--password", "***"})) << "it cannot be run without its password";
  EXPECT_TRUE(refused({"dojima", "demo", "--set", "user.0.password=***"}));
}

TEST(Reproduce, leaves_out_what_names_an_output) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_to_run({"dojima", "demo", "--json", "x.json", "--seconds", "2", "--report=r.html"}).value(),
            (Words{"dojima", "demo", "--seconds", "2"}));
  EXPECT_EQ(words_to_run({"dojima", "demo", "--json", "--day"}).value(), (Words{"dojima", "demo", "--day"}));
  EXPECT_EQ(words_to_run({"dojima", "lab", "ab", "--", "dojima", "demo", "--json"}).value(),
            (Words{"dojima", "lab", "ab", "--", "dojima", "demo", "--json"}));
}

}  // namespace
}  // namespace dojima::evidence
