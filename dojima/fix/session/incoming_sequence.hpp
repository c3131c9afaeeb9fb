#pragma once

// The numbers of what a session receives: which one is due, the gap that is being resent, and the messages that arrived
// before it was closed. The number itself is kept in the session's store. Used by SessionCore; no allocation after
// construction.

#include <chrono>
#include <cstddef>
#include <optional>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/session/early_messages.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

class IncomingSequence {
 public:
  /// The store outlives it; `early_bytes` are for messages that wait, or the shared buffers where they are given.
  /// `chunk`: messages that one request asks for, 0: all. Throws std::bad_alloc.
  IncomingSequence(MessageStore& store, std::size_t early_bytes, std::uint64_t chunk, EarlyBuffers* shared = nullptr)
      : store_(store), early_(early_bytes, shared), chunk_(chunk) {}

  /// The number of the message that is due. It only grows, except by reset().
  [[nodiscard]] market::Sequence expected() const noexcept { return store_.next_incoming(); }
  /// All in front of `next`, which is above expected(), was received or filled.
  void advance(market::Sequence next, Time now) noexcept;
  /// `next` is due whatever was before, and no gap is open.
  void reset(market::Sequence next) noexcept;
  /// No gap is open, nothing waits.
  void forget_gap() noexcept;

  /// Numbers that are missing, as a ResendRequest names them; `last` 0: all from `first` on.
  struct Missing {
    market::Sequence first, last;
  };

  /// Notes that `seen`, above expected(), came too early; says whether to ask for what is missing. Once a gap; again
  /// when part of the answer itself was lost (a duplicate is too early although the gap has moved), or when nothing has
  /// moved for `patience`.
  [[nodiscard]] bool note_gap(market::Sequence seen, bool is_duplicate, std::chrono::nanoseconds patience,
                              Time now) noexcept;
  /// The request that note_gap or is_next_chunk_due calls for.
  [[nodiscard]] Missing request(Time now) noexcept;
  /// Requests that began with the same number as the latest one, and brought nothing: it included.
  [[nodiscard]] unsigned requests_in_vain() const noexcept { return requests_; }
  /// Numbers up to `seen` are missing, and the peer resends them without being asked.
  void await_resend(market::Sequence seen, Time now) noexcept;
  /// Whether what the last request asked for is there and more of the gap is missing.
  [[nodiscard]] bool is_next_chunk_due() const noexcept {
    return chunk_ != 0 && chunk_last_.value != 0 && expected() > chunk_last_ && expected() <= gap_last_;
  }
  /// Whether messages that were requested may still come: until one arrives that is due and no duplicate.
  [[nodiscard]] bool is_answer_awaited() const noexcept { return is_answer_awaited_; }
  void end_answer() noexcept { is_answer_awaited_ = false; }
  /// Whether `sequence` lies in what was requested and is still being resent: only there may a duplicate gap fill
  /// reach beyond the number that is due.
  [[nodiscard]] bool is_within_answer(market::Sequence sequence) const noexcept {
    return is_answer_awaited_ && sequence >= gap_request_;
  }
  /// Keeps a message that came too early, as long as there is room: else the resend brings it again.
  void keep(market::Sequence sequence, Bytes message) noexcept;
  /// A gap fill reaches up to `next`.
  void fill_up_to(market::Sequence next) noexcept;

  /// The kept message that is due now; none: what is due has not arrived. Numbers that a gap fill leaves out are passed
  /// over, but what arrived early among them is served. The bytes are valid until the next keep, drop or reset.
  [[nodiscard]] std::optional<EarlyMessages::Early> next_early(Time now) noexcept {
    if (early_.is_empty() && fill_to_ <= expected()) [[likely]] {
      return std::nullopt;
    }
    return first_early(now);
  }
  /// Forgets the kept message of that number where it is still the first one.
  void drop_early(market::Sequence sequence) noexcept;

 private:
  [[nodiscard]] std::optional<EarlyMessages::Early> first_early(Time now) noexcept;

  MessageStore& store_;
  EarlyMessages early_;
  std::uint64_t chunk_;
  // The gap being resent: open while expected() <= gap_last_.
  market::Sequence gap_last_;     // the highest number seen too early
  market::Sequence gap_request_;  // where the last request began
  unsigned requests_ = 0;         // that began there, one after the other
  market::Sequence chunk_last_;   // where it ended; 0: with the last message of the peer's
  Time gap_time_{};               // of that request, or of progress since
  bool is_answer_awaited_ = false;
  market::Sequence fill_to_;  // a gap fill reaches up to here
};

}  // namespace dojima::fix
