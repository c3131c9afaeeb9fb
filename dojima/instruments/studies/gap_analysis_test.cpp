#include "dojima/instruments/studies/gap_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr std::uint64_t k_second = 1'000'000'000;

/// A recording made by hand: what is planted, in the order of time.
class Planted {
 public:
  explicit Planted(double seconds) { trace_.span_ns = static_cast<std::uint64_t>(seconds * 1e9); }

  /// Gaps every `period_ns`, each up to `wobble_ns` late, of which only the share `seen` is there.
  Planted& train(std::uint64_t period_ns, std::uint64_t duration_ns, std::uint64_t wobble_ns, double seen = 1,
                 std::uint64_t first_ns = 1'234'567) {
    for (std::uint64_t at = first_ns; at < trace_.span_ns; at += period_ns) {
      const std::uint64_t late = wobble_ns == 0 ? 0 : random_.below(wobble_ns);
      const std::uint64_t longer = random_.below(duration_ns / 10 + 1);
      if (random_.unit() < seen) trace_.gaps.push_back({at + late, duration_ns + longer});
    }
    return *this;
  }
  /// Gaps at random, `rate` a second, of 2 to 9 us.
  Planted& noise(double rate) {
    const double span_s = static_cast<double>(trace_.span_ns) * 1e-9;
    for (double at = 0; (at += -std::log(1 - random_.unit()) / rate) < span_s;) {
      trace_.gaps.push_back({static_cast<std::uint64_t>(at * 1e9), 2'000 + random_.below(7'000)});
    }
    return *this;
  }
  Planted& single(std::uint64_t at_ns, std::uint64_t duration_ns) {
    trace_.gaps.push_back({at_ns, duration_ns});
    return *this;
  }
  [[nodiscard]] GapTrace trace() {
    std::ranges::sort(trace_.gaps, {}, &Gap::at_ns);
    return trace_;
  }

 private:
  GapTrace trace_;
  measure::Random random_{20'121'023};
};

const Period* period_near(const std::vector<Period>& periods, double seconds) {
  const auto found = std::ranges::find_if(
      periods, [seconds](const Period& one) { return std::abs(one.seconds - seconds) < 0.001 * seconds; });
  return found == periods.end() ? nullptr : &*found;
}

TEST(GapStatistics, counts_gaps_and_lost_time) {
  GapTrace trace{.span_ns = 2 * k_second};
  for (std::uint64_t i = 1; i <= 1'000; ++i) trace.gaps.push_back({i * 1'000'000, i * 10});
  const GapStatistics statistics = gap_statistics(trace);
  EXPECT_EQ(statistics.count, 1'000u);
  EXPECT_DOUBLE_EQ(statistics.per_second, 500);
  EXPECT_DOUBLE_EQ(statistics.lost_share, 500'500.0 * 10 / 2e9);
  EXPECT_EQ(statistics.min_ns, 10u);
  EXPECT_EQ(statistics.median_ns, 5'000u);
  EXPECT_EQ(statistics.p99_ns, 9'900u);
  EXPECT_EQ(statistics.p999_ns, 9'990u);
  EXPECT_EQ(statistics.max_ns, 10'000u);
  EXPECT_EQ(count_from(trace, 2'000), 801u);
  EXPECT_EQ(gap_statistics({.span_ns = k_second}).count, 0u);
}

TEST(GapPeriods, finds_the_tick_of_a_kernel_among_gaps_at_random) {
  const auto periods = periods_of(Planted(8).train(4'000'000, 13'000, 20'000, 0.6).noise(300).trace());
  ASSERT_EQ(periods.size(), 1u);
  EXPECT_NEAR(periods[0].seconds, 0.004, 1e-8);
  EXPECT_GT(periods[0].coherence, 0.9);
  EXPECT_NEAR(periods[0].cycles_hit, 0.6, 0.05);
  EXPECT_EQ(likely_cause(periods[0]), "timer tick, 250 Hz");
}

TEST(GapPeriods, finds_a_tick_also_where_noise_of_the_same_length_is_as_frequent) {
  const auto periods = periods_of(Planted(8).train(4'000'000, 5'000, 30'000).noise(250).trace());
  ASSERT_FALSE(periods.empty());
  EXPECT_NEAR(periods[0].seconds, 0.004, 1e-7);
}

TEST(GapPeriods, finds_a_budget_and_a_tick_that_overlay_each_other) {
  const auto periods =
      periods_of(Planted(8).train(k_second, 50'000'000, 3'000'000).train(4'000'000, 13'000, 15'000).trace());
  ASSERT_EQ(periods.size(), 2u);
  ASSERT_NE(period_near(periods, 0.004), nullptr);
  const auto budget = std::ranges::find_if(periods, [](const Period& one) { return one.seconds > 0.5; });
  ASSERT_NE(budget, periods.end());
  EXPECT_NEAR(budget->seconds, 1, 0.005);
  EXPECT_EQ(budget->gaps, 8u);
  EXPECT_EQ(likely_cause(*budget), "budget of real-time threads");
}

TEST(GapPeriods, finds_two_ticks_of_gaps_of_one_length) {
  const auto periods =
      periods_of(Planted(10).train(4'000'000, 13'000, 15'000).train(33'000'000, 14'000, 15'000, 1, 7'777).trace());
  ASSERT_EQ(periods.size(), 2u);
  EXPECT_NE(period_near(periods, 0.004), nullptr);
  EXPECT_NE(period_near(periods, 0.033), nullptr);
}

TEST(GapPeriods, finds_none_in_gaps_at_random_in_bursts_and_in_single_ones) {
  EXPECT_TRUE(periods_of(Planted(8).noise(600).trace()).empty());
  EXPECT_TRUE(periods_of(Planted(8).single(k_second, 4'000'000).single(5 * k_second, 300'000).trace()).empty());
  // One second of 2 in which gaps are ten times as frequent.
  Planted bursts(10);
  measure::Random random(7);
  for (int burst = 0; burst < 5; ++burst) {
    const std::uint64_t begin = random.below(9'000) * 1'000'000;
    for (int i = 0; i < 300; ++i) bursts.single(begin + random.below(1'000'000'000), 3'000);
  }
  EXPECT_TRUE(periods_of(bursts.trace()).empty());
  EXPECT_TRUE(periods_of({}).empty());
}

TEST(GapPeriods, are_found_in_none_of_two_hundred_random_recordings) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    GapTrace trace{.span_ns = 2 * k_second};
    measure::Random random(seed);
    for (double at = 0; (at += -std::log(1 - random.unit()) / 100) < 2;) {
      trace.gaps.push_back({static_cast<std::uint64_t>(at * 1e9), 1'000 + random.below(100'000)});
    }
    if (!periods_of(trace).empty()) ++found;
  }
  EXPECT_LE(found, 1u);
}

TEST(GapSpectrum, has_its_peaks_at_the_planted_frequency_and_its_multiples) {
  std::vector<double> seconds;
  for (int i = 0; i < 1'000; ++i) seconds.push_back(0.008 * i + 0.000'3);
  const auto spectrum = spectrum_of(seconds, 8);
  ASSERT_FALSE(spectrum.empty());
  const auto power_at = [&spectrum](double hertz) {
    const auto point = std::ranges::min_element(
        spectrum, {}, [hertz](const SpectrumPoint& one) { return std::abs(one.hertz - hertz); });
    return point->power;
  };
  EXPECT_GT(power_at(125), 500);
  EXPECT_GT(power_at(250), 500);
  EXPECT_LT(power_at(190), 1);
  EXPECT_GE(spectrum.front().hertz, 0.5) << "four cycles of the span at least";
  EXPECT_NEAR(spectrum.back().hertz, 1'000, 1);
  const auto few = thinned(spectrum, 100);
  EXPECT_EQ(few.size(), 100u);
  EXPECT_EQ(std::ranges::max(few, {}, &SpectrumPoint::power).power,
            std::ranges::max(spectrum, {}, &SpectrumPoint::power).power);
}

TEST(GapSpectrum, is_one_on_average_where_there_is_no_rhythm) {
  measure::Random random(3);
  std::vector<double> seconds;
  for (double at = 0; (at += -std::log(1 - random.unit()) / 500) < 10;) seconds.push_back(at);
  double mean = 0;
  const auto spectrum = spectrum_of(seconds, 10);
  for (const SpectrumPoint& point : spectrum) mean += point.power / static_cast<double>(spectrum.size());
  EXPECT_NEAR(mean, 1, 0.05);
  EXPECT_TRUE(spectrum_of({}, 1).empty());
}

TEST(Throttling, is_recognised_by_gaps_of_what_the_budget_leaves_once_a_period) {
  const RealTimeBudget budget;
  const auto found = throttling_of(
      Planted(6).train(k_second, 50'000'000, 4'000'000).train(4'000'000, 13'000, 15'000).noise(300).trace(), budget);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->gaps, 6u);
  EXPECT_NEAR(static_cast<double>(found->median_duration_ns), 5.2e7, 3e6);
  EXPECT_NEAR(static_cast<double>(found->median_distance_ns), 1e9, 5e6);
  // As seen on a kernel that looks at its ticks only: 54 ms.
  EXPECT_TRUE(throttling_of(Planted(6).train(k_second, 54'000'000, 0).trace(), budget).has_value());
}

TEST(Throttling, may_skip_a_period_in_which_nobody_wanted_the_processor) {
  Planted planted(10);
  for (const std::uint64_t second : {1u, 2u, 4u, 5u, 8u}) planted.single(second * k_second, 52'000'000);
  const auto found = throttling_of(planted.trace(), {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->median_distance_ns, k_second);
}

// As seen where a deadline server serves the others: 50, 44 and then 32 and 12 ms, 52 ms; each second in all the same.
TEST(Throttling, is_recognised_where_others_take_what_is_left_in_parts) {
  Planted planted(5);
  for (const auto& [at_ms, duration_ms] :
       {std::pair{1'009u, 50u}, {2'036u, 5u}, {2'063u, 44u}, {3'411u, 32u}, {3'727u, 12u}, {4'687u, 52u}}) {
    planted.single(at_ms * 1'000'000ull, duration_ms * 1'000'000ull);
  }
  const auto found = throttling_of(planted.train(4'000'000, 13'000, 15'000).trace(), {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->gaps, 6u);
  EXPECT_NEAR(static_cast<double>(found->median_duration_ns), 5e7, 3e6);
  // Far more or far less than what is left is something else.
  EXPECT_FALSE(throttling_of(Planted(5).train(100'000'000, 40'000'000, 0).trace(), {}).has_value());
  EXPECT_FALSE(throttling_of(Planted(5).train(500'000'000, 2'000'000, 0).trace(), {}).has_value());
}

// As seen on a second run, right after a first one of the same length: in parts until the first run is forgotten.
TEST(Throttling, is_recognised_in_a_run_right_after_another) {
  Planted planted(8);
  for (const auto& [at_ms, duration_us] : {std::pair{996u, 12'500u},
                                           {1'036u, 7'400u},
                                           {2'024u, 9'100u},
                                           {2'056u, 10'500u},
                                           {2'088u, 7'500u},
                                           {3'080u, 10'000u},
                                           {3'108u, 9'600u},
                                           {5'518u, 51'400u},
                                           {6'521u, 50'500u},
                                           {7'522u, 54'000u}}) {
    planted.single(at_ms * 1'000'000ull, duration_us * 1'000ull);
  }
  const auto found = throttling_of(planted.train(4'000'000, 13'000, 15'000).trace(), {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->gaps, 3u);
  EXPECT_NEAR(static_cast<double>(found->median_distance_ns), 1e9, 5e6);
}

TEST(Throttling, is_not_seen_in_long_gaps_of_another_rhythm_or_length) {
  EXPECT_FALSE(throttling_of(Planted(6).train(700'000'000, 50'000'000, 0).trace(), {}).has_value());
  EXPECT_FALSE(throttling_of(Planted(6).train(k_second, 4'000'000, 0).trace(), {}).has_value());
  EXPECT_FALSE(throttling_of(Planted(6).train(k_second, 200'000'000, 0).trace(), {}).has_value());
  EXPECT_FALSE(throttling_of(Planted(2).train(k_second, 50'000'000, 0).trace(), {}).has_value()) << "two gaps only";
  EXPECT_FALSE(throttling_of(Planted(6).train(k_second, 50'000'000, 0).trace(), {k_second, k_second}).has_value())
      << "there is no budget";
}

}  // namespace
}  // namespace dojima::instruments
