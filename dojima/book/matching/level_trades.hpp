#pragma once

// Trades of a taker with orders of the best level, one by one: the oldest first, or as somebody says. Included by
// shared_levels.hpp only.

#include <algorithm>
#include <cstdint>

#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"
#include "dojima/book/queues/side_queue.hpp"

namespace dojima::book {

/// Orders of a level that are walked through each time; of a longer one its largest are known.
inline constexpr std::uint32_t k_few_orders = 16;

/// What the taker has left is written to its order when reports are handed over, and for the caller to write at the
/// end.
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

  [[nodiscard]] const OrderTable& orders() const noexcept { return orders_; }
  [[nodiscard]] const Queue& queue() const noexcept { return queue_; }
  [[nodiscard]] Side makers() const noexcept { return makers_; }

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

  /// With an order of the level, which leaves when nothing is left of it.
  void trade(Slot slot, Quantity quantity) {
    const Order& maker = orders_[slot];
    if (out_.is_full()) [[unlikely]] {
      orders_[taker_].leaves = left;
      out_.room();
    }
    out_.write(market::BookReportKind::traded, makers_, orders_.slots().id_of(slot, maker.generation), id_, price,
               quantity, maker.leaves - quantity);
    left -= quantity;
    if (queue_.fill(slot, quantity)) orders_.release_fast(slot);
  }

 private:
  OrderTable& orders_;
  Queue& queue_;
  Writer& out_;
  Slot taker_;
  Side makers_;
  OrderId id_;
};

}  // namespace dojima::book
