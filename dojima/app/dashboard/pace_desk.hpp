#pragma once

// Who watches a run may move its time: words from a page, in the dashboard's thread, become commands that the loop
// which owns the pacer carries out between two of its turns.

#include <atomic>
#include <mutex>
#include <string_view>
#include <vector>

#include "dojima/sched/loop.hpp"

namespace dojima::app {

class PaceDesk {
 public:
  /// `pause`, `resume`, `step`, `speed X` with X from 0.1 to 10000. False: they are none of these. Any thread.
  [[nodiscard]] bool on_words(std::string_view words);
  /// The loop: carries out what has come since. Whether something has.
  bool apply(sched::PacedPacer& pacer);

 private:
  struct Command {
    enum class Kind : std::uint8_t { pause, resume, step, speed } kind;
    double speed = 0;
  };
  [[nodiscard]] bool put(Command command);

  std::mutex mutex_;
  std::vector<Command> waiting_;  // under the mutex
  std::atomic<bool> has_command_{false};
};

}  // namespace dojima::app
