#include "dojima/instruments/clock_tables.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/clock_reads.hpp"
#include "dojima/instruments/studies/clock_outliers.hpp"
#include "dojima/instruments/tables_test_support.hpp"

namespace dojima::instruments {
namespace {

/// Round r of 1,000 batches of 100 calls of 20 + r ns each, and one batch with a stall of a millisecond.
ClockSample some_sample(bool is_loaded, Compiled compiled, std::size_t rounds) {
  ClockSample sample{"gettimeofday", "vdso", compiled, is_loaded, false, 100};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<float> spans(1'000, static_cast<float>(2'000 + 100 * round));
    spans[500] += 1'000'000.0f;
    sample.rounds.push_back(spans);
  }
  return sample;
}

double number(const evidence::Table& table, std::size_t row, const char* column) {
  return table.rows.at(row).at(table.column(column)).number();
}

ClockStudy some_clock_study() {
  ClockStudy study{.ns_per_cycle = 0.385, .quantum_ns = 10};
  study.samples = {some_sample(false, Compiled::plain, 3), some_sample(false, Compiled::optimised, 11)};
  study.steps = {step_of("gettimeofday", {0, 0, 0, 1000, 0, 0, 0, 0}, 1)};
  study.drifts = {{.span_s = 1.001, .wanted_s = 1, .residual_ns = 12, .residual_ppm = 0.012, .uncertainty_ppm = 0.04}};
  return study;
}

TEST(ClockSummary, is_per_call_and_takes_the_median_of_the_rounds) {
  const ClockSummary summary = summarise(some_sample(false, Compiled::plain, 3));
  EXPECT_EQ(summary.rounds, 3u);
  EXPECT_DOUBLE_EQ(summary.of_rounds.min, 21);
  EXPECT_DOUBLE_EQ(summary.of_rounds.median, 21);
  EXPECT_DOUBLE_EQ(summary.of_rounds.max, 10'021);
  EXPECT_DOUBLE_EQ(summary.of_rounds.mean, 31);
  EXPECT_NEAR(summary.mad_percent, 100.0 / 21, 1e-9);
  EXPECT_FALSE(summary.is_settled());
}

TEST(ClockSummary, settles_with_ten_rounds_that_agree) {
  ClockSample sample = some_sample(false, Compiled::plain, 1);
  sample.rounds.resize(10, sample.rounds.front());
  EXPECT_TRUE(summarise(sample).is_settled());
}

TEST(ClockTables, put_the_articles_columns_beside_ours) {
  evidence::Artefact artefact("dojima lab clocks --reference");
  add_clock_results(artefact, some_clock_study(), {.drift_s = {1, 10}}, "tsc");
  const evidence::Table& article = table_named(artefact, "article");
  EXPECT_EQ(number(article, 0, "nehalem_ns"), 29.06);
  EXPECT_EQ(number(article, 5, "power7_shared_ns"), 58.96);
  EXPECT_EQ(number(article, 1, "here_O0_ns"), 10'021);
  EXPECT_FALSE(article.rows[0][article.column("here_O0_loaded_ns")].is_measured());
  EXPECT_NE(article.notes.front().find("clock source tsc"), std::string::npos);
  const evidence::Table& drift = table_named(artefact, "drift");
  EXPECT_EQ(number(drift, 0, "residual_ns"), 12);
  EXPECT_FALSE(drift.rows[1][drift.column("residual_ns")].is_measured());
  ASSERT_FALSE(artefact.charts().empty());
  EXPECT_EQ(artefact.charts().front().curves.size(), 5u) << "three machines of the article and two of ours";
  EXPECT_TRUE(evidence::verify(artefact.text()).is_right());
}

TEST(ClockTables, have_no_article_where_nobody_asked_for_it) {
  evidence::Artefact artefact("dojima lab clocks");
  add_clock_results(artefact, some_clock_study(), {.is_reference = false}, "tsc");
  EXPECT_EQ(artefact.tables().front().name, "calls");
}

TEST(ClockTables, show_what_the_dropped_batches_would_have_done) {
  ClockStudy study = some_clock_study();
  for (ClockSample& sample : study.samples) sample.first.assign(sample.rounds.size(), {90'000, 2'000});
  const evidence::Table table = settling_table(study, {});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(number(table, 0, "first_of_round_ns"), 900);
  EXPECT_EQ(number(table, 0, "average_ns"), 31);
  EXPECT_GT(number(table, 0, "average_with_ns"), 31.8);
  EXPECT_EQ(number(table, 0, "max_ns"), 10'021);
  EXPECT_EQ(number(table, 0, "max_with_ns"), 10'021) << "a larger one was not dropped";
}

TEST(ClockTables, put_what_the_kernel_counted_beside_the_largest_batches) {
  ClockStudy study;
  for (int i = 0; i < 100; ++i)
    study.slices.push_back({.begin_s = i * 1e-3, .elapsed_ns = 1e5, .largest_ns = 23, .counts = {.interrupts = 1}});
  study.slices[40].largest_ns = 900;
  study.slices[40].counts.interrupts = 4;
  study.slices[60].largest_ns = 40'000;
  study.slices[60].counts.involuntary_switches = 1;
  const evidence::Table table = outliers_table(study);
  ASSERT_EQ(table.rows.size(), 11u) << "ten slices and the others";
  EXPECT_EQ(*table.rows[0].back().text(), "another thread ran");
  EXPECT_EQ(number(table, 0, "at_ms"), 60);
  EXPECT_EQ(*table.rows[1].back().text(), "interrupt");
  EXPECT_EQ(*table.rows[2].back().text(), "nothing that the kernel counts");
  EXPECT_EQ(*table.rows[10].back().text(), "median of the 90 others");
}

TEST(KernelCounts, are_read_from_the_column_of_the_processor) {
  const std::string text =
      "           CPU0       CPU2\n"
      "  0:         10          7   IO-APIC    2-edge      timer\n"
      "LOC:        100        200   Local timer interrupts\n"
      "ERR:          3\n";
  EXPECT_EQ(interrupts_of(text, 2), 207);
  EXPECT_EQ(interrupts_of(text, 0), 110);
  EXPECT_EQ(interrupts_of(text, 1), std::nullopt);
  EXPECT_EQ(steal_of("cpu  1 2 3 4 5 6 7 8 9 10\ncpu1 1 1 1 1 1 1 1 42 0 0\n", 1), 42);
  EXPECT_EQ(steal_of("cpu  1 2 3 4 5 6 7 8 9 10\n", 1), std::nullopt);
  const KernelCounts growth = KernelCounts{.interrupts = 9, .faults = 3} - KernelCounts{.faults = 1};
  EXPECT_EQ(growth.faults, 2);
  EXPECT_EQ(growth.interrupts, std::nullopt) << "not known before, so not known";
}

TEST(ClockTables, bound_how_far_the_counters_of_two_processors_are_apart) {
  // The other counter was read between 100 and 300, and showed 250: it is ahead by -50 to 150.
  CorePair pair{.from = 0, .to = 1};
  pair.exchanges = {{.sent = 100, .passed = 250, .received = 300}};
  CorePair behind{.from = 0, .to = 2};
  behind.exchanges = {{.sent = 1'000, .passed = 400, .received = 1'200}};
  evidence::Artefact artefact("dojima lab clocks");
  add_core_offsets(artefact, {pair, behind, CorePair{.from = 0, .to = 3}}, 0.5);
  const evidence::Table& cores = artefact.tables().front();
  EXPECT_EQ(number(cores, 0, "offset_low_ns"), -25);
  EXPECT_EQ(number(cores, 0, "offset_high_ns"), 75);
  EXPECT_EQ(cores.rows[0].back(), evidence::Cell(false));
  EXPECT_EQ(cores.rows[1].back(), evidence::Cell(true)) << "behind by 600 cycles at least";
  EXPECT_FALSE(cores.rows[2].back().is_measured());
}

TEST(ClockStep, is_found_for_clocks_that_stand_still_most_of_the_time) {
  std::vector<std::int64_t> coarse(100'000, 0);
  for (std::size_t i = 1; i <= 7; ++i) coarse[i * 10'000] = 4'000'000;
  const ClockStep step = step_of("coarse", coarse, 1);
  EXPECT_EQ(step.equal, 99'993u);
  EXPECT_EQ(*step.smallest_ns, 4'000'000);
  EXPECT_EQ(*step.quantum_ns, 4'000'000);
  EXPECT_EQ(step.backwards, 0u);
}

TEST(ClockStep, is_a_lattice_for_counters_that_jump) {
  std::vector<std::int64_t> jumping;
  for (int i = 0; i < 10'000; ++i) jumping.push_back(i % 3 == 0 ? 52 : 26);
  EXPECT_NEAR(*step_of("rdtsc", jumping, 0.385).quantum_ns, 26 * 0.385, 0.01);
}

TEST(ClockStep, counts_readings_that_go_back_and_claims_no_step_of_a_clock_that_stands) {
  EXPECT_EQ(step_of("broken", {5, -3, 5, -1}, 1).backwards, 2u);
  EXPECT_FALSE(step_of("stands", {0, 0, 0}, 1).smallest_ns.has_value());
}

TEST(ClockReads, are_the_same_clocks_with_and_without_optimisation) {
  const ClockReads plain = clock_reads_plain();
  const ClockReads optimised = clock_reads_optimised();
  ASSERT_EQ(plain.count, optimised.count);
  EXPECT_GE(plain.count, 20u);
  std::set<std::string> names;
  for (std::size_t i = 0; i < plain.count; ++i) {
    EXPECT_STREQ(plain.first[i].name, optimised.first[i].name);
    EXPECT_NE(plain.first[i].by_monotonic, optimised.first[i].by_monotonic);
    names.insert(plain.first[i].name);
  }
  EXPECT_EQ(names.size(), plain.count);
}

TEST(ClockReads, fill_every_span_and_never_run_backwards) {
  for (const ClockRead& read : clock_reads_plain()) {
    std::int64_t spans[20];
    for (std::int64_t& span : spans) span = -1;
    read.by_monotonic(10, 3, spans);
    read.by_cycles(10, 3, spans + 10);
    for (const std::int64_t span : spans) EXPECT_GE(span, 0) << read.name;
    if (read.now != nullptr) {
      const std::int64_t before = read.now();
      EXPECT_GE(read.now(), before) << read.name;
    }
  }
}

}  // namespace
}  // namespace dojima::instruments
