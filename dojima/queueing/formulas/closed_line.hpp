#pragma once

// A line whose customers are few: threads that think, ask for a lock, hold it, give it back. They ask less often while
// they wait, so the line is a finite source, and a formula for arrivals from a crowd says too much. From a recorded
// trace, what each customer did, and the waits that formulas forecast for it. Pure.
//
//   const Answer<ClosedLine> line = closed_line_of(*trace_of(records, 0));
//   const LineForecasts forecasts = forecasts_of(*line);          // beside line->wait_ns, what was measured

#include <cstdint>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::queueing {

/// Means per request, in nanoseconds.
struct ClosedLine {
  std::uint32_t customers = 0;
  std::uint32_t servers = 1;
  std::size_t requests = 0;
  double per_second = 0;  ///< requests, all customers together
  double think_ns = 0;    ///< from the end of one service to the next request of the same customer
  double service_ns = 0;
  double wait_ns = 0;  ///< measured
};

/// Customers are the trace's `server`. Refused for less than k_least_line_requests or when nobody thinks or is served.
[[nodiscard]] Answer<ClosedLine> closed_line_of(const Trace& trace);
inline constexpr std::size_t k_least_line_requests = 100;

/// Mean waits in nanoseconds.
struct LineForecasts {
  Answer<double> open;          ///< M/M/c of the measured rate; an overload is an answer
  Answer<double> finite;        ///< M/M/c//N: exponential services
  Answer<double> finite_fixed;  ///< M/D/1//N: services that all take the same time; refused for several servers
};
[[nodiscard]] LineForecasts forecasts_of(const ClosedLine& line);

}  // namespace dojima::queueing
