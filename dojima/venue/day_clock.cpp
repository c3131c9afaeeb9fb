#include "dojima/venue/day_clock.hpp"

#include <algorithm>

namespace dojima::venue {
namespace {

constexpr Duration k_day = std::chrono::hours{24};
/// About as long as a slice takes.
constexpr Duration k_sweep_pause = std::chrono::microseconds{100};
/// Instruments whose phases change by one command; of more than these so many in a turn.
constexpr std::size_t k_together = 256, k_phases_of_turn = 32;

}  // namespace

DayClock::DayClock(Partition& partition, sched::Scheduler& scheduler, std::uint64_t seed)
    : partition_(partition), scheduler_(scheduler), seed_(seed), timer_(scheduler, *this) {
  arm();
}

void DayClock::end_days_at(Time midnight, Duration end) {
  const Time today = midnight + end;
  const Time previous = today <= scheduler_.now() ? today : today - k_day;
  const bool is_missed = partition_.last_time() != Time{} && partition_.last_time() < previous;
  day_end_ = is_missed ? previous : previous + k_day;
  arm();
}

void DayClock::start(Time midnight) {
  const auto has_day = [this](const market::Instrument& each) { return partition_.day(each.id) != nullptr; };
  if (std::ranges::none_of(partition_.instruments(), has_day)) return;
  midnight_ = midnight;
  arm();
}

/// When there is something to do next: a phase to end, or a day to begin.
void DayClock::arm() {
  seen_steps_ = partition_.day_steps();
  if (partition_.day_midnight() >= midnight_) midnight_ = partition_.day_midnight() + k_day;
  const Time begins = partition_.is_between_days() && midnight_ != time::k_never
                          ? midnight_ + partition_.first_start_of_day()
                          : time::k_never;
  seen_expiry_ = partition_.next_expiry();
  timer_.arm(std::min({begins, std::max(partition_.day_due(), phases_from_), seen_expiry_, day_end_, sweep_due_}));
}

/// Orders that are still to end follow in slices, with pauses in which others are served.
void DayClock::plan_sweep(Time now) {
  if (!partition_.is_sweeping()) sweep_due_ = time::k_never;
  if (partition_.is_sweeping() && sweep_due_ == time::k_never) sweep_due_ = now + k_sweep_pause;
}

/// Before anything else of that instant, so that an order whose time is over neither trades nor opens a phase.
void DayClock::expire(Time now) {
  market::Expire command;
  command.header.user = market::k_no_user;
  is_pending_ = !partition_.submit(command.header, now);
}

/// The instruments whose day no timetable ends, one command each. One that finds no room is tried again with all that
/// follow it; those before it have no day orders any more.
void DayClock::end_day(Time now) {
  if (partition_.slice() != 0) {
    market::Expire command{.is_end_of_day = true};
    command.header.flags = k_untimed;
    command.header.user = market::k_no_user;
    is_pending_ = !partition_.submit(command.header, now);
    if (!is_pending_) day_end_ += k_day;
    return;
  }
  for (const market::Instrument& instrument : partition_.instruments()) {
    if (partition_.day(instrument.id) != nullptr) continue;
    market::Expire command{.is_end_of_day = true};
    command.header.instrument = instrument.id;
    command.header.user = market::k_no_user;
    is_pending_ = !partition_.submit(command.header, now);
    if (is_pending_) return;
  }
  day_end_ += k_day;
}

/// Phases that are over. Of many instruments a few at a time, one command each, with pauses in which others are served.
void DayClock::change_phases(Time now) {
  const std::span<const market::Instrument> instruments = partition_.instruments();
  if (partition_.slice() == 0 || instruments.size() <= k_together) {
    static_cast<void>(submit(market::DayEvent::due, now));
    return;
  }
  for (std::size_t changed = 0; next_phase_ < instruments.size() && changed < k_phases_of_turn; ++next_phase_) {
    const std::uint32_t instrument = instruments[next_phase_].id;
    const InstrumentDay* const day = partition_.day(instrument);
    if (day == nullptr || day->until() > now) continue;
    if (!submit(market::DayEvent::due, now, instrument)) return;
    ++changed;
  }
  if (next_phase_ == instruments.size()) next_phase_ = 0;
  phases_from_ = now + k_sweep_pause;
}

void DayClock::on_due(Time due) {
  is_pending_ = false;
  // Phases before slices: what the ends of many days have to end is looked for once.
  const bool has_phase = partition_.day_due() <= due && phases_from_ <= due;
  const bool begins =
      partition_.is_between_days() && midnight_ != time::k_never && due >= midnight_ + partition_.first_start_of_day();
  if (partition_.next_expiry() <= due) {
    expire(due);
  } else if (has_phase && !begins) {
    change_phases(due);
  } else if (sweep_due_ <= due) {
    sweep_due_ = time::k_never;
    is_pending_ = !partition_.sweep(due);
  } else if (day_end_ <= due) {
    end_day(due);
  } else if (begins) {
    static_cast<void>(submit(market::DayEvent::begin, due));
  }
  if (is_pending_) return;
  plan_sweep(due);
  arm();
}

bool DayClock::submit(market::DayEvent event, Time now, std::uint32_t instrument) {
  market::DayCommand command;
  command.header.user = market::k_no_user;
  command.header.instrument = instrument;
  command.event = event;
  if (event == market::DayEvent::begin) {
    command.midnight = midnight_;
    // Another one every day, and the same for the same day.
    command.seed = seed_ ^ static_cast<std::uint64_t>(time::nanoseconds_of(midnight_)) * 0x9e3779b97f4a7c15ULL;
  }
  is_pending_ = !partition_.submit(command.header, now);
  return !is_pending_;
}

std::size_t DayClock::finish(Time now) {
  if (is_pending_) {
    is_pending_ = false;
    if (partition_.is_sweeping()) sweep_due_ = now;
    on_due(now);
  }
  if (is_pending_) return 0;
  const Time planned = sweep_due_;
  plan_sweep(now);
  if (partition_.day_steps() != seen_steps_ || partition_.next_expiry() != seen_expiry_ || sweep_due_ != planned) arm();
  return 0;
}

}  // namespace dojima::venue
