#pragma once

// The run: the entries that are due next, sorted, in one array. Taken from the front; a newcomer is inserted behind
// its ties and moves whichever side is shorter. Behind the last entry is one that is never due, and so many
// without an event that the one to be prefetched always exists. No allocation after construction.
//
//        first_     head_                tail_        first_ + room_
//          |  spare   |  sorted entries    |  spare        |
//                      take()  ->          k_no_instant
//
// A caller that fills it writes from tail() on, calls grow_to(), and seal() at last: only then is the end marked.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::sched {

/// `Entry` has members `at` and `event`.
template <class Entry>
class Run {
 public:
  static constexpr std::size_t k_front = 16;  // spare places before the first entry, for newcomers
  static constexpr std::size_t k_most_ahead = 64;

  /// Places for `room` entries, k_front included; those before `end` belong here. Throws std::bad_alloc.
  Run(std::size_t room, std::size_t prefetch_ahead, Instant end)
      : prefetch_ahead_(prefetch_ahead),
        end_(end),
        room_(room),
        memory_(std::make_unique_for_overwrite<Entry[]>(room + k_most_ahead + 2)) {
    first_ = memory_.get();
    clear();
    seal();
  }

  /// The next entry, or the end mark.
  [[nodiscard]] const Entry& first() const noexcept { return *head_; }
  /// As first(), and it is gone; fetches the event that comes up a little later.
  [[nodiscard]] Entry take() noexcept {
    __builtin_prefetch(head_[prefetch_ahead_].event, 1);
    return *head_++;
  }

  [[nodiscard]] bool is_empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(tail_ - head_); }
  [[nodiscard]] Entry* head() noexcept { return head_; }
  [[nodiscard]] Entry* tail() noexcept { return tail_; }

  /// All pending entries before end() are in the run; in the run nothing is later.
  [[nodiscard]] Instant end() const noexcept { return end_; }
  void set_end(Instant end) noexcept { end_ = end; }

  /// Empty, and says so should it stay that way.
  void clear() noexcept {
    head_ = tail_ = first_ + k_front;
    tail_->at = k_no_instant;
  }
  /// What was written up to `tail` belongs to it.
  void grow_to(Entry* tail) noexcept { tail_ = tail; }
  /// Leaves the first `count` entries.
  void shrink_to(std::size_t count) noexcept { tail_ = head_ + count; }
  /// Sets the end mark.
  void seal() noexcept {
    tail_->at = k_no_instant;
    for (std::size_t ahead = 0; ahead <= prefetch_ahead_; ++ahead) tail_[ahead].event = nullptr;
  }
  /// Fetches the first events; from now on insertions are counted against a new limit.
  void begin() noexcept {
    for (std::size_t ahead = 0; ahead < prefetch_ahead_; ++ahead) __builtin_prefetch(head_[ahead].event, 1);
    moved_ = 0;
    spill_at_ = k_moves_per_entry * size() + k_free_moves;
  }

  /// Behind all entries that are not later. There is a place: the run is not full. O(log n), and moves half of them
  /// at most.
  void insert(const Entry& entry) noexcept;
  /// Removes an entry. False: there is none of this event and time. O(log n), and moves what is behind it.
  bool erase(Instant at, const Event* event) noexcept;

  [[nodiscard]] bool is_full() const noexcept { return tail_ == first_ + room_; }
  /// Whether moving entries for newcomers has cost more than to spill the run does.
  [[nodiscard]] bool is_spill_due() const noexcept { return moved_ > spill_at_; }
  void forget_moves() noexcept { moved_ = 0; }
  /// More than three quarters of the places are taken: move_to_front() would gain too little.
  [[nodiscard]] bool is_crowded() const noexcept { return size() > room_ - room_ / 4; }
  void move_to_front() noexcept {
    const std::size_t count = size();
    std::memmove(first_ + k_front, head_, count * sizeof(Entry));
    head_ = first_ + k_front;
    tail_ = head_ + count;
    seal();
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return (room_ + k_most_ahead + 2) * sizeof(Entry); }

 private:
  static constexpr std::size_t k_moves_per_entry = 16;
  static constexpr std::size_t k_free_moves = 1024;

  Entry* head_;  // the run is [head_, tail_)
  Entry* tail_;
  std::size_t prefetch_ahead_;
  Instant end_;
  std::size_t moved_ = 0;     // entries of this run moved by newcomers
  std::size_t spill_at_ = 0;  // when moved_ exceeds this, a spill is due
  Entry* first_;
  std::size_t room_;
  std::unique_ptr<Entry[]> memory_;
};

template <class Entry>
inline void Run<Entry>::insert(const Entry& entry) noexcept {
  Entry* place = head_;
  for (std::size_t left = size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    place = place[half - 1].at <= entry.at ? place + half : place;
    left -= half;
  }
  const auto before = static_cast<std::size_t>(place - head_), behind = static_cast<std::size_t>(tail_ - place);
  if (before < behind && head_ != first_) {
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

template <class Entry>
inline bool Run<Entry>::erase(Instant at, const Event* event) noexcept {
  const auto is_before = [](const Entry& entry, Instant time) { return entry.at < time; };
  Entry* place = std::lower_bound(head_, tail_, at, is_before);
  while (place != tail_ && place->at == at && place->event != event) ++place;
  if (place == tail_ || place->at != at) return false;
  std::memmove(place, place + 1, static_cast<std::size_t>(tail_ - place) * sizeof(Entry));
  --tail_;
  seal();
  return true;
}

}  // namespace dojima::sched
