#pragma once

// What the rows of session_machine.hpp do when a connection begins, has room again or ends.

#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix::actions {

[[nodiscard]] inline bool is_initiator(const SessionCore& core) noexcept {
  return core.config.role == Role::initiator;
}
void begin_connection(SessionCore& core);
/// Our Logon is the first message.
void begin_as_initiator(SessionCore& core);
void transmit_more(SessionCore& core);
void drop_deaf_peer(SessionCore& core);
void close_with_text(SessionCore& core, const SessionInput& input);
/// What was waited for has left, or has had its time.
void close_transport(SessionCore& core);
void end_connection(SessionCore& core, const SessionInput& input);

}  // namespace dojima::fix::actions
