#pragma once

// What a book's storage must offer: one side's price-time queue of slots, keyed by dense tick index. Ids, slots, terms
// and capacity checks stand above it, so every storage gives the same bytes. The links between orders of a level are
// the members `next`, `previous` and `level` of Order.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "dojima/book/order_table.hpp"

namespace dojima::book {

/// No level: the side is empty, or there is none behind.
inline constexpr Level k_no_level = Level{-1};

/// `append` puts an order at the back of a level, which appears if it is not there, and adds the order's leaves to the
/// level's total; `erase` takes it out and its leaves with it, and a level without orders disappears; `resize` changes
/// the total by what the order's leaves changed (or are about to change), its place stays. `best`, `worse` walk the
/// occupied levels outwards; `total` and `count` are 0 where there is no level; `front`, `next` walk a level from its
/// oldest order to k_no_slot. Never more than `capacity` levels: the book checks before it appends.
template <class Queue>
concept SideQueue = requires(Queue queue, const Queue constant, Level level, Slot slot, Quantity change, Side side,
                             OrderTable& orders, std::size_t capacity) {
  Queue(side, orders, capacity);
  queue.append(level, slot);
  queue.erase(slot);
  queue.resize(slot, change);
  { constant.best() } -> std::same_as<Level>;
  { constant.worse(level) } -> std::same_as<Level>;
  { constant.total(level) } -> std::same_as<Quantity>;
  { constant.count(level) } -> std::same_as<std::uint32_t>;
  { constant.front(level) } -> std::same_as<Slot>;
  { constant.next(slot) } -> std::same_as<Slot>;
  { constant.level_count() } -> std::same_as<std::size_t>;
};

}  // namespace dojima::book
