#include "dojima/sched/loop.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dojima::sched {

namespace {

bool is_speed(double speed) noexcept {
  return speed >= PacedPacer::k_slowest && speed <= PacedPacer::k_fastest;
}

/// `elapsed` at a speed, in whole nanoseconds: exact to 2^-32 of the speed however long that is.
time::Duration scaled(time::Duration elapsed, double speed) noexcept {
  __extension__ using Wide = __int128;
  const auto fixed = static_cast<std::int64_t>(std::llround(speed * 4'294'967'296.0));
  return time::Duration{static_cast<std::int64_t>(static_cast<Wide>(elapsed.count()) * fixed >> 32)};
}

}  // namespace

PacedPacer::PacedPacer(time::Clock& clock, Time start, double speed)
    : clock_(clock), clock_anchor_(clock.now()), anchor_(start), speed_(speed) {
  if (!is_speed(speed)) throw std::invalid_argument("speed must lie between 0.1 and 10000");
}

Time PacedPacer::reached() {
  return is_paused_ ? anchor_ : anchor_ + scaled(clock_.now() - clock_anchor_, speed_);
}

void PacedPacer::anchor() {
  anchor_ = reached();
  clock_anchor_ = clock_.now();
}

Time PacedPacer::advance(Time next) {
  if (is_paused_ && steps_ > 0 && next > anchor_ && next != time::k_never) {
    --steps_;
    anchor_ = next;
  }
  return reached();
}

bool PacedPacer::set_speed(double speed) {
  if (!is_speed(speed)) return false;
  anchor();
  speed_ = speed;
  return true;
}

void PacedPacer::pause() {
  anchor();
  is_paused_ = true;
}

void PacedPacer::resume() {
  if (!is_paused_) return;
  clock_anchor_ = clock_.now();
  is_paused_ = false;
  steps_ = 0;
}

void PacedPacer::step() noexcept {
  if (is_paused_) ++steps_;
}

void move_by_key(PacedPacer& pacer, int key) {
  if (key == ' ') pacer.is_paused() ? pacer.resume() : pacer.pause();
  if (key == 's' && pacer.is_paused()) pacer.step();
  if (key == '+') static_cast<void>(pacer.set_speed(std::min(2 * pacer.speed(), PacedPacer::k_fastest)));
  if (key == '-') static_cast<void>(pacer.set_speed(std::max(pacer.speed() / 2, PacedPacer::k_slowest)));
}

Loop::Next Loop::next() const {
  Next found{.at = with_scheduler([](const auto& scheduler) { return scheduler.next_due(); }), .is_polled = false};
  for (Source* source : sources_) {
    const Time at = source->next_time();
    if (at == Source::k_every_turn) {
      found.is_polled = true;
    } else {
      found.at = std::min(found.at, at);
    }
  }
  return found;
}

Time Loop::next_time() const {
  return next().at;
}

Loop::Turn Loop::turn() {
  if (is_stopped_) return Turn::stopped;
  const auto [first, is_polled] = next();
  if (first == time::k_never && !is_polled) return Turn::done;
  const Time now = pacer_.advance(first);
  std::size_t work = 0;
  Time due = first;
  for (std::size_t instants = 1;; ++instants, due = next_time()) {
    const bool is_idle = due > now;
    if (is_idle && !is_polled) return work != 0 ? Turn::busy : Turn::idle;
    const bool is_last = is_idle || instants == k_max_instants;
    // What is overdue by the scheduler's clock (scheduled for the past) happens now, not in the past.
    const Step step = run_instant(
        is_idle ? now : std::max(due, with_scheduler([](const auto& scheduler) { return scheduler.now(); })), is_last);
    work += step.work;
    if (is_stopped_) return Turn::stopped;
    if (!step.is_complete) return Turn::busy;
    if (is_last) return work != 0 || !is_idle ? Turn::busy : Turn::idle;
  }
}

Loop::Step Loop::run_instant(Time at, bool is_last) {
  const SchedulerBase::Fired fired =
      with_scheduler([at](auto& scheduler) { return scheduler.check(at, k_max_events); });
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
