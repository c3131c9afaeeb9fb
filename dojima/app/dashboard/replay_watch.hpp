#pragma once

// A replay on the screens of browsers: levels of the books as far as a ladder shows them, every trade, phases and
// auction prices as the recording has them, and time that can be paused, paced and sent elsewhere. The replay's thread
// never waits for the dashboard's: books are looked at thirty times a second of the clock, and changes are sent.
//
//   ReplayWatch watch({.name = "AMZN", .dashboard = {.port = 0}, .can_jump = replay::can_jump(settings)});
//   const auto where = watch.start();
//   replay::replay(settings, {.watcher = &watch}, clock);

#include <chrono>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/dashboard/recorded_board.hpp"
#include "dojima/app/dashboard/screens.hpp"
#include "dojima/replay/replay.hpp"

namespace dojima::app {

struct ReplayWatchOptions {
  std::string name;  ///< what is watched, for a person
  DashboardConfig dashboard;
  bool can_jump = false;
  std::function<void()> on_over{};  ///< the replay has come to its end, again after each jump
  /// Between two looks at the books; 0: every turn.
  std::chrono::nanoseconds pause = std::chrono::milliseconds{33};
};

class ReplayWatch final : public replay::ReplayWatcher {
 public:
  /// Throws std::bad_alloc.
  explicit ReplayWatch(ReplayWatchOptions options);

  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  [[nodiscard]] web::FactChannel& channel() noexcept { return screens_.channel(); }
  [[nodiscard]] PaceDesk& desk() noexcept { return desk_; }

  // replay::ReplayWatcher
  void on_event(const recorded::RecordedEvent& event, const recorded::ReplayBooks& books, Instruments instruments,
                bool is_skipped) override;
  void on_jump(time::Time now) override;
  void on_turn(time::Time now, const recorded::ReplayBooks& books, Instruments instruments,
               const sched::PacedPacer* pacer, const std::optional<double>& progress, bool is_over) override;
  bool move(sched::PacedPacer& pacer) override;
  [[nodiscard]] std::optional<time::Time> wanted_time() override { return desk_.take_jump(); }

 private:
  void publish_pace(const sched::PacedPacer& pacer, const std::optional<double>& progress, bool is_over);

  ReplayWatchOptions options_;
  PaceDesk desk_;
  Screens screens_;
  RecordedBoard board_;
  bool is_over_ = false;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace dojima::app
