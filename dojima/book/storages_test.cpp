// The same commands give the same bytes with every storage, wherever prices lie and however they jump.

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {
namespace {

constexpr std::int64_t k_highest = std::numeric_limits<std::int32_t>::max() - 1;  // as many ticks as there may be

market::Instrument widest_instrument() {
  return {.id = k_instrument,
          .symbol = "WIDE",
          .ticks = market::TickTable::uniform({1}, {0}, {k_highest}).value(),
          .maximum_quantity = {k_largest}};
}

/// One storage with all that belongs to it, and a mirror of it from its reports.
template <class Storage>
struct Entrant {
  explicit Entrant(const market::Instrument& instrument, const WorldOptions& options)
      : orders({.capacity = options.orders, .owners = 8}),
        mirrored({.capacity = options.orders, .ids = Ids::foreign}),
        book(instrument, orders, collector, {.levels = options.levels}),
        mirror(instrument, mirrored, silent, {.levels = options.levels}) {}

  template <class Command>
  void apply(std::uint64_t sequence, const Command& command) {
    collector.reports.clear();
    collector.begin({sequence}, {});
    book.apply(command);
    collector.finish();
    for (const BookReport& report : collector.reports) ASSERT_TRUE(mirror.mirror(report)) << sequence;
  }
  void check() const {
    ASSERT_EQ(book.inconsistency(), nullptr) << book.inconsistency();
    ASSERT_EQ(mirror.inconsistency(), nullptr) << mirror.inconsistency();
    ASSERT_EQ(mirror.digest(), book.digest());
  }

  OrderTable orders, mirrored;
  Collector collector{7}, silent{1};
  Storage book, mirror;
};

class Storages {
 public:
  explicit Storages(const WorldOptions& options)
      : instrument_(widest_instrument()),
        map_(instrument_, options),
        pooled_(instrument_, options),
        intrusive_(instrument_, options),
        ladder_(instrument_, options) {}

  /// To all of them; what they said, which is the same.
  template <class Command>
  const std::vector<BookReport>& apply(const Command& command) {
    ++sequence_;
    each([&](auto& entrant) { entrant.apply(sequence_, command); });
    each([&](auto& entrant) {
      EXPECT_EQ(entrant.collector.reports, ladder_.collector.reports) << "command " << sequence_;
    });
    return ladder_.collector.reports;
  }
  void check() {
    each([&](auto& entrant) {
      entrant.check();
      ASSERT_EQ(entrant.book.digest(), ladder_.book.digest()) << "after command " << sequence_;
      ASSERT_EQ(entrant.orders.digest(), ladder_.orders.digest()) << "after command " << sequence_;
    });
  }
  [[nodiscard]] const LadderBook& ladder() const { return ladder_.book; }

 private:
  template <class Function>
  void each(Function function) {
    function(map_);
    function(pooled_);
    function(intrusive_);
    function(ladder_);
  }

  market::Instrument instrument_;
  Entrant<MapBook> map_;
  Entrant<PooledBook> pooled_;
  Entrant<IntrusiveBook> intrusive_;
  Entrant<LadderBook> ladder_;
  std::uint64_t sequence_ = 0;
};

market::NewOrder limit_order(Side side, std::int64_t lots, std::int64_t price,
                             TimeInForce time_in_force = TimeInForce::day) {
  market::NewOrder command = make_order({.side = side, .lots = lots, .time_in_force = time_in_force});
  command.terms.limit = {price};
  return command;
}

TEST(Storages, trade_through_a_sweep_that_leaves_the_window_behind_tick_by_tick_and_jump_by_jump) {
  Storages storages({.orders = 3'000, .levels = 2'500});
  std::int64_t offered = 0;
  // Dense near the touch, then ever sparser, up to the last tick there is.
  for (std::int64_t at = 0; at < 200; ++at, offered += 3) storages.apply(limit_order(Side::sell, 3, 1'000 + at));
  for (std::int64_t price = 1'300; price < k_highest; price += price / 2, offered += 5)
    storages.apply(limit_order(Side::sell, 5, price));
  storages.apply(limit_order(Side::sell, 7, k_highest));
  storages.check();
  const auto trades = storages.apply(limit_order(Side::buy, offered + 7, k_highest, TimeInForce::immediate_or_cancel));
  EXPECT_EQ(trades.back().kind, BookReportKind::traded);
  EXPECT_EQ(trades.back().price.units, k_highest);
  EXPECT_EQ(storages.ladder().level_count(Side::sell), 0u);
  storages.check();
}

TEST(Storages, hold_orders_at_both_ends_of_the_prices_at_once) {
  Storages storages({.orders = 100, .levels = 50});
  for (const std::int64_t price : {k_highest / 2, std::int64_t{0}, std::int64_t{1}, k_highest / 2 - 1})
    storages.apply(limit_order(Side::buy, 2, price));
  for (const std::int64_t price : {k_highest / 2 + 1, k_highest, k_highest - 1})
    storages.apply(limit_order(Side::sell, 2, price));
  storages.check();
  storages.apply(limit_order(Side::sell, 9, 0));
  storages.check();
  EXPECT_EQ(storages.ladder().best(Side::sell)->units, 0);
  storages.apply(limit_order(Side::buy, 9, k_highest));
  storages.check();
  EXPECT_EQ(storages.ladder().best(Side::buy)->units, k_highest);
}

TEST(Storages, say_the_same_over_random_commands_while_prices_wander_and_jump) {
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

/// What an auction would give, counted anew from the orders that stand in a book, around their first one.
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
  const Auction& told = book.indicative();
  if (!levels.has_limits()) return;
  const AuctionLevels::Best best = levels.best();
  ASSERT_EQ(told.volume.lots, best.volume);
  if (best.volume == 0) return;
  ASSERT_GE(told.price.units, best.first);
  ASSERT_LE(told.price.units, best.last);
  const std::int64_t surplus = told.price.units <= best.split ? best.surplus : best.surplus_beyond;
  ASSERT_EQ(told.surplus.lots, surplus < 0 ? -surplus : surplus);
}

TEST(Storages, indicate_the_same_while_the_prices_of_a_call_wander_and_jump) {
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

TEST(Storages, of_ladders_share_one_pool_and_give_back_what_they_took) {
  OrderTable orders({.capacity = 64});
  for (int round = 0; round < 100;
       ++round) {  // far more levels and windows than the pool has, were they not given back
    LadderQueue bids(Side::buy, orders, 64);
    std::vector<Slot> slots;
    for (int at = 0; at < 64; ++at) {
      slots.push_back(orders.add(make_order({.side = Side::buy, .lots = 1}).terms, {}, 1));
      bids.append(Level{(at % 2 == 0 ? 5'000'000 : 1'000'000) - at * 20}, slots.back());
    }
    ASSERT_EQ(bids.inconsistency(), nullptr);
    ASSERT_EQ(bids.level_count(), 64u);
    ASSERT_GT(bids.window_ticks(), 64u);
    for (std::size_t at = 0; at < slots.size(); ++at) {
      if (at % 3 != 0) bids.erase(slots[at]);
      orders[slots[at]].state = k_live;
      orders.release(slots[at]);
    }
  }
}

}  // namespace
}  // namespace dojima::book::testing
