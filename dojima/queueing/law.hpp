#pragma once

// The law of a random time, as formulas see it: moments, the transform, the mean of what is cut off at a limit. Times
// between arrivals and services are given this way; `Sampler` (sampler.hpp) draws from the same laws.
//
//   const Law service = Law::erlang(1.0, 4);
//   mg1(0.8, service);

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dojima::queueing {

enum class LawKind : std::uint8_t { exponential, constant, erlang, hyperexponential, empirical };

class Law {
 public:
  /// `mean` > 0.
  [[nodiscard]] static Law exponential(double mean);
  [[nodiscard]] static Law constant(double mean);
  /// The sum of `stages` >= 1 equal exponential times; squared coefficient of variation 1 / stages.
  [[nodiscard]] static Law erlang(double mean, std::uint32_t stages);
  /// One of two exponential times, both with the same share of the mean; squared coefficient of variation `scv` >= 1.
  [[nodiscard]] static Law hyperexponential(double mean, double scv);
  /// One of `values`, each as likely; none below 0, at least one above 0.
  [[nodiscard]] static Law empirical(std::span<const double> values);

  [[nodiscard]] LawKind kind() const noexcept { return kind_; }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// E[T^order] for orders 1 to 3.
  [[nodiscard]] double moment(int order) const noexcept;
  /// Squared coefficient of variation: variance over squared mean, 0 or more. Of values that are all the same the
  /// moments may leave a rounding below 0, which counts as 0.
  [[nodiscard]] double scv() const noexcept { return std::max(moment(2) / (mean_ * mean_) - 1, 0.0); }
  /// E[min(T, limit)]. The empirical law O(log n), the others O(1) or O(stages).
  [[nodiscard]] double limited_mean(double limit) const;
  /// E[exp(-s T)], s >= 0, and its slope. The empirical law O(n).
  [[nodiscard]] double transform(double s) const;
  [[nodiscard]] double transform_slope(double s) const;

  [[nodiscard]] std::uint32_t stages() const noexcept { return stages_; }
  /// Hyperexponential: the share of the first time, and the means of both.
  [[nodiscard]] double first_share() const noexcept { return first_share_; }
  [[nodiscard]] double first_mean() const noexcept { return mean_ / (2 * first_share_); }
  [[nodiscard]] double second_mean() const noexcept { return mean_ / (2 * (1 - first_share_)); }
  /// Empirical: the values, sorted.
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  /// "exponential", "constant", "erlang 4", "hyperexponential 4", "empirical".
  [[nodiscard]] std::string name() const;

 private:
  Law(LawKind kind, double mean) : kind_(kind), mean_(mean) {}

  LawKind kind_;
  double mean_;
  std::uint32_t stages_ = 1;
  double first_share_ = 0.5;
  double second_moment_ = 0;      // empirical
  double third_moment_ = 0;       // empirical
  std::vector<double> values_{};  // empirical
  std::vector<double> sums_{};    // empirical: of the first 1, 2, ... values
};

}  // namespace dojima::queueing
