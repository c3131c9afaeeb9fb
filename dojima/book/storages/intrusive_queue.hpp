#pragma once

// A storage: a balanced tree of occupied levels, each with a list of orders linked through the order table. The tree's
// nodes come from a pool taken at construction, so nothing is allocated afterwards. O(log levels) per change, O(1) for
// the best level. Its virtue is that it can be understood at a glance; it makes no assumption about where prices lie.
// One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

#include "dojima/book/queues/links.hpp"
#include "dojima/book/queues/side_queue.hpp"

namespace dojima::book {

/// Blocks of one size from memory taken once, for the nodes of one container. Allocating more than `blocks` at a time
/// or a larger block is a programmer's error.
class NodePool final : public std::pmr::memory_resource {
 public:
  /// Throws std::bad_alloc.
  NodePool(std::size_t blocks, std::size_t block_size);
  [[nodiscard]] std::size_t free_blocks() const noexcept { return free_.size(); }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t block_size_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<void*> free_;
};

class IntrusiveQueue {
 public:
  /// Room for `levels` occupied levels. Throws std::bad_alloc.
  IntrusiveQueue(Side side, OrderTable& orders, std::size_t levels);
  IntrusiveQueue(const IntrusiveQueue&) = delete;
  IntrusiveQueue& operator=(const IntrusiveQueue&) = delete;

  void append(Level level, Slot slot);
  [[nodiscard]] std::array<std::uint32_t, 3> join(Level level, Slot slot, Quantity leaves);
  void erase(Slot slot);
  void resize(Slot slot, Quantity change);
  bool fill(Slot slot, Quantity quantity);
  void drop_front(Slot kept, std::uint32_t orders, Quantity total);

  [[nodiscard]] bool meets(Level limit) const noexcept {
    return !levels_.empty() && is_as_good(levels_.begin()->first, limit);
  }
  [[nodiscard]] Level best() const noexcept { return levels_.empty() ? k_no_level : level_of(levels_.begin()->first); }
  [[nodiscard]] Level worse(Level level) const noexcept;
  [[nodiscard]] Quantity total(Level level) const noexcept;
  [[nodiscard]] Quantity total() const noexcept { return levels_.empty() ? Quantity{} : levels_.begin()->second.total; }
  [[nodiscard]] std::uint32_t count(Level level) const noexcept;
  [[nodiscard]] Slot front(Level level) const noexcept;
  [[nodiscard]] Slot front() const noexcept { return levels_.empty() ? k_no_slot : levels_.begin()->second.front(); }
  [[gnu::always_inline]] static void prefetch(const OrderTable& orders, const Order& order) noexcept {
    LinkedOrders::prefetch(orders, order);
  }
  [[nodiscard]] Slot next(Slot slot) const noexcept { return LinkedOrders::next(orders_[slot]); }
  [[nodiscard]] Level level_of(Slot slot) const noexcept { return level_noted(orders_[slot]); }
  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }
  [[nodiscard]] const char* inconsistency() const noexcept;

 private:
  using Rank = std::int32_t;  // the better the level, the lower its rank
  using Levels = std::pmr::map<Rank, LinkedOrders>;

  [[nodiscard]] static Level level_noted(const Order& order) noexcept {
    return Level{static_cast<std::int32_t>(LinkedOrders::note(order))};
  }
  [[nodiscard]] Rank rank_of(Level level) const noexcept { return is_buy_ ? -index_of(level) : index_of(level); }
  [[nodiscard]] Level level_of(Rank rank) const noexcept { return Level{is_buy_ ? -rank : rank}; }
  // By levels: the limit of an order without one has no rank.
  [[nodiscard]] bool is_as_good(Rank rank, Level limit) const noexcept {
    return is_buy_ ? level_of(rank) >= limit : level_of(rank) <= limit;
  }
  [[nodiscard]] Levels::iterator find(Level level) noexcept;
  [[nodiscard]] Levels::const_iterator find(Level level) const noexcept;

  OrderTable& orders_;
  NodePool pool_;
  Levels levels_;
  bool is_buy_;
};

static_assert(SideQueue<IntrusiveQueue>);

}  // namespace dojima::book
