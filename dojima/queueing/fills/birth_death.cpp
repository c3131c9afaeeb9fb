#include "dojima/queueing/fills/birth_death.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

using Complex = std::complex<double>;

constexpr double k_pi = 3.14159265358979323846;

double leaving(const TouchRates& rates, double length) {
  return rates.execution + rates.cancel * length;
}

/// Transform of the time until an order with `ahead` in front of it is executed: of those ahead each may be cancelled.
Complex own_transform(const TouchRates& rates, std::uint32_t ahead, Complex s) {
  Complex product = 1;
  for (std::uint32_t length = 0; length <= ahead; ++length) {
    const double rate = leaving(rates, length);
    product *= rate / (s + rate);
  }
  return product;
}

/// Transform of the time until a queue of `length` orders that grows as well is empty: the product of the times from
/// each length to the one below. phi(i) = d(i) / (s + a + d(i) - a phi(i + 1)), from far up downwards.
Complex emptying_transform(const TouchRates& rates, std::uint32_t length, Complex s) {
  const std::uint32_t top = length + 60;
  const double far = leaving(rates, top - 1);
  const Complex sum = s + rates.arrival + far;
  // Beyond the top as if no rate grew any more: the root inside the unit circle.
  Complex phi = rates.arrival > 0 ? (sum - std::sqrt(sum * sum - 4 * rates.arrival * far)) / (2 * rates.arrival) : 1;
  if (std::abs(phi) > 1) phi = 1;
  Complex product = 1;
  for (std::uint32_t i = top; i >= 1; --i) {
    const double rate = leaving(rates, i - 1);
    phi = rate / (s + rates.arrival + rate - rates.arrival * phi);
    if (i <= length) product *= phi;
  }
  return product;
}

/// Abate and Whitt's EULER: an alternating series, the last partial sums averaged binomially.
template <class Transform>
double inverted(const Transform& transform, double time, int terms) {
  constexpr double k_a = 18.4;  // discretisation error e^-18.4 = 1e-8
  constexpr int k_averaged = 11;
  const auto term = [&](int k) { return transform(Complex(k_a / (2 * time), k * k_pi / time)).real(); };
  double sum = term(0) / 2;
  for (int k = 1; k <= terms; ++k) sum += (k % 2 == 0 ? 1 : -1) * term(k);
  double averaged = 0, weight = std::pow(2.0, -k_averaged);
  for (int k = 0; k <= k_averaged; ++k) {
    averaged += weight * sum;
    weight *= static_cast<double>(k_averaged - k) / (k + 1);
    sum += ((terms + k + 1) % 2 == 0 ? 1 : -1) * term(terms + k + 1);
  }
  return std::exp(k_a / 2) / time * averaged;
}

}  // namespace

double filled_within(const TouchRates& rates, std::uint32_t ahead, double seconds) {
  DOJIMA_ASSERT(rates.execution > 0 && seconds > 0, "rates and a time above 0", rates.execution, seconds);
  // An improvement is a killing: E[e^(-k T); T <= t] has the transform f(s + k) / s.
  const double chance =
      inverted([&](Complex s) { return own_transform(rates, ahead, s + rates.improvement) / s; }, seconds,
               // The more orders, the steeper the distribution, and the later the series alternates evenly.
               20 + static_cast<int>(ahead) / 2);
  return std::clamp(chance, 0.0, 1.0);
}

double filled_before_move(const TouchRates& rates, std::uint32_t ahead, std::uint32_t other) {
  DOJIMA_ASSERT(rates.execution > 0 && other >= 1, "rates above 0 and a queue", rates.execution, other);
  // The end of the race is the smaller of the other queue's time and, at rate k, an improvement. With X the order's
  // time and Y the end, P(Y < X) = 1/(2 pi i) * integral of E[e^(-s Y)] E[e^(s X)] / s along Re s = c, where 0 < c is
  // below the smallest rate of X. Symmetric about the real axis: the real part, over the upper half.
  const double killing = 2 * rates.improvement;
  const double c = rates.execution / 2;
  const auto integrand = [&](double y) {
    const Complex s(c, y);
    const Complex emptied = emptying_transform(rates, other, s + killing);
    const Complex end = (killing + s * emptied) / (s + killing);
    return (end * own_transform(rates, ahead, -s) / s).real();
  };
  // y = scale * sinh(pi/2 sinh(u)) on u > 0: the trapezoid rule then converges faster than any power of its step.
  double sum = integrand(0) * k_pi / 2 / 2;
  constexpr double k_step = 1.0 / 64;
  for (double u = k_step; u < 4; u += k_step) {
    const double inner = k_pi / 2 * std::sinh(u);
    const double y = c * std::sinh(inner);
    const double part = integrand(y) * std::cosh(inner) * k_pi / 2 * std::cosh(u);
    sum += part;
    if (std::abs(part) < 1e-14 && u > 1) break;
  }
  return std::clamp(1 - sum * k_step * c / k_pi, 0.0, 1.0);
}

}  // namespace dojima::queueing
