#pragma once

// Events: what a scheduler fires. An `Event` may have any number of pending entries in any number of schedulers; it
// is pinned (entries hold its address) and must outlive them, which its destructor checks. A `Timer` belongs to one
// scheduler and has at most one entry, reserved when the timer is made, so arming it cannot fail; it may be destroyed
// at any time, also from inside its own callback. One thread.
//
//   struct Session { void on_heartbeat(Time due); TimerOf<&Session::on_heartbeat> heartbeat{scheduler, *this}; };

#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/time/time.hpp"

namespace dojima::sched {

class SchedulerBase;

/// Aligned so that an address leaves its low bits to the containers that pack entries.
class alignas(16) Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Called when an entry is due. `due` is the entry's time (never before the scheduler's), `user` what was given
  /// with the entry; null where entries carry none. May schedule (also at `due`), cancel, arm and destroy timers, and
  /// destroy any event without pending entries, this one too.
  virtual void fire(Time due, void* user) = 0;

  /// How many entries are pending, over all schedulers.
  [[nodiscard]] std::uint32_t pending() const noexcept { return pending_; }

 protected:
  ~Event() { DOJIMA_ASSERT(pending_ == 0, "an event outlives its pending entries", pending_, kind_); }

 private:
  friend class SchedulerBase;
  friend class Timer;
  friend class Ticket;

  /// Whose rules an entry that comes up follows.
  enum class Kind : std::uint8_t { plain, timer, ticket };
  explicit Event(Kind kind) noexcept : kind_(kind) {}

  std::uint32_t pending_ = 0;
  Kind kind_ = Kind::plain;
};

/// An event with at most one entry in one scheduler. Postponing and disarming leave the entry where it is; the
/// timer's place among equal times follows from that (docs/sched.md):
///
///   armed with no entry pending    behind everything scheduled for that time before
///   armed for an earlier time      the pending entry goes, the new one is behind everything scheduled before
///   armed for the entry's time     keeps the entry's place
///   armed for a later time         takes its place when the pending entry comes up, behind what is scheduled by then
class Timer : public Event {
 public:
  /// Reserves one entry. The scheduler must have room for one more (its capacity counts timers from their making):
  /// throws std::length_error.
  explicit Timer(SchedulerBase& scheduler);

  [[nodiscard]] bool is_armed() const noexcept { return deadline_ != k_no_instant; }
  /// When it will fire; `k_never` when it is not armed.
  [[nodiscard]] Time deadline() const noexcept { return is_armed() ? time_of(deadline_) : time::k_never; }

  /// Fires at `at`, or at the scheduler's now() when that is past. Not earlier than the pending entry: one store;
  /// earlier: the entry is moved, in O(entries due about then). Arming at `k_never` disarms.
  void arm(Time at);
  /// One store.
  void disarm() noexcept;

 protected:
  ~Timer();

  /// Called once per arming, after the timer is disarmed, so that it may arm itself again.
  virtual void on_due(Time due) = 0;

 private:
  friend class SchedulerBase;
  void fire(Time due, void* user) final;

  SchedulerBase& scheduler_;
  Instant deadline_ = k_no_instant;  // when it shall fire
  Instant entry_ = k_no_instant;     // the time of its pending entry
};

namespace detail {
template <class T>
struct OwnerOf;
template <class Owner>
struct OwnerOf<void (Owner::*)(Time)> {
  using type = Owner;
};
template <class Owner>
struct OwnerOf<void (Owner::*)(Time) noexcept> {
  using type = Owner;
};
}  // namespace detail

/// A timer that calls `(owner.*Method)(due)`.
template <auto Method>
class TimerOf final : public Timer {
 public:
  using Owner = typename detail::OwnerOf<decltype(Method)>::type;
  TimerOf(SchedulerBase& scheduler, Owner& owner) : Timer(scheduler), owner_(owner) {}

 private:
  void on_due(Time due) override { (owner_.*Method)(due); }
  Owner& owner_;
};

}  // namespace dojima::sched
