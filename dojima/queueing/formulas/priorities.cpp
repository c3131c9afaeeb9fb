#include "dojima/queueing/formulas/priorities.hpp"

#include <fmt/format.h>

namespace dojima::queueing {
namespace {

Answer<double> checked(std::span<const PriorityClass> classes) {
  if (classes.empty()) return std::unexpected(impossible("at least one class is needed"));
  double load = 0;
  for (const PriorityClass& each : classes) {
    if (!is_positive(each.arrival_rate))
      return std::unexpected(
          impossible(fmt::format("the arrival rate is {:g}; it must be above 0", each.arrival_rate)));
    load += each.arrival_rate * each.service.mean();
  }
  // In services of the first class, so that the growth is one of requests.
  const double capacity = 1 / classes.front().service.mean();
  if (load >= 1) return std::unexpected(unstable(load * capacity, capacity));
  return load;
}

Means means_of(const PriorityClass& each, double load, double wait) {
  Means means{.load = load, .throughput = each.arrival_rate, .wait = wait};
  means.utilisation = each.arrival_rate * each.service.mean();
  means.response = wait + each.service.mean();
  means.queue = each.arrival_rate * wait;
  means.system = each.arrival_rate * means.response;
  return means;
}

/// Half the rate of squared work of a class: what it adds to the mean rest of a service in progress.
double rest_of(const PriorityClass& each) {
  return each.arrival_rate * each.service.moment(2) / 2;
}

}  // namespace

Answer<std::vector<Means>> nonpreemptive(std::span<const PriorityClass> classes) {
  if (const auto right = checked(classes); !right) return std::unexpected(right.error());
  double rest = 0;
  for (const PriorityClass& each : classes) rest += rest_of(each);
  std::vector<Means> all;
  double above = 0;
  for (const PriorityClass& each : classes) {
    const double load = above + each.arrival_rate * each.service.mean();
    all.push_back(means_of(each, load, rest / ((1 - above) * (1 - load))));
    above = load;
  }
  return all;
}

Answer<std::vector<Means>> preemptive_resume(std::span<const PriorityClass> classes) {
  if (const auto right = checked(classes); !right) return std::unexpected(right.error());
  std::vector<Means> all;
  double above = 0;
  double rest = 0;
  for (const PriorityClass& each : classes) {
    const double load = above + each.arrival_rate * each.service.mean();
    rest += rest_of(each);
    const double response = each.service.mean() / (1 - above) + rest / ((1 - above) * (1 - load));
    all.push_back(means_of(each, load, response - each.service.mean()));
    above = load;
  }
  return all;
}

Answer<Station> interrupted_mg1(double arrival_rate, const Law& service, const Interruptions& by) {
  if (by.rate < 0) return std::unexpected(impossible(fmt::format("an interruption rate of {:g}", by.rate)));
  const double stretch = 1 + by.rate * by.length.mean();
  const double first = service.mean() * stretch;
  const Answer<double> load = checked_load(arrival_rate, 1 / first);
  if (!load) return std::unexpected(load.error());
  // Completion time: the service and all interruptions in it; then, whoever comes to an idle server may find it away.
  const double second = service.moment(2) * stretch * stretch + service.mean() * by.rate * by.length.moment(2);
  const double away = by.rate * by.length.moment(2) / (2 * stretch);
  Means means{.load = *load, .utilisation = arrival_rate * service.mean(), .throughput = arrival_rate};
  means.response = first + arrival_rate * second / (2 * (1 - *load)) + away;
  means.wait = means.response - service.mean();
  means.queue = arrival_rate * means.wait;
  means.system = arrival_rate * means.response;
  return Station{means};
}

}  // namespace dojima::queueing
