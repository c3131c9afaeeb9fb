#include "dojima/measure/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::measure {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

double quantile_of_sorted(std::span<const double> sorted, double share) {
  if (sorted.empty()) return k_nan;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The median; puts `values` into another order.
double median_in_place(std::span<double> values) {
  if (values.empty()) return k_nan;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Medians of resamples of some values: which places are drawn is counted, and counting up to the middle of the sorted
/// values needs no sorting of each draw.
class Resampler {
 public:
  explicit Resampler(std::span<const double> values) : sorted_(values.begin(), values.end()), times_(values.size()) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  double draw_median(Random& random) {
    std::fill(times_.begin(), times_.end(), 0u);
    for (std::size_t i = 0; i < sorted_.size(); ++i) ++times_[random.below(sorted_.size())];
    const std::size_t middle = (sorted_.size() - 1) / 2;  // the lower one of two
    std::size_t at = 0;
    std::size_t seen = times_[0];
    while (seen <= middle) seen += times_[++at];
    const double lower = sorted_[at];
    if (sorted_.size() % 2 != 0) return lower;
    while (seen <= middle + 1) seen += times_[++at];
    return (lower + sorted_[at]) / 2;
  }

 private:
  std::vector<double> sorted_;
  std::vector<unsigned> times_;
};

Interval interval_of(double estimate, std::vector<double>& resampled, double confidence) {
  std::sort(resampled.begin(), resampled.end());
  const double tail = (1 - confidence) / 2;
  return {estimate, quantile_of_sorted(resampled, tail), quantile_of_sorted(resampled, 1 - tail)};
}

/// Ranks from 1, ties sharing the mean of theirs; and the sum of t^3 - t over groups of t ties.
struct Ranks {
  std::vector<double> ranks;
  double tie_term = 0;
};

Ranks rank(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks result{std::vector<double>(values.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + 1 + last) / 2;
    for (std::size_t at = first; at < last; ++at) result.ranks[order[at]] = shared;
    const auto ties = static_cast<double>(last - first);
    result.tie_term += ties * ties * ties - ties;
    first = last;
  }
  return result;
}

/// Two-sided p-value of a standard normal deviate.
double normal_p_value(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

/// The share of all sign patterns whose positive ranks sum to at most `statistic`: ways are counted over doubled ranks,
/// which are whole even where ties share one.
double signed_rank_share(std::span<const double> ranks, double statistic) {
  std::size_t largest = 0;
  for (const double value : ranks) largest += static_cast<std::size_t>(std::lround(2 * value));
  std::vector<double> ways(largest + 1, 0.0);
  ways[0] = 1;
  std::size_t reached = 0;
  for (const double value : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2 * value));
    for (std::size_t sum = reached + 1; sum-- > 0;) ways[sum + step] += ways[sum];
    reached += step;
  }
  const auto limit = static_cast<std::size_t>(std::lround(2 * statistic));
  const double below = std::accumulate(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(limit) + 1, 0.0);
  return below / std::exp2(static_cast<double>(ranks.size()));
}

/// The share of all orders of n + m distinct values in which U is at most `limit`.
double mann_whitney_share(std::size_t n, std::size_t m, std::size_t limit) {
  // ways[j][u]: orders of i values of the first and j of the second sample with that U, i growing from 0 to n.
  const std::size_t largest = n * m;
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(largest + 1, 0.0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      // The largest value is one of the first sample (above all j) or one of the second.
      std::vector<double> next(ways[j - 1]);
      for (std::size_t u = j; u <= largest; ++u) next[u] += ways[j][u - j];
      ways[j] = std::move(next);
    }
  }
  const auto& row = ways[m];
  const double all = std::accumulate(row.begin(), row.end(), 0.0);
  return std::accumulate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(limit) + 1, 0.0) / all;
}

constexpr std::size_t k_exact_signed_ranks = 60;
constexpr std::size_t k_exact_mann_whitney = 40;

}  // namespace

double quantile(std::span<const double> values, double share) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, share);
}

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double median_absolute_deviation(std::span<const double> values) {
  std::vector<double> distances(values.begin(), values.end());
  const double centre = median_in_place(distances);
  for (double& value : distances) value = std::abs(value - centre);
  return median_in_place(distances);
}

double Interval::relative_half_width() const noexcept {
  return estimate == 0 ? std::numeric_limits<double>::infinity() : (high - low) / 2 / std::abs(estimate);
}

Interval median_interval(std::span<const double> values, double confidence, Bootstrap bootstrap) {
  DOJIMA_ASSERT(!values.empty(), "a median needs a value");
  Random random(bootstrap.seed);
  Resampler resampler(values);
  std::vector<double> medians(bootstrap.resamples);
  for (double& of_draw : medians) of_draw = resampler.draw_median(random);
  return interval_of(median(values), medians, confidence);
}

Interval ratio_interval(std::span<const double> numerators, std::span<const double> denominators, double confidence,
                        Bootstrap bootstrap) {
  DOJIMA_ASSERT(!numerators.empty() && !denominators.empty(), "a ratio of medians needs values on both sides");
  Random random(bootstrap.seed);
  Resampler above(numerators);
  Resampler below(denominators);
  std::vector<double> ratios(bootstrap.resamples);
  for (double& of_draw : ratios) {
    const double numerator = above.draw_median(random);
    of_draw = numerator / below.draw_median(random);
  }
  return interval_of(median(numerators) / median(denominators), ratios, confidence);
}

RankTest wilcoxon_signed_rank(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> is_positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    is_positive.push_back(difference > 0);
  }
  if (sizes.empty()) return {};
  const auto [ranks, tie_term] = rank(sizes);
  double positive = 0;
  for (std::size_t at = 0; at < ranks.size(); ++at) positive += is_positive[at] ? ranks[at] : 0;
  const auto n = static_cast<double>(ranks.size());
  const double all = n * (n + 1) / 2;
  const double statistic = std::min(positive, all - positive);
  if (ranks.size() <= k_exact_signed_ranks) {
    return {statistic, std::min(1.0, 2 * signed_rank_share(ranks, statistic))};
  }
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - tie_term / 48;
  return {statistic, normal_p_value((statistic - all / 2) / std::sqrt(variance))};
}

RankTest mann_whitney(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return {};
  std::vector<double> both(first.begin(), first.end());
  both.insert(both.end(), second.begin(), second.end());
  const auto [ranks, tie_term] = rank(both);
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  const double sum = std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(first.size()), 0.0);
  const double u = sum - n * (n + 1) / 2;
  const double smaller = std::min(u, n * m - u);
  if (tie_term == 0 && first.size() <= k_exact_mann_whitney && second.size() <= k_exact_mann_whitney) {
    const double share = mann_whitney_share(first.size(), second.size(), static_cast<std::size_t>(smaller));
    return {u, std::min(1.0, 2 * share)};
  }
  const double all = n + m;
  const double variance = n * m / 12 * ((all + 1) - tie_term / (all * (all - 1)));
  if (variance <= 0) return {u, 1};
  const double z = (n * m / 2 - smaller - 0.5) / std::sqrt(variance);
  return {u, z <= 0 ? 1 : std::min(1.0, normal_p_value(z))};
}

PercentileSupport percentile_support(std::uint64_t count, double share) noexcept {
  // 1 - 0.999 is not quite 0.001 in doubles: half a value keeps the rounding out of the decision.
  const double expected_above = (static_cast<double>(count) + 0.5) * (1 - share);
  return {expected_above >= 10, expected_above >= 100};
}

RankInterval percentile_ranks(std::uint64_t count, double share, double confidence) {
  DOJIMA_ASSERT(share > 0 && share < 1 && confidence > 0 && confidence < 1, "a share and a confidence inside 0..1");
  if (count == 0) return {0, 1};
  namespace policies = boost::math::policies;
  using WholeUpwards = policies::policy<policies::discrete_quantile<policies::integer_round_up>>;
  const boost::math::binomial_distribution<double, WholeUpwards> below(static_cast<double>(count), share);
  const double tail = (1 - confidence) / 2;
  // Boost rounds a quantile that is whole up to rounding; the cumulative shares decide, as the definition says.
  const auto least = [&below, count](double wanted) {
    auto k = static_cast<std::uint64_t>(boost::math::quantile(below, wanted));
    k = std::min(k, count);
    while (k > 0 && boost::math::cdf(below, static_cast<double>(k - 1)) >= wanted) --k;
    while (k < count && boost::math::cdf(below, static_cast<double>(k)) < wanted) ++k;
    return k;
  };
  return {least(tail), least(1 - tail) + 1};
}

StoppingRule::Verdict StoppingRule::judge(std::span<const double> runs, std::chrono::nanoseconds elapsed) const {
  const bool is_over = elapsed >= time_cap || runs.size() >= max_runs;
  Verdict verdict;
  if (runs.empty()) {
    verdict.answer = is_over ? Answer::not_converged : Answer::go_on;
    return verdict;
  }
  verdict.relative_mad = median_absolute_deviation(runs) / std::abs(median(runs));
  const bool is_steady = runs.size() >= min_runs && verdict.relative_mad <= max_relative_mad;
  // The bootstrap is only worth its time when nothing cheaper says to go on.
  if (is_steady || is_over)
    verdict.relative_half_width = median_interval(runs, 0.95, {.seed = seed}).relative_half_width();
  if (is_steady && verdict.relative_half_width <= max_relative_half_width) {
    verdict.answer = Answer::converged;
  } else if (is_over) {
    verdict.answer = Answer::not_converged;
  }
  return verdict;
}

std::string_view name_of(StoppingRule::Answer answer) noexcept {
  switch (answer) {
    case StoppingRule::Answer::go_on:
      return "go on";
    case StoppingRule::Answer::converged:
      return "converged";
    case StoppingRule::Answer::not_converged:
      break;
  }
  return "not converged";
}

}  // namespace dojima::measure
