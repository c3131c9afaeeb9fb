#include "dojima/queueing/formulas/jackson.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "dojima/queueing/formulas/markov_queues.hpp"

namespace dojima::queueing {
namespace {

/// Solves matrix x = right by Gauss's elimination with pivots; false: no single solution.
bool solve(std::vector<double> matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::fabs(matrix[row * n + column]) > std::fabs(matrix[pivot * n + column])) pivot = row;
    if (std::fabs(matrix[pivot * n + column]) < 1e-12) return false;
    for (std::size_t k = 0; k < n; ++k) std::swap(matrix[pivot * n + k], matrix[column * n + k]);
    std::swap(right[pivot], right[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = matrix[row * n + column] / matrix[column * n + column];
      for (std::size_t k = column; k < n; ++k) matrix[row * n + k] -= factor * matrix[column * n + k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t i = 0; i < n; ++i) right[i] /= matrix[i * n + i];
  return true;
}

/// What flows through each station: what comes from outside and from the others.
Answer<std::vector<double>> flows_of(const JacksonNetwork& network) {
  const std::size_t n = network.stations.size();
  std::vector<double> matrix(n * n, 0.0);
  std::vector<double> flows(n);
  for (std::size_t i = 0; i < n; ++i) {
    double leaving = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double share = network.routing[i * n + j];
      if (!(share >= 0)) return std::unexpected(impossible(fmt::format("station {}: a share below 0 goes on", i + 1)));
      leaving += share;
      matrix[j * n + i] -= share;
    }
    if (leaving > 1 + 1e-12)
      return std::unexpected(impossible(fmt::format("station {}: more than all goes on ({:g})", i + 1, leaving)));
    matrix[i * n + i] += 1;
    flows[i] = network.stations[i].arrival_rate;
    if (!(flows[i] >= 0)) return std::unexpected(impossible(fmt::format("station {}: arrivals below 0", i + 1)));
  }
  if (!solve(std::move(matrix), flows))
    return std::unexpected(impossible("some requests never leave: there is a circle of stations without a way out"));
  return flows;
}

}  // namespace

Answer<JacksonAnswer> jackson(const JacksonNetwork& network) {
  const std::size_t n = network.stations.size();
  if (n == 0 || network.routing.size() != n * n)
    return std::unexpected(impossible("a network needs stations, and a routing share for each pair of them"));
  const auto flows = flows_of(network);
  if (!flows) return std::unexpected(flows.error());
  JacksonAnswer answer;
  double outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const JacksonStation& given = network.stations[i];
    outside += given.arrival_rate;
    if ((*flows)[i] <= 0) {
      answer.stations.push_back({});
      continue;
    }
    auto station = mmc((*flows)[i], given.service_rate, given.servers);
    if (!station) {
      Refusal refusal = station.error();
      refusal.text = fmt::format("station {}: {}", i + 1, refusal.text);
      return std::unexpected(std::move(refusal));
    }
    answer.system += station->means.system;
    answer.stations.push_back(std::move(*station));
  }
  if (outside <= 0) return std::unexpected(impossible("nothing arrives from outside"));
  answer.response = answer.system / outside;
  return answer;
}

}  // namespace dojima::queueing
