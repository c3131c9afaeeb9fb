#include "dojima/queueing/arrival_fit.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/arrival_fit_test_support.hpp"
#include "dojima/queueing/fitting/likelihood.hpp"
#include "dojima/queueing/queueing_test_support.hpp"

namespace dojima::queueing {
namespace {

TEST(ArrivalFit, calls_a_poisson_process_one) {
  const auto fit = fit_arrivals(std::vector<Arrivals>{drawn({}, 2'000, 3)});
  ASSERT_TRUE(fit);
  EXPECT_EQ(kind_of(fit), ArrivalKind::poisson);
  EXPECT_FALSE(fit->models[0].is_rejected);
  EXPECT_EQ(fit->models.size(), 4u);
  EXPECT_NEAR(fit->rate, 1000, 60);
  EXPECT_NEAR(fit->gap_scv, 1, 0.15);
  EXPECT_NEAR(fit->dispersion[0].index, 1, 0.1);
}

TEST(ArrivalFit, never_calls_bursts_poisson) {
  for (const auto& config : {k_bursts, k_hawkes}) {
    const auto fit = fit_arrivals(std::vector<Arrivals>{drawn(config, 1'500, 4)});
    EXPECT_TRUE(fit->models[0].is_rejected);
    EXPECT_EQ(kind_of(fit), config.model == flow::ArrivalModel::bursts ? ArrivalKind::mmpp : ArrivalKind::hawkes);
    EXPECT_GT(fit->dispersion.back().index, 2);
  }
}

TEST(ArrivalFit, sees_a_rate_that_changes) {
  Arrivals times = drawn({}, 800, 5);
  const double end = times.back();
  for (const double time : drawn({}, 800, 6)) times.push_back(end + time / 4);
  const auto fit = fit_arrivals(std::vector<Arrivals>{times});
  EXPECT_TRUE(fit->models[0].is_rejected);
  EXPECT_GT(fit->rate_over_time.back(), 3 * fit->rate_over_time.front());
}

TEST(ArrivalFit, says_what_is_missing) {
  EXPECT_EQ(fit_arrivals(std::vector<Arrivals>{drawn({}, 101, 1)}).error().text,
            "100 times between arrivals; a fit needs 200");
  EXPECT_FALSE(fit_arrivals(std::vector<Arrivals>{Arrivals(500, 1.0)}));
  EXPECT_FALSE(fit_arrivals(std::vector<Arrivals>{Arrivals{2, 1}}));
}

TEST(Likelihood, of_models_that_are_poisson_processes_is_that_of_one) {
  const std::vector<Arrivals> parts{drawn({}, 300, 7), drawn({}, 50, 8)};
  double gaps = 0;
  for (const Arrivals& part : parts) gaps += part.back() - part.front();
  const double expected = 348 * std::log(900.0) - 900 * gaps;
  expect_close(log_likelihood(Mmpp2{{900, 900}, {3, 5}}, parts), expected, 1e-10);
  expect_close(log_likelihood(Hawkes{.base_rate = 900, .branching = 0, .decay = 2}, parts), expected, 1e-10);
}

TEST(Independence, is_seen_in_values_and_missed_where_there_is_none) {
  std::vector<double> values;
  Random random(9);
  for (int i = 0; i < 1'000; ++i) values.push_back(static_cast<double>(random.below(1'000)));
  EXPECT_GT(independence_p_value(values, 10), 0.01);
  for (std::size_t i = 1; i < values.size(); ++i) values[i] += 0.5 * values[i - 1];
  EXPECT_LT(independence_p_value(values, 10), 1e-6);
  EXPECT_NEAR(autocorrelation(values, 1), 0.5, 0.1);
}

}  // namespace
}  // namespace dojima::queueing
