#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/arrival_fit_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(ArrivalFitLong, finds_the_parameters_again) {
  const auto bursts = fit_arrivals(std::vector<Arrivals>{drawn(k_bursts, 40'000, 11)}, 40'000);
  const Mmpp2& mmpp = bursts->models[2].mmpp;
  const double calm = 1000 / 2.8;
  EXPECT_NEAR(std::min(mmpp.rates[0], mmpp.rates[1]) / calm, 1, 0.1);
  EXPECT_NEAR(std::max(mmpp.rates[0], mmpp.rates[1]) / (10 * calm), 1, 0.1);
  const auto excited = fit_arrivals(std::vector<Arrivals>{drawn(k_hawkes, 40'000, 12)}, 40'000);
  const Hawkes& hawkes = excited->models[3].hawkes;
  EXPECT_NEAR(hawkes.branching, 0.6, 0.03);
  EXPECT_NEAR(hawkes.decay * 0.003, 1, 0.1);
}

TEST(ArrivalFitLong, rarely_takes_a_poisson_process_for_another_and_never_the_other_way) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    wrong += kind_of(fit_arrivals(std::vector<Arrivals>{drawn({}, 1'000, seed)})) != ArrivalKind::poisson;
    EXPECT_NE(kind_of(fit_arrivals(std::vector<Arrivals>{drawn(k_bursts, 1'000, seed)})), ArrivalKind::poisson) << seed;
  }
  EXPECT_LE(wrong, 3);
}

}  // namespace
}  // namespace dojima::queueing
