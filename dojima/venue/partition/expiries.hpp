#pragma once

// When the orders of a partition that are good till a time or date expire: what says when the next one does, and which
// they are, without a look at all others. It is no state of its own: the order table has the expiries, this only orders
// them, and after a restore rebuild() finds them again. An order that ends earlier leaves its entry behind, which is
// dropped when it comes to the front, or when there is no room. O(log n) an order. No allocation after construction.

#include <cstddef>
#include <vector>

#include "dojima/book/order_table.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

class Expiries {
 public:
  /// Of the live orders of this table, which outlives it. Throws std::bad_alloc.
  explicit Expiries(const book::OrderTable& orders);

  /// The order in this slot is new, or has a new expiry. Nothing for one that is not live, or has no expiry.
  void note(book::Slot slot);
  /// When the next order expires; time::k_never: none will. Amortised O(log n).
  [[nodiscard]] time::Time next();
  /// The orders that have expired by `now`, each once, in no order. The vector's room is for all live orders.
  void take_due(time::Time now, std::vector<book::Slot>& due);
  /// From the order table alone. O(capacity).
  void rebuild();

 private:
  struct Entry {
    time::Time expiry;
    market::OrderId order;
  };
  /// Whether the entry still says when its order expires.
  [[nodiscard]] bool is_current(const Entry& entry) const noexcept;
  void push(const Entry& entry);
  void pop();

  const book::OrderTable& orders_;
  std::vector<Entry> heap_;  // the earliest in front
};

}  // namespace dojima::venue
