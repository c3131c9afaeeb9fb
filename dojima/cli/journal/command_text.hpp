#pragma once

// A command of a journal as words, for `dojima journal dump`.

#include <string>
#include <string_view>

#include "dojima/market/command.hpp"
#include "dojima/market/order.hpp"

namespace dojima::cli {

/// "new order", as the formats' tables name it too.
[[nodiscard]] std::string_view name_of(market::CommandType type) noexcept;

/// "market to limit", "good till cancel".
[[nodiscard]] std::string_view name_of(market::OrderType type) noexcept;
[[nodiscard]] std::string_view name_of(market::TimeInForce time) noexcept;

/// What is particular to the command: "buy 10 limit at 100.5, day, id A1". The header must be the beginning of a record
/// of its type.
[[nodiscard]] std::string details_of(const market::CommandHeader& header);

}  // namespace dojima::cli
