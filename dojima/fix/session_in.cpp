#include <algorithm>
#include <charconv>
#include <limits>

#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/session_machine.hpp"

// What arrives on a session that is logged on: sequence numbers, gaps, rejects, session messages.

namespace dojima::fix {
namespace {

std::unexpected<Error> wrong(RejectReason reason, ErrorCode code, Tag tag, const char* expected) noexcept {
  return fail(code, tag, 0, static_cast<std::int64_t>(reason), expected);
}

/// The tag that an error is about, also one above 65535, which an error has no room for: its place in the message
/// tells.
std::uint32_t tag_of(const MessageView& message, const Error& error) noexcept {
  if (error.field != k_large_tag) return error.field;
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (message[at].tag == k_large_tag && message.offset_of(at) == error.offset) return message.number_of(at);
  }
  return 0;
}

/// Text that is put together in place: no allocation for a message that says what was wrong.
class Phrase {
 public:
  Phrase& operator<<(std::string_view part) noexcept {
    const std::size_t size = std::min(part.size(), sizeof text_ - size_);
    std::copy_n(part.data(), size, text_ + size_);
    size_ += size;
    return *this;
  }
  Phrase& operator<<(market::Sequence number) noexcept {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number.value).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[128];
  std::size_t size_ = 0;
};

}  // namespace

void Session::receive(const Frame& frame) {
  const Result<void> read = view_.read(frame, read_rules());
  // A tag that is no number: garbled, as if it had never arrived, unless it is to be told from a separator in a value.
  const bool is_reported =
      config_.checks.separators && !read && reason_of(read.error()) == RejectReason::field_separator_in_value;
  if (!read && read.error().field == 0 && read.error().code == ErrorCode::malformed && !is_reported)
    return post(Event::garbled, {.error = &read.error()});
  note_received();
  post(Event::arrived, {.frame = &frame, .read = &read});
#if defined(DOJIMA_SLOW_CHECKS)
  view_.clear();  // who kept a group of the message is found out
#endif
  drain_early();
}

ReadRules Session::read_rules() const noexcept {
  return {.data_fields = &dictionary_.data_fields(), .allows_empty_values = !config_.checks.empty_values};
}

/// Names and time of the header; the session's numbers are not looked at.
Result<void> Session::check_header() const noexcept {
  const auto sender = view_.text(tag::k_sender_comp_id);
  const auto target = view_.text(tag::k_target_comp_id);
  if (!sender) return std::unexpected(sender.error());
  if (!target) return std::unexpected(target.error());
  if (*sender != config_.target_comp_id)
    return wrong(RejectReason::comp_id_problem, ErrorCode::refused, tag::k_sender_comp_id, "the session's peer");
  if (*target != config_.sender_comp_id)
    return wrong(RejectReason::comp_id_problem, ErrorCode::refused, tag::k_target_comp_id, "the session's own name");
  const auto sent = view_.time(tag::k_sending_time);
  if (!sent) return std::unexpected(sent.error());
  const auto distance = *sent > now() ? *sent - now() : now() - *sent;
  if (config_.sending_time_tolerance.count() != 0 && distance > config_.sending_time_tolerance)
    return wrong(RejectReason::sending_time_accuracy, ErrorCode::out_of_range, tag::k_sending_time, "a time near now");
  return {};
}

/// What PossDupFlag(43) demands; SequenceReset is exempt, because many engines send it without.
Result<void> Session::check_duplicate() const noexcept {
  if (!view_.is_set(tag::k_poss_dup_flag) || view_.msg_type() == type::k_sequence_reset) return {};
  const auto original = view_.time(tag::k_orig_sending_time);
  if (!original) return std::unexpected(original.error());
  const auto sent = view_.time(tag::k_sending_time);
  if (sent && *original > *sent)
    return wrong(RejectReason::sending_time_accuracy, ErrorCode::out_of_range, tag::k_orig_sending_time,
                 "a time not later than SendingTime");
  return {};
}

/// The header is held against the session, the number against the one that is due; then the type decides.
void Session::receive_live(const Input& input) {
  const auto end = [this](std::string_view text) { post(Event::must_end, {.text = text}); };
  const auto sequence = view_.msg_seq_num();
  if (begin_string_of(*input.frame) != config_.begin_string) return end("Incorrect BeginString");
  if (!sequence) return end("MsgSeqNum missing or unreadable");
  const MsgType type = view_.msg_type();
  if (auto header = check_header(); !header) return refuse_message(*sequence, header.error());
  if (type == type::k_logon && view_.is_set(tag::k_reset_seq_num_flag)) return reset_in_session(*sequence);
  if (type == type::k_sequence_reset && !view_.is_set(tag::k_gap_fill_flag))
    return reset_numbers_by(*input.read, *sequence);
  if (*sequence == store_.next_incoming()) return process(*input.read, *sequence);
  const bool is_low = *sequence < store_.next_incoming();
  post(static_cast<Event>(type), {.place = is_low ? Input::Place::low : Input::Place::early,
                                  .sequence = *sequence,
                                  .frame = input.frame,
                                  .read = input.read});
}

bool Session::is_low(const Input& input) const noexcept {
  return input.place == Input::Place::low;
}
bool Session::is_early(const Input& input) const noexcept {
  return input.place == Input::Place::early;
}
bool Session::is_due(const Input& input) const noexcept {
  return input.place == Input::Place::due;
}

/// A number that was used before: a duplicate, or a peer that lost count.
void Session::receive_low(const Input& input) {
  if (!view_.is_set(tag::k_poss_dup_flag)) return end_too_low(input.sequence);
  if (auto duplicate = check_duplicate(); !duplicate) return refuse_message(input.sequence, duplicate.error());
  // A gap fill may begin among what is known and end beyond it: early messages were processed meanwhile.
  if (view_.msg_type() == type::k_sequence_reset && *input.read) {
    const auto next = view_.sequence(tag::k_new_seq_no);
    if (next && *next > store_.next_incoming()) fill_to_ = std::max(fill_to_, *next);
  }
}

void Session::end_too_low(market::Sequence sequence) {
  Phrase text;
  text << "MsgSeqNum too low, expecting " << store_.next_incoming() << " but received " << sequence;
  post(Event::must_end, {.text = text.view()});
}

/// A number that comes too early waits until the gap is closed. Requests to resend and logouts are served at once, or
/// both sides could wait for each other for ever.
void Session::keep_for_later(const Input& input) {
  static_cast<void>(early_.push(input.sequence, input.frame->bytes));
  request_resend(input.sequence, view_.is_set(tag::k_poss_dup_flag));
}

void Session::serve_early_request(const Input& input) {
  const bool is_duplicate = view_.is_set(tag::k_poss_dup_flag);
  if (*input.read && check_message(view_, dictionary_, config_.checks)) static_cast<void>(answer_resend_request());
  request_resend(input.sequence, is_duplicate);
}

/// The message that is due: held against the rules, then served. Its number is used up either way.
void Session::process(const Result<void>& read, market::Sequence sequence) {
  if (auto duplicate = check_duplicate(); !duplicate) return refuse_message(sequence, duplicate.error());
  if (!read) return refuse_message(sequence, read.error());
  if (auto checked = check_message(view_, dictionary_, config_.checks); !checked)
    return refuse_message(sequence, checked.error());
  post(static_cast<Event>(view_.msg_type()), {.place = Input::Place::due, .sequence = sequence});
}

void Session::count_message(const Input& input) {
  advance({input.sequence.value + 1});
}

void Session::serve_request(const Input& input) {
  if (auto answered = answer_resend_request(); !answered) return refuse_message(input.sequence, answered.error());
  count_message(input);
}

void Session::pass_reject(const Input& input) {
  handler_.on_reject(*this, view_, now());
  count_message(input);
}

void Session::pass_message(const Input& input) {
  handler_.on_message(*this, view_, now());
  count_message(input);
}

void Session::fill_gap(const Input& input) {
  reset_numbers_by({}, input.sequence);
}

void Session::end_second_logon(const Input& input) {
  store_.set_next_incoming({input.sequence.value + 1});
  post(Event::must_end, {.text = "a second Logon"});
}

/// SequenceReset: as a gap fill it has its place in the sequence, as a reset it has none.
void Session::reset_numbers_by(const Result<void>& read, market::Sequence sequence) {
  const bool is_gap_fill = view_.is_set(tag::k_gap_fill_flag);
  Result<void> checked = read;
  if (checked) checked = check_message(view_, dictionary_, config_.checks);
  const auto next = view_.sequence(tag::k_new_seq_no);
  if (checked && !next) checked = std::unexpected(next.error());
  const market::Sequence lowest = is_gap_fill ? market::Sequence{sequence.value + 1} : store_.next_incoming();
  if (checked && *next < lowest)
    checked = wrong(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_new_seq_no,
                    "a number behind the expected one");
  if (!checked) return refuse_message({0}, checked.error());  // not counted: nobody knows which number comes next
  if (is_gap_fill) {
    fill_to_ = std::max(fill_to_, *next);
    return;
  }
  forget_gap();
  store_.set_next_incoming(*next);
}

void Session::answer_test_request(const Input& input) {
  Writer heartbeat = outbox_.begin(type::k_heartbeat, now());
  const std::string_view id = *view_.find(tag::k_test_req_id);
  constexpr std::string_view k_empty_id = "112=\x01";  // where empty values are permitted, it is echoed as it is
  if (id.empty()) {
    heartbeat.raw(as_bytes(k_empty_id));
  } else {
    heartbeat.field(tag::k_test_req_id, id);
  }
  // An id that is longer than any message of ours is not worth an answer; the peer's next one tells.
  if (outbox_.commit(heartbeat)) transmit();
  count_message(input);
}

Result<void> Session::answer_resend_request() {
  const auto first = view_.sequence(tag::k_begin_seq_no), last = view_.sequence(tag::k_end_seq_no);
  if (!first) return std::unexpected(first.error());
  if (!last) return std::unexpected(last.error());
  if (first->value == 0)
    return wrong(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_begin_seq_no, "a number from 1 on");
  const bool is_endless = last->value == 0;
  if (!is_endless && *last < *first)
    return wrong(RejectReason::value_incorrect, ErrorCode::out_of_range, tag::k_end_seq_no, "0, or BeginSeqNo or more");
  constexpr std::uint64_t k_endless = std::numeric_limits<std::uint64_t>::max() - 1;
  outbox_.resend(*first, is_endless ? market::Sequence{k_endless} : *last);
  transmit();
  return {};
}

/// `seen` came too early. One request a gap; another one when part of the answer itself was lost (a duplicate is too
/// early although the gap has moved), or when nothing has moved for a heartbeat interval.
void Session::request_resend(market::Sequence seen, bool is_duplicate) {
  if (state_ != State::logged_on) return;
  const market::Sequence expected = store_.next_incoming();
  constexpr std::chrono::seconds k_patience_without_heartbeats{30};
  const std::chrono::nanoseconds patience = heartbeat_.count() > 0 ? heartbeat_ : k_patience_without_heartbeats;
  const bool is_open = gap_last_ >= expected;
  gap_last_ = std::max(gap_last_, seen);
  const bool is_answer_broken = is_duplicate && gap_request_ != expected;
  if (is_open && !is_answer_broken && now() - gap_time_ < patience) return;
  gap_request_ = expected;
  gap_time_ = now();
  Writer request = outbox_.begin(type::k_resend_request, now());
  request.field(tag::k_begin_seq_no, expected).field(tag::k_end_seq_no, 0);
  const auto sent = outbox_.commit(request);
  DOJIMA_ASSERT(sent, "a ResendRequest fits every session");
  transmit();
}

void Session::advance(market::Sequence next) {
  store_.set_next_incoming(next);
  gap_time_ = now();
}

void Session::forget_gap() {
  early_.clear();
  gap_last_ = gap_request_ = fill_to_ = {};
}

/// Serves what waited, as far as numbers follow each other. What a gap fill leaves out but arrived early is served.
void Session::drain_early() {
  while (is_receiving()) {
    const market::Sequence expected = store_.next_incoming();
    const auto early = early_.front();
    if (early && early->sequence < expected) {
      early_.pop();
    } else if (early && (early->sequence == expected || early->sequence < fill_to_)) {
      if (early->sequence > expected) advance(early->sequence);
      process_early(early->message, early->sequence);
    } else if (fill_to_ > expected) {
      advance(fill_to_);
    } else {
      break;
    }
  }
}

void Session::process_early(Bytes message, market::Sequence sequence) {
  const FrameSearch found = find_frame(message, config_.max_body);
  DOJIMA_ASSERT(found.state == FrameState::whole, "what waits was a whole message");
  process(view_.read(found.frame, read_rules()), sequence);
  // The connection may have been reset meanwhile, and the queue with it.
  if (const auto front = early_.front(); front && front->sequence == sequence) early_.pop();
}

/// Answers with a Reject and uses up the number where it is the one that is due. A peer whose names or clock are wrong
/// is logged out.
void Session::refuse_message(market::Sequence sequence, const Error& error) {
  const RejectReason reason = reason_of(error);
  handler_.on_trouble(*this, error);
  // A Reject is never answered with one.
  if (state_ == State::logged_on && view_.msg_type() != type::k_reject) {
    const bool names_a_tag = reason != RejectReason::comp_id_problem && reason != RejectReason::sending_time_accuracy &&
                             reason != RejectReason::invalid_msg_type;
    static_cast<void>(reject(view_, reason, names_a_tag ? tag_of(view_, error) : 0));
  }
  if (sequence == store_.next_incoming()) advance({sequence.value + 1});
  if (reason == RejectReason::comp_id_problem || reason == RejectReason::sending_time_accuracy)
    post(Event::must_end, {.text = text_of(reason)});
}

Result<market::Sequence> Session::reject(const MessageView& message, RejectReason reason, std::uint32_t ref_tag,
                                         std::string_view text) noexcept {
  constexpr auto k_last_of_fix42 = static_cast<std::uint8_t>(RejectReason::invalid_msg_type);
  constexpr std::size_t k_shown_type_max = 32;  // a type that is refused may have any length
  const auto number = static_cast<std::uint8_t>(reason);
  const std::string_view type = message.find(tag::k_msg_type).value_or(std::string_view{}).substr(0, k_shown_type_max);
  const auto write = [&](Writer& writer) {
    writer.field(tag::k_ref_seq_num, message.msg_seq_num().value_or(market::Sequence{}));
    writer.field(tag::k_text, text.empty() ? text_of(reason) : text);
    if (ref_tag != 0) writer.field(tag::k_ref_tag_id, ref_tag);
    if (!type.empty()) writer.field(tag::k_ref_msg_type, type);
    if (config_.begin_string != "FIX.4.2" || number <= k_last_of_fix42)
      writer.field(tag::k_session_reject_reason, unsigned{number});
    return send(writer);
  };
  Writer routed = begin(type::k_reject);
  if (const auto sent = write(route_back(routed, message))) return sent;
  // The peer's routing fields may be too long to be repeated; the Reject matters more.
  Writer plain = begin(type::k_reject);
  return write(plain);
}

}  // namespace dojima::fix
