#pragma once

// The tables of dojima-bench-gateway, each in a source of its own.

#include <memory>

#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// From an order to its answer at a given rate, one client, beside the relay.
[[nodiscard]] harness::BenchTable answer_table();
/// What that takes of the kernel and the processor.
[[nodiscard]] harness::BenchTable calls_table();
/// The translator by the engine of its tables, with sockets and without.
[[nodiscard]] harness::BenchTable dispatch_table();
/// As many orders as the road takes, of one client to hundreds.
[[nodiscard]] harness::BenchTable clients_table();
/// A gateway killed with many open orders, until it answers again.
[[nodiscard]] harness::BenchTable recover_table();

}  // namespace dojima::bench
