#pragma once

// A load for measurements: a thread that takes one processor from whoever else is there. It has the ordinary policy,
// ends with its scope, and by itself when its time is up.
//
//   CoreSpinner load(cpu, std::chrono::seconds{5});

#include <atomic>
#include <chrono>
#include <thread>

namespace dojima::lab {

/// Computes on `cpu` until destroyed, at most for `limit`.
class CoreSpinner {
 public:
  CoreSpinner(int cpu, std::chrono::nanoseconds limit);
  /// Stops and joins.
  ~CoreSpinner();
  CoreSpinner(const CoreSpinner&) = delete;
  CoreSpinner& operator=(const CoreSpinner&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace dojima::lab
