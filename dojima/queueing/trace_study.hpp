#pragma once

// What a service trace (measure/service_trace.hpp) says by itself: its parts, the services with their moments and how
// they hang together, the stalls among them, and whether its waits are those of a single line served first come, first
// served, which a recursion over its own arrivals and services must give again. For offline work; allocates.
//
//   const Answer<Trace> trace = trace_of(records, 0);
//   const ServiceStudy services = study_services(*trace, {});
//   const ReplayCheck check = replay(*trace);          // a perfect capture of one server: largest_difference_ns is
//   small

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/measure/service_trace.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/arrival_fit.hpp"

namespace dojima::queueing {

/// Requests of one kind, by group, in order of arrival; of equal arrivals in order of start.
struct Trace {
  std::vector<std::vector<measure::ServiceRecord>> parts;
  [[nodiscard]] std::size_t size() const noexcept;
  /// Seconds from the first arrival to the last end, parts added up.
  [[nodiscard]] double seconds() const noexcept;
  /// In seconds since the part's first.
  [[nodiscard]] std::vector<Arrivals> arrivals() const;
};

/// Waits in nanoseconds without the first tenth of each part, in which the line still fills: what forecasts leave out
/// as well, and so what they are held against.
[[nodiscard]] std::vector<double> settled_waits(const Trace& trace);

/// The kinds that occur, rising.
[[nodiscard]] std::vector<std::uint16_t> kinds_of(std::span<const measure::ServiceRecord> records);
/// Refused when there is no request of this kind, or one ends later than 26 days after the beginning.
[[nodiscard]] Answer<Trace> trace_of(std::span<const measure::ServiceRecord> records, std::uint16_t kind);

/// Services of a trace, in nanoseconds. A stall is a service so much longer than the others that something else stopped
/// the server: longer than `stall_ns`. It counts as a service of the median length and an interruption of the rest.
struct ServiceStudy {
  std::size_t n = 0;
  double mean = 0;
  double scv = 0;
  double skewness = 0;
  double least = 0;
  double median = 0;
  double p99 = 0;
  double longest = 0;
  double correlation[4] = {};  ///< at lags k_lags
  double independence_p = 1;   ///< Ljung and Box, 10 lags
  double load = 0;             ///< work over time, for one server
  double stall_ns = 0;
  std::size_t stalls = 0;
  double stalls_per_second = 0;
  double stall_mean = 0;   ///< of what is beyond the median
  double stall_share = 0;  ///< of the time
  double calm_mean = 0;    ///< without what stalls added
  double calm_scv = 0;

  static constexpr std::size_t k_lags[4] = {1, 2, 5, 10};
};
/// `stall_ns`: the limit; none: the median and 30 robust deviations, at least twice the median.
[[nodiscard]] ServiceStudy study_services(const Trace& trace, std::optional<double> stall_ns);

/// The trace's arrivals and services through one server, beside its waits.
struct ReplayCheck {
  double mean_measured = 0;  ///< ns
  double mean_replayed = 0;  ///< ns
  double p99_measured = 0;
  double p99_replayed = 0;
  double largest_difference_ns = 0;  ///< of one request's wait
  double share_close = 0;            ///< of the requests whose waits differ by at most `close_ns`
  std::size_t most_in_service = 0;   ///< at once: more than 1 is no single server
};
[[nodiscard]] ReplayCheck replay(const Trace& trace, double close_ns);

}  // namespace dojima::queueing
