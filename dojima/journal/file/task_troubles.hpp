#pragma once

// What goes wrong with what the worker of a journal does: kept until the same task goes well.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "dojima/base/error.hpp"

namespace dojima::journal {

/// What the worker does, each with its own trouble.
enum class JournalTask : std::uint8_t { write, retire, supply, remove, sync, k_count };

class TaskTroubles {
 public:
  /// By the worker alone. True: something was done.
  bool note(JournalTask task, const Result<bool>& done);
  /// Whether records cannot be brought to the disk: ordinary ones are refused meanwhile. Any thread, as what follows.
  [[nodiscard]] bool is_failing() const noexcept { return is_failing_.load(std::memory_order_relaxed); }
  /// Of the first task that has one.
  [[nodiscard]] std::optional<Error> first() const;
  [[nodiscard]] std::optional<Error> of(JournalTask task) const;

 private:
  std::atomic<bool> is_failing_{false};
  unsigned failing_ = 0;      // tasks, as bits
  mutable std::mutex mutex_;  // what follows
  std::array<std::optional<Error>, static_cast<std::size_t>(JournalTask::k_count)> troubles_;
};

}  // namespace dojima::journal
