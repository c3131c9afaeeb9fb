#pragma once

// The slots of an order table: the cache line of each order and the labels for its owner's reports, which slots are
// free, and the ids that lead to them. A freed slot is used again when 1,024 more have been freed, or when there is no
// other: the cache still has it then. O(1) but for what is over all slots; no allocation after construction. One
// thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/book/table/order.hpp"
#include "dojima/market/order.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::book {

class Digest;

class OrderSlots {
 public:
  /// Generations have 28 bits; behind the last one comes 1 again.
  static constexpr std::uint32_t k_last_generation = (1U << 28) - 1;

  /// All free; the first one that is taken is slot 0. Throws std::bad_alloc.
  OrderSlots(std::uint8_t partition, std::size_t capacity, std::uint32_t first_generation, Memory memory);

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t used() const noexcept { return capacity_ - free_count_ - cooling_count_; }
  [[nodiscard]] bool is_full() const noexcept { return free_count_ == 0 && cooling_count_ == 0; }
  [[nodiscard]] std::size_t index(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    DOJIMA_CHECK_SLOW(at < capacity_, "slot inside the table", at, capacity_);
    return at;
  }
  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[index(slot)]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[index(slot)]; }
  [[nodiscard]] market::OrderLabels& labels(Slot slot) noexcept { return labels_[index(slot)].labels; }
  [[nodiscard]] const market::OrderLabels& labels(Slot slot) const noexcept { return labels_[index(slot)].labels; }

  /// A free slot, whose Order is what the order before it has left there. There must be one.
  [[gnu::always_inline]] Slot take() noexcept {
    if (free_count_ == 0) [[unlikely]] {
      DOJIMA_ASSERT(cooling_count_ != 0, "a full table is seen before an order is added");
      const Slot slot = cooling_[oldest_];
      oldest_ = (oldest_ + 1) % k_cooling;
      --cooling_count_;
      prefetch_record(cooling_[(oldest_ + k_slots_ahead) % k_cooling]);
      return slot;
    }
    const Slot slot = free_[--free_count_];
    // What a few orders on from here will be written to, unless others are freed until then.
    if (free_count_ > k_slots_ahead) [[likely]] {
      prefetch_record(free_[free_count_ - 1 - k_slots_ahead]);
    }
    return slot;
  }
  /// The one that take() gives next.
  [[nodiscard]] Slot next() const noexcept { return free_count_ != 0 ? free_[free_count_ - 1] : cooling_[oldest_]; }
  [[gnu::always_inline]] void give_back(Slot slot) noexcept {
    if (cooling_count_ == k_cooling) [[likely]] {
      free_[free_count_++] = std::exchange(cooling_[oldest_], slot);
      oldest_ = (oldest_ + 1) % k_cooling;
      prefetch_record(cooling_[(oldest_ + k_slots_ahead) % k_cooling]);
    } else {
      cooling_[(oldest_ + cooling_count_++) % k_cooling] = slot;
    }
  }

  [[nodiscard]] std::uint32_t next_generation(Slot slot) const noexcept {
    const std::uint32_t before = orders_[index(slot)].generation;
    return before == k_last_generation ? 1 : before + 1;
  }
  [[nodiscard]] OrderId id_of(Slot slot, std::uint32_t generation) const noexcept {
    return {partition_bits_ | std::uint64_t{generation} << k_generation_shift | static_cast<std::uint32_t>(slot)};
  }
  /// Of an id of this partition; of no order, if it is another's.
  [[nodiscard]] std::uint32_t generation_of(OrderId id) const noexcept {
    return static_cast<std::uint32_t>((id.value ^ partition_bits_) >> k_generation_shift);
  }
  [[nodiscard]] bool has_slot(OrderId id) const noexcept { return static_cast<std::uint32_t>(id.value) < capacity_; }
  /// The live order of an issued id, or no slot.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    const auto slot = static_cast<std::uint32_t>(id.value);
    if (slot >= capacity_) return k_no_slot;
    const Order& order = orders_[slot];
    return order.is_live() && id_of(Slot{slot}, order.generation) == id ? Slot{slot} : k_no_slot;
  }
  /// Where the order of an issued id lies, or lay until it was released.
  [[nodiscard]] Slot slot_of(OrderId id) const noexcept {
    const auto slot = static_cast<std::uint32_t>(id.value);
    DOJIMA_ASSERT(slot < capacity_ && orders_[slot].generation == generation_of(id), "the slot still holds the order",
                  id, slot);
    return Slot{slot};
  }
  /// Where the order of an issued id lies, has lain, or would lie. Any id is fine.
  [[nodiscard]] const Order& place_of(OrderId id) const noexcept {
    return orders_[std::min<std::size_t>(static_cast<std::uint32_t>(id.value), capacity_ - 1)];
  }

  // Hints; any slot is fine. Inlined by force, as whatever only fetches ahead: g++ 12 takes it for a function that does
  // nothing and drops the call.
  [[gnu::always_inline]] void prefetch(Slot slot) const noexcept {
    __builtin_prefetch(&orders_[std::min(static_cast<std::size_t>(slot), capacity_ - 1)], 1);
  }
  [[gnu::always_inline]] void prefetch_labels(Slot slot) const noexcept {
    __builtin_prefetch(&labels_[std::min(static_cast<std::size_t>(slot), capacity_ - 1)], 1);
  }

  /// What all ids have in common.
  [[nodiscard]] std::uint64_t partition_bits() const noexcept { return partition_bits_; }
  void save_generations(StateWriter& out) const;
  [[nodiscard]] bool load_generations(StateReader& in);
  /// The free ones, in the order in which they are used again.
  void save_free(StateWriter& out) const;
  /// `is_used`: the slots that came; none comes twice.
  [[nodiscard]] bool load_free(StateReader& in, std::vector<bool>& is_used);
  /// Over everything that decides the ids to come. O(capacity).
  void add_to(Digest& digest) const;

 private:
  static constexpr unsigned k_partition_shift = 60;
  static constexpr unsigned k_generation_shift = 32;
  static constexpr std::size_t k_slots_ahead = 6;
  static constexpr std::size_t k_cooling = 1024;

  /// The record of a slot that will soon be written to was written long ago, however young its place in the queue.
  [[gnu::always_inline]] void prefetch_record(Slot slot) const noexcept {
    const auto at = static_cast<std::size_t>(slot);
    __builtin_prefetch(&orders_[at], 1);
    __builtin_prefetch(&labels_[at].labels, 1);
  }

  LargeArray<Order> orders_;
  LargeArray<KeptLabels> labels_;
  LargeArray<Slot> free_;         // a stack of free slots, the next one on top
  std::uint64_t partition_bits_;  // of every id
  std::size_t capacity_;
  std::size_t free_count_;
  std::size_t oldest_ = 0;
  std::size_t cooling_count_ = 0;
  std::array<Slot, k_cooling> cooling_{};  // a ring of slots that were freed a moment ago, from the oldest on
};

}  // namespace dojima::book
