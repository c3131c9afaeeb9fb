#pragma once

// How many entries may still be moved and sorted in one go. Plain value.

#include <algorithm>
#include <cstddef>

#include "dojima/sched/wheel/chunk_list.hpp"

namespace dojima::sched {

class PreparationBudget {
 public:
  explicit PreparationBudget(std::size_t limit) noexcept : limit_(limit), left_(limit) {}

  /// A new go: the limit begins anew.
  void refill() noexcept {
    left_ = limit_;
    spent_ = 0;
  }
  void spend(std::size_t entries) noexcept {
    left_ -= std::min(entries, left_);
    spent_ += entries;
  }
  /// Work that had to be done in one piece: it counts, and leaves what is left as it is.
  void count(std::size_t entries) noexcept { spent_ += entries; }

  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  /// Whether nothing was spent of it in this go: then even what is larger than the limit may be begun.
  [[nodiscard]] bool is_whole() const noexcept { return left_ == limit_; }
  /// Entries moved and sorted in this go, all of them, whatever the limit is.
  [[nodiscard]] std::size_t spent() const noexcept { return spent_; }

 private:
  std::size_t limit_;
  std::size_t left_;
  std::size_t spent_ = 0;
};

/// As drain(), while the budget lasts; the last chunk may exceed it. False: the list has more.
template <class Entry, class Visit>
inline bool drain_within(PreparationBudget& budget, ChunkPool& pool, ChunkList& list, Visit&& visit) {
  while (!list.is_empty()) {
    if (budget.left() == 0) return false;
    std::size_t moved = 0;
    drain_chunk<Entry>(pool, list, [&](const Entry& entry) {
      ++moved;
      visit(entry);
    });
    budget.spend(moved);
  }
  return true;
}

}  // namespace dojima::sched
