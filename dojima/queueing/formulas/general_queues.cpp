#include "dojima/queueing/formulas/general_queues.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "dojima/queueing/formulas/markov_queues.hpp"

namespace dojima::queueing {
namespace {

Station station_of(double arrival_rate, double load, double delayed, double wait, double service) {
  Means means{.load = load, .utilisation = load, .throughput = arrival_rate, .delayed = delayed, .wait = wait};
  means.response = wait + service;
  means.queue = arrival_rate * wait;
  means.system = arrival_rate * means.response;
  return {means};
}

/// The longest wait that matters: Kingman's bound on the decay of the tail, from below.
double longest_wait(double load, const Law& service, double tail) {
  const double light = service.moment(2) / service.mean() / 2 / (1 - load);  // mean wait of those who wait
  return light * (std::log(1 / tail) + 2);
}

}  // namespace

Answer<Station> mg1(double arrival_rate, const Law& service) {
  const Answer<double> load = checked_load(arrival_rate, 1 / service.mean());
  if (!load) return std::unexpected(load.error());
  return station_of(arrival_rate, *load, *load, arrival_rate * service.moment(2) / (2 * (1 - *load)), service.mean());
}

Answer<double> mg1_wait_deviation(double arrival_rate, const Law& service) {
  const Answer<Station> station = mg1(arrival_rate, service);
  if (!station) return std::unexpected(station.error());
  const double wait = station->means.wait;
  return std::sqrt(wait * wait + arrival_rate * service.moment(3) / (3 * (1 - station->means.load)));
}

double Mg1Wait::at_least(double t) const {
  const auto cell = static_cast<std::size_t>(t / step_ + 1e-6);
  return cell < low_.size() ? low_[cell] : 0;
}

double Mg1Wait::at_most(double t) const {
  const auto cell = static_cast<std::size_t>(std::max(t / step_ - 1e-6, 0.0));
  return high_[std::min(cell, high_.size() - 1)];
}

double Mg1Wait::middle(double t) const {
  const auto mean_of = [this](std::size_t cell) {
    return ((cell < low_.size() ? low_[cell] : 0) + high_[std::min(cell, high_.size() - 1)]) / 2;
  };
  const double place = t / step_ - 0.5;
  if (place <= 0) {  // from the load, the chance to wait at all, to the first middle
    return load_ + (mean_of(0) - load_) * 2 * std::max(t, 0.0) / step_;
  }
  const auto cell = static_cast<std::size_t>(place);
  return mean_of(cell) + (mean_of(cell + 1) - mean_of(cell)) * (place - static_cast<double>(cell));
}

namespace {

/// P(compound > i) for a geometric number of summands with the lattice law `jumps`: Panjer's recursion.
std::vector<double> geometric_compound_tail(const std::vector<double>& jumps, double load, std::size_t cells,
                                            double tail) {
  const double factor = load / (1 - load * jumps[0]);
  std::vector<double> chance{(1 - load) / (1 - load * jumps[0])};
  double left = 1 - chance[0];
  std::vector<double> exceeded{left};
  for (std::size_t i = 1; i < cells && left > tail; ++i) {
    double sum = 0;
    const std::size_t most = std::min(i, jumps.size() - 1);
    for (std::size_t j = 1; j <= most; ++j) sum += jumps[j] * chance[i - j];
    chance.push_back(factor * sum);
    left = std::max(left - chance.back(), 0.0);
    exceeded.push_back(left);
  }
  return exceeded;
}

}  // namespace

Answer<Mg1Wait> mg1_wait(double arrival_rate, const Law& service, double tail, std::size_t cells) {
  const Answer<double> load = checked_load(arrival_rate, 1 / service.mean());
  if (!load) return std::unexpected(load.error());
  if (!(tail >= 1e-12 && tail <= 1) || cells == 0)
    return std::unexpected(impossible("the tail must lie between 1e-12 and 1, with one cell or more to a service"));
  Mg1Wait wait;
  wait.load_ = *load;
  wait.step_ = service.mean() / static_cast<double>(cells);
  // The law of the rest of a service in progress, cell by cell, until nothing is left of it.
  std::vector<double> reached{0};
  for (std::size_t i = 1; reached.back() < 1 - tail * 1e-4 * (1 - *load); ++i) {
    reached.push_back(service.limited_mean(static_cast<double>(i) * wait.step_) / service.mean());
    if (i > 1'000'000) return std::unexpected(impossible("the longest services are too long for cells this small"));
  }
  const double length = longest_wait(*load, service, tail) / wait.step_ * 2 + static_cast<double>(reached.size());
  if (length * static_cast<double>(reached.size()) > 1e10)
    return std::unexpected(impossible(fmt::format("cells of {:g} are too small for waits this long", wait.step_)));
  std::vector<double> down(reached.size());
  std::vector<double> up(reached.size() + 1, 0.0);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const double next = i + 1 < reached.size() ? reached[i + 1] : 1;
    down[i] = next - reached[i];
    up[i + 1] = down[i];
  }
  wait.low_ = geometric_compound_tail(down, *load, static_cast<std::size_t>(length), tail);
  wait.high_ = geometric_compound_tail(up, *load, static_cast<std::size_t>(length), tail);
  return wait;
}

namespace {

/// M/D/1 with services of length 1: P(more than n wait in the queue), for n = 0, 1, ..., and the ratio of what follows.
struct QueueTail {
  std::vector<double> exceeds;
  double ratio = 0;
};

/// Level crossing of the chain at departures: what crosses from n upwards crosses from n + 1 downwards. Sums of
/// positive numbers; ends where the ratio of neighbours is constant.
QueueTail queue_tail(double load) {
  std::vector<double> above;  // P(arrivals in a service > m)
  double chance = std::exp(-load);
  std::vector<double> chances;
  for (int m = 0; chance > 1e-300; ++m) {
    chances.push_back(chance);
    chance *= load / (m + 1);
  }
  above.assign(chances.size(), 0.0);
  for (std::size_t m = chances.size() - 1; m > 0; --m) above[m - 1] = above[m] + chances[m];
  std::vector<double> states{1 - load};
  double ratio = 0;
  for (std::size_t n = 0; n < 2000; ++n) {
    double flow = n < above.size() ? states[0] * above[n] : 0;
    for (std::size_t j = n + 2 > above.size() ? n + 2 - above.size() : 1; j <= n; ++j)
      if (j >= 1) flow += states[j] * above[n + 1 - j];
    states.push_back(flow / chances[0]);
    const double next = states[n + 1] / states[n];
    const bool is_constant = n > 3 && std::fabs(next - ratio) <= 4e-16 * next;
    ratio = next;
    if (is_constant || states.back() < 1e-280) break;
  }
  QueueTail tail{.exceeds = std::vector<double>(states.size() - 1), .ratio = ratio};
  double beyond = states.back() * ratio / (1 - ratio);
  for (std::size_t n = states.size() - 1; n > 0; --n) {
    tail.exceeds[n - 1] = beyond;  // more than n - 1 wait: more than n in the system
    beyond += states[n];
  }
  return tail;
}

/// P(W > t) for services of length 1, after Franx: the work that is left when the k-th service from now ends.
double md1_exceeds(const QueueTail& tail, double load, double t) {
  const double services = std::floor(t) + 1;
  const double arrivals = load * (services - t);  // in the rest of the last service
  const auto more_wait = [&](double n) {
    const auto last = static_cast<double>(tail.exceeds.size() - 1);
    return n <= last ? tail.exceeds[static_cast<std::size_t>(n)] : tail.exceeds.back() * std::pow(tail.ratio, n - last);
  };
  double chance = std::exp(-arrivals);
  double sum = 0;
  for (double j = 0; j < services; ++j) {
    const double term = chance * more_wait(services - 1 - j);
    sum += term;
    chance *= arrivals / (j + 1);
    // The largest terms are behind; far out all of them are 0.
    if (term <= 1e-18 * sum && j * tail.ratio > arrivals) return sum;
  }
  for (double j = services; chance > 1e-20 * sum; ++j) {  // more arrive than there are services
    sum += chance;
    chance *= arrivals / (j + 1);
  }
  return sum;
}

}  // namespace

Answer<Station> md1(double arrival_rate, double service_rate) {
  const Answer<double> load = checked_load(arrival_rate, service_rate);
  if (!load) return std::unexpected(load.error());
  const double rho = *load;
  Station station = station_of(arrival_rate, rho, rho, rho / (2 * service_rate * (1 - rho)), 1 / service_rate);
  const auto tail = std::make_shared<const QueueTail>(queue_tail(rho));
  station.wait_exceeds = [=](double t) { return t < 0 ? 1 : md1_exceeds(*tail, rho, t * service_rate); };
  station.response_exceeds = [=](double t) {
    const double wait = t * service_rate - 1;
    return wait < 0 ? 1 : md1_exceeds(*tail, rho, wait);
  };
  return station;
}

Answer<double> md1_decay(double arrival_rate, double service_rate) {
  const Answer<double> load = checked_load(arrival_rate, service_rate);
  if (!load) return std::unexpected(load.error());
  // load (e^x - 1) = x, x > 0: convex in x, so Newton's steps from the right never leave it.
  double x = 2 * std::log(1 / *load) + 2 * (1 - *load);
  for (int i = 0; i < 200; ++i) {
    const double next = x - (*load * std::expm1(x) - x) / (*load * std::exp(x) - 1);
    if (!(next < x)) break;
    x = next;
  }
  return x * service_rate;
}

Answer<Station> gim1(const Law& between, double service_rate) {
  const Answer<double> load = checked_load(1 / between.mean(), service_rate);
  if (!load) return std::unexpected(load.error());
  // sigma = A*(mu (1 - sigma)): the right side is convex, so Newton's steps from 0 rise to the smaller root and never
  // reach the trivial one at 1.
  double sigma = 0;
  for (int i = 0; i < 500; ++i) {
    const double s = service_rate * (1 - sigma);
    const double excess = between.transform(s) - sigma;
    const double next = sigma + excess / (1 + service_rate * between.transform_slope(s));
    if (!(next > sigma) || next >= 1) break;
    sigma = next;
  }
  const double drain = service_rate * (1 - sigma);
  Station station = station_of(1 / between.mean(), *load, sigma, sigma / drain, 1 / service_rate);
  station.wait_exceeds = [=](double t) { return sigma * std::exp(-drain * t); };
  station.response_exceeds = [=](double t) { return std::exp(-drain * t); };
  return station;
}

namespace {

Answer<double> checked_moments(const TwoMoments& of, double capacity) {
  if (!(of.arrival_scv >= 0 && of.service_scv >= 0) || !std::isfinite(of.arrival_scv + of.service_scv))
    return std::unexpected(impossible("squared coefficients of variation must be 0 or more"));
  return checked_load(of.arrival_rate, capacity);
}

}  // namespace

Answer<double> kingman_upper_bound(const TwoMoments& of) {
  const Answer<double> load = checked_moments(of, of.service_rate);
  if (!load) return load;
  return (of.arrival_scv + *load * *load * of.service_scv) / (2 * of.arrival_rate * (1 - *load));
}

Answer<double> marchal_lower_bound(const TwoMoments& of) {
  const Answer<double> load = checked_moments(of, of.service_rate);
  if (!load) return load;
  const double bound = *load * *load * (of.service_scv + 1) - 2 * *load;
  return std::max(bound / (2 * of.arrival_rate * (1 - *load)), 0.0);
}

Answer<double> marchal_approximation(const TwoMoments& of) {
  const Answer<double> bound = kingman_upper_bound(of);
  if (!bound) return bound;
  const double square = (of.arrival_rate / of.service_rate) * (of.arrival_rate / of.service_rate);
  return *bound * square * (1 + of.service_scv) / (1 + square * of.service_scv);
}

Answer<double> allen_cunneen_approximation(const TwoMoments& of, std::uint32_t servers) {
  if (const auto right = checked_moments(of, of.service_rate * servers); !right) return right;
  const Answer<Station> station = mmc(of.arrival_rate, of.service_rate, servers);
  if (!station) return std::unexpected(station.error());
  return station->means.wait * (of.arrival_scv + of.service_scv) / 2;
}

}  // namespace dojima::queueing
