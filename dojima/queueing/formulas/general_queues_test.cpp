#include "dojima/queueing/formulas/general_queues.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(Law, agrees_with_itself) {
  const std::vector<double> values{0.5, 0.5, 1, 4};
  for (const Law& law : {Law::exponential(2), Law::constant(2), Law::erlang(2, 3), Law::hyperexponential(2, 4),
                         Law::empirical(values)}) {
    expect_close(law.moment(1), law.mean());
    expect_close(law.limited_mean(1000), law.mean(), 1e-9);
    EXPECT_EQ(law.limited_mean(0), 0);
    expect_close(law.transform(0), 1);
    expect_close(law.transform_slope(0), -law.mean());
    const double slope = (law.transform(0.7 + 1e-5) - law.transform(0.7 - 1e-5)) / 2e-5;
    expect_close(law.transform_slope(0.7), slope, 1e-8);
    // E[min(T, x)] grows by the chance to exceed x; the integral of x times that is half the second moment.
    double half = 0;
    for (double x = 0; x < 200; x += 0.01) half += (x + 0.005) * (law.limited_mean(x + 0.01) - law.limited_mean(x));
    expect_close(half, law.moment(2) / 2, 1e-4);
  }
  EXPECT_EQ(Law::erlang(2, 3).name(), "erlang 3");
  expect_close(Law::hyperexponential(2, 4).scv(), 4);
  expect_close(Law::erlang(2, 4).scv(), 0.25);
  expect_close(Law::empirical(values).moment(3), (0.125 * 2 + 1 + 64) / 4);
}

TEST(Law, of_values_that_are_all_the_same_has_no_variation) {
  // Of 0.7 seven times the moments leave -4e-16.
  for (const double value : {0.1, 0.3, 0.7, 1.3, 2.3, 1000.0 / 3})
    for (std::size_t count = 1; count <= 12; ++count) {
      const Law law = Law::empirical(std::vector<double>(count, value));
      EXPECT_GE(law.scv(), 0) << count << " times " << value;
      EXPECT_LT(law.scv(), 1e-14) << count << " times " << value;
    }
  const Law law = Law::empirical(std::vector<double>(7, 0.7));
  EXPECT_TRUE(
      kingman_upper_bound({.arrival_rate = 1, .service_rate = 2, .arrival_scv = law.scv(), .service_scv = law.scv()})
          .has_value());
}

TEST(Mg1, has_the_reference_values) {
  expect_close(mg1(0.8, Law::exponential(1))->means.wait, 4);
  expect_close(mg1(0.8, Law::constant(1))->means.wait, 2);
  expect_close(mg1(0.8, Law::erlang(1, 2))->means.wait, 3);
  expect_close(mg1(0.8, Law::hyperexponential(1, 4))->means.wait, 10);
  expect_close(*mg1_wait_deviation(0.8, Law::exponential(1)), 4.898979485566);
  expect_close(*mg1_wait_deviation(0.8, Law::constant(1)), 2.309401076759);
  expect_close(*mg1_wait_deviation(0.8, Law::erlang(1, 2)), 3.605551275464);
  EXPECT_EQ(mg1(1.25, Law::constant(1)).error().text, "load 1.25: the queue grows by 0.25 a second");
}

TEST(Md1, has_the_reference_distribution) {
  struct Row {
    double load, wait, f1, f2, f5, f10;
  };
  const Row rows[] = {{.5, .5, .8243606353501, .9469605965545, .9987642702692, .9999976901213},
                      {.7, 1.166666666667, .6041258122411, .7936719214846, .9727240369119, .9990688742965},
                      {.8, 2, .4451081856985, .6345199363202, .8995027617536, .988342891735},
                      {.9, 4.5, .2459603111157, .3836004664372, .6687091505084, .8824030204297}};
  for (const Row& row : rows) {
    const Station station = *md1(row.load, 1);
    expect_close(station.means.wait, row.wait);
    expect_close(1 - station.wait_exceeds(0), 1 - row.load);
    expect_close(1 - station.wait_exceeds(1), row.f1);
    expect_close(1 - station.wait_exceeds(2), row.f2);
    expect_close(1 - station.wait_exceeds(5), row.f5);
    expect_close(1 - station.wait_exceeds(10), row.f10);
    EXPECT_EQ(station.response_exceeds(0.999), 1);
    EXPECT_EQ(station.response_exceeds(3), station.wait_exceeds(2));
  }
}

TEST(Md1, has_the_reference_quantiles_and_decay) {
  struct Row {
    double load, p90, p99, p999, p9999, decay;
  };
  const Row rows[] = {{.5, 1.515744841382, 3.336255957002, 5.168385030962, 7.001045936286, 1.256431208626},
                      {.7, 3.077086873105, 6.485499428958, 9.894353824428, 13.30320937791, 0.6754715929321},
                      {.8, 5.011511498446, 10.35588679199, 15.70026819407, 21.04464959566, 0.4308422097843},
                      {.9, 10.78250495603, 21.89823734954, 33.01396974312, 44.1297021367, 0.2071465029442}};
  for (const Row& row : rows) {
    const Station station = *md1(row.load, 1);
    expect_close(quantile(station.wait_exceeds, 0.9, 1), row.p90, 1e-11);
    expect_close(quantile(station.wait_exceeds, 0.99, 1), row.p99, 1e-11);
    expect_close(quantile(station.wait_exceeds, 0.999, 1), row.p999, 1e-11);
    expect_close(quantile(station.wait_exceeds, 0.9999, 1), row.p9999, 1e-11);
    expect_close(*md1_decay(row.load, 1), row.decay);
  }
  // The largest loads whose p99.9 is at most 5, 10 and 20 services.
  expect_close(quantile(md1(.4881391661, 1)->wait_exceeds, 0.999, 1), 5, 1e-6);
  expect_close(quantile(md1(.7026917926, 1)->wait_exceeds, 0.999, 1), 10, 1e-6);
  expect_close(quantile(md1(.8397344005, 1)->wait_exceeds, 0.999, 1), 20, 1e-6);
}

TEST(Md1, holds_far_out_and_at_both_ends_of_the_load) {
  struct Row {
    double load, t, exceeds;
  };
  // Erlang's series with alternating signs, in 2500 decimal digits.
  const Row rows[] = {{0.001, 0.5, 5.0037510418490e-04}, {0.001, 2.25, 7.0580549570379e-11},
                      {0.001, 30, 1.9575257791882e-120}, {0.001, 60, 3.1106612369416e-239},
                      {0.5, 30.5, 1.5049974756169e-17},  {0.5, 100, 1.7950910683739e-55},
                      {0.9, 300, 9.5773872215591e-28},   {0.999, 0.5, 9.9835210288388e-01},
                      {0.999, 60, 8.8629368029067e-01},  {0.999, 1000.25, 1.3508728320099e-01}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << row.load << " " << row.t);
    expect_close(md1(row.load, 1)->wait_exceeds(row.t), row.exceeds);
    expect_close(md1(2 * row.load, 2)->wait_exceeds(row.t / 2), row.exceeds);
  }
  for (const double load : {0.001, 0.999}) {
    const Station station = *md1(2 * load, 2);
    double sum = 0;  // Simpson between the kinks at whole services
    for (double t = 0; t < 5'000; t += 0.5)
      sum += (station.wait_exceeds(t) + 4 * station.wait_exceeds(t + 0.25) + station.wait_exceeds(t + 0.5 - 1e-9)) / 12;
    expect_close(sum, station.means.wait, 1e-5);
  }
  EXPECT_EQ(md1(0.001, 1)->wait_exceeds(1e9), 0);
}

TEST(Md1, falls_at_its_rate_of_decay_in_the_end) {
  for (const double load : {0.5, 0.999}) {
    const Station station = *md1(2 * load, 2);
    expect_close(station.wait_exceeds(31) / station.wait_exceeds(30), std::exp(-*md1_decay(2 * load, 2)));
  }
  // The smaller the load, the later that is: the next roots of the equation lie nearer to the first one.
  const Station idle = *md1(0.001, 1);
  const double limit = std::exp(-*md1_decay(0.001, 1));
  const double early = std::fabs(idle.wait_exceeds(31) / idle.wait_exceeds(30) / limit - 1);
  const double late = std::fabs(idle.wait_exceeds(61) / idle.wait_exceeds(60) / limit - 1);
  EXPECT_LT(early, 1e-2);
  EXPECT_LT(late, 1e-2 * early);
}

TEST(Mg1Wait, holds_the_known_distributions_between_its_bounds) {
  const Mg1Wait exponential = *mg1_wait(0.8, Law::exponential(1), 1e-5, 100);
  const Mg1Wait constant = *mg1_wait(0.8, Law::constant(1), 1e-5, 100);
  const Station mm1_station = *mm1(0.8, 1);
  const Station md1_station = *md1(0.8, 1);
  for (const double t : {0.0, 0.003, 0.5, 1.0, 1.5, 2.0, 5.0, 20.0}) {
    const double of_exponential = mm1_station.wait_exceeds(t);
    EXPECT_LE(exponential.at_least(t), of_exponential * (1 + 1e-12)) << t;
    EXPECT_GE(exponential.at_most(t), of_exponential * (1 - 1e-12)) << t;
    EXPECT_NEAR(exponential.middle(t), of_exponential, 2e-5) << t;
    const double of_constant = md1_station.wait_exceeds(t);
    EXPECT_LE(constant.at_least(t), of_constant * (1 + 1e-12)) << t;
    EXPECT_GE(constant.at_most(t), of_constant * (1 - 1e-12)) << t;
    // After one service the slope falls by load (1 - load): a line across that kink is a quarter of a step off.
    EXPECT_NEAR(constant.middle(t), of_constant, t == 1 ? 0.25 * 0.01 * 0.8 * 0.2 : 2e-5) << t;
  }
  EXPECT_FALSE(mg1_wait(0.999, Law::hyperexponential(1, 400), 1e-9, 10'000));
  EXPECT_FALSE(mg1_wait(0.8, Law::constant(1), 0, 10));
}

TEST(Mg1Wait, comes_closer_with_a_finer_lattice) {
  const Station exact = *md1(0.8, 1);
  const Mg1Wait coarse = *mg1_wait(0.8, Law::constant(1), 1e-5, 25);
  const Mg1Wait fine = *mg1_wait(0.8, Law::constant(1), 1e-5, 100);
  for (const double t : {0.4, 1.0, 1.6, 5.0}) {
    const double truth = exact.wait_exceeds(t);
    const auto width = [t](const Mg1Wait& wait) { return wait.at_most(t) - wait.at_least(t); };
    const auto error = [t, truth](const Mg1Wait& wait) { return std::fabs(wait.middle(t) - truth); };
    EXPECT_NEAR(width(coarse) / width(fine), 4, 0.6) << t;
    EXPECT_NEAR(error(coarse) / error(fine), t == 1 ? 4 : 16, t == 1 ? 1 : 1.6) << t;
  }
}

TEST(Mg1Wait, has_the_mean_of_an_empirical_service) {
  const std::vector<double> values{0.2, 0.2, 0.3, 0.9, 2.4};
  const Law service = Law::empirical(values);
  const Mg1Wait wait = *mg1_wait(0.7 / service.mean(), service, 1e-8, 100);
  double sum = 0;
  for (double t = 0; t < 60; t += 0.01) sum += wait.middle(t + 0.005) * 0.01;
  expect_close(sum, mg1(0.7 / service.mean(), service)->means.wait, 1e-4);
}

TEST(Gim1, has_the_reference_values) {
  struct Row {
    double load, erlang_sigma, erlang_wait, constant_sigma, constant_wait;
  };
  const Row rows[] = {{.5, 0.3819660112501, 0.6180339887499, 0.20318786998, 0.255000974916},
                      {.8, 0.7398529491265, 2.84397976699, 0.6286297964969, 1.69273083992},
                      {.9, 0.8682178936724, 6.588283628688, 0.8068998328558, 4.17865942215}};
  for (const Row& row : rows) {
    const Station erlang = *gim1(Law::erlang(1 / row.load, 2), 1);
    expect_close(erlang.means.delayed, row.erlang_sigma);
    expect_close(erlang.means.wait, row.erlang_wait);
    const Station constant = *gim1(Law::constant(1 / row.load), 1);
    expect_close(constant.means.delayed, row.constant_sigma);
    expect_close(constant.means.wait, row.constant_wait, 2e-12);
  }
  for (const double load : {0.001, 0.8, 0.999})
    expect_close(gim1(Law::exponential(1 / load), 1)->means.wait, mm1(load, 1)->means.wait, 1e-8);
  EXPECT_GT(gim1(Law::hyperexponential(1 / 0.999, 9), 1)->means.wait, 4'000);
}

TEST(TwoMoments, bounds_hold_what_is_known_exactly) {
  for (const double load : {0.001, 0.3, 0.7, 0.95, 0.999}) {
    for (const Law& between : {Law::constant(1 / load), Law::erlang(1 / load, 2), Law::hyperexponential(1 / load, 4)}) {
      const double exact = gim1(between, 1)->means.wait;
      const TwoMoments moments{.arrival_rate = load, .arrival_scv = between.scv()};
      EXPECT_LE(exact, *kingman_upper_bound(moments) * (1 + 1e-9)) << load << between.name();
      EXPECT_GE(exact, *marchal_lower_bound(moments)) << load << between.name();
    }
    const TwoMoments poisson{.arrival_rate = load, .service_scv = 3};
    expect_close(*marchal_approximation(poisson), mg1(load, Law::hyperexponential(1, 3))->means.wait);
  }
  EXPECT_EQ(kingman_upper_bound({.arrival_rate = 2}).error().kind, RefusalKind::unstable);
  EXPECT_EQ(kingman_upper_bound({.arrival_rate = .5, .arrival_scv = -1}).error().kind, RefusalKind::impossible);
}

TEST(AllenCunneen, has_the_reference_values) {
  expect_close(*allen_cunneen_approximation({1.6, 1, 1, 0}, 2), 0.8888888888889);
  expect_close(*allen_cunneen_approximation({1.6, 1, 4, 0.5}, 2), 4);
}

}  // namespace
}  // namespace dojima::queueing
