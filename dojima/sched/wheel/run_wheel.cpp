#include "dojima/sched/wheel/run_wheel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace dojima::sched {
namespace {

constexpr std::size_t k_bits_per_word = 64;
/// Room for the keys that are sorted, narrow or wide, and as spare.
constexpr std::size_t k_words_per_key = std::max<std::size_t>(2, (1 + k_narrow_spare + 1) / 2);

void set_bit(std::uint64_t* words, std::size_t index) noexcept {
  words[index / k_bits_per_word] |= std::uint64_t{1} << (index % k_bits_per_word);
}
void clear_bit(std::uint64_t* words, std::size_t index) noexcept {
  words[index / k_bits_per_word] &= ~(std::uint64_t{1} << (index % k_bits_per_word));
}

/// The first bit set at or behind `from`, or `count` (a multiple of 64).
std::size_t next_bit(const std::uint64_t* words, std::size_t from, std::size_t count) noexcept {
  if (from >= count) return count;
  std::size_t word = from / k_bits_per_word;
  std::uint64_t left = words[word] & (~std::uint64_t{0} << (from % k_bits_per_word));
  while (left == 0) {
    if (++word == count / k_bits_per_word) return count;
    left = words[word];
  }
  return word * k_bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
}

/// A rung in another is at least 2^(fan - 2) times finer, and the first may reach over all of time. Two more, for those
/// that stand before another instead of in it: collapse() is for when that is not enough. None where no list can be too
/// dense and no run long enough to be spilled.
std::size_t rungs_needed(const RunWheelShape& shape, std::size_t capacity, std::size_t most_gathered,
                         std::size_t spilled_from) noexcept {
  if (capacity <= most_gathered && capacity < spilled_from) return 0;
  constexpr unsigned k_bits_of_time = 63;
  const unsigned per_rung = shape.fan_bits - 2;
  return 1 + (k_bits_of_time - shape.fan_bits + per_rung - 1) / per_rung + 2;
}

/// Of wide entries, which are those of the run, that a list gives at once.
std::size_t most_in_chunk(const RunWheelShape& shape) noexcept {
  return shape.chunk_bytes / sizeof(RunEntry<false>);
}

void check_shape(const RunWheelShape& shape) noexcept {
  DOJIMA_ASSERT(shape.slot_bits >= 10 && shape.slot_bits <= 30, "slots of 1 us to 1 s");
  DOJIMA_ASSERT(!shape.is_packed || shape.slot_bits <= 20, "a packed entry has 20 bits for its place in the slot");
  DOJIMA_ASSERT(shape.block_bits >= 5 && shape.block_bits <= 14, "blocks of 32 to 16384 slots");
  DOJIMA_ASSERT(shape.slot_bits + shape.block_bits >= 16, "the far wheel reaches to the end of time");
  DOJIMA_ASSERT(shape.fan_bits >= 6 && shape.fan_bits <= 10, "rungs of 64 to 1024 sub-slots");
  DOJIMA_ASSERT(shape.address_bits > 4 && shape.address_bits <= 47, "a packed address has 43 bits");
  DOJIMA_ASSERT(shape.most_gathered >= 32 && shape.most_gathered <= k_most_keys, "what can be sorted at once");
  DOJIMA_ASSERT(shape.max_prepared >= 64, "a small slot is gathered in one go");
  DOJIMA_ASSERT(shape.prefetch_ahead <= 64, "the run ends with so many empty entries");
}

}  // namespace

RunWheelShape RunWheelShape::for_capacity(std::size_t capacity) noexcept {
  RunWheelShape shape;
  // What fits into a cache: wide entries in slots that hold some hundred of them, or as many as the bits of a key
  // allow.
  if (capacity <= 200'000) shape.is_packed = false;
  if (capacity <= 4096) {
    shape.slot_bits = 25;
    shape.block_bits = 6;
    shape.fan_bits = 6;
    if (capacity <= 256) shape.chunk_bytes = 128;
    shape.prefetch_ahead = 4;
  } else if (capacity <= 32'768) {
    shape.slot_bits = 23;
    shape.block_bits = 8;
    shape.fan_bits = 8;
    shape.prefetch_ahead = 4;
  } else if (capacity <= 200'000) {
    shape.slot_bits = 22;
    shape.block_bits = 9;
    shape.prefetch_ahead = 48;
  } else {
    shape.prefetch_ahead = 32;
    shape.is_staging = true;
  }
  if (capacity >= 4'000'000) {
    // Slots of 2^20 ns would hold more than can be sorted at once.
    shape.slot_bits = 18;
    shape.block_bits = 12;
  }
  return shape;
}

template <bool HasUser>
RunWheel<HasUser>::RunWheel(std::size_t capacity, Instant start, const RunWheelShape& shape)
    : ring_from_(start >> shape.slot_bits << shape.slot_bits),
      ring_mask_((std::size_t{2} << shape.block_bits) - 1),
      slot_bits_(shape.slot_bits),
      is_packed_(shape.is_packed),
      is_staging_(shape.is_staging),
      slot_mask_((Instant{1} << shape.slot_bits) - 1),
      unpackable_(~((std::uint64_t{1} << shape.address_bits) - 1) | 15),
      prefetch_ahead_(shape.prefetch_ahead),
      run_end_(ring_from_),
      // When the run is full, three quarters of it, more than what is due at one instant can be spilled.
      run_room_(k_front + 6 * k_kept + 2 * std::min(capacity, shape.most_gathered + most_in_chunk(shape))),
      most_removed_(capacity / 4 + 16),
      budget_(shape.max_prepared),
      max_prepared_(shape.max_prepared),
      most_gathered_(std::min(shape.most_gathered, shape.max_prepared)),
      gather_room_(std::min(capacity + 1, most_gathered_)),
      sort_(shape.sort),
      block_width_bits_(shape.slot_bits + shape.block_bits),
      fan_bits_(shape.fan_bits),
      rung_count_(rungs_needed(shape, capacity, most_gathered_, k_spilled_from)),
      pool_(shape.chunk_bytes,
            [&] {
              // At worst all entries are wide and every list has a chunk that is not full; and one chunk is drained
              // while what was in it is appended elsewhere.
              const std::size_t lists = ring_mask_ + 1 + (rung_count_ << fan_bits_) +
                                        FarWheel<Entry>::k_lists_per_level * FarWheel<Entry>::k_most_levels;
              const std::size_t entries = capacity + most_removed_ + 1;
              const std::size_t per_chunk = (shape.chunk_bytes - ChunkPool::k_header<Entry>) / sizeof(Entry);
              return entries / per_chunk + std::min(entries, lists) + 4;
            }()),
      far_(block_width_bits_, (ring_from_ >> block_width_bits_) + 1),
      lists_(ring_mask_ + 1 + (rung_count_ << fan_bits_)),
      used_(lists_.size() / k_bits_per_word),
      run_memory_(std::make_unique_for_overwrite<Entry[]>(run_room_ + k_most_ahead + 2)),
      gathered_(std::make_unique_for_overwrite<std::byte[]>(gather_room_ * sizeof(Entry))),
      keys_(std::make_unique_for_overwrite<std::uint64_t[]>(k_words_per_key * (gather_room_ + k_sort_slack))) {
  check_shape(shape);
  DOJIMA_ASSERT(rung_count_ <= k_most_rungs, "the shape's bounds give so many");
  ring_ = lists_.data();
  run_ = run_memory_.get();
  head_ = tail_ = run_ + k_front;
  for (Entry& waiting : stage_) waiting.event = nullptr;
  for (std::size_t rung = 0; rung < rung_count_; ++rung) {
    const std::size_t first = ring_mask_ + 1 + (rung << fan_bits_);
    rungs_[rung].lists = &lists_[first];
    rungs_[rung].used = &used_[first / k_bits_per_word];
  }
  set_ring_span();
  set_run_end();
}

// ------------------------------------------------------------------------------------------------------------- pushing

/// The last chunk of a list of the ring is full, or it has none.
template <bool HasUser>
void RunWheel<HasUser>::push_to_new_chunk(Instant at, Event* event, void* user) noexcept {
  const std::size_t index = static_cast<std::size_t>(at >> slot_bits_) & ring_mask_;
  set_bit(used_.data(), index);
  ChunkList& list = ring_[index];
  list.write = extend(pool_, list, is_packed_ ? ChunkPool::k_header<Packed> : ChunkPool::k_header<Entry>);
  push_to_ring(at, event, user);
}

template <bool HasUser>
void RunWheel<HasUser>::push_unpackable(Instant at, Event* event, void* user) noexcept {
  widen();
  push_to_ring(at, event, user);
}

template <bool HasUser>
void RunWheel<HasUser>::push_elsewhere(Instant at, Event* event, void* user) noexcept {
  const Entry entry(at, event, user);
  if (at >= ring_from_) {
    far_.push(pool_, entry);
  } else if (at < run_end_) {
    return push_to_run(entry);
  } else {
    std::size_t rung = depth_;
    while (at >= rungs_[--rung].end) DOJIMA_CHECK_SLOW(rung > 0, "the ring begins where the rungs end");
    push_to_rung(rungs_[rung], entry);
  }
  if (at < rest_next_) note(at);
}

template <bool HasUser>
void RunWheel<HasUser>::push_to_rung(Rung& rung, const Entry& entry) noexcept {
  const std::size_t index = rung.index_of(entry.at);
  append(pool_, rung.lists[index], entry);
  set_bit(rung.used, index);
}

template <bool HasUser>
void RunWheel<HasUser>::push_to_run(const Entry& entry) noexcept {
  if (moved_ > spill_at_ || tail_ == run_ + run_room_) [[unlikely]] {
    make_room_in_run();
    if (entry.at >= run_end_) return push_elsewhere(entry.at, entry.event, entry.user());
  }
  // Behind all that are not later.
  Entry* place = head_;
  for (std::size_t left = run_size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    place = place[half - 1].at <= entry.at ? place + half : place;
    left -= half;
  }
  const auto before = static_cast<std::size_t>(place - head_), behind = static_cast<std::size_t>(tail_ - place);
  if (before < behind && head_ != run_) {
    std::memmove(head_ - 1, head_, before * sizeof(Entry));
    --head_;
    place[-1] = entry;
    moved_ += before;
  } else {
    std::memmove(place + 1, place, (behind + 1) * sizeof(Entry));
    ++tail_;
    tail_[prefetch_ahead_].event = nullptr;
    *place = entry;
    moved_ += behind;
  }
}

/// The run has become full, or moving its entries has cost more than spilling them does.
template <bool HasUser>
void RunWheel<HasUser>::make_room_in_run() noexcept {
  unstage();
  if (moved_ > spill_at_ && spill()) return;
  moved_ = 0;
  if (tail_ != run_ + run_room_) return;
  const std::size_t count = run_size();
  if (count > run_room_ - run_room_ / 4) {
    [[maybe_unused]] const bool is_spilled = spill();
    DOJIMA_ASSERT(is_spilled, "more newcomers than are kept stand before the end of the run");
    return;
  }
  std::memmove(run_ + k_front, head_, count * sizeof(Entry));
  head_ = run_ + k_front;
  tail_ = head_ + count;
  set_run_end();
}

/// Leaves the first entries in the run and moves the others to sub-slots, where newcomers are appended.
template <bool HasUser>
bool RunWheel<HasUser>::spill() noexcept {
  const std::size_t count = run_size();
  if (count < k_spilled_from) return false;
  const Instant from = head_[k_kept - 1].at;
  if (from >= run_end_) return false;
  if (is_splitting_) {
    std::size_t unlimited = SIZE_MAX;
    continue_split(unlimited);
  }
  const bool is_last_at_end = tail_[-1].at >= run_end_;
  const Instant last = is_last_at_end ? run_end_ : run_end_ - 1;
  // Entries that were scheduled before the deepest rung when it was already open need another one.
  const bool is_fine_enough = depth_ > 0 && from >= rungs_[depth_ - 1].base &&
                              (rungs_[depth_ - 1].shift == 0 || (run_end_ - from) >> rungs_[depth_ - 1].shift >= 4);
  if (!is_fine_enough) {
    if (!can_add_rung(from, last)) {
      collapse();
      return true;
    }
    shape_rung(rungs_[depth_], from, run_end_, last, count);
    ++depth_;
  }
  Rung& rung = rungs_[depth_ - 1];
  // Entries of the run's last instant were scheduled before those of it that still stand in a list.
  ChunkList later;
  if (is_fine_enough && is_last_at_end) later = std::exchange(rung.lists[rung.index_of(run_end_)], ChunkList{});
  for (const Entry* at = head_ + k_kept; at != tail_; ++at) push_to_rung(rung, *at);
  drain<Entry>(pool_, later, [&](const Entry& entry) { push_to_rung(rung, entry); });
  tail_ = head_ + k_kept;
  run_end_ = from;
  finish_opening();
  return true;
}

// ------------------------------------------------------------------------------------------------------------- opening

template <bool HasUser>
void RunWheel<HasUser>::set_run_end() noexcept {
  tail_->at = k_no_instant;
  for (std::size_t ahead = 0; ahead <= prefetch_ahead_; ++ahead) tail_[ahead].event = nullptr;
}

/// The run is empty, and says so should it stay that way.
template <bool HasUser>
void RunWheel<HasUser>::begin_opening() noexcept {
  head_ = tail_ = run_ + k_front;
  tail_->at = k_no_instant;
}

/// The run stands: nothing else is due before its end.
template <bool HasUser>
void RunWheel<HasUser>::finish_opening() noexcept {
  set_run_end();
  for (std::size_t ahead = 0; ahead < prefetch_ahead_; ++ahead) __builtin_prefetch(head_[ahead].event, 1);
  moved_ = 0;
  spill_at_ = 16 * run_size() + 1024;
  rest_next_ = run_end_;
  is_rest_exact_ = false;
}

/// Whether another rung, for [base, last], can tell all its instants apart with those that may follow.
template <bool HasUser>
bool RunWheel<HasUser>::can_add_rung(Instant base, Instant last) const noexcept {
  return depth_ < rung_count_ && static_cast<unsigned>(std::bit_width(last - base)) <= bits_below() + fan_bits_;
}

/// All that stands before the ring moves to one rung, but for the first of the run. O(all before the ring): only after
/// newcomers came before what was open, and before those again, more often than there are rungs.
template <bool HasUser>
void RunWheel<HasUser>::collapse() noexcept {
  DOJIMA_CHECK_SLOW(!is_splitting_ && depth_ > 0, "a split is finished before");
  const std::size_t kept = std::min(run_size(), k_kept);
  ChunkList all;
  std::size_t count = 0;
  const auto take = [&](const Entry& entry) {
    if (entry.event == nullptr) return;
    append(pool_, all, entry);
    ++count;
  };
  // Entries of one instant that stand in several places stand there in this order.
  for (const Entry* at = head_ + kept; at != tail_; ++at) take(*at);
  for (std::size_t rung = depth_; rung-- > 0;) {
    for (std::size_t index = 0; index < rungs_[rung].count; ++index)
      drain<Entry>(pool_, rungs_[rung].lists[index], take);
    std::fill_n(rungs_[rung].used, (rungs_[rung].count + k_bits_per_word - 1) / k_bits_per_word, std::uint64_t{0});
  }
  if (kept < run_size()) run_end_ = head_[kept].at;
  tail_ = head_ + kept;
  depth_ = 0;
  shape_rung(rungs_[0], run_end_, ring_from_, ring_from_ - 1, count);
  depth_ = 1;
  drain<Entry>(pool_, all, [&](const Entry& entry) { push_to_rung(rungs_[0], entry); });
  spend(count);
  finish_opening();
}

/// For entries of [base, last]; `end` is where it hands over.
template <bool HasUser>
void RunWheel<HasUser>::shape_rung(Rung& rung, Instant base, Instant end, Instant last, std::size_t expected) noexcept {
  const auto bits = static_cast<unsigned>(std::bit_width(last - base));
  const unsigned below = bits_below();
  unsigned fan = std::clamp(static_cast<unsigned>(std::bit_width(expected / 32)), 4U, fan_bits_);
  if (bits > below) fan = std::max(fan, bits - below);  // so that the last rung tells nanoseconds apart
  fan = std::min({fan, fan_bits_, bits});
  rung.base = base;
  rung.end = end;
  rung.shift = bits - fan;
  rung.count = static_cast<std::size_t>((last - base) >> rung.shift) + 1;
}

template <bool HasUser>
template <class Stored>
void RunWheel<HasUser>::gather_few(ChunkList& list, Instant base) {
  Entry* const first = tail_;
  drain<Stored>(pool_, list, [&](const Stored& stored) {
    const Entry entry = unpack(stored, base);
    if (entry.event == nullptr) return;
    Entry* at = tail_;
    for (; at != first && at[-1].at > entry.at; --at) *at = at[-1];
    *at = entry;
    ++tail_;
  });
}

template <bool HasUser>
template <class Stored, class Key>
void RunWheel<HasUser>::gather_sorted(ChunkList& list, Instant base, unsigned bits, unsigned position_bits, Key* keys,
                                      Key* spare) {
  auto* const gathered = reinterpret_cast<Stored*>(gathered_.get());
  std::size_t count = 0;
  const bool has_removed = removed_ != 0;
  drain<Stored>(pool_, list, [&](const Stored& stored) {
    ::new (static_cast<void*>(gathered + count)) Stored(stored);
    Key offset;
    if constexpr (std::is_same_v<Stored, Packed>) {
      offset = static_cast<Key>(stored.word >> k_address_bits);
    } else {
      offset = static_cast<Key>(stored.at - base);
    }
    keys[count] = static_cast<Key>(offset << position_bits | static_cast<Key>(count));
    ++count;
    if (has_removed && unpack(stored, base).event == nullptr) --count;
  });
  const Key* const sorted = sort_keys(keys, spare, count, bits, position_bits, sort_);
  const Key position_mask = static_cast<Key>((Key{1} << position_bits) - 1);
  for (std::size_t i = 0; i < count; ++i) tail_[i] = unpack(gathered[sorted[i] & position_mask], base);
  tail_ += count;
}

template <bool HasUser>
template <class Stored>
void RunWheel<HasUser>::gather_many(ChunkList& list, Instant base, unsigned bits) {
  const std::size_t half = gather_room_ + k_sort_slack;
  const auto position_bits = static_cast<unsigned>(std::bit_width(count_of<Stored>(pool_, list) - 1));
  if (bits + position_bits <= 32) {
    auto* const keys = reinterpret_cast<std::uint32_t*>(keys_.get());
    gather_sorted<Stored>(list, base, bits, position_bits, keys, keys + half);
  } else {
    gather_sorted<Stored>(list, base, bits, position_bits, keys_.get(), keys_.get() + half);
  }
}

/// All entries of the list are of one instant: as many as the run takes and the limit leaves, in whole chunks and at
/// least one, in the order they stand in.
template <bool HasUser>
void RunWheel<HasUser>::gather_first_of_ties(ChunkList& list) {
  const std::size_t per_chunk = pool_.entries_per_chunk<Entry>();
  const std::size_t most = std::min(most_gathered_, budget_);
  do {
    drain_chunk<Entry>(pool_, list, [&](const Entry& entry) {
      *tail_ = entry;
      tail_ += entry.event != nullptr ? 1 : 0;
    });
  } while (!list.is_empty() && run_size() + per_chunk <= most);
}

/// The first sub-slot of the deepest rung that may have entries, or how many it has.
template <bool HasUser>
std::size_t RunWheel<HasUser>::first_of_rung() const noexcept {
  const Rung& rung = rungs_[depth_ - 1];
  const std::size_t words = (rung.count + k_bits_per_word - 1) / k_bits_per_word * k_bits_per_word;
  return std::min(next_bit(rung.used, rung.index_of(run_end_), words), rung.count);
}

/// Where that begins, or the rung ends.
template <bool HasUser>
Instant RunWheel<HasUser>::begin_of_rung() const noexcept {
  const Rung& rung = rungs_[depth_ - 1];
  const std::size_t first = first_of_rung();
  return first == rung.count ? rung.end : rung.base + (static_cast<Instant>(first) << rung.shift);
}

/// The first sub-slots of the deepest rung become the run. False: the limit for one go is used up.
template <bool HasUser>
bool RunWheel<HasUser>::open_rung() {
  Rung& rung = rungs_[depth_ - 1];
  const std::size_t words = (rung.count + k_bits_per_word - 1) / k_bits_per_word * k_bits_per_word;
  begin_opening();
  const std::size_t first = first_of_rung();
  if (first == rung.count) {
    run_end_ = rung.end;
    --depth_;
    finish_opening();
    return true;
  }
  for (std::size_t index = first; index < rung.count; index = next_bit(rung.used, index + 1, words)) {
    ChunkList& list = rung.lists[index];
    const std::size_t count = count_of<Entry>(pool_, list);
    const Instant begin = rung.base + (static_cast<Instant>(index) << rung.shift);
    const Instant end = index + 1 == rung.count ? rung.end : begin + (Instant{1} << rung.shift);
    if (index != first && (count > k_insertion_sort || run_size() + count > k_enough + k_insertion_sort)) break;
    if (count > most_gathered_) {
      if (rung.shift != 0) {
        const bool may_hold_end = end == rung.end;
        if (can_add_rung(begin, may_hold_end ? end : end - 1)) {
          begin_split(list, begin, end, count, false);
          return continue_split(budget_);
        }
        finish_opening();
        collapse();
        return true;
      }
      if (budget_ == 0) return false;
      run_end_ = begin;
      gather_first_of_ties(list);
      spend(run_size());
      if (list.is_empty()) {
        clear_bit(rung.used, index);
        run_end_ = end;
      }
      break;
    }
    if (count > budget_) {
      if (index != first) break;
      if (budget_ < max_prepared_) return false;
    }
    if (count <= k_insertion_sort) {
      gather_few<Entry>(list, begin);
    } else {
      const Instant last = std::max(end, begin + ((Instant{1} << rung.shift) - 1));
      gather_many<Entry>(list, begin, static_cast<unsigned>(std::bit_width(last - begin)));
    }
    spend(count);
    clear_bit(rung.used, index);
    run_end_ = end;
    if (run_size() >= k_enough) break;
  }
  finish_opening();
  return true;
}

/// Slots of the ring become the run: one, or as many small ones as make it worth while. False: the limit for one go is
/// used up.
template <bool HasUser>
bool RunWheel<HasUser>::open_ring(std::uint64_t slot) {
  begin_opening();
  const std::uint64_t first = slot;
  for (;;) {
    const std::size_t index = static_cast<std::size_t>(slot) & ring_mask_;
    ChunkList& list = ring_[index];
    const std::size_t count = is_packed_ ? count_of<Packed>(pool_, list) : count_of<Entry>(pool_, list);
    const Instant base = slot << slot_bits_;
    if (slot == first) {
      if (count > most_gathered_) {
        run_end_ = base;
        set_ring_from(base);
        begin_split(list, base, base + slot_mask_ + 1, count, true);
        return continue_split(budget_);
      }
      if (count > budget_ && budget_ < max_prepared_) return false;
    } else if (count > k_insertion_sort || run_size() + count > k_enough + k_insertion_sort || count > budget_) {
      break;
    }
    if (count <= k_insertion_sort) {
      is_packed_ ? gather_few<Packed>(list, base) : gather_few<Entry>(list, base);
    } else {
      is_packed_ ? gather_many<Packed>(list, base, slot_bits_) : gather_many<Entry>(list, base, slot_bits_);
    }
    spend(count);
    clear_bit(used_.data(), index);
    run_end_ = base + slot_mask_ + 1;
    set_ring_from(run_end_);
    if (run_size() >= k_enough) break;
    slot = first_used_slot();
    if (slot - first >= k_group_slots) break;
  }
  pour_to(block_of(ring_from_) + 1);
  finish_opening();
  return true;
}

template <bool HasUser>
void RunWheel<HasUser>::begin_split(ChunkList& list, Instant base, Instant end, std::size_t count,
                                    bool is_of_ring) noexcept {
  // The last sub-slot of a rung may hold entries of the rung's end.
  const bool may_hold_end = !is_of_ring && end == rungs_[depth_ - 1].end;
  shape_rung(rungs_[depth_], base, end, may_hold_end ? end : end - 1, count);
  is_splitting_ = true;
  is_split_of_ring_ = is_of_ring;
  split_list_ = &list;
  split_end_ = end;
  run_end_ = base;
  finish_opening();
}

/// Moves at most `budget` entries of the slot that is too dense to its rung. False: there are more. Newcomers to that
/// slot still go to its list, so that they stay behind those.
template <bool HasUser>
bool RunWheel<HasUser>::continue_split(std::size_t& budget) {
  Rung& rung = rungs_[depth_];
  const auto move = [&]<class Stored>() {
    const Instant base = rung.base;
    while (!split_list_->is_empty()) {
      if (budget == 0) return false;
      std::size_t moved = 0;
      drain_chunk<Stored>(pool_, *split_list_, [&](const Stored& stored) {
        ++moved;
        const Entry entry = unpack(stored, base);
        if (entry.event != nullptr) push_to_rung(rung, entry);
      });
      budget -= moved < budget ? moved : budget;
      prepared_ += moved;
    }
    return true;
  };
  const bool is_done =
      is_split_of_ring_ && is_packed_ ? move.template operator()<Packed>() : move.template operator()<Entry>();
  if (!is_done) return false;
  is_splitting_ = false;
  const auto index = static_cast<std::size_t>(split_list_ - lists_.data());
  clear_bit(used_.data(), index);
  ++depth_;
  if (is_split_of_ring_) {
    set_ring_from(split_end_);
    pour_to(block_of(ring_from_) + 1);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------------ the ring

template <bool HasUser>
void RunWheel<HasUser>::set_ring_span() noexcept {
  const Instant end = (far_.frontier() + 1) << block_width_bits_;
  ring_span_ = end > ring_from_ ? end - ring_from_ : 0;
}

template <bool HasUser>
void RunWheel<HasUser>::set_ring_from(Instant from) noexcept {
  ring_from_ = from;
  set_ring_span();
}

/// The first slot of the ring that may have entries; k_no_instant: none.
template <bool HasUser>
std::uint64_t RunWheel<HasUser>::first_used_slot() const noexcept {
  const std::size_t count = ring_mask_ + 1;
  const std::uint64_t first = ring_from_ >> slot_bits_;
  const std::size_t from = static_cast<std::size_t>(first) & ring_mask_;
  std::size_t found = next_bit(used_.data(), from, count);
  if (found == count) found = next_bit(used_.data(), 0, count);
  if (found == count) return k_no_instant;
  const std::uint64_t slot = first + ((found - from) & ring_mask_);
  return (slot << slot_bits_) - ring_from_ < ring_span_ ? slot : k_no_instant;
}

/// Moves the far wheel's frontier to `block`, entries up to there into the ring. False: the limit for one go is used
/// up; until it is done, newcomers of the next block still go to the far wheel, behind what stands there.
template <bool HasUser>
bool RunWheel<HasUser>::pour_to(std::uint64_t block) {
  bool is_done = true;
  while (far_.frontier() < block && is_done) {
    const std::uint64_t first = far_.first_block();
    if (first > block) {
      far_.leap(block);
      break;
    }
    if (first - 1 > far_.frontier()) far_.leap(first - 1);
    is_done = far_.advance(pool_, budget_, prepared_, [&](const Entry& entry) {
      if (entry.event != nullptr) push_to_ring(entry.at, entry.event, entry.user());
    });
  }
  set_ring_span();
  return is_done;
}

/// Nothing is due up to `limit`: the ring begins with the slot of it.
template <bool HasUser>
void RunWheel<HasUser>::catch_up(Instant limit) {
  const Instant from = limit & ~slot_mask_;
  if (from <= ring_from_) return;
  run_end_ = from;
  set_ring_from(from);
  pour_to(block_of(from) + 1);
}

template <bool HasUser>
Readiness RunWheel<HasUser>::prepare_run(Instant limit) {
  unstage();
  for (;;) {
    if (head_ != tail_) return head_->at <= limit ? Readiness::due : Readiness::none;
    if (is_splitting_) {
      if (!continue_split(budget_)) return run_end_ <= limit ? Readiness::busy : Readiness::none;
      continue;
    }
    if (depth_ > 0) {
      // What begins later stays as it is: newcomers before it are appended to sub-slots instead of inserted.
      const Instant begin = std::max(run_end_, begin_of_rung());
      if (begin > limit) {
        if (!is_rest_exact_) rest_next_ = std::max(rest_next_, begin);
        return Readiness::none;
      }
      if (!open_rung()) return Readiness::busy;
      continue;
    }
    const bool is_poured = pour_to(block_of(ring_from_) + 1);
    const std::uint64_t slot = first_used_slot();
    if (slot != k_no_instant && slot << slot_bits_ <= limit) {
      if (!open_ring(slot)) return Readiness::busy;
      continue;
    }
    if (slot == k_no_instant && !is_poured && ring_from_ + ring_span_ <= limit) return Readiness::busy;
    Instant next = slot << slot_bits_;
    if (slot == k_no_instant) {
      next = ring_from_ + ring_span_;
      if (is_poured) {
        const std::uint64_t block = far_.first_block();
        if (block <= block_of(limit)) {
          run_end_ = block << block_width_bits_;
          set_ring_from(run_end_);
          continue;
        }
        next = block == FarWheel<Entry>::k_no_block ? k_no_instant : block << block_width_bits_;
      }
    }
    catch_up(limit);
    if (!is_rest_exact_) rest_next_ = std::max(rest_next_, next);
    return Readiness::none;
  }
}

template <bool HasUser>
Instant RunWheel<HasUser>::find_next() {
  unstage();
  for (;;) {
    if (head_ != tail_) return head_->at;
    if (is_rest_exact_) return rest_next_;
    if (is_splitting_) {
      if (!continue_split(budget_)) return run_end_;
      continue;
    }
    if (depth_ > 0) {
      Rung& rung = rungs_[depth_ - 1];
      const std::size_t first = first_of_rung();
      const std::size_t count = first == rung.count ? 0 : count_of<Entry>(pool_, rung.lists[first]);
      if (count <= most_gathered_) {
        if (!open_rung()) return run_end_;
        continue;
      }
      // Not split ahead of its time, but looked through.
      if (count > max_prepared_) return std::max(run_end_, begin_of_rung());
      const Instant earliest = earliest_of(rung.lists[first]);
      earliest == k_no_instant ? drop_removed() : note(earliest);
      continue;
    }
    const bool is_poured = pour_to(block_of(ring_from_) + 1);
    const std::uint64_t slot = first_used_slot();
    if (slot == k_no_instant) {
      if (!is_poured) return ring_from_ + ring_span_;
      const ChunkList* const list = far_.first_list();
      const Instant earliest = list == nullptr ? k_no_instant : earliest_of(*list);
      if (list != nullptr && earliest == k_no_instant) {
        drop_removed();
        continue;
      }
      note(earliest);
      continue;
    }
    const std::size_t index = static_cast<std::size_t>(slot) & ring_mask_;
    const std::size_t count = is_packed_ ? count_of<Packed>(pool_, ring_[index]) : count_of<Entry>(pool_, ring_[index]);
    // A slot that comes next is sorted ahead of its time. A later one is only looked through: were it opened, all that
    // is scheduled before it would have to be inserted into the run.
    if (slot - (ring_from_ >> slot_bits_) <= 1 && count <= most_gathered_) {
      if (!open_ring(slot)) return slot << slot_bits_;
      continue;
    }
    if (count > max_prepared_) return slot << slot_bits_;
    const Instant earliest = earliest_of_ring_list(slot);
    if (earliest == k_no_instant) {
      ring_[index].is_empty() ? clear_bit(used_.data(), index) : drop_removed();
      continue;
    }
    note(earliest);
  }
}

/// An event's address does not fit: from now on the ring holds wide entries. Once in the life of a wheel, O(all); the
/// memory for it was counted.
template <bool HasUser>
void RunWheel<HasUser>::widen() noexcept {
  for (std::size_t index = 0; index <= ring_mask_; ++index) {
    const Instant base = base_of_ring_list(index);
    ChunkList packed = std::exchange(ring_[index], ChunkList{});
    drain<Packed>(pool_, packed, [&](const Packed& entry) { append(pool_, ring_[index], unpack(entry, base)); });
  }
  is_packed_ = false;
}

template <bool HasUser>
Instant RunWheel<HasUser>::base_of_ring_list(std::size_t index) const noexcept {
  const std::uint64_t first = ring_from_ >> slot_bits_;
  return (first + ((index - static_cast<std::size_t>(first)) & ring_mask_)) << slot_bits_;
}

// ------------------------------------------------------------------------------------------------------------ removing

template <bool HasUser>
void RunWheel<HasUser>::erase(Instant at, Event* event) {
  unstage();
  if (at <= run_end_ && erase_from_run(at, event)) return;
  bool is_found = false;
  if (at < ring_from_) {
    for (std::size_t rung = depth_; rung-- > 0 && !is_found;) {
      if (at <= rungs_[rung].end) is_found = erase_from_list(rungs_[rung].lists[rungs_[rung].index_of(at)], at, event);
    }
  } else if (at - ring_from_ < ring_span_) {
    is_found = erase_from_ring(at, event);
  } else {
    const std::uint64_t block = block_of(at), frontier = far_.frontier();
    is_found = erase_from_list(far_.list_of(block, frontier), at, event);
    // While a far list is being poured, its entries stand where the next frontier puts them.
    if (!is_found && block == frontier + 1) {
      is_found = erase_from_ring(at, event);
    } else if (!is_found) {
      is_found = erase_from_list(far_.list_of(block, frontier + 1), at, event);
    }
  }
  if (!is_found && is_splitting_) {
    is_found = erase_from_list(rungs_[depth_].lists[rungs_[depth_].index_of(at)], at, event);
  }
  DOJIMA_ASSERT(is_found, "a timer knows where its entry stands");
  is_rest_exact_ = false;
  if (++removed_ > most_removed_) drop_removed();
}

template <bool HasUser>
bool RunWheel<HasUser>::erase_from_run(Instant at, Event* event) noexcept {
  const auto is_before = [](const Entry& entry, Instant time) { return entry.at < time; };
  Entry* place = std::lower_bound(head_, tail_, at, is_before);
  while (place != tail_ && place->at == at && place->event != event) ++place;
  if (place == tail_ || place->at != at) return false;
  std::memmove(place, place + 1, static_cast<std::size_t>(tail_ - place) * sizeof(Entry));
  --tail_;
  set_run_end();
  return true;
}

template <bool HasUser>
bool RunWheel<HasUser>::erase_from_list(ChunkList& list, Instant at, Event* event) noexcept {
  return any_of<Entry>(pool_, list, [&](Entry& entry) {
    if (entry.event != event || entry.at != at) return false;
    entry.event = nullptr;
    return true;
  });
}

template <bool HasUser>
bool RunWheel<HasUser>::erase_from_ring(Instant at, Event* event) noexcept {
  ChunkList& list = ring_[static_cast<std::size_t>(at >> slot_bits_) & ring_mask_];
  if (!is_packed_) return erase_from_list(list, at, event);
  const std::uint64_t word = (at & slot_mask_) << k_address_bits | reinterpret_cast<std::uintptr_t>(event) >> 4;
  return any_of<Packed>(pool_, list, [&](Packed& entry) {
    if (entry.word != word) return false;
    entry.word &= ~k_address_mask;
    return true;
  });
}

template <bool HasUser>
void RunWheel<HasUser>::drop_removed() {
  erase_if([](const Event&) { return false; });
}

template <bool HasUser>
Instant RunWheel<HasUser>::earliest_of(const ChunkList& list) const noexcept {
  Instant earliest = k_no_instant;
  any_of<Entry>(pool_, list, [&](const Entry& entry) {
    if (entry.event != nullptr) earliest = std::min(earliest, entry.at);
    return false;
  });
  return earliest;
}

template <bool HasUser>
Instant RunWheel<HasUser>::earliest_of_ring_list(std::uint64_t slot) const noexcept {
  const ChunkList& list = ring_[static_cast<std::size_t>(slot) & ring_mask_];
  if (!is_packed_) return earliest_of(list);
  Instant earliest = k_no_instant;
  any_of<Packed>(pool_, list, [&](const Packed& packed) {
    const Entry entry = unpack(packed, slot << slot_bits_);
    if (entry.event != nullptr) earliest = std::min(earliest, entry.at);
    return false;
  });
  return earliest;
}

template <bool HasUser>
std::size_t RunWheel<HasUser>::bytes_in_use() const noexcept {
  return sizeof *this + pool_.touched() + lists_.size() * sizeof(ChunkList) + used_.size() * sizeof(used_[0]) +
         (run_room_ + k_most_ahead + 2 + gather_room_) * sizeof(Entry) +
         k_words_per_key * (gather_room_ + k_sort_slack) * sizeof(std::uint64_t);
}

template class RunWheel<false>;
template class RunWheel<true>;

}  // namespace dojima::sched
