#pragma once

// Arrivals that cluster: a Poisson process whose rate jumps between two states (MMPP with two states), in front of a
// server with exponential services, and the counts of a self-exciting (Hawkes) process with an exponential kernel.
// Sources: M. Neuts, "Matrix-Geometric Solutions in Stochastic Models" (1981); G. Latouche and V. Ramaswami, "A
// logarithmic reduction algorithm for quasi-birth-death processes" (1993); A. Hawkes, "Spectra of some self-exciting
// and mutually exciting point processes" (1971).
// Ranges: rates of 0 and more, both rates of leaving above 0, a branching below 1, a mean load below 1. Error: relative
// 1e-12 to the tests' reference values, 1e-8 at a load of 0.999.
//
//   mmpp2_m1({.rates = {0.2, 1.4}, .leaves = {0.01, 0.03}}, 1)->means.response       // 15.405

#include <array>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

struct Mmpp2 {
  std::array<double, 2> rates{1, 1};   ///< arrivals per unit of time in each state, 0 or more
  std::array<double, 2> leaves{1, 1};  ///< rate at which each state ends

  /// The share of the time in the first state.
  [[nodiscard]] double first_share() const noexcept { return leaves[1] / (leaves[0] + leaves[1]); }
  [[nodiscard]] double mean_rate() const noexcept { return first_share() * rates[0] + (1 - first_share()) * rates[1]; }
  /// Variance over mean of the count of a window of this length.
  [[nodiscard]] double dispersion(double window) const noexcept;
};

/// MMPP(2)/M/1 with the distributions of wait and response.
[[nodiscard]] Answer<Station> mmpp2_m1(const Mmpp2& arrivals, double service_rate);

/// Each arrival causes `branching` more on average, which follow it after exponential times of mean 1 / decay.
struct Hawkes {
  double base_rate = 1;
  double branching = 0;  ///< 0 to below 1
  double decay = 1;

  [[nodiscard]] double mean_rate() const noexcept { return base_rate / (1 - branching); }
  /// Variance over mean of the count of a window of this length; `asymptotic_dispersion` for a long one.
  [[nodiscard]] double dispersion(double window) const noexcept;
  [[nodiscard]] double asymptotic_dispersion() const noexcept { return 1 / ((1 - branching) * (1 - branching)); }
};

}  // namespace dojima::queueing
