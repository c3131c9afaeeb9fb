#pragma once

// What the four MIT203 sessions share, real-time and recovery, both ends: one connection at a time, whole messages out
// of its stream and into it, the heartbeat that falls due when nothing else was sent, the timer that watches the peer,
// and of the member's ends the Logon. What any of it leads to is each session's own. No allocation after construction.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/sessions/sending.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

using time::Duration;
using time::Time;

class SessionBase : public link::Connection {
 public:
  /// Scheduler entries that a session reserves.
  static constexpr std::size_t k_timers = 2;

  SessionBase(const SessionBase&) = delete;
  SessionBase& operator=(const SessionBase&) = delete;

  /// From on_open until on_closed.
  [[nodiscard]] bool is_connected() const noexcept { return transport_ != nullptr; }
  /// Bytes that the network has not taken yet; 0 when not connected.
  [[nodiscard]] std::size_t unsent() const { return transport_ == nullptr ? 0 : transport_->unsent(); }

  [[nodiscard]] const Dialect& dialect() const noexcept { return dialect_; }

  /// No message is read now: those that have come wait, and the network slows the peer down.
  [[nodiscard]] bool is_held() const noexcept { return holds_ != 0; }

 protected:
  /// `heartbeat` > 0.
  SessionBase(const Dialect& dialect, sched::Scheduler& scheduler, Duration heartbeat);
  ~SessionBase() = default;

  // Why it is held.
  static constexpr std::uint8_t k_by_owner = 1;
  static constexpr std::uint8_t k_no_room = 2;  // a direct answer found the output nearly full
  /// The connection at hand is not read until every reason is gone. Nothing when there is none.
  void hold(std::uint8_t why);
  void resume(std::uint8_t why);
  [[nodiscard]] bool is_held(std::uint8_t why) const noexcept { return (holds_ & why) != 0; }
  /// What the mass of messages leaves free of the output, for those that must not be lost.
  [[nodiscard]] std::size_t reserved_room() const noexcept { return k_reserved_messages * dialect_.longest; }

  // Called by the timers, with the time for which they were armed.
  virtual void on_heartbeat_due(Time due) = 0;
  virtual void on_watch_due(Time due) = 0;

  /// The session has this connection now; it must have had none.
  void attach(link::Transport& transport);
  /// The connection is gone: no timer is armed any more.
  void detach() noexcept;
  /// Sends what is committed and closes; on_closed follows from the loop.
  void close_connection(link::CloseReason reason);

  /// Calls `on_message(Bytes message, char type)` for each whole message, or `on_broken(Bytes rest, const Error&)` once
  /// where the stream is none of messages, for as long as `is_listening()` and nothing holds it. How many bytes were
  /// used: all, but for the beginning of a message, or what is behind the message that made it be held.
  template <class IsListening, class OnMessage, class OnBroken>
  [[nodiscard]] std::size_t read_messages(Bytes bytes, IsListening is_listening, OnMessage on_message,
                                          OnBroken on_broken);

  /// Sends what `encode(room)` writes, as send_message. `is_session`: it is logged on, so that the next heartbeat is
  /// due an interval from now.
  template <class Encode>
  [[nodiscard]] Result<void> put(bool is_session, Encode encode);
  /// Something was sent: the next heartbeat is an interval away. Many messages of an instant arm the timer once.
  void keep_quiet_until_next(Time now) {
    if (now == heartbeat_base_ && heartbeat_timer_.is_armed()) return;
    heartbeat_base_ = now;
    heartbeat_timer_.arm(now + heartbeat_);
  }
  /// A heartbeat that is due. Without room there are bytes on the way, which say as much.
  void put_heartbeat(Time due);
  /// Logout with the first 20 characters of `text`, if there is room. No heartbeat follows.
  void put_logout(std::string_view text);

  const Dialect& dialect_;
  sched::Scheduler& scheduler_;
  const Duration heartbeat_;
  sched::TimerOf<&SessionBase::on_heartbeat_due> heartbeat_timer_;
  // What it waits for follows from the session's state: a logon or its answer, any message, the peer's end.
  sched::TimerOf<&SessionBase::on_watch_due> watch_timer_;
  link::Transport* transport_ = nullptr;

 private:
  static constexpr std::size_t k_reserved_messages = 4;

  std::uint8_t holds_ = 0;
  Time heartbeat_base_ = time::k_never;  // the instant from which the heartbeat timer counts
};

/// A member's end.
class MemberSession : public SessionBase {
 public:
  /// From the next logon on. 1 to 25 ASCII characters. Throws std::invalid_argument.
  void set_password(std::string_view password);

 protected:
  struct Options {
    std::string_view user, password, new_password;
    Duration heartbeat;
    unsigned reply_intervals, silence_intervals;
  };
  /// Throws std::invalid_argument for what no Logon can carry.
  MemberSession(const Options& options, const Dialect& dialect, sched::Scheduler& scheduler);
  ~MemberSession() = default;

  /// Sends the Logon; its answer is due in `reply_timeout_`. False: there is no room.
  [[nodiscard]] bool put_logon(Time now);
  /// Closes; the first reason given is the one that counts.
  void close(std::string_view text);
  /// Why the connection was closed; empty: no word was said. It is forgotten.
  [[nodiscard]] Text<40> take_end_text() noexcept;
  /// Empty or up to 25 ASCII characters. Throws std::invalid_argument.
  void set_new_password(std::string_view password);

  const Duration reply_timeout_;
  const Duration silence_;
  Logon logon_;
  Text<40> end_text_;
};

/// What a venue's end says to bytes that are no messages.
[[nodiscard]] Reject reject_of_broken_stream(Bytes rest, const Error& error);

/// The bytes of the whole message that a stream begins with; 0: there is none yet, or it is none of messages.
[[nodiscard]] inline std::size_t whole_message(Bytes bytes, std::size_t longest) noexcept {
  if (bytes.size() < k_header_size || bytes[0] != k_start_of_message) return 0;
  const std::size_t size = std::size_t{load_little<std::uint16_t>(bytes, k_length_offset)} + k_uncounted;
  return size >= k_header_size && size <= longest && size <= bytes.size() ? size : 0;
}

template <class IsListening, class OnMessage, class OnBroken>
std::size_t SessionBase::read_messages(Bytes bytes, IsListening is_listening, OnMessage on_message,
                                       OnBroken on_broken) {
  std::size_t used = 0;
  while (is_listening()) {
    if (holds_ != 0) return used;
    const Bytes rest = bytes.subspan(used);
    if (rest.empty()) return used;
    if (const std::size_t size = whole_message(rest, dialect_.longest); size != 0) [[likely]] {
      on_message(rest.first(size), load_little<char>(rest, k_type_offset));
      used += size;
      continue;
    }
    const Result<Frame> frame = read_frame(rest, dialect_.longest);
    if (!frame && frame.error().code != ErrorCode::incomplete) {
      on_broken(rest, frame.error());
      break;
    }
    return used;  // the beginning of a message
  }
  return bytes.size();
}

template <class Encode>
Result<void> SessionBase::put(bool is_session, Encode encode) {
  DOJIMA_ASSERT(transport_ != nullptr, "what is sent has a connection", is_session);
  Result<void> sent = send_message(*transport_, dialect_, encode);
  if (sent && is_session) keep_quiet_until_next(scheduler_.now());
  return sent;
}

}  // namespace dojima::mit
