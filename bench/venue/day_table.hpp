#pragma once

// The end of a trading day of many instruments and orders, turn by turn as the clock makes them.

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench_venue {

[[nodiscard]] harness::BenchTable day_table();

}  // namespace dojima::bench_venue
