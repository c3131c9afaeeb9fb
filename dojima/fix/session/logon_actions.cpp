#include "dojima/fix/session/logon_actions.hpp"

#include <array>
#include <chrono>
#include <cstdint>

#include "dojima/fix/error_text.hpp"
#include "dojima/fix/session/connection_actions.hpp"
#include "dojima/fix/session/live_actions.hpp"
#include "dojima/fix/session/phrase.hpp"

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
  core.store.begin_anew({is_initiator(core) ? std::uint64_t{2} : std::uint64_t{1}}, core.now());
  core.outbox.restart();
}

/// Why this connection's Logon is refused, for the log and whoever asks; `text`: in words, empty: the error's own.
void note_refusal(SessionCore& core, const Error& error, std::string_view text) {
  std::array<char, k_error_text_max> room;
  core.refusal = error;
  core.refusal_text =
      decltype(core.refusal_text)::cut(text.empty() ? describe(error, core.view, room) : text.substr(0, room.size()));
  Phrase line;
  line << "Logon refused: " << core.refusal_text.view();
  core.log.event(line.view(), core.now());
}

/// Ends a connection whose Logon is not accepted, with a Logout where the configuration wants one.
void refuse_logon(SessionCore& core, const Error& error, std::string_view text) {
  note_refusal(core, error, text);
  const bool can_answer = !is_initiator(core) && core.config.refusal == Refusal::logout;
  if (!can_answer) return core.post(SessionEvent::logon_refused, {.error = &error});
  core.handler.on_trouble(core.session, error);
  core.post(SessionEvent::must_end, {.text = core.refusal_text.view()});
}

/// What the peer's Logon says of sizes and numbers. Text of the Logout that a Logon deserves which cannot be kept to;
/// empty: none.
void note_peer_limits(SessionCore& core, const MessageView& logon, Phrase& wrong) {
  constexpr std::int64_t k_message_size_min = 512;
  if (core.version.has_details && logon.has(tag::k_max_message_size)) {
    const auto size = logon.integer(tag::k_max_message_size);
    if (!size || *size < k_message_size_min) {
      wrong << "MaxMessageSize(383) must be at least 512 bytes";
      return;
    }
    core.outbox.limit_messages(static_cast<std::size_t>(*size));
  }
  if (!core.config.next_expected) return;
  const auto next = logon.sequence(tag::k_next_expected_msg_seq_num);
  const market::Sequence own = core.store.next_outgoing();
  if (next && *next > own)
    wrong << "NextExpectedMsgSeqNum too high, expecting " << own.value << " but received " << next->value;
}

/// The messages that the peer's NextExpectedMsgSeqNum(789) names as missing, up to our Logon.
void resend_unrequested(SessionCore& core) {
  if (!core.config.next_expected) return;
  const auto next = core.view.sequence(tag::k_next_expected_msg_seq_num);
  if (!next || next->value == 0) return;
  const market::Sequence logon{core.store.next_outgoing().value - 1};
  // Who accepts has answered after the peer named its number: that one Logon is no loss.
  if (is_initiator(core) ? *next <= logon : *next < logon) core.outbox.resend(*next, logon);
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
    return refuse_logon(core, checked.error(), {});
  const LogonDecision decision = core.handler.on_logon_request(core.session, message, core.now());
  if (!decision.is_accepted)
    return refuse_logon(core, refusal(ErrorCode::refused, 0, "a logon that the handler accepts"), decision.text);
  const bool is_password_chosen =
      !is_initiator(core) && message.has(tag::k_new_password) && !decision.is_password_changed;
  if (is_password_chosen && !core.checks.may_change_password())
    return refuse_logon(core, refusal(ErrorCode::refused, tag::k_new_password, "no NewPassword"), {});
  const market::Sequence sequence = *message.msg_seq_num();
  const bool is_reset = core.version.has_reset_flag && message.is_set(tag::k_reset_seq_num_flag);
  if (is_reset || (!is_initiator(core) && core.config.reset_on_logon)) reset_numbers(core);
  if (sequence < core.incoming.expected()) {
    note_refusal(core,
                 refusal(ErrorCode::refused, tag::k_msg_seq_num, "a number that is not used yet",
                         static_cast<std::int64_t>(sequence.value)),
                 {});
    core.handler.on_trouble(core.session, core.refusal);
    return end_too_low(core, sequence);
  }
  Phrase wrong;
  note_peer_limits(core, message, wrong);
  if (!wrong.view().empty()) {
    note_refusal(core, refusal(ErrorCode::refused, 0, "a Logon whose sizes and numbers are possible"), wrong.view());
    core.handler.on_trouble(core.session, core.refusal);
    return core.post(SessionEvent::must_end, {.text = wrong.view()});
  }
  const std::string_view new_password = message.find(tag::k_new_password).value_or(std::string_view{});
  if (decision.is_password_changed) core.checks.set_password(new_password);
  if (is_password_chosen)
    if (const auto changed = core.checks.change_password(new_password); !changed)
      return refuse_logon(core, changed.error(), "NewPassword cannot be kept");
  core.post(SessionEvent::logon_accepted, {.sequence = sequence,
                                           .is_reset = is_reset,
                                           .is_password_changed = decision.is_password_changed || is_password_chosen});
}

void begin_session(SessionCore& core, const SessionInput& input) {
  SessionTimers& timers = core.timers;
  const market::Sequence expected = core.incoming.expected();
  const bool is_due = input.sequence == expected;
  if (!is_initiator(core)) {
    const std::chrono::seconds heartbeat{*core.view.integer(tag::k_heart_bt_int)};
    timers.set_heartbeat(heartbeat);
    core.outbox.restart();
    core.outbox.release();
    const market::Sequence next = is_due ? market::Sequence{expected.value + 1} : expected;
    core.admin.logon({.heartbeat = heartbeat,
                      .is_reset = input.is_reset,
                      .next_expected = core.config.next_expected ? next : market::Sequence{},
                      .is_password_changed = input.is_password_changed},
                     core.now());
    if (core.outbox.has_failed()) return core.transmit();
  }
  timers.lift_limit();
  core.outbox.release();
  // Our Logon leaves first, what the peer misses behind it.
  core.transmit();
  resend_unrequested(core);
  core.transmit();
  if (core.state == SessionState::logged_on && timers.heartbeat().count() > 0) {
    timers.note_sent();
    timers.note_received(true);
  }
  if (is_due) {
    core.incoming.advance({input.sequence.value + 1}, core.now());
  } else if (core.config.next_expected && core.view.has(tag::k_next_expected_msg_seq_num)) {
    core.incoming.await_resend(input.sequence, core.now());
  } else {
    request_resend(core, input.sequence, false);
  }
  // A peer too slow for what waited, or a store that failed, has ended it already: nobody hears of it then.
  if (core.state != SessionState::logged_on) return;
  core.was_logged_on = true;
  if (core.store.is_short_of_room()) core.hold(SessionCore::k_store);
  core.handler.on_logon(core.session, core.now());
}

void begin_reset(SessionCore& core) {
  // What the peer has on its way belongs to the old count until its answer is here.
  const market::Sequence expected = core.incoming.expected();
  core.repeated_request = {};
  core.store.reset(core.now());
  core.incoming.reset(expected);
  core.outbox.restart();
  core.is_reset_awaited = true;
  core.admin.logon({.heartbeat = std::chrono::duration_cast<std::chrono::seconds>(core.timers.heartbeat()),
                    .is_reset = true,
                    .next_expected = core.config.next_expected ? market::Sequence{1} : market::Sequence{}},
                   core.now());
  core.timers.limit_state(core.config.logon_timeout);
  core.transmit();
}

void give_up_reset(SessionCore& core) {
  core.close("no answer to a Logon that resets");
}

void refuse(SessionCore& core, const SessionInput& input) {
  if (core.refusal.code == ErrorCode::none) note_refusal(core, *input.error, {});
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
  core.end = SessionEnd::logout;
  const Text<128> text = Text<128>::cut(core.view.find(tag::k_text).value_or(std::string_view{}));
  count_if_due(core, input.sequence);
  core.close(text.is_empty() ? std::string_view{"logged out"} : text.view());
}

void end_with_logout(SessionCore& core, const SessionInput& input) {
  core.end = SessionEnd::refused;
  core.outbox.release();
  core.admin.logout(input.is_text_sent ? input.text : std::string_view{}, core.now());
  core.transmit();
  core.close(input.text);
}

void end_unopened(SessionCore& core, const SessionInput& input) {
  core.outbox.restart();
  end_with_logout(core, input);
}

}  // namespace dojima::fix::actions
