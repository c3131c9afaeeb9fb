#include "dojima/book/queues/ladder_queue.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {
namespace {

TEST(LadderQueue, ladders_share_one_pool_and_give_back_what_they_took) {
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

TEST(LadderQueue, joins_and_takes_out_in_steps_as_at_once) {
  OrderTable orders({.capacity = 64});
  LadderQueue bids(Side::buy, orders, 64);
  const auto rest = [&](Level level, LevelIndex record) {
    const Slot slot = orders.add(make_order({.side = Side::buy, .lots = 3}).terms, {}, 1);
    orders[slot].links = bids.join_at(record, orders, slot, {3});
    orders[slot].state |= k_resting;
    EXPECT_EQ(bids.level_of(slot), level);
    EXPECT_EQ(bids.inconsistency(), nullptr);
    return slot;
  };
  EXPECT_EQ(bids.record_at(Level{100}), 0u);
  const LevelIndex record = bids.open(Level{100});
  const Slot first = rest(Level{100}, record);
  EXPECT_EQ(bids.record_at(Level{100}), record);
  EXPECT_EQ(bids.open(Level{100}), record);
  const Slot second = rest(Level{100}, bids.record_at(Level{100}));
  const Slot worse = rest(Level{90}, bids.open(Level{90}));
  EXPECT_EQ(bids.record_at(Level{-5'000'000}), 0u);  // outside the window
  EXPECT_EQ(bids.total(Level{100}).lots, 6);

  const auto take_out = [&](Slot slot) {
    const LevelIndex emptied = bids.take_out(orders, orders[slot]);
    orders[slot].state = k_live;
    orders.release(slot);
    if (emptied != 0) bids.close(emptied);
    EXPECT_EQ(bids.inconsistency(), nullptr);
    return emptied != 0;
  };
  EXPECT_FALSE(take_out(first));
  EXPECT_EQ(bids.front(Level{100}), second);
  EXPECT_TRUE(take_out(second));
  EXPECT_EQ(bids.best(), Level{90});
  EXPECT_TRUE(take_out(worse));
  EXPECT_EQ(bids.best(), k_no_level);
}

/// A few levels that wander worse and worse leave the first window behind, and do not make it grow.
TEST(LadderQueue, follows_a_best_price_that_wanders_off_with_the_window_it_has) {
  OrderTable orders({.capacity = 64});
  for (const Side side : {Side::buy, Side::sell}) {
    LadderQueue queue(side, orders, 64);
    const std::size_t ticks = queue.window_ticks();
    std::vector<Slot> slots;
    for (int at = 0; at < 3'000; ++at) {
      slots.push_back(orders.add(make_order({.side = side, .lots = 1}).terms, {}, 1));
      queue.append(Level{side == Side::buy ? 1'000'000 - at : 1'000'000 + at}, slots.back());
      if (slots.size() <= 8) continue;
      queue.erase(slots.front());
      orders.release(slots.front());
      slots.erase(slots.begin());
    }
    EXPECT_EQ(queue.window_ticks(), ticks);
    EXPECT_EQ(queue.inconsistency(), nullptr);
  }
}

}  // namespace
}  // namespace dojima::book::testing
