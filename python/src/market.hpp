#pragma once

// A generated market: what it is made from, and the day that it has when no strategy trades in it. Plain C++.

#include "day.hpp"

#include <functional>
#include <memory>

#include "dojima/backtest/market.hpp"

namespace dojima::python {

struct PythonMarket {
  backtest::MarketConfig config;
};

/// All events of the market, as a recorded day. `is_interrupted` is asked every few thousand events; the day
/// ends there. The configuration makes sense. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Day> day_of_market(const backtest::MarketConfig& config,
                                                 const std::function<bool()>& is_interrupted);

}  // namespace dojima::python
