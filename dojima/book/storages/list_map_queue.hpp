#pragma once

// The storages one writes first: a std::map of levels, each a std::list of slots, an order's place being its iterator.
// MapQueue takes every node from the heap, PooledQueue from a pool that keeps what it once took. They are what the
// others are measured against; MapQueue allocates in the steady state, PooledQueue until its pool has grown to the most
// that was ever in use. O(log levels) for a level, O(1) within it. One thread.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "dojima/base/assert.hpp"
#include "dojima/book/queues/side_queue.hpp"
#include "dojima/book/storages/list_map_levels.hpp"

namespace dojima::book {

template <class Memory, LevelMaking Making = LevelMaking::try_emplace>
class ListMapQueue {
 public:
  ListMapQueue(Side side, OrderTable& orders, std::size_t) : orders_(orders), levels_(side) {}
  ListMapQueue(const ListMapQueue&) = delete;
  ListMapQueue& operator=(const ListMapQueue&) = delete;

  void append(Level level, Slot slot) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(!order.is_resting(), "an order rests once");
    order.links = join(level, slot, order.leaves);
    order.state |= k_resting;
  }

  [[nodiscard]] std::array<std::uint32_t, 3> join(Level level, Slot slot, Quantity leaves) {
    auto& at = levels_.make(level);
    at.orders.push_back(slot);
    at.total += leaves;
    const auto link = std::bit_cast<std::array<std::uint32_t, 2>>(std::prev(at.orders.end()));
    return {link[0], link[1], static_cast<std::uint32_t>(index_of(level))};
  }

  void erase(Slot slot) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(order.is_resting(), "only a resting order is taken out");
    const auto found = levels_.find(level_of(order));
    DOJIMA_ASSERT(found != levels_.end(), "a resting order has a level");
    found->second.total -= order.leaves;
    found->second.orders.erase(link_of(order));
    order.state &= static_cast<std::uint8_t>(~k_resting);
    if (!found->second.orders.empty()) return;
    DOJIMA_ASSERT(found->second.total.lots == 0, "a level without orders has nothing left");
    levels_.erase(found);
  }

  void resize(Slot slot, Quantity change) {
    Order& order = orders_[slot];
    const auto found = levels_.find(level_of(order));
    DOJIMA_ASSERT(order.is_resting() && found != levels_.end(), "a resting order has a level");
    order.leaves += change;
    found->second.total += change;
    DOJIMA_ASSERT(found->second.total.lots >= 0, "a level never has less than nothing");
  }

  bool fill(Slot slot, Quantity quantity) {
    Order& order = orders_[slot];
    const auto found = levels_.find(level_of(order));
    DOJIMA_ASSERT(order.is_resting() && found != levels_.end(), "a resting order has a level");
    order.leaves -= quantity;
    found->second.total -= quantity;
    DOJIMA_ASSERT(order.leaves.lots >= 0, "an order never has less than nothing");
    if (order.leaves.lots != 0) return false;
    found->second.orders.erase(link_of(order));
    order.state &= static_cast<std::uint8_t>(~k_resting);
    if (found->second.orders.empty()) levels_.erase(found);
    return true;
  }

  void drop_front(Slot, std::uint32_t orders, Quantity total) {
    const auto best = levels_.begin();
    auto& level = best->second.orders;
    level.erase(level.begin(), std::next(level.begin(), static_cast<std::ptrdiff_t>(orders)));
    best->second.total -= total;
    if (level.empty()) levels_.erase(best);
  }

  [[nodiscard]] bool meets(Level limit) const noexcept { return levels_.meets(limit); }
  [[nodiscard]] Level best() const noexcept { return levels_.best(); }
  [[nodiscard]] Level worse(Level level) const noexcept { return levels_.worse(level); }
  [[nodiscard]] Quantity total(Level level) const noexcept {
    const auto found = levels_.find(level);
    return found == levels_.end() ? Quantity{} : found->second.total;
  }
  [[nodiscard]] Quantity total() const noexcept {
    return levels_.is_empty() ? Quantity{} : levels_.begin()->second.total;
  }
  [[nodiscard]] std::uint32_t count(Level level) const noexcept {
    const auto found = levels_.find(level);
    return found == levels_.end() ? 0 : static_cast<std::uint32_t>(found->second.orders.size());
  }
  [[nodiscard]] Slot front(Level level) const noexcept {
    const auto found = levels_.find(level);
    return found == levels_.end() ? k_no_slot : found->second.orders.front();
  }
  [[nodiscard]] Slot front() const noexcept {
    return levels_.is_empty() ? k_no_slot : levels_.begin()->second.orders.front();
  }
  [[nodiscard]] Slot next(Slot slot) const noexcept {
    const Order& order = orders_[slot];
    const auto behind = std::next(link_of(order));
    return behind == levels_.find(level_of(order))->second.orders.end() ? k_no_slot : *behind;
  }
  [[gnu::always_inline]] static void prefetch(const OrderTable&, const Order& order) noexcept {
    __builtin_prefetch(std::bit_cast<const void*>(link_of(order)), 1);
  }
  [[nodiscard]] Level level_of(Slot slot) const noexcept { return level_of(orders_[slot]); }
  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }

  [[nodiscard]] const char* inconsistency() const noexcept {
    for (const auto& [rank, level] : levels_) {
      Quantity sum;
      for (auto at = level.orders.begin(); at != level.orders.end(); ++at) {
        const Order& order = orders_[*at];
        if (!order.is_resting()) return "an order that does not rest rests in a level";
        if (level_of(order) != levels_.level_at(rank)) return "an order rests in another's level";
        if (*link_of(order) != *at) return "an order does not know its place";
        sum += order.leaves;
      }
      if (level.orders.empty()) return "a level without orders";
      if (sum != level.total) return "a level's total is wrong";
    }
    return nullptr;
  }

 private:
  using Levels = ListMapLevels<Memory, Making>;
  using Link = typename Levels::Slots::const_iterator;
  static_assert(sizeof(Link) == 8 && std::is_trivially_copyable_v<Link>, "an iterator fits an order's place");

  [[nodiscard]] static Level level_of(const Order& order) noexcept {
    return Level{static_cast<std::int32_t>(order.links[2])};
  }
  [[nodiscard]] static Link link_of(const Order& order) noexcept {
    return std::bit_cast<Link>(std::array{order.links[0], order.links[1]});
  }

  OrderTable& orders_;
  Levels levels_;
};

using MapQueue = ListMapQueue<HeapMemory>;
using PooledQueue = ListMapQueue<PoolMemory>;

static_assert(SideQueue<MapQueue> && SideQueue<PooledQueue>);

}  // namespace dojima::book
