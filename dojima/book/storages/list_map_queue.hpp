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
#include <list>
#include <map>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/book/queues/side_queue.hpp"

namespace dojima::book {

/// Memory of a ListMapQueue.
class HeapMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* resource() noexcept { return std::pmr::new_delete_resource(); }
};
class PoolMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* resource() noexcept { return &pool_; }

 private:
  std::pmr::unsynchronized_pool_resource pool_{std::pmr::new_delete_resource()};
};

/// How a level is looked up or made: `emplace` with a level that is thrown away if there is one already, which builds a
/// node first, or `try_emplace`, which looks first.
enum class LevelMaking : std::uint8_t { try_emplace, emplace };

template <class Memory, LevelMaking Making = LevelMaking::try_emplace>
class ListMapQueue {
 public:
  ListMapQueue(Side side, OrderTable& orders, std::size_t)
      : orders_(orders), levels_(memory_.resource()), is_buy_(side == Side::buy) {}
  ListMapQueue(const ListMapQueue&) = delete;
  ListMapQueue& operator=(const ListMapQueue&) = delete;

  void append(Level level, Slot slot) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(!order.is_resting(), "an order rests once");
    order.links = join(level, slot, order.leaves);
    order.state |= k_resting;
  }

  [[nodiscard]] std::array<std::uint32_t, 3> join(Level level, Slot slot, Quantity leaves) {
    LevelOrders& at = make(rank_of(level));
    at.orders.push_back(slot);
    at.total += leaves;
    const auto link = std::bit_cast<std::array<std::uint32_t, 2>>(std::prev(at.orders.end()));
    return {link[0], link[1], static_cast<std::uint32_t>(index_of(level))};
  }

  void erase(Slot slot) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(order.is_resting(), "only a resting order is taken out");
    const auto found = find(level_of(order));
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
    const auto found = find(level_of(order));
    DOJIMA_ASSERT(order.is_resting() && found != levels_.end(), "a resting order has a level");
    order.leaves += change;
    found->second.total += change;
    DOJIMA_ASSERT(found->second.total.lots >= 0, "a level never has less than nothing");
  }

  bool fill(Slot slot, Quantity quantity) {
    Order& order = orders_[slot];
    const auto found = find(level_of(order));
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
    Slots& level = best->second.orders;
    level.erase(level.begin(), std::next(level.begin(), static_cast<std::ptrdiff_t>(orders)));
    best->second.total -= total;
    if (level.empty()) levels_.erase(best);
  }

  [[nodiscard]] bool meets(Level limit) const noexcept {
    return !levels_.empty() && (is_buy_ ? best() >= limit : best() <= limit);
  }
  [[nodiscard]] Level best() const noexcept { return levels_.empty() ? k_no_level : level_at(levels_.begin()->first); }
  [[nodiscard]] Level worse(Level level) const noexcept {
    const auto next = levels_.upper_bound(rank_of(level));
    return next == levels_.end() ? k_no_level : level_at(next->first);
  }
  [[nodiscard]] Quantity total(Level level) const noexcept {
    const auto found = find(level);
    return found == levels_.end() ? Quantity{} : found->second.total;
  }
  [[nodiscard]] Quantity total() const noexcept { return levels_.empty() ? Quantity{} : levels_.begin()->second.total; }
  [[nodiscard]] std::uint32_t count(Level level) const noexcept {
    const auto found = find(level);
    return found == levels_.end() ? 0 : static_cast<std::uint32_t>(found->second.orders.size());
  }
  [[nodiscard]] Slot front(Level level) const noexcept {
    const auto found = find(level);
    return found == levels_.end() ? k_no_slot : found->second.orders.front();
  }
  [[nodiscard]] Slot front() const noexcept {
    return levels_.empty() ? k_no_slot : levels_.begin()->second.orders.front();
  }
  [[nodiscard]] Slot next(Slot slot) const noexcept {
    const Order& order = orders_[slot];
    const auto behind = std::next(link_of(order));
    return behind == find(level_of(order))->second.orders.end() ? k_no_slot : *behind;
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
        if (level_of(order) != level_at(rank)) return "an order rests in another's level";
        if (*link_of(order) != *at) return "an order does not know its place";
        sum += order.leaves;
      }
      if (level.orders.empty()) return "a level without orders";
      if (sum != level.total) return "a level's total is wrong";
    }
    return nullptr;
  }

 private:
  using Slots = std::pmr::list<Slot>;
  using Link = Slots::const_iterator;
  static_assert(sizeof(Link) == 8 && std::is_trivially_copyable_v<Link>, "an iterator fits an order's place");

  struct LevelOrders {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit LevelOrders(const allocator_type& memory) : orders(memory) {}
    LevelOrders(LevelOrders&& other, const allocator_type& memory)
        : total(other.total), orders(std::move(other.orders), memory) {}
    Quantity total;
    Slots orders;
  };
  using Rank = std::int32_t;  // the better the level, the lower its rank
  using Levels = std::pmr::map<Rank, LevelOrders>;

  [[nodiscard]] static Level level_of(const Order& order) noexcept {
    return Level{static_cast<std::int32_t>(order.links[2])};
  }
  [[nodiscard]] static Link link_of(const Order& order) noexcept {
    return std::bit_cast<Link>(std::array{order.links[0], order.links[1]});
  }
  [[nodiscard]] Rank rank_of(Level level) const noexcept { return is_buy_ ? -index_of(level) : index_of(level); }
  [[nodiscard]] Level level_at(Rank rank) const noexcept { return Level{is_buy_ ? -rank : rank}; }

  [[nodiscard]] LevelOrders& make(Rank rank) {
    if constexpr (Making == LevelMaking::try_emplace) {
      return levels_.try_emplace(rank).first->second;
    } else {
      return levels_.emplace(rank, LevelOrders(levels_.get_allocator())).first->second;
    }
  }
  [[nodiscard]] Levels::iterator find(Level level) noexcept {
    const Rank rank = rank_of(level);
    const auto best = levels_.begin();
    return best != levels_.end() && best->first == rank ? best : levels_.find(rank);
  }
  [[nodiscard]] Levels::const_iterator find(Level level) const noexcept {
    return const_cast<ListMapQueue*>(this)->find(level);
  }

  OrderTable& orders_;
  Memory memory_;
  Levels levels_;
  bool is_buy_;
};

using MapQueue = ListMapQueue<HeapMemory>;
using PooledQueue = ListMapQueue<PoolMemory>;

static_assert(SideQueue<MapQueue> && SideQueue<PooledQueue>);

}  // namespace dojima::book
