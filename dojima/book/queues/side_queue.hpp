#pragma once

// What a book's storage must offer: one side's price-time queue of slots, keyed by dense tick index. Ids, slots, terms
// and capacity checks are made above it, so every storage gives the same bytes. Of an order a storage reads `leaves`,
// writes `links` and its resting bit, and touches nothing else.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "dojima/book/order_table.hpp"

namespace dojima::book {

/// No level: the side is empty, or there is none behind.
inline constexpr Level k_no_level = Level{-1};

/// `append` puts an order at the back of a level, which appears if it is not there, and adds what the order has left to
/// the level's total; `join` does so for an order that is not written yet, and answers the links that its caller is to
/// write, as well as that it rests; `erase` takes it out and what it has left with it, and a level without orders
/// disappears; `resize` changes what an order has left and its level's total, its place stays; `fill` takes away from
/// what an order has left, and takes it out when nothing is left, which it answers; `drop_front` takes the oldest
/// orders off the best level at once: how many they are, which one comes behind them, k_no_slot if none does, and what
/// the level loses, which may be more than they had if the one behind has lost some; that they no longer rest, and what
/// it has left, the caller has seen to. `meets`: whether an order of the other side with that limit meets the best
/// level. `best`, `worse` walk the occupied levels outwards; `total` and `count` are 0 where there is no level;
/// `front`, `next` walk a level from its oldest order to k_no_slot; `total` and `front` without a level are the best
/// level's, 0 and k_no_slot on an empty side; `level_of` is where an order rests; `prefetch` is a hint that an order
/// will soon be taken out, if it rests here. Never more than `capacity` levels: the book checks before it appends.
/// `inconsistency` is null, or says what is wrong inside the storage; O(orders), for tests.
template <class Queue>
concept SideQueue = requires(Queue queue, const Queue constant, Level level, Slot slot, Quantity change, Side side,
                             const Order& order, OrderTable& orders, std::size_t capacity, std::uint32_t count) {
  Queue(side, orders, capacity);
  queue.append(level, slot);
  { queue.join(level, slot, change) } -> std::same_as<std::array<std::uint32_t, 3>>;
  queue.erase(slot);
  queue.resize(slot, change);
  { queue.fill(slot, change) } -> std::same_as<bool>;
  queue.drop_front(slot, count, change);
  { constant.meets(level) } -> std::same_as<bool>;
  { constant.best() } -> std::same_as<Level>;
  { constant.worse(level) } -> std::same_as<Level>;
  { constant.total(level) } -> std::same_as<Quantity>;
  { constant.total() } -> std::same_as<Quantity>;
  { constant.count(level) } -> std::same_as<std::uint32_t>;
  { constant.front(level) } -> std::same_as<Slot>;
  { constant.front() } -> std::same_as<Slot>;
  { constant.next(slot) } -> std::same_as<Slot>;
  Queue::prefetch(orders, order);
  { constant.level_of(slot) } -> std::same_as<Level>;
  { constant.level_count() } -> std::same_as<std::size_t>;
  { constant.inconsistency() } -> std::same_as<const char*>;
};

/// One that can join and erase in steps without a call in between, as LadderQueue says.
template <class Queue>
concept HasLevelRecords = requires(Queue queue, Level level, Slot slot, Quantity leaves, OrderTable& orders,
                                   const Order& order, std::uint32_t record) {
  { queue.record_at(level) } -> std::same_as<std::uint32_t>;
  { queue.open(level) } -> std::same_as<std::uint32_t>;
  { queue.join_at(record, orders, slot, leaves) } -> std::same_as<std::array<std::uint32_t, 3>>;
  { queue.take_out(orders, order) } -> std::same_as<std::uint32_t>;
  queue.close(record);
};

}  // namespace dojima::book
