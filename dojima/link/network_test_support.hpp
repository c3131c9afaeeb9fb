#pragma once

// What tests on a simulated network share.

#include <algorithm>

#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::link {

/// Everything that is due within `duration` happens, and what is sent then leaves at once.
inline void run_for(SimulatedNetwork& network, sched::Scheduler& scheduler, time::Duration duration) {
  const time::Time end = scheduler.now() + duration;
  for (;;) {
    network.finish(scheduler.now());
    const time::Time next = std::min(scheduler.next_due(), end);
    scheduler.check(next, 1000);
    network.finish(next);
    if (next == end) return;
  }
}

}  // namespace dojima::link
