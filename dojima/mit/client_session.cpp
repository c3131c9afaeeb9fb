#include "dojima/mit/client_session.hpp"

#include <utility>

#include "dojima/fsm/machine.hpp"
#include "dojima/mit/client_session_machine.hpp"

namespace dojima::mit {

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
    : MemberSession({.user = options.user,
                     .password = options.password,
                     .new_password = options.new_password,
                     .heartbeat = options.heartbeat,
                     .reply_intervals = options.reply_intervals,
                     .silence_intervals = options.silence_intervals},
                    dialect, scheduler),
      handler_(handler),
      tag_(options.tag) {}

void ClientSession::change_password(std::string_view new_password) {
  set_new_password(new_password);
}

void ClientSession::on_open(link::Transport& transport, Time now) {
  attach(transport);
  post(Event::opened, {.now = now});
}

void ClientSession::begin_logon(Time now) {
  has_changed_password_ = false;
  if (!put_logon(now)) post(Event::stuck, {.now = now});
}

void ClientSession::close_without_logon() {
  close("no room for the logon");
}

std::size_t ClientSession::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return is_listening(); }, [&](Bytes message, char) { on_message(message, now); },
      [&](Bytes, const Error&) { post(Event::out_of_step, {.now = now}); });
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
  // Those of quotes and mass cancels are not awaited.
  constexpr char k_quote = 'S', k_mass_cancel = 'q';
  if (input.reply->reject.type != k_quote && input.reply->reject.type != k_mass_cancel) count_answer();
  handler_.on_reject(*this, input.reply->reject, input.now);
}

void ClientSession::pass_system_status(const Input& input) {
  handler_.on_system_status(*this, input.reply->system_status, input.now);
}

void ClientSession::pass_trouble(const Input& input) {
  count_answer();  // it may have been one
  handler_.on_trouble(*this, *input.error, input.now);
}

void ClientSession::pass_writable(Time now) {
  is_crowded_ = false;
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

/// The venue says goodbye first.
void ClientSession::answer_logout(const Logout& logout) {
  put_logout("");
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
  put_logout("no heartbeat");
  close("the venue fell silent");
}

void ClientSession::drop_broken_stream() {
  put_logout("stream out of step");
  close("the venue's bytes are no messages");
}

void ClientSession::end_connection(const Input& input) {
  detach();
  unanswered_ = 0;
  is_crowded_ = false;
  // The handler may connect again in there, so this is the last that we do for this connection.
  const Text<40> text = take_end_text();
  handler_.on_end(*this, input.reason, text.view(), input.now);
}

Result<void> ClientSession::send(const market::NewOrder& order) {
  return send_counted([&](Room room) { return dialect_.encode_new_order(order, room); });
}

Result<void> ClientSession::send(const market::Replace& replace) {
  return send_counted([&](Room room) { return dialect_.encode_replace(replace, room); });
}

Result<void> ClientSession::send(const market::Cancel& cancel) {
  return send_counted([&](Room room) { return dialect_.encode_cancel(cancel, room); });
}

Result<void> ClientSession::send(const market::Quote& quote) {
  return send_command([&](Room room) { return dialect_.encode_quote(quote, room); });
}

Result<void> ClientSession::send(const market::MassCancel& cancel) {
  return send_command([&](Room room) { return dialect_.encode_mass_cancel(cancel, room); });
}

void ClientSession::logout(std::string_view text) {
  post(Event::logout_by_us, {.now = scheduler_.now(), .text = text});
}

void ClientSession::begin_logout(const Input& input) {
  put_logout(input.text);
  resume(k_by_owner);  // the venue's answer is behind what waits
  end_text_ = Text<40>::cut(input.text);
  watch_timer_.arm(input.now + heartbeat_);
}

template <class Encode>
Result<void> ClientSession::send_command(Encode encode) {
  if (state_ != State::active) return fail(ErrorCode::wrong_state, 0, 0, 0, "a session that is logged on");
  Room room = transport_->prepare(dialect_.longest + reserved_room());
  is_crowded_ = room.empty();
  if (is_crowded_) room = transport_->prepare(dialect_.longest);
  if (room.empty()) return fail(ErrorCode::no_room, 0, 0, 0, "room in the output buffer");
  const Result<std::size_t> size = encode(room.first(dialect_.longest));
  if (!size) return std::unexpected(size.error());
  transport_->commit(*size);
  keep_quiet_until_next(scheduler_.now());
  return {};
}

template <class Encode>
Result<void> ClientSession::send_counted(Encode encode) {
  Result<void> sent = send_command(encode);
  if (sent) ++unanswered_;
  return sent;
}

void ClientSession::set_reading(bool is_wanted) {
  if (!is_wanted) return hold(k_by_owner);
  if (!is_held()) return;
  resume(k_by_owner);
  if (state_ == State::active) watch_timer_.arm(scheduler_.now() + silence_);
}

template <class Encode>
Result<void> ClientSession::write(Encode encode) {
  return put(state_ == State::active, encode);
}

}  // namespace dojima::mit
