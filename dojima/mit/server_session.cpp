#include "dojima/mit/server_session.hpp"

#include <array>

#include "dojima/base/assert.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/server_session_machine.hpp"

namespace dojima::mit {
namespace {

/// code_of() of every reason, and of numbers that are none.
constexpr auto k_codes = [] {
  std::array<std::int32_t, 256> codes{};
  for (std::size_t reason = 0; reason < codes.size(); ++reason)
    codes[reason] = code_of(static_cast<market::Reason>(reason));
  return codes;
}();

/// ClientOrderID of a request, for the Reject that answers it.
[[nodiscard]] Text<20> client_order_id_of(const Inbound& request) noexcept {
  switch (request.kind) {
    case Inbound::Kind::new_order:
      return request.new_order.labels.client_order_id;
    case Inbound::Kind::replace:
      return request.replace.client_order_id;
    case Inbound::Kind::cancel:
      return request.cancel.client_order_id;
    case Inbound::Kind::mass_cancel:
      return request.mass_cancel.client_order_id;
    case Inbound::Kind::quote:
      return request.quote.labels.client_order_id;
    default:
      return {};
  }
}

}  // namespace

auto ServerSession::event_of(Inbound::Kind kind) noexcept -> Event {
  return static_cast<Event>(kind);
}

ServerSession::ServerSession(const ServerOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                             ServerHandler& handler)
    : SessionBase(dialect, scheduler, options.heartbeat), options_(options), handler_(handler) {
  DOJIMA_ASSERT(options.throttle_patience >= 1 && options.stall > Duration{0}, "times and limits are positive",
                options.throttle_patience, options.stall);
}

void ServerSession::post(Event event, const Input& input) {
  fsm::process<Machine>(state_, event, *this, input);
}

void ServerSession::on_open(link::Transport& transport, Time now) {
  attach(transport);
  post(Event::opened, {.now = now});
}

void ServerSession::begin_connection(Time now) {
  user_ = 0;
  user_name_ = {};
  is_end_due_ = false;
  last_partition_ = 0;
  last_sequence_ = {};
  rate_.begin(options_.throttle, now);
  watch_timer_.arm(now + options_.logon_intervals * options_.heartbeat);
}

std::size_t ServerSession::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return is_listening(); }, [&](Bytes message, char type) { on_message(message, type, now); },
      [&](Bytes rest, const Error& error) { on_broken_stream(rest, error, now); });
}

void ServerSession::on_message(Bytes message, char type, Time now) {
  if (state_ == State::active) watch_timer_.arm(now + options_.silence_intervals * options_.heartbeat);
  Inbound request;
  Reject refusal;
  const Result<void> read = dialect_.decode_request(message, request, refusal);
  if (request.kind == Inbound::Kind::logout) return post(Event::logout, {.now = now});
  if (!rate_.take(now)) {
    if (read) refusal = {.type = type, .client_order_id = client_order_id_of(request)};
    refusal.code = code::k_rate_exceeded;
    refusal.reason = Text<30>::cut("message rate exceeded");
    post(Event::too_fast, {.now = now, .refusal = &refusal});
    if (rate_.crowded_seconds() >= options_.throttle_patience)
      post(Event::expelled, {.now = now, .text = "message rate"});
    return;
  }
  if (read && request.kind == Inbound::Kind::missed_messages) {
    // Only the recovery channel knows it.
    refusal = {.code = code::k_value_invalid, .reason = Text<30>::cut("MessageType"), .type = type};
    return post(Event::unreadable, {.now = now, .refusal = &refusal});
  }
  if (!read) return post(Event::unreadable, {.now = now, .refusal = &refusal});
  post(event_of(request.kind), {.now = now, .request = &request, .type = type});
}

void ServerSession::refuse(const Input& input) {
  answer(*input.refusal, input.now);
}

void ServerSession::refuse_before_logon(const Input& input) {
  answer({.code = code::k_not_logged_on,
          .reason = Text<30>::cut("not logged on"),
          .type = input.type,
          .client_order_id = client_order_id_of(*input.request)},
         input.now);
}

void ServerSession::refuse_second_logon(const Input& input) {
  answer({.code = code::k_second_logon, .reason = Text<30>::cut("already logged on"), .type = input.type}, input.now);
}

void ServerSession::pass_new_order(const Input& input) {
  market::NewOrder& order = input.request->new_order;
  order.header.user = order.terms.owner = user_;
  handler_.on_new_order(*this, order, input.now);
}

void ServerSession::pass_replace(const Input& input) {
  input.request->replace.header.user = user_;
  handler_.on_replace(*this, input.request->replace, input.now);
}

void ServerSession::pass_cancel(const Input& input) {
  input.request->cancel.header.user = user_;
  handler_.on_cancel(*this, input.request->cancel, input.now);
}

void ServerSession::pass_mass_cancel(const Input& input) {
  input.request->mass_cancel.header.user = user_;
  handler_.on_mass_cancel(*this, input.request->mass_cancel, input.now);
}

void ServerSession::pass_quote(const Input& input) {
  input.request->quote.header.user = user_;
  handler_.on_quote(*this, input.request->quote, input.now);
}

void ServerSession::take_logon(const Input& input) {
  logon_ = input.request->logon;
  const Duration delay = handler_.logon_delay(*this, logon_, input.now);
  if (delay > Duration{0}) return post(Event::logon_delayed, {.now = input.now, .delay = delay});
  ask_for_logon(input);
}

void ServerSession::hold_logon(const Input& input) {
  watch_timer_.arm(input.now + input.delay);
}

void ServerSession::ask_for_logon(const Input& input) {
  const Duration wait = handler_.logon_wait(*this, logon_, input.now);
  if (wait > Duration{0}) return post(Event::logon_delayed, {.now = input.now, .delay = wait});
  const LogonReply reply = handler_.on_logon(*this, logon_, input.now);
  is_end_due_ = reply.code == code::k_success;
  if (state_ != State::waiting) return;  // the handler changed its mind and closed
  const Result<void> sent = write([&](Room room) { return dialect_.encode_logon_reply(reply, room); });
  if (reply.code != code::k_success) return post(Event::logon_refused, {.now = input.now});
  post(sent ? Event::logon_accepted : Event::deaf, input);
}

void ServerSession::begin_session(const Input& input) {
  user_name_ = logon_.user;
  logon_ = {};  // no password is kept
  heartbeat_timer_.arm(input.now + options_.heartbeat);
  watch_timer_.arm(input.now + options_.silence_intervals * options_.heartbeat);
}

/// The client says goodbye: answer, and give it an interval to close the connection itself.
void ServerSession::answer_logout(Time now) {
  put_logout("logged out");
  watch_timer_.arm(now + options_.heartbeat);
  finish(market::SessionEnd::logout, now);
}

void ServerSession::on_broken_stream(Bytes rest, const Error& error, Time now) {
  const Reject refusal = reject_of_broken_stream(rest, error);
  post(Event::out_of_step, {.now = now, .refusal = &refusal});
  post(Event::expelled, {.now = now, .text = "stream out of step"});
}

void ServerSession::on_heartbeat_due(Time due) {
  post(Event::heartbeat_due, {.now = due});
}

void ServerSession::on_watch_due(Time due) {
  post(Event::watch_due, {.now = due});
}

void ServerSession::on_writable(Time now) {
  post(Event::writable, {.now = now});
}

void ServerSession::on_closed(link::CloseReason, Time now) {
  post(Event::closed, {.now = now});
}

void ServerSession::pass_writable(Time now) {
  if (SessionBase::is_held(k_no_room)) {
    SessionBase::resume(k_no_room);
    watch_timer_.arm(now + options_.silence_intervals * options_.heartbeat);
  }
  handler_.on_writable(*this, now);
}

void ServerSession::drop_silent_peer(Time due) {
  put_logout("no heartbeat");
  close_connection(link::CloseReason::by_us);
  finish(market::SessionEnd::disconnect, due);
}

void ServerSession::announce_forced_end(Time due) {
  watch_timer_.arm(due + options_.linger);
  finish(market::SessionEnd::forced, due);
}

/// logout() was called and the timer that would have called the handler has not fired yet.
void ServerSession::end_forced(Time now) {
  finish_connection(market::SessionEnd::forced, now);
}

void ServerSession::end_broken(Time now) {
  finish_connection(market::SessionEnd::disconnect, now);
}

void ServerSession::finish_connection(market::SessionEnd end, Time now) {
  DOJIMA_ASSERT(is_connected(), "a connection that was opened ends once", state_, end, now);
  detach();
  logon_ = {};  // nor of one that was not waited for
  finish(end, now);
  handler_.on_free(*this, now);
}

/// Of a report that few are like. 0: it cannot be sent, and the session ends unless there is only no room.
[[gnu::noinline]] std::size_t ServerSession::encode_other(const market::OwnerReport& report, std::int32_t code,
                                                          Room room) {
  const Result<std::size_t> size = dialect_.encode_report(report, code, room);
  if (size) return *size;
  if (size.error().code != ErrorCode::no_room) logout("report not carried");
  return 0;
}

inline void ServerSession::check_sequence(const market::OwnerReport& report) const noexcept {
  const bool is_numbered = report.partition != 0 && report.sequence.value != 0;
  DOJIMA_ASSERT(!is_numbered || report.partition != last_partition_ || report.sequence.value > last_sequence_.value,
                "numbers of a partition rise over a connection", report.partition, report.sequence, last_sequence_,
                user_);
}

/// Inlined where it is called: a report is sent for each that is written.
[[gnu::always_inline]] inline bool ServerSession::put_report(const market::OwnerReport& report, std::int32_t code,
                                                             Room room) {
  // The client drops a report whose number it has seen, so one that is sent out of order would be lost.
  check_sequence(report);
  std::size_t size = dialect_.write_report(report, code, room);
  if (size == 0) [[unlikely]]
    size = encode_other(report, code, room);
  if (size == 0) [[unlikely]]
    return false;
  transport_->commit(size);
  keep_quiet_until_next(scheduler_.now());
  if (report.partition != 0 && report.sequence.value != 0) {
    last_partition_ = report.partition;
    last_sequence_ = report.sequence;
  }
  return true;
}

bool ServerSession::send(const market::OwnerReport& report) {
  return send(report, k_codes[static_cast<std::size_t>(report.reason)]);
}

bool ServerSession::send(const market::OwnerReport& report, std::int32_t code) {
  if (state_ != State::active) return false;
  const Room room = transport_->prepare(dialect_.longest + reserved_room());
  return !room.empty() && put_report(report, code, room.first(dialect_.longest));
}

bool ServerSession::answer(const market::OwnerReport& report, std::int32_t code) {
  if (state_ != State::active) return false;
  keep_room(scheduler_.now());
  const Room room = transport_->prepare(dialect_.longest);
  return !room.empty() && put_report(report, code, room);
}

bool ServerSession::send(const Reject& reject) {
  if (state_ != State::active) return false;
  return write([&](Room room) { return dialect_.encode_reject(reject, room); }).has_value();
}

bool ServerSession::send(const SystemStatus& status) {
  if (state_ != State::active || transport_->prepare(dialect_.longest + reserved_room()).empty()) return false;
  return write([&](Room room) { return dialect_.encode_system_status(status, room); }).has_value();
}

void ServerSession::logout(std::string_view text) {
  post(Event::logout_by_us, {.now = scheduler_.now(), .text = text});
}

void ServerSession::begin_forced_logout(const Input& input) {
  SessionBase::resume(k_by_owner | k_no_room);  // the peer's end is awaited
  put_logout(input.text);
  watch_timer_.arm(input.now);  // the handler hears of it from the loop, not from here
}

template <class Encode>
Result<void> ServerSession::write(Encode encode) {
  return put(state_ == State::active, encode);
}

void ServerSession::resume() {
  if (!SessionBase::is_held(k_by_owner)) return;
  SessionBase::resume(k_by_owner);
  if (state_ == State::active && !is_held())
    watch_timer_.arm(scheduler_.now() + options_.silence_intervals * options_.heartbeat);
}

/// Every message that is read has its answer: where the room for those that follow is gone, no further one is read.
void ServerSession::keep_room(Time now) {
  if (state_ != State::active || SessionBase::is_held(k_no_room)) return;
  if (!transport_->prepare(dialect_.longest + reserved_room()).empty()) return;
  blocked_since_ = now;
  SessionBase::hold(k_no_room);
  watch_timer_.arm(now + options_.stall);
}

bool ServerSession::is_deaf(const Input& input) const noexcept {
  return SessionBase::is_held(k_no_room) && input.now - blocked_since_ >= options_.stall;
}

/// It is not the peer that is silent.
void ServerSession::keep_watching(Time due) {
  const bool is_blocked = SessionBase::is_held(k_no_room);
  watch_timer_.arm(is_blocked ? blocked_since_ + options_.stall
                              : due + options_.silence_intervals * options_.heartbeat);
}

/// A Reject must not get lost: who does not read it does not read anything.
void ServerSession::answer(const Reject& reject, Time now) {
  keep_room(now);
  if (!write([&](Room room) { return dialect_.encode_reject(reject, room); })) post(Event::deaf, {.now = now});
}

void ServerSession::expel(const Input& input) {
  SessionBase::resume(k_by_owner | k_no_room);
  put_logout(input.text);
  watch_timer_.arm(input.now + options_.linger);
  finish(market::SessionEnd::forced, input.now);
}

/// The peer does not read what must be sent to it.
void ServerSession::drop_deaf_peer(Time now) {
  close_connection(link::CloseReason::output_overflow);
  finish(market::SessionEnd::disconnect, now);
}

void ServerSession::close_by_us() {
  close_connection(link::CloseReason::by_us);
}

void ServerSession::finish(market::SessionEnd end, Time now) {
  if (!is_end_due_) return;
  is_end_due_ = false;
  handler_.on_end(*this, end, now);
}

}  // namespace dojima::mit
