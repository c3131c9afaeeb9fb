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
#include "dojima/base/text.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session/early_messages.hpp"
#include "dojima/fix/session/outbox.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

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
  /// Input that was ignored or rejected, a logon refused, a peer too slow. For logs and counters only.
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
  /// later and in order: when there is room, or by resend after the next logon. Errors: what the writer met; the number
  /// is not used up then.
  Result<market::Sequence> send(Writer& writer) noexcept;

  /// Answers `message` with a session-level Reject(3): for values that only the application can judge. `reason` in
  /// FIX 4.2 stands only up to 11. An empty text becomes the reason's standard name; `ref_tag` 0: none.
  Result<market::Sequence> reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                  std::string_view text = {}) noexcept;

  /// Ends the session in order: Logout, the peer's Logout, close; without an answer in logout_timeout, close. What is
  /// not connected stays so. `text` may be empty.
  void logout(std::string_view text);
  /// Ends the connection without a word.
  void disconnect();

  [[nodiscard]] bool is_logged_on() const noexcept { return state_ == State::logged_on; }
  /// From on_open until on_closed.
  [[nodiscard]] bool is_connected() const noexcept { return transport_ != nullptr; }
  [[nodiscard]] market::Sequence next_outgoing() const noexcept { return store_.next_outgoing(); }
  [[nodiscard]] market::Sequence next_incoming() const noexcept { return store_.next_incoming(); }
  /// Messages sent in this session that the transport has not taken yet: how far a slow peer lags.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return is_logged_on() ? outbox_.waiting() : 0; }
  [[nodiscard]] const SessionConfig& config() const noexcept { return config_; }
  /// For setting numbers by hand, while not connected.
  [[nodiscard]] MessageStore& store() noexcept { return store_; }

  // link::Connection
  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

 private:
  enum class State : std::uint8_t {
    disconnected,    // no transport
    awaiting_logon,  // initiator: ours is sent; acceptor: nothing was received
    logged_on,
    logout_sent,  // ours is sent, the peer's is awaited
    closing,      // nothing is read any more, on_closed follows
  };

  /// What happens to a session. Message types of its own have the code of their MsgType; whatever else a peer sends is
  /// below k_msg_type_end as well, so the events from there on are none that it could name.
  enum class Event : std::uint32_t {
    heartbeat = '0',
    test_request = '1',
    resend_request = '2',
    reject = '3',
    sequence_reset = '4',
    logout = '5',
    logon = 'A',
    opened = k_msg_type_end,
    closed,
    writable,
    garbled,           // bytes that are no message, or a message whose tags are no numbers
    arrived,           // a message; its number has not been looked at
    logon_accepted,    // by us
    logon_refused,     // by us, or by the peer
    must_end,          // the peer broke a rule that ends a session
    deaf,              // the peer does not read
    logout_asked,      // by our own side
    disconnect_asked,  // by our own side
    heartbeat_due,
    silence_due,
    state_due,
  };
  struct Input;

 public:
  /// The transition table (session_machine.hpp).
  struct Machine;

 private:
  Session(sched::Scheduler& scheduler, SessionConfig config, Handler& handler, std::unique_ptr<MemoryStore> own,
          MessageStore* store);

  void post(Event event, const Input& input);

  // session.cpp: connection, logon, logout, timers
  [[nodiscard]] bool is_receiving() const noexcept { return transport_ != nullptr && state_ != State::closing; }
  [[nodiscard]] Time now() const noexcept { return scheduler_.now() > now_ ? scheduler_.now() : now_; }
  void transmit();
  void report_overwritten();
  void close(std::string_view reason);
  void send_logon(bool is_reset);
  [[nodiscard]] Result<void> check_logon(const Result<void>& read) const;
  [[nodiscard]] bool are_credentials_right() const noexcept;
  void reset_numbers();
  void reset_in_session(market::Sequence sequence);
  void send_logout(std::string_view text);
  void note_received();
  void on_heartbeat_due(Time due);
  void on_silence_due(Time due);
  void on_state_due(Time due);

  // session_in.cpp: sequence numbers, gaps, rejects, session messages
  void receive(const Frame& frame);
  [[nodiscard]] Result<void> check_header() const noexcept;
  [[nodiscard]] Result<void> check_duplicate() const noexcept;
  void end_too_low(market::Sequence sequence);
  void process(const Result<void>& read, market::Sequence sequence);
  void reset_numbers_by(const Result<void>& read, market::Sequence sequence);
  [[nodiscard]] Result<void> answer_resend_request();
  void request_resend(market::Sequence seen, bool is_duplicate);
  void advance(market::Sequence next);
  void forget_gap();
  void drain_early();
  void process_early(Bytes message, market::Sequence sequence);
  void refuse_message(market::Sequence sequence, const Error& error);

  // What the rows do and ask, in session.cpp ...
  void begin_connection();
  void begin_as_initiator();
  void receive_logon(const Input& input);
  void begin_session(const Input& input);
  void refuse(const Input& input);
  void give_up_logon();
  void begin_logout(const Input& input);
  void give_up_logout();
  void answer_logout(const Input& input);
  void take_logout(const Input& input);
  void end_unopened(const Input& input);
  void end_with_logout(const Input& input);
  void close_with_text(const Input& input);
  void send_heartbeat(const Input& input);
  void send_test_request(const Input& input);
  void drop_silent_peer();
  void drop_deaf_peer();
  void transmit_more();
  void report_trouble(const Input& input);
  void end_connection(const Input& input);
  [[nodiscard]] bool is_initiator() const noexcept { return config_.role == Role::initiator; }
  [[nodiscard]] bool is_test_request_sent() const noexcept { return is_test_request_sent_; }

  // ... and in session_in.cpp.
  void receive_live(const Input& input);
  void receive_low(const Input& input);
  void keep_for_later(const Input& input);
  void serve_early_request(const Input& input);
  void serve_request(const Input& input);
  [[nodiscard]] ReadRules read_rules() const noexcept;
  void count_message(const Input& input);
  void answer_test_request(const Input& input);
  void pass_reject(const Input& input);
  void pass_message(const Input& input);
  void fill_gap(const Input& input);
  void end_second_logon(const Input& input);
  [[nodiscard]] bool is_low(const Input& input) const noexcept;
  [[nodiscard]] bool is_early(const Input& input) const noexcept;
  [[nodiscard]] bool is_due(const Input& input) const noexcept;

  SessionConfig config_;
  sched::Scheduler& scheduler_;
  Handler& handler_;
  std::unique_ptr<MemoryStore> own_store_;
  MessageStore& store_;
  Outbox outbox_;
  EarlyMessages early_;
  const Dictionary& dictionary_;
  MessageView view_;  // of the message in hand
  link::Transport* transport_ = nullptr;
  State state_ = State::disconnected;
  Time now_{};
  Time last_received_{};
  std::chrono::nanoseconds heartbeat_{0};  // in force; 0: none
  bool is_test_request_sent_ = false;
  bool was_logged_on_ = false;  // in this connection: on_logout is due

  // The gap being resent: open while next incoming <= gap_last_.
  market::Sequence gap_last_;     // the highest number seen too early
  market::Sequence gap_request_;  // where the last request began
  Time gap_time_{};               // of that request, or of progress since
  market::Sequence fill_to_;      // a gap fill reaches up to here

  Text<128> end_reason_;
  sched::TimerOf<&Session::on_heartbeat_due> heartbeat_timer_;
  sched::TimerOf<&Session::on_silence_due> silence_timer_;
  sched::TimerOf<&Session::on_state_due> state_timer_;  // logon or logout takes too long
};

}  // namespace dojima::fix
