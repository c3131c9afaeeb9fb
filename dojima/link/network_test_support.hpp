#pragma once

// What tests on a simulated network share.

#include <algorithm>
#include <cstddef>

#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::link {

/// Everything that is due within `duration` happens; `finish(now)` sends what was produced, before the first instant
/// and at the end of each. At least one instant in every `step`.
template <class Finish>
void run_instants(sched::Scheduler& scheduler, time::Duration duration, Finish finish,
                  time::Duration step = time::Duration::max()) {
  constexpr std::size_t k_events = 10'000;  // of one instant, until what was produced leaves
  const time::Time end = scheduler.now() + duration;
  for (;;) {
    finish(scheduler.now());
    const time::Duration left = end - scheduler.now();
    const time::Time next = std::min(scheduler.next_due(), scheduler.now() + std::min(left, step));
    scheduler.check(next, k_events);
    finish(next);
    if (next == end) return;
  }
}

/// Everything that is due within `duration` happens, and what is sent then leaves at once.
inline void run_for(SimulatedNetwork& network, sched::Scheduler& scheduler, time::Duration duration) {
  run_instants(scheduler, duration, [&network](time::Time now) { network.finish(now); });
}

}  // namespace dojima::link
