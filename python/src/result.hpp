#pragma once

// What a back-test came to, with the settings that it ran by.

#include "dojima/backtest/backtest.hpp"

namespace dojima::python {

struct PythonResult {
  backtest::BacktestSettings settings;
  backtest::BacktestResult result;
};

}  // namespace dojima::python
