#include "dojima/flow/queue_reactive.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>

namespace dojima::flow {
namespace {

using market::Side;
using Kind = QueueReactiveChange::Kind;

/// Three classes of distances up to four ticks, queues up to five orders.
QueueReactiveRates small_market() {
  QueueReactiveRates made{.distances = {1, 2, 4}, .lengths = 6};
  for (std::uint64_t at = 0; at < 3; ++at)
    for (std::uint64_t length = 0; length < 6; ++length)
      made.rates.push_back({.limit = 1'500'000 - 200'000 * length,
                            .cancel = length * 200'000,
                            .execution = length == 0 ? 0 : 400'000u,
                            .occupancy = 1 + at * length});
  return made;
}

TEST(QueueReactive, keeps_the_queues_that_its_changes_make) {
  const QueueReactiveRates rates = small_market();
  QueueReactiveMarket market(rates, 1000, 3);
  std::map<std::int64_t, std::uint32_t> sides[2];
  const auto look = [&] {
    for (std::int64_t level = 980; level < 1020; ++level)
      for (const Side side : {Side::buy, Side::sell})
        if (const auto length = market.length(side, level)) sides[side == Side::buy ? 0 : 1][level] = length;
  };
  look();
  int moves = 0;
  for (int step = 0; step < 2'000; ++step) {
    const std::int64_t before = market.reference();
    EXPECT_GE(market.next(), 0);
    moves += market.reference() != before;
    for (const QueueReactiveChange& change : market.changes()) {
      auto& side = sides[change.side == Side::buy ? 0 : 1];
      std::uint32_t& length = side[change.level];
      if (change.kind == Kind::added) {
        EXPECT_EQ(change.place, length++);
        continue;
      }
      ASSERT_LT(change.place, length);
      if (--length == 0) side.erase(change.level);
    }
    for (const auto& side : sides)
      for (const auto& [level, length] : side)
        ASSERT_EQ(length, market.length(&side == &sides[0] ? Side::buy : Side::sell, level)) << step << ' ' << level;
    if (!sides[0].empty() && !sides[1].empty()) {
      ASSERT_LT(sides[0].rbegin()->first, sides[1].begin()->first);
      const std::int64_t doubled = sides[0].rbegin()->first + sides[1].begin()->first;
      EXPECT_LE(std::abs(2 * market.reference() + 1 - doubled), 1) << "half a tick from the middle at most";
    }
  }
  EXPECT_GT(moves, 10);
}

TEST(QueueReactive, gives_the_market_that_its_seed_stands_for) {
  const QueueReactiveRates rates = small_market();
  const auto digest = [&](std::uint64_t seed) {
    QueueReactiveMarket market(rates, 1000, seed);
    std::uint64_t sum = 0;
    for (int step = 0; step < 10'000; ++step) {
      sum = sum * 31 + static_cast<std::uint64_t>(market.next());
      for (const QueueReactiveChange& change : market.changes())
        sum = sum * 31 + static_cast<std::uint64_t>(change.level) * 8 + static_cast<std::uint64_t>(change.kind) * 2 +
              (change.side == Side::buy ? 1u : 0u) + change.place * 1024;
    }
    return sum;
  };
  EXPECT_EQ(digest(7), 14448506266634929819u);
  EXPECT_NE(digest(7), digest(8));
}

/// One price a side that never moves: each queue is an M/M/1 queue.
TEST(QueueReactive, has_queues_as_long_as_their_rates_make_them) {
  QueueReactiveRates rates{.distances = {1}, .lengths = 2};
  rates.rates = {{.limit = 1'000'000, .occupancy = 1}, {.limit = 1'000'000, .cancel = 500'000, .execution = 1'500'000}};
  QueueReactiveMarket market(rates, 10, 1);
  double area = 0, time = 0;
  for (int step = 0; step < 100'000; ++step) {
    const std::uint32_t length = market.length(Side::buy, 10) + market.length(Side::sell, 11);
    const auto gap = static_cast<double>(market.next()) * 1e-9;
    area += length * gap;
    time += gap;
  }
  EXPECT_NEAR(area / time / 2, 1.0, 0.06);  // rho / (1 - rho) at 1/2
}

TEST(QueueReactive, restarts_from_a_state) {
  const QueueReactiveRates rates = small_market();
  QueueReactiveMarket market(rates, 1000, 1);
  for (const Side side : {Side::buy, Side::sell}) {
    for (const std::int64_t spread : {1, 2, 3, 4}) {
      market.restart(side, 3, 2, spread, 5);
      std::int64_t bid = 0, ask = 0;
      ASSERT_TRUE(market.best(Side::buy, bid) && market.best(Side::sell, ask));
      EXPECT_EQ(ask - bid, spread);
      EXPECT_EQ(side == Side::buy ? bid : ask, 0);
      EXPECT_EQ(market.length(side, 0), 3u);
      EXPECT_EQ(side == Side::buy ? market.length(Side::sell, ask) : market.length(Side::buy, bid), 2u);
    }
  }
}

/// With an even spread the reference lies on either side of the price in the middle, as often on one as on the other.
TEST(QueueReactive, restarts_with_the_reference_on_either_side_of_the_middle) {
  const QueueReactiveRates rates = small_market();
  QueueReactiveMarket market(rates, 0, 1);
  int above = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    market.restart(Side::buy, 3, 2, 2, seed);
    ASSERT_TRUE(market.reference() == 0 || market.reference() == 1) << market.reference();
    above += market.reference() == 1;
    EXPECT_EQ(market.length(Side::buy, 0), 3u);
    EXPECT_EQ(market.length(Side::sell, 2), 2u);
  }
  EXPECT_NEAR(above, 100, 30);
}

TEST(QueueReactive, refuses_rates_that_make_no_market) {
  QueueReactiveRates rates = small_market();
  EXPECT_EQ(trouble_of(rates), nullptr);
  rates.distances = {1, 1, 4};
  EXPECT_STREQ(trouble_of(rates), "distances must rise");
  rates.distances = {1, 4};
  EXPECT_STREQ(trouble_of(rates), "there must be rates for every class of distances and every length");
  rates = small_market();
  rates.lengths = 1;
  EXPECT_STREQ(trouble_of(rates), "there are 2 to 1000 lengths of a queue");
  rates = small_market();
  for (QueueRates& each : rates.rates) each.limit = 0;
  EXPECT_STREQ(trouble_of(rates), "orders must arrive at some queue that is empty");
  EXPECT_THROW(QueueReactiveMarket(rates, 10, 1), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::flow
