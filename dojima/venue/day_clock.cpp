#include "dojima/venue/day_clock.hpp"

#include <algorithm>

namespace dojima::venue {
namespace {

constexpr Duration k_day = std::chrono::hours{24};

}  // namespace

DayClock::DayClock(Partition& partition, sched::Scheduler& scheduler, std::uint64_t seed)
    : partition_(partition), seed_(seed), timer_(scheduler, *this) {}

void DayClock::start(Time midnight) {
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
  timer_.arm(std::min(begins, partition_.day_due()));
}

void DayClock::on_due(Time due) {
  is_pending_ = false;
  if (partition_.is_between_days() && midnight_ != time::k_never &&
      due >= midnight_ + partition_.first_start_of_day()) {
    static_cast<void>(submit(market::DayEvent::begin, due));
  } else if (partition_.day_due() <= due) {
    static_cast<void>(submit(market::DayEvent::due, due));
  }
  if (!is_pending_) arm();
}

bool DayClock::submit(market::DayEvent event, Time now) {
  market::DayCommand command;
  command.header.user = market::k_no_user;
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
  if (is_pending_) on_due(now);
  if (!is_pending_ && partition_.day_steps() != seen_steps_) arm();
  return 0;
}

}  // namespace dojima::venue
