#include "dojima/queueing/fills/birth_death.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/measure/statistics.hpp"

namespace dojima::queueing {
namespace {

/// First-step analysis on a finite table: no transform in it.
double race_by_table(const TouchRates& rates, std::uint32_t ahead, std::uint32_t other) {
  const std::size_t top = other + 400;
  std::vector<double> before(top + 2, 1.0);
  for (std::uint32_t place = 0; place <= ahead; ++place) {
    const double own = rates.execution + rates.cancel * place;
    // own * before(m) + a x(m+1) + d(m) x(m-1) = total(m) x(m); x(0) = 0, x(top+1) = x(top): Thomas' algorithm.
    std::vector<double> upper(top + 2, 0), right(top + 2, 0), chance(top + 2, 0);
    for (std::size_t m = 1; m <= top; ++m) {
      const double down = rates.execution + rates.cancel * static_cast<double>(m - 1);
      const double total = own + down + (m == top ? 0 : rates.arrival) + 2 * rates.improvement;
      const double pivot = total - down * upper[m - 1];
      upper[m] = (m == top ? 0 : rates.arrival) / pivot;
      right[m] = (own * (place == 0 ? 1 : before[m]) + down * right[m - 1]) / pivot;
    }
    for (std::size_t m = top; m >= 1; --m) chance[m] = right[m] + upper[m] * chance[m + 1];
    before = chance;
  }
  return before[other];
}

/// That `orders` exponential times of mean 1 add up to at most `time`: a Poisson count of at least as many.
double erlang(std::uint32_t orders, double time) {
  double less = 0;
  for (std::uint32_t count = 0; count < orders; ++count)
    less += std::exp(count * std::log(time) - time - std::lgamma(count + 1.0));
  return 1 - less;
}

TEST(BirthDeath, fills_in_time_as_a_sum_of_exponential_times_does) {
  EXPECT_NEAR(filled_within({.execution = 0.5}, 0, 2), 1 - std::exp(-1), 2e-8);
  EXPECT_NEAR(filled_within({.execution = 1}, 1, 1), 1 - 2 * std::exp(-1), 2e-8);                        // Erlang
  EXPECT_NEAR(filled_within({.execution = 1, .cancel = 1}, 1, 1), std::pow(1 - std::exp(-1), 2), 2e-8);  // of 1 and 2
  EXPECT_NEAR(filled_within({.execution = 1, .improvement = 1}, 0, 1), (1 - std::exp(-2)) / 2, 2e-8);
  EXPECT_LT(filled_within({.execution = 1}, 1000, 1), 1e-7);
  for (const std::uint32_t ahead : {5u, 20u, 100u, 999u})
    for (const double share : {0.5, 0.9, 1.0, 1.1, 2.0})
      EXPECT_NEAR(filled_within({.execution = 1}, ahead, share * (ahead + 1)), erlang(ahead + 1, share * (ahead + 1)),
                  5e-8)
          << ahead << ' ' << share;
}

TEST(BirthDeath, wins_the_race_as_first_step_analysis_says) {
  EXPECT_NEAR(filled_before_move({.execution = 1}, 0, 1), 0.5, 1e-9);
  EXPECT_NEAR(filled_before_move({.execution = 1, .improvement = 1}, 0, 1), 0.25, 1e-9);
  for (const TouchRates& rates :
       {TouchRates{1.2, 0.9, 0.3, 0}, TouchRates{0.8, 0.2, 0.05, 0.4}, TouchRates{0, 1, 0.5, 0.1}})
    for (const std::uint32_t ahead : {0u, 1u, 4u, 20u})
      for (const std::uint32_t other : {1u, 2u, 7u, 30u})
        EXPECT_NEAR(filled_before_move(rates, ahead, other), race_by_table(rates, ahead, other), 1e-9)
            << ahead << ' ' << other;
}

/// Both queues step by step, with the order at its place.
TEST(BirthDeath, agrees_with_simulated_queues) {
  const TouchRates rates{1.0, 0.6, 0.2, 0.1};
  constexpr std::uint32_t k_ahead = 3, k_other = 4;
  constexpr int k_runs = 20'000;
  measure::Random random(5);
  int in_time = 0, first = 0;
  for (int run = 0; run < k_runs; ++run) {
    std::uint32_t ahead = k_ahead, other = k_other;
    double now = 0;
    bool is_racing = true, is_over = false;
    while (!is_over) {
      const double own = rates.execution + rates.cancel * ahead;
      const double shrink = other > 0 ? rates.execution + rates.cancel * (other - 1) : 0;
      const double total = own + shrink + rates.arrival + 2 * rates.improvement;
      now -= std::log(1 - random.unit()) / total;
      double draw = random.unit() * total;
      if (draw < own) {
        if (ahead > 0) {
          --ahead;
        } else {
          in_time += now <= 5;
          first += is_racing;
          is_over = true;
        }
      } else if ((draw -= own) < shrink) {
        is_racing = is_racing && --other > 0;
      } else if ((draw -= shrink) < rates.arrival) {
        ++other;
      } else {
        is_racing = false;
        is_over = draw - rates.arrival < rates.improvement;  // on its own side
      }
    }
  }
  const double near = 4 * std::sqrt(0.25 / k_runs);
  EXPECT_NEAR(filled_within(rates, k_ahead, 5), in_time / static_cast<double>(k_runs), near);
  EXPECT_NEAR(filled_before_move(rates, k_ahead, k_other), first / static_cast<double>(k_runs), near);
}

}  // namespace
}  // namespace dojima::queueing
