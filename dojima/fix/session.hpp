#pragma once

// One FIX session, initiator or acceptor, FIX 4.0 to 4.4 or FIXT 1.1 with 5.0 to 5.0 SP2: logon, heartbeats, sequence
// numbers, resends, rejects, logout. A deterministic state machine: bytes and time come in through link::Connection,
// bytes go out through its Transport, timers are the scheduler's; no socket, no clock, no thread. The session outlives
// its connections and keeps its numbers and messages in a MessageStore. After construction nothing is allocated.
//
//   Session session(scheduler, {.role = Role::initiator, .sender_comp_id = "ME", .target_comp_id = "VENUE"}, handler);
//   fabric.connect(address, session);
//   ... in Handler::on_logon:
//   Writer order = session.begin(type::k_new_order_single);
//   order.field(tag::k_cl_ord_id, "1").field(tag::k_side, '1') ...;
//   const Result<market::Sequence> number = session.send(order);

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/market/order.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

class Session;
struct SessionCore;

/// What a handler makes of a Logon that has kept every rule.
struct LogonDecision {
  bool is_accepted = true;
  /// For the Logout of a refusal where the session's configuration wants one; static text, or text of the handler.
  std::string_view text{};
  /// NewPassword(925) was taken: the next Logon must carry it. A Logon with 925 is refused otherwise, unless the
  /// session has SessionConfig::credentials, which take it.
  bool is_password_changed = false;
};

/// Who uses a session. Called from the loop only, never from inside a call of the session. Views die on return.
class Handler {
 public:
  /// The peer's Logon has kept every rule; names, credentials and numbers are right, nothing was answered. Whether it
  /// begins a session. Of an initiator: the answer to its own Logon.
  virtual LogonDecision on_logon_request(Session& /*session*/, const MessageView& /*logon*/, Time /*now*/) {
    return {};
  }
  /// Both logons are exchanged; what was sent before and is missing on either side follows by resend.
  virtual void on_logon(Session& session, Time now) = 0;
  /// The session that on_logon began has ended; `reason` is the peer's text where it gave one. Messages sent from now
  /// on wait in the store.
  virtual void on_logout(Session& session, std::string_view reason, Time now) = 0;
  /// An application message, each exactly once and in order. The session counts it as received when this returns.
  virtual void on_message(Session& session, const MessageView& message, Time now) = 0;
  /// The peer refused a message of ours with a session-level Reject(3).
  virtual void on_reject(Session& /*session*/, const MessageView& /*reject*/, Time /*now*/) {}
  /// The connection is gone, or could not be made; after on_logout where there was one. The session may be connected
  /// again from here.
  virtual void on_closed(Session& /*session*/, link::CloseReason /*reason*/, Time /*now*/) {}
  /// All that found no room in the transport for a while has left.
  virtual void on_unblocked(Session& /*session*/, Time /*now*/) {}
  /// Input that was ignored or rejected, a logon refused, a peer too slow, a message that
  /// could not be stored. For logs and counters only.
  virtual void on_trouble(Session& session, const Error& error) = 0;

 protected:
  ~Handler() = default;
};

class Session final : public link::Connection {
 public:
  /// With a MemoryStore of its own. The scheduler must have room for three timers; it and the handler must outlive the
  /// session. Throws std::invalid_argument for a configuration that cannot work, std::bad_alloc.
  Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler);
  /// With a store that outlives the session.
  Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler, MessageStore& store);
  ~Session();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Opens the next message, in place in the store. Only one message is open at a time: a further begin, and anything
  /// the session itself sends, forgets it, and send then answers `wrong_state`.
  [[nodiscard]] Writer begin(MsgType type) noexcept;
  /// The same with a SendingTime(52) of the caller's instead of now, for instance that of an event; a resend names it
  /// as OrigSendingTime(122). The peer holds it against its own tolerance.
  [[nodiscard]] Writer begin(MsgType type, Time sending_time) noexcept;
  /// Finishes the message and gives it its number. It leaves at once when logged on and the transport has room, else
  /// later and in order: when there is room, or by resend after the next logon. Errors: what the writer met, or that
  /// the message could not be stored, which ends the session with a Logout; the number is not used up then.
  Result<market::Sequence> send(Writer& writer) noexcept;

  /// Answers `message` with a session-level Reject(3): for values that only the application can judge. `reason` and
  /// `ref_tag` are named as far as the session's version knows them. An empty text becomes the reason's standard name;
  /// `ref_tag` 0: none. `target_sub_id`: TargetSubID(57) of the answer, where the configuration has none; empty: none.
  Result<market::Sequence> reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                  std::string_view text = {}, std::string_view target_sub_id = {}) noexcept;

  /// Ends the session in order: Logout, the peer's Logout, close; without an answer in logout_timeout, close. What is
  /// not connected stays so. `text` may be empty.
  void logout(std::string_view text);
  /// Begins both numbers at 1 and forgets what was stored: at once where there is no session, else by a Logon with
  /// ResetSeqNumFlag(141), whose answer resets the peer's. Messages that the transport has not taken yet are lost.
  void reset();
  /// Ends the connection without a word.
  void disconnect();

  /// With false no message of the peer is read until it is called with true: those that have come wait, the network
  /// slows the peer down, and its silence is not measured. For the connection at hand, which begins to read; nothing
  /// where there is none. An acceptor holds itself besides while messages of its own find no room in the transport, and
  /// ends the connection of a peer that takes none of them for SessionConfig::stall_timeout. Any session holds itself
  /// while its store is short of room (MessageStore::is_short_of_room); where the disk says why there is none, it ends
  /// with a Logout after stall_timeout, 10 s where that is 0.
  void set_reading(bool is_wanted);
  /// Messages that were sent find no room in the transport.
  [[nodiscard]] bool is_blocked() const noexcept;

  /// Asks the peer for a sign of life, where that is not open already: a TestRequest now, and the end of the connection
  /// unless anything arrives within `limit`. Nothing to do for a session that is not logged on.
  void probe(std::chrono::nanoseconds limit);

  [[nodiscard]] bool is_logged_on() const noexcept;
  /// Why the Logon of this connection was refused; code `none`: it was not.
  [[nodiscard]] Error refusal() const noexcept;
  /// The same as a sentence: the handler's own text where it decided, else the field, what was expected and what came.
  /// Valid until the next connection.
  [[nodiscard]] std::string_view refusal_text() const noexcept;
  /// From the end of a session, before on_logout, until the next connection: it ended after a Logout of the peer, or
  /// of this side that the peer answered, not by a lost connection or a broken rule.
  [[nodiscard]] bool has_ended_by_logout() const noexcept;
  /// From on_open until on_closed.
  [[nodiscard]] bool is_connected() const noexcept;
  [[nodiscard]] market::Sequence next_outgoing() const noexcept;
  [[nodiscard]] market::Sequence next_incoming() const noexcept;
  /// Messages sent in this session that the transport has not taken yet: how far a slow peer lags.
  [[nodiscard]] std::uint64_t waiting() const noexcept;
  [[nodiscard]] const SessionConfig& config() const noexcept;
  /// What a message of this session is held against; its groups are found by it.
  [[nodiscard]] const Dictionary& dictionary_of(const MessageView& message) const noexcept;
  /// For setting numbers by hand, while not connected.
  [[nodiscard]] MessageStore& store() noexcept;
  [[nodiscard]] const MessageStore& store() const noexcept;

  // link::Connection
  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

  /// The transition table (session_machine.hpp).
  struct Machine;

 private:
  std::unique_ptr<SessionCore> core_;  // session/session_core.hpp: the parts that a session is made of
};

}  // namespace dojima::fix
