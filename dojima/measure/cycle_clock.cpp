#include "dojima/measure/cycle_clock.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "dojima/base/assert.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dojima::measure {
namespace {

std::int64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A group of neighbouring differences.
struct Cluster {
  double centre = 0;
  double weight = 0;
  double width = 0;  ///< between the quarters of it, doubled
};

/// Differences at most two ticks apart belong together; those rarer than one in a thousand are interruptions.
std::vector<Cluster> clusters_of(std::span<const std::uint64_t> differences) {
  std::vector<std::uint64_t> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end());
  const double rare = static_cast<double>(sorted.size()) / 1000;
  std::vector<Cluster> clusters;
  for (std::size_t at = 0; at < sorted.size();) {
    double sum = 0;
    const std::size_t first = at;
    do {
      sum += static_cast<double>(sorted[at++]);
    } while (at < sorted.size() && sorted[at] - sorted[at - 1] <= 2);
    const auto weight = static_cast<double>(at - first);
    const auto width = static_cast<double>(sorted[first + (at - first) * 3 / 4] - sorted[first + (at - first) / 4]) * 2;
    if (weight >= rare) clusters.push_back({sum / weight, weight, width});
  }
  return clusters;
}

}  // namespace

ClockPair read_clock_pair() noexcept {
  ClockPair best{.width = std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t before = cycles_fenced_begin();
    const std::int64_t ns = monotonic_ns();
    const std::uint64_t after = cycles_fenced_end();
    if (after - before < best.width) best = {before + (after - before) / 2, ns, after - before};
  }
  return best;
}

bool has_invariant_cycles() noexcept {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return true;
#endif
}

double quantum_of(std::span<const std::uint64_t> differences) {
  // A step below this many ticks cannot be distinguished from the spread within a cluster.
  constexpr double k_least_step = 6;
  const std::vector<Cluster> clusters = clusters_of(differences);
  double step = std::numeric_limits<double>::infinity();
  double previous = 0;  // no step at all belongs to the lattice as well
  for (const Cluster& cluster : clusters) {
    if (cluster.centre - previous >= k_least_step) step = std::min(step, cluster.centre - previous);
    previous = cluster.centre;
  }
  if (!std::isfinite(step) || clusters.size() < 2) return 1;

  // Least squares through the multiples, the estimate growing finer from cluster to cluster; if one lies far from every
  // multiple, there is no lattice.
  double above = 0;
  double below = 0;
  for (const Cluster& cluster : clusters) {
    const double multiple = std::round(cluster.centre / step);
    if (std::abs(cluster.centre - multiple * step) > 0.2 * step) return 1;
    if (cluster.width > 0.25 * step) return 1;  // what takes any value between has no step
    above += cluster.weight * multiple * cluster.centre;
    below += cluster.weight * multiple * multiple;
    if (below > 0) step = above / below;
  }
  return step;
}

CycleClock::CycleClock(double ns_per_cycle, double quantum_cycles, double uncertainty_ppm) noexcept
    : ns_per_cycle_(ns_per_cycle),
      quantum_cycles_(quantum_cycles),
      uncertainty_ppm_(uncertainty_ppm),
      multiplier_(static_cast<std::uint64_t>(std::llround(std::ldexp(ns_per_cycle, 64 - k_headroom_bits)))) {
  DOJIMA_ASSERT(ns_per_cycle > 0 && ns_per_cycle < 8, "a counter of more than 125 MHz");
}

double CycleClock::reading_ns() const noexcept {
  constexpr std::size_t k_batch = 256;
  // The quickest of some batches: what disturbs one makes it longer.
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t begin = cycles();
    std::uint64_t last = begin;
    for (std::size_t reading = 0; reading < k_batch; ++reading) last = cycles();
    best = std::min(best, last - begin);
  }
  return static_cast<double>(best) * ns_per_cycle_ / k_batch;
}

CycleClock CycleClock::calibrate(std::chrono::nanoseconds span) {
  const ClockPair first = read_clock_pair();
  std::vector<std::uint64_t> differences;
  differences.reserve(20'000);
  while (monotonic_ns() - first.ns < span.count()) {
    for (int i = 0; i < 100 && differences.size() < differences.capacity(); ++i) {
      const std::uint64_t before = cycles();
      differences.push_back(cycles() - before);
    }
  }
  const ClockPair last = read_clock_pair();
  const auto elapsed_ns = static_cast<double>(last.ns - first.ns);
  const auto elapsed_cycles = static_cast<double>(last.cycle - first.cycle);
  const auto unsure = static_cast<double>(first.width + last.width) / 2;
  return CycleClock(elapsed_ns / elapsed_cycles, quantum_of(differences), unsure / elapsed_cycles * 1e6);
}

}  // namespace dojima::measure
