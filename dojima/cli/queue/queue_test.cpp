#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "dojima/backtest/latency.hpp"
#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/time/time.hpp"

namespace dojima::cli {
namespace {

Outcome call_queue(std::vector<std::string> words) {
  words.insert(words.begin(), "queue");
  return call(words);
}

evidence::Artefact artefact_of_queue(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome outcome = call_queue(std::move(words));
  EXPECT_EQ(outcome.status, k_success) << outcome.err << outcome.out;
  EXPECT_TRUE(evidence::verify(outcome.out).is_right());
  auto artefact = evidence::Artefact::from(*evidence::parse_document(outcome.out));
  EXPECT_TRUE(artefact.has_value()) << artefact.error();
  return artefact ? std::move(*artefact) : evidence::Artefact("none");
}

double figure(const evidence::Artefact& artefact, const std::string& name, const std::string& column) {
  const evidence::Table& table = artefact.tables().front();
  for (const auto& row : table.rows)
    if (*row.front().text() == name) return row[table.column(column)].number();
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(Queue, shows_formula_and_simulation_side_by_side) {
  const evidence::Artefact artefact =
      artefact_of_queue({"mmc", "--arrival", "8", "--service", "1", "--servers", "10", "--jobs", "20000"});
  EXPECT_NEAR(figure(artefact, "wait_s", "formula"), 0.2045900753982, 1e-12);
  EXPECT_NEAR(figure(artefact, "wait_s", "simulated"), 0.2046, 0.05);
  EXPECT_LT(std::abs(figure(artefact, "wait_s", "z")), 4);
  ASSERT_EQ(artefact.tables().size(), 2u);
  EXPECT_EQ(artefact.tables()[1].rows.size(), 5u);
  ASSERT_EQ(artefact.charts().size(), 1u);
  EXPECT_EQ(artefact.charts()[0].curves.size(), 2u);
}

TEST(QueueLong, has_every_formula_as_a_command) {
  const std::vector<std::vector<std::string>> calls = {
      {"mm1", "--arrival", "0.5", "--service", "1"},
      {"mmck", "--arrival", "2", "--service", "1", "--room", "5"},
      {"mminf", "--arrival", "2", "--service", "1"},
      {"finite", "--sources", "4", "--think", "0.2", "--service", "1"},
      {"finite", "--sources", "4", "--think", "0.2", "--service", "1", "--law", "constant"},
      {"mg1", "--arrival", "0.5", "--service", "1", "--law", "hyperexponential:4"},
      {"md1", "--arrival", "0.5", "--service", "1"},
      {"gim1", "--arrival", "0.5", "--service", "1", "--between", "erlang:2"},
      {"mmpp", "--arrival", "0.5", "--service", "1"},
      {"simulate", "--arrival", "0.5", "--service", "1", "--law", "erlang:2", "--between", "constant"},
      {"priority", "--class", "0.3,1", "--class", "0.4,1,erlang:2", "--preemptive"},
      {"interrupted", "--arrival", "0.5", "--service", "1", "--outage-rate", "0.1", "--outage", "1"},
      {"jackson", "--station", "1,2", "--station", "0,1.25", "--route", "1,2,1"},
      {"closed", "--customers", "4", "--station", "1,2", "--station", "0.5,1,2"}};
  for (std::vector<std::string> words : calls) {
    words.insert(words.end(), {"--jobs", "2000"});
    const evidence::Artefact artefact = artefact_of_queue(words);
    EXPECT_FALSE(artefact.tables().empty()) << words.front();
  }
  EXPECT_NEAR(artefact_of_queue({"erlang-b", "--servers", "10", "--loss", "0.01"}).tables()[0].rows[0][1].number(),
              4.461176857578, 1e-9);
  EXPECT_EQ(artefact_of_queue({"erlang-c", "--offered", "8", "--delayed", "0.4092"}).tables()[0].rows[0][0].number(),
            10);
}

TEST(Queue, has_the_moments_of_self_exciting_counts_beside_a_simulation) {
  const evidence::Artefact artefact =
      artefact_of_queue({"hawkes", "--arrival", "2000", "--branching", "0.5", "--memory", "0.002", "--window", "0.01",
                         "0.0005", "--jobs", "40000"});
  EXPECT_EQ(figure(artefact, "of them caused by none", "formula"), 1000);
  EXPECT_EQ(figure(artefact, "0.01 s: mean count", "formula"), 20);
  // 4 - 3 (1 - exp(-x)) / x, x = (1 - branching) window / memory
  EXPECT_NEAR(figure(artefact, "0.01 s: variance over mean", "formula"), 4 - 3 * (1 - std::exp(-2.5)) / 2.5, 1e-12);
  EXPECT_EQ(figure(artefact, "without end: variance over mean", "formula"), 4);
  for (const char* name :
       {"0.01 s: mean count", "0.01 s: variance over mean", "0.01 s: variance", "0.0005 s: variance over mean"})
    EXPECT_LT(std::abs(figure(artefact, name, "z")), 4) << name;
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"hawkes", "--arrival", "1000"});
    return call_queue(words);
  };
  const Outcome growing = refused({"--branching", "1.2", "--memory", "0.01"});
  EXPECT_EQ(growing.status, k_failed);
  EXPECT_TRUE(contains(growing.out, "without bound")) << growing.out;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--branching", "-1", "--memory", "0.01"},
           {"--branching", "0.5", "--memory", "0"},
           {"--branching", "0.12345", "--memory", "0.01"},
           {"--branching", "0.5", "--memory", "1e-7"},
           {"--branching", "0.5", "--memory", "0.01", "--window", "0"},
           {"--branching", "0.5", "--memory", "0.01", "--window", "1e-8"},
           {"--branching", "0.5", "--memory", "0.01", "--window", "10", "--jobs", "1000"}}) {
    const Outcome outcome = refused(words);
    EXPECT_EQ(outcome.status, k_usage) << words[1];
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(refused({"--branching", "0.12345", "--memory", "0.01", "--jobs", "0"}).status, k_success);
}

TEST(Queue, names_bounds_and_approximations) {
  const std::string out =
      call_queue({"simulate", "--arrival", "0.5", "--service", "1", "--law", "erlang:2", "--jobs", "2000"}).out;
  EXPECT_TRUE(contains(out, "upper bound"));
  EXPECT_TRUE(contains(out, "approximation"));
}

TEST(Queue, answers_an_overload_and_refuses_what_makes_no_sense) {
  const Outcome overload = call_queue({"mmc", "--arrival", "10", "--service", "1", "--servers", "8"});
  EXPECT_EQ(overload.status, k_failed);
  EXPECT_EQ(overload.out, "load 1.25: the queue grows by 2 a second\n");
  const std::vector<std::vector<std::string>> wrong = {
      {"mm1", "--arrival", "-1", "--service", "1"},
      {"mm1", "--arrival", "1e-12", "--service", "1"},
      {"mm1", "--arrival", "0.5", "--service", "1", "--jobs", "7"},
      {"mg1", "--arrival", "0.5", "--service", "1", "--law", "weibull"},
      {"mg1", "--arrival", "0.5", "--service", "0"},
      {"priority", "--class", "0.3"},
      {"jackson", "--station", "1,2", "--route", "1,3,1"},
      {"erlang-b", "--servers", "10"},
      {"closed", "--customers", "0", "--station", "1,2"},
      {"closed", "--customers", "2", "--station", "1"},
      {"finite", "--sources", "0", "--think", "1", "--service", "1"}};
  for (const auto& words : wrong) {
    const Outcome outcome = call_queue(words);
    EXPECT_EQ(outcome.status, k_usage) << words.front() << " " << words[2];
    EXPECT_TRUE(outcome.err.starts_with("dojima: ")) << outcome.err;
  }
}

/// One server of 1000 ns, asked every 500 to 2499 ns.
std::string trace_bytes(std::size_t requests) {
  std::vector<measure::ServiceRecord> records;
  std::uint64_t now = 0;
  std::uint64_t free = 0;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < requests; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    now += 500 + (state >> 33) % 2'000;
    const std::uint64_t start = std::max(now, free);
    free = start + 1'000;
    records.push_back({.arrival_ns = now, .start_ns = start, .end_ns = free});
  }
  return measure::encode_service_trace(records);
}

/// Services of 1000 ns, so M/D/1: of captured services a formula, bounds and a simulation, with their own mean or
/// another.
TEST(QueueLong, takes_captured_times_as_a_law) {
  const TemporaryFile file(trace_bytes(1'000));
  const std::string law = "trace:" + file.path();
  const evidence::Artefact own = artefact_of_queue({"mg1", "--arrival", "800000", "--law", law, "--jobs", "20000"});
  EXPECT_NEAR(figure(own, "wait_s", "formula"), 2e-6, 1e-12);
  EXPECT_NEAR(figure(own, "wait_s", "simulated"), 2e-6, 3e-7);
  const evidence::Table& quantiles = own.tables()[1];
  EXPECT_NEAR(quantiles.rows[2][quantiles.column("formula_s")].number(), 10.35588679199e-6, 2e-8) << "p99 of M/D/1";
  EXPECT_EQ(*quantiles.rows[2][quantiles.column("kind")].text(), "approximation");
  const evidence::Artefact scaled =
      artefact_of_queue({"mg1", "--arrival", "0.5", "--service", "1", "--law", law + "#0", "--jobs", "0"});
  EXPECT_NEAR(figure(scaled, "wait_s", "formula"), 0.5, 1e-9);
  // Gaps of 500 to 2499 ns, each as likely: a squared coefficient of variation of 1/3 / 2.25.
  const evidence::Artefact both =
      artefact_of_queue({"simulate", "--arrival", "700000", "--law", law, "--between", law, "--jobs", "20000"});
  EXPECT_NEAR(figure(both, "wait_s, Allen-Cunneen", "formula"), 7.0 / 3 * (1 / 3.0 / 2.25) / 2 * 1e-6, 2e-8);
  EXPECT_EQ(artefact_of_queue({"gim1", "--arrival", "0.5", "--service", "1", "--between", law, "--jobs", "0"})
                .tables()
                .size(),
            2u);
  const auto refused = [](const std::string& wrong, const std::string& service) {
    std::vector<std::string> words = {"mg1", "--arrival", "0.5", "--law", wrong};
    if (!service.empty()) words.insert(words.end(), {"--service", service});
    const Outcome outcome = call_queue(words);
    EXPECT_EQ(outcome.status, k_usage) << wrong;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused("trace:/nowhere.svc", ""), "/nowhere.svc: no such file"));
  EXPECT_TRUE(contains(refused(law + "#7", ""), "no request of kind 7"));
  EXPECT_TRUE(contains(refused(law + "#x", ""), "a kind is 0 to 65535"));
  EXPECT_TRUE(contains(refused(law, "-1"), "it must be above 0"));
  EXPECT_TRUE(contains(refused("erlang:2", ""), "--service is needed"));
  EXPECT_EQ(call_queue({"mg1", "--arrival", "1500000", "--law", law}).out,
            "load 1.5: the queue grows by 500000 a second\n");
}

TEST(QueueFit, studies_a_trace_and_plays_it_again) {
  const TemporaryFile file(trace_bytes(1'000));
  const evidence::Artefact artefact = artefact_of_queue({"fit", file.path()});
  std::vector<std::string> names;
  for (const evidence::Table& table : artefact.tables()) names.push_back(table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"arrivals", "dispersion", "models", "services", "replay"}));
  const evidence::Table& replayed = artefact.tables().back();
  EXPECT_EQ(replayed.rows[0][1], replayed.rows[0][2]);
  EXPECT_EQ(*artefact.tables()[2].rows[0][1].text(),
            "rejected by a test");  // gaps of 500 ns at least are not Poisson's
}

TEST(QueueFit, says_what_is_wrong_with_a_trace) {
  const TemporaryFile damaged(trace_bytes(1'000).substr(0, 100));
  EXPECT_EQ(call_queue({"fit", damaged.path()}).status, k_usage);
  EXPECT_TRUE(contains(call_queue({"fit", damaged.path()}).err, "as many records as the count says"));
  const TemporaryFile brief(trace_bytes(50));
  EXPECT_TRUE(contains(call_queue({"fit", brief.path()}).err, "49 times between arrivals; a fit needs 200"));
  const TemporaryFile other(trace_bytes(1'000));
  EXPECT_TRUE(contains(call_queue({"fit", other.path(), "--kind", "3"}).err, "no request of kind 3"));
}

TEST(QueueForecast, predicts_compares_and_answers_what_if) {
  const TemporaryFile file(trace_bytes(2'000));
  const evidence::Artefact predicted =
      artefact_of_queue({"predict", file.path(), "--load", "0.8", "--arrivals", "poisson", "--replicates", "20"});
  EXPECT_NEAR(predicted.tables()[0].rows[0][1].number(), 2'000, 600);  // M/D/1 at 0.8: two services
  EXPECT_EQ(*predicted.tables()[0].rows.back()[1].text(), "beyond what was captured");
  const evidence::Artefact compared =
      artefact_of_queue({"compare", file.path(), "--against", file.path(), "--replicates", "20"});
  EXPECT_EQ(*compared.tables()[0].rows[0].back().text(), "inside");
  EXPECT_EQ(*compared.tables()[0].rows.back()[1].text(), "within what was captured");
  const evidence::Artefact answered =
      artefact_of_queue({"whatif", file.path(), "--slo", "p99<=3us", "--replicates", "20"});
  EXPECT_EQ(answered.tables()[0].rows.size(), 4u);
  const evidence::Table& whatif = answered.tables()[0];
  EXPECT_GT(whatif.rows[1][whatif.column("ratio")].number(), 1.5);  // a second server
  EXPECT_EQ(*whatif.rows[1].back().text(), "beyond what was captured");
}

/// A second capture whose first tenth alone waited, for somebody had the server before it began.
TEST(QueueForecast, compares_without_the_first_tenth_of_the_second_capture) {
  const TemporaryFile file(trace_bytes(2'000));
  const std::string bytes = trace_bytes(2'000);
  std::vector<measure::ServiceRecord> late = *measure::decode_service_trace(std::as_bytes(std::span(bytes)));
  const evidence::Artefact before =
      artefact_of_queue({"compare", file.path(), "--against", file.path(), "--replicates", "20"});
  for (std::size_t i = 0; i < 100; ++i) late[i].arrival_ns = late[0].arrival_ns;
  const TemporaryFile second(measure::encode_service_trace(late));
  const evidence::Artefact after =
      artefact_of_queue({"compare", file.path(), "--against", second.path(), "--replicates", "20"});
  const std::size_t measured = before.tables()[0].column("measured_ns");
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(after.tables()[0].rows[row][measured].number(), before.tables()[0].rows[row][measured].number());
}

TEST(QueueForecast, writes_a_replicate_as_a_latency_of_back_tests) {
  const TemporaryFile file(trace_bytes(2'000));
  const TemporaryFile latencies("");
  ASSERT_EQ(call_queue({"predict", file.path(), "--load", "0.8", "--replicates", "20", "--latencies", latencies.path()})
                .status,
            k_success);
  const auto latency = backtest::make_latency("lab:" + latencies.path() + "#submit", backtest::Direction::entry, 1);
  ASSERT_TRUE(latency.has_value()) << latency.error();
  double sum = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto took = (*latency)->at(time::from_nanoseconds(1'700'000'000'000'000'000 + i * 1'000)).count();
    EXPECT_GE(took, 1'000) << "a service";
    sum += static_cast<double>(took) / 1'000;
  }
  EXPECT_GT(sum, 1'100) << "and the wait before it";
  EXPECT_LT(sum, 6'000);
  EXPECT_TRUE(
      contains(call_queue({"predict", file.path(), "--step", "0,1000", "--seconds", "1", "--latencies", "x"}).err,
               "leave --step out"));
}

TEST(QueueForecast, follows_rates_over_time) {
  const TemporaryFile file(trace_bytes(2'000));  // services of 1 us
  const evidence::Artefact artefact =
      artefact_of_queue({"predict", file.path(), "--step", "0,200000", "--step", "0.01,1500000", "--step",
                         "0.012,200000", "--seconds", "0.02", "--parts", "10", "--replicates", "20"});
  const evidence::Table& table = artefact.tables()[0];
  ASSERT_EQ(table.rows.size(), 10u);
  ASSERT_EQ(artefact.charts().size(), 1u);
  EXPECT_EQ(artefact.charts()[0].curves.size(), 3u);
  EXPECT_EQ(*table.rows[5].back().text(), "overload: the line grows");
  EXPECT_EQ(*table.rows[9].back().text(), "within what was captured");
  EXPECT_NEAR(table.rows[5][table.column("requests")].number(), 3'000, 1e-6);
  // 3000 services of 1 us in 2 ms: the line is 1 ms long at the end, half of that on average.
  EXPECT_NEAR(table.rows[5][table.column("mean_ns")].number(), 500'000, 30'000);
  EXPECT_NEAR(table.rows[5][table.column("p99_ns")].number(), 1'000'000, 80'000);
  EXPECT_EQ(*table.rows[0][table.column("p99_ns")].text(), "-");
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"predict", file.path()});
    const Outcome outcome = call_queue(words);
    EXPECT_EQ(outcome.status, k_usage);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--step", "5000", "--seconds", "1"}), "\"5000\" is not SECONDS,RATE"));
  EXPECT_TRUE(contains(complaint({"--step", "0,5000"}), "lasts more than 0 seconds"));
  EXPECT_TRUE(contains(complaint({"--step", "0,5000", "--seconds", "1", "--load", "0.5"}), "leave --rate and --load"));
}

TEST(QueueForecast, refuses_what_it_cannot_say) {
  const TemporaryFile file(trace_bytes(1'000));
  EXPECT_EQ(call_queue({"predict", file.path(), "--rate", "2000000"}).status, k_failed);
  EXPECT_EQ(call_queue({"predict", file.path(), "--rate", "2", "--load", "0.5"}).status, k_usage);
  EXPECT_TRUE(contains(call_queue({"whatif", file.path(), "--slo", "fast"}).err, "no promise such as p99.9<=20us"));
  EXPECT_TRUE(contains(call_queue({"whatif", file.path(), "--slo", "p99.99<=1us"}).err, "too few for p99.99"));
  const TemporaryFile brief(trace_bytes(900));
  EXPECT_TRUE(contains(call_queue({"predict", brief.path()}).err, "900 requests; a forecast needs 1000"));
}

TEST(QueueClaimsLong, put_forecasts_beside_what_was_measured) {
  if (instruments::allowed_cpus().size() < 2)
    GTEST_SKIP() << "skipped: threads that want one lock at once need two processors";
  const evidence::Artefact artefact = artefact_of_queue({"claims", "--quick"});
  ASSERT_EQ(artefact.tables().size(), 2u);
  for (const evidence::Table& table : artefact.tables()) {
    ASSERT_FALSE(table.rows.empty()) << table.name;
    for (const auto& row : table.rows) {
      const auto at = [&](const char* column) { return row[table.column(column)].number(); };
      EXPECT_GE(at("customers"), 2) << table.name;
      EXPECT_GT(at("requests"), 10) << table.name;
      EXPECT_GT(at("wait_ns"), 0) << table.name;
      EXPECT_NEAR(at("finite_ratio") * at("wait_ns"), at("finite_ns"), 1e-6 * at("finite_ns")) << table.name;
    }
  }
}

TEST(QueueClaims, say_what_they_lack) {
  EXPECT_EQ(call_queue({"claims", "nonsense"}).status, k_usage);
  const Outcome alone = call_queue({"claims", "mutex", "--cores", "0"});
  EXPECT_EQ(alone.status, k_environment);
  EXPECT_TRUE(contains(alone.err, "one processor has no two threads")) << alone.err;
}

}  // namespace
}  // namespace dojima::cli
