#include "dojima/mit/client_session.hpp"

#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/mit/client_session_machine.hpp"
#include "dojima/mit/sessions/sending.hpp"

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

auto ClientSession::event_of(Outbound::Kind kind) noexcept -> Event {
  static_assert(static_cast<int>(Event::nothing) == static_cast<int>(Outbound::Kind::none));
  static_assert(static_cast<int>(Event::heartbeat) == static_cast<int>(Outbound::Kind::heartbeat));
  static_assert(static_cast<int>(Event::logon_reply) == static_cast<int>(Outbound::Kind::logon_reply));
  static_assert(static_cast<int>(Event::logout) == static_cast<int>(Outbound::Kind::logout));
  static_assert(static_cast<int>(Event::reject) == static_cast<int>(Outbound::Kind::reject));
  static_assert(static_cast<int>(Event::report) == static_cast<int>(Outbound::Kind::report));
  static_assert(static_cast<int>(Event::system_status) == static_cast<int>(Outbound::Kind::system_status));
  return static_cast<Event>(kind);
}

void ClientSession::post(Event event, const Input& input) {
  fsm::process<Machine>(state_, event, *this, input);
}

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
  DOJIMA_ASSERT(options.heartbeat > Duration{0}, "a heartbeat interval is positive", options.heartbeat, options.tag);
}

void ClientSession::change_password(std::string_view new_password) {
  logon_.new_password = credential(new_password, false, "the new password must have at most 25 ASCII characters");
}

void ClientSession::set_password(std::string_view password) {
  logon_.password = credential(password, true, "the password must have 1 to 25 ASCII characters");
}

void ClientSession::on_open(link::Transport& transport, Time now) {
  DOJIMA_ASSERT(state_ == State::idle, "a session has one connection at a time", state_, tag_, now);
  transport_ = &transport;
  post(Event::opened, {.now = now});
}

void ClientSession::begin_logon(Time now) {
  end_text_ = {};
  has_changed_password_ = false;
  watch_timer_.arm(now + reply_timeout_);
  if (!write([&](Room room) { return dialect_.encode_logon(logon_, room); })) post(Event::stuck, {.now = now});
}

void ClientSession::close_without_logon() {
  close("no room for the logon");
}

std::size_t ClientSession::on_bytes(Bytes bytes, Time now) {
  std::size_t used = 0;
  while (is_listening()) {
    const Bytes rest = bytes.subspan(used);
    const Result<Frame> frame = read_frame(rest, dialect_.longest);
    if (!frame && frame.error().code != ErrorCode::incomplete) {
      post(Event::out_of_step, {.now = now});
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
  if (!read) return post(Event::unreadable, {.now = now, .error = &read.error()});
  if (reply.kind == Outbound::Kind::missed_ack || reply.kind == Outbound::Kind::missed_report) {
    const Error error{ErrorCode::wrong_state, 0, k_type_offset, 0, "a message of the real-time channel"};
    return post(Event::unreadable, {.now = now, .error = &error});
  }
  post(event_of(reply.kind), {.now = now, .reply = &reply});
}

void ClientSession::begin_session(const Input& input) {
  // It takes effect at the next logon.
  has_changed_password_ = !logon_.new_password.is_empty();
  if (has_changed_password_) logon_.password = std::exchange(logon_.new_password, {});
  heartbeat_timer_.arm(input.now + heartbeat_);
  watch_timer_.arm(input.now + silence_);
  handler_.on_logged_on(*this, input.reply->logon_reply.days, input.now);
}

void ClientSession::end_refused(const Input& input) {
  close("logon refused");
  handler_.on_logon_refused(*this, input.reply->logon_reply.code, input.now);
}

void ClientSession::end_rejected(const Input& input) {
  close("logon rejected");
  handler_.on_reject(*this, input.reply->reject, input.now);
}

void ClientSession::give_up_logon() {
  close("no answer to the logon");
}

void ClientSession::report_second_reply(const Input& input) {
  const Error error{ErrorCode::wrong_state, 0, 0, input.reply->logon_reply.code, "one LogonReply"};
  handler_.on_trouble(*this, error, input.now);
}

void ClientSession::pass_reject(const Input& input) {
  handler_.on_reject(*this, input.reply->reject, input.now);
}

void ClientSession::pass_system_status(const Input& input) {
  handler_.on_system_status(*this, input.reply->system_status, input.now);
}

void ClientSession::pass_trouble(const Input& input) {
  handler_.on_trouble(*this, *input.error, input.now);
}

void ClientSession::pass_writable(Time now) {
  handler_.on_writable(*this, now);
}

void ClientSession::take_report(const Input& input) {
  const Report& report = input.reply->report;
  const std::uint64_t number = report.report.sequence.value;
  // Partition 0 and number 0 mean "not numbered".
  if (report.report.partition != 0 && number != 0) {
    market::Sequence& highest = highest_[report.report.partition];
    if (number <= highest.value) {
      ++duplicates_;
      return;
    }
    highest = {number};
  }
  handler_.on_report(*this, report.report, report.code, input.now);
}

void ClientSession::on_heartbeat_due(Time due) {
  post(Event::heartbeat_due, {.now = due});
}

void ClientSession::on_watch_due(Time due) {
  post(Event::watch_due, {.now = due});
}

void ClientSession::on_writable(Time now) {
  post(Event::writable, {.now = now});
}

void ClientSession::on_closed(link::CloseReason reason, Time now) {
  post(Event::closed, {.now = now, .reason = reason});
}

void ClientSession::send_heartbeat(Time due) {
  // Without room there are bytes on the way, which say as much as a heartbeat.
  if (!write([&](Room room) { return dialect_.encode_heartbeat(room); })) heartbeat_timer_.arm(due + heartbeat_);
}

/// The venue says goodbye first.
void ClientSession::answer_logout(const Logout& logout) {
  say_logout("");
  close(logout.reason.view());
}

/// The venue answers our Logout, or has had enough before it answered the Logon.
void ClientSession::close_with_reason(const Logout& logout) {
  close(logout.reason.view());
}

void ClientSession::close_with_text(const Input& input) {
  close(input.text);
}

void ClientSession::give_up_logout() {
  close("the venue did not answer");
}

void ClientSession::drop_silent_venue() {
  say_logout("no heartbeat");
  close("the venue fell silent");
}

void ClientSession::drop_broken_stream() {
  say_logout("stream out of step");
  close("the venue's bytes are no messages");
}

void ClientSession::end_connection(const Input& input) {
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_ = nullptr;
  // The handler may connect again in there, so this is the last that we do for this connection.
  const Text<40> text = end_text_;
  end_text_ = {};
  handler_.on_end(*this, input.reason, text.view(), input.now);
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

Result<void> ClientSession::send(const market::MassCancel& cancel) {
  return send_command([&](Room room) { return dialect_.encode_mass_cancel(cancel, room); });
}

void ClientSession::logout(std::string_view text) {
  post(Event::logout_asked, {.now = scheduler_.now(), .text = text});
}

void ClientSession::begin_logout(const Input& input) {
  say_logout(input.text);
  end_text_ = Text<40>::cut(input.text);
  watch_timer_.arm(input.now + heartbeat_);
}

template <class Encode>
Result<void> ClientSession::send_command(Encode encode) {
  if (state_ != State::active) return fail(ErrorCode::wrong_state, 0, 0, 0, "a session that is logged on");
  return write(encode);
}

template <class Encode>
Result<void> ClientSession::write(Encode encode) {
  DOJIMA_ASSERT(transport_ != nullptr, "what is sent has a connection", state_, tag_);
  Result<void> sent = send_message(*transport_, dialect_, encode);
  if (sent && state_ == State::active) heartbeat_timer_.arm(scheduler_.now() + heartbeat_);
  return sent;
}

void ClientSession::say_logout(std::string_view text) {
  const Logout logout{Text<20>::cut(text)};
  static_cast<void>(write([&](Room room) { return dialect_.encode_logout(logout, room); }));
  heartbeat_timer_.disarm();
}

/// The first reason is the one that counts.
void ClientSession::close(std::string_view text) {
  DOJIMA_ASSERT(transport_ != nullptr, "what is closed is connected", state_, tag_);
  if (end_text_.is_empty()) end_text_ = Text<40>::cut(text);
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_->close(link::CloseReason::by_us);
}

}  // namespace dojima::mit
