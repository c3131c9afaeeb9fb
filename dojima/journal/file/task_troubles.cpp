#include "dojima/journal/file/task_troubles.hpp"

namespace dojima::journal {

bool TaskTroubles::note(JournalTask task, const Result<bool>& done) {
  const unsigned bit = 1U << static_cast<unsigned>(task);
  if (done && (failing_ & bit) == 0) return *done;
  failing_ = done ? failing_ & ~bit : failing_ | bit;
  constexpr unsigned k_stop =
      1U << static_cast<unsigned>(JournalTask::write) | 1U << static_cast<unsigned>(JournalTask::retire);
  is_failing_.store((failing_ & k_stop) != 0, std::memory_order_relaxed);
  const std::scoped_lock guard(mutex_);
  auto& trouble = troubles_[static_cast<std::size_t>(task)];
  done ? trouble.reset() : void(trouble = done.error());
  return done.value_or(false);
}

std::optional<Error> TaskTroubles::first() const {
  const std::scoped_lock guard(mutex_);
  for (const auto& trouble : troubles_)
    if (trouble) return trouble;
  return std::nullopt;
}

std::optional<Error> TaskTroubles::of(JournalTask task) const {
  const std::scoped_lock guard(mutex_);
  return troubles_[static_cast<std::size_t>(task)];
}

}  // namespace dojima::journal
