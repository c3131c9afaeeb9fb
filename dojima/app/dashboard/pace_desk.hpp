#pragma once

// Who watches a run may move its time: words from a page, in the dashboard's thread, become commands that the loop
// which owns the pacer carries out between two of its turns.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/sched/loop.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

class PaceDesk {
 public:
  /// `can_jump`: time can go to where somebody wants it.
  explicit PaceDesk(bool can_jump = false) : can_jump_(can_jump) {}

  /// `pause`, `resume`, `step`, `speed X` with X from 0.1 to 10000; where it can, `jump NANOSECONDS` of UTC. False:
  /// they are none of these. Any thread.
  [[nodiscard]] bool on_words(std::string_view words);
  /// The loop: carries out what has come since. Whether something has.
  bool apply(sched::PacedPacer& pacer);
  /// The loop: the newest time that was asked for until apply() last ran, once.
  [[nodiscard]] std::optional<time::Time> take_jump() noexcept { return std::exchange(jump_, std::nullopt); }

 private:
  struct Command {
    enum class Kind : std::uint8_t { pause, resume, step, speed, jump } kind;
    double speed = 0;
    time::Time time{};
  };
  [[nodiscard]] bool put(Command command);

  bool can_jump_;
  std::optional<time::Time> jump_;  // the loop's
  std::mutex mutex_;
  std::vector<Command> waiting_;  // under the mutex
  std::atomic<bool> has_command_{false};
};

}  // namespace dojima::app
