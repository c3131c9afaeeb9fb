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

/// What `n` pending events take, the same for every container: memory that was ever touched, and the nodes that the
/// events carry for it. Some take the worst case at construction and touch it as it is needed, so they say themselves
/// what is in use; the standard ones touch all that they allocate.
template <class Scheduler>
[[nodiscard]] double bytes_of_pending(const Scheduler& scheduler, std::size_t allocated, std::size_t n) noexcept {
  using Queue = std::remove_cvref_t<decltype(scheduler.queue())>;
  std::size_t bytes = allocated;
  if constexpr (requires { scheduler.queue().bytes_in_use(); }) bytes = scheduler.queue().bytes_in_use();
  if constexpr (requires { Queue::k_bytes_in_event; }) bytes += n * Queue::k_bytes_in_event;
  return static_cast<double>(bytes);
}

[[nodiscard]] harness::BenchTable hold_table();
[[nodiscard]] harness::BenchTable users_table();
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
