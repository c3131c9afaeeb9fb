#include "dojima/queueing/formulas/markov_queues.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/queueing/formulas/erlang.hpp"

namespace dojima::queueing {
namespace {

/// P(n exponential times of `rate` take longer than t), n >= 1.
double erlang_exceeds(std::size_t n, double rate, double t) {
  return t <= 0 ? 1 : boost::math::gamma_q(static_cast<double>(n), rate * t);
}

/// A wait that is Erlang with n stages of `rate` with probability shares[n - 1], and 0 otherwise.
Tail erlang_mixture(std::vector<double> shares, double rate) {
  const auto kept = std::make_shared<const std::vector<double>>(std::move(shares));
  return [kept, rate](double t) {
    double sum = 0;
    for (std::size_t n = 1; n <= kept->size(); ++n) {
      if ((*kept)[n - 1] > 0) sum += (*kept)[n - 1] * erlang_exceeds(n, rate, t);
    }
    return sum;
  };
}

/// P(the sum of two exponential times of rates a and b is longer than t); a = b allowed.
double two_exponentials_exceed(double a, double b, double t) {
  const double x = (a - b) * t;
  // (exp(-b t) - exp(-a t)) / x, with the larger exponential in front
  const double between = std::fabs(x) < 1e-9 ? std::exp(-a * t)
                         : x > 0             ? std::exp(-b * t) * (-std::expm1(-x) / x)
                                             : std::exp(-a * t) * (std::expm1(x) / x);
  return std::exp(-a * t) + a * t * between;
}

Refusal wrong_servers(std::uint32_t servers) {
  return impossible(fmt::format("{} servers; it must be 1 to {}", servers, k_most_servers));
}

Answer<FiniteSource> checked(const FiniteSource& source, std::uint32_t most) {
  if (source.sources == 0 || source.sources > most)
    return std::unexpected(impossible(fmt::format("{} sources; it must be 1 to {}", source.sources, most)));
  if (!is_positive(source.think_rate) || !is_positive(source.service_rate))
    return std::unexpected(impossible("think and service rates must be above 0"));
  return source;
}

/// Means that follow from the wait, by Little's law.
Means finite_source_means(const FiniteSource& source, double wait, double delayed) {
  Means means{.delayed = delayed, .wait = wait, .response = wait + 1 / source.service_rate};
  means.load = source.sources * source.think_rate / source.service_rate;
  means.throughput = source.sources / (1 / source.think_rate + means.response);
  means.utilisation = means.throughput / source.service_rate;
  means.queue = means.throughput * means.wait;
  means.system = means.throughput * means.response;
  return means;
}

/// The chance that the server of M/D/1//N is not left empty at the end of a service. States are the customers at the
/// server just after a departure; what crosses from n upwards crosses from n + 1 downwards, so only positive numbers
/// are added.
double md1_left_busy(const FiniteSource& source) {
  const std::size_t sources = source.sources;
  const double stays = std::exp(-source.think_rate / source.service_rate);  // one customer does not ask in a service
  const double odds = -std::expm1(-source.think_rate / source.service_rate) / stays;
  std::vector<double> crossing(sources + 1, 0.0);  // upwards over n, by the states so far
  double weight = 1;
  double busy = 0;
  double empty = 1;
  for (std::size_t state = 0; state < sources; ++state) {
    if (state > 0) {
      const double down = std::pow(stays, static_cast<double>(sources - state));
      weight = crossing[state - 1] / down;
      busy += weight;
    }
    // Arrivals in the next service: binomial of those who think. After an empty server the next begins with one.
    const std::size_t thinking = sources - std::max<std::size_t>(state, 1);
    const std::size_t base = state == 0 ? 0 : state - 1;
    double chance = std::pow(stays, static_cast<double>(thinking));
    double above = 1 - chance;  // P(arrivals > k)
    for (std::size_t k = 0; base + k < sources; ++k) {
      if (k > 0) {
        chance *= odds * static_cast<double>(thinking - k + 1) / static_cast<double>(k);
        above = std::max(above - chance, 0.0);
      }
      if (base + k >= state) crossing[base + k] += weight * above;
      if (k == thinking || above <= 0) break;
    }
    if (busy > 1e200) {
      for (double& flow : crossing) flow *= 1e-200;
      busy *= 1e-200;
      empty *= 1e-200;
    }
  }
  return busy / (busy + empty);
}

}  // namespace

Answer<Station> mm1(double arrival_rate, double service_rate) {
  return mmc(arrival_rate, service_rate, 1);
}

Answer<Station> mmc(double arrival_rate, double service_rate, std::uint32_t servers) {
  if (servers == 0 || servers > k_most_servers) return std::unexpected(wrong_servers(servers));
  const Answer<double> load = checked_load(arrival_rate, service_rate * servers);
  if (!load) return std::unexpected(load.error());
  const double delayed = erlang_c(servers, arrival_rate / service_rate);
  const double drain = service_rate * servers - arrival_rate;
  Means means{.load = *load, .utilisation = *load, .throughput = arrival_rate, .delayed = delayed};
  means.wait = delayed / drain;
  means.response = means.wait + 1 / service_rate;
  means.queue = arrival_rate * means.wait;
  means.system = arrival_rate * means.response;
  return Station{means, [=](double t) { return delayed * std::exp(-drain * t); },
                 [=](double t) {
                   return (1 - delayed) * std::exp(-service_rate * t) +
                          delayed * two_exponentials_exceed(service_rate, drain, t);
                 }};
}

Answer<Station> mmck(double arrival_rate, double service_rate, std::uint32_t servers, std::uint32_t room) {
  if (servers == 0 || servers > k_most_servers) return std::unexpected(wrong_servers(servers));
  if (room < servers || room > k_most_servers)
    return std::unexpected(impossible(fmt::format("room for {} requests with {} servers; it must be {} to {}", room,
                                                  servers, servers, k_most_servers)));
  if (!is_positive(arrival_rate) || !is_positive(service_rate))
    return std::unexpected(impossible("arrival and service rates must be above 0"));
  const double offered = arrival_rate / service_rate;
  const double load = offered / servers;
  // Weights of the states from "all servers busy" on, the largest one 1, and of all below together, by Erlang's B.
  const std::uint32_t places = room - servers;
  std::vector<double> weights(places + 1);
  for (std::uint32_t i = 0; i <= places; ++i)
    weights[i] = std::pow(load, load > 1 ? static_cast<double>(i) - places : static_cast<double>(i));
  const double below = weights[0] / erlang_b(servers, offered) - weights[0];
  double total = below;
  double waiting = 0;
  for (std::uint32_t i = 0; i <= places; ++i) {
    total += weights[i];
    waiting += i * weights[i];
  }
  Means means{.load = load, .loss = weights[places] / total};
  means.throughput = arrival_rate * (1 - means.loss);
  means.utilisation = means.throughput / (service_rate * servers);
  means.queue = waiting / total;
  means.wait = means.queue / means.throughput;
  means.response = means.wait + 1 / service_rate;
  means.system = means.throughput * means.response;
  std::vector<double> shares(weights.begin(), weights.end() - 1);  // who finds i waiting waits for i + 1 services
  for (double& share : shares) {
    share /= total * (1 - means.loss);
    means.delayed += share;
  }
  return Station{means, erlang_mixture(std::move(shares), service_rate * servers), {}};
}

Answer<Station> mm_infinite(double arrival_rate, double service_rate) {
  if (!is_positive(arrival_rate) || !is_positive(service_rate))
    return std::unexpected(impossible("arrival and service rates must be above 0"));
  Means means{.throughput = arrival_rate, .response = 1 / service_rate, .system = arrival_rate / service_rate};
  return Station{means, [](double) { return 0.0; }, [service_rate](double t) { return std::exp(-service_rate * t); }};
}

Answer<Station> mm1_finite_source(const FiniteSource& source) {
  if (const auto right = checked(source, k_most_servers); !right) return std::unexpected(right.error());
  const double ratio = source.service_rate / source.think_rate;
  // Whoever asks sees the system with one customer less: the thinkers there follow a Poisson law cut off at N - 1, made
  // from its likeliest value outwards so that nothing overflows.
  const std::uint32_t others = source.sources - 1;
  const auto mode = static_cast<std::uint32_t>(std::clamp(std::floor(ratio), 0.0, static_cast<double>(others)));
  std::vector<double> thinking(others + 1, 0.0);
  thinking[mode] = 1;
  for (std::uint32_t n = mode; n < others; ++n) thinking[n + 1] = thinking[n] * ratio / (n + 1);
  for (std::uint32_t n = mode; n > 0; --n) thinking[n - 1] = thinking[n] * n / ratio;
  double sum = 0;
  for (const double chance : thinking) sum += chance;
  std::vector<double> shares(others, 0.0);
  double delayed = 0;
  double found = 0;  // on average, at the server
  for (std::uint32_t n = 0; n < others; ++n) {
    shares[others - n - 1] = thinking[n] / sum;  // n think, so others - n are at the server
    delayed += thinking[n] / sum;
    found += (others - n) * (thinking[n] / sum);
  }
  return Station{finite_source_means(source, found / source.service_rate, delayed),
                 erlang_mixture(std::move(shares), source.service_rate),
                 {}};
}

Answer<Station> mmc_finite_source(const FiniteSource& source, std::uint32_t servers) {
  if (const auto right = checked(source, k_most_servers); !right) return std::unexpected(right.error());
  if (servers < 1) return std::unexpected(impossible("at least one server"));
  // Chances of n at the servers, relative to the empty system's; scaled down before they overflow.
  const double ratio = source.think_rate / source.service_rate;
  double chance = 1;
  double sum = 1;
  double at_servers = 0;
  double waiting = 0;
  double asked_late = 0;  // rate at which customers ask while all servers are busy, over the think rate
  double asked = source.sources;
  for (std::uint32_t n = 1; n <= source.sources; ++n) {
    chance *= (source.sources - n + 1) * ratio / std::min(n, servers);
    sum += chance;
    at_servers += n * chance;
    waiting += n > servers ? (n - servers) * chance : 0;
    const double thinking = source.sources - n;
    asked += thinking * chance;
    asked_late += n >= servers ? thinking * chance : 0;
    if (sum < 1e200) continue;
    for (double* each : {&chance, &sum, &at_servers, &waiting, &asked, &asked_late}) *each *= 1e-200;
  }
  const double throughput = source.think_rate * asked / sum;
  Means means = finite_source_means(source, waiting / sum / throughput, asked_late / asked);
  means.load /= servers;
  means.utilisation = means.throughput / source.service_rate / servers;
  return Station{means, {}, {}};
}

Answer<Station> md1_finite_source(const FiniteSource& source) {
  if (const auto right = checked(source, 10'000); !right) return std::unexpected(right.error());
  // So many ask in one service that an empty server is below what a double can hold.
  const bool is_saturated = (source.sources - 1) * source.think_rate / source.service_rate > 200;
  const double delayed = is_saturated ? 1 : md1_left_busy(source);  // all but those who begin a busy period
  // The cycle of a service and the idle time after it, once for each customer, less thinking and service.
  const double wait = (source.sources - 1) / source.service_rate - delayed / source.think_rate;
  return Station{finite_source_means(source, std::max(wait, 0.0), delayed), {}, {}};
}

}  // namespace dojima::queueing
