#pragma once

// The run wheel: the container of the production schedulers. Entries are appended to lists of time slots without being
// looked at; a slot is sorted in one go when its time comes, and becomes the run, an array in firing order, from which
// events are prefetched long before they fire. Push and take O(1) amortised, exact order, first in first out among
// equal times. All memory is taken at construction, for the worst case, and touched when it is first used. One thread.
//
//                 the run            rungs                     ring                        far wheel
//   time  |-- sorted entries --|-- sub-slots of --|-- 2 blocks of 2^b slots ------|-- 64 lists a level ...
//      now                  run end      what was too dense      of 2^w ns each   ring end
//
// Each part has a file: run.hpp, rung_stack.hpp, slot_ring.hpp, far_wheel.hpp; gatherer.hpp sorts a list into the run.
// This class moves entries from the right to the left, and preparation_phase.hpp says from where they are taken next.
// How and why: docs/scheduler-design.md.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dojima/sched/core/entry_queue.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/run_wheel_shape.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"
#include "dojima/sched/wheel/earliest_bound.hpp"
#include "dojima/sched/wheel/far_wheel.hpp"
#include "dojima/sched/wheel/gatherer.hpp"
#include "dojima/sched/wheel/preparation_budget.hpp"
#include "dojima/sched/wheel/preparation_phase.hpp"
#include "dojima/sched/wheel/run.hpp"
#include "dojima/sched/wheel/run_entry.hpp"
#include "dojima/sched/wheel/rung_stack.hpp"
#include "dojima/sched/wheel/slot_ring.hpp"

namespace dojima::sched {

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
    if (ring_.covers(at)) [[likely]] {
      push_to_ring(at, event, user);
    } else {
      push_elsewhere(at, event, user);
    }
  }
  /// Entries that are not an event's own: the same here.
  void push_own(Instant at, Event* event, void* user) noexcept { push(at, event, user); }

  /// Whether the next entry is known and due.
  [[nodiscard]] bool is_due(Instant limit) const noexcept { return run_.first().at <= limit; }
  /// Sorts what is next until that is known.
  [[nodiscard]] Readiness prepare(Instant limit) {
    const Instant next = run_.first().at;
    if (next != k_no_instant) return next <= limit ? Readiness::due : Readiness::none;
    return prepare_run(limit);
  }
  /// The next entry; is_due() has said that there is one.
  [[nodiscard]] const Entry& first() const noexcept { return run_.first(); }
  /// As first(), and it is gone.
  [[nodiscard]] Entry take() noexcept { return run_.take(); }

  /// Nothing is due before. Cheap.
  [[nodiscard]] Instant lower_bound() const noexcept {
    const Instant next = run_.first().at;
    return next != k_no_instant ? next : rest_.at();
  }
  /// When the next entry is due; k_no_instant: none. With a preparation limit it may be earlier than that while a slot
  /// beyond the limit is being prepared. O(1) amortised; after an entry was removed, O(entries of the next slot).
  [[nodiscard]] Instant next() {
    const Instant next = run_.first().at;
    if (next != k_no_instant) return next;
    return rest_.is_exact() ? rest_.at() : find_next();
  }

  /// A new go: the preparation limit begins anew.
  void refill() noexcept { budget_.refill(); }
  /// Entries moved and sorted since, all of them, whatever the limit is.
  [[nodiscard]] std::size_t prepared() const noexcept { return budget_.spent(); }

  /// Removes the only entry of `event`, which is due at `at`. O(entries of its slot).
  void erase(Instant at, Event* event);
  /// Removes all entries whose event `is_unwanted(*event)`. O(all).
  template <class Predicate>
  void erase_if(Predicate is_unwanted);
  /// Visits the events of all entries.
  template <class Visit>
  void for_each(Visit visit);

  /// Bytes in use, without what was taken and never touched.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept;
  [[nodiscard]] bool is_packed() const noexcept { return ring_.is_packed(); }

 private:
  static constexpr std::size_t k_enough = 48;       // small slots are gathered until there are so many
  static constexpr std::size_t k_group_slots = 64;  // or so many slots are gathered
  static constexpr std::size_t k_kept = 32;         // entries that stay in the run when the others are spilled
  static constexpr std::size_t k_spilled_from = 4 * k_kept;

  using Phase = PreparationPhase;

  void push_to_ring(Instant at, Event* event, void* user) noexcept {
    rest_.add(at);
    ring_.push(pool_, at, event, user);
  }
  [[gnu::noinline]] void push_elsewhere(Instant at, Event* event, void* user) noexcept;
  void push_to_run(const Entry& entry) noexcept;
  void make_room_in_run() noexcept;
  bool spill() noexcept;
  void spill_to(Rung& rung, bool is_before_older) noexcept;
  void collapse() noexcept;

  [[gnu::noinline]] Readiness prepare_run(Instant limit);
  [[nodiscard]] std::optional<Readiness> prepare_from_rungs(Instant limit);
  [[nodiscard]] std::optional<Readiness> prepare_from_ring(Instant limit);
  [[gnu::noinline]] Instant find_next();
  [[nodiscard]] std::optional<Instant> find_in_rungs();
  [[nodiscard]] std::optional<Instant> find_in_ring();
  [[nodiscard]] std::optional<Instant> find_in_slot(std::uint64_t slot);

  // False: the limit for one go is used up.
  bool open_slots(std::uint64_t slot);
  bool open_sub_slots();
  bool open_dense_sub_slot(std::size_t index, std::size_t count);
  bool open_ties(std::size_t index);
  bool split_slot(std::uint64_t slot, std::size_t count);
  bool continue_split(PreparationBudget& budget);
  bool cascade() noexcept;

  void gather_slot(std::uint64_t slot, std::size_t count);
  void gather_sub_slot(Rung& rung, std::size_t index, std::size_t count);
  [[nodiscard]] bool is_worth_adding(std::size_t count) const noexcept;
  [[nodiscard]] bool must_wait_for(std::size_t count) const noexcept;
  void close_deepest_rung() noexcept;
  void begin_run() noexcept;
  [[nodiscard]] std::size_t first_sub_slot() const noexcept;
  [[nodiscard]] Instant begin_of_rungs() const noexcept;

  void catch_up(Instant limit);
  void move_ring(Instant from) noexcept { ring_.set_reach(from, far_.end_of_block(far_.frontier())); }

  [[nodiscard]] std::size_t chunks_needed(std::size_t capacity, const RunWheelShape& shape) noexcept;
  [[nodiscard]] bool erase_from_lists(Instant at, Event* event) noexcept;
  [[nodiscard]] bool erase_from_far(Instant at, Event* event) noexcept;
  void drop_removed();

  SlotRing<HasUser> ring_;
  EarliestBound rest_;  // of all entries outside of the run
  Run<Entry> run_;
  Phase phase_ = Phase::ring;
  ListSplit split_{};
  RungStack rungs_;
  std::size_t removed_ = 0;  // entries without an event in lists
  std::size_t most_removed_;
  PreparationBudget budget_;
  std::size_t most_gathered_;
  ChunkPool pool_;
  FarWheel<Entry> far_;
  Gatherer<HasUser> gatherer_;
};

extern template class RunWheel<false>;
extern template class RunWheel<true>;

template <bool HasUser>
template <class Predicate>
void RunWheel<HasUser>::erase_if(Predicate is_unwanted) {
  ring_.unstage(pool_);
  const auto rewrite = [&]<class Stored>(ChunkList& list) {
    ChunkList old = list;
    list = ChunkList{};
    drain<Stored>(pool_, old, [&](const Stored& stored) {
      Event* const event = unpacked(stored, 0).event;
      if (event == nullptr || is_unwanted(*event)) return;
      append(pool_, list, stored);
    });
  };
  for (ChunkList& list : ring_.lists()) {
    ring_.is_packed() ? rewrite.template operator()<Packed>(list) : rewrite.template operator()<Entry>(list);
  }
  for (ChunkList& list : rungs_.lists()) rewrite.template operator()<Entry>(list);
  far_.any_list([&](ChunkList& list) {
    rewrite.template operator()<Entry>(list);
    return false;
  });
  removed_ = 0;
  Entry* kept = run_.head();
  for (const Entry* at = run_.head(); at != run_.tail(); ++at) {
    if (!is_unwanted(*at->event)) *kept++ = *at;
  }
  run_.grow_to(kept);
  run_.seal();
  rest_.remove();
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
