#pragma once

// Time in a session: what time it is, when a Heartbeat is due, how long the peer has been silent, and how long a logon
// or logout may take. The timers are the scheduler's; what is due becomes an event of the session's table. Used by
// SessionCore.

#include <algorithm>
#include <chrono>

#include "dojima/fix/session_config.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

struct SessionCore;

class SessionTimers {
 public:
  /// The scheduler must have room for three timers; it, the core and the configuration outlive this.
  SessionTimers(sched::Scheduler& scheduler, SessionCore& core, const SessionConfig& config);

  /// The latest of the scheduler's time and of all that was handed in. Never steps back.
  [[nodiscard]] Time now() const noexcept { return std::max(scheduler_.now(), now_); }
  void move_to(Time now) noexcept { now_ = std::max(now_, now); }

  /// The interval in force; 0: no Heartbeats, no TestRequests.
  [[nodiscard]] std::chrono::nanoseconds heartbeat() const noexcept { return heartbeat_; }
  void set_heartbeat(std::chrono::nanoseconds interval) noexcept { heartbeat_ = interval; }
  /// Something went out: the next Heartbeat is due an interval from now.
  void note_sent();
  /// A Heartbeat was due: the next one, unless sending it has set that already.
  void keep_beating();

  /// Something arrived: the peer is alive. Its silence is measured while `is_logged_on`.
  void note_received(bool is_logged_on);
  /// A TestRequest goes out: the peer has the time until the next silence_due to say anything.
  void note_test_request();
  /// The same with a limit of its own.
  void note_probe(std::chrono::nanoseconds limit);
  [[nodiscard]] bool is_test_request_sent() const noexcept { return is_test_request_sent_; }

  /// From now on what is sent waits for room.
  void note_blocked() noexcept { last_sent_ = now(); }
  /// The peer is not read: silence_due comes when it is time to see whether it takes what is sent to it.
  void watch_held(bool is_blocked);
  /// What is sent has waited for `stall_timeout`, and none of it was taken.
  [[nodiscard]] bool is_stalled() const noexcept {
    return config_.stall_timeout.count() != 0 && now() - last_sent_ >= config_.stall_timeout;
  }

  /// A connection begins: nothing is known of the peer yet.
  void restart() noexcept;
  /// state_due comes after `limit` unless it is lifted before.
  void limit_state(std::chrono::nanoseconds limit);
  void lift_limit() noexcept { state_timer_.disarm(); }
  void disarm_all() noexcept;

 private:
  void on_heartbeat_due(Time due);
  void on_silence_due(Time due);
  void on_state_due(Time due);

  sched::Scheduler& scheduler_;
  SessionCore& core_;
  const SessionConfig& config_;
  Time now_{};
  Time last_received_{};
  Time last_sent_{};  // or since when there is no room
  std::chrono::nanoseconds heartbeat_{0};
  bool is_test_request_sent_ = false;
  sched::TimerOf<&SessionTimers::on_heartbeat_due> heartbeat_timer_;
  sched::TimerOf<&SessionTimers::on_silence_due> silence_timer_;
  sched::TimerOf<&SessionTimers::on_state_due> state_timer_;  // logon or logout takes too long
};

}  // namespace dojima::fix
