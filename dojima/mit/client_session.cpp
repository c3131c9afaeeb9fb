#include "dojima/mit/client_session.hpp"

#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/mit/sending.hpp"

namespace dojima::mit {
namespace {

[[nodiscard]] Text<25> credential(std::string_view text, bool is_required, const char* complaint) {
  bool is_ascii = true;
  for (const char c : text) is_ascii = is_ascii && static_cast<signed char>(c) > 0;
  const Result<Text<25>> fits = Text<25>::from(text);
  if (!fits || !is_ascii || (is_required && text.empty())) throw std::invalid_argument(complaint);
  return *fits;
}

}  // namespace

ClientSession::ClientSession(const ClientOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                             ClientHandler& handler)
    : dialect_(dialect),
      scheduler_(scheduler),
      handler_(handler),
      heartbeat_(options.heartbeat),
      reply_timeout_(options.reply_intervals * options.heartbeat),
      silence_(options.silence_intervals * options.heartbeat),
      tag_(options.tag),
      logon_{credential(options.user, true, "the user name must have 1 to 25 ASCII characters"),
             credential(options.password, true, "the password must have 1 to 25 ASCII characters"),
             credential(options.new_password, false, "the new password must have at most 25 ASCII characters")},
      heartbeat_timer_(scheduler, *this),
      watch_timer_(scheduler, *this) {
  DOJIMA_ASSERT(options.heartbeat > Duration{0}, "a heartbeat interval is positive");
}

void ClientSession::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(state_ == State::idle, "a session has one connection at a time");
  transport_ = &transport;
  state_ = State::waiting;
  end_text_ = {};
  watch_timer_.arm(now + reply_timeout_);
  if (!write([&](Room room) { return dialect_.encode_logon(logon_, room); })) close("no room for the logon");
}

std::size_t ClientSession::on_bytes(Bytes bytes, Time now) {
  std::size_t used = 0;
  while (is_listening()) {
    const Bytes rest = bytes.subspan(used);
    const Result<Frame> frame = read_frame(rest, dialect_.longest);
    if (!frame && frame.error().code != ErrorCode::incomplete) {
      say_logout("stream out of step");
      close("the venue's bytes are no messages");
      break;
    }
    if (!frame || frame->size > rest.size()) return used;
    on_message(rest.first(frame->size), now);
    used += frame->size;
  }
  return bytes.size();
}

void ClientSession::on_message(Bytes message, Time now) {
  if (state_ == State::active) watch_timer_.arm(now + silence_);
  Outbound reply;
  const Result<void> read = dialect_.decode_reply(message, reply);
  if (!read) return handler_.on_trouble(*this, read.error(), now);
  on_reply(reply, now);
}

void ClientSession::on_reply(const Outbound& reply, Time now) {
  switch (reply.kind) {
    case Outbound::Kind::report:
      return on_report(reply.report, now);
    case Outbound::Kind::reject:
      if (state_ == State::waiting) close("logon rejected");
      return handler_.on_reject(*this, reply.reject, now);
    case Outbound::Kind::system_status:
      return handler_.on_system_status(*this, reply.system_status, now);
    case Outbound::Kind::logon_reply:
      return on_logon_reply(reply.logon_reply, now);
    case Outbound::Kind::logout:
      return on_logout(reply.logout);
    case Outbound::Kind::heartbeat:
    case Outbound::Kind::none:
      return;
  }
}

void ClientSession::on_logon_reply(const LogonReply& reply, Time now) {
  if (state_ != State::waiting)
    return handler_.on_trouble(*this, Error{ErrorCode::wrong_state, 0, 0, reply.code, "one LogonReply"}, now);
  if (reply.code != 0) {
    close("logon refused");
    return handler_.on_logon_refused(*this, reply.code, now);
  }
  state_ = State::active;
  heartbeat_timer_.arm(now + heartbeat_);
  watch_timer_.arm(now + silence_);
  handler_.on_logged_on(*this, reply.days, now);
}

/// The venue says goodbye, or answers ours.
void ClientSession::on_logout(const Logout& logout) {
  if (state_ == State::active) say_logout("");
  close(logout.reason.view());
}

void ClientSession::on_report(const Report& report, Time now) {
  const std::uint64_t number = report.report.sequence.value;
  // Partition 0 and number 0 stand for "not numbered".
  if (report.report.partition != 0 && number != 0) {
    market::Sequence& highest = highest_[report.report.partition];
    if (number <= highest.value) {
      ++duplicates_;
      return;
    }
    highest = {number};
  }
  handler_.on_report(*this, report.report, report.code, now);
}

void ClientSession::on_heartbeat_due(Time due) {
  // Without room there are bytes on the way, which say as much as a heartbeat.
  if (!write([&](Room room) { return dialect_.encode_heartbeat(room); })) heartbeat_timer_.arm(due + heartbeat_);
}

void ClientSession::on_watch_due(Time) {
  switch (state_) {
    case State::waiting:
      return close("no answer to the logon");
    case State::active:
      say_logout("no heartbeat");
      return close("the venue fell silent");
    case State::leaving:
      return close("the venue did not answer");
    case State::idle:
    case State::closing:
      return;
  }
}

void ClientSession::on_writable(Time now) {
  if (state_ == State::active) handler_.on_writable(*this, now);
}

void ClientSession::on_closed(link::CloseReason reason, Time now) {
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_ = nullptr;
  state_ = State::idle;
  // The handler may connect again in there, so this is the last that we do for this connection.
  const Text<40> text = end_text_;
  end_text_ = {};
  handler_.on_end(*this, reason, text.view(), now);
}

Result<void> ClientSession::send(const market::NewOrder& order) {
  return send_command([&](Room room) { return dialect_.encode_new_order(order, room); });
}

Result<void> ClientSession::send(const market::Replace& replace) {
  return send_command([&](Room room) { return dialect_.encode_replace(replace, room); });
}

Result<void> ClientSession::send(const market::Cancel& cancel) {
  return send_command([&](Room room) { return dialect_.encode_cancel(cancel, room); });
}

void ClientSession::logout(std::string_view text) {
  if (state_ == State::waiting) return close(text);
  if (state_ != State::active) return;
  say_logout(text);
  end_text_ = Text<40>::cut(text);
  watch_timer_.arm(scheduler_.now() + heartbeat_);
}

template <class Encode>
Result<void> ClientSession::send_command(Encode encode) {
  if (state_ != State::active) return fail(ErrorCode::wrong_state, 0, 0, 0, "a session that is logged on");
  return write(encode);
}

template <class Encode>
Result<void> ClientSession::write(Encode encode) {
  Result<void> sent = send_message(*transport_, dialect_, encode);
  if (sent && state_ == State::active) heartbeat_timer_.arm(scheduler_.now() + heartbeat_);
  return sent;
}

/// Logout; reports that are on the way are still taken.
void ClientSession::say_logout(std::string_view text) {
  const Logout logout{Text<20>::cut(text)};
  static_cast<void>(write([&](Room room) { return dialect_.encode_logout(logout, room); }));
  state_ = State::leaving;
  heartbeat_timer_.disarm();
}

/// The first reason is the one that counts.
void ClientSession::close(std::string_view text) {
  if (end_text_.is_empty()) end_text_ = Text<40>::cut(text);
  state_ = State::closing;
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_->close(link::CloseReason::by_us);
}

}  // namespace dojima::mit
