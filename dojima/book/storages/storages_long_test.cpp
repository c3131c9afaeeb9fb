// Long random flows: the same commands give the same bytes with every storage, wherever prices lie and however they
// jump.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

#include "dojima/book/auction/auction_levels.hpp"
#include "dojima/book/storages/every_storage_test.hpp"

namespace dojima::book::testing {
namespace {

TEST(StoragesLong, say_the_same_over_random_commands_while_prices_wander_and_jump) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    Storages storages({.orders = 600, .levels = 400});
    const std::int64_t spread = std::int64_t{1} << (2 + 2 * seed);  // 16 to 16,384 ticks on each side
    std::int64_t mid = k_highest / 2;
    std::vector<std::pair<OrderId, Side>> known(1'024);
    std::size_t count = 0;
    for (std::size_t step = 0; step < 4'000 && !::testing::Test::HasFailure(); ++step) {
      if (below(300) == 0) mid += below(4 * spread) - 2 * spread;
      if (below(3'000) == 0) mid = below(3) == 0 ? 0 : below(2) == 0 ? k_highest : below(k_highest);
      mid = std::min(std::max<std::int64_t>(mid, 0), k_highest);
      const Side side = below(2) == 0 ? Side::buy : Side::sell;
      const std::int64_t away = below(spread) - spread / 8;
      const std::int64_t price =
          std::min(std::max<std::int64_t>(side == Side::buy ? mid - away : mid + away, 0), k_highest);
      const auto& [order, known_side] = known[static_cast<std::size_t>(random() % known.size())];
      const std::int64_t pick = below(100);
      std::vector<BookReport> said;
      if (pick < 70) {
        const bool is_sweep = pick < 2;
        said = storages.apply(limit_order(side, is_sweep ? 300 : 1 + below(20), price,
                                          pick < 8 ? TimeInForce::immediate_or_cancel : TimeInForce::day));
      } else if (pick < 85) {
        market::Cancel command;
        command.order = order;
        command.side = known_side;
        said = storages.apply(command);
      } else {
        market::Replace command;
        command.order = order;
        command.side = known_side;
        command.limit = {price};
        command.quantity = command.displayed = {1 + below(20)};
        said = storages.apply(command);
      }
      for (const BookReport& report : said)
        if (report.kind == BookReportKind::added) known[count++ % known.size()] = {report.order, report.side};
      if (step % 64 == 0) storages.check();
    }
    storages.check();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

/// What an auction would give, counted anew from the orders that rest in a book, around their first one.
template <class Storage>
void expect_indicative(const Storage& book) {
  AuctionLevels levels(2'000);
  bool has_started = false;
  for (const Side side : {Side::buy, Side::sell})
    book.each_resting(side, [&](const RestingOrder& order) {
      if (order.place == Place::market) return levels.add_market(side, order.leaves);
      const Level level{static_cast<std::int32_t>(order.price.units)};
      if (!std::exchange(has_started, true)) levels.start(level);
      levels.add(side, level, order.leaves);
    });
  const Auction& indicated = book.indicative();
  if (!levels.has_limits()) return;
  const AuctionLevels::Best best = levels.best();
  ASSERT_EQ(indicated.volume.lots, best.volume);
  if (best.volume == 0) return;
  ASSERT_GE(indicated.price.units, best.first);
  ASSERT_LE(indicated.price.units, best.last);
  const std::int64_t surplus = indicated.price.units <= best.split ? best.surplus : best.surplus_beyond;
  ASSERT_EQ(indicated.surplus.lots, surplus < 0 ? -surplus : surplus);
}

TEST(StoragesLong, indicate_the_same_while_the_prices_of_a_call_wander_and_jump) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  Storages storages({.orders = 900, .levels = 400});
  market::PhaseChange phase;
  phase.phase = market::Phase::opening_call;
  storages.apply(phase);
  std::int64_t mid = k_highest / 2;
  std::vector<std::pair<OrderId, Side>> known(256);
  std::size_t count = 0;
  for (std::size_t step = 0; step < 6'000 && !::testing::Test::HasFailure(); ++step) {
    if (below(200) == 0) mid += below(40'000) - 20'000;
    if (below(1'000) == 0) mid = below(k_highest);
    mid = std::min(std::max<std::int64_t>(mid, 0), k_highest);
    const Side side = below(2) == 0 ? Side::buy : Side::sell;
    const std::int64_t reach = below(4) == 0 ? 30'000 : 40;
    const std::int64_t price = std::min(std::max<std::int64_t>(mid + below(2 * reach) - reach, 0), k_highest);
    const auto [order, known_side] = known[count % known.size()];
    if (order.value != 0) {
      market::Cancel cancel;
      cancel.order = order;
      cancel.side = known_side;
      storages.apply(cancel);
    }
    market::NewOrder command = limit_order(side, 1 + below(20), price);
    if (below(50) == 0) command.terms.type = OrderType::market;
    if (below(500) == 0) command.terms.quantity = command.terms.displayed = {k_largest};
    for (const BookReport& report : storages.apply(command))
      if (report.kind == BookReportKind::added) known[count++ % known.size()] = {report.order, report.side};
    expect_indicative(storages.ladder());
    if (step % 64 == 0) storages.check();
    if (step % 1'500 == 1'499) {
      phase.phase = market::Phase::continuous;
      storages.apply(phase);
      storages.check();
      phase.phase = market::Phase::closing_call;
      storages.apply(phase);
    }
  }
  storages.check();
}

}  // namespace
}  // namespace dojima::book::testing
