#pragma once

// Queues whose times between arrivals and services are exponential: one server, several, several with a bounded room,
// as many as needed, and a finite number of customers who think and ask again. Exact, with the whole distribution of
// the wait. Rates are per unit of time; `service_rate` is that of one server. First come, first served. Sources: L.
// Kleinrock, "Queueing Systems", volume 1 (1975), chapters 3 and 4; for the finite source D. Gross and C. Harris,
// "Fundamentals of Queueing Theory", 3rd edition (1998), section 2.7. O(servers + room), so up to a million.
// Ranges: rates above 0 and finite; the load below 1 where the queue has no bound. Error: means and shares that wait
// are relative 1e-12 to the reference values that the tests have, quantiles 2e-12.
//
//   const Answer<Station> station = mmc(8, 1, 10);
//   station->means.wait                                          // 0.2046
//   quantile(station->wait_exceeds, 0.9999, 1.0)

#include <cstdint>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

/// M/M/1.
[[nodiscard]] Answer<Station> mm1(double arrival_rate, double service_rate);

/// M/M/c.
[[nodiscard]] Answer<Station> mmc(double arrival_rate, double service_rate, std::uint32_t servers);

/// M/M/c/K: at most `room` requests waiting or in service; whoever finds it full is lost. `room` >= `servers`. Any
/// load.
[[nodiscard]] Answer<Station> mmck(double arrival_rate, double service_rate, std::uint32_t servers, std::uint32_t room);

/// M/M/infinity: nobody waits. Holds for every law of services.
[[nodiscard]] Answer<Station> mm_infinite(double arrival_rate, double service_rate);

/// A closed system of `sources` customers and one server: each thinks for 1 / think_rate on average, asks, waits, is
/// served, thinks again.
struct FiniteSource {
  std::uint32_t sources = 1;
  double think_rate = 1;
  double service_rate = 1;
};
/// M/M/1//N: think times and services exponential. The means hold for every law of thinking.
[[nodiscard]] Answer<Station> mm1_finite_source(const FiniteSource& source);
/// M/D/1//N: services take exactly 1 / service_rate. Means only. At most 10,000 sources; O(sources^2).
[[nodiscard]] Answer<Station> md1_finite_source(const FiniteSource& source);
/// M/M/c//N: several servers, think times and services exponential. Means only. At most 1,000,000 sources; O(sources).
[[nodiscard]] Answer<Station> mmc_finite_source(const FiniteSource& source, std::uint32_t servers);

}  // namespace dojima::queueing
