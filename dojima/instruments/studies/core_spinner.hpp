#pragma once

// A load for measurements: a process that takes one processor from whoever else is there. A process and no thread,
// because a clock of this process's processor time would count a thread's work as its own. It has the ordinary policy,
// is killed at the end of its scope, when this thread dies, and by itself when its time is up.
//
//   CoreSpinner load(cpu, std::chrono::seconds{5});

#include <chrono>
#include <sys/types.h>

namespace dojima::instruments {

/// Computes on `cpu` until destroyed, at most for `limit`, rounded up to seconds. Spins a moment after it was made.
class CoreSpinner {
 public:
  /// Throws std::system_error when there is no process to be had.
  CoreSpinner(int cpu, std::chrono::nanoseconds limit);
  /// Kills it and waits.
  ~CoreSpinner();
  CoreSpinner(const CoreSpinner&) = delete;
  CoreSpinner& operator=(const CoreSpinner&) = delete;

 private:
  pid_t process_;
};

}  // namespace dojima::instruments
