#pragma once

// How good forecasts are: captured at a low load, forecast for a load of 0.8, held against captures of that load.

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// A case for each model of arrivals and load of the capture; what is timed is one replicate.
[[nodiscard]] harness::BenchTable forecast_table();

}  // namespace dojima::bench
