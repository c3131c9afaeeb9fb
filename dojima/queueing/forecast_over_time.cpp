#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/forecasting/figures.hpp"
#include "dojima/queueing/forecasting/serving.hpp"

namespace dojima::queueing {
namespace {

constexpr double k_longest_s = 86'400;

/// What is wrong with it, or the requests that it has on average.
Answer<double> requests_of(const Course& course) {
  if (course.steps.empty() || course.steps.front().at_s != 0)
    return std::unexpected(impossible("the rates over time begin at 0"));
  if (course.parts < 1 || course.parts > 1'000) return std::unexpected(impossible("1 to 1000 parts"));
  if (!(course.seconds > 0 && course.seconds <= k_longest_s))
    return std::unexpected(impossible("a forecast over time lasts more than 0 seconds, and a day at most"));
  double requests = 0;
  for (std::size_t i = 0; i < course.steps.size(); ++i) {
    const RateStep& step = course.steps[i];
    const double end = i + 1 < course.steps.size() ? course.steps[i + 1].at_s : course.seconds;
    if (!(end > step.at_s) || !std::isfinite(end))
      return std::unexpected(impossible("each step begins after the one before it, the last before the end"));
    if (!(step.rate >= 0) || step.rate > 1e7)
      return std::unexpected(impossible(fmt::format("a rate of {:g}; it must lie between 0 and 10000000", step.rate)));
    requests += step.rate * (end - step.at_s);
  }
  if (!(requests > 0)) return std::unexpected(impossible("nothing arrives at any time"));
  if (requests > Course::k_most_requests)
    return std::unexpected(impossible(
        fmt::format("{:g} requests; a forecast over time has {:g} at most", requests, Course::k_most_requests)));
  return requests;
}

/// Requests expected up to a time.
double requests_until(const Course& course, double seconds) {
  double requests = 0;
  for (std::size_t i = 0; i < course.steps.size() && course.steps[i].at_s < seconds; ++i) {
    const double end = i + 1 < course.steps.size() ? course.steps[i + 1].at_s : course.seconds;
    requests += course.steps[i].rate * (std::min(end, seconds) - course.steps[i].at_s);
  }
  return requests;
}

/// Its parts, with what is known before anything is served.
std::vector<PartForecast> parts_of(const Course& course) {
  std::vector<PartForecast> parts(course.parts);
  const double length = course.seconds / static_cast<double>(course.parts);
  double before = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PartForecast& part = parts[i];
    part.from_s = static_cast<double>(i) * length;
    part.to_s = static_cast<double>(i + 1) * length;
    const double until = requests_until(course, part.to_s);
    part.requests = until - before;
    part.has_p99 = part.requests >= 1'000;
    before = until;
  }
  return parts;
}

/// Times at an even rate, as a course's rates make them: between two steps both clocks run at one ratio. Asked for
/// times that rise.
class CourseClock {
 public:
  CourseClock(const Course& course, double even_rate) : end_(ticks_of(course.seconds)) {
    Ticks even = 0;
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      const double begin = course.steps[i].at_s;
      const double end = i + 1 < course.steps.size() ? course.steps[i + 1].at_s : course.seconds;
      if (course.steps[i].rate == 0) continue;
      const double ratio = course.steps[i].rate / even_rate;
      const Ticks length = ticks_of((end - begin) * ratio);
      stretches_.push_back({even, even + length, ticks_of(begin), static_cast<WideTicks>(0x1p40 / ratio)});
      even += length;
    }
  }

  /// The end of the course: behind its last request.
  [[nodiscard]] Ticks operator()(Ticks even) {
    while (at_ < stretches_.size() && even >= stretches_[at_].even_end) ++at_;
    if (at_ == stretches_.size()) return end_;
    const Stretch& in = stretches_[at_];
    return std::min(in.begin + static_cast<Ticks>((even - in.even_begin) * in.factor_q40 >> 40), end_ - 1);
  }

 private:
  struct Stretch {
    Ticks even_begin, even_end;
    Ticks begin;
    WideTicks factor_q40;
  };
  [[nodiscard]] static Ticks ticks_of(double seconds) { return static_cast<Ticks>(seconds * 1e9 * k_ticks_per_ns); }

  std::vector<Stretch> stretches_;
  Ticks end_;
  std::size_t at_ = 0;
};

}  // namespace

Answer<std::vector<PartForecast>> Forecaster::over_time(const Scenario& asked, const Course& course,
                                                        const ForecastPlan& plan) const {
  const Answer<double> requests = requests_of(course);
  if (!requests) return std::unexpected(requests.error());
  Scenario scenario = asked;
  scenario.rate = *requests / course.seconds;
  // That the mean rate is too much for the server is no refusal here.
  if (const Answer<Scenario> right = checked(scenario, plan); !right && right.error().kind == RefusalKind::impossible)
    return std::unexpected(right.error());
  if (scenario.arrivals) scenario.rate = std::floor(scenario.rate + 0.5);  // as the models round it
  std::vector<PartForecast> parts = parts_of(course);
  for (PartForecast& part : parts) {
    Scenario at = scenario;
    at.rate = part.requests / (part.to_s - part.from_s);
    part.load = load_of(at);
  }
  const auto ticks = static_cast<Ticks>(course.seconds * 1e9 * k_ticks_per_ns);
  std::vector<std::vector<double>> means(parts.size()), p99s(parts.size()), waits(parts.size());
  std::vector<double> sums(parts.size(), 0.0), counts(parts.size(), 0.0);
  for (std::size_t number = 0; number < plan.replicates; ++number) {
    for (auto& each : waits) each.clear();
    serve(scenario, plan, number, CourseClock(course, scenario.rate), [&](const Served& request) {
      if (request.arrival >= ticks) return false;
      const auto part = static_cast<std::size_t>(static_cast<WideTicks>(request.arrival) * parts.size() / ticks);
      waits[part].push_back(static_cast<double>(request.wait) / k_ticks_per_ns);
      return true;
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (waits[i].empty()) continue;
      means[i].push_back(mean_of_values(waits[i]));
      p99s[i].push_back(value_at_rank(waits[i], 0.99));
      counts[i] += static_cast<double>(waits[i].size());
      sums[i] += means[i].back() * static_cast<double>(waits[i].size());
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (means[i].empty()) continue;
    parts[i].mean = interval_of_replicates(std::move(means[i]), plan.confidence);
    parts[i].mean.estimate = sums[i] / counts[i];  // of all requests: replicates have more and fewer of them
    parts[i].p99 = interval_of_replicates(std::move(p99s[i]), plan.confidence);
  }
  return parts;
}

}  // namespace dojima::queueing
