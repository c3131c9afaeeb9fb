#pragma once

// The occupied levels of a ladder that lie outside its window, ordered by rank: a treap threaded through the levels'
// own records, so it needs no memory and cannot run out of it. Its shape hangs on the ranks alone. O(log n) expected
// for everything. One thread.

#include <cstdint>

#include "dojima/book/queues/level_pool.hpp"

namespace dojima::book {

class FarLevels {
 public:
  explicit FarLevels(LevelPool& pool) noexcept : pool_(pool) {}

  [[nodiscard]] bool is_empty() const noexcept { return root_ == 0; }
  /// Its rank must be set and not be there yet.
  void insert(LevelIndex level) noexcept;
  /// It must be there.
  void erase(LevelIndex level) noexcept;
  [[nodiscard]] LevelIndex find(std::int32_t rank) const noexcept;
  /// The level of the lowest rank at or above this one; 0: none.
  [[nodiscard]] LevelIndex at_or_above(std::int64_t rank) const noexcept;
  [[nodiscard]] LevelIndex lowest() const noexcept;

 private:
  [[nodiscard]] std::int32_t rank_of(LevelIndex level) const noexcept { return pool_[level].orders.rank; }
  [[nodiscard]] std::uint32_t weight_of(LevelIndex level) const noexcept;

  LevelPool& pool_;
  LevelIndex root_ = 0;
};

}  // namespace dojima::book
