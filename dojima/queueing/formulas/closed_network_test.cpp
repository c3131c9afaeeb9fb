#include "dojima/queueing/formulas/closed_network.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(ClosedNetwork, of_one_station_is_a_finite_source) {
  for (const std::uint32_t customers : {1U, 2U, 7U, 200U, 2'000U}) {
    for (const double think : {0.2, 3.0, 400.0}) {
      for (const std::uint32_t servers : {1U, 3U}) {
        const Means means = mmc_finite_source({.sources = customers, .think_rate = 1 / think}, servers)->means;
        const auto closed =
            *closed_network({.customers = customers, .think_time = think, .stations = {{.servers = servers}}});
        SCOPED_TRACE(testing::Message() << customers << " " << think << " " << servers);
        expect_close(closed.throughput, means.throughput, 1e-11);
        expect_close(closed.stations[0].means.system, means.system, 1e-10);
        EXPECT_NEAR(closed.stations[0].means.wait, means.wait, 1e-10 * (1 + means.wait));
        EXPECT_NEAR(closed.stations[0].means.delayed, means.delayed, 1e-11);
        expect_close(closed.stations[0].means.utilisation, means.utilisation, 1e-11);
        expect_close(closed.thinking + closed.stations[0].means.system, customers, 1e-11);
      }
    }
  }
}

/// n customers and m equal stations: each state is as likely as every other, so a customer finds (n - 1) / m of the
/// others.
TEST(ClosedNetwork, of_equal_stations_is_known_by_hand) {
  for (const std::uint32_t customers : {1U, 4U, 50U}) {
    const auto closed = *closed_network({.customers = customers, .stations = std::vector<ClosedStation>(3)});
    expect_close(closed.throughput, customers / (customers + 2.0));
    expect_close(closed.round_time, customers + 2);
    for (const Station& station : closed.stations) {
      expect_close(station.means.system, customers / 3.0);
      expect_close(station.means.response, 1 + (customers - 1) / 3.0);
      expect_little(station.means);
    }
  }
}

/// Mean value analysis of single servers, customer by customer.
TEST(ClosedNetwork, agrees_with_mean_value_analysis) {
  const std::vector<ClosedStation> stations = {
      {.visits = 1, .service_rate = 2}, {.visits = 3, .service_rate = 4}, {.visits = 0.5, .service_rate = 0.9}};
  const double think = 1.7;
  std::vector<double> numbers(stations.size(), 0.0);
  for (std::uint32_t customers = 1; customers <= 30; ++customers) {
    double round = think;
    std::vector<double> responses;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      responses.push_back((1 + numbers[i]) / stations[i].service_rate);
      round += stations[i].visits * responses.back();
    }
    for (std::size_t i = 0; i < stations.size(); ++i)
      numbers[i] = customers / round * stations[i].visits * responses[i];
    const auto closed = *closed_network({.customers = customers, .think_time = think, .stations = stations});
    expect_close(closed.round_time, round);
    for (std::size_t i = 0; i < stations.size(); ++i) {
      expect_close(closed.stations[i].means.response, responses[i]);
      expect_close(closed.stations[i].means.system, numbers[i]);
    }
  }
}

TEST(ClosedNetwork, holds_at_both_ends) {
  const auto crowd = *closed_network(
      {.customers = 2'000, .think_time = 1e6, .stations = {{.service_rate = 1}, {.service_rate = 2, .servers = 900}}});
  expect_close(crowd.throughput, mmc_finite_source({.sources = 2'000, .think_rate = 1e-6}, 1)->means.throughput, 1e-6);
  const auto jam = *closed_network({.customers = 2'000, .stations = {{.service_rate = 1}, {.service_rate = 2}}});
  expect_close(jam.throughput, 1);
  expect_close(jam.stations[1].means.system, 1, 1e-9);
  expect_close(jam.stations[0].means.utilisation, 1);
  EXPECT_EQ(closed_network({.customers = 1, .stations = {{}, {}}})->stations[0].means.wait, 0);
}

TEST(ClosedNetwork, refuses_what_is_none) {
  EXPECT_EQ(closed_network({}).error().text, "a network needs a station");
  EXPECT_EQ(closed_network({.customers = 0, .stations = {{}}}).error().text, "0 customers; 1 to 10000");
  EXPECT_EQ(closed_network({.think_time = -1, .stations = {{}}}).error().text,
            "a thinking time of -1; it must be 0 or more");
  EXPECT_EQ(closed_network({.stations = {{}, {.visits = 0}}}).error().text,
            "station 2: visits, service rate and servers must be above 0");
  EXPECT_EQ(closed_network({.customers = 10'000, .stations = std::vector<ClosedStation>(10)}).error().kind,
            RefusalKind::impossible);
}

}  // namespace
}  // namespace dojima::queueing
