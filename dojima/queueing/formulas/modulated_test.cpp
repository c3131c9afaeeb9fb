#include "dojima/queueing/formulas/modulated.hpp"

#include <gtest/gtest.h>

#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(Mmpp2, in_front_of_a_server_has_the_reference_values) {
  expect_close(mmpp2_m1({{.5, .5}, {.1, .1}}, 1)->means.response, 2);
  expect_close(mmpp2_m1({{.2, 1.4}, {.1, .3}}, 1)->means.response, 3.830989913181);
  expect_close(mmpp2_m1({{.2, 1.4}, {.01, .03}}, 1)->means.response, 15.4052071926);
  expect_close(mmpp2_m1({{.2, 2.0}, {.01, .05}}, 1)->means.response, 22.60486057841);
}

TEST(Mmpp2, of_equal_rates_is_a_poisson_process) {
  for (const double load : {0.001, 0.5, 0.999}) {
    const Station station = *mmpp2_m1({{load, load}, {.3, .2}}, 1);
    const Station poisson = *mm1(load, 1);
    expect_close(station.means.wait, poisson.means.wait, 1e-8);
    for (const double t : {0.0, 1.0, 7.5}) {
      expect_close(station.wait_exceeds(t), poisson.wait_exceeds(t), 1e-8);
      expect_close(station.response_exceeds(t), poisson.response_exceeds(t), 1e-8);
    }
  }
  EXPECT_EQ(Mmpp2({{2, 2}, {1, 1}}).dispersion(5), 1);
}

TEST(Mmpp2, has_waits_whose_mean_is_that_of_their_distribution) {
  const Station station = *mmpp2_m1({{.2, 1.4}, {.1, .3}}, 1);
  double wait = 0;
  double response = 0;
  for (double t = 0; t < 400; t += 0.01) {
    wait += station.wait_exceeds(t + 0.005) * 0.01;
    response += station.response_exceeds(t + 0.005) * 0.01;
  }
  expect_close(wait, station.means.wait, 1e-4);
  expect_close(response, station.means.response, 1e-4);
  expect_little(station.means);
  EXPECT_EQ(mmpp2_m1({{2, 2}, {1, 1}}, 1).error().kind, RefusalKind::unstable);
  EXPECT_EQ(mmpp2_m1({{2, 2}, {1, 0}}, 1).error().kind, RefusalKind::impossible);
}

TEST(Hawkes, has_the_reference_values) {
  const Hawkes half{.base_rate = 1, .branching = .5};
  expect_close(half.mean_rate(), 2);
  expect_close(half.asymptotic_dispersion(), 4);
  const Hawkes more{.base_rate = 1, .branching = .8};
  expect_close(more.mean_rate(), 5);
  expect_close(more.asymptotic_dispersion(), 25);
  expect_close(more.dispersion(1e9), 25, 1e-6);
  EXPECT_NEAR(more.dispersion(1e-9), 1, 1e-6);
}

}  // namespace
}  // namespace dojima::queueing
