#include "dojima/evidence/import.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/evidence/hdr_log.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::evidence {
namespace {

std::string imported_path(const std::string& name) {
  return source_folder() + "/tests/golden/import/" + name;
}

std::string read_imported(const std::string& name) {
  std::ifstream file(imported_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ImportSettings settings_for(const std::string& name) {
  return {.file = "/somewhere/" + name,
          .created_utc = "2026-03-21T12:00:00Z",
          .tool_version = "0.1.0",
          .argv = {"/usr/bin/dojima", "lab", "import", name}};
}

/// The file's artefact is the golden one, or, with DOJIMA_WRITE_GOLDEN set, is written as it; it verifies, and the
/// report draws it.
Artefact expect_golden(const std::string& name, ForeignFormat format) {
  const std::string text = read_imported(name);
  EXPECT_EQ(format_of(text), format) << name;
  auto artefact = import_foreign(text, format, settings_for(name));
  EXPECT_TRUE(artefact.has_value()) << name << ": " << artefact.error();
  const std::string golden = name.substr(0, name.find('.')) + ".artefact.json";
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) {
    std::ofstream(imported_path(golden), std::ios::binary) << artefact->text();
  }
  EXPECT_TRUE(artefact->text() == read_imported(golden))
      << golden << " differs; DOJIMA_WRITE_GOLDEN=1 writes the new one, git diff shows what changed";
  const Verification found = verify(artefact->text());
  EXPECT_TRUE(found.is_right()) << name << ": " << (found.findings.empty() ? "" : found.findings.front());
  EXPECT_EQ(artefact->text().find("stays-behind"), std::string::npos) << "the name of a host";
  EXPECT_FALSE(report({*artefact}).empty());
  return *artefact;
}

measure::HistogramView first_histogram(const Artefact& artefact) {
  return artefact.runs().at(0).histograms.at(0).histogram.view();
}

TEST(Import, reads_cyclictest_with_what_lay_above_its_buckets) {
  const Artefact artefact = expect_golden("cyclictest.json", ForeignFormat::cyclictest);
  ASSERT_EQ(artefact.runs().size(), 2u);
  EXPECT_EQ(artefact.runs()[0].arm, "cpu 0");
  const measure::HistogramView lateness = first_histogram(artefact);
  EXPECT_EQ(lateness.count(), 957u) << "all cycles, three of them above the last bucket";
  EXPECT_EQ(lateness.min, 4'500u);
  EXPECT_EQ(lateness.max, 5'312'500u);
  EXPECT_EQ(lateness.count_up_to(6'999), 12u + 310 + 402);
  EXPECT_EQ(artefact.quality().front().quality, Quality::quantised);
}

TEST(Import, reads_oslat_whose_buckets_end_where_their_name_says) {
  const Artefact artefact = expect_golden("oslat.json", ForeignFormat::oslat);
  const measure::HistogramView gaps = first_histogram(artefact);
  EXPECT_EQ(gaps.count(), 17u + 31 + 30 + 6 + 8 + 6 + 193) << "turns below 1 us are no gaps";
  EXPECT_EQ(gaps.min, 1'500u);
  EXPECT_EQ(gaps.max, 20'052'500u);
  const Table& threads = artefact.tables().front();
  EXPECT_EQ(*threads.rows[0][threads.column("from_2_us")].integer(), 31 + 30 + 6 + 8 + 6 + 193);
}

TEST(Import, counts_turns_of_oslat_from_a_limit_on) {
  const auto counts = oslat_counts(read_imported("oslat.json"), 2);
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->size(), 1u);
  EXPECT_EQ((*counts)[0].cpu, 1);
  EXPECT_EQ((*counts)[0].turns, 31u + 30 + 6 + 8 + 6 + 193);
  EXPECT_DOUBLE_EQ((*counts)[0].seconds, 1.998);
  EXPECT_FALSE(oslat_counts("{}", 2).has_value());
}

/// The log of three seconds with a stall in the second, as jHiccup writes it.
std::string hiccup_log() {
  std::string text =
      "#[Histogram log format version 1.3]\n#[StartTime: 1774094400.000 (seconds since epoch), Sat Mar 21 12:00:00 UTC "
      "2026]\n";
  HdrLogWriter log(1'774'094'400);
  for (int second = 0; second < 3; ++second) {
    measure::FineHistogram interval;
    for (std::uint64_t i = 0; i < 1'000; ++i) interval.record(60'000 + i * 10);
    if (second == 1) interval.record(250'000'000);
    log.add({static_cast<double>(second), 1, {}, measure::StoredHistogram(interval.view())});
  }
  return log.text();
}

TEST(Import, reads_an_interval_log_as_one_distribution_and_its_course) {
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) {
    std::ofstream(imported_path("jhiccup.hlog"), std::ios::binary) << hiccup_log();
  }
  const Artefact artefact = expect_golden("jhiccup.hlog", ForeignFormat::hdr_log);
  EXPECT_EQ(first_histogram(artefact).count(), 3'001u);
  EXPECT_NEAR(static_cast<double>(first_histogram(artefact).max), 2.5e8, 2.5e5);
  ASSERT_EQ(artefact.series().size(), 1u);
  EXPECT_EQ(artefact.series()[0].rows.size(), 3u);
}

TEST(Import, takes_the_unit_of_an_interval_log_from_who_knows_it) {
  ImportSettings settings = settings_for("wrk.hlog");
  settings.hdr_log_unit_ns = 1'000;
  const auto artefact = import_foreign(hiccup_log(), ForeignFormat::hdr_log, settings);
  ASSERT_TRUE(artefact.has_value()) << artefact.error();
  EXPECT_NEAR(static_cast<double>(first_histogram(*artefact).min), 6e7, 6e4);
}

TEST(Import, reads_google_benchmark_by_repetition_and_leaves_its_own_means_out) {
  const Artefact artefact = expect_golden("google_benchmark.json", ForeignFormat::google_benchmark);
  ASSERT_EQ(artefact.runs().size(), 2u);
  ASSERT_EQ(artefact.runs()[0].figures.size(), 2u);
  EXPECT_EQ(artefact.runs()[0].figures[1], (Figure{"BM_recover", "ns", 58.5e6}));
  EXPECT_EQ(artefact.runs()[1].figures[0], (Figure{"BM_book_add/1000", "ns", 563.75}));
  ASSERT_EQ(artefact.checks().size(), 1u);
  EXPECT_FALSE(artefact.checks()[0].ok) << "a benchmark that failed";
}

TEST(Import, reads_hyperfine_and_holds_its_mean_against_its_times) {
  const Artefact artefact = expect_golden("hyperfine.json", ForeignFormat::hyperfine);
  EXPECT_EQ(artefact.runs().size(), 5u);
  EXPECT_EQ(first_histogram(artefact).count(), 4u);
  ASSERT_EQ(artefact.checks().size(), 2u);
  EXPECT_TRUE(artefact.checks()[0].ok);
  std::string other = read_imported("hyperfine.json");
  other.replace(other.find("0.002125"), 8, "0.002126");
  const auto wrong = import_foreign(other, ForeignFormat::hyperfine, settings_for("hyperfine.json"));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_FALSE(wrong->checks()[0].ok);
}

TEST(Import, lets_the_report_hold_figures_of_two_results_against_each_other) {
  const auto before = import_foreign(read_imported("google_benchmark.json"), ForeignFormat::google_benchmark, {});
  std::string text = read_imported("google_benchmark.json");
  text.replace(text.find("58.5"), 4, "29.25");
  const auto after = import_foreign(text, ForeignFormat::google_benchmark, {});
  ASSERT_TRUE(before.has_value() && after.has_value());
  const std::string page = report({*before, *after});
  EXPECT_NE(page.find("Figures side by side"), std::string::npos);
  EXPECT_NE(page.find("<td>0.500</td>"), std::string::npos);
  EXPECT_EQ(report({*before}).find("Figures side by side"), std::string::npos);
}

TEST(Import, refuses_what_makes_no_sense_and_names_it) {
  const auto error = [](std::string_view text, ForeignFormat format) {
    const auto artefact = import_foreign(text, format, {});
    return artefact ? std::string("accepted") : artefact.error();
  };
  EXPECT_EQ(format_of("no idea"), std::nullopt);
  EXPECT_EQ(format_of("{}"), std::nullopt);
  EXPECT_EQ(error("{", ForeignFormat::oslat).substr(0, 7), "no JSON");
  EXPECT_EQ(error(R"({"cmdline:": "oslat"})", ForeignFormat::oslat), "thread: expected an object of threads");
  EXPECT_EQ(error(R"({"cmdline:": "c", "thread": {"0": {"cycles": -1}}})", ForeignFormat::cyclictest),
            "thread.0.cycles: expected a whole number, 0 or above");
  EXPECT_EQ(error(R"({"cmdline:": "o", "thread": {"0": {"duration": 1, "max": 3, "avg": 1, "histogram": {"x": 1}}}})",
                  ForeignFormat::oslat),
            "thread.0.histogram: expected whole microseconds, not \"x\"");
  EXPECT_EQ(error(R"({"context": {}, "benchmarks": []})", ForeignFormat::google_benchmark),
            "benchmarks: expected a benchmark");
  EXPECT_EQ(
      error(R"({"context": {}, "benchmarks": [{"name": "b", "time_unit": "h"}]})", ForeignFormat::google_benchmark),
      "benchmarks[0].time_unit: expected ns, us, ms or s");
  EXPECT_EQ(error(R"({"results": [{"command": "c", "times": [-1]}]})", ForeignFormat::hyperfine),
            "results[0].times: expected a time of 0 to 4398 s");
  EXPECT_NE(error("\"StartTimestamp\"\nnonsense", ForeignFormat::hdr_log), "accepted");
}

}  // namespace
}  // namespace dojima::evidence
