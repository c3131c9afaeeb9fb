#include "dojima/fix/session/connection_actions.hpp"

#include <chrono>
#include <utility>

namespace dojima::fix::actions {

void begin_connection(SessionCore& core) {
  core.timers.restart();
  core.holds = 0;
  core.is_blocked = false;
  core.checks.forget_unread();
  core.was_logged_on = false;
  core.end = SessionEnd::broken;
  core.end_reason = {};
  core.refusal = {};
  core.refusal_text = {};
  core.is_reset_awaited = false;
  core.rejects_in_a_row = 0;
  core.repeated_reset = {};
  core.repeated_request = {};
  core.incoming.forget_gap();
  core.outbox.attach(*core.transport);
  core.timers.limit_state(core.config.logon_timeout);
}

void begin_as_initiator(SessionCore& core) {
  begin_connection(core);
  if (core.config.reset_on_logon) {
    core.store.reset(core.now());
    core.outbox.restart();
  }
  core.timers.set_heartbeat(core.config.heartbeat_interval);
  core.admin.logon({.heartbeat = core.config.heartbeat_interval,
                    .is_reset = core.config.reset_on_logon,
                    .next_expected = core.config.next_expected ? core.incoming.expected() : market::Sequence{}},
                   core.now());
}

void transmit_more(SessionCore& core) {
  core.transmit();
  core.report_store();
  if (core.is_blocked && core.has_room) core.note_unblocked();
}

void drop_deaf_peer(SessionCore& core) {
  core.end_reason = decltype(core.end_reason)::cut("the peer does not read");
  core.transport->close(link::CloseReason::output_overflow);
}

void close_with_text(SessionCore& core, const SessionInput& input) {
  core.close(input.text);
}

void close_transport(SessionCore& core) {
  if (!std::exchange(core.closes_once_sent, false)) return;
  core.transport->close(link::CloseReason::by_us);
}

namespace {

bool is_reset_due(const SessionCore& core) noexcept {
  const SessionConfig& config = core.config;
  return config.reset_on_disconnect || (config.reset_on_logout && core.end == SessionEnd::logout) ||
         (config.reset_on_error && core.end == SessionEnd::refused);
}

}  // namespace

void end_connection(SessionCore& core, const SessionInput& input) {
  core.report_store();
  core.closes_once_sent = false;
  core.transport = nullptr;
  core.holds = 0;
  core.is_blocked = false;
  core.outbox.detach();
  core.incoming.forget_gap();
  core.timers.disarm_all();
  // Copies: the handler may connect again, which starts a new reason.
  const auto text = core.end_reason;
  const bool is_logout = std::exchange(core.was_logged_on, false);
  if (is_logout && is_reset_due(core)) core.store.reset(core.now());
  if (is_logout)
    core.handler.on_logout(core.session, text.is_empty() ? link::name_of(input.reason) : text.view(), input.time);
  core.handler.on_closed(core.session, input.reason, input.time);
}

}  // namespace dojima::fix::actions
