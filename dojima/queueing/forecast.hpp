#pragma once

// From a captured trace to the waits under another load: its services are drawn again in blocks, so that what hangs
// together stays together; stalls come back as what they are, interruptions of the server so and so often per second
// and not per request; requests arrive as in the capture, only faster or slower, or by one of flow's models. Each
// replicate is as long as the capture, or as what it is held against, and draws from another guess at the capture,
// itself drawn from it: so the spread of replicates has both what another capture of that length would show and what
// this one leaves unknown.
// Repeatable: what is drawn and served are whole numbers, so a seed always gives the same forecast.
//
//   const Answer<Forecaster> forecaster = Forecaster::from(trace, study);
//   const Answer<Forecast> at = forecaster->predict({.rate = 400'000}, {});
//   at->p99                                               // estimate, low, high, in nanoseconds

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/flow/arrivals.hpp"
#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/sampler.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::queueing {

/// What is asked: how requests arrive, and what is changed about the server.
struct Scenario {
  double rate = 0;                              ///< requests per second; 0: as captured
  std::optional<flow::ArrivalConfig> arrivals;  ///< a model; none: the captured gaps, stretched
  std::uint32_t servers = 1;                    ///< 1 to 64
  double service_factor = 1;                    ///< of every service, 0.01 to 100
  double variance_factor = 1;                   ///< of the services without stalls, 0 to 1
  bool has_stalls = true;
};

struct ForecastPlan {
  std::size_t replicates = 40;  ///< 20 to 1,000
  std::size_t block = 50;       ///< consecutive services, and gaps, that are drawn together
  double confidence = 0.9;      ///< 0.5 to 0.95
  std::uint64_t seed = 1;
  bool has_sensitivity = true;  ///< some replicates once more, with longer services
  std::size_t requests = 0;     ///< of a replicate, 1,000 to 100,000,000; 0: as many as were captured
};

struct Forecast {
  double load = 0;  ///< services and stalls together
  double captured_load = 0;
  bool is_beyond = false;    ///< the load is higher than captured, or the arrivals are others
  measure::Interval mean{};  ///< of the wait, in nanoseconds, as the next three
  measure::Interval p50{};
  measure::Interval p99{};
  measure::Interval p999{};
  bool has_p999 = false;        ///< capture and replicate are long enough for it: ten requests beyond
  double mean_sensitivity = 0;  ///< relative growth of the mean for services 1 % longer
  double p99_sensitivity = 0;
};

/// From `at_s` on there are `rate` requests a second.
struct RateStep {
  double at_s = 0;
  double rate = 0;
};

/// Rates over time: an opening, a burst of news. It begins with an empty line, may be overloaded for a while, and need
/// have no steady state.
struct Course {
  std::vector<RateStep> steps;  ///< the first at 0, rising; rates 0 or more, one of them above
  double seconds = 1;           ///< how long it lasts; behind the last step
  std::size_t parts = 20;       ///< of equal length, each with its own figures; 1 to 1,000
  static constexpr double k_most_requests = 1e7;
};

/// Requests that arrive in one part of a course.
struct PartForecast {
  double from_s = 0, to_s = 0;
  double requests = 0;       ///< expected
  double load = 0;           ///< work that arrives over time, stalls included; 1 and more: the line grows
  measure::Interval mean{};  ///< of the wait, in nanoseconds, as the next one
  measure::Interval p99{};
  bool has_p99 = false;  ///< ten requests of the part lie beyond
};

/// A request in a place, in nanoseconds.
struct Stay {
  std::uint64_t arrival_ns = 0;
  std::uint64_t response_ns = 0;
};

class Forecaster {
 public:
  /// Refused when the trace has fewer than k_least_requests or serves several at once.
  [[nodiscard]] static Answer<Forecaster> from(const Trace& trace, const ServiceStudy& study);

  /// An overload is refused as unstable.
  [[nodiscard]] Answer<Forecast> predict(const Scenario& scenario, const ForecastPlan& plan) const;
  /// The waits part by part. Arrivals are the captured gaps or the model's, stretched and compressed as the rates say;
  /// lengths of bursts and of memories are those at the mean rate. `scenario.rate` does not count. A replicate is as
  /// long as the course, and an overload is no refusal.
  [[nodiscard]] Answer<std::vector<PartForecast>> over_time(const Scenario& scenario, const Course& course,
                                                            const ForecastPlan& plan) const;
  /// Waits of one replicate, in nanoseconds, without its first tenth.
  [[nodiscard]] std::vector<double> replicate(const Scenario& scenario, const ForecastPlan& plan,
                                              std::uint64_t number) const;
  /// The same requests: when they arrive, from the beginning of the replicate, and how long they stay, service and
  /// stalls included; for who wants to be served in such a place, as a back-test's orders do.
  [[nodiscard]] std::vector<Stay> stays(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t number) const;
  /// The largest load, as a rate per second, at which the wait's quantile at `share` stays at or below `limit_ns`, with
  /// the interval of the replicates. Refused when even a hundredth of the captured rate waits longer.
  [[nodiscard]] Answer<measure::Interval> largest_rate(Scenario scenario, const ForecastPlan& plan, double share,
                                                       double limit_ns) const;

  [[nodiscard]] double rate() const noexcept { return rate_; }
  [[nodiscard]] double load_of(const Scenario& scenario) const noexcept;
  [[nodiscard]] std::size_t requests() const noexcept { return services_.size(); }

  static constexpr std::size_t k_least_requests = 1'000;

 private:
  struct Draw;
  struct Guess;
  struct Served {
    Ticks arrival, wait, response;
  };
  Forecaster() = default;
  [[nodiscard]] Guess guess(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t stream) const;
  [[nodiscard]] Answer<Scenario> checked(Scenario scenario, const ForecastPlan& plan) const;
  [[nodiscard]] std::size_t length_of(const ForecastPlan& plan) const noexcept;
  /// Of how many requests the figures of a replicate are, where the capture has as many.
  [[nodiscard]] std::size_t settled_of(const ForecastPlan& plan) const noexcept;
  /// Serves one replicate's requests as long as take(Served) wants more. `when` says at what time a request arrives
  /// that would have arrived at another time, had the rate always been the scenario's.
  template <class When, class Take>
  void serve(const Scenario& scenario, const ForecastPlan& plan, std::uint64_t number, When when, Take take) const;

  std::vector<Ticks> services_{};  // without what stalls added; 1024 ticks are a nanosecond
  std::vector<Ticks> gaps_{};
  std::vector<Ticks> stalls_{};  // what they added
  double mean_ns_ = 0;           // of services_
  double rate_ = 0;              // per second
  double captured_load_ = 0;
  double stalls_per_second_ = 0;
  double stall_mean_ns_ = 0;
};

/// A forecast against what was measured: the distance of both distributions, where waits up to `atom_ns` count as none.
[[nodiscard]] double wait_distance(std::vector<double> first, std::vector<double> second, double atom_ns);

}  // namespace dojima::queueing
