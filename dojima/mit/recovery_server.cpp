#include "dojima/mit/recovery_server.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {

RecoveryServer::RecoveryServer(const RecoveryOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                               RecoveryHandler& handler)
    : SessionBase(dialect, scheduler, options.heartbeat), options_(options), handler_(handler) {}

void RecoveryServer::on_open(link::Transport& transport, Time now) {
  attach(transport);
  state_ = State::waiting;
  user_ = 0;
  has_request_ = has_logon_ = false;
  waiting_count_ = 0;
  last_received_ = last_request_ = now;
  watch_timer_.arm(now + options_.logon_intervals * options_.heartbeat);
}

std::size_t RecoveryServer::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return state_ == State::waiting || state_ == State::active; },
      [&](Bytes message, char type) { on_message(message, type, now); },
      [&](Bytes rest, const Error& error) {
        refuse(reject_of_broken_stream(rest, error), now);
        logout("stream out of step", now);
      });
}

void RecoveryServer::on_message(Bytes message, char type, Time now) {
  last_received_ = now;
  if (state_ == State::active) watch_timer_.arm(give_up_at());
  Inbound request;
  Reject refusal;
  const Result<void> read = dialect_.decode_request(message, request, refusal);
  if (request.kind == Inbound::Kind::logout) {
    write_or_drop([&](Room room) { return dialect_.encode_logout({Text<20>::cut("logged out")}, room); });
    if (state_ == State::closing) return;
    state_ = State::ended;
    has_request_ = false;
    heartbeat_timer_.disarm();
    watch_timer_.arm(now + options_.heartbeat);  // for the peer to close
    return;
  }
  if (!read) return refuse(refusal, now);
  if (request.kind == Inbound::Kind::heartbeat) return;
  const bool is_logged_on = state_ == State::active;
  if (request.kind == Inbound::Kind::logon && !is_logged_on && !has_logon_) return on_logon(request.logon, now);
  if (request.kind == Inbound::Kind::missed_messages && is_logged_on) return on_request(request.missed_messages, now);
  if (request.kind == Inbound::Kind::logon)
    return refuse({.code = code::k_second_logon, .reason = Text<30>::cut("already logged on"), .type = type}, now);
  if (!is_logged_on)
    return refuse({.code = code::k_not_logged_on, .reason = Text<30>::cut("not logged on"), .type = type}, now);
  // Orders and whatever else belongs to the real-time channel.
  refuse({.code = code::k_value_invalid, .reason = Text<30>::cut("MessageType"), .type = type}, now);
}

void RecoveryServer::on_logon(const Logon& logon, Time now) {
  if (const Duration delay = handler_.recovery_logon_delay(*this, logon, now); delay > Duration{0}) {
    has_logon_ = true;
    logon_ = logon;
    return watch_timer_.arm(now + delay);
  }
  has_logon_ = false;
  const LogonReply reply = handler_.on_recovery_logon(*this, logon, now);
  if (state_ != State::waiting) return;
  write_or_drop([&](Room room) { return dialect_.encode_logon_reply(reply, room); });
  if (state_ == State::closing) return;
  if (reply.code != code::k_success) return close(link::CloseReason::by_us);
  state_ = State::active;
  last_request_ = now;
  heartbeat_timer_.arm(now + options_.heartbeat);
  watch_timer_.arm(give_up_at());
}

void RecoveryServer::on_request(const MissedMessageRequest& request, Time now) {
  if (!has_request_ || options_.follows) return begin(request, now);
  if (waiting_count_ < k_most_waiting) {
    waiting_[waiting_count_++] = request;
    return;
  }
  write_or_drop([&](Room room) { return dialect_.encode_missed_ack({Recovery::limit}, room); });
}

void RecoveryServer::begin(const MissedMessageRequest& request, Time now) {
  const Recovery response = handler_.on_recovery_request(*this, request, now);
  if (state_ != State::active) return;
  last_request_ = now;
  has_request_ = response == Recovery::good || (options_.follows && has_request_);
  write_or_drop([&](Room room) { return dialect_.encode_missed_ack({response}, room); });
  if (state_ == State::active) watch_timer_.arm(give_up_at());
}

void RecoveryServer::begin_next(Time now) {
  while (!has_request_ && waiting_count_ > 0 && state_ == State::active) {
    const MissedMessageRequest next = waiting_.front();
    std::move(waiting_.begin() + 1, waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_), waiting_.begin());
    --waiting_count_;
    begin(next, now);
  }
}

bool RecoveryServer::serve(Time now) {
  if (!is_serving()) return false;
  const std::optional<Recovery> response = handler_.serve_recovery(*this, now);
  if (state_ != State::active) return true;
  if (!response) return !transport_->prepare(dialect_.longest).empty();  // else on_writable follows
  // Without room it is said next time: the handler then finds nothing more to send.
  if (!write([&](Room room) { return dialect_.encode_missed_report({*response}, room); })) return false;
  has_request_ = false;
  last_request_ = now;
  watch_timer_.arm(give_up_at());
  begin_next(now);
  return true;
}

bool RecoveryServer::send(const market::OwnerReport& report, std::int32_t code) {
  if (state_ != State::active) return false;
  // A reader that is behind has a full connection, and is to be sent why its session ends.
  if (options_.follows && transport_->prepare(dialect_.longest + reserved_room()).empty()) return false;
  const Result<void> sent = write([&](Room room) { return dialect_.encode_report(report, code, room); });
  if (!sent && sent.error().code != ErrorCode::no_room) logout("report not carried", scheduler_.now());
  return sent.has_value();
}

bool RecoveryServer::say_complete() {
  DOJIMA_ASSERT(options_.follows, "what is asked for once is answered by serve()", user_);
  return write([&](Room room) { return dialect_.encode_missed_report({Recovery::good}, room); }).has_value();
}

void RecoveryServer::send(const SystemStatus& status) {
  if (state_ != State::active) return;
  write_or_drop([&](Room room) { return dialect_.encode_system_status(status, room); });
  if (status.status != SystemStatus::k_recovery_resumed || state_ != State::active) return;
  last_request_ = scheduler_.now();  // a request is to follow
  watch_timer_.arm(give_up_at());
}

void RecoveryServer::logout(std::string_view text, Time now) {
  if (state_ == State::waiting) return close(link::CloseReason::by_us);
  if (state_ != State::active) return;
  put_logout(text);
  state_ = State::ended;
  has_request_ = false;
  watch_timer_.arm(now + options_.linger);
}

/// A client that is silent or requests nothing more is given up, but not in the middle of serving one that reads.
Time RecoveryServer::give_up_at() const noexcept {
  const Time silent = last_received_ + options_.silence_intervals * options_.heartbeat;
  if (has_request_) return silent;
  return std::min(silent, last_request_ + options_.idle_intervals * options_.heartbeat);
}

void RecoveryServer::on_heartbeat_due(Time due) {
  put_heartbeat(due);
}

void RecoveryServer::on_watch_due(Time due) {
  switch (state_) {
    case State::waiting:
      return has_logon_ ? on_logon(Logon(logon_), due) : close(link::CloseReason::by_us);
    case State::ended:
      return close(link::CloseReason::by_us);
    case State::active:
      break;
    case State::idle:
    case State::closing:
      return;
  }
  if (due < give_up_at()) return watch_timer_.arm(give_up_at());
  const bool is_silent = due >= last_received_ + options_.silence_intervals * options_.heartbeat;
  logout(is_silent ? "no heartbeat" : "no request", due);
}

void RecoveryServer::on_writable(Time now) {
  static_cast<void>(serve(now));
}

void RecoveryServer::on_closed(link::CloseReason, Time now) {
  detach();
  state_ = State::idle;
  has_request_ = false;
  handler_.on_recovery_free(*this, now);
}

void RecoveryServer::refuse(const Reject& reject, Time) {
  write_or_drop([&](Room room) { return dialect_.encode_reject(reject, room); });
}

void RecoveryServer::close(link::CloseReason reason) {
  state_ = State::closing;
  has_request_ = false;
  close_connection(reason);
}

template <class Encode>
Result<void> RecoveryServer::write(Encode encode) {
  return put(state_ == State::active, encode);
}

/// An answer must not get lost: who does not read it does not read anything.
template <class Encode>
void RecoveryServer::write_or_drop(Encode encode) {
  if (!write(encode)) close(link::CloseReason::output_overflow);
}

}  // namespace dojima::mit
