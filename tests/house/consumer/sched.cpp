// The scheduler, installed: an event fires when it is due. Exit status 0 when all came as expected.

#include <chrono>

#include "dojima/sched/scheduler.hpp"

namespace {

using namespace std::chrono_literals;
using dojima::time::Time;

class Bell final : public dojima::sched::Event {
 public:
  void fire(Time due, void*) override { is_right_ = due == Time{3s}; }
  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  bool is_right_ = false;
};

}  // namespace

int main() {
  Bell bell;
  dojima::sched::Scheduler scheduler(4);
  if (!scheduler.schedule(bell, Time{3s})) return 1;
  const auto fired = scheduler.check(Time{5s}, 10);
  return fired.count == 1 && fired.is_drained && bell.is_right() ? 0 : 1;
}
