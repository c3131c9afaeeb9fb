#include "dojima/harness/claims.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

TEST(LabClaims, are_listed_with_their_figures) {
  const Outcome list = call({"lab", "claims", "--list"});
  EXPECT_EQ(list.status, k_success);
  EXPECT_TRUE(contains(list.out, "004.odd")) << list.out;
  EXPECT_TRUE(contains(list.out, "(cannot be judged here)"));
}

TEST(LabClaims, answer_without_running_anything_where_nothing_can_be_asked) {
  const TemporaryFolder folder;
  const std::string file = folder / "claims.json";
  const std::string page = folder / "claims.html";
  const Outcome asked = call({"lab", "claims", "--only", "003.hpet", "--json", file, "--report", page});
  EXPECT_EQ(asked.status, k_success) << asked.err;
  EXPECT_TRUE(contains(asked.out, "cannot be judged here"));
  EXPECT_EQ(call({"lab", "verify", file}).status, k_success);
  EXPECT_GT(std::filesystem::file_size(page), 5'000u);
}

TEST(LabClaims, refuse_a_claim_that_lacks_its_figure_and_write_nothing) {
  const TemporaryFolder folder;
  const std::string file = folder / "own.json";
  const std::string result = folder / "result.json";
  std::ofstream(file) << R"({"schema":"dojima.claims/1","protocols":[],"claims":[
    {"id":"x","source":"s","statement":"it is fast","given_text":"fast","cannot":"no"}]})";
  const Outcome refused = call({"lab", "claims", "--file", file, "--json", result});
  EXPECT_EQ(refused.status, k_usage);
  EXPECT_TRUE(contains(refused.err, "claim x: lacks the figure that the source gave")) << refused.err;
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(result));
  EXPECT_EQ(call({"lab", "claims", "--only", "9.9"}).status, k_usage);
}

TEST(LabClaims, run_no_program_from_elsewhere) {
  const TemporaryFolder folder;
  const std::string file = folder / "own.json";
  const std::string result = folder / "result.json";
  std::ofstream(file)
      << R"({"schema":"dojima.claims/1","protocols":[{"name":"p","meaning":"m","words":["/bin/echo"]}],"claims":[
    {"id":"x","source":"s","statement":"it is fast","given":1,"given_text":"1","protocol":"p","number":"a.b","rule":"at_most","limit":1}]})";
  const Outcome refused = call({"lab", "claims", "--file", file, "--json", result});
  EXPECT_EQ(refused.status, k_usage);
  EXPECT_TRUE(contains(refused.err, "protocol 'p': '/bin/echo' is no program of this project")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(result));
}

}  // namespace
}  // namespace dojima::cli
