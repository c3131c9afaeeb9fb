#include "dojima/measure/fit_tests.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::measure {
namespace {

std::vector<double> exponential(std::size_t n, double mean, double quantum) {
  Random random(7);
  std::vector<double> values;
  while (values.size() < n) {
    double value = -mean * std::log(1 - random.unit());
    if (quantum > 0) value = std::round(value / quantum) * quantum;
    if (value > 0) values.push_back(value);
  }
  return values;
}

TEST(FitTests, accept_an_exponential_sample_as_one_and_as_nothing_else) {
  const std::vector<double> values = exponential(2'000, 200, 0);
  EXPECT_FALSE(test_fit(FitModel::exponential, values, 0).is_rejected());
  EXPECT_FALSE(test_fit(FitModel::shifted_exponential, values, 0).is_rejected());
  EXPECT_TRUE(test_fit(FitModel::lognormal, values, 0).is_rejected());
}

TEST(FitTestsLong, do_not_reject_a_distribution_for_the_steps_of_the_clock) {
  // A hundred thousand values of an exponential in steps of 10: away from the edges every step is a jump.
  const std::vector<double> values = exponential(100'000, 2'000, 10);
  EXPECT_TRUE(
      test_fit(FitModel::shifted_exponential, std::vector(values.begin(), values.begin() + 50'000), 0).distance >
      0.002);
  EXPECT_LT(test_fit(FitModel::exponential, std::vector(values.begin(), values.begin() + 3'000), 10).distance, 0.03);
}

TEST(FitTests, reject_values_that_gather_in_one_place) {
  std::vector<double> values(1'000, 230);
  for (std::size_t i = 0; i < 100; ++i) values[i] = 240;
  values[100] = 4e6;
  for (const FitModel model : k_fit_models) {
    const FitTest test = test_fit(model, values, 10);
    EXPECT_TRUE(test.is_rejected()) << name_of(model);
    EXPECT_TRUE(test.is_bound);
  }
}

TEST(FitTests, measure_the_distance_by_hand) {
  // Values 1 and 3, mean 2: the curve is 1 - exp(-x / 2); the largest step away is below 1.
  const FitTest test = test_fit(FitModel::exponential, std::vector<double>{1, 3}, 0);
  EXPECT_NEAR(test.distance, std::max(1 - std::exp(-0.5), 1 - std::exp(-1.5) - 0.5), 1e-12);
}

TEST(Lattice, is_found_where_values_keep_to_multiples_and_nowhere_else) {
  Random random(3);
  std::vector<double> stepped;
  std::vector<double> free;
  for (int i = 0; i < 10'000; ++i) {
    stepped.push_back(10.01 * static_cast<double>(22 + random.below(3)));
    free.push_back(500 + 400 * random.unit());
  }
  EXPECT_NEAR(lattice_of(stepped).quantum, 10.01, 0.05);
  EXPECT_GT(lattice_of(stepped).share, 0.999);
  EXPECT_EQ(lattice_of(free).quantum, 0);
}

}  // namespace
}  // namespace dojima::measure
