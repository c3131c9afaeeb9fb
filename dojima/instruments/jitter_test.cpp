#include "dojima/instruments/jitter.hpp"

#include <gtest/gtest.h>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/instruments/jitter_result.hpp"

namespace dojima::instruments {
namespace {

/// Six seconds under a budget of real-time threads, with the tick of a kernel.
JitterRecording recording_under_a_budget() {
  JitterRecording recording;
  recording.ns_per_cycle = 0.385;
  recording.quantum_ns = 10;
  JitterCore core;
  core.trace = {.cpu = 1, .span_ns = 6'000'000'000, .threshold_ns = 1'000};
  for (std::uint64_t at = 1'000'000; at < core.trace.span_ns; at += 4'000'000) {
    core.trace.gaps.push_back({at, 13'000});
    if (at % 1'000'000'000 == 1'000'000) core.trace.gaps.push_back({at + 500'000, 54'000'000});
  }
  for (const Gap& gap : core.trace.gaps) core.durations.record(gap.duration_ns);
  core.turns = 600'000'000;
  core.turn_ns = 8.9;
  recording.cores.push_back(std::move(core));
  return recording;
}

TEST(JitterResult, names_rhythms_and_the_budget_and_verifies) {
  evidence::Artefact artefact("dojima lab jitter");
  add_jitter(artefact, {.cpus = {1}}, recording_under_a_budget(), {});
  const evidence::Table& jitter = artefact.tables().at(0);
  EXPECT_EQ(*jitter.rows.at(0)[jitter.column("gaps")].integer(), 1'506);
  EXPECT_EQ(*jitter.rows[0][jitter.column("from_1_ms")].integer(), 6);
  const evidence::Table& periods = artefact.tables().at(1);
  ASSERT_EQ(periods.rows.size(), 2u);
  EXPECT_EQ(*periods.rows[0][periods.column("likely_cause")].text(), "timer tick, 250 Hz");
  EXPECT_EQ(*periods.rows[1][periods.column("likely_cause")].text(), "budget of real-time threads");
  ASSERT_EQ(artefact.quality().size(), 1u);
  EXPECT_EQ(artefact.quality()[0].quality, evidence::Quality::throttled);
  EXPECT_EQ(artefact.charts().size(), 2u);
  const evidence::Verification found = evidence::verify(artefact.text());
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
}

TEST(JitterResult, lists_every_gap) {
  JitterRecording recording;
  recording.cores.resize(2);
  recording.cores[0].trace = {.cpu = 0, .gaps = {{10, 2'000}, {50'000, 1'500}}};
  recording.cores[1].trace = {.cpu = 3, .gaps = {{7, 9'000}}};
  EXPECT_EQ(gap_list(recording), "cpu,at_ns,duration_ns\n0,10,2000\n0,50000,1500\n3,7,9000\n");
}

// How long the gaps are is the machine's business; that they are in order and within the recording is ours.
TEST(Jitter, records_gaps_in_order_within_the_time_it_watched) {
  for (const JitterMode mode : {JitterMode::spin, JitterMode::sleep}) {
    JitterPlan plan{.cpus = {allowed_cpus().back()}, .mode = mode, .duration = std::chrono::milliseconds{40}};
    plan.threshold_ns = 200;
    plan.capacity = 1'000;
    const auto recording = record_jitter(plan, [] { return true; });
    ASSERT_TRUE(recording.has_value()) << recording.error();
    ASSERT_EQ(recording->cores.size(), 1u);
    const JitterCore& core = recording->cores[0];
    EXPECT_GT(core.turns, 0u);
    EXPECT_LE(core.trace.gaps.size(), plan.capacity);
    std::uint64_t end = 0;
    for (const Gap& gap : core.trace.gaps) {
      EXPECT_GE(gap.duration_ns + 1, core.trace.threshold_ns);
      EXPECT_TRUE(mode == JitterMode::sleep || gap.at_ns + 1 >= end);
      end = gap.at_ns + gap.duration_ns;
    }
    EXPECT_LE(end, core.trace.span_ns + 1'000'000'000);
  }
}

TEST(Jitter, ends_on_request_with_what_it_has) {
  const JitterPlan plan{.cpus = {allowed_cpus().back()}, .duration = std::chrono::seconds{60}, .capacity = 1'000};
  const auto recording = record_jitter(plan, [] { return false; });
  ASSERT_TRUE(recording.has_value()) << recording.error();
  EXPECT_TRUE(recording->outcome.was_stopped);
  EXPECT_GT(recording->cores[0].trace.span_ns, 0u);
  EXPECT_LT(recording->cores[0].trace.span_ns, 59'000'000'000u);
}

TEST(Jitter, says_which_processor_there_is_not) {
  const auto recording = record_jitter({.cpus = {1'023}, .capacity = 10}, [] { return true; });
  ASSERT_FALSE(recording.has_value());
  EXPECT_NE(recording.error().find("1023"), std::string::npos);
}

}  // namespace
}  // namespace dojima::instruments
