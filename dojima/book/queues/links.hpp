#pragma once

// Orders of one level as a doubly linked list through the order table, for storages that keep their links in
// Order::links: [0] the order behind, [1] the order before, [2] the storage's own note of the level. O(1), no memory.

#include <cstdint>

#include "dojima/book/order_table.hpp"

namespace dojima::book {

/// One level: the orders there, oldest first.
struct LinkedOrders {
  Quantity total;
  std::uint32_t first = k_none;
  std::uint32_t last = k_none;
  std::uint32_t count = 0;
  std::int32_t rank = 0;  ///< the storage's own: which level it is

  static constexpr auto k_none = static_cast<std::uint32_t>(k_no_slot);

  /// The oldest order.
  [[nodiscard]] Slot front() const noexcept { return Slot{first}; }

  [[nodiscard]] static Slot next(const Order& order) noexcept { return Slot{order.links[0]}; }
  [[nodiscard]] static Slot previous(const Order& order) noexcept { return Slot{order.links[1]}; }
  [[nodiscard]] static std::uint32_t note(const Order& order) noexcept { return order.links[2]; }

  void append(OrderTable& orders, Slot slot, std::uint32_t note) noexcept {
    Order& order = orders[slot];
    DOJIMA_ASSERT(!order.is_resting(), "an order rests once");
    order.links = join(orders, slot, order.leaves, note);
    order.state |= k_resting;
  }

  /// The links of an order that joins at the back. Links and state are the caller's to write.
  [[nodiscard, gnu::always_inline]] std::array<std::uint32_t, 3> join(OrderTable& orders, Slot slot, Quantity leaves,
                                                                      std::uint32_t note) noexcept {
    const std::uint32_t before = last;
    total += leaves;
    ++count;
    // Whether an order is first or last in its level cannot be guessed: a choice of address, no branch.
    std::uint32_t* const link = before == k_none ? &first : &orders[Slot{before}].links[0];
    *link = static_cast<std::uint32_t>(slot);
    last = static_cast<std::uint32_t>(slot);
    return {k_none, before, note};
  }

  /// A hint that a resting order will be taken out a few commands from here.
  [[gnu::always_inline]] static void prefetch(const OrderTable& orders, const Order& order) noexcept {
    orders.slots().prefetch(next(order));
    orders.slots().prefetch(previous(order));
  }

  /// The order that rests in the slot goes. True: it was the last.
  [[nodiscard]] bool erase(OrderTable& orders, Order& order) noexcept {
    order.state &= static_cast<std::uint8_t>(~k_resting);
    return unlink(orders, order);
  }
  /// The same; its state is the caller's to write.
  [[nodiscard, gnu::always_inline]] bool unlink(OrderTable& orders, const Order& order) noexcept {
    const std::uint32_t behind = order.links[0], before = order.links[1];
    std::uint32_t* const from_before = before == k_none ? &first : &orders[Slot{before}].links[0];
    std::uint32_t* const from_behind = behind == k_none ? &last : &orders[Slot{behind}].links[1];
    *from_before = behind;
    *from_behind = before;
    total -= order.leaves;
    return --count == 0;
  }

  /// The oldest orders go, `orders_gone` of them; `kept` is the one behind them, no slot if there is none. Their own
  /// states are the caller's. `total_gone` lots go with them, more than they had if the one behind has lost some as
  /// well. True: they were all.
  [[nodiscard]] bool drop_front(OrderTable& orders, Slot kept, std::uint32_t orders_gone,
                                Quantity total_gone) noexcept {
    first = static_cast<std::uint32_t>(kept);
    if (kept == k_no_slot)
      last = k_none;
    else
      orders[kept].links[1] = k_none;
    total -= total_gone;
    count -= orders_gone;
    return count == 0;
  }

  /// Null when links, count and total agree, or what is wrong. O(orders).
  [[nodiscard]] const char* inconsistency(const OrderTable& orders, std::uint32_t note_of_all) const noexcept {
    Quantity sum;
    std::uint32_t seen = 0;
    Slot before = k_no_slot;
    for (Slot slot = front(); slot != k_no_slot; before = slot, slot = next(orders[slot]), ++seen) {
      const Order& order = orders[slot];
      if (seen == count) return "a level has more orders than it counts";
      if (!order.is_resting()) return "an order that does not rest rests in a level";
      if (previous(order) != before) return "the links of a level disagree";
      if (note(order) != note_of_all) return "an order rests in another's level";
      sum += order.leaves;
    }
    if (seen == 0) return "a level without orders";
    if (Slot{last} != before) return "a level's last order is not the last";
    if (seen != count) return "a level counts more orders than it has";
    return sum == total ? nullptr : "a level's total is wrong";
  }
};

}  // namespace dojima::book
