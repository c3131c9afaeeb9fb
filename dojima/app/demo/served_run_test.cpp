#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/app/demo/presentation.hpp"
#include "dojima/app/demo/run.hpp"
#include "dojima/app/demo/service_times.hpp"
#include "dojima/flow/order_flow.hpp"
#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/observed.hpp"

namespace dojima::app::demo {
namespace {

using measure::ServiceRecord;
using Records = std::vector<ServiceRecord>;

/// A file of its own that is gone when the test is over.
class ServiceFile {
 public:
  explicit ServiceFile(const Records& records)
      : path_((std::filesystem::temp_directory_path() / ("dojima-services-" + std::to_string(getpid()))).string()) {
    std::ofstream(path_, std::ios::binary) << measure::encode_service_trace(records);
  }
  ~ServiceFile() { std::filesystem::remove(path_); }
  ServiceFile(const ServiceFile&) = delete;
  ServiceFile& operator=(const ServiceFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

ServicePlan plan_of(const std::vector<std::string>& words) {
  auto plan = parse_service_plan(words);
  EXPECT_TRUE(plan.has_value()) << plan.error();
  return std::move(plan).value();
}

std::string refusal_of_plan(const std::vector<std::string>& words) {
  const auto plan = parse_service_plan(words);
  return plan ? "accepted" : plan.error();
}

DemoResult served_demo(const Settings& settings) {
  auto result = run(settings);
  EXPECT_TRUE(result.has_value()) << result.error();
  EXPECT_TRUE(result->is_ok()) << text_of(*result);
  return std::move(result).value();
}

Settings small(const std::vector<std::string>& services, std::uint64_t seed = 1) {
  return {.seconds = 0.1,
          .clients = 2,
          .rate = 3000,
          .seed = seed,
          .is_virtual = true,
          .services = plan_of(services),
          .keeps_services = true};
}

/// Requests of a kind, in order of arrival.
Records of_kind(const DemoResult& result, std::uint16_t kind) {
  Records found;
  for (const ServiceRecord& record : result.services)
    if (record.kind == kind) found.push_back(record);
  return found;
}

void expect_lindley(const Records& records) {
  std::uint64_t free = 0;
  std::size_t waited = 0;
  for (const ServiceRecord& record : records) {
    EXPECT_EQ(record.start_ns, std::max(record.arrival_ns, free));
    waited += record.start_ns > record.arrival_ns;
    free = record.end_ns;
  }
  EXPECT_GT(waited, records.size() / 10) << "a line that nobody waits in shows nothing";
}

TEST(DemoServices, reads_laws_with_their_means_for_all_places_or_one) {
  const ServicePlan all = plan_of({"exponential:20us"});
  for (const ServiceTimes& times : all.of) EXPECT_EQ(times.mean_ns, 20'000);
  const ServicePlan some = plan_of({"gateway=constant:5us", "venue=erlang:4:1.5ms"});
  EXPECT_EQ(some.at(Serving::gateway).mean_ns, 5'000);
  EXPECT_EQ(some.at(Serving::venue).law, "erlang:4");
  EXPECT_EQ(some.at(Serving::venue).mean_ns, 1'500'000);
  EXPECT_TRUE(some.at(Serving::reports).is_none());
  EXPECT_EQ(some.text, "gateway=constant:5us venue=erlang:4:1.5ms");
  EXPECT_TRUE(plan_of({}).is_none());
}

TEST(DemoServices, says_what_is_wrong_with_a_service) {
  const auto has = [](const std::vector<std::string>& words, const char* part) {
    const std::string text = refusal_of_plan(words);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has({"exponential"}, "lacks its mean with a unit");
  has({"exponential:20"}, "lacks its mean with a unit");
  has({"venue=erlang:0:20us"}, "is no law of times");
  has({"constant:0ns"}, "between 1ns and 10s");
  has({"constant:11s"}, "between 1ns and 10s");
  has({"weibull:2us"}, "neither a law");
  has({"venue=nowhere.svc:2"}, "neither a law");
  const ServiceFile file({{.arrival_ns = 0, .start_ns = 0, .end_ns = 7, .kind = 5}});
  has({file.path()}, "has no services of kind 0");
  has({"venue=" + file.path() + ":4"}, "no request of kind 4");
  EXPECT_EQ(plan_of({"venue=" + file.path()}).at(Serving::venue).mean_ns, 7);
  EXPECT_EQ(plan_of({"venue=" + file.path() + ":5"}).at(Serving::venue).mean_ns, 7);
  std::ofstream(file.path(), std::ios::app) << "more";
  has({file.path()}, "as many records as the count says");
}

TEST(DemoServices, knows_a_load_that_cannot_be_served) {
  EXPECT_FALSE(overload_of(plan_of({"venue=constant:100us"}), 9'000));
  EXPECT_EQ(overload_of(plan_of({"venue=constant:100us"}), 12'500),
            "venue: load 1.25: the queue grows by 2500 a second");
  EXPECT_FALSE(overload_of(plan_of({"gateway=constant:60us"}), 12'500));
  EXPECT_EQ(overload_of(plan_of({"gateway=constant:60us", "reports=constant:40us"}), 12'500),
            "gateway: load 1.25: the queue grows by 2500 a second");
}

TEST(DemoServices, draws_times_of_the_mean_and_plays_recorded_ones_around) {
  ServiceDraws draws({.law = "exponential", .mean_ns = 0.25 * 1'000}, 3, 1);
  std::uint64_t sum = 0;
  for (int i = 0; i < 20'000; ++i) sum += draws.next();
  EXPECT_NEAR(static_cast<double>(sum) / 20'000, 250, 250 * 4 / std::sqrt(20'000.0));
  ServiceDraws tiny({.law = "constant", .mean_ns = 1.5}, 3, 1);
  EXPECT_EQ(tiny.next() + tiny.next(), 3u) << "what is rounded off is carried";
  ServiceDraws recorded({.recorded = {10, 20, 30}}, 3, 1);
  const std::uint64_t first = recorded.next();
  EXPECT_EQ(recorded.next(), first == 30 ? 10 : first + 10);
  EXPECT_EQ(recorded.next() + recorded.next(), first == 20 ? 10u + 20u : first == 10 ? 30u + 10u : 20u + 30u);
}

TEST(DemoServices, are_for_virtual_time_only) {
  EXPECT_NE(complaint({.services = plan_of({"constant:1us"})}), nullptr);
  EXPECT_EQ(complaint({.is_virtual = true, .services = plan_of({"constant:1us"})}), nullptr);
}

TEST(ServedDemo, has_the_same_latencies_by_stage_every_time) {
  const Settings settings = small({"exponential:60us"});
  const DemoResult first = served_demo(settings);
  EXPECT_EQ(text_of(first), text_of(served_demo(settings)));
  const auto quick = [&] {
    Settings paced = settings;
    paced.speed = 10'000;
    return served_demo(paced);
  }();
  EXPECT_EQ(quick.services, first.services) << "whoever moves time";
  EXPECT_NE(served_demo(small({"exponential:60us"}, 2)).services, first.services);
  ASSERT_EQ(first.measured.parts.size(), 12u);
  EXPECT_EQ(first.measured.unmeasured, 0u);
  std::map<std::string, double> means;
  double parts = 0;
  for (const PartLatency& part : first.measured.parts) {
    EXPECT_EQ(part.nanoseconds.count(), first.clients.answered) << part.name;
    means[part.name] = part.nanoseconds.mean();
    if (part.name != "total: due to answered") parts += part.nanoseconds.mean();
  }
  EXPECT_NEAR(parts / means["total: due to answered"], 1, 1e-3) << "of histograms";
  for (const char* network :
       {"network to gateway", "network to venue", "network to gateway, back", "network to client"})
    EXPECT_NEAR(means[network], 50'000, 50) << network;
  EXPECT_NEAR(means["venue: serving"], 60'000, 15'000);
  EXPECT_GT(means["venue: waiting"], 1'000);
  EXPECT_GT(means["gateway: waiting"], 1'000);
  EXPECT_GT(means["gateway, back: waiting"], 1'000);
  EXPECT_EQ(means["client: due to sent"], 0);
  const std::string text = text_of(first);
  EXPECT_NE(text.find("services exponential:60us"), std::string::npos) << text;
  EXPECT_NE(text.find("load of the gateway's thread"), std::string::npos) << text;
}

TEST(ServedDemo, makes_everybody_wait_as_lindleys_recursion_says) {
  const Settings settings = small({"gateway=exponential:80us", "reports=erlang:2:50us", "venue=constant:150us"});
  const DemoResult result = served_demo(settings);
  const Records gateway = of_kind(result, k_gateway_kind);
  const Records venue = of_kind(result, k_venue_kind);
  expect_lindley(gateway);
  expect_lindley(venue);

  // What came, and how long it took, by another way: the flow's own due times, and the draws.
  std::vector<market::Instrument> instruments;
  for (const simulate::InstrumentConfig& instrument : venue_config(settings).instruments)
    instruments.push_back(make_instrument(instrument));
  flow::OrderFlow flow(clients_config(settings).flow, instruments, time::Time{});
  ServiceDraws requests(settings.services.at(Serving::gateway), settings.seed, 0);
  ServiceDraws reports(settings.services.at(Serving::reports), settings.seed, 1);
  std::size_t count = 0;
  for (const ServiceRecord& record : gateway) {
    if (record.server == k_report_server) {
      EXPECT_EQ(record.end_ns - record.start_ns, reports.next());
      continue;
    }
    EXPECT_EQ(record.end_ns - record.start_ns, requests.next());
    const auto due = static_cast<std::uint64_t>(time::nanoseconds_of(flow.next().due));
    EXPECT_EQ(record.arrival_ns, due + 50'000) << "the way to the gateway";
    ++count;
  }
  EXPECT_EQ(count, result.clients.sent);
  EXPECT_EQ(venue.size(), result.clients.sent) << "the gateway refused nothing";
  std::vector<std::uint64_t> left;
  for (const ServiceRecord& record : gateway)
    if (record.server == k_request_server) left.push_back(record.end_ns + 50'000);
  for (std::size_t i = 0; i < venue.size(); ++i) {
    EXPECT_EQ(venue[i].arrival_ns, left[i]) << "what leaves the gateway comes to the venue";
    EXPECT_EQ(venue[i].end_ns - venue[i].start_ns, 150'000u);
  }
  EXPECT_EQ(result.stations.size(), 3u);
  EXPECT_NEAR(result.stations[2].mean_service_ns, 150'000, 1e-6);
}

TEST(ServedDemo, takes_services_of_a_trace_in_their_order) {
  Records recorded;
  for (std::uint64_t i = 0; i < 40; ++i)
    recorded.push_back({.arrival_ns = i, .start_ns = i, .end_ns = i + 1'000 + 10 * i, .kind = k_venue_kind});
  const ServiceFile file(recorded);
  const DemoResult result = served_demo(small({file.path()}));
  ASSERT_EQ(result.stations.size(), 1u) << "the trace says nothing about the gateway";
  const Records venue = of_kind(result, k_venue_kind);
  ASSERT_GT(venue.size(), 200u);
  for (std::size_t i = 1; i < venue.size(); ++i) {
    const std::uint64_t before = venue[i - 1].end_ns - venue[i - 1].start_ns;
    EXPECT_EQ(venue[i].end_ns - venue[i].start_ns, before == 1'390 ? 1'000 : before + 10);
  }
}

TEST(ServedDemo, of_no_services_is_as_it_was) {
  Settings settings = small({});
  const DemoResult plain = served_demo(settings);
  EXPECT_TRUE(plain.measured.parts.empty());
  EXPECT_TRUE(plain.services.empty());
  settings.services = plan_of({"constant:1ns"});
  EXPECT_EQ(served_demo(settings).venue.trade_digest, plain.venue.trade_digest) << "the least of services";
}

/// The venue alone takes time, and the flow is a Poisson process: M/G/1.
TEST(ServedDemoLong, waits_at_the_venue_are_those_of_pollaczek_and_khinchine) {
  struct Case {
    const char* law;
    double scv;
  };
  for (const Case& each :
       {Case{"exponential", 1}, Case{"constant", 0}, Case{"erlang:4", 0.25}, Case{"hyperexponential:4", 4}}) {
    for (const double load : {0.3, 0.7}) {
      const std::string mean = std::to_string(static_cast<int>(load * 50'000)) + "ns";
      Settings settings = small({"venue=" + std::string(each.law) + ":" + mean});
      settings.seconds = 5;
      settings.rate = 20'000;
      const Records venue = of_kind(served_demo(settings), k_venue_kind);
      queueing::Observed waits(venue.size());
      for (const ServiceRecord& record : venue) waits.add(record.start_ns - record.arrival_ns);
      const double expected = load * 50'000 * (1 + each.scv) / 2 * load / (1 - load);
      EXPECT_LT(std::fabs(waits.mean().z(expected)), 4) << each.law << " at " << load;
    }
  }
}

queueing::Trace captured_at(double load, std::uint64_t seed, const flow::ArrivalConfig& arrivals) {
  Settings settings = small({"venue=exponential:20us"}, seed);
  settings.rate = static_cast<std::uint64_t>(load * 50'000);
  settings.seconds = 30'000 / static_cast<double>(settings.rate);
  settings.arrivals = arrivals;
  auto trace = queueing::trace_of(served_demo(settings).services, k_venue_kind);
  EXPECT_TRUE(trace.has_value());
  return std::move(trace).value();
}

/// The venue captured at a low load, forecast for a high one, and captured there: how often the truth lies outside.
TEST(ServedDemoLong, captures_forecast_another_load_and_say_how_well) {
  const flow::ArrivalConfig models[] = {
      {},
      {.model = flow::ArrivalModel::bursts,
       .burst_share = 300,
       .burst_factor = 2,
       .burst_length = time::Duration{500'000}},
      {.model = flow::ArrivalModel::hawkes, .branching = 300, .memory = time::Duration{100'000}}};
  for (const flow::ArrivalConfig& model : models) {
    int outside = 0;
    double forecasts = 0;
    double measured = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const queueing::Trace low = captured_at(seed % 2 == 0 ? 0.3 : 0.5, seed, model);
      const auto forecaster = queueing::Forecaster::from(low, queueing::study_services(low, 1e9));
      ASSERT_TRUE(forecaster.has_value()) << forecaster.error().text;
      const auto forecast = forecaster->predict({.rate = 40'000, .arrivals = model}, {.confidence = 0.95});
      ASSERT_TRUE(forecast.has_value()) << forecast.error().text;
      const queueing::Trace high = captured_at(0.8, seed + 100, model);
      double mean = 0;
      for (const ServiceRecord& record : high.parts.front())
        mean += static_cast<double>(record.start_ns - record.arrival_ns) / static_cast<double>(high.size());
      outside += mean < forecast->mean.low || mean > forecast->mean.high;
      forecasts += forecast->mean.estimate;
      measured += mean;
    }
    EXPECT_LE(outside, 1) << static_cast<int>(model.model);
    EXPECT_NEAR(forecasts / measured, 1, 0.05) << static_cast<int>(model.model);
  }
}

}  // namespace
}  // namespace dojima::app::demo
