#pragma once

// What the venue refused by its Reject(3) or BusinessReject(j), as FIX's own Reject(3) and BusinessMessageReject(j):
// annex B of the MIT203 reference. A pure function of the venue's message and what is known of the client's. No
// allocation.

#include <cstdint>
#include <string_view>

#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

/// The venue's message.
struct VenueReject {
  enum class By : std::uint8_t { reject, business_reject };
  By by = By::reject;
  std::int32_t code = 0;     ///< RejectCode
  std::string_view field{};  ///< of a Reject: the name of the field in its RejectReason
};

/// The venue, or a part of it, is closed for now.
[[nodiscard]] bool is_suspension(const VenueReject& reject) noexcept;

/// The client's message, which it refuses.
struct RejectedMessage {
  std::uint64_t sequence = 0;  ///< MsgSeqNum(34)
  fix::MsgType type{};
  std::string_view id;  ///< ClOrdID(11), or QuoteID(117); empty: it has none
  market::TimeInForce time_in_force = market::TimeInForce::day;
};

/// What it becomes: Reject(3), but BusinessMessageReject(j) where more came in a second than may.
[[nodiscard]] fix::MsgType reject_type_of(const VenueReject& reject) noexcept;
/// All of its fields. `text` becomes Text(58), but where the rate was exceeded, for which FIX has words of its own. A
/// code that the version does not publish is its "other", or left out where it has no such value; the text says it.
void write_reject(fix::Writer& writer, FixVersion version, const VenueReject& reject, const RejectedMessage& message,
                  std::string_view text) noexcept;

}  // namespace dojima::gateway
