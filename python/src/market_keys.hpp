#pragma once

// A generated market's configuration as Python has it: nested dicts with the keys of a population's TOML. The keys,
// their ranges and their meaning are those of `dojima backtest --population` (app/configuration/market_schema.cpp).
// Hold the interpreter's lock.

#include <nanobind/nanobind.h>

#include "dojima/backtest/market.hpp"

namespace dojima::python {

namespace nb = nanobind;

/// `changes`: values by path, such as "population.0.count", in place of those in `keys`. What neither has is standard.
/// Throws ValueError with one line that names what is unknown, of the wrong type or out of its range.
[[nodiscard]] backtest::MarketConfig market_of(const nb::dict& keys, const nb::dict& changes);
/// Every key; market_of() gives the same configuration for them, to the millisecond.
[[nodiscard]] nb::dict keys_of(const backtest::MarketConfig& config);

}  // namespace dojima::python
