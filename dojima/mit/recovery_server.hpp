#pragma once

// The venue's end of a MIT203 recovery session: a member that has a real-time session logs on with the same name and
// password on a port of its own and asks for the messages of a partition that it missed. One object per connection that
// may be open at once, used again after `on_free`. It keeps the rules (logon in time, requests one after the other,
// heartbeats, silence, the end when nothing more is asked for); what is sent comes from a handler. Deterministic, no
// allocation after construction, one thread; the object must outlive its connection.
//
//   RecoveryServer session(options, lse_21_2::k_dialect, scheduler, handler);   // on_accept returns &session
//   ... at the end of each turn of the loop: session.serve(now);

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/session_base.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

struct RecoveryOptions {
  Duration heartbeat = std::chrono::seconds{3};  ///< > 0: we send one when nothing else was sent for so long
  unsigned logon_intervals = 2;                  ///< heartbeats until a connection without Logon is dropped
  unsigned silence_intervals = 5;                ///< heartbeats without a whole message until the peer is given up
  /// Heartbeats after a report, a refused request or the logon until the session is ended for want of a request. The
  /// published rules say three in one place and five in another.
  unsigned idle_intervals = 5;
  Duration linger = std::chrono::seconds{1};  ///< after our Logout, until we close if the peer does not
  /// For drop copies: each request begins at once, beside those before it, and none ends as long as the session lasts.
  bool follows = false;
};

class RecoveryServer;

/// What the venue does.
class RecoveryHandler {
 public:
  /// May the user recover? Code 0 begins the session (set the user here); any other code is sent and the connection
  /// closed. NewPassword is ignored.
  /// How long the logon is looked at later, with all else that comes meanwhile refused as before; then it is asked
  /// anew. 0: now.
  [[nodiscard]] virtual Duration recovery_logon_delay(RecoveryServer& session, const Logon& logon, Time now) {
    static_cast<void>(session), static_cast<void>(logon), static_cast<void>(now);
    return {};
  }
  virtual LogonReply on_recovery_logon(RecoveryServer& session, const Logon& logon, Time now) = 0;
  /// Whether a request is taken. `good`: `serve` is called until it says that all has been sent.
  virtual Recovery on_recovery_request(RecoveryServer& session, const MissedMessageRequest& request, Time now) = 0;
  /// Sends the next messages of the request that was taken, as long as `send` takes them, and some in one call. The
  /// response once nothing more follows; none: call again.
  virtual std::optional<Recovery> serve_recovery(RecoveryServer& session, Time now) = 0;
  /// The connection is gone, logged on or not: the object may take another one. The last call for a connection.
  virtual void on_recovery_free(RecoveryServer& session, Time now) = 0;

 protected:
  ~RecoveryHandler() = default;
};

class RecoveryServer final : public SessionBase {
 public:
  /// Requests that wait while another is served; more are refused with `limit`.
  static constexpr std::size_t k_most_waiting = 8;

  RecoveryServer(const RecoveryOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                 RecoveryHandler& handler);

  /// Goes on with the request in hand. False: nothing is asked for, or there is no room and on_writable goes on.
  bool serve(Time now);
  /// A message again, in its original form. False: no room now; nothing was sent. Trouble of the dialect is `false` as
  /// well and ends the session, because the member would miss it.
  [[nodiscard]] bool send(const market::OwnerReport& report, std::int32_t code);
  /// Of a session that follows: all that was asked for has been sent, and what comes from here on is new. False: no
  /// room now; nothing was sent.
  [[nodiscard]] bool say_complete();
  /// Says that a partition cannot be recovered now, or can again. Nothing for who is not logged on.
  void send(const SystemStatus& status);
  /// Logout with the first 20 characters of `text`, then the end.
  void logout(std::string_view text, Time now);

  [[nodiscard]] bool is_logged_on() const noexcept { return state_ == State::active; }
  [[nodiscard]] bool is_serving() const noexcept { return state_ == State::active && has_request_; }
  [[nodiscard]] std::uint16_t user() const noexcept { return user_; }
  void set_user(std::uint16_t user) noexcept { user_ = user; }

  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

 private:
  enum class State : std::uint8_t {
    idle,     // no connection
    waiting,  // connected, no logon yet
    active,   // logged on
    ended,    // Logout was said; what comes in is dropped until the connection closes
    closing,  // close was called
  };

  void on_message(Bytes message, char type, Time now);
  void on_logon(const Logon& logon, Time now);
  void on_request(const MissedMessageRequest& request, Time now);
  void begin(const MissedMessageRequest& request, Time now);
  void begin_next(Time now);
  void refuse(const Reject& reject, Time now);
  void on_heartbeat_due(Time due) override;
  void on_watch_due(Time due) override;
  [[nodiscard]] Time give_up_at() const noexcept;
  void close(link::CloseReason reason);
  template <class Encode>
  [[nodiscard]] Result<void> write(Encode encode);
  template <class Encode>
  void write_or_drop(Encode encode);

  const RecoveryOptions options_;
  RecoveryHandler& handler_;
  State state_ = State::idle;
  bool has_logon_ = false;  // one that is looked at later
  Logon logon_;
  std::uint16_t user_ = 0;
  bool has_request_ = false;  // one is being served
  std::array<MissedMessageRequest, k_most_waiting> waiting_{};
  std::size_t waiting_count_ = 0;
  Time last_received_{};  // a whole message of the peer
  Time last_request_{};   // or the end of the one before, or the logon
};

}  // namespace dojima::mit
