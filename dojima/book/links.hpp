#pragma once

// Orders of one level as a doubly linked list through the order table, for storages that keep their links in
// Order::place: [0] the order behind, [1] the order before, [2] the storage's own note of the level. O(1), no memory.

#include <cstdint>

#include "dojima/book/order_table.hpp"

namespace dojima::book {

/// One level: what stands there, oldest first.
struct LinkedOrders {
  Quantity total;
  Slot first = k_no_slot;
  Slot last = k_no_slot;
  std::uint32_t count = 0;
  std::int32_t rank = 0;  ///< the storage's own: which level it is

  [[nodiscard]] static Slot next(const Order& order) noexcept { return Slot{order.place[0]}; }
  [[nodiscard]] static Slot previous(const Order& order) noexcept { return Slot{order.place[1]}; }
  [[nodiscard]] static std::uint32_t note(const Order& order) noexcept { return order.place[2]; }

  void append(OrderTable& orders, Slot slot, std::uint32_t note) noexcept {
    Order& order = orders[slot];
    DOJIMA_ASSERT(!order.is_resting(), "an order rests once");
    order.place = {static_cast<std::uint32_t>(k_no_slot), static_cast<std::uint32_t>(last), note};
    order.state |= k_resting;
    total += order.standing;
    if (count++ == 0)
      first = slot;
    else
      orders[last].place[0] = static_cast<std::uint32_t>(slot);
    last = slot;
  }

  /// The order that stands in the slot goes. True: it was the last.
  [[nodiscard]] bool erase(OrderTable& orders, Order& order) noexcept {
    const Slot behind = next(order), before = previous(order);
    if (before == k_no_slot)
      first = behind;
    else
      orders[before].place[0] = static_cast<std::uint32_t>(behind);
    if (behind == k_no_slot)
      last = before;
    else
      orders[behind].place[1] = static_cast<std::uint32_t>(before);
    order.state &= static_cast<std::uint8_t>(~k_resting);
    total -= order.standing;
    return --count == 0;
  }

  /// The oldest orders go, `orders_gone` of them with `total_gone` standing; `kept` is the one behind them, no slot if
  /// there is none. Their own states are the caller's. True: they were all.
  [[nodiscard]] bool drop_front(OrderTable& orders, Slot kept, std::uint32_t orders_gone,
                                Quantity total_gone) noexcept {
    first = kept;
    if (kept == k_no_slot)
      last = k_no_slot;
    else
      orders[kept].place[1] = static_cast<std::uint32_t>(k_no_slot);
    total -= total_gone;
    count -= orders_gone;
    return count == 0;
  }

  /// Null when links, count and total agree, or what is wrong. O(orders).
  [[nodiscard]] const char* inconsistency(const OrderTable& orders, std::uint32_t note_of_all) const noexcept {
    Quantity sum;
    std::uint32_t seen = 0;
    Slot before = k_no_slot;
    for (Slot slot = first; slot != k_no_slot; before = slot, slot = next(orders[slot]), ++seen) {
      const Order& order = orders[slot];
      if (seen == count) return "a level has more orders than it counts";
      if (!order.is_resting()) return "an order that does not rest stands in a level";
      if (previous(order) != before) return "the links of a level disagree";
      if (note(order) != note_of_all) return "an order stands in another's level";
      sum += order.standing;
    }
    if (seen == 0) return "a level without orders";
    if (last != before) return "a level's last order is not the last";
    if (seen != count) return "a level counts more orders than it has";
    return sum == total ? nullptr : "a level's total is wrong";
  }
};

}  // namespace dojima::book
