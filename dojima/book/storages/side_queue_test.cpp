#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/book/queues/ladder_queue.hpp"
#include "dojima/book/storages/intrusive_queue.hpp"
#include "dojima/book/storages/list_map_queue.hpp"

namespace dojima::book {
namespace {

/// The one test every storage passes.
template <class Queue>
class SideQueueTest : public ::testing::Test {};

using Storages = ::testing::Types<MapQueue, PooledQueue, IntrusiveQueue, LadderQueue>;
TYPED_TEST_SUITE(SideQueueTest, Storages);

Slot add(OrderTable& table, std::int64_t lots, Side side) {
  return table.add({.quantity = {lots}, .displayed = {lots}, .side = side, .type = market::OrderType::limit}, {}, 1);
}

TYPED_TEST(SideQueueTest, is_empty_at_first) {
  OrderTable table({.capacity = 4});
  const TypeParam queue(Side::buy, table, 4);
  EXPECT_EQ(queue.best(), k_no_level);
  EXPECT_EQ(queue.level_count(), 0u);
  EXPECT_EQ(queue.total(Level{3}).lots, 0);
  EXPECT_EQ(queue.count(Level{3}), 0u);
  EXPECT_EQ(queue.front(Level{3}), k_no_slot);
  EXPECT_EQ(queue.front(), k_no_slot);
  EXPECT_EQ(queue.total().lots, 0);
}

TYPED_TEST(SideQueueTest, takes_an_order_out_when_nothing_is_left_of_it) {
  OrderTable table({.capacity = 8});
  TypeParam asks(Side::sell, table, 4);
  const Slot first = add(table, 5, Side::sell), second = add(table, 7, Side::sell), behind = add(table, 1, Side::sell);
  asks.append(Level{4}, behind);
  asks.append(Level{3}, first);
  asks.append(Level{3}, second);
  EXPECT_EQ(asks.front(), first);
  EXPECT_FALSE(asks.fill(first, Quantity{2}));
  EXPECT_EQ(asks.front(), first);
  EXPECT_EQ(asks.total(Level{3}).lots, 10);
  EXPECT_TRUE(asks.fill(first, Quantity{3}));
  EXPECT_FALSE(table[first].is_resting());
  EXPECT_EQ(asks.front(), second);
  EXPECT_EQ(asks.total(Level{3}).lots, 7);
  EXPECT_TRUE(asks.fill(second, Quantity{7}));
  EXPECT_EQ(asks.front(), behind);
  EXPECT_EQ(asks.level_count(), 1u);
  EXPECT_EQ(asks.inconsistency(), nullptr);
}

TYPED_TEST(SideQueueTest, walks_levels_outwards_from_the_best) {
  OrderTable table({.capacity = 8});
  TypeParam bids(Side::buy, table, 4), asks(Side::sell, table, 4);
  for (const int level : {5, 9, 0}) {
    bids.append(Level{level}, add(table, 1, Side::buy));
    asks.append(Level{level}, add(table, 1, Side::sell));
  }
  EXPECT_EQ(bids.best(), Level{9});
  EXPECT_EQ(bids.worse(Level{9}), Level{5});
  EXPECT_EQ(bids.worse(Level{5}), Level{0});
  EXPECT_EQ(bids.worse(Level{0}), k_no_level);
  EXPECT_EQ(asks.best(), Level{0});
  EXPECT_EQ(asks.worse(Level{0}), Level{5});
  EXPECT_EQ(asks.worse(Level{9}), k_no_level);
}

TYPED_TEST(SideQueueTest, reaches_both_ends_of_the_tick_table) {
  OrderTable table({.capacity = 4});
  TypeParam bids(Side::buy, table, 2);
  constexpr Level k_highest{std::numeric_limits<std::int32_t>::max() - 1};
  bids.append(Level{0}, add(table, 1, Side::buy));
  bids.append(k_highest, add(table, 2, Side::buy));
  EXPECT_EQ(bids.best(), k_highest);
  EXPECT_EQ(bids.worse(k_highest), Level{0});
}

/// A step of a random flow: what to do, where, and with which order.
struct Step {
  std::uint8_t what = 0;
  std::int32_t level = 0;
  std::uint16_t which = 0;
  std::uint8_t lots = 1;
};

/// What a queue shows, level by level, is what lists in a map hold.
template <class Queue>
void expect_same(const Queue& queue, const OrderTable& table, Side side,
                 const std::map<std::int32_t, std::list<Slot>>& model) {
  ASSERT_EQ(queue.inconsistency(), nullptr) << queue.inconsistency();
  ASSERT_EQ(queue.level_count(), model.size());
  ASSERT_EQ(queue.total(), queue.total(queue.best()));
  std::vector<std::int32_t> levels;
  for (Level at = queue.best(); at != k_no_level; at = queue.worse(at)) levels.push_back(index_of(at));
  std::vector<std::int32_t> expected;
  for (const auto& [at, orders] : model) {
    expected.push_back(at);
    std::int64_t total = 0;
    Slot slot = queue.front(Level{at});
    for (const Slot order : orders) {
      ASSERT_EQ(slot, order);
      ASSERT_EQ(index_of(queue.level_of(slot)), at);
      total += table[order].leaves.lots;
      slot = queue.next(slot);
    }
    ASSERT_EQ(slot, k_no_slot);
    ASSERT_EQ(queue.total(Level{at}).lots, total);
    ASSERT_EQ(queue.count(Level{at}), orders.size());
  }
  if (side == Side::buy) std::reverse(expected.begin(), expected.end());
  ASSERT_EQ(levels, expected);
}

/// Feeds steps to a queue and to lists in a map, and looks at both from outside after every `often` steps.
template <class Queue>
void run(const std::vector<Step>& steps, Side side, std::size_t capacity, std::size_t often) {
  OrderTable table({.capacity = capacity});
  Queue queue(side, table, capacity);
  std::map<std::int32_t, std::list<Slot>> model;
  std::vector<Slot> resting;
  std::size_t done = 0;
  for (const Step& step : steps) {
    if (step.what < 2 && !table.is_full()) {
      const Slot slot = add(table, 1 + step.lots, side);
      queue.append(Level{step.level}, slot);
      model[step.level].push_back(slot);
      resting.push_back(slot);
    } else if (!resting.empty()) {
      const std::size_t at = step.which % resting.size();
      const Slot slot = step.what == 4 && queue.best() != k_no_level ? queue.front(queue.best()) : resting[at];
      if (step.what == 2 && table[slot].leaves.lots > 1) {
        queue.resize(slot, Quantity{-1});
      } else {
        const std::int32_t level = index_of(queue.level_of(slot));
        queue.erase(slot);
        model[level].remove(slot);
        if (model[level].empty()) model.erase(level);
        table.release(slot);
        std::erase(resting, slot);
      }
    }
    if (++done % often == 0) expect_same(queue, table, side, model);
    if (::testing::Test::HasFatalFailure()) return;
  }
  expect_same(queue, table, side, model);
}

TYPED_TEST(SideQueueTest, agrees_with_lists_in_a_map) {
  const bool is_agreeing = rc::check("agrees with lists in a map", [](const std::vector<std::uint32_t>& numbers) {
    std::vector<Step> steps;
    for (const std::uint32_t number : numbers)
      steps.push_back({static_cast<std::uint8_t>(number % 5), static_cast<std::int32_t>(number / 8 % 6),
                       static_cast<std::uint16_t>(number / 64), static_cast<std::uint8_t>(number % 7)});
    run<TypeParam>(steps, *rc::gen::element(Side::buy, Side::sell), 64, 1);
    RC_ASSERT(!::testing::Test::HasFailure());
  });
  EXPECT_TRUE(is_agreeing);
}

/// Prices that wander off and jump: windows grow, move and are left behind, levels become far and near again, and a
/// sweep takes the best level over and over.
TYPED_TEST(SideQueueTest, agrees_with_lists_in_a_map_while_prices_wander_and_jump) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    constexpr std::int32_t k_middle = 1 << 30;
    std::int32_t mid = k_middle;
    const std::uint64_t spread = std::uint64_t{1} << (2 + 2 * seed);  // 16 to 16,384 ticks
    std::vector<Step> steps;
    bool is_sweeping = false;
    for (std::size_t at = 0; at < 20'000; ++at) {
      if (below(200) == 0) mid += static_cast<std::int32_t>(below(4 * spread)) - static_cast<std::int32_t>(2 * spread);
      if (below(2'000) == 0) mid = static_cast<std::int32_t>(below(std::uint64_t{1} << 31));
      if (below(500) == 0) is_sweeping = !is_sweeping;
      mid = std::min(std::max(mid, 0), std::numeric_limits<std::int32_t>::max() - 1);
      const std::int64_t level = std::int64_t{mid} + static_cast<std::int64_t>(below(spread));
      steps.push_back({.what = static_cast<std::uint8_t>(is_sweeping ? 4 : below(5)),
                       .level = static_cast<std::int32_t>(
                           std::min<std::int64_t>(level, std::numeric_limits<std::int32_t>::max() - 1)),
                       .which = static_cast<std::uint16_t>(random()),
                       .lots = static_cast<std::uint8_t>(below(20))});
    }
    run<TypeParam>(steps, seed % 2 == 0 ? Side::buy : Side::sell, 300, 7);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dojima::book
