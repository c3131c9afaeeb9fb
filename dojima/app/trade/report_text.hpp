#pragma once

// Reports as lines for people. Pure functions.

#include <string>

#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/trade_report.hpp"

namespace dojima::app {

/// Why something was refused: the peer's text, else its number.
[[nodiscard]] std::string reason_text(const TradeReport& report);

/// A report about an order, which it is booked in already: "3 filled: bought 30 KAGA @ 99.5, 0 left, average 99.5".
[[nodiscard]] std::string report_line(const BlotterOrder& order, const TradeReport& report);

/// A report about an order that this run did not enter.
[[nodiscard]] std::string foreign_line(const TradeReport& report);

/// Whether it says no to a request.
[[nodiscard]] bool is_refusal(const TradeReport& report);

}  // namespace dojima::app
