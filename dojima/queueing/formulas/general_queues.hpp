#pragma once

// Queues with one server whose services, or times between arrivals, follow any law; for two general laws there are only
// bounds and approximations, which carry that word in their names. Sources: Pollaczek and Khinchine in L. Kleinrock,
// "Queueing Systems", volume 1 (1975), chapters 5 and 6; G. Franx, "A simple solution for the M/D/c waiting time
// distribution" (2001); J. Kingman, "Some inequalities for the queue GI/G/1" (1962); W. Marchal, "An approximate
// formula for waiting time in single server queues" (1976) and "Some simpler bounds on the mean queuing time" (1978);
// A. Allen, "Probability, Statistics and Queueing Theory" (1978) for Allen and Cunneen.
// Ranges: rates above 0 and finite, loads below 1. Error: formulas relative 1e-12 to the reference values that the
// tests have; what is called a bound or an approximation is no more than that.
//
//   const Answer<Station> station = mg1(0.8, Law::constant(1));
//   station->means.wait                                          // 2

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/law.hpp"

namespace dojima::queueing {

/// M/G/1: means only; the distribution of the wait is `mg1_wait`.
[[nodiscard]] Answer<Station> mg1(double arrival_rate, const Law& service);
/// The standard deviation of the wait in M/G/1.
[[nodiscard]] Answer<double> mg1_wait_deviation(double arrival_rate, const Law& service);

/// The whole distribution of the wait in M/G/1, between two bounds that are distributions on a lattice: one serves the
/// same work rounded down to the lattice, one rounded up. Both come from sums of positive numbers (Panjer's recursion
/// of the geometric compound that Pollaczek and Khinchine's formula is). `middle` is the mean of both, between the
/// middles of the lattice's cells; its error falls with the square of the step where the curve is smooth, and with the
/// step where it has a kink: constant services bend it after one service, measured ones after each of their values.
class Mg1Wait {
 public:
  /// P(W > t), bounds and an approximation; beyond the lattice the bounds are 0 and its last value.
  [[nodiscard]] double at_least(double t) const;
  [[nodiscard]] double at_most(double t) const;
  [[nodiscard]] double middle(double t) const;
  [[nodiscard]] double step() const noexcept { return step_; }

 private:
  friend Answer<Mg1Wait> mg1_wait(double, const Law&, double, std::size_t);
  double step_ = 0;
  double load_ = 0;
  std::vector<double> low_;   // P(W > i step) when work is rounded down
  std::vector<double> high_;  // when it is rounded up
};
/// Made until the tail is below `tail` (1e-12 to 1), with `cells` to a mean service. O(cells^2 x longest wait x longest
/// service, in mean services); refused when that exceeds some 10^10.
[[nodiscard]] Answer<Mg1Wait> mg1_wait(double arrival_rate, const Law& service, double tail = 1e-6,
                                       std::size_t cells = 100);

/// M/D/1, exact at every wait to some 12 digits, as long as the chance is above 1e-280: services take 1 / service_rate.
[[nodiscard]] Answer<Station> md1(double arrival_rate, double service_rate);
/// The exponential rate at which the tail of the wait in M/D/1 falls in the end.
[[nodiscard]] Answer<double> md1_decay(double arrival_rate, double service_rate);

/// GI/M/1: `between` is the law of the times between arrivals. `sigma`, the chance to wait, is `means.delayed`.
[[nodiscard]] Answer<Station> gim1(const Law& between, double service_rate);

/// What is known of a queue with one server, G/G/1: rates, and squared coefficients of variation of the times between
/// arrivals and of the services.
struct TwoMoments {
  double arrival_rate = 1;
  double service_rate = 1;
  double arrival_scv = 1;
  double service_scv = 1;
};
/// The mean wait in GI/G/1 is at most this.
[[nodiscard]] Answer<double> kingman_upper_bound(const TwoMoments& of);
/// The mean wait in GI/G/1 is at least this (0 where the formula says less).
[[nodiscard]] Answer<double> marchal_lower_bound(const TwoMoments& of);
/// Kingman's bound scaled so that it is exact for M/G/1.
[[nodiscard]] Answer<double> marchal_approximation(const TwoMoments& of);
/// The mean wait in G/G/c: that of M/M/c, scaled by the mean of both variations.
[[nodiscard]] Answer<double> allen_cunneen_approximation(const TwoMoments& of, std::uint32_t servers);

}  // namespace dojima::queueing
