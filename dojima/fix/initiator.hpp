#pragma once

// Keeps a session of role initiator connected: hosts one after the other, waiting longer after each attempt that
// failed, by the hours of a ScheduledSession where there is one. An attempt has succeeded when the session is logged
// on; a peer that takes the connection and never answers the Logon has failed as one that refuses it. All by the
// scheduler's time over a link::Fabric; nothing is allocated after construction but what the fabric takes for a
// connection. One thread.
//
//   Initiator initiator(scheduler, fabric, session, {.hosts = {{"venue-a", 9878}, {"venue-b", 9878}}});
//   initiator.start(now);
//
// The session's handler hears of the connection as always, and must not connect the session itself.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::fix {

struct InitiatorOptions {
  std::vector<link::Address> hosts;  ///< in the order in which they are tried; begins again behind the last
  /// Between the end of an attempt, or of a connection, and the next attempt; doubled by each attempt that fails, up to
  /// `delay_max`.
  time::Duration delay{std::chrono::seconds{1}};
  time::Duration delay_max{std::chrono::minutes{1}};
  unsigned jitter_percent = 20;    ///< 0 to 100: each delay is shortened by a random part up to this
  std::uint64_t seed = 1;          ///< of that randomness; one of its own for each initiator, lest they come together
  unsigned attempts_in_a_row = 0;  ///< failed ones, then it gives up; 0: never
};

/// Why an attempt failed.
enum class AttemptFailure : std::uint8_t {
  not_connected,  ///< there was no connection: CloseReason says why
  closed_early,   ///< the connection ended before the peer's Logon
  no_answer,      ///< no Logon within logon_timeout
  refused,        ///< the answer was no Logon that is good; Session::refusal says what was wrong
};

[[nodiscard]] const char* name_of(AttemptFailure failure) noexcept;

struct Attempt {
  const link::Address& host;
  unsigned number;  ///< in a row, from 1
};

/// What an initiator reports, for logs, counters and alarms. Called from the loop, never from inside a call of the
/// initiator but for on_attempt and on_waiting from start().
class InitiatorObserver {
 public:
  virtual void on_attempt(const Attempt& /*attempt*/, Time /*now*/) {}
  virtual void on_success(const Attempt& /*attempt*/, Time /*now*/) {}
  virtual void on_failure(const Attempt& /*attempt*/, AttemptFailure /*failure*/, link::CloseReason /*reason*/,
                          Time /*now*/) {}
  /// The next attempt is at `next`; out of hours, that is when one may log on again.
  virtual void on_waiting(Time /*next*/, Time /*now*/) {}
  /// As many attempts failed in a row as may: stopped, until start() is called.
  virtual void on_gave_up(unsigned /*attempts*/, Time /*now*/) {}

 protected:
  ~InitiatorObserver() = default;
};

class Initiator final : public link::Connection {
 public:
  /// Needs room for one timer; all that is given outlives the initiator, which outlives the session's connections.
  /// Throws std::invalid_argument for a session that is no initiator, no host, delays that are not positive or descend,
  /// or a jitter above 100.
  Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, Session& session, InitiatorOptions options,
            InitiatorObserver* observer = nullptr);
  /// Connects within the hours of the session only, and waits for the next ones; counts attempts anew then. An attempt
  /// during which a session day ends has not failed.
  Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, ScheduledSession& session, InitiatorOptions options,
            InitiatorObserver* observer = nullptr);

  Initiator(const Initiator&) = delete;
  Initiator& operator=(const Initiator&) = delete;

  /// Connects, beginning with the first host, at once where that is possible: not out of hours, nor before a connection
  /// that is ending is gone. Where it runs already, nothing happens.
  void start(Time now);
  /// No more attempts; logs out where there is a session, with `text` (may be empty).
  void stop(std::string_view text = {});

  [[nodiscard]] bool is_running() const noexcept { return is_running_; }
  /// When the next attempt is due; `k_never` while there is a connection or nothing is wanted.
  [[nodiscard]] Time next_attempt() const noexcept { return timer_.deadline(); }
  /// Attempts that have failed since the last success.
  [[nodiscard]] unsigned failed_in_a_row() const noexcept { return failed_; }

  // link::Connection
  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

 private:
  enum class Phase : std::uint8_t {
    idle,        ///< no connection, none under way
    connecting,  ///< until on_open or on_closed
    logging_on,  ///< connected, not logged on yet
    logged_on,   ///< until on_closed
    abandoned,   ///< connected when nobody wanted it any more; the session knows nothing of it
  };

  Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, Session& session, ScheduledSession* scheduled,
            InitiatorOptions options, InitiatorObserver* observer);

  [[nodiscard]] bool may_connect(Time now) const noexcept;
  [[nodiscard]] bool is_day_over() const noexcept;
  [[nodiscard]] Attempt attempt() const noexcept { return {options_.hosts[host_], failed_ + 1}; }
  [[nodiscard]] AttemptFailure failure_of(Phase phase) const noexcept;
  [[nodiscard]] time::Duration draw_delay() noexcept;

  void begin_anew() noexcept;
  void on_due(Time now);
  void wait(Time now);
  void note_success(Time now);
  void note_failure(Phase phase, link::CloseReason reason, Time now);

  link::Fabric& fabric_;
  Session& session_;
  ScheduledSession* scheduled_;  // null: no hours
  InitiatorOptions options_;
  InitiatorObserver* observer_;
  bool is_running_ = false;
  Phase phase_ = Phase::idle;
  std::size_t host_ = 0;
  unsigned failed_ = 0;
  Period day_{};  // in which the attempt began
  std::uint64_t random_;
  sched::TimerOf<&Initiator::on_due> timer_;
};

}  // namespace dojima::fix
