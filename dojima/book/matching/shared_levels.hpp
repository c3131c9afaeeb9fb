#pragma once

// BookFastPath: plain orders that sweep levels which are not traded in the order of time: pro rata, or the largest
// first. Where nothing but plain orders stands in the levels; the general path (book_matching.hpp) gives the same
// trades. Included by matching.hpp only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"

namespace dojima::book {

/// Trades of a taker with orders of the best level, one by one. What the taker has left is written when reports are
/// handed over, and for the caller to write at the end.
template <SideQueue Queue>
class LevelTrades {
 public:
  LevelTrades(OrderTable& orders, Queue& queue, Writer& out, Slot taker, Side makers, OrderId id)
      : left(orders[taker].leaves),
        orders_(orders),
        queue_(queue),
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
  void pro_rata(Quantity total) {
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

  /// The order that has most first, the oldest of those. Mostly it is enough; if not, the next ones are looked for
  /// together, more of them each time, as whoever sweeps a long level would walk through it as often as it finds some.
  void by_size(Level level) {
    const Slot first = largest();
    trade(first, std::min(left, orders_[first].leaves));
    for (std::size_t most = k_first; left.lots != 0 && queue_.best() == level; most = std::min(4 * most, k_most)) {
      const std::size_t count = find_largest(most);
      for (std::size_t at = 0; at < count && left.lots != 0; ++at)
        trade(largest_[at].slot, {std::min(left.lots, largest_[at].lots)});
    }
  }

 private:
  static constexpr std::size_t k_first = 8, k_most = 64;
  /// Without a value to begin with: a taker that trades with one order of the level needs none of them.
  struct Found {
    std::int64_t lots;
    Slot slot;
  };

  [[nodiscard]] static Quantity share(Quantity wanted, Quantity of, Quantity total) noexcept {
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(static_cast<std::uint64_t>(wanted.lots), static_cast<std::uint64_t>(of.lots), &product))
        [[likely]]
      return {static_cast<std::int64_t>(product / static_cast<std::uint64_t>(total.lots))};
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(wanted.lots) * static_cast<Wide>(of.lots);
    return {static_cast<std::int64_t>(wide / static_cast<Wide>(total.lots))};
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

  /// Up to `most` of the level's orders into largest_, in their order; how many. O(orders) where others are smaller.
  [[nodiscard]] std::size_t find_largest(std::size_t most) {
    std::size_t count = 0;
    for (Slot slot = queue_.front(); slot != k_no_slot; slot = queue_.next(slot)) {
      const std::int64_t lots = orders_[slot].leaves.lots;
      if (count == most && lots <= largest_[count - 1].lots) continue;
      std::size_t at = count < most ? count++ : count - 1;
      for (; at != 0 && largest_[at - 1].lots < lots; --at) largest_[at] = largest_[at - 1];
      largest_[at] = {lots, slot};
    }
    return count;
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
  Writer& out_;
  Slot taker_;
  Side makers_;
  OrderId id_;
  std::array<Found, k_most> largest_;
};

/// As sweep(), by the book's own policy.
template <SideQueue Queue>
typename BookFastPath<Queue>::Sweep BookFastPath<Queue>::sweep_by_policy(Writer& out, Slot taker, Side makers,
                                                                         OrderId id, Level limit) {
  Queue& queue = lit(makers);
  LevelTrades<Queue> trades(orders_, queue, out, taker, makers, id);
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
      if (trades.left.lots != 0) trades.pro_rata(total - before);
    }
  } while (trades.left.lots != 0 && queue.meets(limit));
  last_trade_.emplace(swept.last);
  swept.left = trades.left;
  return swept;
}

}  // namespace dojima::book
