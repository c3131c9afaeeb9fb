#pragma once

// The venue's end of a MIT203 real-time session: one object per connection that may be open at once, taken from a pool
// and used again after `on_free`. It keeps the rules of the session (one Logon in time, heartbeats, silence, throttle,
// Logout on both sides) and hands validated commands to a handler. Deterministic: bytes, time and timers in, bytes and
// handler calls out. No allocation after construction. One thread; the object must outlive its connection.
//
//   ServerSession session(options, lse_21_2::k_dialect, scheduler, handler);   // on_accept returns &session
//
// The handler is called only from `on_bytes`, `on_writable`, `on_closed` and timers, never from a function that it
// calls itself.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/session_base.hpp"
#include "dojima/mit/sessions/message_rate.hpp"
#include "dojima/mit/sessions/server_session_states.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

/// The times and limits of a session, as section 8 of the reference has them.
struct ServerOptions {
  Duration heartbeat = std::chrono::seconds{3};  ///< > 0: we send one when nothing else was sent for so long
  unsigned logon_intervals = 2;                  ///< heartbeats until a connection without Logon is dropped
  unsigned silence_intervals = 5;                ///< heartbeats without a whole message until the peer is given up
  Duration linger = std::chrono::seconds{1};     ///< after our Logout, until we close if the peer does not
  Duration stall = std::chrono::seconds{10};     ///< > 0: so long may what is sent wait, none of it being read
  std::uint32_t throttle = 0;           ///< messages per second before and after logon; 0: no limit. See set_throttle
  std::uint32_t throttle_patience = 3;  ///< in this many seconds in a row with too many messages, Logout; >= 1
};

class ServerSession;

/// What the venue does. Exactly one `on_end` follows every logon answered with code 0.
class ServerHandler {
 public:
  /// How long this logon has to wait until it is looked at; 0: not at all. Called once for each.
  virtual Duration logon_delay(ServerSession& session, const Logon& logon, Time now) {
    static_cast<void>(session), static_cast<void>(logon), static_cast<void>(now);
    return {};
  }
  /// How long until on_logon() can be asked, because somebody else finds out what it needs; 0: now. Called before it,
  /// and again when that time is over.
  virtual Duration logon_wait(ServerSession& session, const Logon& logon, Time now) {
    static_cast<void>(session), static_cast<void>(logon), static_cast<void>(now);
    return {};
  }
  /// May the user log on? Code 0 begins the session (set user and throttle here); any other code is sent and the
  /// connection closed.
  virtual LogonReply on_logon(ServerSession& session, const Logon& logon, Time now) = 0;
  // The command has passed validation; header.user (and terms.owner) carry the session's user, all else of the header
  // but type and instrument is zero.
  virtual void on_new_order(ServerSession& session, market::NewOrder& order, Time now) = 0;
  virtual void on_replace(ServerSession& session, market::Replace& replace, Time now) = 0;
  virtual void on_cancel(ServerSession& session, market::Cancel& cancel, Time now) = 0;
  virtual void on_mass_cancel(ServerSession& session, market::MassCancel& cancel, Time now) = 0;
  virtual void on_quote(ServerSession& session, market::Quote& quote, Time now) = 0;
  /// The user is gone: `logout` when it said so, `forced` when we ended it (logout(), throttle, bytes that are no
  /// messages), `disconnect` when it fell silent, its connection broke or it did not read. Nothing can be sent any
  /// more.
  virtual void on_end(ServerSession& session, market::SessionEnd end, Time now) = 0;

  /// There is room again after `send` had none.
  virtual void on_writable(ServerSession& session, Time now) { static_cast<void>(session), static_cast<void>(now); }
  /// The connection is gone, logged on or not: the object may take another one. The last call for a connection.
  virtual void on_free(ServerSession& session, Time now) { static_cast<void>(session), static_cast<void>(now); }

 protected:
  ~ServerHandler() = default;
};

class ServerSession final : public SessionBase, private ServerSessionStates {
 public:
  ServerSession(const ServerOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                ServerHandler& handler);

  /// Sends a report with the code of its reason. False: no room now, or nobody is logged on; nothing was sent. A report
  /// that the dialect cannot carry also ends the session, because the user would miss it: on_end(forced) follows.
  [[nodiscard]] bool send(const market::OwnerReport& report);
  /// The same with a code of the caller's choice (partition or system suspended, for instance).
  [[nodiscard]] bool send(const market::OwnerReport& report, std::int32_t code);
  /// Sends a Reject. False as for `send`.
  [[nodiscard]] bool send(const Reject& reject);
  /// Says that a partition's service is not available. False as for `send`: it leaves the room for answers free.
  [[nodiscard]] bool send(const SystemStatus& status);
  /// Sends a report that answers the message in hand: also into the last of the room, which reports leave free. When
  /// that is touched the session reads no more until there is room again, so that every message can be answered.
  [[nodiscard]] bool answer(const market::OwnerReport& report, std::int32_t code);

  /// Sends Logout with the first 20 characters of `text` and closes after `linger`; on_end(forced) follows from the
  /// loop. Before a logon it closes the connection. Nothing when the session is over.
  void logout(std::string_view text);

  /// The handler wants no messages of this connection, until resume(). Messages that have come wait, and the peer's
  /// silence is not measured.
  void hold() { SessionBase::hold(k_by_owner); }
  void resume();

  [[nodiscard]] bool is_logged_on() const noexcept { return state_ == State::active; }

  /// The handler's number for the user, set at logon or while that waits; 0 when the connection was opened.
  [[nodiscard]] std::uint16_t user() const noexcept { return user_; }
  void set_user(std::uint16_t user) noexcept { user_ = user; }
  /// The handler's number for this object, for as long as it wants; 0 at first.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  void set_number(std::uint32_t number) noexcept { number_ = number; }
  /// The user's name as logged on; empty before.
  [[nodiscard]] std::string_view user_name() const noexcept { return user_name_.view(); }

  /// Messages per second that this user may send; 0: no limit. Holds until the connection is gone.
  void set_throttle(std::uint32_t per_second) noexcept { rate_.set_limit(per_second); }

  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

  /// The transition table (server_session_machine.hpp).
  struct Machine;

 private:
  [[nodiscard]] static Event event_of(Inbound::Kind kind) noexcept;
  void post(Event event, const Input& input);

  // What the rows do.
  void begin_connection(Time now);
  void take_logon(const Input& input);
  void hold_logon(const Input& input);
  void ask_for_logon(const Input& input);
  void begin_session(const Input& input);
  void refuse_before_logon(const Input& input);
  void refuse_second_logon(const Input& input);
  void refuse(const Input& input);
  void pass_new_order(const Input& input);
  void pass_replace(const Input& input);
  void pass_cancel(const Input& input);
  void pass_mass_cancel(const Input& input);
  void pass_quote(const Input& input);
  void pass_writable(Time now);
  void send_heartbeat(Time due) { put_heartbeat(due); }
  void answer_logout(Time now);
  void begin_forced_logout(const Input& input);
  void announce_forced_end(Time due);
  void expel(const Input& input);
  void drop_silent_peer(Time due);
  void drop_deaf_peer(Time now);
  [[nodiscard]] bool is_deaf(const Input& input) const noexcept;
  [[nodiscard]] bool is_unread(const Input&) const noexcept { return is_held(); }
  void keep_watching(Time due);
  void close_by_us();
  void end_forced(Time now);
  void end_broken(Time now);
  [[nodiscard]] bool is_end_due() const noexcept { return is_end_due_; }

  [[nodiscard]] bool is_listening() const noexcept {
    return state_ == State::waiting || state_ == State::delayed || state_ == State::active;
  }
  void on_message(Bytes message, char type, Time now);
  void on_broken_stream(Bytes rest, const Error& error, Time now);
  void on_heartbeat_due(Time due) override;
  void on_watch_due(Time due) override;

  template <class Encode>
  [[nodiscard]] Result<void> write(Encode encode);
  void check_sequence(const market::OwnerReport& report) const noexcept;
  void answer(const Reject& reject, Time now);
  void keep_room(Time now);
  [[nodiscard]] std::size_t encode_other(const market::OwnerReport& report, std::int32_t code, Room room);
  [[nodiscard]] bool put_report(const market::OwnerReport& report, std::int32_t code, Room room);
  void finish(market::SessionEnd end, Time now);
  void finish_connection(market::SessionEnd end, Time now);

  const ServerOptions options_;
  ServerHandler& handler_;
  State state_ = State::idle;
  bool is_end_due_ = false;  // a logon succeeded and the handler has not been called for its end
  std::uint16_t user_ = 0;
  std::uint32_t number_ = 0;
  Text<25> user_name_;
  Logon logon_;  // that came last

  MessageRate rate_;
  Time blocked_since_{};  // while a direct answer waits for room behind it

  // The report that was sent last over this connection, of those that are numbered.
  std::uint8_t last_partition_ = 0;
  market::Sequence last_sequence_{};
};

}  // namespace dojima::mit
