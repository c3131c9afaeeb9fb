#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

/// A folder of its own for each test, gone when the test is over.
class LabEvidence : public testing::Test {
 protected:
  LabEvidence() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dojima-lab-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~LabEvidence() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
};

evidence::Artefact some_run() {
  evidence::Artefact run("dojima demo");
  run.add_check("nothing lost", true);
  measure::Histogram histogram;
  for (std::uint64_t value = 0; value < 2'000; ++value) histogram.record(1'000 + value);
  run.add_histogram({.name = "end to end", .role = evidence::Role::total}, histogram.view());
  return run;
}

TEST_F(LabEvidence, verifies_what_is_right_and_says_what_is_not) {
  const std::string right = put("right.json", some_run().text());
  EXPECT_EQ(call_lab({"verify", right}).status, k_success);

  std::string text = some_run().text();
  text.replace(text.find("\"n\": 2000"), 9, "\"n\": 2001");
  const std::string wrong = put("wrong.json", text);
  const Outcome outcome = call_lab({"verify", right, wrong});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_NE(outcome.err.find("the sum of the counts, not 2001"), std::string::npos) << outcome.err;
  EXPECT_EQ(call_lab({"verify", path("missing.json")}).status, k_usage);
}

TEST_F(LabEvidence, answers_in_an_artefact_that_verifies_itself) {
  const std::string right = put("right.json", some_run().text());
  EXPECT_EQ(call_lab({"verify", right, "--json", path("answer.json")}).status, k_success);
  const evidence::Verification found = evidence::verify(read("answer.json"));
  EXPECT_TRUE(found.is_right()) << found.findings.front();
}

TEST_F(LabEvidence, writes_the_same_page_twice) {
  const std::string file = put("run.json", some_run().text());
  EXPECT_EQ(call_lab({"report", file, "--out", path("one.html")}).status, k_success);
  EXPECT_EQ(call_lab({"report", file, "--out", path("two.html")}).status, k_success);
  EXPECT_NE(read("one.html").find("<svg"), std::string::npos);
  EXPECT_EQ(read("one.html"), read("two.html"));
}

TEST_F(LabEvidence, makes_no_page_of_an_artefact_that_does_not_verify) {
  std::string text = some_run().text();
  text.replace(text.find("dojima demo"), 11, "dojima DEMO");
  EXPECT_EQ(call_lab({"report", put("run.json", text), "--out", path("page.html")}).status, k_failed);
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(LabEvidence, does_not_start_what_is_no_program_of_this_project) {
  evidence::Artefact run = some_run();
  run.set_evidence(evidence::Document::object().set("argv", evidence::Document::array({"sh", "-c", "touch made"})));
  const Outcome outcome = call_lab({"reproduce", put("run.json", run.text())});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_NE(outcome.err.find("'sh' is no program of this project"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace dojima::cli
