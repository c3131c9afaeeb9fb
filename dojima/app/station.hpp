#pragma once

// A live loop with all that it needs: clock, scheduler, sockets, sources. Parts that share a thread share a station.
// The sources that only send (a venue's front) are asked before the sockets, which flush what they wrote.
//
//   Station station({.scheduler = 1000, .idle = net::IdlePolicy::yield}, fabric_options);
//   Exchange exchange(config, station.scheduler());
//   station.add(exchange.front());
//   station.run([&] { return !stop.is_raised(); });

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app {

using time::Time;

struct StationOptions {
  std::size_t scheduler = 0;  ///< entries, those of the fabric not counted
  net::IdlePolicy idle = net::IdlePolicy::yield;
  net::FabricOptions fabric;
};

class Station {
 public:
  /// Calibrates its clock, which takes 2 ms. Throws std::bad_alloc, std::system_error.
  explicit Station(const StationOptions& options)
      : idle_(options.idle),
        scheduler_(options.scheduler + net::AsioFabric::timers(options.fabric) + k_own_timers, clock_.now()),
        pacer_(clock_),
        fabric_(scheduler_, fabric_options(options)) {}

  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  /// Before run(). The source must outlive the station's last turn.
  void add(sched::Source& source) { sources_.push_back(&source); }

  /// The same of a source that is asked behind the sockets: what the others wrote has left when it is.
  void add_behind_sockets(sched::Source& source) { last_sources_.push_back(&source); }

  [[nodiscard]] sched::Scheduler& scheduler() noexcept { return scheduler_; }
  [[nodiscard]] net::AsioFabric& fabric() noexcept { return fabric_; }
  /// Now. The scheduler's now() is when the last turn began: behind a sleep that is as long ago as the sleep was.
  [[nodiscard]] time::Time clock_now() noexcept { return clock_.now(); }

  /// What is not as it was asked for, for people; empty where all is.
  [[nodiscard]] std::string describe_idle() const {
    const bool is_ring_missing = idle_ == net::IdlePolicy::ring && !fabric_.has_ring();
    return is_ring_missing ? "loop.idle: block (asked for \"ring\": there is no io_uring that this process may use)"
                           : "";
  }

  /// Turns until `goes_on()` says no; it is asked after each turn.
  template <class GoesOn>
  void run(GoesOn goes_on) {
    std::vector<sched::Source*> sources = sources_;
    sources.push_back(&fabric_);
    sources.insert(sources.end(), last_sources_.begin(), last_sources_.end());
    sched::Loop loop(scheduler_, pacer_, sources);
    do {
      if (loop.turn() != sched::Loop::Turn::idle) continue;
      net::rest(idle_, fabric_, loop.next_time(), scheduler_.now());
    } while (goes_on());
    fabric_.flush();
  }

  /// As run(), but at most for so long.
  template <class GoesOn>
  void run_at_most(time::Duration patience, GoesOn goes_on) {
    Patience end(scheduler_);
    end.timer.arm(scheduler_.now() + patience);
    run([&] { return !end.is_over && goes_on(); });
  }

 private:
  static constexpr std::size_t k_own_timers = 1;
  struct Patience {
    explicit Patience(sched::Scheduler& scheduler) : timer(scheduler, *this) {}
    void on_due(time::Time) { is_over = true; }
    bool is_over = false;
    sched::TimerOf<&Patience::on_due> timer;
  };

  [[nodiscard]] static net::FabricOptions fabric_options(const StationOptions& options) {
    net::FabricOptions fabric = options.fabric;
    fabric.ring = options.idle == net::IdlePolicy::ring;
    return fabric;
  }

  net::IdlePolicy idle_;
  time::TscClock clock_;  // read every turn; the system's clock where the processor's counter is not steady
  sched::Scheduler scheduler_;
  sched::LivePacer pacer_;
  net::AsioFabric fabric_;
  std::vector<sched::Source*> sources_, last_sources_;
};

}  // namespace dojima::app
