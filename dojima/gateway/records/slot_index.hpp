#pragma once

// Finds records by their keys where the records themselves are in slots of an array: a hash table of four bytes for
// each place, which keeps no key. A place has the slot and, in the bits that the slot leaves, how far it is from where
// it would be, and a part of the hash: so a look-up seldom reads a record that is not meant, and erasing hardly ever
// reads any. Fifteen places for eight records, as most tables are full of what is remembered as long as there is
// room; linear probing, and erasing moves what follows, so that nothing is left of what was erased. Memory is taken
// once. The caller says what a key's hash is and which record is meant. No iteration: no output may depend on hash
// order.
//
//   SlotIndex by_id(records.size());
//   by_id.insert(hash_of(id), slot);                       // must not be there
//   by_id.find(hash_of(id), [&](std::uint32_t slot) { return records[slot].id == id; });
//   by_id.erase(hash_of(id), slot, [&](std::uint32_t slot) { return hash_of(records[slot].id); });

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {

class SlotIndex {
 public:
  static constexpr std::uint32_t k_nowhere = 0xffff'ffff;

  /// For slots below `capacity`, at most 2^31 - 1. Throws std::bad_alloc.
  explicit SlotIndex(std::size_t capacity)
      : slot_bits_(static_cast<unsigned>(std::bit_width(capacity))),
        far_((1U << std::min(5U, (32U - std::min(32U, slot_bits_)) / 2)) - 1),
        capacity_(capacity),
        places_(capacity + capacity * 7 / 8 + 1, k_empty) {
    DOJIMA_ASSERT(slot_bits_ < 32, "a slot leaves a bit of its place", capacity);
  }

  /// The slot of which `is_meant(slot)`, among those with this hash; k_nowhere: there is none. O(1) expected.
  template <class IsMeant>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, IsMeant is_meant) const noexcept {
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = home_of(hash); places_[at] != k_empty; at = behind(at)) {
      const std::uint32_t slot = slot_of(places_[at]);
      if ((places_[at] & tag_mask()) == tag && is_meant(slot)) return slot;
    }
    return k_nowhere;
  }

  /// The slot is found by this hash from now on. It is below the capacity and not there. O(1) expected.
  void insert(std::uint64_t hash, std::uint32_t slot) noexcept {
    DOJIMA_ASSERT(size_ < capacity_, "an index has no more slots than its capacity", size_, capacity_);
    std::size_t at = home_of(hash), distance = 0;
    for (; places_[at] != k_empty; ++distance) at = behind(at);
    places_[at] = tag_of(hash) | noted(distance) | slot;
    ++size_;
  }

  /// The slot that is found by this hash now is found as `by`. False: it is not there.
  bool replace(std::uint64_t hash, std::uint32_t slot, std::uint32_t by) noexcept {
    const std::size_t at = place_of(hash, slot);
    if (places_[at] == k_empty) return false;
    places_[at] = (places_[at] & ~slot_mask()) | by;
    return true;
  }

  /// The slot, which was inserted with this hash, is not found any more; false: it is not there. `hash_of(slot)`: that
  /// of any other slot. O(1) expected.
  template <class HashOf>
  bool erase(std::uint64_t hash, std::uint32_t slot, HashOf hash_of) noexcept {
    std::size_t gap = place_of(hash, slot);
    if (places_[gap] == k_empty) return false;
    std::size_t from_gap = 1;
    for (std::size_t at = behind(gap); places_[at] != k_empty; at = behind(at), ++from_gap) {
      std::size_t distance = (places_[at] & distance_mask()) >> slot_bits_;
      if (distance == far_) [[unlikely]] {
        const std::size_t home = home_of(hash_of(slot_of(places_[at])));
        distance = home <= at ? at - home : at + places_.size() - home;
      }
      // What has its home at the gap or before it may be there.
      if (distance < from_gap) continue;
      places_[gap] = (places_[at] & ~distance_mask()) | noted(distance - from_gap);
      gap = at;
      from_gap = 0;
    }
    places_[gap] = k_empty;
    --size_;
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Of memory, but for the object itself.
  [[nodiscard]] std::size_t bytes() const noexcept { return places_.capacity() * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint32_t k_empty = 0xffff'ffff;  // no slot has all its bits set

  [[nodiscard]] std::uint32_t slot_mask() const noexcept { return (std::uint32_t{1} << slot_bits_) - 1; }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t place) const noexcept { return place & slot_mask(); }
  [[nodiscard]] std::uint32_t distance_mask() const noexcept { return far_ << slot_bits_; }
  [[nodiscard]] std::uint32_t tag_mask() const noexcept { return ~(slot_mask() | distance_mask()); }
  /// The distance in its bits. One that is too far for them is looked up again when it is needed.
  [[nodiscard]] std::uint32_t noted(std::size_t distance) const noexcept {
    return std::min(static_cast<std::uint32_t>(distance), far_) << slot_bits_;
  }
  [[nodiscard]] std::uint32_t tag_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash) & tag_mask();
  }
  /// By a multiplication instead of a division: as many places as wanted, not a power of two.
  [[nodiscard]] std::size_t home_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(((hash >> 32U) * places_.size()) >> 32U);
  }
  [[nodiscard]] std::size_t behind(std::size_t at) const noexcept { return at + 1 == places_.size() ? 0 : at + 1; }
  /// An empty one where the slot is not there.
  [[nodiscard]] std::size_t place_of(std::uint64_t hash, std::uint32_t slot) const noexcept {
    std::size_t at = home_of(hash);
    while (places_[at] != k_empty && slot_of(places_[at]) != slot) at = behind(at);
    return at;
  }

  unsigned slot_bits_;
  std::uint32_t far_;  // all bits of a distance set: that or farther
  std::size_t capacity_;
  std::vector<std::uint32_t> places_;
  std::size_t size_ = 0;
};

}  // namespace dojima::gateway
