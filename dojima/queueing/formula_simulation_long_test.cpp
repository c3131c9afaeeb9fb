// Every formula against the simulation of what it describes, with fixed seeds: |z| < 4 at three loads.

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/queueing/experiments.hpp"
#include "dojima/queueing/formulas/closed_network.hpp"
#include "dojima/queueing/formulas/erlang.hpp"
#include "dojima/queueing/formulas/general_queues.hpp"
#include "dojima/queueing/formulas/jackson.hpp"
#include "dojima/queueing/formulas/modulated.hpp"
#include "dojima/queueing/formulas/priorities.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::queueing {
namespace {

constexpr double k_loads[] = {0.3, 0.7, 0.95};

/// Jobs enough for batches that are far longer than the queue remembers, and for many busy periods that reach the tail:
/// a run with few of them shows a small share and a small error, so z strays far below 0 although the error is right on
/// average. At 0.95 a million jobs have too few.
Run run_of(double load, std::uint64_t seed) {
  return {.jobs = load > 0.9 ? std::size_t{4'000'000} : std::size_t{500'000}, .seed = seed};
}

void expect_z(const Estimate& seen, double formula, const std::string& what) {
  EXPECT_LT(std::fabs(seen.z(formula)), 4)
      << what << ": formula " << formula << ", simulation " << seen.value << " +- " << seen.error;
  EXPECT_LT(seen.error, 0.2 * formula + 8e-3) << what << " is simulated too roughly to say anything";
}

/// Means and, where there is a formula, three points of the tail.
void expect_station(const Simulated& seen, const Station& station, const std::string& what) {
  expect_z(seen.mean_wait(), station.means.wait, what + " mean");
  if (!station.wait_exceeds) return;
  for (const double share : {0.9, 0.99}) {
    const double limit = quantile(station.wait_exceeds, share, 1);
    if (limit > 0) expect_z(seen.share_above(limit), 1 - share, what + " tail");
  }
}

TEST(FormulaLong, agrees_for_exponential_services) {
  for (const double load : k_loads) {
    for (const std::uint32_t servers : {1u, 2u, 10u}) {
      const std::string what = "M/M/" + std::to_string(servers) + " at " + std::to_string(load);
      expect_station(simulate(Law::exponential(1 / (load * servers)), Law::exponential(1), servers, run_of(load, 11)),
                     *mmc(load * servers, 1, servers), what);
    }
  }
}

TEST(FormulaLong, agrees_for_other_services) {
  const std::vector<double> measured{0.3, 0.5, 0.5, 0.7, 1, 1, 2, 4};
  for (const double load : k_loads) {
    for (const Law& service :
         {Law::constant(1), Law::erlang(1, 2), Law::hyperexponential(1, 4), Law::empirical(measured)}) {
      const double rate = load / service.mean();
      const Simulated seen = simulate(Law::exponential(1 / rate), service, 1, run_of(load, 12));
      const std::string what = "M/G/1 " + service.name() + " at " + std::to_string(load);
      expect_z(seen.mean_wait(), mg1(rate, service)->means.wait, what);
      const Mg1Wait wait = *mg1_wait(rate, service, 1e-4, 100);
      for (const double t : {0.5, 3.0, 10.0}) {
        if (wait.at_least(t) > 1e-3) expect_z(seen.share_above(t), wait.middle(t), what + " tail");
      }
    }
    expect_station(simulate(Law::exponential(1 / load), Law::constant(1), 1, run_of(load, 13)), *md1(load, 1),
                   "M/D/1 at " + std::to_string(load));
  }
}

TEST(FormulaLong, agrees_for_other_arrivals) {
  for (const double load : k_loads) {
    for (const Law& between : {Law::constant(1 / load), Law::erlang(1 / load, 2), Law::hyperexponential(1 / load, 4)}) {
      expect_station(simulate(between, Law::exponential(1), 1, run_of(load, 14)), *gim1(between, 1),
                     "GI/M/1 " + between.name() + " at " + std::to_string(load));
    }
    // Bursts of ten mean gaps, seven times as busy, for a quarter of the time.
    const flow::ArrivalConfig bursts{.model = flow::ArrivalModel::bursts,
                                     .burst_share = 250,
                                     .burst_factor = 7,
                                     .burst_length = time::Duration{10 * ModelSampler::k_gap}};
    expect_station(simulate(bursts, load, Law::exponential(1), 1, run_of(load, 15)),
                   *mmpp2_m1(mmpp2_of(bursts, load), 1), "MMPP(2)/M/1 at " + std::to_string(load));
  }
}

TEST(FormulaLong, agrees_for_a_finite_source) {
  for (const double load : k_loads) {
    for (const std::uint32_t sources : {2u, 10u, 100u}) {
      const FiniteSource source{.sources = sources, .think_rate = load / sources, .service_rate = 1};
      const Law think = Law::exponential(1 / source.think_rate);
      const std::string what = std::to_string(sources) + " sources at " + std::to_string(load);
      expect_station(simulate_finite_source(think, Law::exponential(1), sources, run_of(load, 16)),
                     *mm1_finite_source(source), "M/M/1//N, " + what);
      const Simulated constant = simulate_finite_source(think, Law::constant(1), sources, run_of(load, 17));
      expect_z(constant.mean_wait(), md1_finite_source(source)->means.wait, "M/D/1//N, " + what);
      expect_z(constant.share_above(0), md1_finite_source(source)->means.delayed, "M/D/1//N delayed, " + what);
    }
  }
}

/// Whether each request was lost, in the order in which that became known.
class Losses final : public NetworkObserver {
 public:
  explicit Losses(std::size_t jobs) : lost(jobs), waits(jobs) {}
  void on_visit(const Visit& visit) override { lost.add(0), waits.add(visit.wait()); }
  void on_lost(std::uint32_t, std::uint32_t, Ticks) override { lost.add(1); }
  Observed lost;
  Observed waits;
};

TEST(FormulaLong, agrees_for_a_bounded_room) {
  struct Row {
    std::uint32_t servers, room;
  };
  for (const double load : {0.3, 0.7, 0.95, 1.5}) {
    for (const Row& row : {Row{1, 5}, Row{3, 8}, Row{4, 4}}) {
      const NetworkSpec spec{
          .classes = {{.between = Law::exponential(1 / (load * row.servers)), .services = {Law::exponential(1)}}},
          .stations = {{.servers = row.servers, .room = row.room}}};
      Losses seen(1'000'000);
      Network network(spec, 18, seen);
      ASSERT_TRUE(network.run(1'000'000));
      const Station station = *mmck(load * row.servers, 1, row.servers, row.room);
      const std::string what = "M/M/c/K at " + std::to_string(load);
      EXPECT_LT(std::fabs(seen.lost.mean().z(station.means.loss)), 4) << what << " loss " << station.means.loss;
      const Simulated waits{.waits = std::move(seen.waits), .ticks_per_unit = spec.ticks_per_unit};
      if (row.room > row.servers) expect_z(waits.mean_wait(), station.means.wait, what);
      EXPECT_NEAR(network.mean_number(0), station.means.system, 0.02 * station.means.system + 0.001) << what;
    }
  }
}

TEST(FormulaLong, agrees_for_a_loss_system_whatever_the_service) {
  const NetworkSpec spec{.classes = {{.between = Law::exponential(1 / 8.0), .services = {Law::hyperexponential(1, 4)}}},
                         .stations = {{.servers = 10, .room = 10}}};
  Losses seen(1'000'000);
  Network network(spec, 19, seen);
  ASSERT_TRUE(network.run(1'000'000));
  expect_z(seen.lost.mean(), erlang_b(10, 8), "Erlang B");
  const NetworkSpec wide{.classes = {{.between = Law::exponential(1 / 8.0), .services = {Law::erlang(1, 3)}}},
                         .stations = {{.servers = 60}}};
  Losses all(1'000'000);
  Network infinite(wide, 20, all);
  ASSERT_TRUE(infinite.run(1'000'000));
  EXPECT_EQ(all.waits.mean().value, 0);
  EXPECT_NEAR(infinite.mean_number(0), mm_infinite(8, 1)->means.system, 0.05);
}

TEST(FormulaLong, agrees_for_priorities) {
  for (const double load : k_loads) {
    const std::vector<PriorityClass> classes = {{0.3 * load, Law::erlang(1, 2)}, {0.35 * load, Law::exponential(2)}};
    for (const Discipline discipline : {Discipline::priority, Discipline::preemptive_resume}) {
      NetworkSpec spec{.classes = {}, .stations = {{.discipline = discipline}}};
      for (std::uint32_t k = 0; k < classes.size(); ++k)
        spec.classes.push_back({.between = Law::exponential(1 / classes[k].arrival_rate),
                                .priority = k,
                                .services = {classes[k].service}});
      const auto seen = simulate(spec, run_of(load, 21));
      const auto means = discipline == Discipline::priority ? *nonpreemptive(classes) : *preemptive_resume(classes);
      for (std::size_t k = 0; k < classes.size(); ++k)
        expect_z(seen->waits[k].mean_wait(), means[k].wait,
                 "class " + std::to_string(k) + " at " + std::to_string(load));
    }
  }
}

TEST(FormulaLong, agrees_for_a_server_that_is_interrupted) {
  for (const double load : k_loads) {
    const Interruptions by{.rate = 0.01, .length = Law::erlang(10, 2)};
    const double rate = load / 1.1;  // an eleventh of the time is lost
    const NetworkSpec spec{.classes = {{.between = Law::exponential(1 / rate), .services = {Law::exponential(1)}}},
                           .stations = {{.interruptions = by}}};
    expect_z(simulate(spec, run_of(load, 22))->waits[0].mean_wait(),
             interrupted_mg1(rate, Law::exponential(1), by)->means.wait, "interrupted at " + std::to_string(load));
  }
}

TEST(FormulaLong, agrees_for_an_open_network) {
  for (const double load : k_loads) {
    // A fifth of what leaves the second station comes back to the first.
    const std::vector<double> routing{0, 0.5, 0.5, 0.2, 0, 0.8, 0, 0, 0};
    const double arrivals = load * 0.9;
    const auto formula = *jackson({.stations = {{.arrival_rate = arrivals, .service_rate = 1},
                                                {.service_rate = 0.3, .servers = 2},
                                                {.service_rate = 1.25}},
                                   .routing = routing});
    const NetworkSpec spec{
        .classes = {{.between = Law::exponential(1 / arrivals),
                     .services = {Law::exponential(1), Law::exponential(1 / 0.3), Law::exponential(1 / 1.25)},
                     .routing = routing}},
        .stations = {{}, {.servers = 2}, {}}};
    const auto seen = *simulate(spec, run_of(load, 23));
    for (std::size_t i = 0; i < 3; ++i)
      expect_z(seen.waits[i].mean_wait(), formula.stations[i].means.wait,
               "station " + std::to_string(i) + " at " + std::to_string(load));
    expect_z(seen.responses[0].mean_wait(), formula.response, "network at " + std::to_string(load));
  }
}

/// Loads of the busiest station, when nobody waited for anybody: customers over the time of a round.
TEST(FormulaLong, agrees_for_a_closed_network) {
  for (const double load : k_loads) {
    for (const std::uint32_t customers : {3u, 40u}) {
      const double think = customers / load - 2;  // a round without waits: its thinking, one service at either station
      const ClosedNetwork network{.customers = customers,
                                  .think_time = think,
                                  .stations = {{}, {.visits = 0.5, .service_rate = 0.5, .servers = 2}}};
      // Thinking, the first station, then half of them the second one.
      const std::vector<double> routing{0, 1, 0, 0.5, 0, 0.5, 1, 0, 0};
      const NetworkSpec spec{.classes = {{.customers = customers,
                                          .services = {Law::erlang(think, 2), Law::exponential(1), Law::exponential(2)},
                                          .routing = routing}},
                             .stations = {{.servers = customers}, {}, {.servers = 2}},
                             .capacity = customers};
      const auto seen = *simulate(spec, run_of(load, 27));
      const auto formula = *closed_network(network);
      const std::string what = std::to_string(customers) + " customers at " + std::to_string(load);
      expect_z(seen.responses[0].mean_wait(), formula.round_time, what + " round");
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string station = what + ", station " + std::to_string(i);
        expect_z(seen.waits[i + 1].mean_wait(), formula.stations[i].means.wait, station);
        expect_z(seen.waits[i + 1].share_above(0), formula.stations[i].means.delayed, station + " delayed");
        EXPECT_NEAR(seen.mean_numbers[i + 1] / formula.stations[i].means.system, 1, 0.03) << station;
      }
    }
  }
}

TEST(FormulaLong, agrees_for_the_counts_of_arrivals_that_excite_others_and_of_bursts) {
  const double windows[] = {0.3, 3, 30, 300};
  for (const std::uint32_t branching : {300u, 700u, 900u}) {
    const flow::ArrivalConfig config{
        .model = flow::ArrivalModel::hawkes, .branching = branching, .memory = time::Duration{5 * ModelSampler::k_gap}};
    const Hawkes process = hawkes_of(config, 2);
    const auto counted = simulate_counts(config, 2, windows, {.jobs = 2'000'000, .seed = 25});
    ASSERT_TRUE(counted);
    for (const Counts& seen : *counted) {
      const std::string what = "Hawkes, " + std::to_string(branching) + ", window " + std::to_string(seen.window);
      expect_z(seen.mean, process.mean_rate() * seen.window, what + " mean");
      expect_z(seen.dispersion, process.dispersion(seen.window), what + " dispersion");
    }
  }
  const flow::ArrivalConfig bursts{.model = flow::ArrivalModel::bursts,
                                   .burst_share = 250,
                                   .burst_factor = 7,
                                   .burst_length = time::Duration{10 * ModelSampler::k_gap}};
  const auto counted = simulate_counts(bursts, 2, windows, {.jobs = 2'000'000, .seed = 26});
  ASSERT_TRUE(counted);
  for (const Counts& seen : *counted)
    expect_z(seen.dispersion, mmpp2_of(bursts, 2).dispersion(seen.window), "MMPP dispersion");
}

TEST(FormulaLong, of_the_wait_grows_with_the_load) {
  double last = 0;
  for (double load = 0.05; load < 1; load += 0.05) {
    const double wait =
        simulate(Law::exponential(1 / load), Law::erlang(1, 2), 1, {.jobs = 50'000, .seed = 24}).mean_wait().value;
    EXPECT_GT(wait, last);  // the same services, the same gaps but shorter
    last = wait;
  }
}

}  // namespace
}  // namespace dojima::queueing
