#pragma once

// Rungs: slots that hold more than can be sorted at once, or a long run, cut into sub-slots, each an unsorted list. A
// rung may be cut again, so that the deepest one is the earliest; rungs follow each other in time, from the end of the
// run to the beginning of the ring. No allocation after construction; the pool is the caller's.
//
//   time --|-- run --|-- deepest rung --|-- rung above --| ... |-- lowest rung --|-- ring

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/run_wheel_shape.hpp"
#include "dojima/sched/wheel/bit_words.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"

namespace dojima::sched {

/// A slot, or a stretch of the run, cut into `count` sub-slots of 2^`shift` ns.
struct Rung {
  ChunkList* lists;
  std::uint64_t* used;  // a bit for each list that may have entries
  Instant base;
  Instant end;
  unsigned shift;
  std::size_t count;

  [[nodiscard]] std::size_t index_of(Instant at) const noexcept {
    DOJIMA_CHECK_SLOW(at >= base, "what is earlier than a rung belongs to the run", at, base);
    const std::size_t index = static_cast<std::size_t>((at - base) >> shift);
    return index < count ? index : count - 1;  // `end` itself
  }
  [[nodiscard]] Instant begin_of(std::size_t index) const noexcept {
    return base + (static_cast<Instant>(index) << shift);
  }
  [[nodiscard]] Instant end_of(std::size_t index) const noexcept {
    return index + 1 == count ? end : begin_of(index) + (Instant{1} << shift);
  }
  /// The first sub-slot at or behind `index` that may have entries; `count` or more: none.
  [[nodiscard]] std::size_t next_used(std::size_t index) const noexcept {
    return next_bit(used, index, words_for(count) * k_bits_per_word);
  }
  void mark_empty(std::size_t index) noexcept { clear_bit(used, index); }
  /// Whether its sub-slots are too narrow to be cut, or narrow enough to spread what spans `width`.
  [[nodiscard]] bool is_fine_for(Instant width) const noexcept { return shift == 0 || width >> shift >= 4; }

  template <class Entry>
  void push(ChunkPool& pool, const Entry& entry) noexcept {
    const std::size_t index = index_of(entry.at);
    append(pool, lists[index], entry);
    set_bit(used, index);
  }
};

class RungStack {
 public:
  /// As many rungs as `capacity` entries need in the worst case: none where no list can hold more than `most_gathered`
  /// and no run reaches `spilled_from`. Throws std::bad_alloc.
  RungStack(const RunWheelShape& shape, std::size_t capacity, std::size_t most_gathered, std::size_t spilled_from);

  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
  [[nodiscard]] Rung& operator[](std::size_t number) noexcept { return rungs_[number]; }
  [[nodiscard]] Rung& deepest() noexcept { return rungs_[depth_ - 1]; }
  [[nodiscard]] const Rung& deepest() const noexcept { return rungs_[depth_ - 1]; }
  /// The rung that would be the deepest: shaped, but not open yet.
  [[nodiscard]] Rung& next() noexcept { return rungs_[depth_]; }
  /// The rung where `at`, not before the deepest one, belongs: O(depth).
  [[nodiscard]] Rung& rung_of(Instant at) noexcept;

  /// Whether another rung, for [base, last], can distinguish all its instants with those that may follow.
  [[nodiscard]] bool can_add(Instant base, Instant last) const noexcept;
  /// Shapes next() for about `expected` entries of [base, last]; `end` is where it hands over.
  void shape_next(Instant base, Instant end, Instant last, std::size_t expected) noexcept;
  void open_next() noexcept { ++depth_; }
  void close_deepest() noexcept { --depth_; }
  void close_all() noexcept { depth_ = 0; }

  /// All lists, of closed rungs too.
  [[nodiscard]] std::vector<ChunkList>& lists() noexcept { return lists_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return lists_.size() * sizeof(ChunkList) + used_.size() * sizeof(used_[0]);
  }

 private:
  static constexpr std::size_t k_most_rungs = 20;

  /// Bits that the rungs below the next one can distinguish.
  [[nodiscard]] unsigned bits_below() const noexcept {
    return static_cast<unsigned>(count_ - depth_ - 1) * (fan_bits_ - 2);
  }

  std::size_t depth_ = 0;  // rungs in use
  std::size_t count_;
  unsigned fan_bits_;
  std::array<Rung, k_most_rungs> rungs_{};
  std::vector<ChunkList> lists_;
  std::vector<std::uint64_t> used_;
};

}  // namespace dojima::sched
