#pragma once

// The ticks around the best price of a ladder: for each tick the record of its level, 0 for none, a bit for each
// occupied tick and a bit for each group of 64, so the next level is found with two instructions. It begins with 64
// ticks of its own and takes larger ones from the partition's LevelPool. Ranks rise from the best price to the worst.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/book/queues/level_pool.hpp"

namespace dojima::book {

class LadderWindow {
 public:
  static constexpr std::size_t k_none = ~std::size_t{0};

  LadderWindow() noexcept : ticks_{&own_bits_, own_levels_} {}
  LadderWindow(const LadderWindow&) = delete;
  LadderWindow& operator=(const LadderWindow&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return std::size_t{1} << log2_; }
  [[nodiscard]] unsigned log2() const noexcept { return log2_; }
  /// Bytes that it has taken from the pool.
  [[nodiscard]] std::size_t bytes() const noexcept { return log2_ == k_own_log2 ? 0 : LevelPool::window_bytes(log2_); }
  /// Ranks from the first tick's on lie in it.
  [[nodiscard]] std::int64_t base() const noexcept { return base_; }
  [[nodiscard]] std::int64_t end() const noexcept { return base_ + static_cast<std::int64_t>(size()); }
  [[nodiscard]] bool is_inside(std::int64_t rank) const noexcept {
    return static_cast<std::uint64_t>(rank - base_) >> log2_ == 0;
  }
  /// Where a window of so many ticks should begin: a quarter of it before the best price.
  [[nodiscard]] static std::int64_t base_for(std::int64_t best, unsigned log2) noexcept {
    return best - (std::int64_t{1} << log2) / 4;
  }

  /// The level of a rank that is inside.
  [[nodiscard]] LevelIndex at(std::int64_t rank) const noexcept { return ticks_.levels[rank - base_]; }
  [[nodiscard]] LevelIndex operator[](std::size_t place) const noexcept { return ticks_.levels[place]; }
  [[nodiscard]] std::size_t place_of(std::int64_t rank) const noexcept {
    return static_cast<std::size_t>(rank - base_);
  }
  /// The first occupied tick at or behind a place; k_none: there is none.
  [[nodiscard]] std::size_t first_from(std::size_t place) const noexcept {
    if (place >> log2_ != 0) return k_none;
    const std::size_t group = place / 64;
    const std::uint64_t bits = ticks_.bits[group] >> (place % 64);
    if (bits != 0) return place + static_cast<std::size_t>(std::countr_zero(bits));
    const std::uint64_t behind = group == 63 ? 0 : groups_ >> (group + 1);
    if (behind == 0) return k_none;
    const std::size_t next = group + 1 + static_cast<std::size_t>(std::countr_zero(behind));
    return next * 64 + static_cast<std::size_t>(std::countr_zero(ticks_.bits[next]));
  }

  void put(std::int64_t rank, LevelIndex record) noexcept {
    const auto place = static_cast<std::size_t>(rank - base_);
    ticks_.levels[place] = record;
    ticks_.bits[place / 64] |= std::uint64_t{1} << (place % 64);
    groups_ |= std::uint64_t{1} << (place / 64);
  }
  void take_out(std::size_t place) noexcept {
    ticks_.levels[place] = 0;
    ticks_.bits[place / 64] &= ~(std::uint64_t{1} << (place % 64));
    if (ticks_.bits[place / 64] == 0) groups_ &= ~(std::uint64_t{1} << (place / 64));
  }

  /// Another order lies outside. True: so many have that a larger window is worth it.
  [[nodiscard]] bool miss() noexcept { return ++misses_ >= k_patience; }
  void forget_misses() noexcept { misses_ = 0; }

  /// It must be empty.
  void begin_at(std::int64_t base) noexcept { base_ = base; }
  /// It begins elsewhere and is empty; `each(record)` is called for all that was in it, and may put them again: those
  /// nearest to where the window goes come first, so that none is written over before it has moved.
  template <class Each>
  void move_to(std::int64_t base, Each each) noexcept {
    const bool is_worse = base > base_;
    base_ = base;
    const std::size_t groups = (size() + 63) / 64;
    for (std::size_t step = 0; step < groups; ++step) {
      const std::size_t group = is_worse ? step : groups - 1 - step;
      std::uint64_t bits = std::exchange(ticks_.bits[group], 0);
      groups_ &= ~(std::uint64_t{1} << group);
      while (bits != 0) {
        const auto bit = static_cast<unsigned>(is_worse ? std::countr_zero(bits) : 63 - std::countl_zero(bits));
        bits &= ~(std::uint64_t{1} << bit);
        each(std::exchange(ticks_.levels[group * 64 + bit], 0));
      }
    }
  }
  /// The same with more ticks. False: the pool has none left, nothing changed.
  template <class Each>
  bool grow_to(unsigned log2, std::int64_t base, LevelPool& pool, Each each) noexcept {
    const LevelPool::Window larger = pool.take_window(log2);
    if (larger.bits == nullptr) return false;
    const LevelPool::Window smaller = std::exchange(ticks_, larger);
    const unsigned smaller_log2 = std::exchange(log2_, log2);
    base_ = base;
    groups_ = 0;
    for (std::size_t group = 0; group < (std::size_t{1} << smaller_log2) / 64; ++group) {
      for (std::uint64_t bits = std::exchange(smaller.bits[group], 0); bits != 0; bits &= bits - 1)
        each(std::exchange(smaller.levels[group * 64 + static_cast<std::size_t>(std::countr_zero(bits))], 0));
    }
    if (smaller_log2 != k_own_log2) pool.give_window(smaller, smaller_log2);
    return true;
  }
  /// It is empty, and ends.
  void give_back(LevelPool& pool) noexcept {
    if (log2_ != k_own_log2) pool.give_window(ticks_, log2_);
  }

  /// Null, or what is wrong with its bits.
  [[nodiscard]] const char* inconsistency() const noexcept;

 private:
  static constexpr unsigned k_own_log2 = 6;
  static constexpr unsigned k_patience = 16;

  LevelPool::Window ticks_;
  std::int64_t base_ = 0;     // rank of the first tick
  std::uint64_t groups_ = 0;  // a bit for each word of bits that is not 0
  unsigned log2_ = k_own_log2;
  std::uint32_t misses_ = 0;
  std::uint64_t own_bits_ = 0;
  LevelIndex own_levels_[std::size_t{1} << k_own_log2] = {};
};

}  // namespace dojima::book
