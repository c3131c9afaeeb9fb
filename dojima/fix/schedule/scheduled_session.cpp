#include "dojima/fix/scheduled_session.hpp"

#include <stdexcept>
#include <utility>

namespace dojima::fix {
namespace {

void check_range(Time time, const char* name) {
  if (time < SessionSchedule::k_begin || time >= SessionSchedule::k_end)
    throw std::invalid_argument(std::string("scheduled session: ") + name + " is not within 1970 to 2261");
}

}  // namespace

ScheduledSession::ScheduledSession(sched::Scheduler& scheduler, SessionSchedule schedule, SessionConfig config,
                                   Handler& application, ScheduledSessionOptions options, Time now)
    : schedule_(std::move(schedule)),
      options_(std::move(options)),
      application_(application),
      session_(scheduler, std::move(config), *this),
      day_end_(scheduler, *this) {
  take_over_numbers(now);
}

ScheduledSession::ScheduledSession(sched::Scheduler& scheduler, SessionSchedule schedule, SessionConfig config,
                                   Handler& application, MessageStore& store, ScheduledSessionOptions options, Time now)
    : schedule_(std::move(schedule)),
      options_(std::move(options)),
      application_(application),
      session_(scheduler, std::move(config), *this, store),
      day_end_(scheduler, *this) {
  take_over_numbers(now);
}

void ScheduledSession::take_over_numbers(Time now) {
  check_range(now, "now");
  MessageStore& store = session_.store();
  if (!store.numbers_begun()) store.set_numbers_begun(now);
  check_range(numbers_begun(), "what the store says of the begin of its numbers");
  if (schedule_.is_over(numbers_begun(), now)) store.reset(now);
  begin_day(now);
}

Time ScheduledSession::numbers_begun() const {
  return *session_.store().numbers_begun();
}

void ScheduledSession::begin_day(Time now) {
  day_ = schedule_.session_for(now);
  day_end_.arm(day_.end);
}

/// The day is over and nobody is connected.
void ScheduledSession::end_day(Time now) {
  session_.store().reset(now);
  begin_day(now);
  if (options_.observer != nullptr) options_.observer->on_numbers_reset(session_, now);
}

void ScheduledSession::on_day_end(Time now) {
  // The session closes a connection that does not answer; on_closed goes on from there.
  if (session_.is_connected()) return session_.logout(options_.end_text);
  end_day(now);
}

bool ScheduledSession::may_log_on(Time now) const noexcept {
  return now < day_.end && schedule_.may_log_on(now);
}

LogonDecision ScheduledSession::on_logon_request(Session& session, const MessageView& logon, Time now) {
  if (!may_log_on(now)) return {.is_accepted = false, .text = options_.refusal_text};
  return application_.on_logon_request(session, logon, now);
}

void ScheduledSession::on_logon(Session& session, Time now) {
  application_.on_logon(session, now);
}

void ScheduledSession::on_logout(Session& session, std::string_view reason, Time now) {
  application_.on_logout(session, reason, now);
}

void ScheduledSession::on_message(Session& session, const MessageView& message, Time now) {
  application_.on_message(session, message, now);
}

void ScheduledSession::on_reject(Session& session, const MessageView& reject, Time now) {
  application_.on_reject(session, reject, now);
}

void ScheduledSession::on_closed(Session& session, link::CloseReason reason, Time now) {
  if (now >= day_.end) end_day(now);
  application_.on_closed(session, reason, now);
}

void ScheduledSession::on_trouble(Session& session, const Error& error) {
  application_.on_trouble(session, error);
}

}  // namespace dojima::fix
