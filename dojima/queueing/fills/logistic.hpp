#pragma once

// Logistic regression: the chance of a yes as 1 / (1 + e^-(b0 + b1 x1 + ...)), by maximum likelihood (iteratively
// reweighted least squares, Newton's method, as in McCullagh and Nelder, Generalized Linear Models, 2nd edition, 4.4).
// Features are centred and scaled by what they are in the sample; a small ridge keeps features that say the same apart.
//
//   const Answer<Logistic> model = Logistic::fit(rows, outcomes);      // a row: the features of one sample
//   const double chance = model->forecast(row);

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

class Logistic {
 public:
  /// `features`: rows of `width` numbers each, one behind the other; `outcomes`: 0 or 1 a row. Refused when there are
  /// fewer than ten rows a feature, when one outcome is missing, or the search does not end. O(rows x width^2) a step,
  /// about ten steps.
  [[nodiscard]] static Answer<Logistic> fit(std::span<const double> features, std::size_t width,
                                            std::span<const std::uint8_t> outcomes);

  /// Strictly between 0 and 1. `row` has as many numbers as a row of fit().
  [[nodiscard]] double forecast(std::span<const double> row) const;
  /// Of the features as they are, the constant first.
  [[nodiscard]] std::vector<double> coefficients() const;

 private:
  std::vector<double> means_, scales_, weights_;  // weights_: the constant first
};

}  // namespace dojima::queueing
