// dojima-bench-queue: lines of requests simulated, by recursion and event by event, beside drawing the random times
// alone.

#include "bench/queue/forecast_bench.hpp"

#include <algorithm>
#include <memory>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/queueing/network.hpp"
#include "dojima/queueing/recursions.hpp"
#include "dojima/queueing/sampler.hpp"

namespace {

using namespace dojima;
using queueing::Law;

constexpr std::size_t k_jobs = 10'000;

/// What both draw: a gap and a service for each job.
struct Draws {
  explicit Draws(const harness::BenchCase& of)
      : gap(Law::exponential(1.25 / static_cast<double>(of.integer("servers"))), queueing::k_ticks_per_mean),
        service(Law::exponential(1), queueing::k_ticks_per_mean),
        gaps(queueing::stream_of(of.seed(), 0)),
        services(queueing::stream_of(of.seed(), 2)) {}
  queueing::Sampler gap;
  queueing::Sampler service;
  queueing::Random gaps;
  queueing::Random services;
};

std::unique_ptr<harness::Competitor> make_draws(const harness::BenchCase& of) {
  return harness::competitor([draws = Draws(of)]() mutable {
    queueing::Ticks sum = 0;
    for (std::size_t i = 0; i < k_jobs; ++i) {
      sum += draws.gap.draw(draws.gaps);
      sum ^= draws.service.draw(draws.services);
    }
    harness::keep(sum);
    return harness::Operations{}.add("", k_jobs);
  });
}

template <class Queue>
std::unique_ptr<harness::Competitor> make_queue(const harness::BenchCase& of, Queue queue) {
  return harness::competitor([draws = Draws(of), queue, arrival = queueing::Ticks{0}]() mutable {
    queueing::Ticks waits = 0;
    for (std::size_t i = 0; i < k_jobs; ++i) {
      arrival += draws.gap.draw(draws.gaps);
      waits += queue.serve(arrival, draws.service.draw(draws.services));
    }
    harness::keep(waits);
    return harness::Operations{}.add("", k_jobs);
  });
}

std::unique_ptr<harness::Competitor> make_recursion(const harness::BenchCase& of) {
  if (of.integer("servers") == 1) return make_queue(of, queueing::LindleyQueue{});
  return make_queue(of, queueing::ManyServerQueue(static_cast<std::size_t>(of.integer("servers"))));
}

/// Three stations in a row; two classes, one before the other at each.
class ThreeStations final : public harness::Competitor, private queueing::NetworkObserver {
 public:
  explicit ThreeStations(std::uint64_t seed) : network_(spec(), seed, *this) {}

  harness::Operations run() override {
    const bool has_room = network_.run(k_jobs / 10);
    const double response = static_cast<double>(responses_) / static_cast<double>(std::max<std::uint64_t>(left_, 1));
    return harness::Operations{}
        .add("", has_room ? k_jobs / 10 : 0)
        .figure("mean_response", response / queueing::k_ticks_per_mean);
  }

 private:
  static queueing::NetworkSpec spec() {
    queueing::NetworkSpec made;
    made.stations.assign(3, {.discipline = queueing::Discipline::priority});
    for (std::uint32_t k = 0; k < 2; ++k)
      made.classes.push_back({.between = Law::exponential(1 / 0.4),
                              .priority = k,
                              .services = {Law::exponential(1), Law::exponential(1), Law::exponential(1)},
                              .routing = {0, 1, 0, 0, 0, 1, 0, 0, 0}});
    return made;
  }
  void on_visit(const queueing::Visit& visit) override {
    if (!visit.is_leaving) return;
    ++left_;
    responses_ += visit.departure - visit.entered;
  }

  std::uint64_t left_ = 0;         // requests, since the start
  queueing::Ticks responses_ = 0;  // theirs
  queueing::Network network_;
};

}  // namespace

int main(int count, char** words) {
  const harness::BenchTable recursion{
      .name = "recursion",
      .title = "one job of M/M/c at a load of 0.8, with the drawing of its gap and its service",
      .parameters = {{"servers", {1, 10}}},
      .competitors = {{"draws alone", make_draws}, {"recursion", make_recursion}},
      .baseline = "recursion",
      .floor = "draws alone",
      .targets = {{.competitor = "recursion", .against = "draws alone", .limit = 2.5}},
      .operation = "job"};
  const harness::BenchTable network{
      .name = "network",
      .title = "one request through three stations with two classes of priority at a load of 0.8, on the scheduler",
      .competitors = {{"network",
                       [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
                         return std::make_unique<ThreeStations>(of.seed());
                       }}},
      .baseline = "network",
      .operation = "request"};
  return harness::run_benchmarks(
      {.name = "queue", .tables = {recursion, network, bench::forecast_table()}, .build = evidence::build_identity()},
      count, words);
}
