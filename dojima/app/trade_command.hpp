#pragma once

// What a person types to trade, as one plain record: `buy 100 KAGA @ 12.5 ioc`, `amend 3 80 @ 12.4`, `cancel 3`. A pure
// function; the error is a sentence that says what is wrong and how it is written.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "dojima/market/order.hpp"

namespace dojima::app {

enum class TradeVerb : std::uint8_t { nothing, enter, amend, cancel, cancel_all, list, wait, help, quit };

struct TradeCommand {
  TradeVerb verb = TradeVerb::nothing;
  market::Side side = market::Side::none;
  market::OrderType type = market::OrderType::limit;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  market::Quantity quantity;
  market::Price price;
  std::string symbol;
  std::uint32_t order = 0;    ///< amend, cancel: as shown when it was entered
  std::uint32_t seconds = 0;  ///< wait
};

/// Reads one line. Empty lines and lines that begin with '#' are `nothing`. Words may be in any case; symbols are kept.
[[nodiscard]] std::expected<TradeCommand, std::string> parse_trade_command(std::string_view line);

/// How the commands are written, a line each.
[[nodiscard]] std::string_view trade_help();

}  // namespace dojima::app
