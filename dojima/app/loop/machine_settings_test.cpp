#include "dojima/app/loop/machine_settings.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace dojima::app {
namespace {

LoopSettings asking(std::string_view key, std::string_view text) {
  LoopSettings settings;
  const auto set = settings.set(key, text);
  EXPECT_TRUE(set.has_value()) << set.error();
  return settings;
}

TEST(LoopSettings, every_setting_is_written_as_it_was_read) {
  const std::pair<const char*, const char*> all[] = {
      {"processor", "3"},           {"processor", "try 0,1"}, {"policy", "fifo 20"}, {"policy", "try rr 99"},
      {"lock_memory", "yes"},       {"lock_memory", "try"},   {"huge_pages", "yes"}, {"timer_slack", "1"},
      {"timer_slack", "try 50000"}, {"busy_poll", "50"},      {"busy_poll", ""},     {"max_wakes", "5000"}};
  for (const auto& [key, text] : all) {
    EXPECT_EQ(asking(key, text).text(key), text) << key;
    EXPECT_EQ(asking(key, text).asks_for_nothing(), *text == '\0') << key;
  }
}

TEST(LoopSettings, what_cannot_be_a_setting_is_refused_with_what_can) {
  LoopSettings settings;
  const std::pair<const char*, const char*> wrong[] = {
      {"processor", "two"},    {"processor", "-1"},    {"processor", "0,"},      {"policy", "fifo"},
      {"policy", "fifo 0"},    {"policy", "fifo 100"}, {"policy", "idle 3"},     {"policy", "try"},
      {"lock_memory", "true"}, {"timer_slack", "0"},   {"timer_slack", "1us"},   {"busy_poll", "try "},
      {"busy_poll", "100001"}, {"max_wakes", "99"},    {"max_wakes", "1000001"}, {"max_wakes", "try 5000"}};
  for (const auto& [key, text] : wrong) {
    const auto set = settings.set(key, text);
    ASSERT_FALSE(set.has_value()) << key << " " << text;
    EXPECT_TRUE(set.error().starts_with("\"" + std::string(text) + "\" is not ")) << set.error();
  }
  EXPECT_TRUE(settings.asks_for_nothing()) << "nothing was changed";
  const auto unknown = settings.set("procesor", "1");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().find("processor"), std::string::npos) << unknown.error();
}

/// A machine that refuses what the test names.
class MadeUpMachine final : public Machine {
 public:
  std::map<std::string, int> refusals;
  bool believes = true;           // does what it says it did
  bool takes_slack_away = false;  // from real-time threads, as newer kernels do

  int pin(int processor) override {
    if (believes) processors_ = {processor};
    return refusals["processor"];
  }
  int set_policy(RealTime policy) override {
    if (refusals["policy"] == 0) policy_ = "fifo " + std::to_string(policy.priority);
    if (refusals["policy"] == 0 && takes_slack_away) slack_ = 0;
    return refusals["policy"];
  }
  int lock_memory() override { return refusals["lock_memory"]; }
  int take_huge_pages() override { return refusals["huge_pages"]; }
  int set_timer_slack(std::int64_t nanoseconds) override {
    slack_ = nanoseconds;
    return refusals["timer_slack"];
  }
  int set_busy_poll(std::int64_t) override { return refusals["busy_poll"]; }
  [[nodiscard]] std::vector<int> processors() const override { return processors_; }
  [[nodiscard]] std::string policy() const override { return policy_; }
  [[nodiscard]] std::int64_t locked_kib() const override { return believes ? 1000 : 0; }
  [[nodiscard]] std::int64_t huge_kib() const override { return believes ? 2048 : 0; }
  [[nodiscard]] std::int64_t timer_slack_ns() const override { return slack_; }
  [[nodiscard]] std::int64_t busy_poll_us() const override { return 50; }

 private:
  std::vector<int> processors_{0, 1};
  std::string policy_ = "other";
  std::int64_t slack_ = 50'000;
};

TEST(MachineSettings, what_was_asked_for_is_read_back) {
  MadeUpMachine machine;
  LoopSettings settings = asking("processor", "4,7");
  ASSERT_TRUE(settings.set("policy", "fifo 20").has_value());
  const auto applied = apply_to_thread(settings, 3, machine);
  ASSERT_TRUE(applied.has_value()) << applied.error();
  ASSERT_EQ(applied->size(), 2U);
  EXPECT_EQ(text_of(applied->at(0)), "loop.processor: 7") << "the fourth thread takes the second of two";
  EXPECT_EQ(text_of(applied->at(1)), "loop.policy: fifo 20");
}

TEST(MachineSettings, what_a_policy_leaves_of_the_timer_slack_is_what_is_reported) {
  for (const bool takes_away : {false, true}) {
    MadeUpMachine machine;
    machine.takes_slack_away = takes_away;
    LoopSettings settings = asking("timer_slack", "1");
    ASSERT_TRUE(settings.set("policy", "fifo 20").has_value());
    const auto applied = apply_to_thread(settings, 0, machine);
    ASSERT_TRUE(applied.has_value()) << applied.error();
    EXPECT_EQ(applied->at(0).in_force, takes_away ? "0 ns" : "1 ns");
    EXPECT_EQ(text_of(applied->at(0)),
              takes_away
                  ? "loop.timer_slack: 0 ns (asked for \"1\": the kernel has its own for real-time threads, whose "
                    "sleeps it ends when they are due)"
                  : "loop.timer_slack: 1 ns");
    EXPECT_EQ(document_of(*applied).at("timer_slack").has("remark"), takes_away);
    EXPECT_FALSE(document_of(*applied).at("timer_slack").has("refusal"));
  }
}

TEST(MachineSettings, this_machine_reports_the_timer_slack_that_it_has_beside_a_policy) {
  std::thread([] {
    LoopSettings settings = asking("timer_slack", "12345");
    ASSERT_TRUE(settings.set("policy", "try fifo 1").has_value());
    const auto applied = apply_to_thread(settings, 0);
    ASSERT_TRUE(applied.has_value()) << applied.error();
    EXPECT_EQ(applied->front().in_force, std::to_string(this_machine().timer_slack_ns()) + " ns");
  }).join();
}

TEST(MachineSettings, a_refusal_is_one_line_with_what_helps) {
  MadeUpMachine machine;
  machine.refusals["policy"] = EPERM;
  const auto refused = apply_to_thread(asking("policy", "fifo 20"), 0, machine);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().starts_with("loop.policy = \"fifo 20\" was refused: Operation not permitted; needs "))
      << refused.error();
  EXPECT_EQ(refused.error().find('\n'), std::string::npos);
}

TEST(MachineSettings, what_is_only_tried_is_a_remark) {
  MadeUpMachine machine;
  machine.refusals["lock_memory"] = ENOMEM;
  const auto applied = apply_to_process(asking("lock_memory", "try"), machine);
  ASSERT_TRUE(applied.has_value());
  ASSERT_EQ(applied->size(), 1U);
  EXPECT_NE(text_of(applied->at(0)).find("refused: "), std::string::npos);
  EXPECT_TRUE(document_of(*applied).at("lock_memory").has("refusal"));
}

TEST(MachineSettings, a_machine_that_says_yes_and_does_otherwise_is_found_out) {
  MadeUpMachine machine;
  machine.believes = false;
  for (const auto& [key, text] : {std::pair{"lock_memory", "yes"}, {"huge_pages", "yes"}, {"busy_poll", "60"}}) {
    const auto refused = apply_to_process(asking(key, text), machine);
    ASSERT_FALSE(refused.has_value()) << key;
    EXPECT_NE(refused.error().find("took it and does otherwise"), std::string::npos) << refused.error();
  }
  EXPECT_FALSE(apply_to_thread(asking("processor", "1"), 0, machine).has_value());
}

TEST(MachineSettings, a_processor_that_is_not_there_is_refused_by_this_machine_too) {
  std::thread([] {
    const auto refused = apply_to_thread(asking("processor", "1023"), 0);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().find("Invalid argument"), std::string::npos) << refused.error();
    const auto tried = apply_to_thread(asking("processor", "try 1023"), 0);
    ASSERT_TRUE(tried.has_value());
    EXPECT_FALSE(tried->front().refusal.empty());
  }).join();
}

TEST(MachineSettings, this_machine_takes_a_timer_slack_and_says_so) {
  std::thread([] {
    const auto applied = apply_to_thread(asking("timer_slack", "12345"), 0);
    ASSERT_TRUE(applied.has_value()) << applied.error();
    EXPECT_EQ(applied->front().in_force, "12345 ns");
  }).join();
}

}  // namespace
}  // namespace dojima::app
