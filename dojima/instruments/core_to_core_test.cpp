#include "dojima/instruments/core_to_core.hpp"

#include <gtest/gtest.h>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// Exchanges with a counter that is `ahead`: at least 150 cycles a way, now and then far more on one of them.
std::vector<Exchange> planted(std::int64_t ahead, std::size_t count) {
  std::vector<Exchange> exchanges;
  measure::Random random(11);
  std::uint64_t now = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t there = 150 + random.below(40) + (random.below(50) == 0 ? random.below(100'000) : 0);
    const std::uint64_t back = 160 + random.below(40) + (random.below(50) == 0 ? random.below(100'000) : 0);
    exchanges.push_back({now, now + there + static_cast<std::uint64_t>(ahead), now + there + back});
    now += 1'000 + there + back;
  }
  return exchanges;
}

TEST(CounterOffset, lies_within_bounds_that_the_quickest_ways_give) {
  for (const std::int64_t ahead : {std::int64_t{0}, std::int64_t{37}, std::int64_t{-1'000'000}}) {
    const CounterOffset offset = offset_of(planted(ahead, 5'000));
    EXPECT_FALSE(offset.is_contradiction());
    EXPECT_LE(offset.low_cycles, ahead);
    EXPECT_GE(offset.high_cycles, ahead);
    EXPECT_EQ(offset.high_cycles - offset.low_cycles, 310) << "the quickest way there and the quickest way back";
  }
}

TEST(CounterOffset, knows_when_counters_do_not_run_alike) {
  std::vector<Exchange> exchanges = planted(0, 1'000);
  const std::uint64_t begin = exchanges.front().sent;
  for (Exchange& exchange : exchanges) exchange.passed += (exchange.passed - begin) / 1'000;
  EXPECT_TRUE(offset_of(exchanges).is_contradiction());
}

TEST(CoreToCore, becomes_a_matrix_that_verifies) {
  const measure::CycleClock clock(0.5, 20);
  const CorePair pair{0, 1, planted(40, 2'000), {200'000, 210'000, 190'000}, 1'000, false};
  evidence::Artefact artefact("dojima lab c2c");
  add_core_to_core(artefact, {0, 1, 2}, {pair}, clock);
  const evidence::Table& pairs = artefact.tables().at(0);
  EXPECT_DOUBLE_EQ(*pairs.rows.at(0)[pairs.column("round_trip_ns")].real(), 100);
  EXPECT_NEAR(*pairs.rows[0][pairs.column("offset_ns")].real(), 20, 78);
  const evidence::Table& matrix = artefact.tables().at(1);
  ASSERT_EQ(matrix.rows.size(), 3u);
  EXPECT_DOUBLE_EQ(*matrix.rows[1][1].real(), 50) << "from 1 to 0 as from 0 to 1";
  EXPECT_FALSE(matrix.rows[0][1].is_measured());
  EXPECT_FALSE(matrix.rows[2][1].is_measured()) << "a pair that was not reached";
  const evidence::Verification found = evidence::verify(artefact.text());
  EXPECT_TRUE(found.is_right()) << (found.findings.empty() ? "" : found.findings.front());
}

TEST(CoreToCore, says_what_is_missing_on_a_single_processor) {
  evidence::Artefact artefact("dojima lab c2c");
  add_core_to_core(artefact, {0}, {}, measure::CycleClock(0.5));
  EXPECT_NE(artefact.tables().at(0).notes.at(0).find("Unavailable"), std::string::npos);
}

TEST(CoreToCore, exchanges_between_two_processors_and_ends_in_time) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one processor";
  const measure::CycleClock clock = measure::CycleClock::calibrate(std::chrono::milliseconds{5});
  const CorePairPlan plan{.exchanges = 500, .batch = 50, .time_cap = std::chrono::milliseconds{500}};
  const auto pair = measure_core_pair(cpus[0], cpus[1], plan, clock, [] { return true; });
  ASSERT_TRUE(pair.has_value()) << pair.error();
  for (const Exchange& exchange : pair->exchanges) EXPECT_LT(exchange.sent, exchange.received);
  EXPECT_LE(pair->exchanges.size(), 450u);
}

}  // namespace
}  // namespace dojima::instruments
