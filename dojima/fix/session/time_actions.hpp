#pragma once

// What the rows of session_machine.hpp do when an interval has passed.

#include "dojima/fix/session/session_core.hpp"

namespace dojima::fix::actions {

[[nodiscard]] inline bool is_test_request_sent(const SessionCore& core) noexcept {
  return core.timers.is_test_request_sent();
}
void send_heartbeat(SessionCore& core);
void send_test_request(SessionCore& core);
/// A TestRequest before silence calls for one; the peer has the limit to say anything.
void probe_peer(SessionCore& core, const SessionInput& input);
void drop_silent_peer(SessionCore& core);
[[nodiscard]] bool is_deaf(const SessionCore& core) noexcept;
[[nodiscard]] bool is_held(const SessionCore& core) noexcept;
void keep_watching(SessionCore& core);

}  // namespace dojima::fix::actions
