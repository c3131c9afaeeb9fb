// The prices at which an auction trades most, against the same worked out from the definition.

#include "dojima/book/auction/auction_levels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dojima/book/random_flow_test.hpp"

namespace dojima::book::testing {
namespace {

constexpr std::int64_t k_last = 2'147'483'645;  // the highest level that there may be

/// Lots by level, and everything tried: wherever something changes, and one tick beside it.
class Tried {
 public:
  void add(Side side, std::int64_t level, std::int64_t lots) {
    std::int64_t& here = lots_[side == Side::buy][level];
    here += lots;
    if (here == 0) lots_[side == Side::buy].erase(level);
  }
  void add_market(Side side, std::int64_t lots) { market_[side == Side::buy] += lots; }
  [[nodiscard]] bool is_empty() const { return lots_[0].empty() && lots_[1].empty(); }

  void expect(const AuctionLevels::Best& best) const {
    std::set<std::int64_t> levels;
    for (const auto& side : lots_)
      for (const auto& [level, lots] : side)
        for (const std::int64_t beside : {level - 1, level, level + 1}) levels.insert(beside);
    const std::int64_t lowest = *std::next(levels.begin()), highest = *std::next(levels.rbegin());
    std::vector<std::array<std::int64_t, 3>> good;  // level, volume, surplus
    for (const std::int64_t level : levels) {
      if (level < lowest || level > highest) continue;
      const auto [demand, supply] = at(level);
      const std::array here{level, std::min(demand, supply), demand - supply};
      const auto rank = [](const auto& each) { return std::pair(-each[1], std::abs(each[2])); };
      if (!good.empty() && rank(here) > rank(good.front())) continue;
      if (!good.empty() && rank(here) < rank(good.front())) good.clear();
      good.push_back(here);
    }
    ASSERT_EQ(best.volume, good.front()[1]);
    if (best.volume == 0) return;
    const bool is_all_buy = good.front()[2] > 0 && good.back()[2] > 0;
    const bool is_all_sell = good.front()[2] < 0 && good.back()[2] < 0;
    ASSERT_EQ(best.first, is_all_buy ? good.back()[0] : good.front()[0]);
    ASSERT_EQ(best.last, is_all_sell ? good.front()[0] : good.back()[0]);
    ASSERT_EQ(best.first <= best.split ? best.surplus : best.surplus_beyond, at_balance(best.first));
    ASSERT_EQ(best.last <= best.split ? best.surplus : best.surplus_beyond, at_balance(best.last));
  }

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> at(std::int64_t price) const {
    std::int64_t demand = market_[1], supply = market_[0];
    for (const auto& [level, lots] : lots_[1]) demand += level >= price ? lots : 0;
    for (const auto& [level, lots] : lots_[0]) supply += level <= price ? lots : 0;
    return {demand, supply};
  }
  [[nodiscard]] std::int64_t at_balance(std::int64_t level) const {
    const auto [demand, supply] = at(level);
    return demand - supply;
  }

  std::array<std::map<std::int64_t, std::int64_t>, 2> lots_;
  std::array<std::int64_t, 2> market_{};
};

Level to_level(std::int64_t level) {
  return Level{static_cast<std::int32_t>(level)};
}

TEST(AuctionLevels, find_the_prices_that_trade_most_with_least_left_over) {
  AuctionLevels levels(10);
  levels.start(Level{500});
  levels.add(Side::buy, Level{510}, {7});
  EXPECT_EQ(levels.best().volume, 0);
  levels.add(Side::sell, Level{490}, {7});
  const AuctionLevels::Best best = levels.best();
  EXPECT_EQ(best.first, 490);
  EXPECT_EQ(best.last, 510);
  EXPECT_EQ(best.volume, 7);
  EXPECT_EQ(best.surplus, 0);
}

TEST(AuctionLevels, agree_with_trying_every_price_wherever_the_prices_lie) {
  // Few levels and few lots, so that there are ties of every kind; near, around the window's ends, and far away.
  for (const auto& [middle, spread] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {5'000, 4}, {5'000, 40}, {5'000, 9'000}, {3, 3}, {k_last - 3, 3}, {k_last / 2, k_last / 2}}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Random random(seed * 1'000'003 + static_cast<std::uint64_t>(spread));
      AuctionLevels levels(64);
      Tried tried;
      std::vector<std::array<std::int64_t, 3>> orders;  // side, level, lots
      levels.start(to_level(middle));
      for (int step = 0; step < 200; ++step) {
        const bool is_end = !orders.empty() && random.chance(orders.size() < 30 ? 40 : 80);
        std::array<std::int64_t, 3> order{random.below(2), 0, 1 + random.below(4)};
        if (is_end) {
          const auto at = orders.begin() + random.below(static_cast<std::int64_t>(orders.size()));
          order = *at;
          orders.erase(at);
        } else {
          const std::int64_t low = std::max<std::int64_t>(middle - spread, 0);
          order[1] = random.chance(15) ? -1 : low + random.below(std::min(middle + spread, k_last) - low + 1);
          orders.push_back(order);
        }
        const Side side = order[0] == 1 ? Side::buy : Side::sell;
        const std::int64_t lots = is_end ? -order[2] : order[2];
        if (order[1] < 0) {
          levels.add_market(side, {lots});
          tried.add_market(side, lots);
        } else {
          levels.add(side, to_level(order[1]), {lots});
          tried.add(side, order[1], lots);
        }
        ASSERT_EQ(levels.has_limits(), !tried.is_empty());
        if (!tried.is_empty()) tried.expect(levels.best());
        ASSERT_FALSE(::testing::Test::HasFatalFailure())
            << "around " << middle << ", seed " << seed << ", step " << step;
      }
    }
  }
}

TEST(AuctionLevels, forget_everything_at_a_new_start) {
  AuctionLevels levels(10);
  levels.start(Level{5'000});
  for (const std::int32_t level : {0, 4'999, 5'001, 9'000'000}) {
    levels.add(Side::buy, Level{level}, {3});
    levels.add(Side::sell, Level{level}, {3});
  }
  levels.add_market(Side::buy, {5});
  levels.start(Level{0});
  EXPECT_FALSE(levels.has_limits());
  EXPECT_EQ(levels.market(), AuctionLots{});
  levels.add(Side::sell, Level{5'001}, {2});
  levels.add(Side::buy, Level{5'001}, {2});
  EXPECT_EQ(levels.best().volume, 2);
  EXPECT_EQ(levels.best().first, 5'001);
  EXPECT_TRUE(levels.is_far());
}

}  // namespace
}  // namespace dojima::book::testing
