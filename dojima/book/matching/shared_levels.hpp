#pragma once

// BookFastPath: plain orders that sweep levels which are not traded in the order of time: pro rata, or the largest
// first. Where nothing but plain orders stands in the levels; the general path (book_matching.hpp) gives the same
// trades. A short level is walked through; of a long one its largest orders are known (largest_orders.hpp).
// Included by matching.hpp only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"
#include "dojima/book/queues/largest_orders.hpp"

namespace dojima::book {

/// Trades of a taker with orders of the best level, one by one. What the taker has left is written when reports are
/// handed over, and for the caller to write at the end.
template <SideQueue Queue>
class LevelTrades {
 public:
  LevelTrades(OrderTable& orders, Queue& queue, LargestOrders& largest, Writer& out, Slot taker, Side makers,
              OrderId id)
      : left(orders[taker].leaves),
        orders_(orders),
        queue_(queue),
        largest_(largest),
        out_(out),
        taker_(taker),
        makers_(makers),
        id_(id) {}

  Quantity left;
  Price price;  ///< of the level

  /// The oldest first.
  void by_time() {
    for (Slot slot = queue_.front(), next{}; slot != k_no_slot && left.lots != 0; slot = next) {
      next = queue_.next(slot);
      trade(slot, std::min(left, orders_[slot].leaves));
    }
  }

  /// The oldest order alone; how much.
  Quantity top() {
    const Slot slot = queue_.front();
    const Quantity quantity = std::min(left, orders_[slot].leaves);
    trade(slot, quantity);
    return quantity;
  }

  /// Of a level that has `total`, more than what is left: each order its share, rounded down, and what that leaves over
  /// to the oldest first.
  void pro_rata(Level level, Quantity total) {
    if (queue_.count(level) <= k_few) return pro_rata_of_few(total);
    // Less than this, and an order's share is nothing.
    const std::int64_t least = (total.lots - 1) / left.lots + 1;
    LargestOfLevel& known = largest_.of(orders_, queue_, makers_, level);
    if (known.knows_all(least, orders_, queue_, level))
      pro_rata_of_known(known, least, level, total);
    else
      pro_rata_of_all(total);
  }

  /// The order that has most first, the oldest of those.
  void by_size(Level level) {
    if (queue_.count(level) <= k_few) return by_size_of_few(level);
    LargestOfLevel& known = largest_.of(orders_, queue_, makers_, level);
    do {
      KnownOrder& next = known.largest(orders_, queue_, level);
      const Quantity quantity{std::min(left.lots, next.lots)};
      next.lots -= quantity.lots;
      trade(next.slot, quantity);
    } while (left.lots != 0 && queue_.best() == level);
  }

 private:
  static constexpr std::uint32_t k_few = 16;  // orders of a level that are walked through each time
  /// Nothing of it is set before it is used: an array of them is not cleared for each taker.
  struct Share {
    Slot slot;
    std::uint32_t at;  // of those that are known
    std::int64_t lots;
  };

  /// The order's share of what is wanted, rounded down.
  [[nodiscard]] static Quantity share(Quantity wanted, Quantity of, Quantity total) noexcept {
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(static_cast<std::uint64_t>(wanted.lots), static_cast<std::uint64_t>(of.lots), &product))
        [[likely]]
      return {static_cast<std::int64_t>(product / static_cast<std::uint64_t>(total.lots))};
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(wanted.lots) * static_cast<Wide>(of.lots);
    return {static_cast<std::int64_t>(wide / static_cast<Wide>(total.lots))};
  }

  void pro_rata_of_few(Quantity total) {
    std::array<Share, k_few> shares;
    const Quantity wanted = left;
    Quantity over = wanted;
    std::size_t count = 0;
    for (Slot slot = queue_.front(); slot != k_no_slot; slot = queue_.next(slot), ++count) {
      const Quantity part = share(wanted, orders_[slot].leaves, total);
      shares[count].slot = slot;
      shares[count].lots = part.lots;
      over -= part;
    }
    for (std::size_t at = 0; at < count && left.lots != 0; ++at) {
      const Quantity part{shares[at].lots};
      const Quantity extra = std::min(over, orders_[shares[at].slot].leaves - part);
      over -= extra;
      if (const Quantity quantity = part + extra; quantity.lots != 0) trade(shares[at].slot, quantity);
    }
  }

  void pro_rata_of_all(Quantity total) {
    const Quantity wanted = left;
    Quantity over = wanted;
    for (Slot slot = queue_.front(); slot != k_no_slot; slot = queue_.next(slot))
      over -= share(wanted, orders_[slot].leaves, total);
    for (Slot slot = queue_.front(), next{}; slot != k_no_slot && left.lots != 0; slot = next) {
      next = queue_.next(slot);
      const Quantity of = orders_[slot].leaves;
      const Quantity part = share(wanted, of, total);
      const Quantity extra = std::min(over, of - part);
      over -= extra;
      if (const Quantity quantity = part + extra; quantity.lots != 0) trade(slot, quantity);
    }
  }

  /// All orders that have `least` are known, and no other has a share. What is left over goes to the oldest first,
  /// known or not.
  void pro_rata_of_known(LargestOfLevel& known, std::int64_t least, Level level, Quantity total) {
    std::array<Share, LargestOfLevel::k_room> shares;
    const Quantity wanted = left;
    Quantity over = wanted;
    std::size_t count = 0;
    for (std::size_t at = 0; at < known.size(); ++at) {
      KnownOrder& order = known[at];
      if (order.lots < least) continue;
      if (!LargestOfLevel::is_current(order, orders_, queue_, level) && order.lots < least) continue;
      const Quantity part = share(wanted, {order.lots}, total);
      over -= part;
      shares[count++] = {order.slot, static_cast<std::uint32_t>(at), part.lots};
    }
    std::size_t shared = 0;
    const auto trade_share = [&](Quantity extra) {
      const Share& mine = shares[shared++];
      known[mine.at].lots -= mine.lots + extra.lots;
      trade(mine.slot, Quantity{mine.lots} + extra);
    };
    for (Slot slot = queue_.front(), next{}; over.lots != 0; slot = next) {
      next = queue_.next(slot);
      const bool has_share = shared < count && shares[shared].slot == slot;
      const Quantity of = orders_[slot].leaves;
      const Quantity extra = std::min(over, has_share ? of - Quantity{shares[shared].lots} : of);
      over -= extra;
      has_share ? trade_share(extra) : trade(slot, extra);
    }
    while (shared < count) trade_share({});
  }

  void by_size_of_few(Level level) {
    do {
      const Slot slot = largest();
      trade(slot, std::min(left, orders_[slot].leaves));
    } while (left.lots != 0 && queue_.best() == level);
  }

  /// Of the level's orders the one that has most, the oldest of those. O(orders), a few instructions each.
  [[nodiscard]] Slot largest() const noexcept {
    Slot found = queue_.front();
    Quantity most = orders_[found].leaves;
    for (Slot slot = queue_.next(found); slot != k_no_slot; slot = queue_.next(slot)) {
      const Quantity leaves = orders_[slot].leaves;
      if (leaves <= most) continue;
      most = leaves;
      found = slot;
    }
    return found;
  }

  void trade(Slot slot, Quantity quantity) {
    const Order& maker = orders_[slot];
    if (out_.is_full()) [[unlikely]] {
      orders_[taker_].leaves = left;
      out_.room();
    }
    out_.write(market::BookReportKind::traded, makers_, orders_.id_of(slot, maker.generation), id_, price, quantity,
               maker.leaves - quantity);
    left -= quantity;
    if (queue_.fill(slot, quantity)) orders_.release_fast(slot);
  }

  OrderTable& orders_;
  Queue& queue_;
  LargestOrders& largest_;
  Writer& out_;
  Slot taker_;
  Side makers_;
  OrderId id_;
};

/// As sweep(), by the book's own policy.
template <SideQueue Queue>
typename BookFastPath<Queue>::Sweep BookFastPath<Queue>::sweep_by_policy(Writer& out, Slot taker, Side makers,
                                                                         OrderId id, Level limit) {
  Queue& queue = lit(makers);
  LevelTrades<Queue> trades(orders_, queue, *largest_, out, taker, makers, id);
  Sweep swept{.first = instrument_.ticks.price_of(queue.best()), .has_traded = true};
  do {
    const Level level = queue.best();
    const Quantity total = queue.total(level);
    swept.last = trades.price = instrument_.ticks.price_of(level);
    if (rules_.policy == Policy::size_time) {
      trades.by_size(level);
    } else if (trades.left >= total) {
      trades.by_time();
    } else {
      const Quantity before = rules_.policy == Policy::top_pro_rata ? trades.top() : Quantity{};
      if (trades.left.lots != 0) trades.pro_rata(level, total - before);
    }
  } while (trades.left.lots != 0 && queue.meets(limit));
  last_trade_.emplace(swept.last);
  swept.left = trades.left;
  return swept;
}

}  // namespace dojima::book
