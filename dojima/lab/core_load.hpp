#pragma once

// Threads for measurements on one processor: a spinner that takes it from whoever else is there, and a place to run a
// piece of work with a policy of its own. Both end with their scope, so a policy or a load never outlives what asked
// for it; the spinner also ends by itself when its time is up.
//
//   CoreSpinner load(cpu, std::chrono::seconds{5});
//   auto applied = run_on_core({.cpu = cpu, .is_real_time = true}, [&] { ... });
//   if (!applied) say(applied.error());                 // "SCHED_FIFO: Operation not permitted"

#include <atomic>
#include <chrono>
#include <expected>
#include <functional>
#include <string>
#include <thread>

#include "dojima/lab/document.hpp"

namespace dojima::lab {

/// Computes on one processor with the ordinary policy until destroyed, at most for `limit`.
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

struct CoreSetting {
  int cpu = 0;
  bool is_real_time = false;  ///< SCHED_FIFO instead of SCHED_OTHER
  int priority = 50;
};

/// Runs `work` in a thread of its own with this setting and waits for it. Work with a real-time policy is short: the
/// kernel stops it when its budget is used up. The answer is what was in force (`applied_settings`), read back before
/// the work began; or why the setting could not be had, and then nothing ran.
[[nodiscard]] std::expected<Document, std::string> run_on_core(const CoreSetting& setting,
                                                               const std::function<void()>& work);

}  // namespace dojima::lab
