#include "dojima/fix/session/logon_actions.hpp"

#include <chrono>
#include <cstdint>

#include "dojima/fix/session/connection_actions.hpp"
#include "dojima/fix/session/live_actions.hpp"

namespace dojima::fix::actions {
namespace {

Error refusal(ErrorCode code, Tag field, const char* expected, std::int64_t got = 0) noexcept {
  return {.code = code, .field = field, .got = got, .expected = expected};
}

/// The number is used up where it is the one that is due.
void count_if_due(SessionCore& core, market::Sequence sequence) {
  if (sequence == core.incoming.expected()) core.incoming.advance({sequence.value + 1}, core.now());
}

/// Both directions begin at 1. An initiator that did not ask for it has used number 1 for its Logon.
void reset_numbers(SessionCore& core) {
  if (is_initiator(core) && core.config.reset_on_logon) return core.incoming.reset({1});
  core.store.begin_anew({is_initiator(core) ? std::uint64_t{2} : std::uint64_t{1}});
  core.outbox.restart();
}

}  // namespace

void receive_logon(SessionCore& core, const SessionInput& input) {
  const Result<void>& read = *input.read;
  const MessageView& message = core.view;
  if (is_initiator(core) && read && message.msg_type() == type::k_logout &&
      core.checks.check_header(message, core.now())) {
    if (const auto sequence = message.msg_seq_num()) count_if_due(core, *sequence);
    const Error error = refusal(ErrorCode::refused, tag::k_text, "a Logon in answer to ours");
    return core.post(SessionEvent::logon_refused, {.error = &error});
  }
  if (const auto checked = core.checks.check_logon(message, read, core.now()); !checked)
    return core.post(SessionEvent::logon_refused, {.error = &checked.error()});
  const market::Sequence sequence = *message.msg_seq_num();
  const bool is_reset =
      message.is_set(tag::k_reset_seq_num_flag) || (!is_initiator(core) && core.config.reset_on_logon);
  if (is_reset) reset_numbers(core);
  if (sequence < core.incoming.expected()) {
    core.handler.on_trouble(core.session,
                            refusal(ErrorCode::refused, tag::k_msg_seq_num, "a number that is not used yet",
                                    static_cast<std::int64_t>(sequence.value)));
    return end_too_low(core, sequence);
  }
  core.post(SessionEvent::logon_accepted, {.sequence = sequence, .is_reset = is_reset});
}

void begin_session(SessionCore& core, const SessionInput& input) {
  SessionTimers& timers = core.timers;
  if (!is_initiator(core)) {
    const std::chrono::seconds heartbeat{*core.view.integer(tag::k_heart_bt_int)};
    timers.set_heartbeat(heartbeat);
    core.outbox.restart();
    core.outbox.release();
    core.admin.logon(input.is_reset, heartbeat, core.now());
    if (core.outbox.has_failed()) return core.transmit();
  }
  core.was_logged_on = true;
  timers.lift_limit();
  core.outbox.release();
  core.transmit();
  if (timers.heartbeat().count() > 0) {
    timers.note_sent();
    timers.note_received(core.state == SessionState::logged_on);
  }
  if (input.sequence == core.incoming.expected()) {
    core.incoming.advance({input.sequence.value + 1}, core.now());
  } else if (!input.is_reset || core.view.is_set(tag::k_reset_seq_num_flag)) {
    // After a reset that the peer did not ask for its number belongs to the old count: it begins anew as well.
    request_resend(core, input.sequence, false);
  }
  core.handler.on_logon(core.session, core.now());
}

void refuse(SessionCore& core, const SessionInput& input) {
  core.close("logon refused");
  core.handler.on_trouble(core.session, *input.error);
}

void give_up_logon(SessionCore& core) {
  const Error error = refusal(ErrorCode::unavailable, 0, "a Logon within logon_timeout");
  refuse(core, {.error = &error});
}

void begin_logout(SessionCore& core, const SessionInput& input) {
  core.admin.logout(input.text, core.now());
  core.outbox.hold_back();
  core.end_reason = decltype(core.end_reason)::cut(input.text);
  core.timers.limit_state(core.config.logout_timeout);
  core.transmit();
}

void give_up_logout(SessionCore& core) {
  core.close("no answer to a logout");
}

void answer_logout(SessionCore& core, const SessionInput& input) {
  core.admin.logout({}, core.now());
  core.transmit();
  take_logout(core, input);
}

void take_logout(SessionCore& core, const SessionInput& input) {
  const Text<128> text = Text<128>::cut(core.view.find(tag::k_text).value_or(std::string_view{}));
  count_if_due(core, input.sequence);
  core.close(text.is_empty() ? std::string_view{"logged out"} : text.view());
}

void end_with_logout(SessionCore& core, const SessionInput& input) {
  core.outbox.release();
  core.admin.logout(input.text, core.now());
  core.transmit();
  core.close(input.text);
}

void end_unopened(SessionCore& core, const SessionInput& input) {
  core.outbox.restart();
  end_with_logout(core, input);
}

}  // namespace dojima::fix::actions
