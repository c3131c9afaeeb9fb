#pragma once

// What all schedulers share, whatever container holds their entries: time, counts, admission, the rules of timers, and
// tickets, by which one of several entries can be cancelled. A container never sees a rule: it only inserts and
// removes, and hands back what comes up. No allocation after construction; one thread.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::sched {

/// Names one entry for cancelling it. A handle whose entry has fired or was cancelled stays harmless for ever.
struct Handle {
  std::uint64_t generation = 0;  ///< 0: no entry
  std::uint32_t ticket = 0;

  /// Whether there was room for the entry.
  [[nodiscard]] explicit operator bool() const noexcept { return generation != 0; }
  friend bool operator==(const Handle&, const Handle&) = default;
};

/// Lies in a container in place of an entry that may be cancelled.
class Ticket final : public Event {
 public:
  Ticket() noexcept : Event(Kind::ticket) {}

 private:
  friend class SchedulerBase;
  void fire(Time due, void* user) override;

  Event* target_ = nullptr;  // null: cancelled, or free
  std::uint64_t generation_ = 0;
  std::uint32_t next_free_ = 0;
};

class SchedulerBase {
 public:
  SchedulerBase(const SchedulerBase&) = delete;
  SchedulerBase& operator=(const SchedulerBase&) = delete;

  /// The due time of the entry being fired; between checks the latest time checked.
  [[nodiscard]] Time now() const noexcept { return time_of(now_); }
  /// Entries that will fire.
  [[nodiscard]] std::size_t size() const noexcept { return events_ + armed_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// As Timer::arm and Timer::disarm.
  void arm(Timer& timer, Time at) { timer.arm(at); }
  void disarm(Timer& timer) noexcept { timer.disarm(); }

  struct Fired {
    std::size_t count;  ///< callbacks made
    bool is_drained;    ///< nothing due at or before `now` is left
  };

 protected:
  /// Room for `capacity` entries, timers included; of those of events, `cancellable` may have a handle. Throws
  /// std::bad_alloc.
  SchedulerBase(std::size_t capacity, std::size_t cancellable, Time start);
  ~SchedulerBase();

  /// The container's side. There is room: it was counted.
  virtual void insert(Instant at, Event& entry) = 0;
  /// Removes the only entry of that event, which is due at `at`.
  virtual void remove(Instant at, Event& entry) = 0;

  [[nodiscard]] bool has_room() const noexcept { return events_ + reserved_ < capacity_; }
  void admit(Event& event) noexcept {
    DOJIMA_CHECK_SLOW(has_room(), "an entry is admitted where there is room", events_, reserved_, capacity_);
    ++events_;
    ++event.pending_;
  }

  [[nodiscard]] bool has_ticket() const noexcept { return cancellable_ < tickets_.size() / 2; }
  /// Whether cancelled entries that are still stored hold all tickets: then they have to be removed from the container.
  /// As there are twice as many tickets as live entries that may have one, that is rare.
  [[nodiscard]] bool is_purge_due() const noexcept { return free_ticket_ == k_no_ticket; }
  /// A ticket for an entry of `event`, to be put into the container in its place. There is one.
  [[nodiscard]] Ticket& take_ticket(Event& event, Handle& handle) noexcept;
  [[nodiscard]] bool cancel_ticket(Handle handle) noexcept;
  /// For purging: whether an entry is that of a cancelled ticket; if so, the ticket is free again.
  [[nodiscard]] bool discard_if_cancelled(Event& event) noexcept;

  /// An entry of `event` left the container because its time `at` came. Whether that was a callback.
  bool come_up(Instant at, Event& event, void* user) {
    DOJIMA_CHECK_SLOW(at >= now_, "time never runs backwards from one entry to the next", at, now_);
    if (event.kind_ == Event::Kind::plain) [[likely]] {
      DOJIMA_CHECK_SLOW(event.pending_ > 0 && events_ > 0, "what fires was counted when it was scheduled",
                        event.pending_, events_);
      now_ = at;
      --event.pending_;
      --events_;
      event.fire(time_of(at), user);
      return true;
    }
    return come_up_by_rule(at, event, user);
  }
  /// Whether such an entry would come up without a callback.
  [[nodiscard]] static bool is_silent(Instant at, const Event& event) noexcept;
  /// The container goes, with this entry of `event` in it.
  void forget(Event& event) noexcept;

  Instant now_;

 private:
  friend class Timer;
  bool come_up_by_rule(Instant at, Event& event, void* user);
  void free_ticket(Ticket& ticket) noexcept;

  static constexpr std::uint32_t k_no_ticket = UINT32_MAX;

  std::size_t capacity_;
  std::size_t events_ = 0;    // entries of events, without cancelled ones
  std::size_t reserved_ = 0;  // timers alive: each keeps room for its entry
  std::size_t armed_ = 0;
  std::vector<Ticket> tickets_;
  std::uint32_t free_ticket_ = k_no_ticket;
  std::size_t cancellable_ = 0;  // entries of events that have a ticket, without cancelled ones
};

}  // namespace dojima::sched
