#pragma once

// The levels of a ListMapQueue: a std::map of them, each a std::list of slots, with every node from the heap or from a
// pool that keeps what it once took.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <utility>

#include "dojima/book/order_table.hpp"
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

/// The levels of one side by rank: the better the level, the lower its rank. `Memory` has what they are made of.
template <class Memory, LevelMaking Making>
class ListMapLevels {
 public:
  using Slots = std::pmr::list<Slot>;
  struct LevelOrders {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit LevelOrders(const allocator_type& memory) : orders(memory) {}
    LevelOrders(LevelOrders&& other, const allocator_type& memory)
        : total(other.total), orders(std::move(other.orders), memory) {}
    Quantity total;
    Slots orders;
  };
  using Rank = std::int32_t;
  using Map = std::pmr::map<Rank, LevelOrders>;

  explicit ListMapLevels(Side side) : map_(memory_.resource()), is_buy_(side == Side::buy) {}
  ListMapLevels(const ListMapLevels&) = delete;
  ListMapLevels& operator=(const ListMapLevels&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return map_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
  [[nodiscard]] Map::iterator begin() noexcept { return map_.begin(); }
  [[nodiscard]] Map::const_iterator begin() const noexcept { return map_.begin(); }
  [[nodiscard]] Map::iterator end() noexcept { return map_.end(); }
  [[nodiscard]] Map::const_iterator end() const noexcept { return map_.end(); }

  [[nodiscard]] Level level_at(Rank rank) const noexcept { return Level{is_buy_ ? -rank : rank}; }
  [[nodiscard]] Level best() const noexcept { return map_.empty() ? k_no_level : level_at(map_.begin()->first); }
  [[nodiscard]] Level worse(Level level) const noexcept {
    const auto next = map_.upper_bound(rank_of(level));
    return next == map_.end() ? k_no_level : level_at(next->first);
  }
  /// Whether the best level is as good as this.
  [[nodiscard]] bool meets(Level limit) const noexcept {
    return !map_.empty() && (is_buy_ ? best() >= limit : best() <= limit);
  }
  [[nodiscard]] Map::iterator find(Level level) noexcept {
    const Rank rank = rank_of(level);
    const auto best = map_.begin();
    return best != map_.end() && best->first == rank ? best : map_.find(rank);
  }
  [[nodiscard]] Map::const_iterator find(Level level) const noexcept {
    return const_cast<ListMapLevels*>(this)->find(level);
  }
  /// Found, or made.
  [[nodiscard]] LevelOrders& make(Level level) {
    const Rank rank = rank_of(level);
    if constexpr (Making == LevelMaking::try_emplace) {
      return map_.try_emplace(rank).first->second;
    } else {
      return map_.emplace(rank, LevelOrders(map_.get_allocator())).first->second;
    }
  }
  void erase(Map::iterator level) { map_.erase(level); }

 private:
  [[nodiscard]] Rank rank_of(Level level) const noexcept { return is_buy_ ? -index_of(level) : index_of(level); }

  Memory memory_;
  Map map_;
  bool is_buy_;
};

}  // namespace dojima::book
