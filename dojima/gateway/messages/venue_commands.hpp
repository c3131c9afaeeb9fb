#pragma once

// What the venue is sent for a request, beyond what the client's message says: the gateway's number of the request as
// ClientOrderID, and the order that a cancel or replace addresses. Pure functions, no allocation.

#include <cstdint>
#include <optional>

#include "dojima/base/text.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

/// The ClientOrderID of a request at the venue: its number in base 62, without leading zeros.
[[nodiscard]] Text<20> venue_id_of(std::uint64_t number) noexcept;

/// An optional number in two registers: std::optional goes through memory when a call gives it back, and is waited for.
struct VenueNumber {
  std::uint64_t number = 0;
  std::uint64_t is_there = 0;
};
[[nodiscard]] VenueNumber venue_number_of(const Text<20>& venue_id) noexcept;
/// The number in a ClientOrderID; none for a text that is no number in base 62.
[[nodiscard]] inline std::optional<std::uint64_t> number_of(const Text<20>& venue_id) noexcept {
  const VenueNumber found = venue_number_of(venue_id);
  return found.is_there != 0 ? std::optional(found.number) : std::nullopt;
}

/// Request `number`, which cancels `order`.
[[nodiscard]] market::Cancel cancel_command(std::uint64_t number, const Order& order) noexcept;
/// Request `number`, which makes `terms` of `order`. An empty account leaves the order's.
[[nodiscard]] market::Replace replace_command(std::uint64_t number, const Order& order, const market::OrderTerms& terms,
                                              const Text<10>& account) noexcept;

}  // namespace dojima::gateway
