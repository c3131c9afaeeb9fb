#pragma once

// The audience of a replay: the line that shows how far it is, the watcher, and the keys that pause it, send it to
// another time or end it.

#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/replay/replay.hpp"
#include "dojima/replay/run/replay_feed.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::replay {

class ReplayAudience {
 public:
  /// Both outlive it.
  ReplayAudience(const ReplaySettings& settings, const ReplayHooks& hooks) : settings_(settings), hooks_(hooks) {}

  /// Null: nobody watches.
  [[nodiscard]] ReplayWatcher* watcher() const noexcept { return hooks_.watcher; }
  /// Whether somebody is shown how far it is.
  [[nodiscard]] bool is_shown() const noexcept { return static_cast<bool>(hooks_.show); }
  [[nodiscard]] bool wants_end() const { return is_quitting_ || (hooks_.is_interrupted && hooks_.is_interrupted()); }
  /// Somebody paused it, or changed its speed, or its time was moved.
  [[nodiscard]] bool has_meddled() const noexcept { return has_meddled_; }

  /// Asks whether somebody wants time to go otherwise.
  void ask(sched::PacedPacer& pacer);
  /// Where time is to go.
  [[nodiscard]] bool wants_jump() const noexcept { return goal_.has_value(); }
  [[nodiscard]] time::Time take_goal() {
    has_meddled_ = true;
    return *std::exchange(goal_, std::nullopt);
  }

  // `pacer`: null where time is not paced.

  /// About ten times a second, where is_shown(). `skipped`: events before the replay began.
  void show(ReplayFeed& feed, const sched::PacedPacer* pacer, double elapsed_s, std::uint64_t skipped);
  /// Between two turns.
  void notify(ReplayFeed& feed, const sched::PacedPacer* pacer);

 private:
  const ReplaySettings& settings_;
  const ReplayHooks& hooks_;
  std::optional<time::Time> goal_;
  double shown_ = 0;
  bool is_quitting_ = false;
  bool has_meddled_ = false;
};

}  // namespace dojima::replay
