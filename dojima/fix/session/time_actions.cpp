#include "dojima/fix/session/time_actions.hpp"

namespace dojima::fix::actions {

/// Where messages wait for room in the transport, the peer is going to hear from us anyway. A peer that hears nothing
/// may end the session, and misses nothing; an answer that finds no room in the store would be lost.
void send_heartbeat(SessionCore& core) {
  const bool is_held_back = core.config.profile == Profile::canonical && core.timers.is_test_request_sent();
  const bool is_spared = core.is_held(SessionCore::k_store) && core.store.must_spare_room();
  if (core.outbox.waiting() == 0 && !is_held_back && !is_spared) {
    core.admin.heartbeat(core.now());
    core.transmit();
  }
  if (core.state == SessionState::logged_on) core.timers.keep_beating();
}

bool is_deaf(const SessionCore& core) noexcept {
  return core.is_held() && core.is_blocked && core.timers.is_stalled();
}

bool is_held(const SessionCore& core) noexcept {
  return core.is_held();
}

/// It is not the peer that is silent. Where the disk says why there is no room in the store, none may come for long:
/// the peer is not left waiting.
void keep_watching(SessionCore& core) {
  const Error trouble = core.is_held(SessionCore::k_store) ? core.store.room_trouble() : Error{};
  if (trouble.code != ErrorCode::none) {
    core.handler.on_trouble(core.session, trouble);
    return core.post(SessionEvent::must_end, {.text = "messages cannot be stored"});
  }
  core.timers.watch_held(core.is_blocked);
}

void send_test_request(SessionCore& core) {
  core.timers.note_test_request();
  core.admin.test_request(core.now());
  core.transmit();
}

void probe_peer(SessionCore& core, const SessionInput& input) {
  core.timers.note_probe(input.limit);
  core.admin.test_request(core.now());
  core.transmit();
}

void drop_silent_peer(SessionCore& core) {
  core.close("no answer to a test request");
}

}  // namespace dojima::fix::actions
