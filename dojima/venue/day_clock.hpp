#pragma once

// Who keeps time for a partition: it submits `begin` when a trading day begins, `due` when the time of a phase is over,
// `Expire` when orders expire or, where no timetable does it, the day of day orders ends, and `Slice` while orders are
// ending that are too many for one turn (PartitionConfig::slice): commands like all others,
// at the time when they are due and before any input of that instant; the partition does the rest. Replay and recovery
// need no clock. A journal that is full is tried again at the end of every instant. One thread; scheduler and partition
// must outlive it.
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

  /// From now on day orders of instruments without a timetable expire every day at this time since `midnight`, which is
  /// that of the present day; at once where the partition's last command was before the last such time.
  void end_days_at(Time midnight, Duration end);

  /// The first day begins at its start_of_day, or at once when that is over. A partition that was recovered in the
  /// middle of this day goes on with it. Nothing where no instrument has a timetable.
  void start(Time midnight);

  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  /// Looks whether commands have changed when the next phase is due.
  std::size_t finish(Time now) override;

 private:
  void on_due(Time due);
  void arm();
  [[nodiscard]] bool submit(market::DayEvent event, Time now, std::uint32_t instrument = 0);
  void change_phases(Time now);
  void expire(Time now);
  void end_day(Time now);
  void plan_sweep(Time now);

  Partition& partition_;
  sched::Scheduler& scheduler_;
  std::uint64_t seed_;
  Time midnight_ = time::k_never;   // of the day that begins next
  Time day_end_ = time::k_never;    // of instruments without a timetable
  Time sweep_due_ = time::k_never;  // of the next slice of orders that are to end
  Time phases_from_{};              // not before: others are served in between
  std::size_t next_phase_ = 0;      // the instrument whose phase is looked at next
  Time seen_expiry_{};              // the partition's next expiry when the timer was armed
  std::uint64_t seen_steps_ = 0;    // the partition's day steps when the timer was armed
  bool is_pending_ = false;         // a command found no room in the journal
  sched::TimerOf<&DayClock::on_due> timer_;
};

}  // namespace dojima::venue
