#include "dojima/sched/wheel/slot_ring.hpp"

#include <algorithm>

namespace dojima::sched {

template <bool HasUser>
SlotRing<HasUser>::SlotRing(const RunWheelShape& shape, Instant start)
    : from_(start >> shape.slot_bits << shape.slot_bits),
      mask_((std::size_t{2} << shape.block_bits) - 1),
      slot_bits_(shape.slot_bits),
      is_packed_(shape.is_packed),
      is_staging_(shape.is_staging),
      slot_mask_((Instant{1} << shape.slot_bits) - 1),
      unpackable_(~((std::uint64_t{1} << shape.address_bits) - 1) | 15),
      slots_memory_(mask_ + 1),
      used_(words_for(mask_ + 1)) {
  slots_ = slots_memory_.data();
  for (Entry& waiting : stage_) waiting.event = nullptr;
}

/// The last chunk of the slot's list is full, or it has none.
template <bool HasUser>
void SlotRing<HasUser>::append_to_new_chunk(ChunkPool& pool, Instant at, Event* event, void* user) noexcept {
  const std::size_t index = static_cast<std::size_t>(at >> slot_bits_) & mask_;
  set_bit(used_.data(), index);
  ChunkList& list = slots_[index];
  list.write = extend(pool, list, is_packed_ ? ChunkPool::k_header<Packed> : ChunkPool::k_header<Entry>);
  append_to_slot(pool, at, event, user);
}

template <bool HasUser>
void SlotRing<HasUser>::append_unpackable(ChunkPool& pool, Instant at, Event* event, void* user) noexcept {
  widen(pool);
  append_to_slot(pool, at, event, user);
}

/// An event's address does not fit: from now on the ring holds wide entries. Once in the life of a ring, O(all); the
/// memory for it was counted.
template <bool HasUser>
void SlotRing<HasUser>::widen(ChunkPool& pool) noexcept {
  for (std::size_t index = 0; index <= mask_; ++index) {
    const Instant begin = begin_of_list(index);
    ChunkList packed = std::exchange(slots_[index], ChunkList{});
    drain<Packed>(pool, packed, [&](const Packed& entry) { append(pool, slots_[index], unpacked(entry, begin)); });
  }
  is_packed_ = false;
}

template <bool HasUser>
Instant SlotRing<HasUser>::begin_of_list(std::size_t index) const noexcept {
  const std::uint64_t first = slot_of(from_);
  return begin_of(first + ((index - static_cast<std::size_t>(first)) & mask_));
}

template <bool HasUser>
Instant SlotRing<HasUser>::earliest_of(const ChunkPool& pool, std::uint64_t slot) const noexcept {
  const ChunkList& list = slots_[static_cast<std::size_t>(slot) & mask_];
  if (!is_packed_) return earliest_entry<Entry>(pool, list);
  Instant earliest = k_no_instant;
  any_of<Packed>(pool, list, [&](const Packed& packed) {
    const Entry entry = unpacked(packed, begin_of(slot));
    if (entry.event != nullptr) earliest = std::min(earliest, entry.at);
    return false;
  });
  return earliest;
}

template <bool HasUser>
bool SlotRing<HasUser>::erase(const ChunkPool& pool, Instant at, Event* event) noexcept {
  ChunkList& list = list_of(slot_of(at));
  if (!is_packed_) return erase_entry<Entry>(pool, list, at, event);
  const std::uint64_t word = PackedWord::of(at & slot_mask_, event);
  return any_of<Packed>(pool, list, [&](Packed& entry) {
    if (entry.word != word) return false;
    entry.word &= ~PackedWord::k_address_mask;
    return true;
  });
}

template class SlotRing<false>;
template class SlotRing<true>;

}  // namespace dojima::sched
