// Connections as interfaces, installed: a simulated network has nothing to deliver. Exit status 0 when all came as
// expected.

#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/scheduler.hpp"

int main() {
  dojima::sched::Scheduler scheduler(64);
  dojima::link::SimulatedNetwork network(scheduler, {.seed = 1});
  return network.next_time() > scheduler.now() ? 0 : 1;
}
