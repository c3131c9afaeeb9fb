#pragma once

// What a session consists of: the parts that each keep one thing (numbers, store and way out, own messages, checks,
// times) and the state of the transition table (session_machine.hpp), whose rows work on them. Session is its face.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/text.hpp"
#include "dojima/fix/error_text.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/session/admin_messages.hpp"
#include "dojima/fix/session/incoming_checks.hpp"
#include "dojima/fix/session/incoming_sequence.hpp"
#include "dojima/fix/session/outbox.hpp"
#include "dojima/fix/session/session_events.hpp"
#include "dojima/fix/session/session_log.hpp"
#include "dojima/fix/session/session_timers.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::fix {

/// How a connection that was logged on came to its end, for the resets that follow some of them.
enum class SessionEnd : std::uint8_t {
  broken,   ///< without a word
  logout,   ///< after a Logout of either side
  refused,  ///< a rule was broken
};

/// The peer's ResendRequests one after the other that ask for nothing behind what was asked for before.
struct RepeatedRequest {
  market::Sequence highest;  // that one of them began with
  unsigned count = 0;
};

/// The peer's resets in a live session, one after the other.
struct RepeatedReset {
  Time latest{};
  unsigned count = 0;
};

struct SessionCore final : SendGateListener {
  /// `face` is what the handler is called with. Null `store`: one of its own. Throws as Session's constructors do.
  SessionCore(Session& face, sched::Scheduler& scheduler, SessionConfig config, Handler& handler, MessageStore* store);

  ~SessionCore();
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  void post(SessionEvent event, const SessionInput& input);
  [[nodiscard]] Time now() const noexcept { return timers.now(); }
  /// From on_open until we close.
  [[nodiscard]] bool is_receiving() const noexcept { return transport != nullptr && state != SessionState::closing; }

  /// Serves what `bytes` begin with, as far as they are whole messages; says how many bytes that were. After the end
  /// all of them are used.
  [[nodiscard]] std::size_t receive(Bytes bytes);
  /// Copies to the transport what may go, and starts the heartbeat interval anew when something went. Ends the
  /// session when a message could not be stored.
  void transmit();
  /// What waited until it was durable may go.
  void on_gate_moved() override;
  /// While the store is short of room nothing is read: the answers might find none.
  void on_room(bool is_short) override;
  /// Reports to the handler messages that were asked for again and were gap-filled instead, and one that could not be
  /// stored.
  void report_store();
  // Why no message is read.
  static constexpr std::uint8_t k_by_owner = 1;
  static constexpr std::uint8_t k_blocked = 2;  // an acceptor's own messages wait for room
  static constexpr std::uint8_t k_store = 4;    // the store is short of room
  void hold(std::uint8_t why);
  void resume(std::uint8_t why);
  void note_blocked();
  void note_unblocked();
  [[nodiscard]] bool is_held() const noexcept { return holds != 0; }
  [[nodiscard]] bool is_held(std::uint8_t why) const noexcept { return (holds & why) != 0; }

  /// Asks for the end of the connection, once what may not leave yet has left; on_logout will give `reason`.
  void close(std::string_view reason);

  Session& session;
  SessionLog log;
  LoggedHandler logged;
  Handler& handler;  // the user's, or `logged`
  const SessionConfig config;
  const VersionRules& version;
  const Dictionary& dictionary;
  const std::unique_ptr<MemoryStore> own_store;
  MessageStore& store;
  Outbox outbox;
  AdminMessages admin;
  IncomingSequence incoming;
  IncomingChecks checks;
  const std::unique_ptr<MessageView> own_view;  // null: it is shared
  MessageView& view;                            // of the message in hand
  link::Transport* transport = nullptr;
  SessionState state = SessionState::disconnected;
  std::uint8_t holds = 0;  // of this connection
  Time held_since{};
  bool is_blocked = false;     // messages wait for room in the transport
  bool has_room = true;        // the last transmission did not end for want of room
  bool was_logged_on = false;  // in this connection: on_logout is due
  bool closes_once_sent = false;
  SessionEnd end = SessionEnd::broken;
  Text<128> end_reason;
  Error refusal;                        // of this connection's Logon
  Text<k_error_text_max> refusal_text;  // the same as a sentence
  bool is_reset_awaited = false;        // a Logon of ours with 141=Y waits for its answer
  RepeatedReset repeated_reset;
  unsigned rejects_in_a_row = 0;  // of ours, no message accepted in between
  RepeatedRequest repeated_request;
  SessionTimers timers;
};

}  // namespace dojima::fix
