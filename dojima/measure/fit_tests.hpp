#pragma once

// Whether a sample of times looks like a distribution: the clock's lattice in it, and Kolmogorov and Smirnov's distance
// to an exponential and a lognormal distribution that were fitted to the same sample. Times are whole units of
// something, a nanosecond or a clock's step, and are compared at the edges between these units only: anywhere else a
// perfect fit would be rejected for the units alone. The p-value is first the bound of Dvoretzky, Kiefer, Wolfowitz and
// Massart, 2 exp(-2 n D^2), made for parameters known beforehand and too cautious for fitted ones; where it decides
// nothing, a parametric bootstrap does. A few stalls among a hundred thousand values decide any test of the whole, so
// `shape_of` takes a sample apart: the bulk, fitted as cut off where it ends, the tail behind it, and the stalls that
// neither reaches. Pure, seeded; allocates.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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

/// The step that a clock shows, in the unit of `readings`: the times of nothing, taken back to back by that clock.
/// `counter_step` is that of the processor's counter, which most clocks read; it holds for this one when the readings
/// keep to it. 0: the readings take any value.
[[nodiscard]] double clock_step_of(std::span<const double> readings, double counter_step);

/// Whether values keep to the known step of the clock that took them. A step of at most one unit is none, and nine in
/// ten of the values have to lie at its multiples: those that take every unit do not.
[[nodiscard]] Lattice lattice_of(std::span<const double> values, double clock_step);

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
  double scale = 0;  ///< the mean above it, were it not cut off; of the lognormal one the deviation of the logarithms
  double distance = 0;  ///< D
  double p_value = 1;
  bool is_bound = false;  ///< the p-value is at most that
  [[nodiscard]] bool is_rejected() const noexcept { return p_value < 0.01; }
};

/// What values are whole multiples of, and where a sample was cut off.
struct FitUnits {
  double quantum = 0;  ///< 0: compared at every value
  double limit = std::numeric_limits<double>::infinity();
};

/// Values above 0, none above the limit, at least two different ones. With a limit the model is cut off there too;
/// of an exponential nine tenths lie below it.
[[nodiscard]] FitTest test_fit(FitModel model, std::span<const double> values, FitUnits units, std::uint64_t seed = 1);

/// A sample taken apart.
struct Shape {
  double limit = 0;  ///< where the bulk ends
  std::size_t bulk_count = 0;
  std::size_t bulk_steps = 0;   ///< different values in the bulk, in units
  std::vector<FitTest> bulk{};  ///< of each model; empty where all values of the bulk are the same
  std::size_t tail_count = 0;   ///< behind the bulk, without the stalls
  std::optional<FitTest>
      tail{};  ///< exponential from the limit on; none below 30 values, or below `k_least_steps` steps
  /// Above this the nearest fit of the bulk expects a value in one of a hundred such samples; at least twice and at
  /// most ten times as far behind the bulk as its end is from its middle.
  double stall_limit = 0;
  std::size_t stalls = 0;
  double least_stall = 0;
  double largest_stall = 0;

  /// Whether a fit of the bulk that is not rejected says anything: two parameters go through a few steps whatever they
  /// are.
  [[nodiscard]] bool has_enough_steps() const noexcept { return bulk_steps >= k_least_steps; }
  static constexpr std::size_t k_least_steps = 5;

  /// The fit of the bulk that is nearest; null when there is none.
  [[nodiscard]] const FitTest* nearest() const noexcept;
};

/// The bulk are the values up to the percentile `share`. Values above 0, at least one.
[[nodiscard]] Shape shape_of(std::span<const double> values, double quantum, double share = 0.99,
                             std::uint64_t seed = 1);

}  // namespace dojima::measure
