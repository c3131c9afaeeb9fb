#include <array>
#include <gtest/gtest.h>
#include <queue>
#include <vector>

#include "dojima/queueing/experiments.hpp"
#include "dojima/queueing/formulas/general_queues.hpp"
#include "dojima/queueing/queueing_test_support.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

/// FNV-1a over whole numbers.
std::uint64_t digest_of(const Observed& values) {
  std::uint64_t digest = 14695981039346656037ULL;
  for (const Ticks value : values) digest = (digest ^ value) * 1099511628211ULL;
  return digest;
}

TEST(Recursions, agree_with_a_search_through_all_servers) {
  for (const std::size_t servers : {1u, 2u, 3u, 7u, 16u}) {
    ManyServerQueue queue(servers);
    std::vector<Ticks> free(servers, 0);
    LindleyQueue single;
    Random random(servers);
    Ticks arrival = 0;
    for (int i = 0; i < 5'000; ++i) {
      arrival += random.below(100);
      const Ticks service = random.below(150 * servers);
      auto first = std::ranges::min_element(free);
      const Ticks start = std::max(arrival, *first);
      *first = start + service;
      ASSERT_EQ(queue.serve(arrival, service), start - arrival);
      if (servers == 1) {
        ASSERT_EQ(single.serve(arrival, service), start - arrival);
      }
    }
  }
}

class Waits final : public NetworkObserver {
 public:
  void on_visit(const Visit& visit) override { all.push_back({visit.arrival, visit.wait()}); }
  std::vector<std::pair<Ticks, Ticks>> all;  // by arrival
};

TEST(Network, agrees_with_the_recursion_job_by_job) {
  for (const std::uint32_t servers : {1u, 3u}) {
    const NetworkSpec spec{.classes = {{.between = Law::exponential(1), .services = {Law::erlang(0.8 * servers, 2)}}},
                           .stations = {{.servers = servers}}};
    Waits seen;
    Network network(spec, 5, seen);
    ASSERT_TRUE(network.run(5'000));
    std::ranges::sort(seen.all);
    Random gaps = stream_of(5, 0);
    Random services = stream_of(5, 2);
    const Sampler gap(Law::exponential(1), k_ticks_per_mean);
    const Sampler service(Law::erlang(0.8 * servers, 2), k_ticks_per_mean);
    ManyServerQueue queue(servers);
    Ticks arrival = 0;
    ASSERT_GT(seen.all.size(), 4'000u);
    for (std::size_t i = 0; i < 4'000; ++i) {
      arrival += gap.draw(gaps);
      ASSERT_EQ(seen.all[i].first, arrival);
      ASSERT_EQ(seen.all[i].second, queue.serve(arrival, service.draw(services))) << i;
    }
  }
}

TEST(Network, keeps_littles_law_and_conserves_work) {
  // The work that waits does not depend on who is served first: mean waits weighted by work are those of first come.
  std::array<double, 3> weighted{};
  for (const Discipline discipline : {Discipline::first_come, Discipline::priority, Discipline::preemptive_resume}) {
    const NetworkSpec spec{
        .classes = {{.between = Law::exponential(4), .priority = 0, .services = {Law::exponential(1)}},
                    {.between = Law::exponential(2), .priority = 1, .services = {Law::exponential(1)}}},
        .stations = {{.discipline = discipline}}};
    const auto seen = simulate(spec, {.jobs = 20'000, .seed = 3});
    ASSERT_TRUE(seen);
    double requests = 0;
    double waiting = 0;
    for (const Simulated& kind : seen->waits) {
      double sum = 0;
      for (const Ticks wait : kind.waits) sum += static_cast<double>(wait);
      waiting += sum;
      requests += static_cast<double>(kind.waits.end() - kind.waits.begin());
    }
    weighted[static_cast<std::size_t>(discipline)] = waiting / requests / k_ticks_per_mean;
    // L = lambda T: arrivals 0.75, the mean wait of all and a service of 1.
    EXPECT_NEAR(seen->mean_numbers[0], 0.75 * (weighted[static_cast<std::size_t>(discipline)] + 1), 0.4);
  }
  EXPECT_NEAR(weighted[1], weighted[0], 0.05 * weighted[0]);
  EXPECT_NEAR(weighted[2], weighted[0], 0.08 * weighted[0]);
}

TEST(Network, turns_away_what_finds_no_room_and_stops_at_its_capacity) {
  const ClassSpec busy{.between = Law::exponential(0.5), .services = {Law::constant(1)}};
  const auto full = simulate(NetworkSpec{.classes = {busy}, .stations = {{.room = 1}}}, {.jobs = 20'000, .seed = 1});
  // M/D/1/1 loses a / (1 + a).
  EXPECT_NEAR(static_cast<double>(full->waits[0].lost) / 20'000, 2 / 3.0, 0.01);
  EXPECT_EQ(full->waits[0].waits.mean().value, 0);
  const auto burst =
      simulate(NetworkSpec{.classes = {busy}, .stations = {{}}, .capacity = 100}, {.jobs = 20'000, .seed = 1});
  EXPECT_EQ(burst.error().text, "more than 100 requests are in the network at once");
  EXPECT_EQ(simulate(NetworkSpec{}, {}).error().kind, RefusalKind::impossible);
  EXPECT_EQ(simulate(NetworkSpec{.classes = {{.between = Law::constant(1)}}, .stations = {{}}}, {}).error().text,
            "0 laws of services for 1 stations");
}

TEST(Network, serves_batches_one_after_the_other) {
  const NetworkSpec spec{
      .classes = {{.between = Law::constant(10), .batch_least = 3, .batch_most = 3, .services = {Law::constant(1)}}},
      .stations = {{}}};
  const auto seen = simulate(spec, {.jobs = 3'000, .seed = 1});
  EXPECT_NEAR(seen->waits[0].mean_wait().value, 1, 1e-3);  // 0, 1, 2
}

TEST(Network, goes_on_where_it_was_interrupted) {
  // Away for 1 after each exponential time of mean 4: a job that takes 1000 takes 1250 or so.
  const NetworkSpec spec{.classes = {{.between = Law::constant(2'000), .services = {Law::constant(1'000)}}},
                         .stations = {{.interruptions = Interruptions{.rate = 0.25, .length = Law::constant(1)}}},
                         .ticks_per_unit = 1'000'000};
  const auto seen = simulate(spec, {.jobs = 400, .seed = 1});
  EXPECT_NEAR(seen->waits[0].mean_wait().value, 250, 5);
}

TEST(Simulations, have_the_waits_that_their_seed_stands_for) {
  const NetworkSpec spec{.classes = {{.between = Law::exponential(1.5),
                                      .services = {Law::exponential(1), Law::exponential(1)},
                                      .routing = {0, 0.5, 0, 0}}},
                         .stations = {{.discipline = Discipline::preemptive_resume}, {.servers = 2}}};
  const auto digests_of = [&spec](std::uint64_t seed) {
    const queueing::Run run{.jobs = 2'000, .seed = seed};
    return std::vector<std::uint64_t>{
        digest_of(simulate(Law::exponential(1), Law::erlang(0.7, 3), 1, run).waits),
        digest_of(simulate(Law::hyperexponential(1, 4), Law::constant(3), 4, run).waits),
        digest_of(simulate({.model = flow::ArrivalModel::hawkes}, 0.5, Law::exponential(1), 1, run).waits),
        digest_of(simulate_finite_source(Law::exponential(1), Law::constant(1), 4, run).waits),
        digest_of(simulate(spec, run)->responses[0].waits)};
  };
  // What every compiler has to make of this seed; GCC 12 and Clang 19 do.
  const std::vector<std::uint64_t> first{0x0b8cca2fc493bd58ULL, 0x8ba891139810ad45ULL, 0xf7e9860159986df8ULL,
                                         0xa31be4b9c7827435ULL, 0x03abc53b0b827e45ULL};
  const auto other = digests_of(43);
  EXPECT_EQ(first, digests_of(42));
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(first[i], other[i]) << i;
}

TEST(Observed, has_figures_of_values_known_by_hand) {
  Observed values(1'000);
  for (Ticks i = 0; i < 1'000; ++i) values.add(i % 100);
  EXPECT_EQ(values.end() - values.begin(), 900);
  EXPECT_NEAR(values.mean().value, 49.5, 1e-12);
  EXPECT_EQ(values.quantile(0.99).value, 98);
  EXPECT_EQ(values.share_above(89).value, 0.1);
  EXPECT_TRUE(values.can_show(0.98));
  EXPECT_FALSE(values.can_show(0.99));
  values.add(7);
  EXPECT_EQ(values.size(), 1'000u);
  const Estimate estimate{.value = 2, .error = 0.5};
  EXPECT_EQ(estimate.z(1), 2);
  EXPECT_NEAR(estimate.high(), 3.01134546, 1e-8);
}

}  // namespace
}  // namespace dojima::queueing
