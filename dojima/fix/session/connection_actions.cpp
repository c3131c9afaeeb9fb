#include "dojima/fix/session/connection_actions.hpp"

#include <chrono>
#include <utility>

namespace dojima::fix::actions {

void begin_connection(SessionCore& core) {
  core.timers.restart();
  core.was_logged_on = false;
  core.end_reason = {};
  core.incoming.forget_gap();
  core.outbox.attach(*core.transport);
  core.timers.limit_state(core.config.logon_timeout);
}

void begin_as_initiator(SessionCore& core) {
  begin_connection(core);
  if (core.config.reset_on_logon) {
    core.store.reset();
    core.outbox.restart();
  }
  core.timers.set_heartbeat(core.config.heartbeat_interval);
  core.admin.logon(core.config.reset_on_logon, core.config.heartbeat_interval, core.now());
}

void transmit_more(SessionCore& core) {
  core.transmit();
  core.report_store();
}

void drop_deaf_peer(SessionCore& core) {
  core.end_reason = decltype(core.end_reason)::cut("the peer does not read");
  core.transport->close(link::CloseReason::output_overflow);
}

void report_trouble(SessionCore& core, const SessionInput& input) {
  core.handler.on_trouble(core.session, *input.error);
}

void close_with_text(SessionCore& core, const SessionInput& input) {
  core.close(input.text);
}

void close_transport(SessionCore& core) {
  if (!std::exchange(core.closes_once_sent, false)) return;
  core.transport->close(link::CloseReason::by_us);
}

void end_connection(SessionCore& core, const SessionInput& input) {
  core.report_store();
  core.closes_once_sent = false;
  core.transport = nullptr;
  core.outbox.detach();
  core.incoming.forget_gap();
  core.timers.disarm_all();
  // Copies: the handler may connect again, which starts a new reason.
  const auto text = core.end_reason;
  const bool is_logout = std::exchange(core.was_logged_on, false);
  if (is_logout)
    core.handler.on_logout(core.session, text.is_empty() ? link::name_of(input.reason) : text.view(), input.time);
  core.handler.on_closed(core.session, input.reason, input.time);
}

}  // namespace dojima::fix::actions
