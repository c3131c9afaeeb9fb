#include "dojima/sched/loop.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dojima::sched {

PacedPacer::PacedPacer(time::Clock& clock, Time start, double speed)
    : clock_(clock), clock_start_(clock.now()), start_(start), speed_(speed) {
  if (!(speed >= 0.1 && speed <= 10'000.0)) throw std::invalid_argument("speed must lie between 0.1 and 10000");
}

Time PacedPacer::advance(Time) {
  const auto elapsed = static_cast<double>((clock_.now() - clock_start_).count());
  return start_ + time::Duration{static_cast<std::int64_t>(std::floor(elapsed * speed_))};
}

Time Loop::next_time() const {
  Time next = scheduler_.next_due();
  for (Source* source : sources_) {
    const Time at = source->next_time();
    if (at != Source::k_every_turn) next = std::min(next, at);
  }
  return next;
}

Loop::Turn Loop::turn() {
  if (is_stopped_) return Turn::stopped;
  const bool is_polled = std::any_of(sources_.begin(), sources_.end(),
                                     [](Source* source) { return source->next_time() == Source::k_every_turn; });
  const Time next = next_time();
  if (next == time::k_never && !is_polled) return Turn::done;
  const Time now = pacer_.advance(next);
  std::size_t work = 0;
  for (std::size_t instants = 0; instants < k_max_instants; ++instants) {
    const Time due = next_time();
    const bool is_last = due > now;
    if (is_last && !is_polled) return work != 0 ? Turn::busy : Turn::idle;
    // What is overdue by the scheduler's clock (scheduled for the past) happens now, not in the past.
    const Step step = run_instant(is_last ? now : std::max(due, scheduler_.now()), is_last);
    work += step.work;
    if (is_stopped_) return Turn::stopped;
    if (!step.is_complete) return Turn::busy;
    if (is_last) return work != 0 ? Turn::busy : Turn::idle;
  }
  return Turn::busy;
}

Loop::Step Loop::run_instant(Time at, bool is_last) {
  const Scheduler::Fired fired = scheduler_.check(at, k_max_events);
  std::size_t work = fired.count;
  if (fired.is_drained) {
    for (Source* source : sources_) {
      const Time next = source->next_time();
      // Polled sources speak once a turn, at its last instant; timed ones when their time has come.
      if (next == Source::k_every_turn ? is_last : next <= at) work += source->deliver(at);
    }
  }
  for (Source* source : sources_) work += source->finish(at);
  return {work, fired.is_drained};
}

}  // namespace dojima::sched
