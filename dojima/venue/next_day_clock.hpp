#pragma once

// When the numbers of a venue begin anew: every day at a time of the venue's own (Front::end_day). A day whose trading
// goes on longer ends when that is over. One thread; front and scheduler must outlive it.
//
//   NextDayClock clock(front, scheduler);
//   clock.start(now, midnight, 6h, began);   // at 06:00 every day; at once where the last time was missed

#include <cstddef>

#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/front.hpp"

namespace dojima::venue {

class NextDayClock {
 public:
  /// Scheduler entries that a clock reserves.
  static constexpr std::size_t k_timers = 1;

  NextDayClock(Front& front, sched::Scheduler& scheduler) : front_(front), timer_(scheduler, *this) {}

  /// From `now` on, each day at `at` since `midnight`, which is that of the present day. At once where the last such
  /// time was after `began`: when the present numbers began, or of a venue's first day the last command; the epoch:
  /// there was none.
  void start(Time now, Time midnight, Duration at, Time began);
  /// time::k_never: it was not started.
  [[nodiscard]] Time next() const noexcept { return next_; }

 private:
  void on_due(Time due);

  Front& front_;
  Time next_ = time::k_never;
  sched::TimerOf<&NextDayClock::on_due> timer_;
};

}  // namespace dojima::venue
