#pragma once

// A level that is shared by size: each order its part of what is wanted, rounded down, and what that leaves over to the
// oldest first. Included by shared_levels.hpp only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/book/matching/level_trades.hpp"
#include "dojima/book/queues/largest_orders.hpp"

namespace dojima::book {

/// Nothing of it is set before it is used: an array of them is not cleared for each taker.
struct ProRataShare {
  Slot slot;
  std::uint32_t at;  ///< of those that are known
  std::int64_t lots;
};

/// The order's share of what is wanted, rounded down.
[[nodiscard]] inline Quantity pro_rata_share(Quantity wanted, Quantity of, Quantity total) noexcept {
  std::uint64_t product = 0;
  if (!__builtin_mul_overflow(static_cast<std::uint64_t>(wanted.lots), static_cast<std::uint64_t>(of.lots), &product))
      [[likely]]
    return {static_cast<std::int64_t>(product / static_cast<std::uint64_t>(total.lots))};
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(wanted.lots) * static_cast<Wide>(of.lots);
  return {static_cast<std::int64_t>(wide / static_cast<Wide>(total.lots))};
}

/// Of a short level.
template <SideQueue Queue>
inline void trade_pro_rata_of_few(LevelTrades<Queue>& trades, Quantity total) {
  std::array<ProRataShare, k_few_orders> shares;
  const Quantity wanted = trades.left;
  Quantity over = wanted;
  std::size_t count = 0;
  for (Slot slot = trades.queue().front(); slot != k_no_slot; slot = trades.queue().next(slot), ++count) {
    shares[count].slot = slot;
    const Quantity part = pro_rata_share(wanted, trades.orders()[slot].leaves, total);
    shares[count].lots = part.lots;
    over -= part;
  }
  for (std::size_t at = 0; at < count && trades.left.lots != 0; ++at) {
    const Quantity part{shares[at].lots};
    const Quantity extra = std::min(over, trades.orders()[shares[at].slot].leaves - part);
    over -= extra;
    if (const Quantity quantity = part + extra; quantity.lots != 0) trades.trade(shares[at].slot, quantity);
  }
}

/// Of a level of any length.
template <SideQueue Queue>
inline void trade_pro_rata_of_all(LevelTrades<Queue>& trades, Quantity total) {
  const Quantity wanted = trades.left;
  Quantity over = wanted;
  for (Slot slot = trades.queue().front(); slot != k_no_slot; slot = trades.queue().next(slot))
    over -= pro_rata_share(wanted, trades.orders()[slot].leaves, total);
  for (Slot slot = trades.queue().front(), next{}; slot != k_no_slot && trades.left.lots != 0; slot = next) {
    next = trades.queue().next(slot);
    const Quantity of = trades.orders()[slot].leaves;
    const Quantity part = pro_rata_share(wanted, of, total);
    const Quantity extra = std::min(over, of - part);
    over -= extra;
    if (const Quantity quantity = part + extra; quantity.lots != 0) trades.trade(slot, quantity);
  }
}

/// All orders that have `least` are known, and no other has a share. What is left over goes to the oldest first,
/// known or not.
template <SideQueue Queue>
inline void trade_pro_rata_of_known(LevelTrades<Queue>& trades, LargestOfLevel& known, std::int64_t least, Level level,
                                    Quantity total) {
  std::array<ProRataShare, LargestOfLevel::k_room> shares;
  const Quantity wanted = trades.left;
  Quantity over = wanted;
  std::size_t count = 0;
  for (std::size_t at = 0; at < known.size(); ++at) {
    KnownOrder& order = known[at];
    if (order.lots < least) continue;
    if (!is_current(order, trades.orders(), trades.queue(), level) && order.lots < least) continue;
    const Quantity part = pro_rata_share(wanted, {order.lots}, total);
    over -= part;
    shares[count++] = {order.slot, static_cast<std::uint32_t>(at), part.lots};
  }
  std::size_t shared = 0;
  const auto trade_share = [&](const ProRataShare& mine, Quantity extra) {
    known[mine.at].lots -= mine.lots + extra.lots;
    trades.trade(mine.slot, Quantity{mine.lots} + extra);
  };
  for (Slot slot = trades.queue().front(), next{}; over.lots != 0; slot = next) {
    next = trades.queue().next(slot);
    const bool has_share = shared < count && shares[shared].slot == slot;
    const Quantity of = trades.orders()[slot].leaves;
    const Quantity extra = std::min(over, has_share ? of - Quantity{shares[shared].lots} : of);
    over -= extra;
    has_share ? trade_share(shares[shared++], extra) : trades.trade(slot, extra);
  }
  for (; shared < count; ++shared) trade_share(shares[shared], {});
}

/// Of a level that has `total`, more than what is left.
template <SideQueue Queue>
inline void trade_pro_rata(LevelTrades<Queue>& trades, LargestOrders& largest, Level level, Quantity total) {
  if (trades.queue().count(level) <= k_few_orders) return trade_pro_rata_of_few(trades, total);
  // Less than this, and an order's share is nothing.
  const std::int64_t least = (total.lots - 1) / trades.left.lots + 1;
  LargestOfLevel& known = largest.of(trades.orders(), trades.queue(), trades.makers(), level);
  if (known.knows_all(least, trades.orders(), trades.queue(), level))
    trade_pro_rata_of_known(trades, known, least, level, total);
  else
    trade_pro_rata_of_all(trades, total);
}

}  // namespace dojima::book
