#include "dojima/measure/statistics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::measure {
namespace {

using namespace std::chrono_literals;

// Medians of twelve runs each. What is expected of them was computed by SciPy 1.17.1, which tools/oracle/run.py holds
// our statistics against.
const std::vector<double> k_old{560.8, 551.2, 571.9, 563.3, 559.1, 580.4, 566.6, 661.0, 554.7, 562.5, 569.9, 557.3};
const std::vector<double> k_new{575.1, 566.0, 570.2, 577.8, 574.9, 590.6, 581.5, 602.2, 569.4, 578.8, 571.3, 577.7};

std::vector<double> differences() {
  std::vector<double> result;
  for (std::size_t at = 0; at < k_old.size(); ++at) result.push_back(k_new[at] - k_old[at]);
  return result;
}

TEST(Statistics, agree_with_numpy_on_quantiles) {
  EXPECT_DOUBLE_EQ(median(k_old), 562.9);
  EXPECT_NEAR(median_absolute_deviation(k_old), 6.3, 1e-12);
  EXPECT_NEAR(quantile(k_old, 0.1), 554.96, 1e-10);
  EXPECT_NEAR(quantile(k_old, 0.99), 652.134, 1e-10);
  EXPECT_EQ(quantile(k_old, 0), 551.2);
  EXPECT_EQ(quantile(k_old, 1), 661.0);
}

TEST(Statistics, have_no_median_of_nothing) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(median_absolute_deviation({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

RC_GTEST_PROP(Statistics, have_a_median_between_equal_halves, ()) {
  const auto whole = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-50, 50)));
  const std::vector<double> values(whole.begin(), whole.end());
  const double middle = median(values);
  const auto below = std::count_if(values.begin(), values.end(), [middle](double v) { return v < middle; });
  const auto above = std::count_if(values.begin(), values.end(), [middle](double v) { return v > middle; });
  RC_ASSERT(2 * below <= static_cast<std::ptrdiff_t>(values.size()));
  RC_ASSERT(2 * above <= static_cast<std::ptrdiff_t>(values.size()));
  RC_ASSERT(middle == quantile(values, 0.5));
}

TEST(Wilcoxon, agrees_with_scipy_without_ties) {
  const RankTest test = wilcoxon_signed_rank(differences());
  EXPECT_EQ(test.statistic, 14.0);
  EXPECT_NEAR(test.p_value, 0.05224609375, 1e-12);
}

TEST(Wilcoxon, agrees_with_scipys_permutations_where_values_tie) {
  const std::vector<double> ties{0, 1, -1, 2, 2, 3, -2, 4, 5, 3};
  const RankTest test = wilcoxon_signed_rank(ties);
  EXPECT_EQ(test.statistic, 5.5);
  EXPECT_NEAR(test.p_value, 0.05078125, 1e-12);
}

TEST(Wilcoxon, agrees_with_scipys_normal_approximation_of_many) {
  std::vector<double> many;
  for (int i = 0; i < 80; ++i) many.push_back((i * 7919 % 1000) / 10.0 - 45);
  const RankTest test = wilcoxon_signed_rank(many);
  EXPECT_EQ(test.statistic, 1315.0);
  EXPECT_NEAR(test.p_value, 0.14349555399894978, 1e-12);
}

TEST(Wilcoxon, sees_nothing_in_nothing) {
  EXPECT_EQ(wilcoxon_signed_rank({}).p_value, 1.0);
  EXPECT_EQ(wilcoxon_signed_rank(std::vector<double>{0, 0, 0}).p_value, 1.0);
  EXPECT_EQ(wilcoxon_signed_rank(std::vector<double>{5}).p_value, 1.0);
}

TEST(MannWhitney, agrees_with_scipys_exact_test) {
  const RankTest test = mann_whitney(k_new, k_old);
  EXPECT_EQ(test.statistic, 116.0);
  EXPECT_NEAR(test.p_value, 0.010044538850569273, 1e-12);
  EXPECT_NEAR(mann_whitney(k_old, k_new).p_value, test.p_value, 1e-15);
}

TEST(MannWhitney, agrees_with_scipys_normal_approximation_where_values_tie) {
  const std::vector<double> first{1, 2, 2, 3, 5, 5, 5, 8};
  const std::vector<double> second{2, 4, 5, 5, 6, 8, 9};
  const RankTest test = mann_whitney(first, second);
  EXPECT_EQ(test.statistic, 16.5);
  EXPECT_NEAR(test.p_value, 0.19277759410321904, 1e-12);
  EXPECT_EQ(mann_whitney(std::vector<double>{1, 1}, std::vector<double>{1, 1, 1}).p_value, 1.0);
}

TEST(Bootstrap, gives_the_interval_that_scipy_gives) {
  // SciPy with 200,000 resamples: 558.2 .. 570.9; resampling moves the ends by about one gap between values.
  const Interval interval = median_interval(k_old, 0.95, {.seed = 7, .resamples = 20'000});
  EXPECT_DOUBLE_EQ(interval.estimate, 562.9);
  EXPECT_NEAR(interval.low, 558.2, 0.6);
  EXPECT_NEAR(interval.high, 570.9, 1.1);
}

TEST(Bootstrap, gives_scipys_interval_of_a_ratio_of_medians) {
  const Interval interval = ratio_interval(k_new, k_old, 0.95, {.seed = 7, .resamples = 20'000});
  EXPECT_DOUBLE_EQ(interval.estimate, 1.0239829454610057);
  EXPECT_NEAR(interval.low, 1.00662, 0.0015);
  EXPECT_NEAR(interval.high, 1.03511, 0.0015);
}

TEST(Bootstrap, repeats_itself_with_the_same_seed_only) {
  const Interval one = median_interval(k_old, 0.9, {.seed = 3, .resamples = 300});
  const Interval again = median_interval(k_old, 0.9, {.seed = 3, .resamples = 300});
  EXPECT_EQ(one.low, again.low);
  EXPECT_EQ(one.high, again.high);
  const std::vector<double> alone{5};
  EXPECT_EQ(median_interval(alone, 0.95).relative_half_width(), 0.0);
}

TEST(PercentileSupport, prints_with_ten_values_above_and_calls_a_hundred_stable) {
  EXPECT_FALSE(percentile_support(999, 0.99).is_printable);
  EXPECT_TRUE(percentile_support(1'000, 0.99).is_printable);
  EXPECT_FALSE(percentile_support(9'999, 0.99).is_stable);
  EXPECT_TRUE(percentile_support(10'000, 0.99).is_stable);
  EXPECT_TRUE(percentile_support(10'000, 0.999).is_printable);
  EXPECT_FALSE(percentile_support(9'999, 0.999).is_printable);
  EXPECT_TRUE(percentile_support(1'000'000, 0.99999).is_printable);
  EXPECT_FALSE(percentile_support(999'999, 0.99999).is_printable);
  EXPECT_TRUE(percentile_support(20, 0.5).is_printable);
  EXPECT_FALSE(percentile_support(19, 0.5).is_printable);
}

TEST(PercentileRanks, are_the_quantiles_of_the_binomial_distribution) {
  EXPECT_EQ(percentile_ranks(1'000, 0.99), (RankInterval{983, 997}));
  EXPECT_EQ(percentile_ranks(100'000, 0.999), (RankInterval{99'880, 99'920}));
  EXPECT_EQ(percentile_ranks(1'000'000, 0.9999), (RankInterval{999'880, 999'920}));
  EXPECT_EQ(percentile_ranks(100, 0.5), (RankInterval{40, 61}));
  EXPECT_EQ(percentile_ranks(20, 0.5), (RankInterval{6, 15}));
  EXPECT_EQ(percentile_ranks(12, 0.5), (RankInterval{3, 10}));
  EXPECT_EQ(percentile_ranks(37, 0.9), (RankInterval{29, 37}));
  EXPECT_EQ(percentile_ranks(10, 0.99), (RankInterval{9, 11})) << "11 of 10: above the largest value";
  EXPECT_EQ(percentile_ranks(0, 0.5), (RankInterval{0, 1}));
}

TEST(StoppingRule, goes_on_until_there_are_runs_enough_and_they_agree) {
  StoppingRule rule;
  std::vector<double> runs(9, 100.0);
  EXPECT_EQ(rule.judge(runs, 1s).answer, StoppingRule::Answer::go_on) << "nine runs are too few";
  runs.push_back(100.0);
  EXPECT_EQ(rule.judge(runs, 1s).answer, StoppingRule::Answer::converged);
  EXPECT_EQ(rule.judge({}, 1s).answer, StoppingRule::Answer::go_on);
}

TEST(StoppingRule, gives_up_at_the_time_cap_and_says_so) {
  StoppingRule rule;
  std::vector<double> runs;
  for (int i = 0; i < 20; ++i) runs.push_back(i % 2 == 0 ? 100 : 110);
  EXPECT_EQ(rule.judge(runs, 1s).answer, StoppingRule::Answer::go_on);
  const StoppingRule::Verdict verdict = rule.judge(runs, rule.time_cap);
  EXPECT_EQ(verdict.answer, StoppingRule::Answer::not_converged);
  EXPECT_NEAR(verdict.relative_mad, 5.0 / 105, 1e-12);
  rule.max_runs = 20;
  EXPECT_EQ(rule.judge(runs, 1s).answer, StoppingRule::Answer::not_converged);
  EXPECT_EQ(rule.judge({}, rule.time_cap).answer, StoppingRule::Answer::not_converged);
}

TEST(StoppingRule, asks_for_a_narrow_interval_as_well_as_a_small_mad) {
  // Most runs agree, so the MAD is 0, but the median may still fall on either side of a gap.
  std::vector<double> runs{100, 100, 100, 100, 100, 100, 120, 120, 120, 120, 120};
  const StoppingRule rule;
  const StoppingRule::Verdict verdict = rule.judge(runs, 1s);
  EXPECT_EQ(verdict.relative_mad, 0.0);
  EXPECT_GT(verdict.relative_half_width, 0.02);
  EXPECT_EQ(verdict.answer, StoppingRule::Answer::go_on);
}

TEST(Random, draws_the_same_numbers_everywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 10451216379200822465u);
  EXPECT_EQ(random.next(), 13757245211066428519u);
}

}  // namespace
}  // namespace dojima::measure
