#include "dojima/sched/wheel/run_wheel.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::sched {
namespace {

/// Of wide entries, which are those of the run, that a list gives at once.
std::size_t most_in_chunk(const RunWheelShape& shape) noexcept {
  return shape.chunk_bytes / sizeof(RunEntry<false>);
}

const RunWheelShape& checked(const RunWheelShape& shape) noexcept {
  shape.check();
  return shape;
}

}  // namespace

template <bool HasUser>
RunWheel<HasUser>::RunWheel(std::size_t capacity, Instant start, const RunWheelShape& shape)
    : ring_(checked(shape), start),
      // When the run is full, three quarters of it, more than what is due at one instant can be spilled.
      run_(Run<Entry>::k_front + 6 * k_kept + 2 * std::min(capacity, shape.most_gathered + most_in_chunk(shape)),
           shape.prefetch_ahead, ring_.from()),
      rungs_(shape, capacity, std::min(shape.most_gathered, shape.max_prepared), k_spilled_from),
      most_removed_(capacity / 4 + 16),
      budget_(shape.max_prepared),
      most_gathered_(std::min(shape.most_gathered, shape.max_prepared)),
      pool_(shape.chunk_bytes, chunks_needed(capacity, shape)),
      far_(shape.slot_bits + shape.block_bits, ring_.from()),
      gatherer_(std::min(capacity + 1, most_gathered_), shape.sort) {
  move_ring(ring_.from());
}

/// At worst all entries are wide and every list has a chunk that is not full; and one chunk is drained while what was
/// in it is appended elsewhere.
template <bool HasUser>
std::size_t RunWheel<HasUser>::chunks_needed(std::size_t capacity, const RunWheelShape& shape) noexcept {
  const std::size_t lists = ring_.lists().size() + rungs_.lists().size() +
                            FarWheel<Entry>::k_lists_per_level * FarWheel<Entry>::k_most_levels;
  const std::size_t entries = capacity + most_removed_ + 1;
  const std::size_t per_chunk = (shape.chunk_bytes - ChunkPool::k_header<Entry>) / sizeof(Entry);
  return entries / per_chunk + std::min(entries, lists) + 4;
}

// ------------------------------------------------------------------------------------------------------------- pushing

template <bool HasUser>
void RunWheel<HasUser>::push_elsewhere(Instant at, Event* event, void* user) noexcept {
  const Entry entry(at, event, user);
  if (at >= ring_.from()) {
    far_.push(pool_, entry);
  } else if (at < run_.end()) {
    return push_to_run(entry);
  } else {
    rungs_.rung_of(at).push(pool_, entry);
  }
  rest_.add(at);
}

template <bool HasUser>
void RunWheel<HasUser>::push_to_run(const Entry& entry) noexcept {
  if (run_.is_spill_due() || run_.is_full()) [[unlikely]] {
    make_room_in_run();
    if (entry.at >= run_.end()) return push_elsewhere(entry.at, entry.event, entry.user());
  }
  run_.insert(entry);
}

/// The run is full, or moving its entries has cost more than spilling them does.
template <bool HasUser>
void RunWheel<HasUser>::make_room_in_run() noexcept {
  ring_.unstage(pool_);
  if (run_.is_spill_due() && spill()) return;
  run_.forget_moves();
  if (!run_.is_full()) return;
  if (!run_.is_crowded()) return run_.move_to_front();
  [[maybe_unused]] const bool is_spilled = spill();
  DOJIMA_ASSERT(is_spilled, "a crowded run has more entries before its end than are kept", run_.size(), run_.end());
}

/// Leaves the first entries in the run and moves the others to sub-slots, where newcomers are appended. False: there is
/// too little to spill.
template <bool HasUser>
bool RunWheel<HasUser>::spill() noexcept {
  const std::size_t count = run_.size();
  if (count < k_spilled_from) return false;
  const Instant from = run_.head()[k_kept - 1].at;
  if (from >= run_.end()) return false;
  if (phase_ == Phase::splitting_slot || phase_ == Phase::splitting_sub_slot) {
    PreparationBudget unlimited(SIZE_MAX);
    continue_split(unlimited);
    budget_.count(unlimited.spent());
  }
  const bool is_last_at_end = run_.tail()[-1].at >= run_.end();
  const Instant last = is_last_at_end ? run_.end() : run_.end() - 1;
  // Entries that were scheduled before the deepest rung when it was already open need another one.
  const bool is_fine_enough =
      phase_ == Phase::rungs && from >= rungs_.deepest().base && rungs_.deepest().is_fine_for(run_.end() - from);
  if (!is_fine_enough) {
    if (!rungs_.can_add(from, last)) {
      collapse();
      return true;
    }
    rungs_.shape_next(from, run_.end(), last, count);
    rungs_.open_next();
    phase_ = Phase::rungs;
  }
  spill_to(rungs_.deepest(), is_fine_enough && is_last_at_end);
  run_.set_end(from);
  begin_run();
  return true;
}

/// All but the entries that are kept go to `rung`. `is_before_older`: entries of the run's last instant were scheduled
/// before those of it that are in the rung.
template <bool HasUser>
void RunWheel<HasUser>::spill_to(Rung& rung, bool is_before_older) noexcept {
  ChunkList later;
  if (is_before_older) later = std::exchange(rung.lists[rung.index_of(run_.end())], ChunkList{});
  for (const Entry* at = run_.head() + k_kept; at != run_.tail(); ++at) rung.push(pool_, *at);
  drain<Entry>(pool_, later, [&](const Entry& entry) { rung.push(pool_, entry); });
  run_.shrink_to(k_kept);
}

/// All that lies before the ring moves to one rung, but for the first of the run. O(all before the ring): only after
/// newcomers came before what was open, and before those again, more often than there are rungs.
template <bool HasUser>
void RunWheel<HasUser>::collapse() noexcept {
  DOJIMA_ASSERT(phase_ == Phase::rungs, "only where rungs are open they can have run out", phase_, rungs_.depth());
  const std::size_t kept = std::min(run_.size(), k_kept);
  ChunkList all;
  std::size_t count = 0;
  const auto take = [&](const Entry& entry) {
    if (entry.event == nullptr) return;
    append(pool_, all, entry);
    ++count;
  };
  // Merged in this order, entries of one instant that lie in several places keep theirs.
  for (const Entry* at = run_.head() + kept; at != run_.tail(); ++at) take(*at);
  for (std::size_t number = rungs_.depth(); number-- > 0;) {
    Rung& rung = rungs_[number];
    for (std::size_t index = 0; index < rung.count; ++index) drain<Entry>(pool_, rung.lists[index], take);
    std::fill_n(rung.used, words_for(rung.count), std::uint64_t{0});
  }
  if (kept < run_.size()) run_.set_end(run_.head()[kept].at);
  run_.shrink_to(kept);
  rungs_.close_all();
  rungs_.shape_next(run_.end(), ring_.from(), ring_.from() - 1, count);
  rungs_.open_next();
  drain<Entry>(pool_, all, [&](const Entry& entry) { rungs_.deepest().push(pool_, entry); });
  budget_.spend(count);
  begin_run();
}

// ----------------------------------------------------------------------------------------------------------- preparing

/// What is due next is sorted into the run, until something there is due, nothing is due, or the budget is used up.
template <bool HasUser>
Readiness RunWheel<HasUser>::prepare_run(Instant limit) {
  ring_.unstage(pool_);
  while (run_.is_empty()) {
    std::optional<Readiness> known;
    switch (phase_) {
      case Phase::ring:
        known = prepare_from_ring(limit);
        break;
      case Phase::rungs:
        known = prepare_from_rungs(limit);
        break;
      case Phase::splitting_slot:
      case Phase::splitting_sub_slot:
        if (!continue_split(budget_)) known = run_.end() <= limit ? Readiness::busy : Readiness::none;
        break;
    }
    if (known) return *known;
  }
  return run_.first().at <= limit ? Readiness::due : Readiness::none;
}

/// One step from where rungs are open. Nothing: there is another step to do.
template <bool HasUser>
std::optional<Readiness> RunWheel<HasUser>::prepare_from_rungs(Instant limit) {
  DOJIMA_ASSERT(rungs_.depth() > 0, "rungs are open in the phase of that", rungs_.depth(), run_.end());
  // What begins later stays as it is: newcomers before it are appended to sub-slots instead of inserted.
  const Instant begin = begin_of_rungs();
  if (begin > limit) {
    rest_.raise(begin);
    return Readiness::none;
  }
  if (!open_sub_slots()) return Readiness::busy;
  return std::nullopt;
}

/// One step from where no rung is open. Nothing: there is another step to do.
template <bool HasUser>
std::optional<Readiness> RunWheel<HasUser>::prepare_from_ring(Instant limit) {
  DOJIMA_ASSERT(rungs_.depth() == 0, "the ring follows when no rung is open", rungs_.depth(), run_.end());
  const bool has_cascaded = cascade();
  const std::uint64_t slot = ring_.first_used_slot();
  Instant next = k_no_instant;
  if (slot != k_no_instant) {
    next = ring_.begin_of(slot);
    if (next <= limit) return open_slots(slot) ? std::nullopt : std::optional(Readiness::busy);
  } else if (!has_cascaded) {
    next = ring_.end();
    if (next <= limit) return Readiness::busy;
  } else if (const std::uint64_t block = far_.first_block(); block != FarWheel<Entry>::k_no_block) {
    next = far_.begin_of_block(block);
    if (block <= far_.block_of(limit)) {
      run_.set_end(next);
      move_ring(next);
      return std::nullopt;
    }
  }
  catch_up(limit);
  rest_.raise(next);
  return Readiness::none;
}

/// Nothing is due up to `limit`: the ring begins with the slot of it.
template <bool HasUser>
void RunWheel<HasUser>::catch_up(Instant limit) {
  const Instant from = ring_.begin_of_slot_at(limit);
  if (from <= ring_.from()) return;
  run_.set_end(from);
  move_ring(from);
  cascade();
}

/// Moves the far wheel's frontier one block behind where the ring begins, entries up to there into the ring. False: the
/// limit for one go is used up; until it is done, newcomers of the next block still go to the far wheel, behind what is
/// there.
template <bool HasUser>
bool RunWheel<HasUser>::cascade() noexcept {
  const std::uint64_t block = far_.block_of(ring_.from()) + 1;
  bool is_done = true;
  while (far_.frontier() < block && is_done) {
    const std::uint64_t first = far_.first_block();
    if (first > block) {
      far_.leap(block);
      break;
    }
    if (first - 1 > far_.frontier()) far_.leap(first - 1);
    is_done = far_.advance(pool_, budget_, [&](const Entry& entry) {
      if (entry.event != nullptr) ring_.append_to_slot(pool_, entry.at, entry.event, entry.user());
    });
  }
  move_ring(ring_.from());
  return is_done;
}

/// Looks for the next entry without a limit on its time. What comes next is prepared; what is later is only looked
/// through: were it opened, all that is scheduled before it would have to be inserted into the run.
template <bool HasUser>
Instant RunWheel<HasUser>::find_next() {
  ring_.unstage(pool_);
  while (run_.is_empty() && !rest_.is_exact()) {
    std::optional<Instant> bound;
    switch (phase_) {
      case Phase::ring:
        bound = find_in_ring();
        break;
      case Phase::rungs:
        bound = find_in_rungs();
        break;
      case Phase::splitting_slot:
      case Phase::splitting_sub_slot:
        if (!continue_split(budget_)) bound = run_.end();
        break;
    }
    if (bound) return *bound;
  }
  return run_.is_empty() ? rest_.at() : run_.first().at;
}

/// One step. A bound: no more can be known in this go. Nothing: there is another step to do.
template <bool HasUser>
std::optional<Instant> RunWheel<HasUser>::find_in_rungs() {
  const Rung& rung = rungs_.deepest();
  const std::size_t first = first_sub_slot();
  const std::size_t count = first == rung.count ? 0 : count_of<Entry>(pool_, rung.lists[first]);
  if (count <= most_gathered_) return open_sub_slots() ? std::nullopt : std::optional(run_.end());
  if (count > budget_.limit()) return begin_of_rungs();
  const Instant earliest = earliest_entry<Entry>(pool_, rung.lists[first]);
  earliest == k_no_instant ? drop_removed() : rest_.set_exact(earliest);
  return std::nullopt;
}

/// As find_in_rungs().
template <bool HasUser>
std::optional<Instant> RunWheel<HasUser>::find_in_ring() {
  const bool has_cascaded = cascade();
  const std::uint64_t slot = ring_.first_used_slot();
  if (slot != k_no_instant) return find_in_slot(slot);
  if (!has_cascaded) return ring_.end();
  const ChunkList* const list = far_.first_list();
  const Instant earliest = list == nullptr ? k_no_instant : earliest_entry<Entry>(pool_, *list);
  const bool has_only_removed = list != nullptr && earliest == k_no_instant;
  has_only_removed ? drop_removed() : rest_.set_exact(earliest);
  return std::nullopt;
}

template <bool HasUser>
std::optional<Instant> RunWheel<HasUser>::find_in_slot(std::uint64_t slot) {
  const ChunkList& list = ring_.list_of(slot);
  const std::size_t count = ring_.count_in(pool_, list);
  if (slot - ring_.slot_of(ring_.from()) <= 1 && count <= most_gathered_)
    return open_slots(slot) ? std::nullopt : std::optional(ring_.begin_of(slot));
  if (count > budget_.limit()) return ring_.begin_of(slot);
  const Instant earliest = ring_.earliest_of(pool_, slot);
  if (earliest != k_no_instant) {
    rest_.set_exact(earliest);
  } else {
    list.is_empty() ? ring_.mark_empty(slot) : drop_removed();
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------------------- opening

/// The run is complete: nothing else is due before its end.
template <bool HasUser>
void RunWheel<HasUser>::begin_run() noexcept {
  [[maybe_unused]] const auto is_earlier = [](const Entry& one, const Entry& other) { return one.at < other.at; };
  DOJIMA_CHECK_SLOW(std::is_sorted(run_.head(), run_.tail(), is_earlier), "the run is sorted", run_.size(), phase_);
  DOJIMA_CHECK_SLOW(run_.is_empty() || run_.tail()[-1].at <= run_.end(), "nothing in the run is later than its end",
                    run_.end(), run_.size(), phase_);
  run_.seal();
  run_.begin();
  rest_.set_bound(run_.end());
}

/// Whether another small list, of `count` entries, is gathered into the run that has begun.
template <bool HasUser>
bool RunWheel<HasUser>::is_worth_adding(std::size_t count) const noexcept {
  return count <= k_insertion_sort && run_.size() + count <= k_enough + k_insertion_sort && count <= budget_.left();
}

/// Whether a list of `count` entries has to wait for the next go. The first of a go never does.
template <bool HasUser>
bool RunWheel<HasUser>::must_wait_for(std::size_t count) const noexcept {
  return count > budget_.left() && !budget_.is_whole();
}

/// Slots of the ring become the run: one, or as many small ones as make it worth while; or the first is split.
template <bool HasUser>
bool RunWheel<HasUser>::open_slots(std::uint64_t slot) {
  run_.clear();
  const std::uint64_t first = slot;
  std::size_t count = ring_.count_in(pool_, ring_.list_of(slot));
  if (count > most_gathered_) return split_slot(slot, count);
  if (must_wait_for(count)) return false;
  do {
    gather_slot(slot, count);
    if (run_.size() >= k_enough) break;
    slot = ring_.first_used_slot();
    if (slot - first >= k_group_slots) break;
    count = ring_.count_in(pool_, ring_.list_of(slot));
  } while (is_worth_adding(count));
  cascade();
  begin_run();
  return true;
}

template <bool HasUser>
void RunWheel<HasUser>::gather_slot(std::uint64_t slot, std::size_t count) {
  ChunkList& list = ring_.list_of(slot);
  const Instant base = ring_.begin_of(slot);
  if (count <= k_insertion_sort) {
    ring_.is_packed() ? gatherer_.template gather_few<Packed>(pool_, list, base, run_)
                      : gatherer_.template gather_few<Entry>(pool_, list, base, run_);
  } else {
    const bool has_removed = removed_ != 0;
    ring_.is_packed() ? gatherer_.template gather_many<Packed>(pool_, list, base, ring_.slot_bits(), has_removed, run_)
                      : gatherer_.template gather_many<Entry>(pool_, list, base, ring_.slot_bits(), has_removed, run_);
  }
  budget_.spend(count);
  ring_.mark_empty(slot);
  run_.set_end(ring_.end_of(slot));
  move_ring(run_.end());
}

/// The first sub-slot of the deepest rung that may have entries, or how many it has.
template <bool HasUser>
std::size_t RunWheel<HasUser>::first_sub_slot() const noexcept {
  const Rung& rung = rungs_.deepest();
  return std::min(rung.next_used(rung.index_of(run_.end())), rung.count);
}

/// Nothing in rungs is due before.
template <bool HasUser>
Instant RunWheel<HasUser>::begin_of_rungs() const noexcept {
  const Rung& rung = rungs_.deepest();
  const std::size_t first = first_sub_slot();
  return std::max(run_.end(), first == rung.count ? rung.end : rung.begin_of(first));
}

template <bool HasUser>
void RunWheel<HasUser>::close_deepest_rung() noexcept {
  run_.set_end(rungs_.deepest().end);
  rungs_.close_deepest();
  if (rungs_.depth() == 0) phase_ = Phase::ring;
}

/// The first sub-slots of the deepest rung become the run, as slots do in open_slots(); or the rung is empty, and
/// closed.
template <bool HasUser>
bool RunWheel<HasUser>::open_sub_slots() {
  Rung& rung = rungs_.deepest();
  run_.clear();
  std::size_t index = first_sub_slot();
  if (index == rung.count) {
    close_deepest_rung();
    begin_run();
    return true;
  }
  std::size_t count = count_of<Entry>(pool_, rung.lists[index]);
  if (count > most_gathered_) return rung.shift == 0 ? open_ties(index) : open_dense_sub_slot(index, count);
  if (must_wait_for(count)) return false;
  do {
    gather_sub_slot(rung, index, count);
    if (run_.size() >= k_enough) break;
    index = rung.next_used(index + 1);
    if (index >= rung.count) break;
    count = count_of<Entry>(pool_, rung.lists[index]);
  } while (is_worth_adding(count));
  begin_run();
  return true;
}

template <bool HasUser>
void RunWheel<HasUser>::gather_sub_slot(Rung& rung, std::size_t index, std::size_t count) {
  const Instant begin = rung.begin_of(index), end = rung.end_of(index);
  if (count <= k_insertion_sort) {
    gatherer_.template gather_few<Entry>(pool_, rung.lists[index], begin, run_);
  } else {
    const Instant last = std::max(end, begin + ((Instant{1} << rung.shift) - 1));
    const auto bits = static_cast<unsigned>(std::bit_width(last - begin));
    gatherer_.template gather_many<Entry>(pool_, rung.lists[index], begin, bits, removed_ != 0, run_);
  }
  budget_.spend(count);
  rung.mark_empty(index);
  run_.set_end(end);
}

/// All entries of the sub-slot are of one instant: as many as the run takes and the limit leaves become the run, in
/// whole chunks and at least one, in their order.
template <bool HasUser>
bool RunWheel<HasUser>::open_ties(std::size_t index) {
  if (budget_.left() == 0) return false;
  Rung& rung = rungs_.deepest();
  ChunkList& list = rung.lists[index];
  run_.set_end(rung.begin_of(index));
  gatherer_.gather_first(pool_, list, std::min(most_gathered_, budget_.left()), run_);
  budget_.spend(run_.size());
  if (list.is_empty()) {
    rung.mark_empty(index);
    run_.set_end(rung.end_of(index));
  }
  begin_run();
  return true;
}

/// A sub-slot of more entries than are sorted at once is split, or, when no rung is left, all rungs become one.
template <bool HasUser>
bool RunWheel<HasUser>::open_dense_sub_slot(std::size_t index, std::size_t count) {
  Rung& rung = rungs_.deepest();
  const Instant begin = rung.begin_of(index), end = rung.end_of(index);
  // The last sub-slot of a rung may hold entries of the rung's end.
  const Instant last = end == rung.end ? end : end - 1;
  if (!rungs_.can_add(begin, last)) {
    begin_run();
    collapse();
    return true;
  }
  rungs_.shape_next(begin, end, last, count);
  phase_ = Phase::splitting_sub_slot;
  split_ = {.list = &rung.lists[index], .index = index, .end = end};
  run_.set_end(begin);
  begin_run();
  return continue_split(budget_);
}

template <bool HasUser>
bool RunWheel<HasUser>::split_slot(std::uint64_t slot, std::size_t count) {
  const Instant begin = ring_.begin_of(slot), end = ring_.end_of(slot);
  rungs_.shape_next(begin, end, end - 1, count);
  phase_ = Phase::splitting_slot;
  split_ = {.list = &ring_.list_of(slot), .index = slot, .end = end};
  run_.set_end(begin);
  move_ring(begin);
  begin_run();
  return continue_split(budget_);
}

/// Moves entries of the list that is too dense to its rung, while `budget` lasts. False: there are more. Newcomers to
/// that list are still appended to it, so that they stay behind those.
template <bool HasUser>
bool RunWheel<HasUser>::continue_split(PreparationBudget& budget) {
  Rung& rung = rungs_.next();
  const bool is_of_slot = phase_ == Phase::splitting_slot;
  const auto move = [&, base = rung.base](const auto& stored) {
    const Entry entry = unpacked(stored, base);
    if (entry.event != nullptr) rung.push(pool_, entry);
  };
  const bool is_done = is_of_slot && ring_.is_packed() ? drain_within<Packed>(budget, pool_, *split_.list, move)
                                                       : drain_within<Entry>(budget, pool_, *split_.list, move);
  if (!is_done) return false;
  is_of_slot ? ring_.mark_empty(split_.index) : rungs_.deepest().mark_empty(split_.index);
  rungs_.open_next();
  phase_ = Phase::rungs;
  if (is_of_slot) {
    move_ring(split_.end);
    cascade();
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------------ removing

template <bool HasUser>
void RunWheel<HasUser>::erase(Instant at, Event* event) {
  ring_.unstage(pool_);
  if (at <= run_.end() && run_.erase(at, event)) return;
  const bool is_found = erase_from_lists(at, event);
  DOJIMA_ASSERT(is_found, "the entry of a timer is where its time says", at, ring_.from(), run_.end(), phase_);
  rest_.remove();
  if (++removed_ > most_removed_) drop_removed();
}

template <bool HasUser>
bool RunWheel<HasUser>::erase_from_lists(Instant at, Event* event) noexcept {
  const auto erase_from_rung = [&](Rung& rung) {
    return erase_entry<Entry>(pool_, rung.lists[rung.index_of(at)], at, event);
  };
  bool is_found = false;
  if (at >= ring_.from()) {
    is_found = ring_.covers(at) ? ring_.erase(pool_, at, event) : erase_from_far(at, event);
  } else {
    for (std::size_t rung = rungs_.depth(); rung-- > 0 && !is_found;) {
      if (at <= rungs_[rung].end) is_found = erase_from_rung(rungs_[rung]);
    }
  }
  if (is_found || phase_ == Phase::ring || phase_ == Phase::rungs) return is_found;
  return erase_from_rung(rungs_.next());
}

template <bool HasUser>
bool RunWheel<HasUser>::erase_from_far(Instant at, Event* event) noexcept {
  const std::uint64_t block = far_.block_of(at), frontier = far_.frontier();
  if (erase_entry<Entry>(pool_, far_.list_of(block, frontier), at, event)) return true;
  // While a far list cascades, its entries are where the next frontier puts them.
  if (block == frontier + 1) return ring_.erase(pool_, at, event);
  return erase_entry<Entry>(pool_, far_.list_of(block, frontier + 1), at, event);
}

/// Takes entries out of their lists that were only marked as removed.
template <bool HasUser>
void RunWheel<HasUser>::drop_removed() {
  erase_if([](const Event&) { return false; });
}

template <bool HasUser>
std::size_t RunWheel<HasUser>::bytes_in_use() const noexcept {
  return sizeof *this + pool_.touched() + ring_.bytes() + rungs_.bytes() + run_.bytes() + gatherer_.bytes();
}

template class RunWheel<false>;
template class RunWheel<true>;

}  // namespace dojima::sched
