#include "dojima/measure/comparison.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace dojima::measure {
namespace {

/// How a machine is disturbed.
enum class Noise : std::uint8_t {
  lasting,   ///< slow times last for some runs, as when a neighbour works
  fleeting,  ///< any run may be slow by itself, as with an unlucky placement in memory: harder, pairs do not share it
};

/// Medians of process runs as a shared virtual machine gives them: a spread of 1.8 %, a load that comes and goes over
/// several runs (autoregressive, 0.9 from one run to the next), and one run in ten (lasting) or twenty (fleeting)
/// slower by 4 to 16 %.
class Machine {
 public:
  Machine(Noise noise, std::uint64_t seed) : noise_(noise), random_(seed) {}

  double run(double cost) {
    drift_ = 0.9 * drift_ + 0.008 * normal();
    is_slow_ = noise_ == Noise::lasting && is_slow_ ? random_.unit() >= 0.3
                                                    : random_.unit() < (noise_ == Noise::lasting ? 0.03 : 0.05);
    const double mode = is_slow_ ? 0.04 + 0.12 * random_.unit() : 0;
    return cost * std::exp(drift_ + mode + 0.018 * normal());
  }

 private:
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.unit()));
    return radius * std::cos(2 * std::numbers::pi * random_.unit());
  }

  Noise noise_;
  Random random_;
  double drift_ = 0;
  bool is_slow_ = false;
};

struct Pairs {
  std::vector<double> a;
  std::vector<double> b;
};

Pairs measure(Machine& machine, std::size_t pairs, double cost_a, double cost_b) {
  Pairs result;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const bool a_first = runs_a_first(pair);
    const double first = machine.run(a_first ? cost_a : cost_b);
    const double second = machine.run(a_first ? cost_b : cost_a);
    result.a.push_back(a_first ? first : second);
    result.b.push_back(a_first ? second : first);
  }
  return result;
}

struct Tally {
  int better = 0;
  int worse = 0;
  int same = 0;
  int unstable = 0;
};

Tally repeat(Noise noise, int trials, std::size_t pairs, double cost_b) {
  Machine machine(noise, 20261121);
  Tally tally;
  for (int trial = 0; trial < trials; ++trial) {
    const Pairs runs = measure(machine, pairs, 100, cost_b);
    switch (compare(runs.a, runs.b, {.seed = static_cast<std::uint64_t>(trial)}).verdict) {
      case Verdict::better:
        ++tally.better;
        break;
      case Verdict::worse:
        ++tally.worse;
        break;
      case Verdict::same:
        ++tally.same;
        break;
      case Verdict::unstable:
        ++tally.unstable;
        break;
    }
  }
  return tally;
}

#if defined(DOJIMA_SANITIZED)
constexpr int k_trials = 1'000;  // sanitizers look for mistakes of memory here, not of statistics
#else
constexpr int k_trials = 10'000;
#endif

class ComparisonOfTrialsLong : public testing::TestWithParam<Noise> {};

TEST_P(ComparisonOfTrialsLong, calls_equal_things_different_in_at_most_one_percent) {
  const Tally tally = repeat(GetParam(), k_trials, 20, 100);
  const int alarms = tally.better + tally.worse;
  RecordProperty("alarms", alarms);
  EXPECT_LE(alarms * 100, k_trials) << alarms << " of " << k_trials;
  EXPECT_GE(tally.same * 10, k_trials * 9) << tally.same << " same, " << tally.unstable << " unstable";
}

TEST_P(ComparisonOfTrialsLong, sees_five_percent_with_twenty_pairs_in_nine_of_ten) {
  const Tally slower = repeat(GetParam(), k_trials / 10, 20, 105);
  EXPECT_GE(slower.worse * 10, k_trials / 10 * 9) << slower.worse << " of " << k_trials / 10;
  EXPECT_EQ(slower.better, 0);
  const Tally faster = repeat(GetParam(), k_trials / 10, 20, 100 / 1.05);
  EXPECT_GE(faster.better * 10, k_trials / 10 * 9) << faster.better << " of " << k_trials / 10;
  EXPECT_EQ(faster.worse, 0);
}

INSTANTIATE_TEST_SUITE_P(Noise, ComparisonOfTrialsLong, testing::Values(Noise::lasting, Noise::fleeting),
                         [](const auto& of) { return of.param == Noise::lasting ? "lasting" : "fleeting"; });

TEST(Comparison, calls_noise_unstable) {
  std::vector<double> a;
  std::vector<double> b;
  for (int pair = 0; pair < 20; ++pair) {
    a.push_back(pair % 2 == 0 ? 100 : 150);
    b.push_back(pair % 4 < 2 ? 100 : 150);
  }
  EXPECT_EQ(compare(a, b).verdict, Verdict::unstable);
}

TEST(Comparison, does_not_judge_from_few_pairs) {
  const std::vector<double> a(9, 100.0);
  const std::vector<double> b(9, 200.0);
  EXPECT_EQ(compare(a, b).verdict, Verdict::unstable);
  EXPECT_EQ(compare({}, {}).verdict, Verdict::unstable);
}

TEST(Comparison, calls_a_difference_too_small_to_matter_the_same) {
  std::vector<double> a;
  std::vector<double> b;
  for (int pair = 0; pair < 20; ++pair) {
    a.push_back(100 + pair);
    b.push_back(1.004 * a.back() + pair * 1e-4);
  }
  const Comparison found = compare(a, b);
  EXPECT_LT(found.p_value, 0.001) << "it is seen";
  EXPECT_EQ(found.verdict, Verdict::same) << "and does not matter";
}

TEST(Comparison, knows_that_more_throughput_is_better) {
  std::vector<double> a;
  std::vector<double> b;
  for (int pair = 0; pair < 20; ++pair) {
    a.push_back(1000 + pair);
    b.push_back(1100 + pair * 1.2);
  }
  EXPECT_EQ(compare(a, b).verdict, Verdict::worse);
  EXPECT_EQ(compare(a, b, {.higher_is_better = true}).verdict, Verdict::better);
  EXPECT_EQ(compare(b, a, {.higher_is_better = true}).verdict, Verdict::worse);
}

TEST(Comparison, is_not_fooled_by_a_steady_drift) {
  // Every run is half a percent slower than the one before: with A always first, B would look slower.
  Pairs runs;
  double cost = 100;
  for (std::size_t pair = 0; pair < 20; ++pair) {
    const double first = cost *= 1.005;
    const double second = cost *= 1.005;
    runs.a.push_back(runs_a_first(pair) ? first : second);
    runs.b.push_back(runs_a_first(pair) ? second : first);
  }
  EXPECT_EQ(compare(runs.a, runs.b).verdict, Verdict::same);
}

TEST(Comparison, says_what_it_found_in_a_line) {
  const Comparison found{Verdict::better, {0.951, 0.944, 0.958}, 0.0000019, 0.012, 100, 95, 20};
  EXPECT_EQ(to_text(found), "better: B / A = 0.9510 (0.9440 .. 0.9580), 20 pairs, p = 1.9e-06, MAD 1.2 %");
}

}  // namespace
}  // namespace dojima::measure
