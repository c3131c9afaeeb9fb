#include "dojima/fix/session/session_timers.hpp"

#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix {

SessionTimers::SessionTimers(sched::Scheduler& scheduler, SessionCore& core, const SessionConfig& config)
    : scheduler_(scheduler),
      core_(core),
      config_(config),
      heartbeat_timer_(scheduler, *this),
      silence_timer_(scheduler, *this),
      state_timer_(scheduler, *this) {}

void SessionTimers::note_sent() {
  last_sent_ = now();
  if (heartbeat_.count() > 0) heartbeat_timer_.arm(now() + heartbeat_);
}

void SessionTimers::keep_beating() {
  if (!heartbeat_timer_.is_armed()) heartbeat_timer_.arm(now() + heartbeat_);
}

void SessionTimers::note_received(bool is_logged_on) {
  is_test_request_sent_ = false;
  last_received_ = now();
  if (heartbeat_.count() == 0) return silence_timer_.disarm();  // a probe has its answer
  if (is_logged_on) silence_timer_.arm(last_received_ + heartbeat_ * config_.test_request_percent / 100);
}

void SessionTimers::note_test_request() {
  is_test_request_sent_ = true;
  silence_timer_.arm(last_received_ + heartbeat_ * config_.give_up_percent / 100);
}

void SessionTimers::note_probe(std::chrono::nanoseconds limit) {
  is_test_request_sent_ = true;
  silence_timer_.arm(now() + limit);
}

void SessionTimers::watch_held(bool is_blocked) {
  constexpr std::chrono::seconds k_patience_without_limit{10};
  const std::chrono::nanoseconds patience =
      config_.stall_timeout.count() != 0 ? config_.stall_timeout : k_patience_without_limit;
  is_test_request_sent_ = false;
  silence_timer_.arm((is_blocked ? std::max(last_sent_, now() - patience) : now()) + patience);
}

void SessionTimers::restart() noexcept {
  heartbeat_ = {};
  is_test_request_sent_ = false;
}

void SessionTimers::limit_state(std::chrono::nanoseconds limit) {
  state_timer_.arm(now() + limit);
}

void SessionTimers::disarm_all() noexcept {
  heartbeat_timer_.disarm();
  silence_timer_.disarm();
  state_timer_.disarm();
}

void SessionTimers::on_heartbeat_due(Time due) {
  move_to(due);
  core_.post(SessionEvent::heartbeat_due, {});
}

void SessionTimers::on_silence_due(Time due) {
  move_to(due);
  core_.post(SessionEvent::silence_due, {});
}

void SessionTimers::on_state_due(Time due) {
  move_to(due);
  core_.post(SessionEvent::state_due, {});
}

}  // namespace dojima::fix
