#pragma once

// Who leads a live run of the demo.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>
#include <unistd.h>

#include "dojima/app/admin/process_figures.hpp"
#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/run.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app::demo {

/// Leads a live run from a thread of its own: looks at the board at every beat, and shows progress.
class LiveLead {
 public:
  LiveLead(Director& director, Board& board, const Stops& stops, const ShowProgress& show, double kill_after,
           const ShowProgress& before_kill, std::uint64_t memory_warm_up)
      : director_(director),
        board_(board),
        stops_(stops),
        show_(show),
        kill_after_(kill_after),
        before_kill_(before_kill),
        memory_warm_up_(memory_warm_up) {}

  /// Until the run is over.
  void run() {
    sched::LivePacer pacer(clock_);
    sched::Loop loop(scheduler_, pacer, {});
    beat_.arm(scheduler_.now());
    progress_.arm(scheduler_.now() + k_progress_pause);
    while (director_.phase() != Phase::over) {
      if (loop.turn() == sched::Loop::Turn::idle) std::this_thread::sleep_for(loop.next_time() - clock_.now());
    }
  }

  [[nodiscard]] const MemoryUse& memory() const noexcept { return memory_; }

 private:
  static constexpr auto k_director_pause = std::chrono::milliseconds{5};
  static constexpr auto k_progress_pause = std::chrono::milliseconds{250};

  void on_beat(time::Time) {
    const time::Time now = scheduler_.now();
    if (stops_ && stops_()) board_.is_stop_wanted.store(true, std::memory_order_relaxed);
    look_at_memory();
    director_.step(now);
    beat_.arm(now + k_director_pause);
    if (kill_after_ > 0 && director_.phase() == Phase::flowing && progress(now).seconds >= kill_after_) kill(now);
  }

  /// The end is the last look before the venue's state is taken, which needs memory of its own.
  void look_at_memory() {
    const std::uint64_t answered = board_.clients.answered.load(std::memory_order_relaxed);
    const bool is_warm = director_.phase() == Phase::flowing && answered >= memory_warm_up_;
    if (is_warm && memory_.warm_up == 0) memory_ = {.warm_up = answered, .begin_bytes = own_resident_bytes()};
    if (director_.phase() == Phase::draining) memory_.end_bytes = own_resident_bytes();
  }

  /// As nobody can prepare for.
  void kill(time::Time now) {
    if (before_kill_) before_kill_(progress(now));
    ::kill(::getpid(), SIGKILL);
  }

  void on_progress(time::Time) {
    const time::Time now = scheduler_.now();
    progress_.arm(now + k_progress_pause);
    if (show_) show_(progress(now));
  }

  [[nodiscard]] Progress progress(time::Time now) const {
    const bool has_begun = director_.phase() >= Phase::flowing && director_.flow_begin() != time::Time{};
    return {.phase = director_.phase(),
            .seconds = has_begun ? static_cast<double>((now - director_.flow_begin()).count()) / 1e9 : 0,
            .sent = board_.clients.sent.load(std::memory_order_relaxed),
            .answered = board_.clients.answered.load(std::memory_order_relaxed)};
  }

  Director& director_;
  Board& board_;
  const Stops& stops_;
  const ShowProgress& show_;
  double kill_after_;
  const ShowProgress& before_kill_;
  std::uint64_t memory_warm_up_;
  MemoryUse memory_;
  time::SystemClock clock_;
  sched::Scheduler scheduler_{2, clock_.now()};
  sched::TimerOf<&LiveLead::on_beat> beat_{scheduler_, *this};
  sched::TimerOf<&LiveLead::on_progress> progress_{scheduler_, *this};
};

}  // namespace dojima::app::demo
