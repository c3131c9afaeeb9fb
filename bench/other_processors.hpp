#pragma once

// Threads beside a measured one: where they run must not be where it is pinned, or what they do stops it.

#include <sched.h>
#include <unistd.h>

namespace dojima::bench {

/// While it lives, threads that this thread starts may run on any processor but `processor`, where there is another.
/// This thread may too meanwhile; afterwards it may run where it could before.
class OnOtherProcessors {
 public:
  explicit OnOtherProcessors(int processor = ::sched_getcpu()) {
    is_changed_ = ::sched_getaffinity(0, sizeof before_, &before_) == 0;
    leave(processor);
  }
  ~OnOtherProcessors() {
    if (is_changed_) static_cast<void>(::sched_setaffinity(0, sizeof before_, &before_));
  }
  OnOtherProcessors(const OnOtherProcessors&) = delete;
  OnOtherProcessors& operator=(const OnOtherProcessors&) = delete;

  /// For good, for the thread that calls it.
  static void leave(int processor) {
    cpu_set_t others;
    CPU_ZERO(&others);
    const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
    for (int other = 0; other < count; ++other) {
      if (other != processor || count == 1) CPU_SET(static_cast<unsigned>(other), &others);
    }
    static_cast<void>(::sched_setaffinity(0, sizeof others, &others));
  }

 private:
  cpu_set_t before_{};
  bool is_changed_ = false;
};

}  // namespace dojima::bench
