#pragma once

// The way out of a session: messages are written in place into the store, then copied to the transport in the order of
// their numbers as far as it has room; the rest waits in the store. Resends of what went out before come first. Used by
// Session; no allocation after construction.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "dojima/base/error.hpp"
#include "dojima/fix/codec/stamp_text.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

/// What is the same in every message of a session. The texts must outlive the outbox.
struct Identity {
  std::string_view begin_string;
  HeaderNames names;
  unsigned decimals = 3;
  bool has_last_processed = false;  ///< 369 in every header
  std::uint64_t resend_limit = 0;   ///< messages that a resend brings again at most; 0: all
};

class SessionLog;

class Outbox {
 public:
  /// The store must hold messages of `message_max` bytes.
  Outbox(Identity identity, MessageStore& store, std::size_t message_max);

  /// Opens the next message; one that was open and not committed is forgotten.
  [[nodiscard]] Writer begin(MsgType type, Time sending_time) noexcept;
  /// Finishes the open message and keeps it under its number. Errors: the writer's, `wrong_state` for a writer that is
  /// not the open one, or the store's, which `take_failure` gives too; the number is not used up then.
  Result<market::Sequence> commit(Writer& writer) noexcept;

  /// A connection begins: what is stored counts as sent before and waits to be asked for.
  void attach(link::Transport& transport) noexcept;
  void detach() noexcept;
  /// What goes to the transport is written down from now on; the log outlives the outbox.
  void write_down(SessionLog& log) noexcept { log_ = &log; }
  /// Numbers begin anew, or a logon follows: the next message to go out is the next one to be written.
  void restart() noexcept;
  /// The peer takes no larger messages than this, which is no less than every session message needs; until the next
  /// attach.
  void limit_messages(std::size_t size) noexcept { message_limit_ = std::min(message_max_, size); }
  /// Messages behind the last one written so far are kept back.
  void hold_back() noexcept { limit_ = store_.next_outgoing(); }
  /// Nothing is kept back any more.
  void release() noexcept { limit_ = k_no_limit; }

  /// Everything from `first` to `last` that went out before, or is the connection's first message, shall go out again:
  /// messages as duplicates, runs of session messages, of overwritten ones and of those beyond the limit as gap fills.
  void resend(market::Sequence first, market::Sequence last) noexcept;

  enum class Sent : std::uint8_t {
    all,       ///< nothing waits
    held,      ///< what waits may not leave yet; the store says when (SendGateListener)
    partly,    ///< the transport has no room; on_writable goes on
    too_late,  ///< a message was overwritten before the transport had room for it
    unread,    ///< the store cannot read a message now; the resend under way is given up
  };
  /// Copies what waits to the transport, as far as it has room: the connection's first message, then resends, then the
  /// rest. A peer that is shown a duplicate before the Logon hangs up.
  Sent transmit(Time now) noexcept;

  /// Messages written that the transport has not taken, resends not counted.
  [[nodiscard]] std::uint64_t waiting() const noexcept;
  /// Whether anything went to the transport since this was asked last.
  [[nodiscard]] bool take_has_sent() noexcept { return std::exchange(has_sent_, false); }
  /// Whether the last transmission left something that may not leave yet.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }
  /// Whether a message could not be kept or read, since that was taken last.
  [[nodiscard]] bool has_failed() const noexcept { return failure_.code != ErrorCode::none; }
  /// Why; code `none`: nothing failed.
  [[nodiscard]] Error take_failure() noexcept { return std::exchange(failure_, Error{}); }
  /// Messages of a resend that were gap-filled although they are no session messages, since this was asked last: no
  /// longer in the store, or older than the resend's limit reaches.
  [[nodiscard]] std::uint64_t take_omitted() noexcept { return std::exchange(omitted_, 0u); }

 private:
  static constexpr market::Sequence k_no_limit{std::numeric_limits<std::uint64_t>::max()};

  [[nodiscard]] Header header(MsgType type, market::Sequence sequence, Time now) noexcept;
  [[nodiscard]] Sent transmit_up_to(market::Sequence end, Time now) noexcept;
  [[nodiscard]] Sent resend_next(Time now) noexcept;
  [[nodiscard]] Sent give_up_reading() noexcept;
  [[nodiscard]] bool put(Bytes message, Time now) noexcept;

  Identity identity_;
  HeaderTemplate rendered_;
  StampTexts stamps_;
  MessageStore& store_;
  std::size_t message_max_;
  std::size_t message_limit_;             // no more than that: what the peer takes
  std::unique_ptr<std::byte[]> scratch_;  // where duplicates and gap fills are made
  std::size_t scratch_size_;
  link::Transport* transport_ = nullptr;
  SessionLog* log_ = nullptr;
  struct Committed {
    market::Sequence sequence{};
    Bytes bytes{};
  };
  Committed newest_;             // while its bytes are where they were written: it need not be read from the store
  market::Sequence next_{1};     // the first message not given to this connection's transport
  market::Sequence opening_{1};  // the first message of this connection, which resends wait for
  market::Sequence limit_ = k_no_limit;         // and the first one to be kept back
  market::Sequence resend_first_, resend_end_;  // what is still to be resent: [first, end)
  market::Sequence resend_limit_begin_;         // what is older is gap-filled
  std::uint64_t omitted_ = 0;
  Error failure_{};           // of the store
  std::uint32_t ticket_ = 0;  // of the open message; 0: none
  std::uint32_t last_ticket_ = 0;
  bool has_sent_ = false;
  bool is_held_ = false;
};

}  // namespace dojima::fix
