#include "dojima/queueing/formulas/closed_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace dojima::queueing {
namespace {

constexpr std::uint32_t k_most_customers = 10'000;
constexpr double k_most_steps = 1e9;

/// Weights of 0, 1, 2, ... customers at a place, up to a factor of all.
using Weights = std::vector<double>;

void scale_to_one(Weights& weights) {
  const double most = std::ranges::max(weights);
  for (double& weight : weights) weight /= most;
}

/// demand^n / (1 2 ... n), where servers do no more than there are of them: each factor at most `servers`.
Weights weights_of(double demand, double servers, std::uint32_t customers) {
  std::vector<double> logs{0};
  for (std::uint32_t n = 1; n <= customers; ++n)
    logs.push_back(logs.back() + std::log(demand / std::min<double>(n, servers)));
  const double most = std::ranges::max(logs);
  Weights weights;
  for (const double log : logs) weights.push_back(std::exp(log - most));
  return weights;
}

/// Of both places together.
Weights together(const Weights& one, const Weights& other) {
  Weights sums(one.size(), 0.0);
  for (std::size_t n = 0; n < sums.size(); ++n)
    for (std::size_t k = 0; k <= n; ++k) sums[n] += one[k] * other[n - k];
  scale_to_one(sums);
  return sums;
}

/// What is wrong with it.
Answer<bool> checked(const ClosedNetwork& network) {
  if (network.customers < 1 || network.customers > k_most_customers)
    return std::unexpected(impossible(fmt::format("{} customers; 1 to {}", network.customers, k_most_customers)));
  if (network.stations.empty()) return std::unexpected(impossible("a network needs a station"));
  if (!std::isfinite(network.think_time) || network.think_time < 0)
    return std::unexpected(
        impossible(fmt::format("a thinking time of {:g}; it must be 0 or more", network.think_time)));
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const ClosedStation& station = network.stations[i];
    if (!is_positive(station.visits) || !is_positive(station.service_rate) || station.servers < 1)
      return std::unexpected(
          impossible(fmt::format("station {}: visits, service rate and servers must be above 0", i + 1)));
  }
  const double n = network.customers + 1.0;
  if (3 * n * n / 2 * static_cast<double>(network.stations.size()) > k_most_steps)
    return std::unexpected(impossible("too many customers and stations: some 10^9 steps"));
  return true;
}

/// The means of one station, of which `own` are the weights and `others` those of all other places.
Station station_of(const ClosedStation& given, const Weights& own, const Weights& others, double throughput) {
  const std::size_t customers = own.size() - 1;
  double all = 0, system = 0, busy = 0;
  for (std::size_t n = 0; n <= customers; ++n) {
    const double weight = own[n] * others[customers - n];
    all += weight;
    system += static_cast<double>(n) * weight;
    busy += static_cast<double>(std::min<std::size_t>(n, given.servers)) * weight;
  }
  double found = 0, delayed = 0;  // by who arrives: of one customer less
  for (std::size_t n = 0; n < customers; ++n) {
    const double weight = own[n] * others[customers - 1 - n];
    found += weight;
    if (n >= given.servers) delayed += weight;
  }
  Means means{.throughput = throughput * given.visits};
  means.system = system / all;
  means.utilisation = means.load = busy / all / given.servers;
  means.delayed = delayed / found;
  means.response = means.system / means.throughput;
  means.wait = std::max(0.0, means.response - 1 / given.service_rate);
  means.queue = means.throughput * means.wait;
  return {.means = means};
}

}  // namespace

Answer<ClosedNetworkAnswer> closed_network(const ClosedNetwork& network) {
  if (const auto right = checked(network); !right) return std::unexpected(right.error());
  // The time that the slowest place needs for a round is the unit: weights then neither rise nor fall for ever.
  double slowest = 0;
  for (const ClosedStation& station : network.stations)
    slowest = std::max(slowest, station.visits / station.service_rate / station.servers);
  std::vector<Weights> places;
  for (const ClosedStation& station : network.stations)
    places.push_back(weights_of(station.visits / station.service_rate / slowest, station.servers, network.customers));
  const std::size_t stations = places.size();
  if (network.think_time > 0)
    places.push_back(weights_of(network.think_time / slowest, network.customers, network.customers));
  // Of all places before one, and of all behind it.
  Weights nobody(network.customers + std::size_t{1}, 0.0);
  nobody[0] = 1;
  std::vector<Weights> before{nobody}, behind{nobody};
  for (std::size_t i = 0; i < places.size(); ++i) {
    before.push_back(together(before.back(), places[i]));
    behind.push_back(together(behind.back(), places[places.size() - 1 - i]));
  }
  const Weights& all = before.back();
  ClosedNetworkAnswer answer;
  answer.throughput = all[network.customers - 1] / all[network.customers] / slowest;
  answer.round_time = network.customers / answer.throughput;
  answer.thinking = answer.throughput * network.think_time;
  for (std::size_t i = 0; i < stations; ++i) {
    const Weights others = together(before[i], behind[places.size() - 1 - i]);
    answer.stations.push_back(station_of(network.stations[i], places[i], others, answer.throughput));
  }
  return answer;
}

}  // namespace dojima::queueing
