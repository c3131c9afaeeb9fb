#pragma once

// Entries of far blocks of time, a hierarchical timing wheel: levels of 64 lists, each list of a level as wide as the
// whole level below. An entry lies at the level of the highest 6-bit digit in which its block differs from the
// frontier's, so that it cascades at most once a level, and a leap over empty time costs nothing. Entries of one
// instant keep their order: a list is emptied into the levels below before anything can be appended there directly.
// Block numbers are instants divided by a power of two. No allocation after construction beyond the pool's chunks.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"
#include "dojima/sched/wheel/preparation_budget.hpp"

namespace dojima::sched {

/// `Entry` has a member `at`.
template <class Entry>
class FarWheel {
 public:
  static constexpr unsigned k_digit_bits = 6;
  static constexpr std::size_t k_lists_per_level = std::size_t{1} << k_digit_bits;
  static constexpr std::size_t k_most_levels = 8;
  static constexpr std::uint64_t k_no_block = ~std::uint64_t{0};

  /// Blocks of 2^`block_bits` ns, at least 2^16; the block of `start` and the next one, the frontier, are the caller's.
  FarWheel(unsigned block_bits, Instant start) noexcept : block_bits_(block_bits), frontier_(block_of(start) + 1) {
    DOJIMA_ASSERT(block_bits >= 64 - k_most_levels * k_digit_bits, "the levels reach to the end of time", block_bits);
  }

  [[nodiscard]] std::uint64_t block_of(Instant at) const noexcept { return at >> block_bits_; }
  [[nodiscard]] Instant begin_of_block(std::uint64_t block) const noexcept { return block << block_bits_; }
  [[nodiscard]] Instant end_of_block(std::uint64_t block) const noexcept { return begin_of_block(block + 1); }

  /// Everything up to this block is the caller's.
  [[nodiscard]] std::uint64_t frontier() const noexcept { return frontier_; }

  /// The entry's block lies behind the frontier.
  void push(ChunkPool& pool, const Entry& entry) noexcept { push_from(frontier_, pool, entry); }

  /// The first block of the first list that has entries: none of them is earlier. `k_no_block` when there are none.
  [[nodiscard]] std::uint64_t first_block() const noexcept {
    for (std::size_t level = 0; level < k_most_levels; ++level) {
      if (used_[level] == 0) continue;
      const auto list = static_cast<std::uint64_t>(std::countr_zero(used_[level]));
      const unsigned shift = static_cast<unsigned>(level) * k_digit_bits;
      const std::uint64_t above = level + 1 == k_most_levels ? 0 : frontier_ >> (shift + k_digit_bits);
      return (above << k_digit_bits | list) << shift;
    }
    return k_no_block;
  }
  /// That list.
  [[nodiscard]] ChunkList* first_list() noexcept {
    for (std::size_t level = 0; level < k_most_levels; ++level) {
      if (used_[level] != 0) return &lists_[level][static_cast<std::size_t>(std::countr_zero(used_[level]))];
    }
    return nullptr;
  }

  /// Moves the frontier to `block`; there are no entries up to it.
  void leap(std::uint64_t block) noexcept {
    DOJIMA_ASSERT(block >= frontier_, "the frontier moves with time", block, frontier_);
    frontier_ = block;
  }

  /// Moves the frontier one block further, while the budget lasts: entries of that block go to `take(entry)`, others of
  /// the same list to lower levels. False: there are more; the frontier has not moved yet.
  template <class Take>
  bool advance(ChunkPool& pool, PreparationBudget& budget, Take&& take) {
    const std::uint64_t next = frontier_ + 1;
    const Place place = place_of(next, frontier_);
    if ((used_[place.level] & place.bit()) != 0) {
      const bool is_done = drain_within<Entry>(budget, pool, lists_[place.level][place.list], [&](const Entry& entry) {
        if (block_of(entry.at) == next) {
          take(entry);
        } else {
          push_from(next, pool, entry);
        }
      });
      if (!is_done) return false;
      used_[place.level] &= ~place.bit();
    }
    frontier_ = next;
    return true;
  }

  /// All lists, e.g. to be looked through: `visit(list)` returns true to stop.
  template <class Visit>
  bool any_list(Visit&& visit) {
    for (std::size_t level = 0; level < k_most_levels; ++level) {
      for (std::uint64_t left = used_[level]; left != 0; left &= left - 1) {
        const auto list = static_cast<std::size_t>(std::countr_zero(left));
        if (visit(lists_[level][list])) return true;
        if (lists_[level][list].is_empty()) used_[level] &= ~(std::uint64_t{1} << list);
      }
    }
    return false;
  }

  /// The list of an entry of that block, seen from a frontier at `from`.
  [[nodiscard]] ChunkList& list_of(std::uint64_t block, std::uint64_t from) noexcept {
    const Place place = place_of(block, from);
    return lists_[place.level][place.list];
  }

 private:
  struct Place {
    std::size_t level;
    std::size_t list;
    [[nodiscard]] std::uint64_t bit() const noexcept { return std::uint64_t{1} << list; }
  };
  [[nodiscard]] static Place place_of(std::uint64_t block, std::uint64_t from) noexcept {
    const auto top = static_cast<unsigned>(std::bit_width(block ^ from)) - 1;
    const unsigned level = top / k_digit_bits;
    return {level, static_cast<std::size_t>(block >> (level * k_digit_bits)) % k_lists_per_level};
  }
  void push_from(std::uint64_t from, ChunkPool& pool, const Entry& entry) noexcept {
    const Place place = place_of(block_of(entry.at), from);
    append(pool, lists_[place.level][place.list], entry);
    used_[place.level] |= place.bit();
  }

  unsigned block_bits_;
  std::uint64_t frontier_;
  std::array<std::uint64_t, k_most_levels> used_{};
  std::array<std::array<ChunkList, k_lists_per_level>, k_most_levels> lists_{};
};

}  // namespace dojima::sched
