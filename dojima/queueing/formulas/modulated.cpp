#include "dojima/queueing/formulas/modulated.hpp"

#include <algorithm>
#include <cmath>

namespace dojima::queueing {
namespace {

/// Two by two, row by row.
struct Matrix {
  double a = 0, b = 0, c = 0, d = 0;

  friend Matrix operator+(const Matrix& x, const Matrix& y) { return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
  friend Matrix operator-(const Matrix& x, const Matrix& y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  friend Matrix operator*(double factor, const Matrix& x) {
    return {factor * x.a, factor * x.b, factor * x.c, factor * x.d};
  }
};
constexpr Matrix k_one{1, 0, 0, 1};

Matrix inverse(const Matrix& x) {
  const double factor = 1 / (x.a * x.d - x.b * x.c);
  return factor * Matrix{x.d, -x.b, -x.c, x.a};
}

struct Row {
  double a = 0, b = 0;
  friend Row operator*(const Row& x, const Matrix& y) { return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d}; }
  [[nodiscard]] double sum() const { return a + b; }
  [[nodiscard]] double dot(double x, double y) const { return a * x + b * y; }
};

/// exp(-t x) for a matrix with real eigenvalues, as those of a phase process with one way down are.
Matrix decayed(const Matrix& x, double t) {
  const double middle = (x.a + x.d) / 2;
  const double half = std::sqrt(std::max((x.a - x.d) * (x.a - x.d) / 4 + x.b * x.c, 0.0));
  const double spread = half * t;
  const double slope = spread < 1e-8 ? t : t * (-std::expm1(-2 * spread)) / (2 * spread);  // of both exponentials
  const double slow = std::exp(-(middle - half) * t);
  // exp(-t x) = exp(-(middle - half) t) (1 - slope (x - (middle - half)))
  return slow * (k_one - slope * (x - (middle - half) * k_one));
}

/// The chances of the state in which the queue is first one shorter (G), by logarithmic reduction.
Matrix first_passage(const Matrix& up, const Matrix& stay, const Matrix& down) {
  const Matrix turn = inverse(-1.0 * stay);
  Matrix rise = turn * up;
  Matrix fall = turn * down;
  Matrix found = fall;
  Matrix path = rise;
  for (int i = 0; i < 60; ++i) {
    const Matrix back = inverse(k_one - (rise * fall + fall * rise));
    rise = back * (rise * rise);
    fall = back * (fall * fall);
    const Matrix more = path * fall;
    found = found + more;
    path = path * rise;
    if (std::max(more.a + more.b, more.c + more.d) < 1e-17) break;
  }
  return found;
}

/// (1 - exp(-x)) / x
double mean_decay(double x) {
  return x < 1e-12 ? 1 : -std::expm1(-x) / x;
}

}  // namespace

double Mmpp2::dispersion(double window) const noexcept {
  const double forgetting = leaves[0] + leaves[1];
  const double p = first_share();
  const double difference = rates[0] - rates[1];
  return 1 +
         2 * p * (1 - p) * difference * difference / (mean_rate() * forgetting) * (1 - mean_decay(forgetting * window));
}

Answer<Station> mmpp2_m1(const Mmpp2& arrivals, double service_rate) {
  if (!(arrivals.rates[0] >= 0 && arrivals.rates[1] >= 0) || !is_positive(arrivals.leaves[0]) ||
      !is_positive(arrivals.leaves[1]))
    return std::unexpected(impossible("both arrival rates must be 0 or more, both rates of leaving above 0"));
  const double rate = arrivals.mean_rate();
  const Answer<double> load = checked_load(rate, service_rate);
  if (!load) return std::unexpected(load.error());
  const Matrix up{arrivals.rates[0], 0, 0, arrivals.rates[1]};
  const Matrix phases{-arrivals.leaves[0], arrivals.leaves[0], arrivals.leaves[1], -arrivals.leaves[1]};
  const Matrix down = service_rate * k_one;
  const Matrix stay = phases - up - down;
  const Matrix passage = first_passage(up, stay, down);
  const Matrix growth = up * inverse(-1.0 * (stay + up * passage));  // Neuts's R
  // The queue is empty for the share 1 - load of the time, split among the states so that what leaves comes back:
  // empty (phases - up + R down) = 0.
  const Matrix balance = phases - up + growth * down;
  Row empty{balance.c, -balance.a};
  empty = {(1 - *load) * empty.a / empty.sum(), (1 - *load) * empty.b / empty.sum()};
  const Matrix rest = inverse(k_one - growth);
  Means means{.load = *load, .utilisation = *load, .throughput = rate};
  means.system = (empty * (growth * (rest * rest))).sum();
  means.response = means.system / rate;
  means.wait = means.response - 1 / service_rate;
  means.queue = rate * means.wait;
  // Seen by arrivals: level n waits for n services, R^n (1 - R)^-1 summed over n is one exponential of 1 - R.
  const auto seen = [=, rates = arrivals.rates](const Matrix& times, double t) {
    return (empty * (times * (rest * decayed(service_rate * (k_one - growth), t)))).dot(rates[0], rates[1]) / rate;
  };
  means.delayed = seen(growth, 0);
  return Station{means, [=](double t) { return seen(growth, t); }, [=](double t) { return seen(k_one, t); }};
}

double Hawkes::dispersion(double window) const noexcept {
  const double limit = asymptotic_dispersion();
  return limit + (1 - limit) * mean_decay(decay * (1 - branching) * window);
}

}  // namespace dojima::queueing
