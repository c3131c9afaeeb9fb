#include "dojima/book/queues/largest_orders.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/book/book_test_support.hpp"
#include "dojima/book/queues/ladder_queue.hpp"

namespace dojima::book::testing {
namespace {

constexpr Level k_level{40};

/// A queue of sell orders and what is remembered of it.
struct RememberedLevels {
  OrderTable orders{{.capacity = 1024}};
  LadderQueue queue{Side::sell, orders, 64};
  LargestOrders largest;

  Slot join(std::int64_t lots, Level level = k_level) {
    const Slot slot = orders.add(make_order({.side = Side::sell, .lots = lots}).terms, {}, 1);
    queue.append(level, slot);
    largest.joined(Side::sell, level, slot, {lots}, orders[slot].entry);
    return slot;
  }
  void leave(Slot slot) {
    queue.erase(slot);
    orders.release(slot);
  }
  [[nodiscard]] std::optional<std::string_view> wrong() const {
    const char* found = largest.inconsistency(orders, queue, Side::sell);
    return found != nullptr ? std::optional<std::string_view>(found) : std::nullopt;
  }
  KnownOrder& find(Level level = k_level) {
    return largest.of(orders, queue, Side::sell, level).largest(orders, queue, level);
  }
  /// By walking through the level.
  Slot largest_by_walking() const {
    Slot found = queue.front(k_level);
    for (Slot slot = queue.next(found); slot != k_no_slot; slot = queue.next(slot))
      if (orders[slot].leaves > orders[found].leaves) found = slot;
    return found;
  }
};

TEST(LargestOrders, are_found_as_by_walking_while_orders_come_shrink_and_go) {
  RememberedLevels levels;
  SplitMix64 random(7);
  std::vector<Slot> live;
  for (int step = 0; step < 6'000; ++step) {
    if (live.size() < 40 || (live.size() < 900 && random.chance(40))) {
      live.push_back(levels.join(1 + static_cast<std::int64_t>(random.below(random.chance(50) ? 8 : 60))));
      continue;
    }
    const std::size_t at = random.below(live.size());
    if (random.chance(30)) {
      levels.leave(live[at]);
      live[at] = live.back();
      live.pop_back();
    } else if (random.chance(30)) {
      const std::int64_t lots = levels.orders[live[at]].leaves.lots;
      levels.queue.resize(live[at], {-(lots / 2)});
    } else {
      KnownOrder& found = levels.find();
      ASSERT_EQ(found.slot, levels.largest_by_walking()) << step;
      const std::int64_t lots = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(found.lots)));
      found.lots -= lots;
      const Slot slot = found.slot;
      if (levels.queue.fill(slot, {lots})) {
        levels.orders.release(slot);
        std::erase(live, slot);
      }
    }
    if (step % 16 == 0) {
      ASSERT_EQ(levels.wrong(), std::nullopt) << step;
    }
  }
}

TEST(LargestOrders, are_the_oldest_of_those_that_have_as_much) {
  RememberedLevels levels;
  const Slot first = levels.join(5), second = levels.join(5);
  for (int at = 0; at < 200; ++at) levels.join(5);
  EXPECT_EQ(levels.find().slot, first);
  levels.leave(first);
  EXPECT_EQ(levels.find().slot, second);
  levels.queue.resize(second, {-1});
  EXPECT_NE(levels.find().slot, second);
  EXPECT_EQ(levels.find().slot, levels.largest_by_walking());
}

TEST(LargestOrders, know_an_order_that_left_and_came_back_where_it_rests_now) {
  RememberedLevels levels;
  const Slot moved = levels.join(9), other = levels.join(9);
  EXPECT_EQ(levels.find().slot, moved);
  levels.queue.erase(moved);
  levels.queue.append(k_level, moved);
  levels.largest.joined_again(Side::sell, k_level, moved, {9}, levels.orders[moved].entry);
  EXPECT_EQ(levels.find().slot, other);
  EXPECT_EQ(levels.wrong(), std::nullopt);
}

TEST(LargestOrders, do_not_take_an_order_in_a_slot_used_again_or_at_another_price_for_one_they_know) {
  RememberedLevels levels;
  const Slot gone = levels.join(9), moved = levels.join(8), kept = levels.join(1);
  EXPECT_EQ(levels.find().slot, gone);
  levels.orders[gone].entry = 1'000;  // as a later order's would be
  levels.queue.erase(moved);
  levels.queue.append(Level{41}, moved);
  EXPECT_EQ(levels.find().slot, kept);
}

TEST(LargestOrders, of_levels_that_share_a_place_are_looked_for_again) {
  RememberedLevels levels;
  const Slot near = levels.join(3), far = levels.join(4, Level{48});
  EXPECT_EQ(levels.find().slot, near);
  EXPECT_EQ(levels.find(Level{48}).slot, far);
  const Slot larger = levels.join(7);
  EXPECT_EQ(levels.find().slot, larger);
}

TEST(LargestOrders, say_when_an_order_came_that_was_not_announced) {
  RememberedLevels levels;
  levels.join(3);
  EXPECT_EQ(levels.find().lots, 3);
  const Slot unannounced = levels.orders.add(make_order({.side = Side::sell, .lots = 4}).terms, {}, 1);
  levels.queue.append(k_level, unannounced);
  EXPECT_EQ(levels.wrong(), "a large order of a level is not known");
  levels.largest.forget(Side::sell, k_level);
  EXPECT_EQ(levels.wrong(), std::nullopt);
  EXPECT_EQ(levels.find().slot, unannounced);
}

TEST(LargestOrders, all_that_have_so_much_are_known_where_they_are_few) {
  RememberedLevels levels;
  for (int at = 0; at < 300; ++at) levels.join(at % 30 == 0 ? 50 : 5);
  LargestOfLevel& known = levels.largest.of(levels.orders, levels.queue, Side::sell, k_level);
  EXPECT_TRUE(known.knows_all(6, levels.orders, levels.queue, k_level));
  EXPECT_FALSE(known.knows_all(5, levels.orders, levels.queue, k_level));
}

}  // namespace
}  // namespace dojima::book::testing
