#include "dojima/queueing/fills/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

constexpr double k_ridge = 1e-3;  // a thousandth of a row's information
constexpr int k_most_steps = 100;
/// Of the mean: what strays less is a constant, and what is left of it a rounding error, which is no feature.
constexpr double k_least_scale = 1e-9;

double logistic(double value) {
  return 1 / (1 + std::exp(-std::clamp(value, -35.0, 35.0)));
}

/// Solves a symmetric positive definite system in place by Cholesky's decomposition; false: it is none.
bool solve(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column; row < n; ++row) {
      double sum = matrix[row * n + column];
      for (std::size_t k = 0; k < column; ++k) sum -= matrix[row * n + k] * matrix[column * n + k];
      if (row == column && !(sum > 0)) return false;
      matrix[row * n + column] = row == column ? std::sqrt(sum) : sum / matrix[column * n + column];
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < row; ++k) right[row] -= matrix[row * n + k] * right[k];
    right[row] /= matrix[row * n + row];
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t k = row + 1; k < n; ++k) right[row] -= matrix[k * n + row] * right[k];
    right[row] /= matrix[row * n + row];
  }
  return true;
}

/// The rows with a one in front, centred and scaled.
std::vector<double> scaled_rows(std::span<const double> features, std::size_t width, std::vector<double>& means,
                                std::vector<double>& scales) {
  const std::size_t rows = features.size() / width;
  means.assign(width, 0);
  scales.assign(width, 0);
  for (std::size_t at = 0; at < features.size(); ++at) means[at % width] += features[at] / static_cast<double>(rows);
  for (std::size_t at = 0; at < features.size(); ++at) {
    const double off = features[at] - means[at % width];
    scales[at % width] += off * off / static_cast<double>(rows);
  }
  for (std::size_t k = 0; k < width; ++k) {
    const double scale = std::sqrt(scales[k]);
    scales[k] = scale > k_least_scale * std::abs(means[k]) ? scale : 1;
  }
  std::vector<double> scaled;
  scaled.reserve(rows * (width + 1));
  for (std::size_t row = 0; row < rows; ++row) {
    scaled.push_back(1);
    for (std::size_t k = 0; k < width; ++k) scaled.push_back((features[row * width + k] - means[k]) / scales[k]);
  }
  return scaled;
}

}  // namespace

Answer<Logistic> Logistic::fit(std::span<const double> features, std::size_t width,
                               std::span<const std::uint8_t> outcomes) {
  DOJIMA_ASSERT(width > 0 && features.size() == width * outcomes.size(), "every row has an outcome", width,
                features.size(), outcomes.size());
  if (outcomes.size() < 10 * (width + 1))
    return std::unexpected(impossible(fmt::format("{} samples are too few to fit {} weights: it takes {}",
                                                  outcomes.size(), width + 1, 10 * (width + 1))));
  const auto yes = static_cast<std::size_t>(std::ranges::count(outcomes, 1));
  if (yes == 0 || yes == outcomes.size())
    return std::unexpected(
        impossible(fmt::format("{} of {} samples in the part that is fitted: nothing to learn",
                               yes == 0 ? "no order was filled" : "all orders were filled", outcomes.size())));
  Logistic model;
  const std::vector<double> rows = scaled_rows(features, width, model.means_, model.scales_);
  const std::size_t n = width + 1;
  model.weights_.assign(n, 0);
  const double share = static_cast<double>(yes) / static_cast<double>(outcomes.size());
  model.weights_[0] = std::log(share / (1 - share));
  for (int step = 0; step < k_most_steps; ++step) {
    std::vector<double> information(n * n, 0), slope(n, 0);
    for (std::size_t k = 1; k < n; ++k) {
      information[k * n + k] = k_ridge;
      slope[k] = -k_ridge * model.weights_[k];
    }
    for (std::size_t row = 0; row < outcomes.size(); ++row) {
      const double* const x = &rows[row * n];
      const double chance = logistic(std::inner_product(x, x + n, model.weights_.begin(), 0.0));
      const double weight = chance * (1 - chance);
      for (std::size_t i = 0; i < n; ++i) {
        slope[i] += x[i] * (outcomes[row] - chance);
        for (std::size_t k = 0; k <= i; ++k) information[i * n + k] += weight * x[i] * x[k];
      }
    }
    if (!solve(information, slope)) break;
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      model.weights_[i] += std::clamp(slope[i], -5.0, 5.0);
      largest = std::max(largest, std::abs(slope[i]));
    }
    if (largest < 1e-9) return model;
  }
  return std::unexpected(impossible("the regression's search for its weights does not end"));
}

double Logistic::forecast(std::span<const double> row) const {
  DOJIMA_ASSERT(row.size() == means_.size(), "a row has the features that were fitted", row.size(), means_.size());
  double sum = weights_[0];
  for (std::size_t k = 0; k < row.size(); ++k) sum += weights_[k + 1] * (row[k] - means_[k]) / scales_[k];
  return logistic(sum);
}

std::vector<double> Logistic::coefficients() const {
  std::vector<double> plain = weights_;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    plain[k + 1] /= scales_[k];
    plain[0] -= plain[k + 1] * means_[k];
  }
  return plain;
}

}  // namespace dojima::queueing
