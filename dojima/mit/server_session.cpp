#include "dojima/mit/server_session.hpp"

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/sending.hpp"

namespace dojima::mit {
namespace {

constexpr Duration k_second = std::chrono::seconds{1};

/// ClientOrderID of a request, for the Reject that answers it.
[[nodiscard]] Text<20> client_order_id_of(const Inbound& request) noexcept {
  switch (request.kind) {
    case Inbound::Kind::new_order:
      return request.new_order.labels.client_order_id;
    case Inbound::Kind::replace:
      return request.replace.client_order_id;
    case Inbound::Kind::cancel:
      return request.cancel.client_order_id;
    default:
      return {};
  }
}

}  // namespace

ServerSession::ServerSession(const ServerOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                             ServerHandler& handler)
    : options_(options),
      dialect_(dialect),
      scheduler_(scheduler),
      handler_(handler),
      heartbeat_timer_(scheduler, *this),
      watch_timer_(scheduler, *this) {
  DOJIMA_ASSERT(options.heartbeat > Duration{0} && options.throttle_patience >= 1, "times and limits are positive");
}

void ServerSession::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(state_ == State::idle, "a session has one connection at a time");
  transport_ = &transport;
  state_ = State::waiting;
  user_ = 0;
  user_name_ = {};
  is_end_due_ = false;
  throttle_ = options_.throttle;
  window_count_ = crowded_windows_ = 0;
  window_start_ = now;
  watch_timer_.arm(now + options_.logon_intervals * options_.heartbeat);
}

std::size_t ServerSession::on_bytes(Bytes bytes, Time now) {
  std::size_t used = 0;
  while (is_listening()) {
    const Bytes rest = bytes.subspan(used);
    const Result<Frame> frame = read_frame(rest, dialect_.longest);
    if (!frame && frame.error().code != ErrorCode::incomplete) {
      on_broken_stream(rest, frame.error(), now);
      break;
    }
    if (!frame || frame->size > rest.size()) return used;
    on_message(rest.first(frame->size), frame->type, now);
    used += frame->size;
  }
  return bytes.size();
}

void ServerSession::on_message(Bytes message, char type, Time now) {
  if (state_ == State::active) watch_timer_.arm(now + options_.silence_intervals * options_.heartbeat);
  Inbound request;
  Reject refusal;
  const Result<void> read = dialect_.decode_request(message, request, refusal);
  if (request.kind == Inbound::Kind::logout) return on_logout(now);
  if (!is_within_rate(now)) {
    if (read) refusal = {.type = type, .client_order_id = client_order_id_of(request)};
    refusal.code = code::k_rate_exceeded;
    refusal.reason = Text<30>::cut("message rate exceeded");
    answer(refusal, now);
    if (is_listening() && crowded_windows_ >= options_.throttle_patience) force_out("message rate", now);
    return;
  }
  if (!read) return answer(refusal, now);
  if (state_ == State::waiting && request.kind != Inbound::Kind::logon)
    return answer({.code = code::k_not_logged_on,
                   .reason = Text<30>::cut("not logged on"),
                   .type = type,
                   .client_order_id = client_order_id_of(request)},
                  now);
  on_request(request, type, now);
}

void ServerSession::on_request(Inbound& request, char type, Time now) {
  switch (request.kind) {
    case Inbound::Kind::logon:
      if (state_ == State::waiting) return on_logon(request.logon, now);
      return answer({.code = code::k_second_logon, .reason = Text<30>::cut("already logged on"), .type = type}, now);
    case Inbound::Kind::new_order:
      request.new_order.header.user = request.new_order.terms.owner = user_;
      return handler_.on_new_order(*this, request.new_order, now);
    case Inbound::Kind::replace:
      request.replace.header.user = user_;
      return handler_.on_replace(*this, request.replace, now);
    case Inbound::Kind::cancel:
      request.cancel.header.user = user_;
      return handler_.on_cancel(*this, request.cancel, now);
    case Inbound::Kind::heartbeat:
    case Inbound::Kind::logout:
    case Inbound::Kind::none:
      return;
  }
}

void ServerSession::on_logon(const Logon& logon, Time now) {
  const LogonReply reply = handler_.on_logon(*this, logon, now);
  is_end_due_ = reply.code == code::k_success;
  if (state_ != State::waiting) return;  // the handler changed its mind and closed
  const Result<void> sent = write([&](Room room) { return dialect_.encode_logon_reply(reply, room); });
  if (reply.code != code::k_success) return close(link::CloseReason::by_us);
  if (!sent) return give_up(now);
  state_ = State::active;
  user_name_ = logon.user;
  heartbeat_timer_.arm(now + options_.heartbeat);
  watch_timer_.arm(now + options_.silence_intervals * options_.heartbeat);
}

/// The client says goodbye: answer, and give it an interval to close the connection itself.
void ServerSession::on_logout(Time now) {
  say_logout("logged out");
  watch_timer_.arm(now + options_.heartbeat);
  finish(market::SessionEnd::logout, now);
}

void ServerSession::on_broken_stream(Bytes rest, const Error& error, Time now) {
  const bool has_type = error.offset != 0;  // a wrong length is found behind a whole header
  answer({.code = code::k_value_invalid,
          .reason = Text<30>::cut(error.offset == 0 ? "StartOfMessage" : "MessageLength"),
          .type = has_type ? load_little<char>(rest, k_type_offset) : '\0'},
         now);
  if (is_listening()) force_out("stream out of step", now);
}

/// Counts messages in windows of one second, the first of which begins when the connection opens. False: one too many.
bool ServerSession::is_within_rate(Time now) {
  if (throttle_ == 0) return true;
  if (now - window_start_ >= k_second) {
    const auto seconds = (now - window_start_) / k_second;
    if (seconds > 1 || window_count_ <= throttle_) crowded_windows_ = 0;
    window_start_ += seconds * k_second;
    window_count_ = 0;
  }
  if (window_count_ > throttle_) return false;
  ++window_count_;
  if (window_count_ <= throttle_) return true;
  ++crowded_windows_;
  return false;
}

void ServerSession::on_heartbeat_due(Time due) {
  // Without room there are bytes on the way, which say as much as a heartbeat.
  if (!write([&](Room room) { return dialect_.encode_heartbeat(room); }))
    heartbeat_timer_.arm(due + options_.heartbeat);
}

void ServerSession::on_watch_due(Time due) {
  switch (state_) {
    case State::waiting:
      return close(link::CloseReason::by_us);
    case State::active:
      say_logout("no heartbeat");
      close(link::CloseReason::by_us);
      return finish(market::SessionEnd::disconnect, due);
    case State::ended:
      if (!is_end_due_) return close(link::CloseReason::by_us);
      watch_timer_.arm(due + options_.linger);
      return finish(market::SessionEnd::forced, due);
    case State::idle:
    case State::closing:
      return;
  }
}

void ServerSession::on_writable(Time now) {
  if (state_ == State::active) handler_.on_writable(*this, now);
}

void ServerSession::on_closed(link::CloseReason, Time now) {
  // logout() was called and the timer that would have told the handler has not fired yet.
  const bool was_forced = state_ == State::ended;
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_ = nullptr;
  state_ = State::idle;
  finish(was_forced ? market::SessionEnd::forced : market::SessionEnd::disconnect, now);
  handler_.on_free(*this, now);
}

bool ServerSession::send(const market::OwnerReport& report) {
  return send(report, code_of(report.reason));
}

bool ServerSession::send(const market::OwnerReport& report, std::int32_t code) {
  if (state_ != State::active) return false;
  const Result<void> sent = write([&](Room room) { return dialect_.encode_report(report, code, room); });
  if (!sent && sent.error().code != ErrorCode::no_room) logout("report not carried");
  return sent.has_value();
}

bool ServerSession::send(const Reject& reject) {
  if (state_ != State::active) return false;
  return write([&](Room room) { return dialect_.encode_reject(reject, room); }).has_value();
}

void ServerSession::logout(std::string_view text) {
  if (state_ == State::waiting) return close(link::CloseReason::by_us);
  if (state_ != State::active) return;
  say_logout(text);
  watch_timer_.arm(scheduler_.now());  // the handler hears of it from the loop, not from here
}

template <class Encode>
Result<void> ServerSession::write(Encode encode) {
  Result<void> sent = send_message(*transport_, dialect_, encode);
  if (sent && state_ == State::active) heartbeat_timer_.arm(scheduler_.now() + options_.heartbeat);
  return sent;
}

/// A Reject must not get lost: who does not read it does not read anything.
void ServerSession::answer(const Reject& reject, Time now) {
  if (!write([&](Room room) { return dialect_.encode_reject(reject, room); })) give_up(now);
}

/// Logout, and nothing more comes in; the connection closes when the peer closes it or the watch timer says so.
void ServerSession::say_logout(std::string_view text) {
  const Logout logout{Text<20>::cut(text)};
  static_cast<void>(write([&](Room room) { return dialect_.encode_logout(logout, room); }));
  state_ = State::ended;
  heartbeat_timer_.disarm();
}

void ServerSession::force_out(std::string_view text, Time now) {
  say_logout(text);
  watch_timer_.arm(now + options_.linger);
  finish(market::SessionEnd::forced, now);
}

/// The peer does not read what it must be told.
void ServerSession::give_up(Time now) {
  close(link::CloseReason::output_overflow);
  finish(market::SessionEnd::disconnect, now);
}

void ServerSession::finish(market::SessionEnd end, Time now) {
  if (!is_end_due_) return;
  is_end_due_ = false;
  handler_.on_end(*this, end, now);
}

void ServerSession::close(link::CloseReason reason) {
  state_ = State::closing;
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_->close(reason);
}

}  // namespace dojima::mit
