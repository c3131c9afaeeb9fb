#pragma once

// What the rows of session_machine.hpp do to begin a session with Logons and to end it with Logouts.

#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix::actions {

/// The first message of a connection.
void receive_logon(SessionCore& core, const SessionInput& input);
void begin_session(SessionCore& core, const SessionInput& input);
/// Ends a connection that never became a session, without a word.
void refuse(SessionCore& core, const SessionInput& input);
void give_up_logon(SessionCore& core);

/// Our side begins both numbers anew while the session goes on; the peer answers with a Logon of its own.
void begin_reset(SessionCore& core);
void give_up_reset(SessionCore& core);

/// Our side says goodbye first, and waits for the answer.
void begin_logout(SessionCore& core, const SessionInput& input);
void give_up_logout(SessionCore& core);
/// The peer says goodbye first.
void answer_logout(SessionCore& core, const SessionInput& input);
/// The peer answers ours.
void take_logout(SessionCore& core, const SessionInput& input);
/// Logout with a text, then close without waiting for an answer.
void end_with_logout(SessionCore& core, const SessionInput& input);
/// The same before a Logon of ours: what waits from earlier sessions stays unsent.
void end_unopened(SessionCore& core, const SessionInput& input);

}  // namespace dojima::fix::actions
