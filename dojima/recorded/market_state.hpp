#pragma once

// What a recorded event says of a book's phase.

#include "dojima/market/phase.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

[[nodiscard]] constexpr MarketState state_of(market::Phase phase) noexcept {
  switch (phase) {
    case market::Phase::continuous:
      return MarketState::trading;
    case market::Phase::opening_call:
      return MarketState::opening;
    case market::Phase::intraday_call:
    case market::Phase::reopening_call:
      return MarketState::paused;
    case market::Phase::closing_call:
    case market::Phase::closing_price_cross:
      return MarketState::closing;
    case market::Phase::halted:
      return MarketState::halted;
    case market::Phase::closed:
      return MarketState::closed;
  }
  return MarketState::unknown;
}

}  // namespace dojima::recorded
