#pragma once

// The venue over TCP beside an echo of as many bytes.

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench_venue {

[[nodiscard]] harness::BenchTable road_table();

}  // namespace dojima::bench_venue
