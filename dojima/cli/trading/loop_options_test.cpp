#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/cli/output.hpp"

namespace dojima::cli {
namespace {

TEST(LoopOptions, a_processor_that_is_not_there_ends_a_server_with_one_line) {
  const TemporaryFile file(app::text_of(app::default_venue()));
  const Outcome outcome =
      call({"venue", "--config", file.path(), "--set", "listen.port=0", "--set", "loop.processor=1023"});
  EXPECT_EQ(outcome.status, k_environment);
  EXPECT_TRUE(contains(outcome.err, "loop.processor = \"1023\" was refused: Invalid argument")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST(LoopOptions, an_unknown_key_under_loop_is_an_error_that_names_the_nearest) {
  const TemporaryFile file("kind = \"venue\"\n[loop]\nprocesor = \"1\"\n");
  const Outcome outcome = call({"config", "check", file.path()});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.out + outcome.err, "processor")) << outcome.out << outcome.err;
}

TEST(LoopOptions, an_invalid_setting_is_reported_before_anything_runs) {
  for (const char* word : {"processor", "processor=", "processor=two", "policy=fifo", "prozessor=1"}) {
    const Outcome outcome = call({"demo", "--seconds", "1", "--loop", word});
    EXPECT_EQ(outcome.status, k_usage) << word;
    EXPECT_TRUE(contains(outcome.err, std::string("--loop ") + word)) << outcome.err;
  }
  EXPECT_EQ(call({"demo", "--virtual", "--seconds", "0.1", "--loop", "timer_slack=1"}).status, k_usage);
  const Outcome awake = call({"demo", "--seconds", "1", "--idle", "yield", "--loop", "max_wakes=5000"});
  EXPECT_EQ(awake.status, k_usage);
  EXPECT_TRUE(contains(awake.err, "loop.max_wakes is for loops that sleep: --idle block or ring")) << awake.err;
}

TEST(LoopOptions, a_word_like_no_setting_is_answered_with_all_settings) {
  const Outcome outcome = call({"demo", "--seconds", "1", "--loop", "colour=1"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(
      contains(outcome.err, "there are: processor, policy, lock_memory, huge_pages, timer_slack, busy_poll, max_wakes"))
      << outcome.err;
}

TEST(LoopOptions, a_refusal_leaves_no_file_of_the_result_and_keeps_one_that_was_there) {
  const TemporaryFolder folder;
  const std::string fresh = folder / "fresh.json";
  const std::string kept = folder / "kept.json";
  std::ofstream(kept) << "{}";
  for (const std::string& file : {fresh, kept})
    EXPECT_EQ(call({"demo", "--seconds", "1", "--no-progress", "--loop", "processor=1023", "--json", file}).status,
              k_environment);
  EXPECT_FALSE(std::filesystem::exists(fresh));
  EXPECT_EQ(std::filesystem::file_size(kept), 2u);
}

TEST(LoopOptions, a_refusal_ends_the_demo_and_the_client_too) {
  const Outcome demo = call({"demo", "--seconds", "1", "--no-progress", "--loop", "processor=1023"});
  EXPECT_EQ(demo.status, k_environment);
  EXPECT_TRUE(contains(demo.err, "loop.processor")) << demo.err;
  EXPECT_EQ(call({"trade", "--sender", "A", "--loop", "processor=1023"}).status, k_environment);
}

TEST(LoopOptions, tuning_knows_its_settings) {
  const Outcome outcome = call_lab({"tune", "turbo"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "no setting \"turbo\"; there are: processor, policy")) << outcome.err;
}

TEST(LoopOptions, tuning_refuses_runs_that_are_too_short_for_its_percentile) {
  const Outcome outcome = call_lab({"tune", "timer_slack", "--seconds", "1", "--pairs", "1", "--no-progress"});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "--seconds 1.32 or --rate 10500, at least")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(call_lab({"tune", "timer_slack", "--rate", "5000", "--pairs", "1"}).status, k_usage);
}

TEST(LoopOptions, the_doctor_refuses_a_file_that_measured_nothing) {
  const TemporaryFile file("{\"tables\":[]}");
  const Outcome outcome = call_lab({"doctor", "--measured", file.path()});
  EXPECT_EQ(outcome.status, k_usage);
  EXPECT_TRUE(contains(outcome.err, "no result of dojima lab tune")) << outcome.err;
}

}  // namespace
}  // namespace dojima::cli
