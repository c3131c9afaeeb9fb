#include "dojima/flow/order_flow.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <stdexcept>
#include <vector>

namespace dojima::flow {
namespace {

using market::OrderType;
using market::Price;
using market::Side;
using market::TimeInForce;

constexpr Time k_start = time::from_nanoseconds(1'700'000'000'000'000'000);

market::Instrument instrument(std::uint32_t id, std::int64_t reference) {
  return {id,          "I" + std::to_string(id),
          1,           market::TickTable::uniform({1'000'000}, {1'000'000}, {100'000'000'000}).value(),
          {1'000'000}, {reference}};
}

const std::vector<market::Instrument> k_instruments = {instrument(1, 10'000'000'000), instrument(2, 5'000'000'000)};

std::vector<Intent> draw(const FlowConfig& config, std::size_t count) {
  OrderFlow flow(config, k_instruments, k_start);
  std::vector<Intent> intents;
  for (std::size_t index = 0; index < count; ++index) intents.push_back(flow.next());
  return intents;
}

TEST(Exponential, agrees_with_the_logarithm) {
  Random random(3);
  for (int count = 0; count < 100'000; ++count) {
    const std::uint64_t bits = random.next() >> (count % 60);
    const double expected = -std::log(std::ldexp(static_cast<double>(bits | 1), -64));
    ASSERT_NEAR(static_cast<double>(exponential_q32(bits)) / 4294967296.0, expected, 2e-9) << bits;
  }
  EXPECT_EQ(exponential_q32(~std::uint64_t{0}), 0u);
  static_assert(exponential_q32(std::uint64_t{1} << 63) == 2977044471u, "ln 2, at compile time as at run time");
}

TEST(Exponential, takes_the_logarithm_that_its_digits_give) {
  const auto expect_same = [](std::uint64_t mantissa) {
    mantissa |= std::uint64_t{1} << 63;
    ASSERT_EQ(detail::log2_q32(mantissa), detail::log2_by_digits(mantissa, 32)) << mantissa;
  };
  Random random(5);
  for (int count = 0; count < 1'000'000; ++count) expect_same(random.next());
  for (std::uint64_t entry = 0; entry < 256; ++entry)  // where the table's entries meet
    for (std::uint64_t away = 0; away < 8; ++away) expect_same((entry << 55) + away - 4);
  for (const std::uint64_t root : detail::k_roots)  // where digits change
    for (std::uint64_t away = 0; away < 2'000; ++away) expect_same(root + away - 1'000);
}

TEST(Exponential, has_mean_and_variance_one) {
  Random random(4);
  double sum = 0, squares = 0;
  constexpr int k_count = 1'000'000;
  for (int count = 0; count < k_count; ++count) {
    const double value = static_cast<double>(exponential_q32(random.next())) / 4294967296.0;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / k_count;
  EXPECT_NEAR(mean, 1.0, 0.005);
  EXPECT_NEAR(squares / k_count - mean * mean, 1.0, 0.02);
}

TEST(Random, gives_ahead_what_it_gives_one_by_one) {
  Random seeds(11);
  for (int round = 0; round < 1'000; ++round) {
    Random one(seeds.next()), ahead = one;
    std::array<std::uint64_t, 37> values;
    ahead.peek(values);
    Drawn drawn(values.data());
    const std::uint64_t taken = seeds.below(values.size() + 1), limit = 1 + seeds.below(1'000'000);
    for (std::uint64_t at = 0; at < taken; ++at) {
      if (at % 2 == 0) {
        ASSERT_EQ(drawn.next(), one.next());
      } else {
        ASSERT_EQ(drawn.below(limit), one.below(limit));
      }
    }
    ASSERT_EQ(drawn.rest(), values.data() + taken);
    ahead.skip(taken);
    ASSERT_EQ(ahead.next(), one.next());
  }
}

RC_GTEST_PROP(Random, stays_below_its_limit_and_reaches_all_of_a_small_one, (std::uint64_t seed)) {
  Random random(seed);
  std::set<std::uint64_t> seen;
  for (int count = 0; count < 200; ++count) {
    const std::uint64_t value = random.below(6);
    RC_ASSERT(value < 6u);
    seen.insert(value);
  }
  RC_ASSERT(seen.size() == 6u);
  RC_ASSERT(random.below(1) == 0u);
}

RC_GTEST_PROP(OrderFlow, gives_the_same_bytes_for_the_same_seed, (std::uint64_t seed)) {
  const auto first = draw({.seed = seed}, 200);
  const auto second = draw({.seed = seed}, 200);
  RC_ASSERT(std::memcmp(first.data(), second.data(), first.size() * sizeof(Intent)) == 0);
  const auto other = draw({.seed = seed + 1}, 200);
  RC_ASSERT(first != other);
}

TEST(OrderFlow, gives_the_same_intents_on_every_compiler_and_machine) {
  std::uint64_t digest = 14695981039346656037ULL;
  for (const Intent& intent : draw({.seed = 42}, 10'000)) {
    unsigned char bytes[sizeof(Intent)];
    std::memcpy(bytes, &intent, sizeof intent);
    for (const unsigned char byte : bytes) digest = (digest ^ byte) * 1099511628211ULL;
  }
  EXPECT_EQ(digest, 17907269129418227215ULL) << "a change of this value changes every recorded run";
}

TEST(OrderFlow, makes_the_same_intents_one_by_one_and_many_at_once) {
  for (const ArrivalModel model : {ArrivalModel::poisson, ArrivalModel::bursts, ArrivalModel::hawkes}) {
    FlowConfig config{.seed = 11, .rate = 777, .clients = 5};
    config.arrivals.model = model;
    OrderFlow at_once(config, k_instruments, k_start);
    std::vector<Intent> made;
    for (const std::size_t size : {16UL, 1UL, 0UL, 7UL, 100UL, 3UL}) {
      std::vector<Intent> some(size, Intent{.number = 99, .pick = 5, .type = OrderType::market});
      at_once.next(some);
      made.insert(made.end(), some.begin(), some.end());
    }
    made.push_back(at_once.next());
    EXPECT_EQ(made, draw(config, made.size())) << static_cast<int>(model);
  }
}

TEST(OrderFlow, makes_the_same_intents_at_once_however_many_draws_they_take) {
  Random seeds(12);
  for (int round = 0; round < 300; ++round) {
    FlowConfig config{.seed = seeds.next(), .rate = 1 + seeds.below(10'000'000)};
    config.clients = 1 + static_cast<std::uint32_t>(seeds.below(30));
    // The most that an intent can take: its mid moves, and it rests at a distance. Or any number.
    config.mid_move = round % 3 == 0 ? 1000 : static_cast<std::uint32_t>(seeds.below(1001));
    if (round % 3 == 0) config.shares = {0, 0, 0, 0, 0, 0};
    if (round % 5 == 1) config.sizes = {100, 300};
    if (round % 7 == 1) config.distances = {1, 5, 20};
    OrderFlow at_once(config, k_instruments, k_start);
    std::vector<Intent> made(80 + seeds.below(16));
    at_once.next(made);
    ASSERT_EQ(made, draw(config, made.size())) << round;
  }
}

TEST(OrderFlowLong, arrives_at_its_rate_whatever_that_is) {
  for (const std::uint64_t rate : {1ULL, 3ULL, 1'000ULL, 20'000ULL, 3'000'000ULL, 10'000'000ULL}) {
    const auto intents = draw({.rate = rate}, 200'000);
    const double seconds = static_cast<double>((intents.back().due - k_start).count()) / 1e9;
    EXPECT_NEAR(200'000 / seconds / static_cast<double>(rate), 1.0, 0.01) << rate;
  }
}

TEST(OrderFlow, has_gaps_like_a_poisson_process) {
  const auto intents = draw({.rate = 1000}, 200'000);
  std::size_t longer = 0;
  for (std::size_t index = 1; index < intents.size(); ++index) {
    ASSERT_GE(intents[index].due, intents[index - 1].due);
    if (intents[index].due - intents[index - 1].due > time::Duration{1'000'000}) ++longer;
  }
  EXPECT_NEAR(static_cast<double>(longer) / 200'000, std::exp(-1.0), 0.005) << "longer than the mean";
}

TEST(OrderFlow, mixes_kinds_clients_instruments_and_sides_as_configured) {
  const FlowConfig config{.clients = 5};
  const std::size_t count = 400'000;
  std::size_t cancels = 0, replaces = 0, markets = 0, immediate = 0, fills = 0, buys = 0;
  std::array<std::size_t, 5> clients{};
  std::array<std::size_t, 2> instruments{};
  std::uint64_t number = 0;
  for (const Intent& intent : draw(config, count)) {
    ASSERT_EQ(intent.number, number++);
    cancels += intent.kind == IntentKind::cancel;
    replaces += intent.kind == IntentKind::replace;
    markets += intent.type == OrderType::market;
    immediate += intent.time_in_force == TimeInForce::immediate_or_cancel;
    fills += intent.time_in_force == TimeInForce::fill_or_kill;
    buys += intent.side == Side::buy;
    ++clients.at(intent.client);
    ++instruments.at(intent.instrument);
    ASSERT_EQ(intent.quantity.lots % 100, 0);
    ASSERT_GE(intent.quantity.lots, 100);
    ASSERT_LE(intent.quantity.lots, 1000);
    ASSERT_EQ(intent.price.units == 0, intent.type == OrderType::market);
  }
  const auto share = [&](std::size_t part) { return static_cast<double>(part) / static_cast<double>(count); };
  EXPECT_NEAR(share(cancels), 0.350, 0.005);
  EXPECT_NEAR(share(replaces), 0.080, 0.003);
  EXPECT_NEAR(share(markets), 0.030, 0.002);
  EXPECT_NEAR(share(immediate), 0.050, 0.002);
  EXPECT_NEAR(share(fills), 0.020, 0.002);
  EXPECT_NEAR(share(buys), 0.5, 0.005);
  for (const std::size_t part : clients) EXPECT_NEAR(share(part), 0.2, 0.005);
  for (const std::size_t part : instruments) EXPECT_NEAR(share(part), 0.5, 0.005);
}

TEST(OrderFlow, prices_on_the_tick_around_a_mid_that_moves_within_its_range) {
  const FlowConfig config{.mid_move = 500, .mid_range = 30, .depth = 10, .reach = 3};
  Price lowest{INT64_MAX}, highest{};
  for (const Intent& intent : draw(config, 200'000)) {
    if (intent.type == OrderType::market) continue;
    const market::Instrument& traded = k_instruments[intent.instrument];
    ASSERT_TRUE(traded.ticks.level_of(intent.price).has_value());
    const std::int64_t ticks = (intent.price.units - traded.reference.units) / 1'000'000;
    ASSERT_LE(std::abs(ticks), 40);
    if (intent.instrument != 0) continue;
    lowest = std::min(lowest, intent.price);
    highest = std::max(highest, intent.price);
  }
  EXPECT_GE(highest.units - lowest.units, 60 * 1'000'000) << "the mid should have walked";
}

TEST(OrderFlow, with_a_mid_that_stands_still_separates_buyers_and_sellers_unless_they_mean_to_trade) {
  for (const Intent& intent : draw({.mid_move = 0}, 50'000)) {
    if (intent.type == OrderType::market) continue;
    const std::int64_t above = intent.price.units - k_instruments[intent.instrument].reference.units;
    const bool is_buy = intent.side == Side::buy;
    if (intent.kind != IntentKind::enter) {
      ASSERT_EQ(is_buy, above < 0);
    } else if (intent.time_in_force != TimeInForce::day) {
      ASSERT_EQ(is_buy, above > 0);
    }
    ASSERT_NE(above, 0);
  }
}

TEST(OrderFlow, refuses_a_configuration_that_makes_no_sense) {
  const auto refuses = [](const FlowConfig& config) {
    EXPECT_THROW(OrderFlow(config, k_instruments, k_start), std::invalid_argument);
  };
  refuses({.rate = 0});
  refuses({.rate = 10'000'001});
  refuses({.clients = 0});
  refuses({.shares = {.cancel = 900, .replace = 101}});
  refuses({.shares = {.cancel = 0xffffffff, .replace = 1}});
  refuses({.mid_range = 20'000});
  refuses({.depth = 0});
  refuses({.lots_minimum = 0});
  refuses({.lots_minimum = 2, .lots_maximum = 1});
  EXPECT_THROW(OrderFlow({}, {}, k_start), std::invalid_argument);
  const std::vector<market::Instrument> off_tick = {instrument(1, 10'000'000'001)};
  EXPECT_THROW(OrderFlow({}, off_tick, k_start), std::invalid_argument);
}

TEST(Decision, cancels_only_above_the_target_and_replaces_only_what_is_there) {
  Intent intent{.pick = 17};
  EXPECT_EQ(decide(intent, 100, 10).kind, IntentKind::enter);
  intent.kind = IntentKind::cancel;
  EXPECT_EQ(decide(intent, 10, 10).kind, IntentKind::enter);
  EXPECT_EQ(decide(intent, 11, 10).kind, IntentKind::cancel);
  EXPECT_EQ(decide(intent, 11, 10).index, 6u);
  EXPECT_EQ(decide(intent, 0, 0).kind, IntentKind::enter);
  intent.kind = IntentKind::replace;
  EXPECT_EQ(decide(intent, 0, 10).kind, IntentKind::enter);
  EXPECT_EQ(decide(intent, 1, 10).kind, IntentKind::replace);
  EXPECT_EQ(decide(intent, 5, 10).index, 2u);
}

}  // namespace
}  // namespace dojima::flow
