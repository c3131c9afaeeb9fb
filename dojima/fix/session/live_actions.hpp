#pragma once

// What the rows of session_machine.hpp do with messages that arrive while a session is logged on: sequence numbers,
// gaps, rejects, session messages, and what is handed on to the application.

#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix {

/// Reads the message, posts its arrival, then serves what waited for it.
void receive_frame(SessionCore& core, const Frame& frame);
/// Serves what waited, and asks for what is still missing.
void serve_early(SessionCore& core);

namespace actions {

[[nodiscard]] inline bool is_low(const SessionCore&, const SessionInput& input) noexcept {
  return input.place == SessionInput::Place::low;
}
[[nodiscard]] inline bool is_early(const SessionCore&, const SessionInput& input) noexcept {
  return input.place == SessionInput::Place::early;
}
[[nodiscard]] inline bool is_due(const SessionCore&, const SessionInput& input) noexcept {
  return input.place == SessionInput::Place::due;
}

/// Bytes that are no message: ignored, so that their number shows as a gap, or answered with a Reject.
void receive_garbled(SessionCore& core, const SessionInput& input);
/// A message larger than max_body: the session could never move on behind it.
void end_oversized(SessionCore& core, const SessionInput& input);
/// The header is held against the session, the number against the one that is due; then the type decides.
void receive_live(SessionCore& core, const SessionInput& input);
/// A number that was used before: a duplicate, or a peer that lost count.
void receive_low(SessionCore& core, const SessionInput& input);
/// A number that comes too early waits until the gap is closed. Requests to resend and logouts are served at once, or
/// both sides could wait for each other for ever.
void keep_for_later(SessionCore& core, const SessionInput& input);
void serve_early_request(SessionCore& core, const SessionInput& input);

void count_message(SessionCore& core, const SessionInput& input);
void answer_test_request(SessionCore& core, const SessionInput& input);
void serve_request(SessionCore& core, const SessionInput& input);
void pass_reject(SessionCore& core, const SessionInput& input);
void pass_message(SessionCore& core, const SessionInput& input);
void fill_gap(SessionCore& core, const SessionInput& input);
void end_second_logon(SessionCore& core, const SessionInput& input);

// What rows of other files do as well.

/// The peer uses a number that was used before: Logout with both numbers, then the end.
void end_too_low(SessionCore& core, market::Sequence sequence);
/// `seen` came too early: asks for what is missing, where that has not been asked for already.
void request_resend(SessionCore& core, market::Sequence seen, bool is_duplicate);

}  // namespace actions
}  // namespace dojima::fix
