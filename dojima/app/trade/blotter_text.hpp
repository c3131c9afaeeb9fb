#pragma once

// A blotter for people and for spreadsheets: tables as lines, the same as CSV. Pure functions.

#include <string>
#include <vector>

#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/trade_command.hpp"

namespace dojima::app {

/// "buy 100 KAGA @ 12.5 ioc": an order as it could have been typed, options left out.
[[nodiscard]] std::string order_text(const OrderEntry& order);

/// Every order of the run; trades; positions, of one symbol if it is not empty. A line each, or one that there are
/// none.
[[nodiscard]] std::vector<std::string> order_lines(const Blotter& blotter);
[[nodiscard]] std::vector<std::string> trade_lines(const Blotter& blotter);
[[nodiscard]] std::vector<std::string> position_lines(const Blotter& blotter, const std::string& symbol);

/// With a line of headings, ends of lines included. Texts that need it are quoted.
[[nodiscard]] std::string csv_of(const Blotter& blotter, BlotterTable table);

}  // namespace dojima::app
