#pragma once

// The whole way of a strategy's orders in a generated market, in virtual time: a FIX session of its own, a gateway, the
// gateway's MIT203 session and the venue's front, over a simulated network on one scheduler. What the strategy hears of
// its orders is what its FIX session read. The same configuration and requests give the same bytes.
//
//   const auto config = with_eight_decimals(market);
//   backtest::Market generated(*config, nullptr, fix_road({.delay = 50us}));

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "dojima/backtest/market.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

struct FixRoadOptions {
  time::Duration delay = std::chrono::microseconds{50};        ///< one way, of each of both connections; 0 to a second
  time::Duration jitter{};                                     ///< up to so much more, drawn; 0 to a second
  std::uint64_t seed = 1;                                      ///< of what is drawn
  gateway::FixVersion version = gateway::FixVersion::fix_4_4;  ///< 4.2 does not say who rested: every fill took
  std::function<void(const std::string& line)> print{};        ///< what goes wrong; may be empty
};

/// The same market with prices as FIX and MIT203 have them. The error is one line for the user: prices that do not fit.
[[nodiscard]] std::expected<backtest::MarketConfig, std::string> with_eight_decimals(backtest::MarketConfig config);

/// For markets of with_eight_decimals(). What is returned throws std::invalid_argument for other ones, and for options
/// outside their ranges; std::runtime_error where no session comes about; std::bad_alloc.
[[nodiscard]] backtest::MakeOrderRoad fix_road(FixRoadOptions options);

}  // namespace dojima::app
