#pragma once

// One server with classes of requests that go before others, and one server that is interrupted. Poisson arrivals,
// services of any law, means only. Sources: A. Cobham, "Priority assignment in waiting line problems" (1954); L.
// Kleinrock, "Queueing Systems", volume 2 (1976), chapter 3; B. Avi-Itzhak and P. Naor, "Some queuing problems with the
// service station subject to breakdown" (1963).
// Ranges: rates above 0, the load of all classes and of what interruptions take below 1. Error: relative 1e-12 to the
// tests' reference values.
//
//   const Answer<std::vector<Means>> classes = nonpreemptive({{0.3, Law::exponential(1)}, {0.4, Law::exponential(1)}});
//   (*classes)[1].wait                                            // 10 / 3

#include <span>
#include <vector>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/law.hpp"

namespace dojima::queueing {

struct PriorityClass {
  double arrival_rate = 0;
  Law service = Law::exponential(1);
};

/// A service once begun is finished; then the first request of the highest class is next. Classes from the highest to
/// the lowest; `load` of each is its own and that of the classes above it.
[[nodiscard]] Answer<std::vector<Means>> nonpreemptive(std::span<const PriorityClass> classes);
/// A service is put aside for a request of a higher class and goes on afterwards where it was. `wait` is the response
/// without the service itself: interruptions count as waiting.
[[nodiscard]] Answer<std::vector<Means>> preemptive_resume(std::span<const PriorityClass> classes);

/// What stops the server: the time until the next interruption is exponential and begins when the last one ended,
/// whether or not there is work; what was in service goes on afterwards.
struct Interruptions {
  double rate = 0;  ///< per unit of time that the server is able to work
  Law length = Law::exponential(1);
};
/// M/G/1 with a server that is interrupted. `load` includes the time lost; interruptions count as waiting.
[[nodiscard]] Answer<Station> interrupted_mg1(double arrival_rate, const Law& service, const Interruptions& by);

}  // namespace dojima::queueing
