#pragma once

// The tables of dojima-bench-sched, and what their competitors share: objects on huge pages where there are any, and
// the memory that a container takes.

#include <cstddef>
#include <malloc.h>
#include <memory>

#include "dojima/harness/bench_harness.hpp"
#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::bench_sched {

using sched::HoldDelay;
using sched::Time;

/// Bytes that this process has from its allocator.
[[nodiscard]] inline std::size_t allocated_bytes() noexcept {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// What the container takes: what is in use of a run wheel (it takes the worst case at construction and touches it as
/// it is needed), what was allocated otherwise.
template <class Scheduler>
[[nodiscard]] double container_bytes(const Scheduler& scheduler, std::size_t allocated) noexcept {
  if constexpr (requires { scheduler.queue().bytes_in_use(); }) {
    return static_cast<double>(scheduler.queue().bytes_in_use());
  } else {
    return static_cast<double>(allocated);
  }
}

[[nodiscard]] harness::BenchTable hold_table();
[[nodiscard]] harness::BenchTable misses_table();
[[nodiscard]] harness::BenchTable rounds_table();
[[nodiscard]] harness::BenchTable skew_table();
[[nodiscard]] harness::BenchTable layers_table();
[[nodiscard]] harness::BenchTable design_table();
[[nodiscard]] harness::BenchTable cancel_table();
[[nodiscard]] harness::BenchTable mixed_table();
[[nodiscard]] harness::BenchTable live_table();
[[nodiscard]] harness::BenchTable opening_table();
[[nodiscard]] harness::BenchTable cores_table();

}  // namespace dojima::bench_sched
