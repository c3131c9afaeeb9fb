#pragma once

// A command of a journal as words, for `dojima journal dump`.

#include <string>
#include <string_view>

#include "dojima/market/command.hpp"

namespace dojima::cli {

/// "new order", as the formats' tables name it too.
[[nodiscard]] std::string_view name_of(market::CommandType type) noexcept;

/// What is particular to the command: "buy 10 limit at 100.5, day, id A1". The header must be the beginning of a record
/// of its type.
[[nodiscard]] std::string details_of(const market::CommandHeader& header);

}  // namespace dojima::cli
