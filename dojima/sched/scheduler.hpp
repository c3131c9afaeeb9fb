#pragma once

// The scheduler: pending entries in time order, fired by `check`. Exact to the nanosecond; equal times fire in the
// order in which they were scheduled. Capacity is fixed at construction, nothing is allocated afterwards, a full
// scheduler refuses and changes nothing. Time never runs backwards: an entry for the past fires at the next check, in
// order. One thread; a check inside a callback is a programmer's error.
//
// The container is a 4-ary heap over (time, order of scheduling): O(log n) per schedule, fire and cancel.
//
//   Scheduler scheduler(1000, start);
//   if (!scheduler.schedule(event, start + 5ms)) ...   // full
//   scheduler.check(now, 100);

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/sched/event.hpp"
#include "dojima/time/time.hpp"

namespace dojima::sched {

class Scheduler {
 public:
  /// Room for `capacity` entries, timers included. `start` is the first now(). Throws std::bad_alloc.
  explicit Scheduler(std::size_t capacity, Time start = Time{});
  ~Scheduler();

  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// One more entry for `event`. False: full, nothing changed. A past `at` means now().
  [[nodiscard]] bool schedule(Event& event, Time at);

  /// As Timer::arm and Timer::disarm.
  void arm(Timer& timer, Time at);
  void disarm(Timer& timer);

  /// The due time of the entry being fired; between checks the latest time checked.
  [[nodiscard]] Time now() const noexcept { return now_; }
  /// When the next entry is due; `k_never` when there is none. A postponed timer counts with its old entry.
  [[nodiscard]] Time next_due() const noexcept { return entries_.empty() ? time::k_never : entries_.front().at; }

  struct Fired {
    std::size_t count;  ///< callbacks made
    bool is_drained;    ///< nothing due at or before `now` is left
  };

  /// Fires what is due at or before `now`, in order, at most `max_events` entries. An earlier `now` than before fires
  /// nothing new. Callbacks may schedule at now(): such an entry fires in the same check, behind existing ties.
  Fired check(Time now, std::size_t max_events);

  /// Pending entries.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  friend class Timer;

  struct Entry {
    Time at;
    std::uint64_t order;  // of scheduling: FIFO among equal times
    Event* event;
    Timer* timer;  // the same object when the event is a timer, else null
    [[nodiscard]] bool is_before(const Entry& other) const noexcept {
      return at != other.at ? at < other.at : order < other.order;
    }
  };

  void reserve(Timer& timer);
  void release(Timer& timer);
  void push(Entry entry);
  void remove_at(std::size_t position);
  void place(std::size_t position, const Entry& entry) noexcept;
  void sift_up(std::size_t position, Entry entry) noexcept;
  void sift_down(std::size_t position, Entry entry) noexcept;

  std::vector<Entry> entries_;
  std::size_t capacity_;
  std::size_t reserved_ = 0;  // timers alive: each keeps room for its entry
  std::size_t events_ = 0;    // entries of plain events
  std::uint64_t next_order_ = 0;
  Time now_;
  bool is_firing_ = false;
};

}  // namespace dojima::sched
