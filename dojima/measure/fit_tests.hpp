#pragma once

// Whether a sample of times looks like a distribution: the clock's lattice in it, and Kolmogorov and Smirnov's distance
// to an exponential and a lognormal distribution that were fitted to the same sample. Times of a coarse clock are
// compared at the edges between its steps only: anywhere else a perfect fit would be rejected for the steps alone. The
// p-value is first the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, 2 exp(-2 n D^2), made for parameters known
// beforehand and too cautious for fitted ones; where it decides nothing, a parametric bootstrap does.
// Pure, seeded; allocates.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::measure {

/// The multiples that a sample keeps to.
struct Lattice {
  double quantum = 0;  ///< 0: none
  double share = 0;    ///< of the values that lie within a fifth of a step of a multiple
};
/// From whole nanoseconds or ticks.
[[nodiscard]] Lattice lattice_of(std::span<const double> values);

enum class FitModel : std::uint8_t {
  exponential,          ///< from 0, with the sample's mean
  shifted_exponential,  ///< from the smallest value
  lognormal,
};
inline constexpr FitModel k_fit_models[] = {FitModel::exponential, FitModel::shifted_exponential, FitModel::lognormal};
[[nodiscard]] std::string_view name_of(FitModel model) noexcept;

struct FitTest {
  FitModel model = FitModel::exponential;
  double location = 0;  ///< the smallest value of the model; of the lognormal one the mean of the logarithms
  double scale = 0;     ///< the mean above it; of the lognormal one the deviation of the logarithms
  double distance = 0;  ///< D
  double p_value = 1;
  bool is_bound = false;  ///< the p-value is at most that
  [[nodiscard]] bool is_rejected() const noexcept { return p_value < 0.01; }
};

/// Values above 0, at least two different ones. `quantum` 0: compared at every value.
[[nodiscard]] FitTest test_fit(FitModel model, std::span<const double> values, double quantum, std::uint64_t seed = 1);

}  // namespace dojima::measure
