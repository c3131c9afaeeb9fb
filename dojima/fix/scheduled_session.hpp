#pragma once

// A session that follows a schedule: at the end of each session day it logs out, drops a peer that does not answer, and
// begins both numbers at 1; logons outside of the hours are refused; after a restart the numbers begin anew when their
// session day has ended meanwhile. It owns the session and comes between it and its handler. All by the scheduler's
// time; nothing is allocated after construction. One thread.
//
//   ScheduledSession venue(scheduler, schedule, config, handler, store, {}, now);
//   acceptor.add(venue.session());

#include <string>
#include <string_view>

#include "dojima/fix/schedule.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::fix {

/// Is notified of session days.
class ScheduleObserver {
 public:
  /// A session day has ended and both numbers begin at 1, at `now`. The session is not connected. Not from inside a
  /// constructor: see ScheduledSession::numbers_begun.
  virtual void on_numbers_reset(Session& session, Time now) = 0;

 protected:
  ~ScheduleObserver() = default;
};

struct ScheduledSessionOptions {
  std::string end_text = "End of the session";            ///< Text(58) of the Logout at the end of a session day
  std::string refusal_text = "Outside of session hours";  ///< and of one that refuses a Logon outside of the hours
  ScheduleObserver* observer = nullptr;                   ///< outlives the session
};

class ScheduledSession final : private Handler {
 public:
  /// With a MemoryStore of its own. The scheduler must have room for one timer more than a session's; it and the
  /// application outlive this object. Throws as Session's constructor does; std::invalid_argument where `now` is out
  /// of the schedule's range.
  ScheduledSession(sched::Scheduler& scheduler, SessionSchedule schedule, SessionConfig config, Handler& application,
                   ScheduledSessionOptions options, Time now);
  /// With a store that outlives it. What the store holds is forgotten here where the session day of its numbers
  /// (MessageStore::numbers_begun) has ended; in a store that has no such time they begin now. Throws
  /// std::invalid_argument as well where what the store says is out of the schedule's range.
  ScheduledSession(sched::Scheduler& scheduler, SessionSchedule schedule, SessionConfig config, Handler& application,
                   MessageStore& store, ScheduledSessionOptions options, Time now);

  ScheduledSession(const ScheduledSession&) = delete;
  ScheduledSession& operator=(const ScheduledSession&) = delete;

  /// The gate: whether a Logon is taken now. False as well from the end of a session day until the numbers are reset.
  /// The session asks it itself, and refuses a Logon as its configuration says (SessionConfig::refusal).
  [[nodiscard]] bool may_log_on(Time now) const noexcept;
  /// The first instant from `now` on at which the gate can be open.
  [[nodiscard]] Time next_logon(Time now) const noexcept { return schedule_.next_logon(now); }

  [[nodiscard]] Session& session() noexcept { return session_; }
  [[nodiscard]] const SessionSchedule& schedule() const noexcept { return schedule_; }
  /// The session day that the numbers belong to: the one that is held, else the next one.
  [[nodiscard]] Period session_day() const noexcept { return day_; }
  [[nodiscard]] Time numbers_begun() const;

 private:
  // Handler
  LogonDecision on_logon_request(Session& session, const MessageView& logon, Time now) override;
  void on_logon(Session& session, Time now) override;
  void on_logout(Session& session, std::string_view reason, Time now) override;
  void on_message(Session& session, const MessageView& message, Time now) override;
  void on_reject(Session& session, const MessageView& reject, Time now) override;
  void on_closed(Session& session, link::CloseReason reason, Time now) override;
  void on_unblocked(Session& session, Time now) override { application_.on_unblocked(session, now); }
  void on_trouble(Session& session, const Error& error) override;

  void take_over_numbers(Time now);
  void begin_day(Time now);
  void end_day(Time now);
  void on_day_end(Time now);

  SessionSchedule schedule_;
  ScheduledSessionOptions options_;
  Handler& application_;
  Period day_{};  // whose end is armed
  Session session_;
  sched::TimerOf<&ScheduledSession::on_day_end> day_end_;
};

}  // namespace dojima::fix
