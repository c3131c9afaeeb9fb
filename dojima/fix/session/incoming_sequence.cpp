#include "dojima/fix/session/incoming_sequence.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::fix {

void IncomingSequence::advance(market::Sequence next, Time now) noexcept {
  DOJIMA_ASSERT(next > expected(), "the number that is due only grows, except by a reset", next, expected());
  store_.set_next_incoming(next);
  gap_time_ = now;
}

void IncomingSequence::reset(market::Sequence next) noexcept {
  DOJIMA_ASSERT(next.value > 0, "numbers begin at 1", next);
  forget_gap();
  store_.set_next_incoming(next);
}

void IncomingSequence::forget_gap() noexcept {
  early_.clear();
  gap_last_ = gap_request_ = chunk_last_ = fill_to_ = {};
  requests_ = 0;
  is_answer_awaited_ = false;
}

bool IncomingSequence::note_gap(market::Sequence seen, bool is_duplicate, std::chrono::nanoseconds patience,
                                Time now) noexcept {
  const market::Sequence due = expected();
  DOJIMA_ASSERT(seen > due, "a gap is in front of what came too early", seen, due);
  const bool is_open = gap_last_ >= due;
  gap_last_ = std::max(gap_last_, seen);
  const bool is_answer_broken = is_duplicate && gap_request_ != due;
  return !is_open || is_answer_broken || now - gap_time_ >= patience;
}

IncomingSequence::Missing IncomingSequence::request(Time now) noexcept {
  DOJIMA_ASSERT(gap_last_ >= expected(), "only an open gap is asked for", gap_last_, expected());
  requests_ = gap_request_ == expected() ? requests_ + 1 : 1;
  gap_request_ = expected();
  gap_time_ = now;
  is_answer_awaited_ = true;
  chunk_last_ = chunk_ == 0 ? market::Sequence{} : std::min(gap_last_, {gap_request_.value + chunk_ - 1});
  return {gap_request_, chunk_last_};
}

void IncomingSequence::await_resend(market::Sequence seen, Time now) noexcept {
  gap_last_ = std::max(gap_last_, seen);
  gap_request_ = expected();
  requests_ = 0;
  gap_time_ = now;
  is_answer_awaited_ = true;
  chunk_last_ = {};
}

void IncomingSequence::keep(market::Sequence sequence, Bytes message) noexcept {
  DOJIMA_ASSERT(sequence > expected(), "only what comes too early waits", sequence, expected());
  static_cast<void>(early_.push(sequence, message));
}

void IncomingSequence::fill_up_to(market::Sequence next) noexcept {
  fill_to_ = std::max(fill_to_, next);
}

std::optional<EarlyMessages::Early> IncomingSequence::first_early(Time now) noexcept {
  for (;;) {
    const market::Sequence due = expected();
    const auto early = early_.front();
    if (early && early->sequence < due) {
      early_.pop();
    } else if (early && (early->sequence == due || early->sequence < fill_to_)) {
      if (early->sequence > due) advance(early->sequence, now);
      return early;
    } else if (fill_to_ > due) {
      advance(fill_to_, now);
    } else {
      return std::nullopt;
    }
  }
}

void IncomingSequence::drop_early(market::Sequence sequence) noexcept {
  if (const auto front = early_.front(); front && front->sequence == sequence) early_.pop();
}

}  // namespace dojima::fix
