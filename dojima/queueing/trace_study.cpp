#include "dojima/queueing/trace_study.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "dojima/measure/statistics.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

using measure::ServiceRecord;

/// 26 days: sums of times and finer ticks stay whole numbers of 64 bits.
constexpr std::uint64_t k_longest_ns = std::uint64_t{1} << 51;

double service_of(const ServiceRecord& record) {
  return static_cast<double>(record.end_ns - record.start_ns);
}

/// Most services in progress at one instant; one that ends as another begins is over.
std::size_t most_in_service(const std::vector<ServiceRecord>& part) {
  std::vector<ServiceRecord> by_start = part;
  std::ranges::sort(by_start, {}, [](const ServiceRecord& record) {
    return std::tuple(record.start_ns, record.end_ns);  // services of no length first
  });
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ends;
  std::size_t most = 0;
  for (const ServiceRecord& record : by_start) {
    while (!ends.empty() && ends.top() <= record.start_ns) ends.pop();
    ends.push(record.end_ns);
    most = std::max(most, ends.size());
  }
  return most;
}

struct Moments {
  double mean = 0;
  double scv = 0;
  double skewness = 0;
};

Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  double cubes = 0;
  for (const double value : values) {
    const double away = value - mean;
    squares += away * away / n;
    cubes += away * away * away / n;
  }
  if (!(squares > 0)) return {mean, 0, 0};
  return {mean, squares / (mean * mean), cubes / (squares * std::sqrt(squares))};
}

}  // namespace

std::size_t Trace::size() const noexcept {
  std::size_t sum = 0;
  for (const auto& part : parts) sum += part.size();
  return sum;
}

double Trace::seconds() const noexcept {
  double sum = 0;
  for (const auto& part : parts) {
    std::uint64_t end = 0;
    for (const ServiceRecord& record : part) end = std::max(end, record.end_ns);
    sum += static_cast<double>(end - part.front().arrival_ns) * 1e-9;
  }
  return sum;
}

std::vector<Arrivals> Trace::arrivals() const {
  std::vector<Arrivals> all;
  for (const auto& part : parts) {
    Arrivals times;
    for (const ServiceRecord& record : part)
      times.push_back(static_cast<double>(record.arrival_ns - part.front().arrival_ns) * 1e-9);
    all.push_back(std::move(times));
  }
  return all;
}

std::vector<double> settled_waits(const Trace& trace) {
  std::vector<double> waits;
  for (const auto& part : trace.parts)
    for (std::size_t i = part.size() / 10; i < part.size(); ++i)
      waits.push_back(static_cast<double>(part[i].start_ns - part[i].arrival_ns));
  return waits;
}

std::vector<std::uint16_t> kinds_of(std::span<const ServiceRecord> records) {
  std::vector<bool> seen(65'536, false);
  for (const ServiceRecord& record : records) seen[record.kind] = true;
  std::vector<std::uint16_t> kinds;
  for (std::size_t kind = 0; kind < seen.size(); ++kind)
    if (seen[kind]) kinds.push_back(static_cast<std::uint16_t>(kind));
  return kinds;
}

Answer<Trace> trace_of(std::span<const ServiceRecord> records, std::uint16_t kind) {
  std::map<std::uint32_t, std::vector<ServiceRecord>> groups;
  for (const ServiceRecord& record : records) {
    if (record.kind != kind) continue;
    if (record.end_ns > k_longest_ns) return std::unexpected(impossible("times beyond 26 days"));
    groups[record.group].push_back(record);
  }
  if (groups.empty()) return std::unexpected(impossible(fmt::format("the trace has no request of kind {}", kind)));
  Trace trace;
  for (auto& [group, part] : groups) {
    std::ranges::sort(part, {}, [](const ServiceRecord& record) {
      return std::tuple(record.arrival_ns, record.start_ns, record.end_ns);
    });
    trace.parts.push_back(std::move(part));
  }
  return trace;
}

ServiceStudy study_services(const Trace& trace, std::optional<double> stall_ns) {
  std::vector<double> services;
  for (const auto& part : trace.parts)
    for (const ServiceRecord& record : part) services.push_back(service_of(record));
  std::vector<double> sorted = services;
  std::ranges::sort(sorted);
  const Moments moments = moments_of(services);
  ServiceStudy study{.n = services.size(), .mean = moments.mean, .scv = moments.scv, .skewness = moments.skewness};
  study.least = sorted.front();
  study.median = measure::quantile(sorted, 0.5);
  study.p99 = measure::quantile(sorted, 0.99);
  study.longest = sorted.back();
  for (std::size_t i = 0; i < 4; ++i) study.correlation[i] = autocorrelation(services, ServiceStudy::k_lags[i]);
  study.independence_p = services.size() > 20 ? independence_p_value(services, 10) : 1;
  const double seconds = trace.seconds();
  study.load = moments.mean * static_cast<double>(study.n) * 1e-9 / seconds;
  const double robust = 1.4826 * measure::median_absolute_deviation(sorted);
  study.stall_ns = stall_ns.value_or(std::max(study.median + 30 * robust, 2 * study.median));
  double beyond = 0;
  for (double& service : services) {
    if (service <= study.stall_ns) continue;
    ++study.stalls;
    beyond += service - study.median;
    service = study.median;
  }
  const Moments calm = moments_of(services);
  study.calm_mean = calm.mean;
  study.calm_scv = calm.scv;
  study.stalls_per_second = static_cast<double>(study.stalls) / seconds;
  study.stall_mean = study.stalls > 0 ? beyond / static_cast<double>(study.stalls) : 0;
  study.stall_share = beyond * 1e-9 / seconds;
  return study;
}

ReplayCheck replay(const Trace& trace, double close_ns) {
  ReplayCheck check;
  std::vector<double> measured;
  std::vector<double> replayed;
  std::size_t close = 0;
  for (const auto& part : trace.parts) {
    LindleyQueue queue;
    const std::uint64_t origin = part.front().arrival_ns;
    for (const ServiceRecord& record : part) {
      measured.push_back(static_cast<double>(record.start_ns - record.arrival_ns));
      replayed.push_back(static_cast<double>(queue.serve(record.arrival_ns - origin, record.end_ns - record.start_ns)));
      const double difference = std::fabs(measured.back() - replayed.back());
      check.largest_difference_ns = std::max(check.largest_difference_ns, difference);
      close += difference <= close_ns ? 1 : 0;
    }
    check.most_in_service = std::max(check.most_in_service, most_in_service(part));
  }
  const auto n = static_cast<double>(measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    check.mean_measured += measured[i] / n;
    check.mean_replayed += replayed[i] / n;
  }
  check.p99_measured = measure::quantile(measured, 0.99);
  check.p99_replayed = measure::quantile(replayed, 0.99);
  check.share_close = static_cast<double>(close) / n;
  return check;
}

}  // namespace dojima::queueing
