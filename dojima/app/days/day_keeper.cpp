#include "dojima/app/days/day_keeper.hpp"

#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>

#include "dojima/base/thread_name.hpp"

namespace dojima::app {

void DayKeeper::look(std::uint64_t day, time::Time now, const std::function<void(const std::string&)>& show) {
  if (is_writing_ && is_done_.load(std::memory_order_acquire)) report(now, show);
  if (is_writing_ || day == 0) return;
  const bool is_new = !has_day_ || day_ != day - 1;
  if (is_new) {
    has_day_ = true;
    day_ = day - 1;
    tries_ = 0;
    std::error_code ignored;
    due_ = std::filesystem::exists(folder_of(day_), ignored) ? time::k_never : now;
  }
  if (due_ <= now) begin();
}

/// The folder gets its name when all is in it.
void DayKeeper::begin() {
  due_ = time::k_never;
  ++tries_;
  is_writing_ = true;
  is_done_.store(false, std::memory_order_relaxed);
  thread_ = std::jthread([this, day = day_, whole = folder_of(day_)](const std::stop_token& stop) {
    name_this_thread("day files");
    try {
      const std::string part = whole + ".part";
      outcome_ = write_(journal_, day, part, stop);
      std::error_code failed;
      if (outcome_) std::filesystem::rename(part, whole, failed);
      if (failed) outcome_ = std::unexpected(fmt::format("{}: cannot be renamed: {}", part, failed.message()));
    } catch (const std::exception& trouble) {  // no memory for another partition
      outcome_ = std::unexpected(std::string(trouble.what()));
    }
    is_done_.store(true, std::memory_order_release);
  });
}

void DayKeeper::report(time::Time now, const std::function<void(const std::string&)>& show) {
  thread_.join();
  is_writing_ = false;
  if (!outcome_ && tries_ < k_tries) {
    due_ = now + k_retry;
    return;
  }
  if (!show) return;
  show(outcome_ ? fmt::format("the files of day {} are in {}: {}", day_, folder_of(day_), *outcome_)
                : fmt::format("the files of day {} could not be written: {}; dojima journal day --day {} tries again",
                              day_, outcome_.error(), day_));
}

}  // namespace dojima::app
