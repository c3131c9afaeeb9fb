#pragma once

// The run wheel: the container of the production schedulers. Entries are appended to lists of time slots without being
// looked at; a slot is sorted in one go when its time comes, and becomes the run, an array in firing order, from which
// events are prefetched long before they fire. Push and take O(1) amortised, exact order, first in first out among
// equal times. All memory is taken at construction, for the worst case, and touched when it is first used. One thread.
//
//                 the run            rungs                     ring                        far wheel
//   time  |-- sorted entries --|-- sub-slots of --|-- 2 blocks of 2^b slots ------|-- 64 lists a level ...
//      now                  run_end_      what was too dense      of 2^w ns each   ring_end_
//
// How and why: docs/scheduler-design.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"
#include "dojima/sched/wheel/far_wheel.hpp"
#include "dojima/sched/wheel/slot_sort.hpp"

namespace dojima::sched {

/// Whether something may fire now.
enum class Readiness : std::uint8_t {
  due,   ///< the next entry is due
  none,  ///< nothing is due
  busy,  ///< what is due next is being prepared, and the limit for one go is used up
};

/// The shape of a wheel. Every shape gives the same order.
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
};

/// One entry in the run, in rungs and in the far wheel.
template <bool HasUser>
struct RunEntry;
template <>
struct RunEntry<false> {
  Instant at;
  Event* event;  // null: removed
  RunEntry() = default;
  RunEntry(Instant its_time, Event* its_event, void*) noexcept : at(its_time), event(its_event) {}
  [[nodiscard]] static void* user() noexcept { return nullptr; }
};
template <>
struct RunEntry<true> {
  Instant at;
  Event* event;  // null: removed
  void* given;
  RunEntry() = default;
  RunEntry(Instant its_time, Event* its_event, void* its_user) noexcept
      : at(its_time), event(its_event), given(its_user) {}
  [[nodiscard]] void* user() const noexcept { return given; }
};

/// One entry in a packed ring: 20 bits of offset in the slot over 43 bits of address. 0 in those: removed.
template <bool HasUser>
struct PackedEntry;
template <>
struct PackedEntry<false> {
  std::uint64_t word;
  PackedEntry(std::uint64_t its_word, void*) noexcept : word(its_word) {}
  [[nodiscard]] static void* user() noexcept { return nullptr; }
};
template <>
struct PackedEntry<true> {
  std::uint64_t word;
  void* given;
  PackedEntry(std::uint64_t its_word, void* its_user) noexcept : word(its_word), given(its_user) {}
  [[nodiscard]] void* user() const noexcept { return given; }
};

template <bool HasUser>
class RunWheel {
 public:
  using Entry = RunEntry<HasUser>;
  using Packed = PackedEntry<HasUser>;
  using Scheduled = Event;
  static constexpr bool k_has_user = HasUser;

  /// Room for `capacity` entries; none will be earlier than `start`. Throws std::bad_alloc.
  RunWheel(std::size_t capacity, Instant start, const RunWheelShape& shape);

  RunWheel(const RunWheel&) = delete;
  RunWheel& operator=(const RunWheel&) = delete;

  /// One more entry, behind all of the same time. The caller counts: there must be room. `at` is not earlier than what
  /// was taken last, nor than the last limit for which there was nothing more to take. O(1) amortised.
  void push(Instant at, Event* event, void* user) noexcept {
    if (at - ring_from_ < ring_span_) [[likely]] {
      is_staging_ ? stage(at, event, user) : push_to_ring(at, event, user);
    } else {
      push_elsewhere(at, event, user);
    }
  }
  /// Entries that are not an event's own: the same here.
  void push_own(Instant at, Event* event, void* user) noexcept { push(at, event, user); }

  /// Whether the next entry is known and due.
  [[nodiscard]] bool is_due(Instant limit) const noexcept { return head_->at <= limit; }
  /// Sorts what is next until that is known.
  [[nodiscard]] Readiness prepare(Instant limit) {
    const Instant head = head_->at;
    if (head != k_no_instant) return head <= limit ? Readiness::due : Readiness::none;
    return prepare_run(limit);
  }
  /// The next entry; is_due() has said that there is one.
  [[nodiscard]] const Entry& first() const noexcept { return *head_; }
  /// As first(), and it is gone.
  [[nodiscard]] Entry take() noexcept {
    __builtin_prefetch(head_[prefetch_ahead_].event, 1);
    return *head_++;
  }

  /// Nothing is due before. Cheap.
  [[nodiscard]] Instant lower_bound() const noexcept {
    const Instant head = head_->at;
    return head != k_no_instant ? head : rest_next_;
  }
  /// When the next entry is due; k_no_instant: none. With a preparation limit it may be earlier than that while a slot
  /// beyond the limit is being prepared. O(1) amortised; after an entry was removed, O(entries of the next slot).
  [[nodiscard]] Instant next() {
    const Instant head = head_->at;
    if (head != k_no_instant) return head;
    return is_rest_exact_ ? rest_next_ : find_next();
  }

  /// A new go: the preparation limit begins anew.
  void refill() noexcept {
    budget_ = max_prepared_;
    prepared_ = 0;
  }
  /// Entries moved and sorted since, all of them, whatever the limit is.
  [[nodiscard]] std::size_t prepared() const noexcept { return prepared_; }

  /// Removes the only entry of `event`, which stands at `at`. O(entries of its slot).
  void erase(Instant at, Event* event);
  /// Removes all entries whose event `is_wanted_no_more(*event)`. O(all).
  template <class Predicate>
  void erase_if(Predicate is_wanted_no_more);
  /// Visits the events of all entries.
  template <class Visit>
  void for_each(Visit visit);

  /// Bytes in use, without what was taken and never touched.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept;
  [[nodiscard]] bool is_packed() const noexcept { return is_packed_; }

 private:
  static constexpr unsigned k_address_bits = 43;  // of an address that is a multiple of 16 and below 2^47
  static constexpr std::uint64_t k_address_mask = (std::uint64_t{1} << k_address_bits) - 1;
  static constexpr std::size_t k_most_ahead = 64;
  static constexpr std::size_t k_front = 16;        // the run begins here, with room for newcomers before the first
  static constexpr std::size_t k_enough = 48;       // small slots are gathered until there are so many
  static constexpr std::size_t k_group_slots = 64;  // or so many slots are gathered
  static constexpr std::size_t k_kept = 32;         // entries that stay in the run when the others are spilled
  static constexpr std::size_t k_spilled_from = 4 * k_kept;
  static constexpr std::size_t k_most_rungs = 20;
  static constexpr std::size_t k_staged = 8;

  /// A slot, or a stretch of the run, cut into sub-slots.
  struct Rung {
    ChunkList* lists;
    std::uint64_t* used;
    Instant base;
    Instant end;
    unsigned shift;
    std::size_t count;
    [[nodiscard]] std::size_t index_of(Instant at) const noexcept {
      DOJIMA_CHECK_SLOW(at >= base, "what is earlier than a rung stands in the run");
      const std::size_t index = static_cast<std::size_t>((at - base) >> shift);
      return index < count ? index : count - 1;  // `end` itself
    }
  };

  void push_to_ring(Instant at, Event* event, void* user) noexcept {
    ChunkList& list = ring_[static_cast<std::size_t>(at >> slot_bits_) & ring_mask_];
    std::byte* const write = list.write;
    if (is_packed_) [[likely]] {
      const auto address = reinterpret_cast<std::uintptr_t>(event);
      if ((address & unpackable_) != 0) [[unlikely]]
        return push_unpackable(at, event, user);
      if (pool_.is_at_end(write)) [[unlikely]]
        return push_to_new_chunk(at, event, user);
      ::new (static_cast<void*>(write)) Packed((at & slot_mask_) << k_address_bits | address >> 4, user);
      list.write = write + sizeof(Packed);
    } else {
      if (pool_.is_at_end(write)) [[unlikely]]
        return push_to_new_chunk(at, event, user);
      ::new (static_cast<void*>(write)) Entry(at, event, user);
      list.write = write + sizeof(Entry);
    }
    if (at < rest_next_) note(at);
  }
  /// Fetches the end of the list that the newcomer goes to, and appends the one that has waited longest instead.
  void stage(Instant at, Event* event, void* user) noexcept {
    const Entry longest = std::exchange(stage_[staged_++ % k_staged], Entry(at, event, user));
    __builtin_prefetch(ring_[static_cast<std::size_t>(at >> slot_bits_) & ring_mask_].write, 1);
    if (at < rest_next_) note(at);
    if (longest.event != nullptr) [[likely]]
      push_to_ring(longest.at, longest.event, longest.user());
  }
  /// Lists are complete only after this: whoever looks into them, or moves the ring, calls it first.
  void unstage() noexcept {
    if (stage_[(staged_ - 1) % k_staged].event == nullptr) return;
    for (std::size_t left = k_staged; left > 0; --left) {
      Entry& waiting = stage_[staged_++ % k_staged];
      if (waiting.event != nullptr) push_to_ring(waiting.at, waiting.event, waiting.user());
      waiting.event = nullptr;
    }
  }
  void note(Instant at) noexcept {
    rest_next_ = at;
    is_rest_exact_ = true;
  }
  [[gnu::noinline]] void push_to_new_chunk(Instant at, Event* event, void* user) noexcept;
  [[gnu::noinline]] void push_unpackable(Instant at, Event* event, void* user) noexcept;
  [[gnu::noinline]] void push_elsewhere(Instant at, Event* event, void* user) noexcept;

  [[gnu::noinline]] Readiness prepare_run(Instant limit);
  [[gnu::noinline]] Instant find_next();
  void push_to_run(const Entry& entry) noexcept;
  void push_to_rung(Rung& rung, const Entry& entry) noexcept;
  void make_room_in_run() noexcept;
  bool spill() noexcept;
  [[nodiscard]] std::size_t run_size() const noexcept { return static_cast<std::size_t>(tail_ - head_); }
  void set_run_end() noexcept;

  /// Bits that the rungs below the next one can tell apart.
  [[nodiscard]] unsigned bits_below() const noexcept {
    return static_cast<unsigned>(rung_count_ - depth_ - 1) * (fan_bits_ - 2);
  }
  [[nodiscard]] bool can_add_rung(Instant base, Instant last) const noexcept;
  void shape_rung(Rung& rung, Instant base, Instant end, Instant last, std::size_t expected) noexcept;
  void collapse() noexcept;
  [[nodiscard]] std::size_t first_of_rung() const noexcept;
  [[nodiscard]] Instant begin_of_rung() const noexcept;
  bool open_rung();
  bool open_ring(std::uint64_t slot);
  void begin_opening() noexcept;
  void finish_opening() noexcept;
  void begin_split(ChunkList& list, Instant base, Instant end, std::size_t count, bool is_of_ring) noexcept;
  bool continue_split(std::size_t& budget);
  template <class Stored>
  void gather_few(ChunkList& list, Instant base);
  template <class Stored>
  void gather_many(ChunkList& list, Instant base, unsigned bits);
  template <class Stored, class Key>
  void gather_sorted(ChunkList& list, Instant base, unsigned bits, unsigned position_bits, Key* keys, Key* spare);
  void gather_first_of_ties(ChunkList& list);

  bool pour_to(std::uint64_t block);
  void catch_up(Instant limit);
  void set_ring_from(Instant from) noexcept;
  void set_ring_span() noexcept;
  void widen() noexcept;
  [[nodiscard]] std::uint64_t first_used_slot() const noexcept;
  [[nodiscard]] std::uint64_t block_of(Instant at) const noexcept { return at >> block_width_bits_; }
  [[nodiscard]] Instant base_of_ring_list(std::size_t index) const noexcept;
  void spend(std::size_t entries) noexcept {
    budget_ -= entries < budget_ ? entries : budget_;
    prepared_ += entries;
  }

  [[nodiscard]] Entry unpack(const Packed& packed, Instant base) const noexcept {
    return Entry(base + (packed.word >> k_address_bits), reinterpret_cast<Event*>((packed.word & k_address_mask) << 4),
                 packed.user());
  }
  [[nodiscard]] const Entry& unpack(const Entry& entry, Instant) const noexcept { return entry; }

  bool erase_from_run(Instant at, Event* event) noexcept;
  bool erase_from_list(ChunkList& list, Instant at, Event* event) noexcept;
  bool erase_from_ring(Instant at, Event* event) noexcept;
  [[nodiscard]] Instant earliest_of(const ChunkList& list) const noexcept;
  [[nodiscard]] Instant earliest_of_ring_list(std::uint64_t slot) const noexcept;
  void drop_removed();

  // What push and take touch, together.
  Instant ring_from_;  // the ring answers for [ring_from_, ring_from_ + ring_span_)
  Instant ring_span_ = 0;
  ChunkList* ring_;
  std::size_t ring_mask_;
  unsigned slot_bits_;
  bool is_packed_;
  bool is_staging_;
  bool is_rest_exact_ = true;
  Instant slot_mask_;
  std::uint64_t unpackable_;          // address bits that an entry cannot hold
  Instant rest_next_ = k_no_instant;  // nothing outside of the run is due before; exactly then if is_rest_exact_
  Entry* run_;
  Entry* head_;  // the run is [head_, tail_); *tail_ stands for the end
  Entry* tail_;
  std::size_t prefetch_ahead_;
  std::size_t staged_ = 0;
  std::array<Entry, k_staged> stage_;  // newcomers to the ring, in a circle; without an event: none

  Instant run_end_;           // everything earlier stands in the run; in the run nothing is later
  std::size_t moved_ = 0;     // entries of this run moved by newcomers
  std::size_t spill_at_ = 0;  // when moved_ is here, the run is spilled into a rung
  std::size_t run_room_;
  std::size_t depth_ = 0;      // rungs in use; the deepest one is the earliest
  bool is_splitting_ = false;  // split_list_ is on its way to rung depth_
  bool is_split_of_ring_ = false;
  ChunkList* split_list_ = nullptr;
  Instant split_end_ = 0;
  std::size_t removed_ = 0;  // entries without an event in lists
  std::size_t most_removed_;
  std::size_t budget_;
  std::size_t prepared_ = 0;
  std::size_t max_prepared_;
  std::size_t most_gathered_;
  std::size_t gather_room_;
  SlotSort sort_;
  unsigned block_width_bits_;
  unsigned fan_bits_;
  std::size_t rung_count_;
  ChunkPool pool_;
  FarWheel<Entry> far_;
  std::array<Rung, k_most_rungs> rungs_{};
  std::vector<ChunkList> lists_;     // of the ring, then of the rungs
  std::vector<std::uint64_t> used_;  // a bit for each of them that may have entries
  std::unique_ptr<Entry[]> run_memory_;
  std::unique_ptr<std::byte[]> gathered_;  // entries on their way into the run, as they stood
  std::unique_ptr<std::uint64_t[]> keys_;  // theirs, and as many to sort them
};

extern template class RunWheel<false>;
extern template class RunWheel<true>;

template <bool HasUser>
template <class Predicate>
void RunWheel<HasUser>::erase_if(Predicate is_wanted_no_more) {
  unstage();
  const auto rewrite = [&]<class Stored>(ChunkList& list) {
    ChunkList old = list;
    list = ChunkList{};
    drain<Stored>(pool_, old, [&](const Stored& stored) {
      Event* const event = unpack(stored, 0).event;
      if (event == nullptr || is_wanted_no_more(*event)) return;
      append(pool_, list, stored);
    });
  };
  for (std::size_t index = 0; index < lists_.size(); ++index) {
    if (index <= ring_mask_ && is_packed_) {
      rewrite.template operator()<Packed>(lists_[index]);
    } else {
      rewrite.template operator()<Entry>(lists_[index]);
    }
  }
  far_.any_list([&](ChunkList& list) {
    rewrite.template operator()<Entry>(list);
    return false;
  });
  removed_ = 0;
  Entry* kept = head_;
  for (const Entry* at = head_; at != tail_; ++at) {
    if (!is_wanted_no_more(*at->event)) *kept++ = *at;
  }
  tail_ = kept;
  set_run_end();
  is_rest_exact_ = false;  // what made it so may be gone; as a bound it holds
}

template <bool HasUser>
template <class Visit>
void RunWheel<HasUser>::for_each(Visit visit) {
  erase_if([&](Event& event) {
    visit(event);
    return false;
  });
}

}  // namespace dojima::sched
