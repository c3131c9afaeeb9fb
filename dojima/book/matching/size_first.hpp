#pragma once

// A level where the order that has most comes first, the oldest of those. Included by shared_levels.hpp only.

#include <algorithm>

#include "dojima/book/matching/level_trades.hpp"
#include "dojima/book/queues/largest_orders.hpp"

namespace dojima::book {

/// Of the level's orders the one that has most, the oldest of those. O(orders), a few instructions each.
template <SideQueue Queue>
[[nodiscard]] inline Slot largest_of_few(const LevelTrades<Queue>& trades) noexcept {
  Slot found = trades.queue().front();
  Quantity most = trades.orders()[found].leaves;
  for (Slot slot = trades.queue().next(found); slot != k_no_slot; slot = trades.queue().next(slot)) {
    const Quantity leaves = trades.orders()[slot].leaves;
    if (leaves <= most) continue;
    most = leaves;
    found = slot;
  }
  return found;
}

template <SideQueue Queue>
inline void trade_by_size_of_few(LevelTrades<Queue>& trades, Level level) {
  do {
    const Slot slot = largest_of_few(trades);
    trades.trade(slot, std::min(trades.left, trades.orders()[slot].leaves));
  } while (trades.left.lots != 0 && trades.queue().best() == level);
}

template <SideQueue Queue>
inline void trade_by_size(LevelTrades<Queue>& trades, LargestOrders& largest, Level level) {
  if (trades.queue().count(level) <= k_few_orders) return trade_by_size_of_few(trades, level);
  LargestOfLevel& known = largest.of(trades.orders(), trades.queue(), trades.makers(), level);
  do {
    KnownOrder& next = known.largest(trades.orders(), trades.queue(), level);
    const Quantity quantity{std::min(trades.left.lots, next.lots)};
    next.lots -= quantity.lots;
    trades.trade(next.slot, quantity);
  } while (trades.left.lots != 0 && trades.queue().best() == level);
}

}  // namespace dojima::book
