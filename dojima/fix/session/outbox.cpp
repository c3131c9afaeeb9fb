#include "dojima/fix/session/outbox.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "dojima/base/assert.hpp"
#include "dojima/fix/session/session_log.hpp"

namespace dojima::fix {
namespace {

/// What a duplicate is longer than its original: PossDupFlag, OrigSendingTime, a digit of BodyLength.
constexpr std::size_t k_duplicate_extra = 64;

/// FIX 4.4, volume 2: session messages are never sent again, except Reject.
bool is_resent(MsgType type) noexcept {
  return !is_admin(type) || type == type::k_reject;
}

}  // namespace

Outbox::Outbox(Identity identity, MessageStore& store, std::size_t message_max)
    : identity_(identity),
      rendered_(identity.names),
      store_(store),
      message_max_(message_max),
      message_limit_(message_max),
      scratch_(std::make_unique<std::byte[]>(message_max + k_duplicate_extra)),
      scratch_size_(message_max + k_duplicate_extra) {
  if (store_.prepare(message_max).empty())
    throw std::invalid_argument("the FIX message store is smaller than one message of the largest size");
  store_.give_back_room();
}

Header Outbox::header(MsgType type, market::Sequence sequence, Time now) noexcept {
  const HeaderNames& names = identity_.names;
  return {.begin_string = identity_.begin_string,
          .type = type,
          .sender = names.sender,
          .target = names.target,
          .sequence = sequence,
          .sending_time = now,
          .decimals = identity_.decimals,
          .rendered = &rendered_,
          .stamp = &stamps_.of(now, identity_.decimals),
          .sender_sub = names.sender_sub,
          .sender_location = names.sender_location,
          .target_sub = names.target_sub,
          .target_location = names.target_location,
          .last_processed = {store_.next_incoming().value - 1},
          .has_last_processed = identity_.has_last_processed};
}

Writer Outbox::begin(MsgType type, Time sending_time) noexcept {
  newest_ = {};
  Writer writer(store_.prepare(message_limit_), header(type, store_.next_outgoing(), sending_time));
  if (++last_ticket_ == 0) last_ticket_ = 1;
  writer.ticket_ = ticket_ = last_ticket_;
  return writer;
}

Result<market::Sequence> Outbox::commit(Writer& writer) noexcept {
  if (writer.ticket_ == 0 || writer.ticket_ != ticket_ || writer.sequence() != store_.next_outgoing())
    return fail(ErrorCode::wrong_state, 0, 0, 0, "the message that was opened last");
  const Result<Bytes> finished = writer.finish();
  ticket_ = 0;
  if (!finished) return std::unexpected(finished.error());
  // As the writer knows it: the span was given in two parts, and who reads it as one waits for both.
  const Bytes message{writer.body_.room().data() + writer.begin_, finished->size()};
  DOJIMA_CHECK_SLOW(message.data() == finished->data(), "a finished message lies where its writer began it",
                    writer.begin_, finished->size());
  const market::Sequence sequence = writer.sequence();
  const Result<void> kept = store_.commit({.sequence = sequence,
                                           .bytes = message,
                                           .header_size = static_cast<std::uint32_t>(writer.header_size()),
                                           .type = writer.msg_type(),
                                           .sending_time = writer.sending_time()});
  if (!kept) [[unlikely]] {
    failure_ = kept.error();
    return std::unexpected(kept.error());
  }
  newest_ = {sequence, message};
  DOJIMA_ASSERT(transport_ == nullptr || next_ <= sequence, "a message that is written now has not been sent", next_,
                sequence);
  DOJIMA_CHECK_SLOW(store_.next_outgoing().value == sequence.value + 1, "the store goes on behind what it keeps",
                    store_.next_outgoing(), sequence);
  return sequence;
}

void Outbox::attach(link::Transport& transport) noexcept {
  transport_ = &transport;
  message_limit_ = message_max_;
  has_sent_ = false;
  failure_ = {};
  release();
  restart();
}

void Outbox::detach() noexcept {
  transport_ = nullptr;
  is_held_ = false;
  resend_first_ = resend_end_ = {};
}

void Outbox::restart() noexcept {
  next_ = opening_ = store_.next_outgoing();
  newest_ = {};
  resend_first_ = resend_end_ = {};
}

std::uint64_t Outbox::waiting() const noexcept {
  const std::uint64_t end = std::min(limit_, store_.next_outgoing()).value;
  return end > next_.value ? end - next_.value : 0;
}

void Outbox::resend(market::Sequence first, market::Sequence last) noexcept {
  DOJIMA_ASSERT(first.value > 0 && first <= last, "a range of numbers that messages have", first, last);
  const market::Sequence opened{std::min(opening_.value + 1, store_.next_outgoing().value)};
  const market::Sequence end{std::min(last.value + 1, std::max(next_, opened).value)};
  if (first >= end) return;
  const bool is_resending = resend_first_ < resend_end_;
  resend_first_ = is_resending ? std::min(first, resend_first_) : first;
  resend_end_ = is_resending ? std::max(end, resend_end_) : end;
  const std::uint64_t limit = identity_.resend_limit;
  const std::uint64_t count = resend_end_.value - resend_first_.value;
  resend_limit_begin_ = limit != 0 && count > limit ? market::Sequence{resend_end_.value - limit} : market::Sequence{};
}

Outbox::Sent Outbox::transmit(Time now) noexcept {
  if (transport_ == nullptr) return Sent::all;
  DOJIMA_CHECK_SLOW(next_ <= store_.next_outgoing(), "nothing was sent that is not stored", next_,
                    store_.next_outgoing());
  if (next_ <= opening_) {
    const Sent opened = transmit_up_to({opening_.value + 1}, now);
    if (opened != Sent::all) return opened;
  }
  while (resend_first_ < resend_end_) {
    if (const Sent sent = resend_next(now); sent != Sent::all) return sent;
  }
  return transmit_up_to(limit_, now);
}

/// Of what was not sent yet, the messages in front of `end`.
Outbox::Sent Outbox::transmit_up_to(market::Sequence end, Time now) noexcept {
  is_held_ = false;
  end = std::min({end, limit_, store_.next_outgoing()});
  if (next_ >= end) return Sent::all;
  const market::Sequence gate = store_.may_leave();
  for (; next_ < end; ++next_.value) {
    if (next_ >= gate) {
      is_held_ = true;
      return Sent::held;
    }
    Bytes bytes = newest_.bytes;
    if (newest_.sequence != next_ || !store_.keeps_last_room()) {
      const auto message = store_.find_from(next_);
      if (!message || message->sequence != next_) return Sent::too_late;
      if (message->bytes.empty()) return give_up_reading();
      bytes = message->bytes;
    }
    if (!put(bytes, now)) return Sent::partly;
  }
  return Sent::all;
}

/// Who asked will ask again after the next Logon; to gap-fill what is only unreadable now would lose it for good.
Outbox::Sent Outbox::give_up_reading() noexcept {
  failure_ = store_.read_failure();
  resend_first_ = resend_end_ = {};
  return Sent::unread;
}

/// One message of a resend: a duplicate, or a gap fill over a whole run of what is not sent again.
Outbox::Sent Outbox::resend_next(Time now) noexcept {
  DOJIMA_ASSERT(resend_first_ < resend_end_ && resend_end_ <= next_, "only what was sent is sent again", resend_first_,
                resend_end_, next_);
  const bool is_kept = store_.keeps_for_resend();
  auto message = is_kept ? store_.find_from(std::max(resend_first_, resend_limit_begin_)) : std::nullopt;
  DOJIMA_ASSERT(!message || message->sequence >= resend_first_, "the store gives what was asked for or what follows",
                resend_first_, message->sequence);
  std::uint64_t admin_count = 0;
  for (; message && message->sequence < resend_end_ && !message->bytes.empty() && !is_resent(message->type);
       message = store_.find_from({message->sequence.value + 1}))
    ++admin_count;
  const market::Sequence next = message ? std::min(message->sequence, resend_end_) : resend_end_;

  const bool is_gap = next > resend_first_;
  if (!is_gap && message->bytes.empty()) return give_up_reading();
  Header duplicate = header(is_gap ? type::k_sequence_reset : message->type, resend_first_, now);
  duplicate.is_poss_dup = true;
  // Where the application chose a time that is still to come, a duplicate is not older than its original.
  duplicate.orig_sending_time = is_gap ? now : std::min(message->sending_time, now);
  Writer writer({scratch_.get(), scratch_size_}, duplicate);
  if (is_gap) {
    writer.field(tag::k_new_seq_no, next).field(tag::k_gap_fill_flag, true);
  } else {
    constexpr std::size_t k_trailer_size = 7;
    writer.raw(
        message->bytes.subspan(message->header_size, message->bytes.size() - message->header_size - k_trailer_size));
  }
  const Result<Bytes> bytes = writer.finish();
  DOJIMA_ASSERT(bytes, "what fitted once fits with the fields of a duplicate");
  if (!put(*bytes, now)) return Sent::partly;
  if (is_gap && is_kept) omitted_ += next.value - resend_first_.value - admin_count;
  resend_first_ = is_gap ? next : market::Sequence{next.value + 1};
  return Sent::all;
}

bool Outbox::put(Bytes message, Time now) noexcept {
  const Room room = transport_->prepare(message.size());
  if (room.empty()) return false;
  DOJIMA_ASSERT(room.size() >= message.size(), "a transport gives the room that it was asked for, or none", room.size(),
                message.size());
  std::memcpy(room.data(), message.data(), message.size());
  transport_->commit(message.size());
  has_sent_ = true;
  if (log_ != nullptr) log_->outgoing(message, now);
  return true;
}

}  // namespace dojima::fix
