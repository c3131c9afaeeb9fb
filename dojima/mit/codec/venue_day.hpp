#pragma once

// The day of a venue as text in a LogonReply of the recovery channel, where a password's expiry has no meaning: "day 7
// of 1L9zO9O", the number in decimal, the venue in base 62. O(1), no allocation.

#include <string_view>

#include "dojima/base/text.hpp"
#include "dojima/mit/messages.hpp"

namespace dojima::mit {

/// Nothing where no day is said. The number is at most VenueDay::k_most.
[[nodiscard]] Text<30> text_of(const VenueDay& day) noexcept;

/// What the text says; no day for any other text.
[[nodiscard]] VenueDay venue_day_in(std::string_view text) noexcept;

}  // namespace dojima::mit
