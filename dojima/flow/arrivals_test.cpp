#include "dojima/flow/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

namespace dojima::flow {
namespace {

using std::chrono::milliseconds;

/// Nanoseconds since the start.
std::vector<std::int64_t> draw(const ArrivalConfig& config, std::uint64_t rate, std::size_t count,
                               std::uint64_t seed = 5) {
  Random random(seed);
  Arrivals arrivals(config, rate, random);
  std::vector<std::int64_t> times;
  std::int64_t now = 0;
  for (std::size_t index = 0; index < count; ++index) times.push_back(now += arrivals.next(random).count());
  return times;
}

/// Variance over mean of the counts in windows of one length: 1 for a Poisson process.
double dispersion(const std::vector<std::int64_t>& times, std::int64_t window) {
  std::vector<double> counts(static_cast<std::size_t>(times.back() / window), 0);
  for (const std::int64_t time : times)
    if (const auto at = static_cast<std::size_t>(time / window); at < counts.size()) ++counts[at];
  double sum = 0, squares = 0;
  for (const double count : counts) sum += count, squares += count * count;
  const double mean = sum / static_cast<double>(counts.size());
  return (squares / static_cast<double>(counts.size()) - mean * mean) / mean;
}

double rate_of(const std::vector<std::int64_t>& times) {
  return static_cast<double>(times.size()) * 1e9 / static_cast<double>(times.back());
}

TEST(Decay, agrees_with_the_exponential_function) {
  Random random(9);
  constexpr std::uint64_t k_value = std::uint64_t{1} << 62;
  for (int count = 0; count < 100'000; ++count) {
    const std::uint64_t x_q32 = random.below(std::uint64_t{20} << 32) >> (count % 30);
    const double expected = std::exp(-std::ldexp(static_cast<double>(x_q32), -32));
    const double got = std::ldexp(static_cast<double>(scaled_by_decay(k_value, x_q32)), -62);
    ASSERT_NEAR(got / expected, 1.0, 2e-9) << x_q32;
  }
  EXPECT_EQ(scaled_by_decay(k_value, 0), k_value);
  EXPECT_EQ(scaled_by_decay(~std::uint64_t{0}, std::uint64_t{64} << 32), 0u);
  static_assert(scaled_by_decay(std::uint64_t{1} << 40, 2977044472) == std::uint64_t{1} << 39,
                "ln 2, at compile time as at run time");
}

TEST(ArrivalsLong, keep_their_mean_rate_in_every_model) {
  for (const std::uint64_t rate : {1ULL, 20'000ULL, 10'000'000ULL}) {
    const auto scaled = [rate](std::int64_t arrivals) { return time::Duration{arrivals * 1'000'000'000} / rate; };
    const time::Duration some = std::clamp<time::Duration>(scaled(20), milliseconds{1} / 1000, std::chrono::minutes{1});
    const ArrivalConfig models[] = {
        {},
        {.model = ArrivalModel::bursts, .burst_share = 200, .burst_factor = 20, .burst_length = some},
        {.model = ArrivalModel::hawkes, .branching = 500, .memory = some},
    };
    for (const ArrivalConfig& config : models)
      EXPECT_NEAR(rate_of(draw(config, rate, 100'000)) / static_cast<double>(rate), 1.0, 0.05)
          << rate << " model " << static_cast<int>(config.model);
  }
}

/// A division of 128 bits, as the definition says it.
TEST(Quotient, is_that_of_a_division_also_where_nothing_is_left) {
  Random random(13);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t divisor = round < 100 ? static_cast<std::uint64_t>(round + 1) : 1 + random.below(1 << 24);
    const std::uint64_t inverse = detail::inverse_q64(divisor);
    const std::uint64_t multiple = (random.next() >> (1 + round % 60)) / divisor * divisor;
    for (const std::uint64_t value : {multiple, multiple + 1, multiple + divisor - 1, multiple == 0 ? 0 : multiple - 1})
      ASSERT_EQ(detail::quotient(value, divisor, inverse), value / divisor) << value << " / " << divisor;
  }
}

TEST(Arrivals, have_the_gaps_that_one_long_division_gives) {
  __extension__ using Wide = unsigned __int128;
  for (const std::uint64_t rate : {1ULL, 3ULL, 600ULL, 1'000ULL, 999'983ULL, 9'999'991ULL, 10'000'000ULL}) {
    Random random(rate), naive(rate), before(rate);
    Arrivals arrivals({}, rate, random), drawn({}, rate, before);
    ASSERT_TRUE(drawn.takes_one_draw());
    Wide part = 0;
    for (int count = 0; count < 2'000; ++count) {
      part += Wide{exponential_q32(naive.next())} * 1'000'000'000 / rate;
      const auto whole = static_cast<std::int64_t>(part >> 32);
      part &= 0xffffffff;
      ASSERT_EQ(arrivals.next(random).count(), whole) << rate;
      ASSERT_EQ(drawn.next_of(before.next()).count(), whole) << rate;
    }
  }
  Random random(1);
  EXPECT_FALSE(Arrivals({.model = ArrivalModel::hawkes}, 1, random).takes_one_draw());
  EXPECT_FALSE(Arrivals({.model = ArrivalModel::bursts}, 1, random).takes_one_draw());
}

TEST(Arrivals, bursts_take_their_share_of_the_time_at_their_rate) {
  // The variance of counts of a two-state process, long windows: 1 + 2 (difference of rates)^2 p q tau^2 ... / mean.
  const ArrivalConfig config{
      .model = ArrivalModel::bursts, .burst_share = 250, .burst_factor = 9, .burst_length = milliseconds{10}};
  const auto times = draw(config, 30'000, 500'000);
  EXPECT_NEAR(rate_of(times) / 30'000, 1.0, 0.05);
  // Calm 10,000/s, busy 90,000/s; the states forget each other with the rate 1/10 ms + 1/30 ms.
  const double difference = 80'000, forgetting = 1 / 0.010 + 1 / 0.030, window = 1.0;
  const double factor = 1 - (1 - std::exp(-forgetting * window)) / (forgetting * window);
  const double expected = 1 + 2 * 0.25 * 0.75 * difference * difference / (30'000 * forgetting) * factor;
  EXPECT_NEAR(dispersion(times, 100'000'000) / expected, 1.0, 0.15);
  EXPECT_NEAR(dispersion(times, 10'000), 1.0 + 0.25 * 0.75 * difference * difference / 30'000 * 0.000'01, 0.1);
}

TEST(ArrivalsLong, that_excite_themselves_have_the_dispersion_of_a_hawkes_process) {
  for (const std::uint32_t branching : {500u, 800u}) {
    const ArrivalConfig config{.model = ArrivalModel::hawkes, .branching = branching, .memory = milliseconds{1}};
    const auto times = draw(config, 50'000, 400'000);
    const double quiet = 1 - branching / 1000.0;
    const auto expected = [&](double window) {
      const double decay = quiet / 0.001;
      return 1 / (quiet * quiet) + (1 - 1 / (quiet * quiet)) * (1 - std::exp(-decay * window)) / (decay * window);
    };
    EXPECT_NEAR(rate_of(times) / 50'000, 1.0, 0.05) << branching;
    EXPECT_NEAR(dispersion(times, 200'000) / expected(0.0002), 1.0, 0.1) << branching;
    EXPECT_NEAR(dispersion(times, 2'000'000) / expected(0.002), 1.0, 0.1) << branching;
    EXPECT_NEAR(dispersion(times, 20'000'000) / expected(0.02), 1.0, 0.2) << branching;
  }
}

TEST(Arrivals, give_the_same_times_on_every_compiler_and_machine) {
  const auto digest_of = [](const ArrivalConfig& config) {
    std::uint64_t digest = 14695981039346656037ULL;
    for (const std::int64_t time : draw(config, 20'000, 10'000, 42))
      digest = (digest ^ static_cast<std::uint64_t>(time)) * 1099511628211ULL;
    return digest;
  };
  EXPECT_EQ(digest_of({.model = ArrivalModel::bursts}), 4381926115380654718u);
  EXPECT_EQ(digest_of({.model = ArrivalModel::hawkes}), 10689483564310970494u);
}

TEST(Arrivals, refuse_what_makes_no_sense) {
  const auto refuses = [](const ArrivalConfig& config) {
    Random random(1);
    EXPECT_THROW(Arrivals(config, 1000, random), std::invalid_argument);
  };
  using enum ArrivalModel;
  refuses({.model = bursts, .burst_share = 0});
  refuses({.model = bursts, .burst_share = 1000});
  refuses({.model = bursts, .burst_factor = 1});
  refuses({.model = bursts, .burst_factor = 101});
  refuses({.model = bursts, .burst_length = time::Duration{999}});
  refuses({.model = hawkes, .branching = 991});
  refuses({.model = hawkes, .memory = std::chrono::minutes{2}});
}

}  // namespace
}  // namespace dojima::flow
