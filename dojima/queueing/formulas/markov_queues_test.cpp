#include "dojima/queueing/formulas/markov_queues.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

/// The mean of what a tail describes.
double mean_of(const Tail& exceeds, double step, double end) {
  double sum = 0;
  for (double t = 0; t < end; t += step) sum += (exceeds(t) + 4 * exceeds(t + step / 2) + exceeds(t + step)) * step / 6;
  return sum;
}

TEST(Mm1, has_the_reference_means_and_quantiles) {
  struct Row {
    double load, p99, p999;
  };
  const Row rows[] = {{.5, 7.824046010856, 12.42921619684},
                      {.7, 14.16165080683, 21.83693445014},
                      {.8, 21.91013317337, 33.42305863834},
                      {.9, 44.9980967033, 68.02394763324},
                      {.95, 91.07753783201, 137.1292396919}};
  for (const Row& row : rows) {
    const Station station = *mm1(row.load, 1);
    expect_close(station.means.wait, row.load / (1 - row.load));
    expect_close(quantile(station.wait_exceeds, 0.99, 1), row.p99, 2e-12);
    expect_close(quantile(station.wait_exceeds, 0.999, 1), row.p999, 2e-12);
    expect_close(station.response_exceeds(3), std::exp(-3 * (1 - row.load)));
    expect_little(station.means);
  }
}

TEST(Mm1, carries_the_largest_load_whose_quantile_is_short_enough) {
  struct Row {
    double share, limit, load;
  };
  const Row rows[] = {{.999, 5, .09315247235}, {.999, 10, .4006829527},  {.999, 20, .6743151229},
                      {.999, 50, .8647511641}, {.999, 100, .9316306358}, {.99, 5, .3119490463},
                      {.99, 10, .5919211636},  {.99, 20, .7820343231},   {.99, 50, .9097874812},
                      {.99, 100, .9544148665}};
  for (const Row& row : rows) expect_close(quantile(mm1(row.load, 1)->wait_exceeds, row.share, 1), row.limit, 1e-6);
}

TEST(Mmc, has_the_reference_values) {
  struct Row {
    std::uint32_t servers;
    double offered, wait, above_one;
  };
  const Row rows[] = {{1, .8, 4, 0.6549846024624},
                      {2, 1, 1 / 3.0, 0.1226264803905},
                      {2, 1.6, 1.777777777778, 0.4766720327365},
                      {3, 2, 4 / 9.0, 0.163501973854},
                      {4, 3.2, 0.7455405897343, 0.2679943847141},
                      {5, 4, 0.5541125541126, 0.203846616753},
                      {10, 8, 0.2045900753982, 0.05537651160284},
                      {10, 9, 0.6687315241077, 0.2460125793825},
                      {20, 18, 0.2753845024081, 0.07453847926474},
                      {100, 90, 0.02169404809064, 9.849082595789e-6}};
  for (const Row& row : rows) {
    const Station station = *mmc(row.offered, 1, row.servers);
    expect_close(station.means.wait, row.wait);
    expect_close(station.wait_exceeds(1), row.above_one);
    expect_close(mean_of(station.response_exceeds, 0.01, 150), station.means.response, 1e-7);
    expect_little(station.means);
  }
  // The drain of the queue equals the rate of a service: both exponentials of the response are one.
  expect_close(mean_of(mmc(1, 1, 2)->response_exceeds, 0.01, 60), 4 / 3.0, 1e-9);
}

TEST(Mmc, holds_for_ten_thousand_servers_and_at_both_ends_of_the_load) {
  for (const double load : {0.001, 0.999}) {
    for (const std::uint32_t servers : {1u, 10u, 10'000u}) {
      const Station station = *mmc(load * servers, 1, servers);
      EXPECT_TRUE(std::isfinite(station.means.wait)) << load << " " << servers;
      expect_little(station.means);
      EXPECT_NEAR(station.wait_exceeds(0), station.means.delayed, 1e-15);
      const double p9999 = quantile(station.wait_exceeds, 0.9999, 1);
      EXPECT_TRUE(p9999 == 0 || std::fabs(station.wait_exceeds(p9999) / 1e-4 - 1) < 1e-10);
      EXPECT_NEAR(station.response_exceeds(1000), 0, 1);
    }
  }
  const Station crowded = *mmc(9'990, 1, 10'000);
  expect_close(crowded.means.wait, crowded.means.delayed / 10);
}

TEST(Mmc, says_how_fast_a_queue_grows_that_cannot_be_served) {
  EXPECT_EQ(mmc(10, 1, 8).error().text, "load 1.25: the queue grows by 2 a second");
  EXPECT_EQ(mmc(10, 1, 8).error().kind, RefusalKind::unstable);
  EXPECT_EQ(mm1(1, 1).error().kind, RefusalKind::unstable);
  EXPECT_EQ(mm1(0, 1).error().kind, RefusalKind::impossible);
  EXPECT_EQ(mm1(NAN, 1).error().kind, RefusalKind::impossible);
  EXPECT_EQ(mmc(1, 1, 0).error().kind, RefusalKind::impossible);
  EXPECT_EQ(mmck(1, 1, 5, 4).error().kind, RefusalKind::impossible);
}

TEST(Mmck, has_the_reference_values) {
  struct Row {
    std::uint32_t servers, room;
    double offered, loss, system;
  };
  const Row rows[] = {{1, 5, .8, 0.08881949865556, 1.868332032266},
                      {1, 10, 1, 1 / 11.0, 5},
                      {2, 10, 1.6, 0.02637860118694, 3.330681283218},
                      {3, 8, 2.7, 0.08527451109414, 3.954881821139}};
  for (const Row& row : rows) {
    const Station station = *mmck(row.offered, 1, row.servers, row.room);
    expect_close(station.means.loss, row.loss);
    expect_close(station.means.system, row.system);
    expect_close(mean_of(station.wait_exceeds, 0.05, 40), station.means.wait, 1e-6);
    expect_close(station.wait_exceeds(0), station.means.delayed);
  }
}

TEST(Mmck, agrees_with_its_limits_and_holds_for_many_servers) {
  const Station wide = *mmck(0.8, 1, 1, 2'000);
  expect_close(wide.means.wait, 4);
  expect_close(wide.wait_exceeds(1), 0.6549846024624);
  expect_close(mmck(8, 1, 10, 10)->means.loss, 0.121661064253);  // Erlang's B
  const Station overloaded = *mmck(20'000, 1, 10'000, 20'000);
  expect_close(overloaded.means.loss, 0.5, 1e-9);
  expect_close(overloaded.means.queue, 9'999, 1e-9);
  EXPECT_EQ(mmck(10, 1, 10'000, 10'001)->means.loss, 0);
}

TEST(MmInfinite, has_everybody_in_service) {
  const Station station = *mm_infinite(50, 2);
  EXPECT_EQ(station.means.system, 25);
  EXPECT_EQ(station.means.wait, 0);
  expect_close(station.response_exceeds(1), std::exp(-2));
}

TEST(FiniteSource, of_two_customers_is_what_the_balance_of_three_states_says) {
  // States 0, 1, 2 at the server: weights 1, 2 a, 2 a^2.
  const double a = 0.3;
  const Station station = *mm1_finite_source({.sources = 2, .think_rate = a, .service_rate = 1});
  const double total = 1 + 2 * a + 2 * a * a;
  expect_close(station.means.utilisation, 1 - 1 / total);
  expect_close(station.means.system, (2 * a + 4 * a * a) / total);
  expect_close(station.means.delayed, a / (1 + a));  // the other one is at the server
  expect_close(station.wait_exceeds(2), a / (1 + a) * std::exp(-2));
  expect_close(mean_of(station.wait_exceeds, 0.01, 40), station.means.wait, 1e-8);
  EXPECT_EQ(mm1_finite_source({.sources = 1, .think_rate = 1, .service_rate = 1})->means.wait, 0);
}

TEST(FiniteSource, with_constant_services_of_two_customers_is_known_by_hand) {
  // Left empty: the other did not ask during the service, chance exp(-a). The next cycle then begins with both
  // thinking.
  const double a = 0.7;
  const Station station = *md1_finite_source({.sources = 2, .think_rate = a, .service_rate = 1});
  const double empty = std::exp(-a);
  expect_close(station.means.throughput, 1 / (1 + empty / (2 * a)));
  expect_close(station.means.delayed, 1 - empty);
  expect_little(station.means);
}

TEST(FiniteSource, waits_less_for_constant_services_and_is_bounded_by_the_server) {
  for (const std::uint32_t sources : {2u, 3u, 10u, 100u, 1'000u}) {
    for (const double load : {0.001, 0.5, 0.999, 3.0}) {
      const FiniteSource source{.sources = sources, .think_rate = load / sources, .service_rate = 1};
      const Means random = mm1_finite_source(source)->means;
      const Means constant = md1_finite_source(source)->means;
      EXPECT_LE(constant.wait, random.wait * (1 + 1e-9)) << sources << " " << load;
      EXPECT_LE(constant.throughput, 1 + 1e-12);
      EXPECT_GT(constant.wait, 0);
      // Many customers who rarely ask are a Poisson process.
      if (sources == 1'000 && load == 0.5) {
        EXPECT_NEAR(random.wait, 1, 0.01);
        EXPECT_NEAR(constant.wait, 0.5, 0.005);
      }
    }
  }
  const FiniteSource crowd{.sources = 10'000, .think_rate = 1, .service_rate = 1};
  expect_close(md1_finite_source(crowd)->means.throughput, 1);
  expect_close(md1_finite_source(crowd)->means.response, 9'999);
  EXPECT_EQ(md1_finite_source({.sources = 10'001}).error().kind, RefusalKind::impossible);
}

TEST(MmcFiniteSource, has_the_means_of_what_it_contains) {
  for (const std::uint32_t sources : {1U, 2U, 7U, 200U}) {
    for (const double think_rate : {0.01, 0.3, 5.0}) {
      const FiniteSource source{.sources = sources, .think_rate = think_rate, .service_rate = 1};
      const Means one = mm1_finite_source(source)->means;
      const Means same = mmc_finite_source(source, 1)->means;
      expect_close(same.wait, one.wait, 1e-11);
      expect_close(same.throughput, one.throughput, 1e-11);
      expect_close(same.delayed, one.delayed, 1e-11);
      EXPECT_NEAR(mmc_finite_source(source, sources)->means.wait, 0, 1e-12) << "a server for everybody";
      const Means two = mmc_finite_source(source, 2)->means;
      EXPECT_LE(two.wait, one.wait);
      expect_close(two.system, two.throughput * two.response);
      EXPECT_LE(two.utilisation, 1 + 1e-12);
    }
  }
}

TEST(MmcFiniteSource, of_many_sources_is_an_open_queue) {
  const FiniteSource crowd{.sources = 1'000'000, .think_rate = 1.6e-6, .service_rate = 1};
  expect_close(mmc_finite_source(crowd, 2)->means.wait, mmc(1.6, 1, 2)->means.wait, 1e-4);
  EXPECT_EQ(mmc_finite_source({.sources = 3}, 0).error().kind, RefusalKind::impossible);
  EXPECT_EQ(mmc_finite_source({.sources = 0}, 2).error().kind, RefusalKind::impossible);
}

}  // namespace
}  // namespace dojima::queueing
