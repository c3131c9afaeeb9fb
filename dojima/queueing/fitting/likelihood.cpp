#include "dojima/queueing/fitting/likelihood.hpp"

#include <algorithm>
#include <cmath>

namespace dojima::queueing {
namespace {

/// exp(-x t) of x = [[a, -b], [-c, d]] with b, c > 0 for a row: what is left of the chances of both states after a time
/// without an arrival.
struct Quiet {
  double a, b, c, d;

  [[nodiscard]] std::array<double, 2> after(const std::array<double, 2>& row, double t) const {
    const double middle = (a + d) / 2;
    const double half = std::sqrt((a - d) * (a - d) / 4 + b * c);
    const double slow = std::exp(-(middle - half) * t);
    const double slope = half * t < 1e-9 ? t : -std::expm1(-2 * half * t) / (2 * half);
    const double base = middle - half;
    const double first = row[0] * (a - base) - row[1] * c;
    const double second = row[1] * (d - base) - row[0] * b;
    return {slow * (row[0] - slope * first), slow * (row[1] - slope * second)};
  }
};

}  // namespace

double log_likelihood(const Mmpp2& model, std::span<const Arrivals> parts) {
  const Quiet quiet{model.leaves[0] + model.rates[0], model.leaves[0], model.leaves[1],
                    model.leaves[1] + model.rates[1]};
  double sum = 0;
  for (const Arrivals& part : parts) {
    // As an arrival finds the states: each as often as its rate says.
    const double first = model.first_share() * model.rates[0] / model.mean_rate();
    std::array<double, 2> row{first, 1 - first};
    for (std::size_t i = 1; i < part.size(); ++i) {
      row = quiet.after(row, part[i] - part[i - 1]);
      row = {row[0] * model.rates[0], row[1] * model.rates[1]};
      const double total = row[0] + row[1];
      if (!(total > 0)) return -HUGE_VAL;
      sum += std::log(total);
      row = {row[0] / total, row[1] / total};
    }
  }
  return sum;
}

double log_likelihood(const Hawkes& model, std::span<const Arrivals> parts) {
  double sum = 0;
  for (const Arrivals& part : parts) {
    double excited = 1;  // sum over earlier arrivals of exp(-decay age), just after the last one
    for (std::size_t i = 1; i < part.size(); ++i) {
      const double gap = part[i] - part[i - 1];
      const double left = excited * std::exp(-model.decay * gap);
      sum += std::log(model.base_rate + model.branching * model.decay * left);
      sum -= model.base_rate * gap + model.branching * (excited - left);
      excited = left + 1;
    }
  }
  return sum;
}

}  // namespace dojima::queueing
