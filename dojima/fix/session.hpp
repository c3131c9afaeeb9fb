#pragma once

// One FIX session, initiator or acceptor, FIX 4.4, FIX 4.2 or FIXT 1.1 with 5.0 SP2: logon, heartbeats, sequence
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
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/market/order.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

enum class Role : std::uint8_t { initiator, acceptor };

struct SessionConfig {
  Role role = Role::acceptor;
  std::string begin_string = "FIX.4.4";  ///< or "FIX.4.2", or "FIXT.1.1"
  std::string sender_comp_id;            ///< ours
  std::string target_comp_id;            ///< the peer's
  /// What an initiator asks for; an acceptor takes the peer's. 0: no heartbeats, no test requests.
  std::chrono::seconds heartbeat_interval{30};
  bool reset_on_logon = false;  ///< every logon begins both numbers at 1
  /// SendingTime(52) may be this far from now; 0: any.
  std::chrono::seconds sending_time_tolerance{120};
  std::chrono::seconds logon_timeout{10};
  std::chrono::seconds logout_timeout{10};
  unsigned timestamp_decimals = 3;                 ///< of what we write: 0, 3, 6 or 9
  std::size_t max_body = 4096;                     ///< largest BodyLength, both ways; at most k_body_max
  StoreCapacity store;                             ///< of the session's own store
  std::size_t early_bytes = std::size_t{1} << 16;  ///< for messages that arrive before a gap is closed
  /// Shared by the sessions of a thread, in place of early_bytes for each; it outlives the session. May be null.
  EarlyBuffers* early_buffers = nullptr;
  /// Gets every message and what happens to the session; it outlives the session. May be null.
  MessageLog* log = nullptr;
  /// An initiator sends them (553, 554); an acceptor demands what is not empty.
  std::string username;
  std::string password;
  std::string test_request_text = "TEST";  ///< TestReqID(112) of our test requests
  /// DefaultApplVerID(1137) of our Logon in FIXT.1.1, e.g. "9" for FIX 5.0 SP2. Empty: that of the dictionary, which
  /// is what the peer's has to be.
  std::string default_appl_ver_id;
  /// What messages are held against, and by which rules; it outlives the session. Null: the built-in dictionary of
  /// begin_string, or FIX 4.4 where there is none.
  const Dictionary* dictionary = nullptr;
  Checks checks{};
};

class Session;
struct SessionCore;

/// Who uses a session. Called from the loop only, never from inside a call of the session. Views die on return.
class Handler {
 public:
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
  /// Finishes the message and gives it its number. It leaves at once when logged on and the transport has room, else
  /// later and in order: when there is room, or by resend after the next logon. Errors: what the writer met, or that
  /// the message could not be stored, which ends the session with a Logout; the number is not used up then.
  Result<market::Sequence> send(Writer& writer) noexcept;

  /// Answers `message` with a session-level Reject(3): for values that only the application can judge. In FIX
  /// 4.2 `reason` is named only up to 11. An empty text becomes the reason's standard name; `ref_tag` 0: none.
  Result<market::Sequence> reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                  std::string_view text = {}) noexcept;

  /// Ends the session in order: Logout, the peer's Logout, close; without an answer in logout_timeout, close. What is
  /// not connected stays so. `text` may be empty.
  void logout(std::string_view text);
  /// Ends the connection without a word.
  void disconnect();

  [[nodiscard]] bool is_logged_on() const noexcept;
  /// From on_open until on_closed.
  [[nodiscard]] bool is_connected() const noexcept;
  [[nodiscard]] market::Sequence next_outgoing() const noexcept;
  [[nodiscard]] market::Sequence next_incoming() const noexcept;
  /// Messages sent in this session that the transport has not taken yet: how far a slow peer lags.
  [[nodiscard]] std::uint64_t waiting() const noexcept;
  [[nodiscard]] const SessionConfig& config() const noexcept;
  /// For setting numbers by hand, while not connected.
  [[nodiscard]] MessageStore& store() noexcept;

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
