#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

/// The artefact on stdout, which verifies.
evidence::Artefact artefact_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const evidence::Verification found = evidence::verify(outcome.out);
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
  auto artefact = evidence::Artefact::from(*evidence::parse_document(outcome.out));
  EXPECT_TRUE(artefact.has_value()) << artefact.error();
  return std::move(*artefact);
}

std::vector<std::string> table_names(const evidence::Artefact& artefact) {
  std::vector<std::string> names;
  for (const evidence::Table& table : artefact.tables()) names.push_back(table.name);
  return names;
}

TEST(LabDoctor, prints_its_findings_and_keeps_them_in_an_artefact) {
  const Outcome printed = call_lab({"doctor"});
  EXPECT_EQ(printed.status, k_success);
  EXPECT_NE(printed.out.find("real_time_budget"), std::string::npos);
  const evidence::Artefact artefact = artefact_of(call_lab({"doctor", "--json"}));
  EXPECT_GE(artefact.tables().front().rows.size(), 25u);
  EXPECT_TRUE(artefact.evidence().at("doctor").has("clock_source"));
}

TEST(LabClocksLong, answer_with_every_table_and_the_raw_samples) {
  const TemporaryFolder folder;
  const std::string samples = folder / "raw";
  const std::string page = folder / "clocks.html";
  const evidence::Artefact artefact = artefact_of(
      call_lab({"clocks", "--reference", "--quick", "--clock", "gettimeofday,empty", "--repetitions", "100",
                "--singles", "100", "--samples", samples.c_str(), "--report", page.c_str(), "--drift", "0", "--json"}));
  EXPECT_EQ(table_names(artefact), (std::vector<std::string>{"article", "settling", "outliers", "calls", "batches",
                                                             "single", "steps", "drift", "overhead", "cores"}));
  EXPECT_EQ(std::filesystem::file_size(samples + "/gettimeofday_O0_loaded_100.f32"), 100 * sizeof(float));
  EXPECT_GT(std::filesystem::file_size(page), 10'000u);
}

TEST(LabClocks, measure_only_the_plain_question_unless_asked_for_the_article) {
  const evidence::Artefact artefact =
      artefact_of(call_lab({"clocks", "--quick", "--clock", "monotonic", "--repetitions", "100", "--singles", "100",
                            "--drift", "0", "--json"}));
  EXPECT_EQ(artefact.tables().front().name, "calls");
  EXPECT_EQ(artefact.tables().front().rows.size(), 1u);
  EXPECT_EQ(artefact.parameters().at("rounds").as_whole(), 1);
}

TEST(LabHash, answers_with_every_table_and_says_what_was_in_force) {
  const evidence::Artefact artefact =
      artefact_of(call_lab({"hash", "--clock", "monotonic,process_cpu", "--policy", "other", "--load", "idle",
                            "--rounds", "1", "--iterations", "1000", "--json"}));
  EXPECT_EQ(table_names(artefact),
            (std::vector<std::string>{"sigma", "robust", "absolute", "rounds", "fit", "overhead", "demonstration"}));
  const evidence::Document& applied = artefact.evidence().at("applied").at("monotonic_other_idle");
  ASSERT_EQ(applied.members().size(), 1u);
  EXPECT_EQ(applied.members().front().value.at("policy").as_text(), "other");
}

TEST(LabInstruments, refuse_what_they_do_not_know_before_they_measure) {
  EXPECT_EQ(call_lab({"clocks", "--clock", "sundial"}).status, k_usage);
  EXPECT_EQ(call_lab({"hash", "--policy", "deadline"}).status, k_usage);
  EXPECT_EQ(call_lab({"hash", "--json", "no/such/folder/x.json"}).status, k_environment);
}

}  // namespace
}  // namespace dojima::cli
