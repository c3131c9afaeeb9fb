#include <gtest/gtest.h>
#include <limits>
#include <list>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/book/intrusive_queue.hpp"

namespace dojima::book {
namespace {

/// The one test every storage passes.
template <class Queue>
class SideQueueTest : public ::testing::Test {};

using Storages = ::testing::Types<IntrusiveQueue>;
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

/// Random appends, erases and resizes against lists in a map, looked at from outside after every step.
TYPED_TEST(SideQueueTest, agrees_with_lists_in_a_map) {
  const bool is_agreeing = rc::check("agrees with lists in a map", [](const std::vector<std::uint16_t>& steps) {
    const Side side = *rc::gen::element(Side::buy, Side::sell);
    OrderTable table({.capacity = 64});
    TypeParam queue(side, table, 6);
    std::map<int, std::list<Slot>> model;
    std::vector<Slot> resting;
    for (const std::uint16_t step : steps) {
      const int level = step / 4 % 6;
      const bool is_adding = step % 4 < 2 && !table.is_full();
      if (is_adding) {
        const Slot slot = add(table, 2 + step % 5, side);
        queue.append(Level{level}, slot);
        model[level].push_back(slot);
        resting.push_back(slot);
      } else if (!resting.empty()) {
        const std::size_t at = step % resting.size();
        const Slot slot = resting[at];
        if (step % 4 == 2 && table[slot].leaves().lots > 1) {
          queue.resize(slot, Quantity{-1});
        } else {
          const int at_level = index_of(queue.level_of(slot));
          queue.erase(slot);
          model[at_level].remove(slot);
          if (model[at_level].empty()) model.erase(at_level);
          table.release(slot);
          resting.erase(resting.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
      RC_ASSERT(queue.inconsistency() == nullptr);
      RC_ASSERT(queue.level_count() == model.size());
      std::vector<int> levels;
      for (Level at = queue.best(); at != k_no_level; at = queue.worse(at)) levels.push_back(index_of(at));
      std::vector<int> expected;
      for (const auto& [at, orders] : model) {
        expected.insert(side == Side::buy ? expected.begin() : expected.end(), at);
        std::int64_t total = 0;
        Slot slot = queue.front(Level{at});
        for (const Slot order : orders) {
          RC_ASSERT(slot == order);
          total += table[order].leaves().lots;
          slot = queue.next(slot);
        }
        RC_ASSERT(slot == k_no_slot);
        RC_ASSERT(queue.total(Level{at}).lots == total);
        RC_ASSERT(queue.count(Level{at}) == orders.size());
      }
      RC_ASSERT(levels == expected);
    }
  });
  EXPECT_TRUE(is_agreeing);
}

}  // namespace
}  // namespace dojima::book
