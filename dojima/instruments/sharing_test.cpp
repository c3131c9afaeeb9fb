#include "dojima/instruments/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/instruments/studies/overlap.hpp"

namespace dojima::instruments {
namespace {

using Intervals = std::vector<RunInterval>;

/// Stamps of a thread that runs chunks of 10 within the intervals given.
std::vector<std::uint64_t> running_in(const Intervals& intervals) {
  std::vector<std::uint64_t> stamps;
  for (const RunInterval& interval : intervals) {
    for (std::uint64_t at = interval.begin; at <= interval.end; at += 10) stamps.push_back(at);
  }
  return stamps;
}

/// Two threads on one processor: turns of 4,000, one beginning where the other ends.
SharingRound serialised() {
  Intervals first;
  Intervals second;
  for (std::uint64_t at = 0; at < 40'000; at += 8'000) {
    first.push_back({at, at + 3'990});
    second.push_back({at + 4'000, at + 7'990});
  }
  return {8, {running_in(first), running_in(second)}};
}

TEST(Overlap, leaves_out_what_was_interrupted) {
  const auto stamps = running_in({{0, 1'000}, {5'000, 6'000}});
  EXPECT_EQ(running_intervals(stamps), (Intervals{{0, 1'000}, {5'000, 6'000}}));
  EXPECT_TRUE(running_intervals(std::vector<std::uint64_t>{5}).empty());
}

TEST(Overlap, is_what_all_have_in_common) {
  EXPECT_EQ(common_intervals(Intervals{{0, 10}, {20, 30}}, Intervals{{5, 25}}), (Intervals{{5, 10}, {20, 25}}));
  EXPECT_TRUE(common_intervals(Intervals{{0, 10}}, Intervals{{10, 20}}).empty());
  EXPECT_EQ(total_length(Intervals{{5, 10}, {20, 25}}), 10u);
  EXPECT_EQ(chunks_within(std::vector<std::uint64_t>{0, 10, 20, 35}, Intervals{{5, 30}}),
            (std::vector<std::uint64_t>{10}));
}

TEST(Sharing, counts_only_what_was_done_while_all_ran) {
  // The second thread is away for half of the time; the first is quicker meanwhile.
  std::vector<std::uint64_t> first = running_in({{0, 10'000}});
  for (std::uint64_t at = 10'005; at <= 20'000; at += 5) first.push_back(at);
  const SharingRound round{8, {first, running_in({{0, 10'000}})}};
  const SharingFigures figures = figures_of(round, 10, 2);
  EXPECT_DOUBLE_EQ(figures.ns_per_increment, 2) << "chunks of 10 cycles, not those of 5";
  EXPECT_DOUBLE_EQ(figures.overlapped_s, 20'000e-9);
  EXPECT_DOUBLE_EQ(figures.overlapped_share, 1);
}

TEST(Sharing, sees_that_threads_which_take_turns_never_overlapped) {
  const SharingFigures figures = figures_of(serialised(), 10, 1);
  EXPECT_LT(figures.overlapped_share, 0.01);
  EXPECT_TRUE(std::isnan(figures.ns_per_increment));
}

TEST(Sharing, fails_the_check_of_threads_which_take_turns) {
  const SharingPlan plan{.cpus = {0, 1}, .distances = {8, 256}, .chunk = 10};
  SharingResult result;
  result.rounds.push_back(serialised());
  result.rounds.push_back({256, {running_in({{0, 10'000}}), running_in({{0, 10'000}})}});
  evidence::Artefact artefact("dojima lab sharing");
  add_sharing(artefact, plan, result, measure::CycleClock(0.5));
  ASSERT_EQ(artefact.checks().size(), 2u);
  EXPECT_FALSE(artefact.checks()[0].ok) << artefact.checks()[0].detail;
  EXPECT_TRUE(artefact.checks()[1].ok) << artefact.checks()[1].detail;
  const evidence::Verification found = evidence::verify(artefact.text());
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
}

// Two threads pinned to one processor cannot run at the same time, and the instrument says so.
TEST(Sharing, fails_its_check_where_the_threads_have_one_processor) {
  const int cpu = allowed_cpus().back();
  SharingPlan plan{.cpus = {cpu, cpu}, .distances = {8}, .rounds = 2};
  plan.chunks = 200'000;
  plan.round_length = std::chrono::milliseconds{60};
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{5});
  const auto result = measure_sharing(plan, clock, [](std::size_t) { return true; });
  ASSERT_TRUE(result.has_value()) << result.error();
  evidence::Artefact artefact("dojima lab sharing");
  add_sharing(artefact, plan, *result, clock);
  ASSERT_EQ(artefact.checks().size(), 1u);
  EXPECT_FALSE(artefact.checks()[0].ok) << artefact.checks()[0].detail;
}

}  // namespace
}  // namespace dojima::instruments
