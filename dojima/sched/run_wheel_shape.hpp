#pragma once

// The shape of a run wheel, the container of the production schedulers: how wide its slots are, how much is prepared in
// one go. Every shape gives the same firing order; `for_capacity` has what was measured to be the best. Plain data.
//
//   RunWheelShape shape = RunWheelShape::for_capacity(100'000);
//   shape.max_prepared = 1000;   // a live loop: bounded work in one check

#include <cstddef>
#include <cstdint>

#include "dojima/sched/wheel/slot_sort.hpp"

namespace dojima::sched {

struct RunWheelShape {
  unsigned slot_bits = 20;   ///< a slot of the ring is 2^slot_bits ns wide: 10 to 30, at most 20 when packed
  unsigned block_bits = 10;  ///< a block has 2^block_bits slots, the ring two blocks: 5 to 14
  unsigned fan_bits = 10;    ///< a rung has at most 2^fan_bits sub-slots: 6 to 10
  std::size_t chunk_bytes = 2048;
  bool is_packed = true;       ///< 8 bytes an entry (16 with a user pointer) instead of 16 (24)
  unsigned address_bits = 47;  ///< events above cannot be packed: the first one changes the ring to wide entries
  std::size_t most_gathered = k_most_keys;  ///< denser slots are split: 32 to k_most_keys
  std::size_t max_prepared = SIZE_MAX;      ///< entries moved and sorted in one go; >= 64
  SlotSort sort = SlotSort::automatic;
  unsigned prefetch_ahead = 16;  ///< 0: none; at most 64
  /// Whether a newcomer waits for a few others while the place where it goes is fetched: for rings beyond the cache.
  bool is_staging = false;

  /// What was measured to be the best for so many entries.
  [[nodiscard]] static RunWheelShape for_capacity(std::size_t capacity) noexcept;

  /// Stops the process when a member is out of its range.
  void check() const noexcept;
};

}  // namespace dojima::sched
