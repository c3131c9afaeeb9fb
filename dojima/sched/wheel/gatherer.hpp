#pragma once

// Gathering: the entries of one list are taken, sorted and appended to the run. Few are inserted as they come; of many,
// keys of offset and position are sorted and the entries follow. Stable: entries of one instant keep their order. No
// allocation after construction.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "dojima/sched/wheel/chunk_list.hpp"
#include "dojima/sched/wheel/run.hpp"
#include "dojima/sched/wheel/run_entry.hpp"
#include "dojima/sched/wheel/slot_sort.hpp"

namespace dojima::sched {

template <bool HasUser>
class Gatherer {
 public:
  using Entry = RunEntry<HasUser>;

  /// For lists of at most `room` entries. Throws std::bad_alloc.
  Gatherer(std::size_t room, SlotSort sort)
      : room_(room),
        sort_(sort),
        gathered_(std::make_unique_for_overwrite<std::byte[]>(room * sizeof(Entry))),
        keys_(std::make_unique_for_overwrite<std::uint64_t[]>(k_words_per_key * (room + k_sort_slack))) {}

  /// A list of at most k_insertion_sort or so, whose slot begins at `base`. `Stored`: what the list holds.
  template <class Stored>
  static void gather_few(ChunkPool& pool, ChunkList& list, Instant base, Run<Entry>& run);
  /// A list of more, all within 2^`bits` ns of `base`.
  template <class Stored>
  void gather_many(ChunkPool& pool, ChunkList& list, Instant base, unsigned bits, bool has_removed, Run<Entry>& run);

  /// The first entries of a list that are all of one instant, in whole chunks: one, and as many as `most` allows.
  static void gather_first(ChunkPool& pool, ChunkList& list, std::size_t most, Run<Entry>& run);

  [[nodiscard]] std::size_t bytes() const noexcept {
    return room_ * sizeof(Entry) + k_words_per_key * (room_ + k_sort_slack) * sizeof(std::uint64_t);
  }

 private:
  /// Room for the keys that are sorted, narrow or wide, and as spare.
  static constexpr std::size_t k_words_per_key = std::max<std::size_t>(2, (1 + k_narrow_spare + 1) / 2);

  template <class Stored, class Key>
  void gather_by_key(ChunkPool& pool, ChunkList& list, Instant base, unsigned bits, unsigned position_bits,
                     bool has_removed, Key* keys, Run<Entry>& run);

  std::size_t room_;
  SlotSort sort_;
  std::unique_ptr<std::byte[]> gathered_;  // entries on their way into the run, in the form of their list
  std::unique_ptr<std::uint64_t[]> keys_;  // theirs, and as many to sort them
};

template <bool HasUser>
template <class Stored>
void Gatherer<HasUser>::gather_few(ChunkPool& pool, ChunkList& list, Instant base, Run<Entry>& run) {
  Entry* const first = run.tail();
  Entry* tail = first;
  drain<Stored>(pool, list, [&](const Stored& stored) {
    const Entry entry = unpacked(stored, base);
    if (entry.event == nullptr) return;
    Entry* at = tail;
    for (; at != first && at[-1].at > entry.at; --at) *at = at[-1];
    *at = entry;
    ++tail;
  });
  run.grow_to(tail);
}

template <bool HasUser>
template <class Stored>
void Gatherer<HasUser>::gather_many(ChunkPool& pool, ChunkList& list, Instant base, unsigned bits, bool has_removed,
                                    Run<Entry>& run) {
  const auto position_bits = static_cast<unsigned>(std::bit_width(count_of<Stored>(pool, list) - 1));
  if (bits + position_bits <= 32) {
    auto* const narrow = reinterpret_cast<std::uint32_t*>(keys_.get());
    gather_by_key<Stored>(pool, list, base, bits, position_bits, has_removed, narrow, run);
  } else {
    gather_by_key<Stored>(pool, list, base, bits, position_bits, has_removed, keys_.get(), run);
  }
}

template <bool HasUser>
template <class Stored, class Key>
void Gatherer<HasUser>::gather_by_key(ChunkPool& pool, ChunkList& list, Instant base, unsigned bits,
                                      unsigned position_bits, bool has_removed, Key* keys, Run<Entry>& run) {
  auto* const gathered = reinterpret_cast<Stored*>(gathered_.get());
  std::size_t count = 0;
  drain<Stored>(pool, list, [&](const Stored& stored) {
    ::new (static_cast<void*>(gathered + count)) Stored(stored);
    const auto offset = static_cast<Key>(offset_of(stored, base));
    keys[count] = static_cast<Key>(offset << position_bits | static_cast<Key>(count));
    ++count;
    if (has_removed && unpacked(stored, base).event == nullptr) --count;
  });
  Key* const spare = keys + room_ + k_sort_slack;
  const Key* const sorted = sort_keys(keys, spare, count, bits, position_bits, sort_);
  const Key position_mask = static_cast<Key>((Key{1} << position_bits) - 1);
  Entry* const tail = run.tail();
  for (std::size_t i = 0; i < count; ++i) tail[i] = unpacked(gathered[sorted[i] & position_mask], base);
  run.grow_to(tail + count);
}

template <bool HasUser>
void Gatherer<HasUser>::gather_first(ChunkPool& pool, ChunkList& list, std::size_t most, Run<Entry>& run) {
  const std::size_t per_chunk = pool.entries_per_chunk<Entry>();
  do {
    Entry* tail = run.tail();
    drain_chunk<Entry>(pool, list, [&](const Entry& entry) {
      *tail = entry;
      tail += entry.event != nullptr ? 1 : 0;
    });
    run.grow_to(tail);
  } while (!list.is_empty() && run.size() + per_chunk <= most);
}

}  // namespace dojima::sched
