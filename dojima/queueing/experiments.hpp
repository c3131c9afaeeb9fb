#pragma once

// Whole simulations of the queues that have formulas, to hold one against the other: arrivals and services are drawn,
// sent through a recursion or a network, and the waits kept. The same seed gives the same waits everywhere.
//
//   const Simulated seen = simulate(Law::exponential(1 / 0.8), Law::exponential(1), 1, {.jobs = 1'000'000, .seed = 7});
//   seen.mean_wait().z(4)                                     // how many standard errors from the formula

#include <cstdint>
#include <span>
#include <vector>

#include "dojima/flow/arrivals.hpp"
#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/law.hpp"
#include "dojima/queueing/network.hpp"
#include "dojima/queueing/observed.hpp"

namespace dojima::queueing {

struct Run {
  std::size_t jobs = 1'000'000;  ///< k_least_jobs to k_most_jobs; the first tenth is left out of the figures
  std::uint64_t seed = 1;

  static constexpr std::size_t k_least_jobs = 10 * Estimate::k_batches;
  static constexpr std::size_t k_most_jobs = 200'000'000;
};

/// Waits of one kind of request, in ticks; figures in the laws' unit of time.
struct Simulated {
  Observed waits;
  double ticks_per_unit = 1;
  std::uint64_t lost = 0;  ///< found no room, of those that came while the waits were kept

  [[nodiscard]] Estimate mean_wait() const { return in_units(waits.mean()); }
  [[nodiscard]] Estimate quantile(double share) const { return in_units(waits.quantile(share)); }
  /// Of the requests that wait longer than `limit`; 0: of those that wait at all.
  [[nodiscard]] Estimate share_above(double limit) const {
    return waits.share_above(static_cast<Ticks>(limit * ticks_per_unit));
  }
  [[nodiscard]] Estimate in_units(Estimate ticks) const noexcept {
    return {ticks.value / ticks_per_unit, ticks.error / ticks_per_unit};
  }
};

/// Whether times of these two means fit one axis of ticks; more than 10^8 apart they do not. What follows asserts it.
[[nodiscard]] Answer<double> checked_scale(double first_mean, double second_mean);

/// Ticks to a unit of time for a network whose mean times are `means`, so that `jobs` of them, `gap` apart, fit the
/// axis. Times more than 10^6 apart are refused.
[[nodiscard]] Answer<double> network_scale(std::span<const double> means, double gap, std::size_t jobs);

/// GI/G/c by recursion.
[[nodiscard]] Simulated simulate(const Law& between, const Law& service, std::uint32_t servers, const Run& run);
/// The same with arrivals of one of flow's models, `arrival_rate` in the service's unit of time.
[[nodiscard]] Simulated simulate(const flow::ArrivalConfig& arrivals, double arrival_rate, const Law& service,
                                 std::uint32_t servers, const Run& run);
/// A finite source: each of `sources` customers thinks, asks, waits, is served.
[[nodiscard]] Simulated simulate_finite_source(const Law& think, const Law& service, std::uint32_t sources,
                                               const Run& run);

/// Any network: for each station and class, stations first, the waits of its visits (interruptions count), and for each
/// class the response from arrival to leaving.
struct SimulatedNetwork {
  std::vector<Simulated> waits;      ///< [station x classes + class]
  std::vector<Simulated> responses;  ///< [class]
  std::vector<double> mean_numbers;  ///< by station, over all of the run
};
/// `run.jobs` requests from outside. Refused: a wrong network, or one that outgrows its capacity.
[[nodiscard]] Answer<SimulatedNetwork> simulate(const NetworkSpec& spec, const Run& run);

/// Counts of arrivals in windows of one length, the first tenth of the time left out.
struct Counts {
  double window = 0;
  std::size_t windows = 0;
  Estimate mean{};
  Estimate dispersion{};  ///< variance over mean

  static constexpr std::size_t k_least_windows = 10 * Estimate::k_batches;
};
/// About `run.jobs` arrivals of one of flow's models, of which `config` belongs to ModelSampler::k_rate a second, at
/// `rate` per unit of time. Refused: a window so long that the run has fewer than k_least_windows, or so short that the
/// model's clock of 10^6 steps to a mean gap does not know it.
[[nodiscard]] Answer<std::vector<Counts>> simulate_counts(const flow::ArrivalConfig& config, double rate,
                                                          std::span<const double> windows, const Run& run);

}  // namespace dojima::queueing
