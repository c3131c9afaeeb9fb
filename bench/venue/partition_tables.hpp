#pragma once

// What a command costs a partition beside its bare book and with limits and with market data, and partitions on threads
// of their own.

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench_venue {

[[nodiscard]] harness::BenchTable partition_table();
[[nodiscard]] harness::BenchTable limits_table();
[[nodiscard]] harness::BenchTable feed_table();
[[nodiscard]] harness::BenchTable scaling_table();

}  // namespace dojima::bench_venue
