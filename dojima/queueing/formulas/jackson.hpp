#pragma once

// Open networks of stations with exponential services: what arrives from outside and from other stations is served,
// then goes on to another station or leaves. Each station then behaves, in its means and in its distribution at an
// instant, as if it were M/M/c alone. J. Jackson, "Networks of waiting lines" (1957). O(stations^3).
// Ranges: rates of 0 and more, service rates above 0, every station's load below 1, routing shares that sum to 1 at
// most. Error: the flows are solved by elimination with pivots; relative 1e-12 to the tests' reference values.
//
//   const Answer<JacksonAnswer> tandem = jackson({.stations = {{.arrival_rate = 1, .service_rate = 2},
//                                                              {.service_rate = 1.25}},
//                                                 .routing = {0, 1, 0, 0}});
//   tandem->system                                                // 5

#include <cstdint>
#include <vector>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

struct JacksonStation {
  double arrival_rate = 0;  ///< from outside, 0 or more
  double service_rate = 1;  ///< of one server
  std::uint32_t servers = 1;
};

struct JacksonNetwork {
  std::vector<JacksonStation> stations;
  /// Row by row: the share of what leaves station i that goes to station j; what is left of 1 leaves the network.
  std::vector<double> routing;
};

struct JacksonAnswer {
  std::vector<Station> stations;  ///< `throughput` of each is what flows through it
  double system = 0;              ///< requests in the network
  double response = 0;            ///< from arrival to leaving, over all requests
};

[[nodiscard]] Answer<JacksonAnswer> jackson(const JacksonNetwork& network);

}  // namespace dojima::queueing
