#pragma once

// The venue over TCP beside an echo of as many bytes.

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench_venue {

[[nodiscard]] harness::BenchTable road_table();
/// The same of a venue whose figures somebody reads every 100 ms, beside one where nobody does.
[[nodiscard]] harness::BenchTable scrape_table();

}  // namespace dojima::bench_venue
