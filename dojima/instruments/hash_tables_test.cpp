#include "dojima/instruments/hash_tables.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/tables_test_support.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// A thousand evaluations of 230 or 240 ns, some of them with a stall.
HashRun some_run(std::size_t stalls, float stall_ns, std::int64_t preemptions, double off_processor_ns) {
  HashRun run{.preemptions = preemptions};
  for (std::size_t i = 0; i < 1'000; ++i) run.times.push_back(i % 3 == 0 ? 240.0f : 230.0f);
  for (std::size_t i = 0; i < stalls; ++i) run.times[i * 7] += stall_ns;
  run.on_processor_ns = 250'000;
  run.elapsed_ns = run.on_processor_ns + off_processor_ns;
  return run;
}

/// What a machine gives on which everything is as it should be: the processor's clock sees no preemption.
HashStudy some_hash_study() {
  HashStudy study{.ns_per_cycle = 0.385, .quantum_ns = 10};
  for (const HashClock clock : k_hash_clocks) {
    HashOverhead& overhead = study.overheads.emplace_back(HashOverhead{clock, {}});
    const bool is_stepped = clock == HashClock::monotonic || clock == HashClock::tsc;
    for (int i = 0; i < 1'000; ++i)
      overhead.times.push_back(is_stepped ? 10.0f * static_cast<float>(2 + i % 2) : static_cast<float>(380 + i % 41));
  }
  for (const bool is_loaded : {false, true}) {
    for (const bool is_real_time : {false, true}) {
      for (const HashClock clock : k_hash_clocks) {
        const bool is_preempted = is_loaded && !is_real_time;
        const bool is_seen = clock == HashClock::monotonic || clock == HashClock::tsc;
        HashCell cell{clock, is_real_time, is_loaded};
        for (int round = 0; round < 3; ++round) {
          HashRun run = some_run(is_preempted ? 5 : 2, is_preempted && is_seen ? 4e6f : 2e4f, is_preempted ? 5 : 0,
                                 is_preempted ? 2e7 : 0);
          if (!is_seen) {
            for (float& time : run.times) time += 380;
          }
          cell.runs.push_back(std::move(run));
        }
        study.cells.push_back(std::move(cell));
      }
    }
  }
  return study;
}

evidence::Artefact results_of(const HashStudy& study) {
  evidence::Artefact artefact("dojima lab hash --reference");
  add_hash_results(artefact, study, 4e6);
  return artefact;
}

std::vector<std::optional<bool>> statements(const evidence::Artefact& artefact) {
  const evidence::Table& table = table_named(artefact, "demonstration");
  std::vector<std::optional<bool>> holds;
  for (const auto& row : table.rows) {
    const bool* yes = std::get_if<bool>(&row[1].value());
    holds.push_back(yes == nullptr ? std::nullopt : std::optional(*yes));
  }
  return holds;
}

TEST(HashTables, begin_with_the_four_rows_of_the_article) {
  const evidence::Artefact artefact = results_of(some_hash_study());
  const evidence::Table& sigma = table_named(artefact, "sigma");
  ASSERT_EQ(sigma.rows.size(), 20u);
  EXPECT_EQ(sigma.rows[0][sigma.column("max_ns")].number(), 189'705);
  EXPECT_EQ(sigma.rows[3][sigma.column("beyond_100")].number(), 0);
  EXPECT_TRUE(evidence::verify(artefact.text()).is_right());
}

TEST(HashTables, count_the_same_outliers_in_every_column_of_sigmas_but_not_in_the_robust_twin) {
  HashStudy study = some_hash_study();
  study.cells = {study.cells.back()};
  study.cells[0].runs = {some_run(3, 4e6f, 3, 0)};
  study.cells[0].runs[0].times[900] = 400;
  const evidence::Artefact artefact = results_of(study);
  const evidence::Table& sigma = table_named(artefact, "sigma");
  EXPECT_EQ(sigma.rows[4][sigma.column("beyond_2")].number(), 3);
  EXPECT_EQ(sigma.rows[4][sigma.column("beyond_10")].number(), 3);
  const evidence::Table& robust = table_named(artefact, "robust");
  EXPECT_EQ(robust.rows[0][robust.column("spread_ns")].number(), 10) << "not below the clock's step";
  EXPECT_EQ(robust.rows[0][robust.column("beyond_2")].number(), 4);
  const evidence::Table& absolute = table_named(artefact, "absolute");
  EXPECT_EQ(absolute.rows[0][absolute.column("above_1_ms")].number(), 3);
}

TEST(HashTables, show_that_the_processors_clock_hides_preemption) {
  const auto holds = statements(results_of(some_hash_study()));
  EXPECT_EQ(holds, (std::vector<std::optional<bool>>{true, false, true, true, true}))
      << "in these runs the spread of the bulk is the same with both policies";
}

TEST(HashTables, do_not_claim_it_where_nothing_was_preempted) {
  HashStudy study = some_hash_study();
  for (HashCell& cell : study.cells) {
    for (HashRun& run : cell.runs) run.preemptions = 0;
  }
  const auto holds = statements(results_of(study));
  EXPECT_EQ(holds[0], std::nullopt);
  EXPECT_EQ(holds[3], std::nullopt);
}

TEST(HashTables, deny_it_where_the_processors_clock_saw_the_stall) {
  HashStudy study = some_hash_study();
  for (HashCell& cell : study.cells) {
    if (cell.clock == HashClock::process_cpu) cell.runs[0].times[3] = 5e6f;
  }
  EXPECT_EQ(statements(results_of(study))[0], std::optional(false));
}

TEST(HashTables, say_why_what_the_machine_forbids_is_missing) {
  HashStudy study = some_hash_study();
  for (HashCell& cell : study.cells) {
    if (!cell.is_real_time) continue;
    cell.runs.clear();
    cell.trouble = "SCHED_FIFO 50: Operation not permitted";
  }
  const evidence::Artefact artefact = results_of(study);
  for (const char* name : {"sigma", "robust", "absolute", "rounds", "fit"}) {
    const evidence::Table& table = table_named(artefact, name);
    EXPECT_EQ(table.rows.size(), name == std::string("sigma") ? 20u : 16u) << name;
    std::size_t gaps = 0;
    for (const auto& row : table.rows) gaps += row.back().is_measured() ? 0u : 1u;
    EXPECT_EQ(gaps, 8u) << name;
  }
  EXPECT_EQ(statements(artefact)[1], std::nullopt);
  EXPECT_EQ(statements(artefact)[3], std::nullopt);
  const evidence::Verification found = evidence::verify(artefact.text());
  EXPECT_TRUE(found.is_right()) << found.findings.front();
}

TEST(HashTables, see_the_bulk_tighten_where_priority_leaves_fewer_values_outside) {
  HashStudy study = some_hash_study();
  for (HashCell& cell : study.cells) {
    if (cell.clock != HashClock::process_cpu || cell.is_real_time) continue;
    for (HashRun& run : cell.runs) {
      for (std::size_t i = 0; i < 9; ++i) run.times[500 + i] += 3e4f;
    }
  }
  EXPECT_EQ(statements(results_of(study))[1], std::optional(true));
}

TEST(HashTables, find_a_shifted_exponential_behind_seven_stalls) {
  measure::Random random(11);
  HashStudy study = some_hash_study();
  study.overheads.clear();
  study.quantum_ns = 0.5;
  study.cells = {study.cells.front()};
  study.cells[0].clock = HashClock::monotonic;
  HashRun run;
  for (std::size_t i = 0; i < 20'000; ++i)
    run.times.push_back(static_cast<float>(i % 3'000 == 7 ? 4e6 : std::round(600 - 30 * std::log(1 - random.unit()))));
  study.cells[0].runs = {run};
  const evidence::Artefact artefact = results_of(study);
  const evidence::Table& fit = table_named(artefact, "fit");
  const std::string& verdict = *fit.rows[0].back().text();
  EXPECT_NE(verdict.find("perhaps shifted exponential"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("; 7 stalls up to 4.00\u00a0ms"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("; no lattice"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("not lognormal"), std::string::npos) << verdict;
  EXPECT_EQ(fit.rows[0][fit.column("stalls")].number(), 7);
}

TEST(HashTables, know_no_lattice_where_values_take_every_nanosecond) {
  HashStudy study = some_hash_study();
  study.overheads.clear();
  study.quantum_ns = 0.5;
  study.cells = {study.cells.front()};
  HashRun run;
  for (std::size_t i = 0; i < 5'000; ++i)
    run.times.push_back(static_cast<float>(500 + i * 7 % 61 + (i % 50 == 0 ? 130 : 0)));
  study.cells[0].runs = {run};
  const evidence::Table fit = table_named(results_of(study), "fit");
  EXPECT_FALSE(fit.rows[0][fit.column("quantum_ns")].is_measured());
}

TEST(HashTables, find_the_lattice_and_reject_the_articles_exponential) {
  const evidence::Artefact artefact = results_of(some_hash_study());
  const evidence::Table& fit = table_named(artefact, "fit");
  const std::size_t row = 2;  // monotonic, other, idle
  EXPECT_NEAR(fit.rows[row][fit.column("quantum_ns")].number(), 10, 0.1);
  EXPECT_LT(fit.rows[row][fit.column("exponential_p")].number(), 0.01);
  EXPECT_NE(fit.rows[row].back().text()->find("not exponential"), std::string::npos);
}

TEST(HashTables, draw_density_and_cumulative_distribution_zoomed_and_whole) {
  const evidence::Artefact artefact = results_of(some_hash_study());
  ASSERT_EQ(artefact.charts().size(), 12u);
  for (const evidence::Chart& chart : artefact.charts()) {
    EXPECT_EQ(chart.curves.size(), 4u) << chart.name;
    if (!chart.name.starts_with("ecdf_")) continue;
    for (const evidence::ChartCurve& curve : chart.curves)
      EXPECT_NEAR(curve.points.back().y, 1, chart.x.is_logarithmic ? 1e-9 : 0.02) << chart.name;
  }
}

TEST(HashTables, take_the_run_with_the_middle_mean) {
  HashCell cell;
  for (const float stall : {0.0f, 9e6f, 1e6f}) cell.runs.push_back(some_run(1, stall, 0, 0));
  EXPECT_EQ(middle_run(cell), &cell.runs[2]);
  EXPECT_EQ(middle_run({}), nullptr);
}

TEST(HashWork, is_the_same_everywhere) {
  // Computed by a program of a few lines in a language of unbounded integers.
  EXPECT_EQ(hash_64_rounds(HashFunction::littlepage, 1), 0x7ca1bc4ea633a2cau);
  EXPECT_EQ(hash_64_rounds(HashFunction::littlepage, (1ULL << 63) + 5), 0x7a39936920c4da22u);
  EXPECT_EQ(hash_64_rounds(HashFunction::wang, 123456789), 0x6b8956654803d497u);
}

TEST(HashTables, put_the_verdict_of_fit_tests_into_words) {
  measure::Shape shape{.limit = 738, .bulk_count = 990, .bulk_steps = 60};
  shape.bulk = {{.model = measure::FitModel::exponential, .distance = 0.613, .p_value = 1e-9},
                {.model = measure::FitModel::shifted_exponential, .distance = 0.01, .p_value = 0.4}};
  shape.tail_count = 9;
  shape.stalls = 1;
  shape.largest_stall = 4e6;
  EXPECT_EQ(verdict_of({10, 0.9991}, shape),
            "bulk up to 738\u00a0ns: not exponential (D 0.613), perhaps shifted exponential (D 0.010); tail: 9 values; "
            "1 stall up to 4.00\u00a0ms; a lattice of 10\u00a0ns (99.91\u00a0% of the values)");
  EXPECT_TRUE(verdict_of({}, shape).ends_with("; no lattice"));
  shape.bulk_steps = 2;
  EXPECT_NE(verdict_of({}, shape).find("too few steps to tell from shifted exponential"), std::string::npos);
}

}  // namespace
}  // namespace dojima::instruments
