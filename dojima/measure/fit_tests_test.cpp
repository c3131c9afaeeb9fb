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

/// Exactly what the article calls its times: 600 and an exponential of mean 30 above it.
std::vector<double> shifted_exponential(std::size_t n, double unit) {
  Random random(11);
  std::vector<double> values;
  while (values.size() < n) {
    const double value = 600 - 30 * std::log(1 - random.unit());
    values.push_back(unit > 0 ? std::round(value / unit) * unit : value);
  }
  return values;
}

TEST(FitTests, accept_an_exponential_sample_as_one_and_as_nothing_else) {
  const std::vector<double> values = exponential(2'000, 200, 0);
  EXPECT_FALSE(test_fit(FitModel::exponential, values, {}).is_rejected());
  EXPECT_FALSE(test_fit(FitModel::shifted_exponential, values, {}).is_rejected());
  EXPECT_TRUE(test_fit(FitModel::lognormal, values, {}).is_rejected());
}

TEST(FitTestsLong, do_not_reject_a_distribution_for_the_steps_of_the_clock) {
  // A hundred thousand values of an exponential in steps of 10: away from the edges every step is a jump.
  const std::vector<double> values = exponential(100'000, 2'000, 10);
  EXPECT_TRUE(
      test_fit(FitModel::shifted_exponential, std::vector(values.begin(), values.begin() + 50'000), {}).distance >
      0.002);
  EXPECT_LT(test_fit(FitModel::exponential, std::vector(values.begin(), values.begin() + 3'000), {10}).distance, 0.03);
}

TEST(FitTests, reject_values_that_gather_in_one_place) {
  std::vector<double> values(1'000, 230);
  for (std::size_t i = 0; i < 100; ++i) values[i] = 240;
  values[100] = 4e6;
  for (const FitModel model : k_fit_models) {
    const FitTest test = test_fit(model, values, {10});
    EXPECT_TRUE(test.is_rejected()) << name_of(model);
    EXPECT_TRUE(test.is_bound);
  }
}

TEST(FitTests, measure_the_distance_by_hand) {
  // Values 1 and 3, mean 2: the curve is 1 - exp(-x / 2); the largest step away is below 1.
  const FitTest test = test_fit(FitModel::exponential, std::vector<double>{1, 3}, {});
  EXPECT_NEAR(test.distance, std::max(1 - std::exp(-0.5), 1 - std::exp(-1.5) - 0.5), 1e-12);
}

TEST(FitTests, find_the_scale_of_a_model_that_was_cut_off) {
  std::vector<double> values = shifted_exponential(50'000, 0);
  std::erase_if(values, [](double value) { return value > 700; });
  const FitTest cut = test_fit(FitModel::shifted_exponential, values, {0, 700});
  EXPECT_NEAR(cut.scale, 30, 1);
  EXPECT_FALSE(cut.is_rejected()) << cut.distance;
  EXPECT_TRUE(test_fit(FitModel::shifted_exponential, values, {}).is_rejected()) << "it does not go on for ever";
}

TEST(FitTests, find_a_lognormal_that_was_cut_off) {
  Random random(5);
  std::vector<double> values;
  while (values.size() < 5'000) {
    const double normal = std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(6.283185307179586 * random.unit());
    const double value = std::exp(6 + 0.2 * normal);
    if (value <= 520) values.push_back(value);
  }
  const FitTest test = test_fit(FitModel::lognormal, values, {0, 520});
  EXPECT_NEAR(test.location, 6, 0.02);
  EXPECT_NEAR(test.scale, 0.2, 0.02);
  EXPECT_FALSE(test.is_rejected());
}

TEST(Shape, of_a_shifted_exponential_with_seven_stalls_is_just_that) {
  for (const double unit : {0.0, 1.0, 10.0}) {
    std::vector<double> values = shifted_exponential(20'000, unit);
    for (std::size_t i = 0; i < 7; ++i) values[i * 1'000] = 4e6;
    EXPECT_TRUE(test_fit(FitModel::shifted_exponential, values, {unit}).is_rejected()) << "the stalls decide";
    const Shape shape = shape_of(values, unit);
    ASSERT_NE(shape.nearest(), nullptr);
    EXPECT_EQ(shape.nearest()->model, FitModel::shifted_exponential) << unit;
    EXPECT_FALSE(shape.nearest()->is_rejected()) << unit << ": " << shape.nearest()->distance;
    EXPECT_NEAR(shape.nearest()->scale, 30, 1) << unit;
    EXPECT_EQ(shape.stalls, 7u) << unit;
    EXPECT_EQ(shape.least_stall, 4e6);
    EXPECT_NEAR(static_cast<double>(shape.bulk_count), 19'800, unit * 60 + 1);
    ASSERT_TRUE(shape.tail) << unit;
    EXPECT_NEAR(shape.tail->scale, 30, 8) << unit;
  }
}

TEST(ShapeLong, of_a_hundred_thousand_values_is_not_turned_by_seven_of_them) {
  std::vector<double> values = shifted_exponential(100'000, 0);
  for (std::size_t i = 0; i < 7; ++i) values[i * 1'000] = 4e6;
  const Shape shape = shape_of(values, 0);
  EXPECT_EQ(shape.nearest()->model, FitModel::shifted_exponential);
  EXPECT_FALSE(shape.nearest()->is_rejected()) << shape.nearest()->distance;
  EXPECT_EQ(shape.stalls, 7u);
}

TEST(Shape, rejects_an_exponential_where_there_is_none) {
  Random random(9);
  std::vector<double> values;
  for (int i = 0; i < 5'000; ++i) values.push_back(500 + 60 * random.unit());
  const Shape shape = shape_of(values, 0);
  for (const FitTest& test : shape.bulk) EXPECT_TRUE(test.is_rejected()) << name_of(test.model);
  EXPECT_EQ(shape.stalls, 0u);
}

TEST(Shape, of_two_steps_fits_anything_and_says_so) {
  std::vector<double> values(1'000, 260);
  for (std::size_t i = 0; i < 300; ++i) values[i] = 270;
  const Shape shape = shape_of(values, 10);
  EXPECT_EQ(shape.bulk_steps, 2u);
  EXPECT_FALSE(shape.has_enough_steps());
  EXPECT_TRUE(shape_of(shifted_exponential(1'000, 1), 1).has_enough_steps());
}

TEST(Shape, of_one_value_has_no_fit) {
  const Shape shape = shape_of(std::vector<double>(500, 280), 10);
  EXPECT_TRUE(shape.bulk.empty());
  EXPECT_EQ(shape.nearest(), nullptr);
  EXPECT_EQ(shape.stalls, 0u);
  std::vector<double> values(500, 280);
  values[3] = 9'000;
  EXPECT_EQ(shape_of(values, 10).stalls, 1u);
}

TEST(Lattice, is_where_values_keep_to_the_known_step_of_the_clock) {
  Random random(3);
  std::vector<double> stepped;
  std::vector<double> free;
  for (int i = 0; i < 10'000; ++i) {
    stepped.push_back(10.01 * static_cast<double>(22 + random.below(3)));
    free.push_back(std::round(500 + 60 * random.unit()));
  }
  EXPECT_EQ(lattice_of(stepped, 10.01).quantum, 10.01);
  EXPECT_GT(lattice_of(stepped, 10.01).share, 0.999);
  EXPECT_EQ(lattice_of(free, 10.01).quantum, 0) << "it takes every nanosecond";
  EXPECT_EQ(lattice_of(stepped, 0.5).quantum, 0) << "a step finer than a value";
}

TEST(Lattice, is_none_where_a_narrow_bulk_and_its_echo_look_like_two_steps) {
  // A counter of 0.5 ns: the bulk takes every nanosecond from 500 to 560, some values lie 130 ns farther.
  Random random(3);
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) {
    const double late = i % 50 == 0 ? 130 : 0;
    values.push_back(std::round(500 + 60 * random.unit() + late));
  }
  EXPECT_EQ(lattice_of(values, 0.5).quantum, 0);
  EXPECT_EQ(clock_step_of(values, 0.5), 0);
}

TEST(ClockStep, is_the_counters_where_readings_keep_to_it_and_the_clocks_own_elsewhere) {
  std::vector<double> of_counter, of_chip, of_processor;
  for (int i = 0; i < 1'000; ++i) {
    of_counter.push_back(10.0 * (2 + i % 2));
    of_chip.push_back(70.0 * (8 + i % 3));
    of_processor.push_back(380 + i % 41);
  }
  EXPECT_EQ(clock_step_of(of_counter, 10.01), 10.01);
  EXPECT_NEAR(clock_step_of(of_chip, 0.5), 70, 0.1);
  EXPECT_EQ(clock_step_of(of_processor, 10.01), 0);
}

}  // namespace
}  // namespace dojima::measure
