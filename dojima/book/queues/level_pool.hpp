#pragma once

// Memory for levels, shared by all ladders of a partition: records of occupied levels, never more than there are
// orders, and windows, the stretches of ticks that ladders keep by index. Both cost nothing until they are used. A
// record that is asked for is there; a window may not be, and a ladder works without. Nothing is allocated after
// construction, all O(1). One thread.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/base/large_array.hpp"
#include "dojima/book/queues/links.hpp"

namespace dojima::book {

/// Where a level's record is. 0: none.
using LevelIndex = std::uint32_t;

/// An occupied level: half a cache line.
struct alignas(32) LevelRecord {
  LinkedOrders orders;
  LevelIndex left = 0, right = 0;  ///< in a tree of far levels; left also links free records
};
static_assert(sizeof(LevelRecord) == 32);

class LevelPool {
 public:
  static constexpr unsigned k_smallest_window = 7;  ///< log2 of its ticks; smaller ones lie inside the ladder
  static constexpr unsigned k_largest_window = 12;

  /// For at most `levels` occupied levels, and windows of `window_ticks` ticks in all. Throws std::bad_alloc.
  LevelPool(std::size_t levels, std::size_t window_ticks, Memory memory = Memory::untouched);

  [[nodiscard]] LevelRecord& operator[](LevelIndex at) noexcept { return records_[at]; }
  [[nodiscard]] const LevelRecord& operator[](LevelIndex at) const noexcept { return records_[at]; }

  /// A record without orders. There must be fewer than `levels` in use.
  [[nodiscard]] LevelIndex take() noexcept {
    LevelIndex at = free_;
    if (at != 0) {
      free_ = records_[at].left;
    } else {
      at = ++used_;
      DOJIMA_ASSERT(at < records_.size(), "no more levels than orders");
    }
    records_[at] = LevelRecord{};
    return at;
  }
  void give(LevelIndex at) noexcept {
    records_[at].left = free_;
    free_ = at;
  }

  /// What a window of 2^log2 ticks is made of, all 0: a bit for each tick, then an index for each. Null: none left.
  struct Window {
    std::uint64_t* bits = nullptr;
    LevelIndex* levels = nullptr;
  };
  [[nodiscard]] Window take_window(unsigned log2) noexcept;
  /// It must be all 0 again.
  void give_window(Window window, unsigned log2) noexcept;

  /// Bytes of a window of 2^log2 ticks.
  [[nodiscard]] static constexpr std::size_t window_bytes(unsigned log2) noexcept {
    return (std::size_t{1} << log2) * sizeof(LevelIndex) + (std::size_t{1} << log2) / 8;
  }

 private:
  LargeArray<LevelRecord> records_;  // the first is not used
  LevelIndex free_ = 0;
  LevelIndex used_ = 0;
  LargeArray<std::uint64_t> windows_;
  std::size_t used_words_ = 0;
  std::array<std::uint64_t*, k_largest_window + 1> free_windows_{};  // each holds the address of the next
};

}  // namespace dojima::book
