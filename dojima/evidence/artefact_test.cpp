#include "dojima/evidence/artefact.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/privacy.hpp"
#include "dojima/evidence/sha256.hpp"

namespace dojima::evidence {
namespace {

Artefact small_run() {
  Artefact run("dojima demo --seconds 1");
  run.set_parameter("seed", 7).set_parameter("rate_per_s", 20'000).set_parameter("model", "poisson");
  run.add_check("nothing lost", true, "2000 sent, 2000 answered");
  Table table{"stages", "what each stage took", {{"stage"}, {"p50_ns", 0}, {"share", 3}, {"swaps"}}};
  table.add_row({"venue", 1'250, 0.25, Unmeasured{"no hardware counters"}});
  run.add_table(table);
  run.add_rule({"stages", "share", Rule::within, 0.1});
  measure::Histogram venue;
  for (std::uint64_t value = 1; value <= 2'000; ++value) venue.record(value * 10);
  run.add_histogram({.name = "venue"}, venue.view());
  run.add_figure("throughput", "orders/s", 19'998.5);
  run.add_series({.name = "latency", .columns = {"p50", "max"}, .rows = {{0.5, 1'000, 9'000}, {1, 1'010, 8'500.25}}});
  run.set_evidence(Document::object().set("source_digest", "ab12").set("dirty", false));
  return run;
}

TEST(Document, writes_equal_values_as_equal_bytes_whatever_type_they_came_from) {
  Document first;
  first.set("b", 2.0).set("a", 17u);
  Document second;
  second.set("a", 17.0).set("b", std::int64_t{2});
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.canonical(), R"({"a":17,"b":2})");
}

TEST(Document, writes_the_shortest_number_that_reads_back_the_same) {
  EXPECT_EQ(Document(0.1).canonical(), "0.1");
  EXPECT_EQ(Document(-0.0).canonical(), "0");
  EXPECT_EQ(Document(1e300).canonical(), "1e+300");
  EXPECT_EQ(Document(std::numeric_limits<double>::quiet_NaN()).canonical(), "null");
}

RC_GTEST_PROP(Document, reads_back_every_number_it_writes, (double number)) {
  const auto read = parse_document(Document(number).canonical());
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->canonical() == Document(number).canonical());
  if (std::isfinite(number)) RC_ASSERT(read->as_number() == number);
}

RC_GTEST_PROP(Document, reads_back_every_text_it_writes, (std::vector<bool> bits)) {
  std::string text;  // printable and control characters; JSON texts are UTF-8, so no lone high bytes
  for (std::size_t i = 0; i + 7 <= bits.size(); i += 7) {
    char c = 0;
    for (std::size_t bit = 0; bit < 7; ++bit) c = static_cast<char>(c * 2 + (bits[i + bit] ? 1 : 0));
    text += c;
  }
  const auto read = parse_document(Document(text).canonical());
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->as_text() == text);
}

TEST(Document, has_the_same_tokens_in_its_readable_form) {
  const Document document = small_run().document();
  EXPECT_EQ(without_white_space(document.pretty()), document.canonical());
  for (std::size_t begin = 0; begin < document.pretty().size();) {
    const std::size_t end = document.pretty().find('\n', begin);
    EXPECT_LE(end - begin, 125u) << document.pretty().substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Document, says_where_a_file_is_broken) {
  const auto read = parse_document("{\"a\": 1,\n \"b\": }");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().find("line 2"), std::string::npos) << read.error();
}

TEST(Document, refuses_brackets_without_end) {
  EXPECT_FALSE(parse_document(std::string(100, '[') + std::string(100, ']')).has_value());
}

TEST(Privacy, cuts_absolute_paths_to_their_last_part) {
  EXPECT_EQ(without_paths("--in /home/kaori/day1.csv"), "--in day1.csv");
  EXPECT_EQ(without_paths("-I/usr/include/x -O2"), "-Ix -O2");
  EXPECT_EQ(without_paths("prefix=/opt/a:/opt/b"), "prefix=a:b");
  EXPECT_EQ(without_paths("\"/tmp/x/\""), "\"x\"");
  EXPECT_EQ(without_paths("/tmp"), "tmp");
}

TEST(Privacy, leaves_everything_else_as_it_is) {
  for (const std::string_view text :
       {"1/(1-p)", "orders/s", "bid / ask", "bid /ask", "dojima/lab/x.cpp", "a b\t c", ""}) {
    EXPECT_EQ(without_paths(text), text);
  }
}

TEST(Artefact, is_named_by_the_hash_of_all_the_rest) {
  const Document document = small_run().document();
  Document rest = document;
  rest.remove("id");
  EXPECT_EQ(document.at("id").as_text(), sha256_hex(rest.canonical()));
  EXPECT_EQ(document.at("schema").as_text(), "dojima.lab.run/1");
  EXPECT_EQ(small_run().text(), small_run().text());
}

TEST(Artefact, is_read_back_as_it_was_written) {
  const Document document = small_run().document();
  const auto parsed = parse_document(document.pretty());
  ASSERT_TRUE(parsed.has_value());
  const auto read = Artefact::from(*parsed);
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(read->document().canonical(), document.canonical());
  EXPECT_EQ(read->runs().at(0).histograms.at(0).histogram.view().count(), 2'000u);
}

TEST(Artefact, writes_what_was_not_measured_as_null_with_the_reason_in_the_quality) {
  const Document document = small_run().document();
  const Document& row = document.at("tables").elements().at(0).at("rows").elements().at(0);
  EXPECT_TRUE(row.has("swaps"));
  EXPECT_TRUE(row.at("swaps").is_null());
  const Document& note = document.at("evidence").at("quality").elements().at(0);
  EXPECT_EQ(note.at("label").as_text(), "unavailable");
  EXPECT_EQ(note.at("field").as_text(), "tables.stages[0].swaps");
  EXPECT_EQ(note.at("reason").as_text(), "no hardware counters");
}

TEST(Artefact, is_ok_only_when_nothing_else_is_noted) {
  EXPECT_NE(small_run().text().find("\"label\":\"ok\""), std::string::npos);
  Artefact noisy = small_run();
  noisy.add_quality(Quality::contended, "another task ran");
  EXPECT_EQ(noisy.text().find("\"label\":\"ok\""), std::string::npos);
}

TEST(Artefact, holds_no_absolute_path_whatever_it_was_given) {
  Artefact run("dojima demo --in /home/kaori/in.csv");
  run.add_check("kept", true, "wrote /tmp/x/y.json");
  run.set_evidence(Document::object().set("argv", Document::array({"/usr/bin/dojima", "--in=/home/kaori/in.csv"})));
  const Document document = run.document();
  EXPECT_TRUE(places_with_paths(document).empty());
  EXPECT_EQ(document.canonical().find("kaori"), std::string::npos);
  EXPECT_EQ(document.at("evidence").at("argv").canonical(), R"(["dojima","--in=in.csv"])");
}

TEST(Artefact, names_the_member_that_is_wrong) {
  Document document = small_run().document();
  document.set("checks", 3);
  const auto read = Artefact::from(document);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error(), "checks: expected an array");
}

TEST(Summary, gives_percentiles_only_as_far_as_the_sample_supports_them) {
  const Document summary = small_run().document().at("summary").at("distributions").elements().at(0);
  const auto& percentiles = summary.at("percentiles").elements();
  ASSERT_EQ(percentiles.size(), 3u);  // 2,000 values: up to the 99th, which needs 1,000
  EXPECT_EQ(percentiles.at(2).at("share").as_number(), 0.99);
  EXPECT_FALSE(percentiles.at(2).at("is_stable").as_bool());
  EXPECT_TRUE(percentiles.at(1).at("is_stable").as_bool());
  const double p50 = percentiles.at(0).at("value").as_number();
  EXPECT_NEAR(p50, 10'000, 80);
  EXPECT_LT(percentiles.at(0).at("low").as_number(), p50);
  EXPECT_GT(percentiles.at(0).at("high").as_number(), p50);
}

TEST(Summary, merges_the_runs_of_one_arm_and_keeps_arms_apart) {
  std::vector<RunRecord> runs;
  for (const std::uint64_t value : {100u, 200u, 100u, 200u}) {
    measure::Histogram histogram;
    histogram.record(value, 5);
    RunRecord run{.arm = value == 100 ? "A" : "B"};
    run.add_histogram({.name = "h"}, histogram.view()).add_figure("f", "ns", static_cast<double>(value));
    runs.push_back(std::move(run));
  }
  const auto merged = merged_histograms(runs);
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].runs, 2u);
  EXPECT_EQ(merged[0].histogram.view().count(), 10u);
  EXPECT_EQ(merged[1].histogram.min, 200u);
  EXPECT_EQ(summary_of(runs, 0).at("figures").elements().at(1).at("median").as_whole(), 200);
}

TEST(Summary, names_a_before_b_whichever_ran_first) {
  std::vector<RunRecord> runs(3);
  runs[0].arm = "B";
  runs[1].arm = runs[2].arm = "A";
  EXPECT_EQ(arms_of(runs), (std::vector<std::string>{"A", "B"}));
  runs[0].arm = "quickfix";
  EXPECT_EQ(arms_of(runs), (std::vector<std::string>{"quickfix", "A"}));
}

TEST(Summary, takes_the_median_distance_from_the_median) {
  measure::Histogram histogram;
  for (const std::uint64_t value : {10u, 10u, 11u, 14u, 100u}) histogram.record(value);
  EXPECT_EQ(median_absolute_deviation(histogram.view()), 1.0);
}

}  // namespace
}  // namespace dojima::evidence
