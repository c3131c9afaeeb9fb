#pragma once

// Who keeps time for the trading days of a partition: it submits `begin` when a day begins and `due` when the time of a
// phase is over, as commands like all others; the partition does the rest. Replay and recovery need no clock. A journal
// that is full is tried again at the end of every instant. One thread; scheduler and partition must outlive it.
//
//   DayClock clock(partition, scheduler, {.seed = 7});
//   clock.start(midnight);                      // of the present day; phases that are over are gone through at once
//   Loop loop(scheduler, pacer, sources = {&clock, &front, &fabric});

#include <cstdint>

#include "dojima/sched/event.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

class DayClock final : public sched::Source {
 public:
  /// Scheduler entries that a clock reserves.
  static constexpr std::size_t k_timers = 1;

  /// `seed`: of the random ends; every day has its own, which is in the command that begins it.
  DayClock(Partition& partition, sched::Scheduler& scheduler, std::uint64_t seed);

  /// The first day begins at its start_of_day, or at once when that is over. A partition that was recovered in the
  /// middle of this day goes on with it.
  void start(Time midnight);

  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  /// Looks whether commands have changed when the next phase is due.
  std::size_t finish(Time now) override;

 private:
  void on_due(Time due);
  void arm();
  [[nodiscard]] bool submit(market::DayEvent event, Time now);

  Partition& partition_;
  std::uint64_t seed_;
  Time midnight_ = time::k_never;  // of the day that begins next
  std::uint64_t seen_steps_ = 0;   // the partition's day steps when the timer was armed
  bool is_pending_ = false;        // a command found no room in the journal
  sched::TimerOf<&DayClock::on_due> timer_;
};

}  // namespace dojima::venue
