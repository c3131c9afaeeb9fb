#pragma once

// The scheduler: pending entries in time order, fired by `check`. Exact to the nanosecond; equal times fire in the
// order in which they were scheduled. Capacity is fixed at construction, nothing is allocated afterwards, a full
// scheduler refuses and changes nothing. Time never runs backwards: an entry for the past fires at the next check, in
// order. One thread; a check inside a callback is a programmer's error.
//
// The container is the run wheel (wheel/run_wheel.hpp): O(1) amortised, 8 bytes an entry where there are many, 16 up to
// 200,000. `UserScheduler` hands a pointer to each callback and lets entries be cancelled one by one, at 8 bytes more.
//
//   Scheduler scheduler(1000, start);
//   if (!scheduler.schedule(event, start + 5ms)) ...   // full
//   scheduler.check(now, 100);

#include <cstddef>

#include "dojima/sched/core/basic_scheduler.hpp"
#include "dojima/sched/run_wheel_shape.hpp"
#include "dojima/sched/wheel/run_wheel.hpp"

namespace dojima::sched {

extern template class BasicScheduler<RunWheel<false>>;
extern template class BasicScheduler<RunWheel<true>>;

class Scheduler final : public BasicScheduler<RunWheel<false>> {
 public:
  /// Room for `capacity` entries, timers included. `start` is the first now(). Throws std::bad_alloc.
  explicit Scheduler(std::size_t capacity, Time start = Time{})
      : Scheduler(capacity, start, RunWheelShape::for_capacity(capacity)) {}
  /// With a shape of one's own, e.g. a preparation limit for a live loop.
  Scheduler(std::size_t capacity, Time start, const RunWheelShape& shape);
};

class UserScheduler final : public BasicScheduler<RunWheel<true>> {
 public:
  /// Room for `capacity` entries, timers included; of these, `cancellable` may have a handle. Throws std::bad_alloc.
  explicit UserScheduler(std::size_t capacity, std::size_t cancellable = 0, Time start = Time{})
      : UserScheduler(capacity, cancellable, start, RunWheelShape::for_capacity(capacity)) {}
  UserScheduler(std::size_t capacity, std::size_t cancellable, Time start, const RunWheelShape& shape);
};

}  // namespace dojima::sched
