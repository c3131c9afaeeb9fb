#include "dojima/queueing/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

/// A mean service of 2^30 ticks, unless the run would then not fit the axis.
double ticks_per_unit(double gap, double service, std::size_t jobs) {
  DOJIMA_ASSERT(checked_scale(gap, service).has_value(), "two times that fit one axis", gap, service);
  const double longest = std::max(gap, service);
  return std::min({k_ticks_per_mean / service, 0x1p43 / longest, 0x1p61 / (longest * static_cast<double>(jobs))});
}

template <class Gap>
void serve_all(Observed& waits, std::size_t jobs, std::uint32_t servers, const Gap& gap, const Sampler& needed,
               Random& services) {
  Ticks arrival = 0;
  if (servers == 1) {
    LindleyQueue queue;
    for (std::size_t i = 0; i < jobs; ++i) {
      arrival += gap();
      waits.add(queue.serve(arrival, needed.draw(services)));
    }
    return;
  }
  ManyServerQueue queue(servers);
  for (std::size_t i = 0; i < jobs; ++i) {
    arrival += gap();
    waits.add(queue.serve(arrival, needed.draw(services)));
  }
}

class Collector final : public NetworkObserver {
 public:
  Collector(const NetworkSpec& spec, std::size_t jobs, SimulatedNetwork& into)
      : classes_(spec.classes.size()), into_(into) {
    for (std::size_t i = 0; i < classes_ * spec.stations.size(); ++i)
      into.waits.push_back({.waits = Observed(jobs), .ticks_per_unit = spec.ticks_per_unit});
    for (std::size_t i = 0; i < classes_; ++i)
      into.responses.push_back({.waits = Observed(jobs), .ticks_per_unit = spec.ticks_per_unit});
  }

  void on_visit(const Visit& visit) override {
    into_.waits[visit.station * classes_ + visit.in_class].waits.add(visit.wait());
    if (visit.is_leaving) into_.responses[visit.in_class].waits.add(visit.departure - visit.entered);
  }
  void on_lost(std::uint32_t station, std::uint32_t in_class, Ticks) override {
    ++into_.waits[station * classes_ + in_class].lost;
  }

 private:
  std::size_t classes_;
  SimulatedNetwork& into_;
};

/// Counts in windows of one length, arrival by arrival, in whole numbers until the end.
class WindowCounter {
 public:
  WindowCounter(Ticks begin, Ticks end, Ticks length)
      : begin_(begin), length_(length), windows_((end - begin) / length) {}

  [[nodiscard]] std::size_t windows() const noexcept { return windows_; }
  void add(Ticks at) {
    if (at < begin_) return;
    const std::size_t window = (at - begin_) / length_;
    if (window != window_) flush();
    window_ = window;
    ++count_;
  }
  [[nodiscard]] Counts counts(double window) {
    flush();
    std::uint64_t sum = 0;
    std::uint64_t squares = 0;
    for (const Batch& batch : batches_) sum += batch.sum, squares += batch.squares;
    const auto n = static_cast<double>(windows_);
    const double mean = static_cast<double>(sum) / n;
    const auto dispersion = [mean](double of_sum, double of_squares, double of_n) {
      return (of_squares - 2 * mean * of_sum + of_n * mean * mean) / of_n / mean;
    };
    Counts counted{.window = window, .windows = windows_};
    counted.mean.value = mean;
    counted.dispersion.value = dispersion(static_cast<double>(sum), static_cast<double>(squares), n) * n / (n - 1);
    // The mean of all in the place of each batch's own, which would take a part of the variance away.
    double mean_squares = 0;
    double dispersion_squares = 0;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const auto of_n = static_cast<double>(first_of(i + 1) - first_of(i));
      const auto of_sum = static_cast<double>(batches_[i].sum);
      const double mean_away = of_sum / of_n - mean;
      const double away = dispersion(of_sum, static_cast<double>(batches_[i].squares), of_n) - counted.dispersion.value;
      mean_squares += mean_away * mean_away;
      dispersion_squares += away * away;
    }
    constexpr double k_parts = Estimate::k_batches * (Estimate::k_batches - 1.0);
    counted.mean.error = std::sqrt(mean_squares / k_parts);
    counted.dispersion.error = std::sqrt(dispersion_squares / k_parts);
    return counted;
  }

 private:
  struct Batch {
    std::uint64_t sum = 0;
    std::uint64_t squares = 0;
  };
  [[nodiscard]] std::size_t first_of(std::size_t batch) const noexcept { return batch * windows_ / batches_.size(); }
  void flush() {
    if (count_ != 0 && window_ < windows_) {
      while (window_ >= first_of(batch_ + 1)) ++batch_;
      batches_[batch_].sum += count_;
      batches_[batch_].squares += count_ * count_;
    }
    count_ = 0;
  }

  Ticks begin_;
  Ticks length_;
  std::size_t windows_;
  std::size_t window_ = 0;
  std::size_t batch_ = 0;
  std::uint64_t count_ = 0;
  std::array<Batch, Estimate::k_batches> batches_{};
};

}  // namespace

Answer<double> checked_scale(double first_mean, double second_mean) {
  const double ratio = first_mean > second_mean ? first_mean / second_mean : second_mean / first_mean;
  if (!is_positive(first_mean) || !is_positive(second_mean) || !(ratio <= 1e8))
    return std::unexpected(
        impossible("times more than 10^8 apart are not simulated; --jobs 0 gives the formula alone"));
  return ratio;
}

Answer<double> network_scale(std::span<const double> means, double gap, std::size_t jobs) {
  double shortest = gap;
  double longest = gap;
  for (const double mean : means) {
    shortest = std::min(shortest, mean);
    longest = std::max(longest, mean);
  }
  if (!is_positive(shortest) || !is_positive(longest) || longest > 1e6 * shortest)
    return std::unexpected(
        impossible("times more than 10^6 apart are not simulated; --jobs 0 gives the formula alone"));
  return std::min({k_ticks_per_mean / shortest, 0x1p43 / longest, 0x1p60 / (gap * static_cast<double>(jobs))});
}

Simulated simulate(const Law& between, const Law& service, std::uint32_t servers, const Run& run) {
  Simulated seen{.waits = Observed(run.jobs),
                 .ticks_per_unit = ticks_per_unit(between.mean(), service.mean(), run.jobs)};
  Random gaps = stream_of(run.seed, 0);
  Random services = stream_of(run.seed, 2);
  const Sampler gap(between, seen.ticks_per_unit);
  const Sampler needed(service, seen.ticks_per_unit);
  serve_all(seen.waits, run.jobs, servers, [&] { return gap.draw(gaps); }, needed, services);
  return seen;
}

Simulated simulate(const flow::ArrivalConfig& arrivals, double arrival_rate, const Law& service, std::uint32_t servers,
                   const Run& run) {
  // A whole number of ticks to a nanosecond of the model, whose mean gap is 10^6 of them.
  const double wanted = ticks_per_unit(1 / arrival_rate, service.mean(), run.jobs);
  const double factor = std::max(std::floor(wanted / arrival_rate / static_cast<double>(ModelSampler::k_gap)), 1.0);
  Simulated seen{.waits = Observed(run.jobs),
                 .ticks_per_unit = factor * static_cast<double>(ModelSampler::k_gap) * arrival_rate};
  Random gaps = stream_of(run.seed, 0);
  Random services = stream_of(run.seed, 2);
  ModelSampler gap(arrivals, static_cast<Ticks>(factor) * ModelSampler::k_gap, gaps);
  const Sampler needed(service, seen.ticks_per_unit);
  serve_all(seen.waits, run.jobs, servers, [&] { return gap.draw(gaps); }, needed, services);
  return seen;
}

Simulated simulate_finite_source(const Law& think, const Law& service, std::uint32_t sources, const Run& run) {
  Simulated seen{.waits = Observed(run.jobs), .ticks_per_unit = ticks_per_unit(think.mean(), service.mean(), run.jobs)};
  Random thoughts = stream_of(run.seed, 0);
  Random services = stream_of(run.seed, 2);
  const Sampler thought(think, seen.ticks_per_unit);
  const Sampler needed(service, seen.ticks_per_unit);
  std::vector<Ticks> first(sources);
  for (Ticks& ask : first) ask = thought.draw(thoughts);
  FiniteSourceQueue queue(std::move(first));
  for (std::size_t i = 0; i < run.jobs; ++i) {
    const Ticks need = needed.draw(services);
    seen.waits.add(queue.serve(need, thought.draw(thoughts)));
  }
  return seen;
}

Answer<std::vector<Counts>> simulate_counts(const flow::ArrivalConfig& config, double rate,
                                            std::span<const double> windows, const Run& run) {
  const Ticks end = run.jobs * ModelSampler::k_gap;
  const Ticks begin = end / 10;
  std::vector<WindowCounter> counters;
  for (const double window : windows) {
    const double ticks = window * rate * static_cast<double>(ModelSampler::k_gap) + 0.5;
    if (!(ticks >= 1000))
      return std::unexpected(impossible(
          fmt::format("a window of {:g} s is less than a thousandth of the mean gap between arrivals", window)));
    const auto most = static_cast<double>(end - begin) / static_cast<double>(Counts::k_least_windows);
    if (ticks > most)
      return std::unexpected(
          impossible(fmt::format("fewer than {} windows of {:g} s in the simulation: more --jobs, or a shorter window",
                                 Counts::k_least_windows, window)));
    counters.emplace_back(begin, end, static_cast<Ticks>(ticks));
  }
  Random random = stream_of(run.seed, 0);
  flow::Arrivals arrivals(config, ModelSampler::k_rate, random);
  for (Ticks at = 0; at < end; at += static_cast<Ticks>(arrivals.next(random).count()))
    for (WindowCounter& counter : counters) counter.add(at);
  std::vector<Counts> counted;
  for (std::size_t i = 0; i < windows.size(); ++i) counted.push_back(counters[i].counts(windows[i]));
  return counted;
}

Answer<SimulatedNetwork> simulate(const NetworkSpec& spec, const Run& run) {
  if (auto refusal = refusal_of(spec)) return std::unexpected(*std::move(refusal));
  SimulatedNetwork seen;
  Collector collector(spec, run.jobs, seen);
  Network network(spec, run.seed, collector);
  if (!network.run(run.jobs))
    return std::unexpected(
        Refusal{RefusalKind::unstable, fmt::format("more than {} requests are in the network at once", spec.capacity)});
  for (std::size_t i = 0; i < spec.stations.size(); ++i) seen.mean_numbers.push_back(network.mean_number(i));
  return seen;
}

}  // namespace dojima::queueing
