#include "dojima/fix/session/live_actions.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/fix/session/phrase.hpp"

namespace dojima::fix {
namespace {

constexpr unsigned k_resets_in_a_row_max = 3;
/// Resets further apart than this are no loop: some sessions that never end begin anew every day.
constexpr std::chrono::hours k_reset_loop{1};
constexpr unsigned k_repeated_requests_max = 16;
constexpr unsigned k_requests_in_vain_max = 8;

/// The tag that an error is about, as RefTagID(371) names it: from the message where an error has no room for it (tags
/// above 65535, and what is no tag: 0 and negative numbers). Empty: none. The text lives as long as `digits` and the
/// message.
std::string_view tag_of(const MessageView& message, const Error& error, std::span<char, 8> digits) noexcept {
  const auto text_of_number = [&](std::uint32_t number) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  };
  if (error.field != k_large_tag) return text_of_number(error.field);
  const std::string_view text = as_text(message.bytes());
  if (error.code == ErrorCode::out_of_range && reason_of(error) == RejectReason::invalid_tag_number)
    return text.substr(error.offset, text.find('=', error.offset) - error.offset);
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (message[at].tag != k_large_tag || message.offset_of(at) != error.offset) continue;
    const std::size_t end = error.offset - 1, begin = text.rfind('\x01', end) + 1;
    return text.substr(begin, end - begin);
  }
  return {};
}

void count_number(SessionCore& core, market::Sequence sequence) {
  core.incoming.advance({sequence.value + 1}, core.now());
}

/// Answers with a Reject and uses up the number where it is the one that is due. A peer whose names or clock are wrong
/// is logged out.
void refuse_message(SessionCore& core, market::Sequence sequence, const Error& error) {
  const RejectReason reason = reason_of(error);
  const bool is_empty = error.code == ErrorCode::missing && reason == RejectReason::tag_without_value;
  const bool is_peer_wrong =
      !is_empty && (reason == RejectReason::comp_id_problem || reason == RejectReason::sending_time_accuracy);
  core.handler.on_trouble(core.session, error);
  // A Reject is never answered with one.
  if (core.state == SessionState::logged_on && core.view.msg_type() != type::k_reject) {
    const bool names_a_tag = !is_peer_wrong && reason != RejectReason::invalid_msg_type;
    char digits[8];
    const std::string_view ref_tag = names_a_tag ? tag_of(core.view, error, digits) : std::string_view{};
    if (core.admin.reject(core.view, {.reason = reason, .ref_tag = ref_tag}, core.now())) core.transmit();
  }
  if (sequence == core.incoming.expected()) count_number(core, sequence);
  if (is_peer_wrong) {
    // The Reject has said why; the canonical Logout does not repeat it.
    return core.post(SessionEvent::must_end,
                     {.text = text_of(reason), .is_text_sent = core.config.profile != Profile::canonical});
  }
  const unsigned most = core.config.rejects_in_a_row;
  if (most != 0 && ++core.rejects_in_a_row >= most)
    core.post(SessionEvent::must_end, {.text = "too many messages refused one after the other"});
}

/// The message that is due: held against the rules, then served. Its number is used up either way.
void process(SessionCore& core, const Result<void>& read, market::Sequence sequence) {
  if (auto duplicate = core.checks.check_duplicate(core.view); !duplicate)
    return refuse_message(core, sequence, duplicate.error());
  if (!read) return refuse_message(core, sequence, read.error());
  if (auto content = core.checks.check_content(core.view); !content)
    return refuse_message(core, sequence, content.error());
  core.rejects_in_a_row = 0;
  core.post(static_cast<SessionEvent>(core.view.msg_type()), {.place = SessionInput::Place::due, .sequence = sequence});
}

/// Serves what waited, as far as numbers follow each other and the store has room for the answers.
void drain_early(SessionCore& core) {
  while (core.is_receiving() && !core.is_held(SessionCore::k_store)) {
    const auto early = core.incoming.next_early(core.now());
    if (!early) break;
    const FrameSearch found = find_frame(early->message, core.config.max_body);
    DOJIMA_ASSERT(found.state == FrameState::whole, "what waits was a whole message", early->sequence);
    process(core, core.view.read(found.frame, core.checks.read_rules()), early->sequence);
    // The connection may have been reset meanwhile, and the queue with it.
    core.incoming.drop_early(early->sequence);
  }
}

/// A Logon with ResetSeqNumFlag within a live session: numbers begin anew, and the peer learns it from our Logon. The
/// answer to a reset of ours gets none.
void reset_in_session(SessionCore& core, market::Sequence sequence) {
  if (sequence.value != 1) return core.post(SessionEvent::must_end, {.text = "a Logon that resets has MsgSeqNum 1"});
  if (core.is_reset_awaited) {
    core.is_reset_awaited = false;
    core.timers.lift_limit();
    return core.incoming.reset({2});
  }
  RepeatedReset& repeated = core.repeated_reset;
  const unsigned before = core.now() - repeated.latest < k_reset_loop ? repeated.count : 0;
  repeated = {.latest = core.now(), .count = before + 1};
  if (repeated.count > k_resets_in_a_row_max)
    return core.post(SessionEvent::must_end, {.text = "too many resets one after the other"});
  core.repeated_request = {};
  core.store.reset(core.now());
  core.outbox.restart();
  core.admin.logon({.heartbeat = std::chrono::duration_cast<std::chrono::seconds>(core.timers.heartbeat()),
                    .is_reset = true,
                    .next_expected = core.config.next_expected ? market::Sequence{2} : market::Sequence{}},
                   core.now());
  core.incoming.reset({2});
  core.transmit();
}

/// SequenceReset: as a gap fill it has its place in the sequence, as a reset it has none.
void reset_numbers_by(SessionCore& core, const Result<void>& read, market::Sequence sequence) {
  const MessageView& message = core.view;
  const bool is_gap_fill = message.is_set(tag::k_gap_fill_flag);
  Result<void> checked = read;
  if (checked) checked = core.checks.check_content(message);
  const auto next = message.sequence(tag::k_new_seq_no);
  if (checked && !next) checked = std::unexpected(next.error());
  const market::Sequence lowest = is_gap_fill ? market::Sequence{sequence.value + 1} : core.incoming.expected();
  if (checked && *next < lowest)
    checked = violation(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_new_seq_no,
                        "a number behind the expected one");
  if (!checked) return refuse_message(core, {0}, checked.error());  // not counted: nobody knows which number comes next
  if (is_gap_fill) {
    core.incoming.fill_up_to(*next);
  } else {
    core.incoming.reset(*next);
  }
}

Result<void> answer_resend_request(SessionCore& core) {
  const auto first = core.view.sequence(tag::k_begin_seq_no), last = core.view.sequence(tag::k_end_seq_no);
  if (!first) return std::unexpected(first.error());
  if (!last) return std::unexpected(last.error());
  if (first->value == 0)
    return violation(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_begin_seq_no, "a number from 1 on");
  const bool is_endless = last->value == 0 || (core.version.endless != 0 && last->value == core.version.endless);
  if (!is_endless && *last < *first)
    return violation(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_end_seq_no,
                     "0, or BeginSeqNo or more");
  constexpr std::uint64_t k_endless = std::numeric_limits<std::uint64_t>::max() - 1;
  // Who asks in parts asks for later ones each time. What was not sent yet is no part of anything.
  RepeatedRequest& repeated = core.repeated_request;
  const bool is_further = *first > repeated.highest && *first < core.store.next_outgoing();
  repeated = is_further ? RepeatedRequest{.highest = *first, .count = 1}
                        : RepeatedRequest{.highest = repeated.highest, .count = repeated.count + 1};
  if (repeated.count > k_repeated_requests_max) {
    core.post(SessionEvent::must_end, {.text = "too many ResendRequests for the same messages"});
    return {};
  }
  core.outbox.resend(*first, is_endless ? market::Sequence{k_endless} : *last);
  core.transmit();
  return {};
}

/// An empty field of the header: judged before what the header says, for it may be one of the names. Null: none.
const Error* empty_header_field(const SessionCore& core, const Result<void>& read) noexcept {
  if (read || read.error().code != ErrorCode::missing || reason_of(read.error()) != RejectReason::tag_without_value)
    return nullptr;
  const Member* const member = core.dictionary.envelope().find(read.error().field);
  return member != nullptr && member->is(Member::k_header) ? &read.error() : nullptr;
}

/// What is missing was asked for again and again, and nothing of it came: this connection does not get any further.
void end_unanswered(SessionCore& core, market::Sequence first) {
  core.handler.on_trouble(core.session, {.code = ErrorCode::unavailable,
                                         .field = tag::k_begin_seq_no,
                                         .got = static_cast<std::int64_t>(first.value),
                                         .expected = "an answer to a ResendRequest"});
  Phrase text;
  text << "no answer to " << k_requests_in_vain_max << " ResendRequests for " << first.value << " and later";
  core.post(SessionEvent::must_end, {.text = text.view()});
}

/// The next part of a gap that is asked for in parts.
void request_next_chunk(SessionCore& core) {
  if (core.state != SessionState::logged_on || !core.incoming.is_next_chunk_due()) return;
  const IncomingSequence::Missing missing = core.incoming.request(core.now());
  core.admin.resend_request(missing.first, missing.last, core.now());
  core.transmit();
}

/// MsgSeqNum(34) of bytes that are no message, as far as they show one.
market::Sequence number_in(std::string_view garbled) noexcept {
  constexpr std::string_view k_tag =
      "\x01"
      "34=";
  const std::size_t at = garbled.find(k_tag);
  market::Sequence number;
  if (at == std::string_view::npos) return number;
  const char* const begin = garbled.data() + at + k_tag.size();
  const char* const end = garbled.data() + garbled.size();
  const auto [rest, trouble] = std::from_chars(begin, end, number.value);
  return trouble == std::errc{} && rest != end && *rest == '\x01' ? number : market::Sequence{};
}

}  // namespace

void receive_frame(SessionCore& core, const Frame& frame) {
  const Result<void> read = core.view.read(frame, core.checks.read_rules());
  if (!read && core.checks.is_garbled(read))
    return core.post(SessionEvent::garbled, {.error = &read.error(), .text = as_text(frame.bytes)});
  core.timers.note_received(core.state == SessionState::logged_on);
  core.post(SessionEvent::arrived, {.frame = &frame, .read = &read});
#if defined(DOJIMA_SLOW_CHECKS)
  core.view.clear();  // who kept a group of the message is found out
#endif
  serve_early(core);
}

void serve_early(SessionCore& core) {
  drain_early(core);
  request_next_chunk(core);
}

namespace actions {

void receive_garbled(SessionCore& core, const SessionInput& input) {
  core.handler.on_trouble(core.session, *input.error);
  const market::Sequence sequence = number_in(input.text);
  if (!core.config.rejects_garbled || core.state != SessionState::logged_on || sequence.value == 0) return;
  Phrase text;
  text << "garbled message: " << input.error->expected << " is missing";
  core.admin.reject_garbled(sequence, text.view(), core.now());
  if (sequence == core.incoming.expected()) count_number(core, sequence);
  core.transmit();
}

void end_oversized(SessionCore& core, const SessionInput& input) {
  core.handler.on_trouble(core.session, *input.error);
  Phrase text;
  text << "BodyLength of " << static_cast<std::uint64_t>(input.error->got) << " bytes exceeds the largest of "
       << core.config.max_body;
  core.post(SessionEvent::must_end, {.text = text.view()});
}

void receive_live(SessionCore& core, const SessionInput& input) {
  const MessageView& message = core.view;
  const auto end = [&core](std::string_view text) { core.post(SessionEvent::must_end, {.text = text}); };
  const auto sequence = message.msg_seq_num();
  if (begin_string_of(*input.frame) != core.config.begin_string) return end("Incorrect BeginString");
  if (!sequence) return end("MsgSeqNum missing or unreadable");
  if (const Error* const empty = empty_header_field(core, *input.read)) return refuse_message(core, *sequence, *empty);
  const MsgType type = message.msg_type();
  if (auto header = core.checks.check_header(message, core.now()); !header)
    return refuse_message(core, *sequence, header.error());
  if (type == type::k_logon && core.version.has_reset_flag && message.is_set(tag::k_reset_seq_num_flag))
    return reset_in_session(core, *sequence);
  if (type == type::k_sequence_reset && !message.is_set(tag::k_gap_fill_flag))
    return reset_numbers_by(core, *input.read, *sequence);
  const market::Sequence expected = core.incoming.expected();
  if (*sequence == expected) {
    if (core.incoming.is_answer_awaited() && !message.is_set(tag::k_poss_dup_flag)) core.incoming.end_answer();
    return process(core, *input.read, *sequence);
  }
  core.post(static_cast<SessionEvent>(type),
            {.place = *sequence < expected ? SessionInput::Place::low : SessionInput::Place::early,
             .sequence = *sequence,
             .frame = input.frame,
             .read = input.read});
}

void receive_low(SessionCore& core, const SessionInput& input) {
  const MessageView& message = core.view;
  if (!message.is_set(tag::k_poss_dup_flag)) return end_too_low(core, input.sequence);
  if (auto duplicate = core.checks.check_duplicate(message); !duplicate)
    return refuse_message(core, input.sequence, duplicate.error());
  // A gap fill of the answer to our request may begin among what is known and end beyond it: early messages were
  // processed meanwhile. Any other one is a duplicate and changes nothing.
  if (message.msg_type() == type::k_sequence_reset && *input.read && core.incoming.is_within_answer(input.sequence)) {
    const auto next = message.sequence(tag::k_new_seq_no);
    if (next && *next > core.incoming.expected()) core.incoming.fill_up_to(*next);
  }
}

void keep_for_later(SessionCore& core, const SessionInput& input) {
  core.incoming.keep(input.sequence, input.frame->bytes);
  request_resend(core, input.sequence, core.view.is_set(tag::k_poss_dup_flag));
}

void serve_early_request(SessionCore& core, const SessionInput& input) {
  const bool is_duplicate = core.view.is_set(tag::k_poss_dup_flag);
  if (*input.read && core.checks.check_content(core.view)) static_cast<void>(answer_resend_request(core));
  request_resend(core, input.sequence, is_duplicate);
}

void count_message(SessionCore& core, const SessionInput& input) {
  count_number(core, input.sequence);
}

void answer_test_request(SessionCore& core, const SessionInput& input) {
  const bool is_written = core.admin.heartbeat_for(*core.view.find(tag::k_test_req_id), core.now());
  if (is_written || core.outbox.has_failed()) core.transmit();
  count_message(core, input);
}

void serve_request(SessionCore& core, const SessionInput& input) {
  if (auto answered = answer_resend_request(core); !answered)
    return refuse_message(core, input.sequence, answered.error());
  count_message(core, input);
}

void pass_reject(SessionCore& core, const SessionInput& input) {
  core.handler.on_reject(core.session, core.view, core.now());
  count_message(core, input);
}

void pass_message(SessionCore& core, const SessionInput& input) {
  core.repeated_request = {};
  core.repeated_reset = {};
  core.handler.on_message(core.session, core.view, core.now());
  count_message(core, input);
}

void fill_gap(SessionCore& core, const SessionInput& input) {
  reset_numbers_by(core, {}, input.sequence);
}

void end_second_logon(SessionCore& core, const SessionInput& input) {
  count_message(core, input);
  core.post(SessionEvent::must_end, {.text = "a second Logon"});
}

void end_too_low(SessionCore& core, market::Sequence sequence) {
  Phrase text;
  text << "MsgSeqNum too low, expecting " << core.incoming.expected().value << " but received " << sequence.value;
  core.post(SessionEvent::must_end, {.text = text.view()});
}

void request_resend(SessionCore& core, market::Sequence seen, bool is_duplicate) {
  if (core.state != SessionState::logged_on) return;
  constexpr std::chrono::seconds k_patience_without_heartbeats{30};
  const std::chrono::nanoseconds heartbeat = core.timers.heartbeat();
  const std::chrono::nanoseconds patience = heartbeat.count() > 0 ? heartbeat : k_patience_without_heartbeats;
  if (!core.incoming.note_gap(seen, is_duplicate, patience, core.now())) return;
  const IncomingSequence::Missing missing = core.incoming.request(core.now());
  if (core.incoming.requests_in_vain() > k_requests_in_vain_max) return end_unanswered(core, missing.first);
  core.admin.resend_request(missing.first, missing.last, core.now());
  core.transmit();
}

}  // namespace actions
}  // namespace dojima::fix
