#pragma once

// AvgPx(6) of an order: exact sums in 128 bits, one rounding at the end. Pure functions, no allocation.

#include <cstdint>

#include "dojima/market/price.hpp"

namespace dojima::gateway {

/// A sum of price * quantity, in 1e-8 of the currency times lots. An order of 2^31 lots stays below 2^94.
__extension__ using Notional = __int128;

[[nodiscard]] constexpr Notional notional_of(market::Price price, market::Quantity quantity) noexcept {
  return static_cast<Notional>(price.units) * quantity.lots;
}

/// The mean price of `quantity` lots, to eight decimals; what lies half-way is rounded away from zero. 0 for no lots.
[[nodiscard]] constexpr market::Price average_price(Notional notional, market::Quantity quantity) noexcept {
  if (quantity.lots <= 0) return {};
  const Notional lots = quantity.lots;
  const bool is_negative = notional < 0;
  const Notional magnitude = is_negative ? -notional : notional;
  // Nearly every order's fits in a word, which is divided in one instruction.
  constexpr Notional k_word = Notional{1} << 62;
  const Notional twice = 2 * magnitude + lots;
  const Notional rounded =
      magnitude < k_word
          ? static_cast<Notional>(static_cast<std::uint64_t>(twice) / static_cast<std::uint64_t>(2 * lots))
          : twice / (2 * lots);
  return {static_cast<std::int64_t>(is_negative ? -rounded : rounded)};
}

}  // namespace dojima::gateway
