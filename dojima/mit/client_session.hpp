#pragma once

// A member's end of a MIT203 real-time session: it logs on when its connection opens, keeps the heartbeats, sends
// commands and hands reports to a handler. It remembers the highest SequenceNo of every partition (AppID) over all its
// connections and drops reports it has seen; gaps are normal, because numbers run over all users of a partition.
// Connecting again is its owner's business: hand the session to the fabric again after `on_end`. Deterministic, no
// allocation after construction, one thread; the object must outlive its connection.
//
//   ClientSession session({.user = "DOJIMA01", .password = "Secret#2026"}, lse_21_2::k_dialect, scheduler, handler);
//   fabric.connect(venue, session);      // on_logged_on follows
//   Result<void> sent = session.send(order);
//
// The handler is called only from `on_bytes`, `on_writable`, `on_closed` and timers, never from a function that it
// calls itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/session_base.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

struct ClientOptions {
  std::string user;                              ///< 1 to 25 characters
  std::string password;                          ///< 1 to 25 characters
  std::string new_password;                      ///< up to 25; empty: keep
  Duration heartbeat = std::chrono::seconds{3};  ///< > 0
  unsigned reply_intervals = 2;                  ///< heartbeats to wait for the LogonReply
  unsigned silence_intervals = 5;                ///< heartbeats without a whole message until the venue is given up
  std::uint32_t tag = 0;                         ///< for the owner of many sessions; never sent
};

class ClientSession;

/// What the member does. Every connection ends with exactly one `on_end`.
class ClientHandler {
 public:
  /// `days` until the password expires; negative: not stated.
  virtual void on_logged_on(ClientSession& session, std::int32_t days, Time now) = 0;
  /// The venue said no (LogonReply); the session closes, `on_end` follows.
  virtual void on_logon_refused(ClientSession& session, std::int32_t code, Time now) = 0;
  /// `code` is the reject code as on the wire, where the kind of report has one.
  virtual void on_report(ClientSession& session, const market::OwnerReport& report, std::int32_t code, Time now) = 0;
  virtual void on_reject(ClientSession& session, const Reject& reject, Time now) = 0;
  /// The connection is gone, or could not be made; the session may be connected again. `text` says why: the venue's
  /// Logout reason, or our own; empty when only `reason` is known. It dies when the handler returns.
  virtual void on_end(ClientSession& session, link::CloseReason reason, std::string_view text, Time now) = 0;

  /// A whole message that could not be understood was dropped; the session goes on.
  virtual void on_trouble(ClientSession& session, const Error& error, Time now) {
    static_cast<void>(session), static_cast<void>(error), static_cast<void>(now);
  }
  /// A partition's service is not available: the venue refuses new orders there until its answers say otherwise, as
  /// no message says that it is available again.
  virtual void on_system_status(ClientSession& session, const SystemStatus& status, Time now) {
    static_cast<void>(session), static_cast<void>(status), static_cast<void>(now);
  }
  /// There is room again after `send` had none.
  virtual void on_writable(ClientSession& session, Time now) { static_cast<void>(session), static_cast<void>(now); }

 protected:
  ~ClientHandler() = default;
};

class ClientSession final : public MemberSession {
 public:
  /// Throws std::invalid_argument for a user or password that no Logon can carry.
  ClientSession(const ClientOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                ClientHandler& handler);

  /// Sends a command. `wrong_state` when not logged on, `no_room` when the network is behind (`on_writable` follows),
  /// else what the dialect could not carry; nothing was sent then.
  [[nodiscard]] Result<void> send(const market::NewOrder& order);
  [[nodiscard]] Result<void> send(const market::Replace& replace);
  [[nodiscard]] Result<void> send(const market::Cancel& cancel);
  [[nodiscard]] Result<void> send(const market::MassCancel& cancel);
  [[nodiscard]] Result<void> send(const market::Quote& quote);

  /// Sends Logout with the first 20 characters of `text`, waits for the venue's for one heartbeat interval and closes.
  /// Before the logon is answered it closes at once. Nothing when the session is over.
  void logout(std::string_view text);

  /// The next logon asks for this password, and those after one that was accepted are made with it. As
  /// ClientOptions::new_password; empty: it asks for none. Throws std::invalid_argument.
  void change_password(std::string_view new_password);
  /// The password of the next logon. It changes when a logon that asked for a new one is accepted.
  [[nodiscard]] std::string_view password() const noexcept { return logon_.password.view(); }
  /// What the next logon asks for; empty: nothing.
  [[nodiscard]] std::string_view new_password() const noexcept { return logon_.new_password.view(); }
  /// The logon of the session at hand changed the password.
  [[nodiscard]] bool has_changed_password() const noexcept { return has_changed_password_; }

  [[nodiscard]] bool is_logged_on() const noexcept { return state_ == State::active; }
  [[nodiscard]] std::uint32_t tag() const noexcept { return tag_; }

  /// The highest SequenceNo seen from a partition, over all connections; 0: none.
  [[nodiscard]] market::Sequence highest_sequence(std::uint8_t partition) const noexcept { return highest_[partition]; }
  /// The venue begins to number anew (a new day): every number is welcome again.
  void forget_sequences() noexcept { highest_ = {}; }
  /// No report is read until it is called with true; the venue is slowed down, and its silence is not measured. For the
  /// connection at hand, which begins to read.
  void set_reading(bool is_wanted);
  /// New orders, replaces and cancels of this connection that the venue has not answered; mass cancels and quotes,
  /// which have several answers, not counted. Rejects of them are counted here; which report is an answer only its
  /// owner knows, who has sent them, and says count_answer() of each.
  [[nodiscard]] std::uint64_t unanswered() const noexcept { return unanswered_; }
  /// One was answered by a report.
  void count_answer() noexcept { unanswered_ -= unanswered_ != 0 ? 1 : 0; }
  /// The network had little room left for the last command: what follows may find none until on_writable.
  [[nodiscard]] bool is_crowded() const noexcept { return is_crowded_; }

  /// Reports dropped because their number had been seen.
  [[nodiscard]] std::uint64_t duplicates() const noexcept { return duplicates_; }

  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

 private:
  enum class State : std::uint8_t {
    idle,     // no connection
    waiting,  // the Logon was sent
    active,   // logged on
    leaving,  // we said Logout and wait for the answer
    closing,  // close was called
  };

  /// What happens to a session. The first seven are the kinds of a reply, in their order.
  enum class Event : std::uint8_t {
    nothing,
    heartbeat,
    logon_reply,
    logout,
    reject,
    report,
    system_status,
    unreadable,    // a whole message that could not be understood
    out_of_step,   // bytes that are no messages
    stuck,         // the Logon does not fit the connection
    logout_by_us,  // by our own side
    opened,
    writable,
    closed,
    heartbeat_due,
    watch_due,
  };
  struct Input;
  [[nodiscard]] static Event event_of(Outbound::Kind kind) noexcept;

 public:
  /// The transition table (client_session_machine.hpp).
  struct Machine;

 private:
  void post(Event event, const Input& input);

  // What the rows do.
  void begin_logon(Time now);
  void close_without_logon();
  [[nodiscard]] bool is_accepted(const LogonReply& reply) const noexcept { return reply.code == 0; }
  void begin_session(const Input& input);
  void end_refused(const Input& input);
  void end_rejected(const Input& input);
  void give_up_logon();
  void report_second_reply(const Input& input);
  void pass_reject(const Input& input);
  void pass_system_status(const Input& input);
  void pass_trouble(const Input& input);
  void pass_writable(Time now);
  void take_report(const Input& input);
  void send_heartbeat(Time due) { put_heartbeat(due); }
  void begin_logout(const Input& input);
  void answer_logout(const Logout& logout);
  void give_up_logout();
  void close_with_text(const Input& input);
  void close_with_reason(const Logout& logout);
  void drop_silent_venue();
  void drop_broken_stream();
  void end_connection(const Input& input);

  [[nodiscard]] bool is_listening() const noexcept { return state_ != State::idle && state_ != State::closing; }
  [[nodiscard]] bool is_unread() const noexcept { return is_held(); }
  void keep_watching(Time due) { watch_timer_.arm(due + silence_); }
  void on_message(Bytes message, Time now);
  void on_heartbeat_due(Time due) override;
  void on_watch_due(Time due) override;

  template <class Encode>
  [[nodiscard]] Result<void> send_counted(Encode encode);
  template <class Encode>
  [[nodiscard]] Result<void> send_command(Encode encode);
  template <class Encode>
  [[nodiscard]] Result<void> write(Encode encode);

  ClientHandler& handler_;
  const std::uint32_t tag_;
  State state_ = State::idle;
  bool has_changed_password_ = false;
  bool is_crowded_ = false;
  std::uint64_t unanswered_ = 0;
  std::array<market::Sequence, 256> highest_{};
  std::uint64_t duplicates_ = 0;
};

}  // namespace dojima::mit
