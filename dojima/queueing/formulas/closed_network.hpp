#pragma once

// Closed networks: so many customers go round between stations with exponential services and thinking for ever, as
// threads do between a pool, a lock and a disk. Exact, by the normalising constants of the product form: J. Buzen,
// "Computational algorithms for closed queueing networks with exponential servers" (1973), with stations of several
// servers; what a customer finds who arrives is what a network with one customer less has: M. Reiser and S. Lavenberg,
// "Mean-value analysis of closed multichain queueing networks" (1980). Sums of positive numbers only, scaled, so that
// nothing overflows; relative error about 1e-12. O(stations x customers^2).
//
//   const Answer<ClosedNetworkAnswer> answer =
//       closed_network({.customers = 8, .think_time = 0.001, .stations = {{.visits = 2, .service_rate = 50'000}}});
//   answer->throughput                                            // rounds a second

#include <cstdint>
#include <vector>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

struct ClosedStation {
  double visits = 1;        ///< in one round of a customer, on average; above 0
  double service_rate = 1;  ///< of one server
  std::uint32_t servers = 1;
};

struct ClosedNetwork {
  std::uint32_t customers = 1;  ///< 1 to 10,000
  double think_time = 0;        ///< mean, in a round; 0: nobody thinks
  std::vector<ClosedStation> stations;
};

struct ClosedNetworkAnswer {
  std::vector<Station> stations;  ///< means alone; a `throughput` is of visits
  double throughput = 0;          ///< rounds of all customers, per unit of time
  double round_time = 0;          ///< of one customer, thinking included
  double thinking = 0;            ///< customers who think, on average
};

/// Refused: no station or customer, figures that are not above 0, or more than some 10^9 steps.
[[nodiscard]] Answer<ClosedNetworkAnswer> closed_network(const ClosedNetwork& network);

}  // namespace dojima::queueing
