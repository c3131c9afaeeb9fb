#pragma once

// The fast storage: a ladder. Ticks around the best price are a window (LadderWindow), an array that says for each tick
// which record holds its level. Occupied levels further behind are in a tree (FarLevels). An order knows its level's
// record, so taking it out touches the order, its two neighbours and the record, and no search.
//
// The window follows the best price, and starts with 64 ticks inside the ladder; it grows, up to 4,096 ticks, from the
// partition's LevelPool when orders keep missing it. Prices may lie anywhere. O(1) inside the window, O(log levels)
// outside; moving the window costs O(levels that enter or leave it), paid for by the ticks that the best price moved.
// Nothing is allocated after construction. One thread.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dojima/book/queues/far_levels.hpp"
#include "dojima/book/queues/ladder_window.hpp"
#include "dojima/book/queues/side_queue.hpp"

namespace dojima::book {

class LadderQueue {
 public:
  /// Levels come from the table's pool: `levels` is the book's business.
  LadderQueue(Side side, OrderTable& orders, std::size_t levels) noexcept;
  LadderQueue(const LadderQueue&) = delete;
  LadderQueue& operator=(const LadderQueue&) = delete;
  ~LadderQueue();

  void append(Level level, Slot slot) {
    const LevelIndex record = find_or_open(rank_of(level));
    records_[record].orders.append(orders_, slot, record);
  }

  [[nodiscard, gnu::always_inline]] std::array<std::uint32_t, 3> join(Level level, Slot slot, Quantity leaves) {
    const LevelIndex record = find_or_open(rank_of(level));
    return records_[record].orders.join(orders_, slot, leaves, record);
  }

  /// Inlined by force: it is what cancelling does.
  [[gnu::always_inline]] void erase(Slot slot) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(order.is_resting(), "only a resting order is taken out");
    const LevelIndex record = LinkedOrders::note(order);
    if (records_[record].orders.erase(orders_, order)) close(record);
  }

  // The same in steps, for a caller that wants no call in between. Of a level that is not there, or not in the window,
  // the record is 0: open() finds or opens it. take_out() answers 0, or the record of a level that is empty now, which
  // close() takes before anything else happens here; that the order rests no more is the caller's to write.

  [[nodiscard, gnu::always_inline]] LevelIndex record_at(Level level) const noexcept {
    const std::int64_t rank = rank_of(level);
    return window_.is_inside(rank) ? window_.at(rank) : 0;
  }
  [[nodiscard]] LevelIndex open(Level level) noexcept { return find_or_open(rank_of(level)); }
  [[nodiscard, gnu::always_inline]] std::array<std::uint32_t, 3> join_at(LevelIndex record, OrderTable& orders,
                                                                         Slot slot, Quantity leaves) {
    return records_[record].orders.join(orders, slot, leaves, record);
  }
  [[nodiscard, gnu::always_inline]] LevelIndex take_out(OrderTable& orders, const Order& order) {
    const LevelIndex record = LinkedOrders::note(order);
    return records_[record].orders.unlink(orders, order) ? record : 0;
  }
  void close(LevelIndex record) noexcept;

  void resize(Slot slot, Quantity change) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(order.is_resting(), "only a resting order has a level");
    LinkedOrders& level = records_[LinkedOrders::note(order)].orders;
    order.leaves += change;
    level.total += change;
    DOJIMA_ASSERT(level.total.lots >= 0, "a level never has less than nothing");
  }

  bool fill(Slot slot, Quantity quantity) {
    Order& order = orders_[slot];
    DOJIMA_ASSERT(order.is_resting(), "only a resting order has a level");
    const LevelIndex record = LinkedOrders::note(order);
    LinkedOrders& level = records_[record].orders;
    order.leaves -= quantity;
    level.total -= quantity;
    DOJIMA_ASSERT(order.leaves.lots >= 0, "an order never has less than nothing");
    if (order.leaves.lots != 0) return false;
    if (level.erase(orders_, order)) close(record);
    return true;
  }

  void drop_front(Slot kept, std::uint32_t orders, Quantity total) {
    const LevelIndex record = best_;
    if (records_[record].orders.drop_front(orders_, kept, orders, total)) close(record);
  }

  /// One compare: the best rank of a side without orders is beyond all limits.
  [[nodiscard]] bool meets(Level limit) const noexcept { return std::int64_t{rank_of(limit)} >= best_rank_; }
  [[nodiscard]] Level best() const noexcept {
    return best_rank_ == k_beyond_all ? k_no_level : Level{static_cast<std::int32_t>(best_rank_) ^ flip_};
  }
  [[nodiscard]] Level worse(Level level) const noexcept;
  [[nodiscard]] Quantity total(Level level) const noexcept {
    const LevelIndex record = find(level);
    return record == 0 ? Quantity{} : records_[record].orders.total;
  }
  [[nodiscard]] Quantity total() const noexcept { return best_ == 0 ? Quantity{} : records_[best_].orders.total; }
  [[nodiscard]] std::uint32_t count(Level level) const noexcept {
    const LevelIndex record = find(level);
    return record == 0 ? 0 : records_[record].orders.count;
  }
  [[nodiscard]] Slot front(Level level) const noexcept {
    const LevelIndex record = find(level);
    return record == 0 ? k_no_slot : records_[record].orders.front();
  }
  [[nodiscard]] Slot front() const noexcept { return best_ == 0 ? k_no_slot : records_[best_].orders.front(); }
  [[gnu::always_inline]] static void prefetch(const OrderTable& orders, const Order& order) noexcept {
    LinkedOrders::prefetch(orders, order);
  }
  [[nodiscard]] Slot next(Slot slot) const noexcept { return LinkedOrders::next(orders_[slot]); }
  [[nodiscard]] Level level_of(Slot slot) const noexcept { return level_of_record(LinkedOrders::note(orders_[slot])); }
  [[nodiscard]] std::size_t level_count() const noexcept { return level_count_; }
  [[nodiscard]] const char* inconsistency() const noexcept;

  /// Ticks in the window, and what this ladder has taken from the pool for it.
  [[nodiscard]] std::size_t window_ticks() const noexcept { return window_.size(); }
  [[nodiscard]] std::size_t window_bytes() const noexcept { return window_.bytes(); }

 private:
  static constexpr std::size_t k_none = LadderWindow::k_none;
  static constexpr std::int64_t k_beyond_all = std::numeric_limits<std::int64_t>::max();

  /// Ranks rise from the best price to the worst on either side: the level, or its complement for bids.
  [[nodiscard]] std::int32_t rank_of(Level level) const noexcept { return index_of(level) ^ flip_; }
  [[nodiscard]] Level level_of_record(LevelIndex record) const noexcept {
    return Level{records_[record].orders.rank ^ flip_};
  }
  [[nodiscard, gnu::always_inline]] LevelIndex find_or_open(std::int64_t rank) noexcept {
    if (!window_.is_inside(rank)) [[unlikely]] {
      return open_outside(static_cast<std::int32_t>(rank));
    }
    const LevelIndex record = window_.at(rank);
    return record != 0 ? record : open_inside(static_cast<std::int32_t>(rank));
  }
  void set_best(LevelIndex record) noexcept {
    best_ = record;
    best_rank_ = record == 0 ? k_beyond_all : records_[record].orders.rank;
  }
  [[nodiscard]] LevelIndex find(Level level) const noexcept {
    const std::int32_t rank = rank_of(level);
    if (window_.is_inside(rank)) [[likely]] {
      return window_.at(rank);
    }
    return far_.find(rank);
  }

  [[nodiscard]] LevelIndex open_inside(std::int32_t rank) noexcept;
  [[nodiscard]] LevelIndex open_outside(std::int32_t rank) noexcept;
  void put(LevelIndex record) noexcept;
  void move_window(std::int64_t base) noexcept;
  void grow(std::int32_t rank) noexcept;
  void take_in_far_levels() noexcept;

  OrderTable& orders_;
  LevelRecord* records_;  // of the pool
  std::int64_t best_rank_ = k_beyond_all;
  LevelPool& pool_;
  LevelIndex best_ = 0;
  std::int32_t flip_;  // all ones for bids
  std::size_t level_count_ = 0;
  FarLevels far_;
  LadderWindow window_;
};

static_assert(SideQueue<LadderQueue> && HasLevelRecords<LadderQueue>);

}  // namespace dojima::book
