#pragma once

// Events: what a scheduler fires. An `Event` may have any number of pending entries in any number of schedulers; it
// is pinned (entries hold its address) and must outlive them, which its destructor checks. A `Timer` belongs to one
// scheduler and has at most one entry, reserved when the timer is made, so arming it cannot fail; it may be destroyed
// at any time, also from inside its own callback. One thread.
//
//   struct Session { void on_heartbeat(Time due); TimerOf<&Session::on_heartbeat> heartbeat{scheduler, *this}; };

#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/time/time.hpp"

namespace dojima::sched {

using time::Time;

class Scheduler;

/// Aligned so that an address leaves its low bits to the containers that pack entries.
class alignas(16) Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Called when an entry is due. `due` is the entry's time (never before the scheduler's), `user` what was given
  /// with the entry; null where entries carry none. May schedule (also at `due`), cancel, arm and destroy timers.
  virtual void fire(Time due, void* user) = 0;

  /// How many entries are pending, over all schedulers.
  [[nodiscard]] std::uint32_t pending() const noexcept { return pending_; }

 protected:
  ~Event() { DOJIMA_ASSERT(pending_ == 0, "an event outlives its pending entries"); }

 private:
  friend class Scheduler;
  std::uint32_t pending_ = 0;
};

/// An event with at most one entry in one scheduler. Its place among equal times: a timer armed or moved to an earlier
/// time stands behind everything scheduled for that time before; a timer postponed (armed again for a later time while
/// armed) takes its place when the old entry comes up, behind everything scheduled until then.
class Timer : public Event {
 public:
  /// Reserves one entry. The scheduler must have room for one more (its capacity counts timers from their making).
  explicit Timer(Scheduler& scheduler);

  [[nodiscard]] bool is_armed() const noexcept { return deadline_ != time::k_never; }
  /// When it will fire; `k_never` when it is not armed.
  [[nodiscard]] Time deadline() const noexcept { return deadline_; }

  /// Fires at `at`, or at the scheduler's now() when that is past. Later than armed: one store; earlier: the old entry
  /// is moved. Arming at `k_never` disarms.
  void arm(Time at);
  void disarm();

 protected:
  ~Timer();

  /// Called once per arming, after the timer is disarmed, so that it may arm itself again.
  virtual void on_due(Time due) = 0;

 private:
  friend class Scheduler;
  void fire(Time due, void* user) final;

  Scheduler& scheduler_;
  Time deadline_ = time::k_never;    // when it shall fire
  std::uint32_t position_ = k_none;  // where its entry stands in the scheduler's heap
  static constexpr std::uint32_t k_none = 0xffffffff;
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
  TimerOf(Scheduler& scheduler, Owner& owner) : Timer(scheduler), owner_(owner) {}

 private:
  void on_due(Time due) override { (owner_.*Method)(due); }
  Owner& owner_;
};

}  // namespace dojima::sched
