#include "dojima/fix/initiator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/splitmix.hpp"

namespace dojima::fix {
namespace {

InitiatorOptions checked(InitiatorOptions options, const SessionConfig& session) {
  const auto refuse = [](const char* what) { throw std::invalid_argument(std::string("initiator: ") + what); };
  if (session.role != Role::initiator) refuse("the session's role is acceptor");
  if (options.hosts.empty()) refuse("no host");
  if (options.delay <= time::Duration{0}) refuse("delay is not positive");
  if (options.delay_max < options.delay) refuse("delay_max is below delay");
  if (options.jitter_percent > 100) refuse("jitter_percent is above 100");
  return options;
}

}  // namespace

const char* name_of(AttemptFailure failure) noexcept {
  switch (failure) {
    case AttemptFailure::not_connected:
      return "not connected";
    case AttemptFailure::closed_early:
      return "closed before the logon";
    case AttemptFailure::no_answer:
      return "no answer to the logon";
    case AttemptFailure::refused:
      return "logon refused";
  }
  return "unnamed failure";
}

Initiator::Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, Session& session, InitiatorOptions options,
                     InitiatorObserver* observer)
    : Initiator(scheduler, fabric, session, nullptr, std::move(options), observer) {}

Initiator::Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, ScheduledSession& session,
                     InitiatorOptions options, InitiatorObserver* observer)
    : Initiator(scheduler, fabric, session.session(), &session, std::move(options), observer) {}

Initiator::Initiator(sched::Scheduler& scheduler, link::Fabric& fabric, Session& session, ScheduledSession* scheduled,
                     InitiatorOptions options, InitiatorObserver* observer)
    : fabric_(fabric),
      session_(session),
      scheduled_(scheduled),
      options_(checked(std::move(options), session.config())),
      observer_(observer),
      random_(options_.seed),
      timer_(scheduler, *this) {}

void Initiator::start(Time now) {
  if (std::exchange(is_running_, true)) return;
  begin_anew();
  if (phase_ == Phase::idle) on_due(now);
}

void Initiator::stop(std::string_view text) {
  is_running_ = false;
  timer_.disarm();
  if (phase_ == Phase::logging_on || phase_ == Phase::logged_on) session_.logout(text);
}

void Initiator::begin_anew() noexcept {
  host_ = 0;
  failed_ = 0;
}

bool Initiator::may_connect(Time now) const noexcept {
  return scheduled_ == nullptr || scheduled_->may_log_on(now);
}

/// Whether a session day has ended since the attempt began.
bool Initiator::is_day_over() const noexcept {
  return scheduled_ != nullptr && scheduled_->session_day() != day_;
}

time::Duration Initiator::draw_delay() noexcept {
  time::Duration delay = options_.delay;
  for (unsigned doubled = 1; doubled < failed_ && delay < options_.delay_max; ++doubled)
    delay = delay > options_.delay_max / 2 ? options_.delay_max : 2 * delay;
  const auto spread = static_cast<std::uint64_t>((delay / 100 * options_.jitter_percent).count());
  const std::uint64_t shorter = splitmix64(random_) % (spread + 1);
  return delay - time::Duration{static_cast<std::int64_t>(shorter)};
}

void Initiator::on_due(Time now) {
  if (!may_connect(now)) return wait(now);
  DOJIMA_ASSERT(phase_ == Phase::idle, "one attempt at a time", phase_);
  phase_ = Phase::connecting;
  if (scheduled_ != nullptr) day_ = scheduled_->session_day();
  if (observer_ != nullptr) observer_->on_attempt(attempt(), now);
  // The observer may have stopped it.
  if (!is_running_) {
    phase_ = Phase::idle;
    return;
  }
  fabric_.connect(options_.hosts[host_], *this);
}

/// Until the next attempt.
void Initiator::wait(Time now) {
  Time next = now + draw_delay();
  if (scheduled_ != nullptr) {
    // Where the hours have begun and the gate is closed, the session day before is still being ended: soon.
    const Time from = may_connect(now) ? next : now;
    const Time opens = scheduled_->next_logon(from);
    if (opens > from) {
      begin_anew();
      next = opens;
    }
  }
  timer_.arm(next);
  if (observer_ != nullptr) observer_->on_waiting(next, now);
}

void Initiator::note_success(Time now) {
  phase_ = Phase::logged_on;
  const Attempt succeeded = attempt();
  begin_anew();
  if (observer_ != nullptr) observer_->on_success(succeeded, now);
}

AttemptFailure Initiator::failure_of(Phase phase) const noexcept {
  if (phase == Phase::connecting) return AttemptFailure::not_connected;
  switch (session_.refusal().code) {
    case ErrorCode::none:
      return AttemptFailure::closed_early;
    case ErrorCode::unavailable:
      return AttemptFailure::no_answer;
    default:
      return AttemptFailure::refused;
  }
}

void Initiator::note_failure(Phase phase, link::CloseReason reason, Time now) {
  const Attempt failed = attempt();
  ++failed_;
  host_ = (host_ + 1) % options_.hosts.size();
  const bool is_last = failed_ == options_.attempts_in_a_row;
  if (is_last) is_running_ = false;
  if (observer_ == nullptr) return;
  observer_->on_failure(failed, failure_of(phase), reason, now);
  if (is_last) observer_->on_gave_up(failed.number, now);
}

void Initiator::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(phase_ == Phase::connecting, "a connection follows an attempt", phase_);
  if (!is_running_ || !may_connect(now)) {
    phase_ = Phase::abandoned;
    transport.close(link::CloseReason::by_us);
    return;
  }
  phase_ = Phase::logging_on;
  session_.on_open(transport, now);
}

std::size_t Initiator::on_bytes(Bytes bytes, Time now) {
  const std::size_t used = session_.on_bytes(bytes, now);
  if (phase_ == Phase::logging_on && session_.is_logged_on()) note_success(now);
  return used;
}

void Initiator::on_writable(Time now) {
  session_.on_writable(now);
}

void Initiator::on_closed(link::CloseReason reason, Time now) {
  const Phase phase = std::exchange(phase_, Phase::idle);
  if (phase != Phase::abandoned) session_.on_closed(reason, now);
  // Handlers may stop and start: what they began goes on.
  const auto is_done = [this] { return !is_running_ || phase_ != Phase::idle || timer_.is_armed(); };
  if (is_done()) return;
  const bool has_failed = (phase == Phase::connecting || phase == Phase::logging_on) && !is_day_over();
  if (has_failed) {
    note_failure(phase, reason, now);
    if (is_done()) return;
  } else {
    begin_anew();
  }
  wait(now);
}

}  // namespace dojima::fix
