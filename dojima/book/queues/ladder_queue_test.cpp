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

}  // namespace
}  // namespace dojima::book::testing
