#pragma once

// How long threads wait for a processor when there are more threads than processors: each computes for a random time,
// sleeps for a random time, and computes again. The kernel says how long each ran and how long it could have run and
// did not (/proc/thread-self/schedstat); what is left of the time it slept. So the line before the processors is known
// by its means, and a formula can be held against it.
//
//   const auto study = measure_run_queue({.cpus = {0, 1}, .threads = 8}, [] { return true; });
//   study->mean_wait_ns()

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

namespace dojima::instruments {

struct RunQueuePlan {
  std::vector<int> cpus{};  ///< the processors; every thread may run on all of them
  std::size_t threads = 8;  ///< 1 to 1,000
  std::chrono::nanoseconds burst = std::chrono::milliseconds{2};  ///< of processor time, exponential, on average
  std::chrono::nanoseconds sleep = std::chrono::milliseconds{8};  ///< likewise, of the clock
  std::chrono::milliseconds length = std::chrono::seconds{5};
  std::uint64_t seed = 1;
};

struct RunQueueStudy {
  std::uint64_t bursts = 0;
  double seconds = 0;  ///< from the first burst to the last, per thread on average
  double ran_ns = 0;   ///< all threads together, as the next two
  double waited_ns = 0;
  double slept_ns = 0;
  [[nodiscard]] double mean_run_ns() const noexcept { return ran_ns / static_cast<double>(bursts); }
  [[nodiscard]] double mean_wait_ns() const noexcept { return waited_ns / static_cast<double>(bursts); }
  [[nodiscard]] double mean_sleep_ns() const noexcept { return slept_ns / static_cast<double>(bursts); }
};

/// Keeps the processors busy for the plan's length. `go_on` is asked about ten times a second. Refused where the kernel
/// keeps no schedstat, where a thread may not run on a processor, or when no burst was ended.
[[nodiscard]] std::expected<RunQueueStudy, std::string> measure_run_queue(const RunQueuePlan& plan,
                                                                          const std::function<bool()>& go_on);

}  // namespace dojima::instruments
