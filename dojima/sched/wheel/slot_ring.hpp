#pragma once

// The ring: an unsorted list for each of the next slots of time, two blocks of them. A newcomer is appended to the list
// of its slot without being looked at, packed into 8 bytes while all addresses allow that. Entries of one instant stay
// in the order in which they were scheduled. No allocation beyond the pool's chunks; the pool is the caller's.
//
//        from_                                            from_ + span_
//   time --|-- slot of 2^w ns --|-- slot --|-- ... --|-----------|
//
// Where newcomers are staged, each waits for seven others while the end of its list is fetched into the cache; lists
// are complete only after unstage().

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "dojima/sched/run_wheel_shape.hpp"
#include "dojima/sched/wheel/bit_words.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"
#include "dojima/sched/wheel/run_entry.hpp"

namespace dojima::sched {

template <bool HasUser>
class SlotRing {
 public:
  using Entry = RunEntry<HasUser>;
  using Packed = PackedEntry<HasUser>;

  /// Begins with the slot of `start`. Throws std::bad_alloc.
  SlotRing(const RunWheelShape& shape, Instant start);

  /// Whether entries of that instant belong here.
  [[nodiscard]] bool covers(Instant at) const noexcept { return at - from_ < span_; }
  /// An entry that the ring covers. O(1) amortised.
  void push(ChunkPool& pool, Instant at, Event* event, void* user) noexcept {
    is_staging_ ? stage(pool, at, event, user) : append_to_slot(pool, at, event, user);
  }
  /// As push(), past the stage. Also for entries of a block that the ring is about to cover. Inlined, so that a push is
  /// one call whose slow parts are tail calls.
  [[gnu::always_inline]] void append_to_slot(ChunkPool& pool, Instant at, Event* event, void* user) noexcept {
    ChunkList& list = slots_[static_cast<std::size_t>(at >> slot_bits_) & mask_];
    std::byte* const write = list.write;
    if (is_packed_) [[likely]] {
      if ((reinterpret_cast<std::uintptr_t>(event) & unpackable_) != 0) [[unlikely]]
        return append_unpackable(pool, at, event, user);
      if (pool.is_at_end(write)) [[unlikely]]
        return append_to_new_chunk(pool, at, event, user);
      ::new (static_cast<void*>(write)) Packed(PackedWord::of(at & slot_mask_, event), user);
      list.write = write + sizeof(Packed);
    } else {
      if (pool.is_at_end(write)) [[unlikely]]
        return append_to_new_chunk(pool, at, event, user);
      ::new (static_cast<void*>(write)) Entry(at, event, user);
      list.write = write + sizeof(Entry);
    }
  }
  /// Appends the newcomers that wait. To be called before lists are read or the ring moves.
  void unstage(ChunkPool& pool) noexcept {
    if (stage_[(staged_ - 1) % k_staged].event == nullptr) return;
    for (std::size_t left = k_staged; left > 0; --left) {
      Entry& waiting = stage_[staged_++ % k_staged];
      if (waiting.event != nullptr) append_to_slot(pool, waiting.at, waiting.event, waiting.user());
      waiting.event = nullptr;
    }
  }

  [[nodiscard]] Instant from() const noexcept { return from_; }
  [[nodiscard]] Instant end() const noexcept { return from_ + span_; }
  /// From now on it covers [from, end). There are no entries before.
  void set_reach(Instant from, Instant end) noexcept {
    from_ = from;
    span_ = end > from ? end - from : 0;
  }

  // Slots are numbered by their time divided by their width.
  [[nodiscard]] std::uint64_t slot_of(Instant at) const noexcept { return at >> slot_bits_; }
  [[nodiscard]] Instant begin_of(std::uint64_t slot) const noexcept { return slot << slot_bits_; }
  [[nodiscard]] Instant end_of(std::uint64_t slot) const noexcept { return begin_of(slot) + slot_mask_ + 1; }
  [[nodiscard]] Instant begin_of_slot_at(Instant at) const noexcept { return at & ~slot_mask_; }
  [[nodiscard]] unsigned slot_bits() const noexcept { return slot_bits_; }
  [[nodiscard]] bool is_packed() const noexcept { return is_packed_; }

  /// The first slot that may have entries; k_no_instant: none. O(slots / 64).
  [[nodiscard]] std::uint64_t first_used_slot() const noexcept;
  [[nodiscard]] ChunkList& list_of(std::uint64_t slot) noexcept {
    return slots_[static_cast<std::size_t>(slot) & mask_];
  }
  /// How many entries a list of the ring has, removed ones included. O(1).
  [[nodiscard]] std::size_t count_in(const ChunkPool& pool, const ChunkList& list) const noexcept {
    return is_packed_ ? count_of<Packed>(pool, list) : count_of<Entry>(pool, list);
  }
  /// The slot's list was emptied.
  void mark_empty(std::uint64_t slot) noexcept { clear_bit(used_.data(), static_cast<std::size_t>(slot) & mask_); }
  /// The earliest time of an entry of that slot; k_no_instant: none. O(entries of the slot).
  [[nodiscard]] Instant earliest_of(const ChunkPool& pool, std::uint64_t slot) const noexcept;

  /// Marks an entry as removed. False: there is none of this event and time. O(entries of its slot).
  bool erase(const ChunkPool& pool, Instant at, Event* event) noexcept;
  /// All lists.
  [[nodiscard]] std::vector<ChunkList>& lists() noexcept { return slots_memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return slots_memory_.size() * sizeof(ChunkList) + used_.size() * sizeof(used_[0]);
  }

 private:
  static constexpr std::size_t k_staged = 8;

  /// Fetches the end of the list that the newcomer goes to, and appends the one that has waited longest instead.
  void stage(ChunkPool& pool, Instant at, Event* event, void* user) noexcept {
    const Entry longest = std::exchange(stage_[staged_++ % k_staged], Entry(at, event, user));
    __builtin_prefetch(slots_[static_cast<std::size_t>(at >> slot_bits_) & mask_].write, 1);
    if (longest.event != nullptr) [[likely]]
      append_to_slot(pool, longest.at, longest.event, longest.user());
  }
  [[gnu::noinline]] void append_to_new_chunk(ChunkPool& pool, Instant at, Event* event, void* user) noexcept;
  [[gnu::noinline]] void append_unpackable(ChunkPool& pool, Instant at, Event* event, void* user) noexcept;
  void widen(ChunkPool& pool) noexcept;
  [[nodiscard]] Instant begin_of_list(std::size_t index) const noexcept;

  // What a push touches, together.
  Instant from_;
  Instant span_ = 0;
  ChunkList* slots_;
  std::size_t mask_;
  unsigned slot_bits_;
  bool is_packed_;
  bool is_staging_;
  Instant slot_mask_;
  std::uint64_t unpackable_;  // address bits that a packed entry cannot hold
  std::size_t staged_ = 0;
  std::array<Entry, k_staged> stage_;  // newcomers that wait, in a circle; without an event: none

  std::vector<ChunkList> slots_memory_;
  std::vector<std::uint64_t> used_;  // a bit for each list that may have entries
};

template <bool HasUser>
inline std::uint64_t SlotRing<HasUser>::first_used_slot() const noexcept {
  const std::size_t count = mask_ + 1;
  const std::uint64_t first = slot_of(from_);
  const std::size_t from = static_cast<std::size_t>(first) & mask_;
  std::size_t found = next_bit(used_.data(), from, count);
  if (found == count) found = next_bit(used_.data(), 0, count);
  if (found == count) return k_no_instant;
  const std::uint64_t slot = first + ((found - from) & mask_);
  return begin_of(slot) - from_ < span_ ? slot : k_no_instant;
}

extern template class SlotRing<false>;
extern template class SlotRing<true>;

}  // namespace dojima::sched
