#include "dojima/evidence/report.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dojima/base/source_folder_test_support.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::evidence {
namespace {

// The tests run in the build folder; ctest and a person start them in others. The files lie with the sources.
std::string golden_path(const std::string& name) {
  return source_folder() + "/tests/golden/report/" + name;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Equal to the file, or, with DOJIMA_WRITE_GOLDEN set, written to it.
void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("DOJIMA_WRITE_GOLDEN") != nullptr) std::ofstream(golden_path(name), std::ios::binary) << text;
  const std::string golden = read_file(golden_path(name));
  ASSERT_FALSE(golden.empty()) << name << " is missing; DOJIMA_WRITE_GOLDEN=1 writes it";
  EXPECT_TRUE(golden == text) << name
                              << " differs; DOJIMA_WRITE_GOLDEN=1 writes the new one, git diff shows what changed";
}

/// Latencies as they look: a lognormal bulk in steps of the clock, and now and then a stall.
measure::Histogram latencies(double median_ns, double spread, std::size_t count, std::uint64_t seed) {
  measure::Random random(seed);
  measure::Histogram histogram;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;  // of twelve uniforms: normal enough, and the same everywhere
    for (int j = 0; j < 12; ++j) sum += random.unit();
    // exp by its series: the mathematical library may round differently elsewhere, and a golden file must not.
    const double exponent = spread * (sum - 6);
    double term = 1;
    double power = 1;
    for (int j = 1; j < 30; ++j) power += term *= exponent / j;
    double value = median_ns * power;
    if (random.below(2'000) == 0) value += 40'000 + 900'000 * random.unit() * random.unit();
    histogram.record(static_cast<std::uint64_t>(value / 10) * 10);
  }
  return histogram;
}

Document some_evidence() {
  Document host;
  host.set("cpu", Document::object().set("model", "AMD EPYC").set("family", 26).set("microcode", "0x1"));
  host.set("cores_online", 2).set("kernel", "6.1.0-18-amd64").set("hypervisor", "kvm").set("governor", nullptr);
  host.set("clocksource", "tsc").set("rt_runtime_us", 950'000);
  Document evidence;
  evidence.set("tool_version", "0.1.0").set("source_digest", std::string(64, 'd')).set("commit", std::string(40, 'c'));
  evidence.set("dirty", false)
      .set("compiler", "GNU 12.2.0")
      .set("flags", "-O3 -march=native")
      .set("build_type", "Release");
  evidence.set("created_utc", "2026-07-20T12:00:00Z").set("elapsed_s", 20.02);
  evidence.set("argv", Document::array({"dojima", "demo", "--seconds", "20", "--clients", "4"}));
  evidence.set("host", std::move(host));
  evidence.set("clock",
               Document::object().set("source", "CLOCK_MONOTONIC").set("quantum_ns", 10).set("read_overhead_ns", 21));
  evidence.set("capability", Document::object().set("affinity", "ok").set("hpet", "unavailable: no such device"));
  evidence.set("applied", Document::object().set("cpus", Document::array({0, 1})).set("policy", "other"));
  evidence.set("before", Document::object().set("steal_ticks", 7).set("involuntary_switches", 100));
  evidence.set("after", Document::object().set("steal_ticks", 9).set("involuntary_switches", 1'400));
  const auto note = [](const char* label, const char* reason, const char* field) {
    return Document::object().set("label", label).set("reason", reason).set("field", field);
  };
  evidence.set(
      "quality",
      Document::array(
          {note("contended", "65 involuntary switches a second", "after.involuntary_switches"),
           note("virtualised", "a guest of a hypervisor (kvm): its host can stop it unseen", "host.hypervisor"),
           note("unavailable", "no cpufreq: the machine, or the host below it, sets the frequency", "host.governor")}));
  return evidence;
}

Artefact demo_run() {
  Artefact run("dojima demo --seconds 20 --clients 4");
  run.set_parameter("seed", 1)
      .set_parameter("clients", 4)
      .set_parameter("rate_per_s", 20'000)
      .set_parameter("seconds", 20);
  const std::size_t n = 30'000;
  run.add_histogram({.name = "client to gateway"}, latencies(6'200, 0.28, n, 1).view());
  run.add_histogram({.name = "FIX in, MIT203 out"}, latencies(1'450, 0.18, n, 2).view());
  run.add_histogram({.name = "gateway to venue"}, latencies(5'900, 0.30, n, 3).view());
  run.add_histogram({.name = "match"}, latencies(620, 0.35, n, 4).view());
  run.add_histogram({.name = "venue to client"}, latencies(8'800, 0.33, n, 5).view());
  run.add_histogram({.name = "end to end", .role = Role::total}, latencies(23'400, 0.25, n, 6).view());
  run.add_figure("orders", "orders/s", 19'998.4);
  Series latency{"latency", SeriesKind::latency, "ns", {"p50", "p99", "max"}, {}};
  Series throughput{"throughput", SeriesKind::throughput, "orders/s", {"orders"}, {}};
  measure::Random random(9);
  for (int second = 1; second <= 20; ++second) {
    const double stall = second == 7 ? 2'400'000 : 90'000 + 250'000 * random.unit();
    latency.rows.push_back({1.0 * second, std::floor(23'000 + 900 * random.unit()),
                            std::floor(41'000 + 6'000 * random.unit()), std::floor(stall)});
    throughput.rows.push_back({1.0 * second, std::floor(19'700 + 500 * random.unit()) - (second == 7 ? 2'900 : 0)});
  }
  run.add_series(std::move(latency)).add_series(std::move(throughput));
  run.add_check("nothing lost", true, "399,968 sent, 399,968 answered");
  run.add_check("books consistent", true, "digest 5f0c equal in venue and mirror");
  run.add_check("quantity conserved", true);
  Table table{
      "trades", "what the venue did", {{"instrument"}, {"orders"}, {"trades"}, {"spread_ticks", 2}, {"cache_misses"}}};
  table.add_row({"DOJ1", 201'338, 60'271, 1.37, Unmeasured{"no hardware counters"}});
  table.add_row({"DOJ2 <preferred>", 198'630, 58'800, 1.42, Unmeasured{"no hardware counters"}});
  table.notes = {"Spreads are sampled once a second."};
  run.add_table(std::move(table));
  run.set_evidence(some_evidence());
  return run;
}

Artefact ab_run() {
  Artefact run("dojima lab ab -- dojima demo --vs dojima demo --clients 8");
  run.set_parameter("seed", 1).set_parameter("pairs", 20);
  measure::Random random(4);
  for (int pair = 0; pair < 20; ++pair) {
    const double drift = 300.0 * pair / 20;
    for (int turn = 0; turn < 2; ++turn) {
      const bool is_a = (pair + turn) % 2 == 0;
      const double median = (is_a ? 23'400 : 24'900) + drift + 500 * random.unit();
      RunRecord& one = run.begin_run({.arm = is_a ? "A" : "B", .start_s = 2.1 * (2 * pair + turn)});
      one.add_figure("median", "ns", std::floor(median));
      one.add_histogram(
          {.name = "end to end", .role = Role::total},
          latencies(median, 0.25, 500, std::uint64_t{100} + static_cast<unsigned>(2 * pair + turn)).view());
    }
  }
  run.compare_arms("median");
  run.set_evidence(some_evidence());
  return run;
}

TEST(Report, of_the_same_artefact_is_the_same_page_to_the_byte) {
  EXPECT_EQ(report({demo_run()}), report({demo_run()}));
  expect_golden("demo.json", demo_run().text());
  expect_golden("demo.html", report({demo_run()}));
  expect_golden("ab.json", ab_run().text());
  expect_golden("ab.html", report({ab_run()}));
}

TEST(Report, is_the_same_when_its_artefact_comes_from_a_file) {
  const auto document = parse_document(read_file(golden_path("demo.json")));
  ASSERT_TRUE(document.has_value());
  const auto artefact = Artefact::from(*document);
  ASSERT_TRUE(artefact.has_value()) << artefact.error();
  EXPECT_TRUE(verify(read_file(golden_path("demo.json"))).is_right());
  EXPECT_TRUE(report({*artefact}) == read_file(golden_path("demo.html")));
}

TEST(Report, fetches_nothing_runs_nothing_and_is_small) {
  for (const std::string& page : {report({demo_run()}), report({ab_run()}), report({demo_run(), ab_run()})}) {
    for (const char* forbidden : {"http", "src=", "url(", "<script", "@import", "javascript:", "<link", "onload"}) {
      EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
    }
    EXPECT_LE(page.size(), 300u * 1024);
  }
}

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Report, says_in_a_table_what_each_plot_shows) {
  const std::string page = report({demo_run()});
  const std::size_t plots = occurrences(page, "<svg");
  EXPECT_EQ(plots,
            8u);  // spectrum, exceedance, cumulative, two histograms, waterfall, latency and throughput over time
  EXPECT_EQ(occurrences(page, "<figure>"), plots);
  EXPECT_EQ(occurrences(page, "The same in numbers"), plots);
  EXPECT_EQ(occurrences(page, "role=\"img\""), plots);
}

TEST(Report, shows_plots_only_of_what_was_measured) {
  Artefact bare("dojima bench sched");
  bare.add_check("order kept", false, "event 7 before 6");
  const std::string page = report({bare});
  EXPECT_EQ(occurrences(page, "<svg"), 0u);
  EXPECT_NE(page.find("1 of 1 checks failed: order kept."), std::string::npos);
}

TEST(Report, gives_every_element_an_id_of_its_own_even_for_several_artefacts) {
  const std::string page = report({demo_run(), ab_run()});
  std::vector<std::string> ids;
  for (std::size_t at = page.find(" id=\""); at != std::string::npos; at = page.find(" id=\"", at + 1)) {
    ids.push_back(page.substr(at + 5, page.find('"', at + 5) - at - 5));
  }
  EXPECT_GT(ids.size(), 10u);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Report, states_the_verdict_of_a_comparison) {
  EXPECT_NE(report({ab_run()}).find("B is worse than A: median 7."), std::string::npos);
}

TEST(Report, escapes_what_comes_from_outside) {
  Artefact run("dojima demo <script>alert(1)</script>");
  run.add_check("\"quoted\" & <b>bold</b>", true);
  const std::string page = report({run});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<b>bold"), std::string::npos);
}

TEST(Report, survives_distributions_of_one_value_and_of_none) {
  Artefact run("dojima demo");
  measure::Histogram one;
  one.record(0);
  run.add_histogram({.name = "empty"}, measure::Histogram().view()).add_histogram({.name = "one"}, one.view());
  measure::Histogram large;
  large.record(~std::uint64_t{0});
  run.add_histogram({.name = "beyond the range"}, large.view());
  run.add_series({.name = "latency", .columns = {"p50"}, .rows = {{0.0, 0.0}}});
  const std::string page = report({run});
  for (const char* broken : {"\"nan", "nan\"", " nan", "-nan", "Mnan", "Lnan", "\"inf", " inf", ">inf"}) {
    EXPECT_EQ(page.find(broken), std::string::npos) << broken;
  }
}

TEST(Svg, writes_durations_with_three_digits) {
  EXPECT_EQ(duration_text(0), "0\u00a0ns");
  EXPECT_EQ(duration_text(561), "561\u00a0ns");
  EXPECT_EQ(duration_text(0.81), "0.81\u00a0ns");
  EXPECT_EQ(duration_text(999.6), "1.00\u00a0\u00b5s");
  EXPECT_EQ(duration_text(18'340), "18.3\u00a0\u00b5s");
  EXPECT_EQ(duration_text(4'040'881), "4.04\u00a0ms");
  EXPECT_EQ(duration_text(1.2e9), "1.20\u00a0s");
  EXPECT_EQ(share_text(0.99999), "99.999\u00a0%");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

TEST(Svg, chooses_round_ticks_around_the_data) {
  const Axis axis = number_axis(0, 87, "n", "");
  EXPECT_EQ(axis.low, 0);
  EXPECT_EQ(axis.high, 100);
  ASSERT_EQ(axis.ticks.size(), 6u);
  EXPECT_EQ(axis.ticks[1].label, "20");
  const Axis times = duration_axis(0, 23'000, Scale::linear, "latency");
  EXPECT_EQ(times.title, "latency, \u00b5s");
  EXPECT_EQ(times.ticks[1].label, "5");
  const Axis decades = duration_axis(800, 2e6, Scale::logarithmic, "latency");
  EXPECT_EQ(decades.low, 500);
  EXPECT_EQ(decades.position(2e6), 1);
  EXPECT_EQ(decades.position(1e9), 1);
}

TEST(Svg, leaves_out_the_points_of_a_straight_line) {
  Plot plot(number_axis(0, 100, "x", ""), number_axis(0, 100, "y", ""));
  std::vector<Point> points;
  for (int i = 0; i <= 100; ++i) points.push_back({1.0 * i, 1.0 * i});
  const std::size_t before = plot.svg("p", "").size();
  plot.line(points, "line");
  EXPECT_LT(plot.svg("p", "").size() - before, 60u);
}

}  // namespace
}  // namespace dojima::evidence
