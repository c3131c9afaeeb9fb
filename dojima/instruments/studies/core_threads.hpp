#pragma once

// A thread on each of some processors, for measurements: pinned, under a scheduling policy, begun together, stopped by
// one flag and always joined, whatever happens in between. Policy and affinity are those of these threads only and end
// with them; the caller's stay as they were. A real-time thread that spins needs a kernel that takes the processor from
// it now and then: `real_time_trouble` says whether that is so.
//
//   const auto outcome = run_on_cores({0, 1}, {}, [&](std::size_t index, const StopFlag& stop) {
//     while (!stop.is_set() && !done(index)) work(index);
//   }, [&] { show_progress(); return !is_interrupted(); });

#include <atomic>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/document.hpp"

namespace dojima::instruments {

/// Asks threads to end; reading it costs one load of a line that nobody writes meanwhile.
class StopFlag {
 public:
  void set() noexcept { is_set_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_set() const noexcept { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_ = false;
};

/// How a thread is scheduled: the default policy, or SCHED_FIFO of a priority of 1..99.
struct ThreadPolicy {
  std::optional<int> fifo_priority{};
};

/// The same for all threads; `applied` has what the kernel says of each, by "cpu N".
struct CoreOutcome {
  evidence::Document applied = evidence::Document::object();
  bool was_stopped = false;  ///< `go_on` ended it
};

/// Runs `work` on every one of `cpus` at once (the same one may be named twice) and waits for all. Until then `go_on`
/// is called about four times a second in the calling thread; when it says no, the flag is set. None begins before all
/// are in place; the error says which could not be put there and why. Throws std::system_error when there are no
/// threads to be had.
[[nodiscard]] std::expected<CoreOutcome, std::string> run_on_cores(
    const std::vector<int>& cpus, const ThreadPolicy& policy,
    const std::function<void(std::size_t index, const StopFlag& stop)>& work, const std::function<bool()>& go_on);

/// Why no real-time thread may spin here: the kernel would never take the processor back. Nothing when it would.
[[nodiscard]] std::optional<std::string> real_time_trouble(const std::filesystem::path& root = "/");

}  // namespace dojima::instruments
