#pragma once

// The message of a client in hand, on its way through ClientToExchange and its parts. Plain values.

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// Nothing, or why the client is refused.
using Done = std::expected<void, Refusal>;

/// State of the order that a client's message addresses.
enum class TargetState : std::uint8_t {
  absent,
  id_used,  ///< a new order's own id is known already
  open,
  change_pending,  ///< open, and a cancel or replace is not answered
  closed,
  lost,
};

struct ClientMessage {
  /// What becomes of it.
  struct Outcome {
    TargetState target = TargetState::absent;
    Request* request = nullptr;  ///< once it was sent
    bool must_wait = false;      ///< for the client's rate
  };

  /// Each field by itself: what is cleared as a whole is cleared by a loop that takes its time to begin.
  ClientMessage(std::uint32_t from, const fix::MessageView& message, time::Time at, Outcome& becomes) noexcept
      : client(from), view(message), now(at), outcome(becomes) {}

  std::uint32_t client;
  const fix::MessageView& view;
  time::Time now;
  Outcome& outcome;
  std::optional<std::uint32_t> user = {};    ///< the venue user that it goes through; none: the client has none there
  std::uint64_t sequence = 0;                ///< MsgSeqNum(34) of a request
  std::optional<std::uint64_t> number = {};  ///< of a request; none: no slot for another
  std::optional<std::uint32_t> order = {};   ///< slot of the order that it addresses, where there is one
  ClOrdId id = {};
  std::string_view sub_id = {};  ///< SenderSubID(50), where it says whom the client trades as
  ClOrdId orig = {};
  bool is_venue_up = false;

  /// The value of a field; empty: it has none.
  [[nodiscard]] std::string_view text(fix::Tag tag) const { return view.find(tag).value_or(std::string_view{}); }
};

}  // namespace dojima::gateway
