#pragma once

// What an auction is about: which price it would have, how much would trade, and what would be left over; and which
// times in force take part in which phase. docs/auctions.md has the rules.

#include <cstdint>

#include "dojima/market/order.hpp"
#include "dojima/market/phase.hpp"

namespace dojima::book {

/// The outcome of an auction, or what it would be now. Nothing would trade: all of it is 0.
struct Auction {
  market::Price price;
  market::Quantity volume;
  market::Quantity surplus;  ///< what could trade at the price and finds nobody
  market::Side surplus_side = market::Side::none;
  friend bool operator==(const Auction&, const Auction&) = default;
};

/// Whether an order of this time in force is meant for auctions or the closing price alone.
[[nodiscard]] constexpr bool is_for_auctions(market::TimeInForce time_in_force) noexcept {
  using market::TimeInForce;
  switch (time_in_force) {
    case TimeInForce::at_the_opening:
    case TimeInForce::at_the_close:
    case TimeInForce::closing_price_cross:
    case TimeInForce::good_for_next_auction:
    case TimeInForce::good_for_intraday_auction:
    case TimeInForce::good_for_scheduled_auction:
      return true;
    default:
      return false;
  }
}

/// Whether an order of such a time in force is in the book in this phase; in all others it waits outside.
[[nodiscard]] constexpr bool takes_part(market::TimeInForce time_in_force, market::Phase phase) noexcept {
  using market::Phase;
  using market::TimeInForce;
  switch (time_in_force) {
    case TimeInForce::at_the_opening:
      return phase == Phase::opening_call;
    case TimeInForce::at_the_close:
      return phase == Phase::closing_call;
    case TimeInForce::closing_price_cross:
      return phase == Phase::closing_price_cross;
    case TimeInForce::good_for_next_auction:
      return is_call(phase);
    case TimeInForce::good_for_intraday_auction:
      return phase == Phase::intraday_call;
    case TimeInForce::good_for_scheduled_auction:
      return is_call(phase) && phase != Phase::reopening_call;
    default:
      return false;
  }
}

/// Whether an order of this time in force may enter in a phase that is open.
[[nodiscard]] constexpr bool may_enter(market::TimeInForce time_in_force, market::Phase phase) noexcept {
  using market::Phase;
  using market::TimeInForce;
  switch (time_in_force) {
    case TimeInForce::immediate_or_cancel:
    case TimeInForce::fill_or_kill:
      return phase == Phase::continuous;
    case TimeInForce::at_the_opening:
      return phase == Phase::opening_call;
    case TimeInForce::at_the_close:
    case TimeInForce::good_for_next_auction:
    case TimeInForce::good_for_intraday_auction:
    case TimeInForce::good_for_scheduled_auction:
      return phase != Phase::closing_price_cross;
    default:
      return true;
  }
}

}  // namespace dojima::book
