#pragma once

// One replay from its first event to its last, whoever moves time meanwhile.

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/replay/replay.hpp"
#include "dojima/replay/run/replay_audience.hpp"
#include "dojima/replay/run/replay_feed.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::replay {

class ReplayRun {
 public:
  /// `ticks`: as open_feed() takes them, for another feed where time goes back. All but the feed outlive it.
  ReplayRun(const ReplaySettings& settings, const ReplayHooks& hooks, time::Clock& clock,
            const std::vector<std::int64_t>& ticks, std::unique_ptr<ReplayFeed> feed)
      : settings_(settings),
        audience_(settings, hooks),
        clock_(clock),
        ticks_(ticks),
        feed_(std::move(feed)),
        begin_(clock.now()),
        speed_(settings.speed) {}

  /// That it ended with.
  [[nodiscard]] ReplayFeed& feed() noexcept { return *feed_; }

  /// Writes how it went: elapsed time, interruption, lateness and speed. The error is one line for the user.
  [[nodiscard]] std::expected<void, std::string> run(ReplayResult& result);

 private:
  [[nodiscard]] double elapsed_s() { return static_cast<double>((clock_.now() - begin_).count()) / 1e9; }
  [[nodiscard]] std::expected<void, std::string> run_loop(ReplayResult& result);
  [[nodiscard]] std::expected<void, std::string> go_to(time::Time goal);
  [[nodiscard]] time::Time play(sched::Loop& loop, sched::PacedPacer* paced, time::Time now);
  void notify(const sched::PacedPacer* pacer);

  const ReplaySettings& settings_;
  ReplayAudience audience_;
  time::Clock& clock_;
  const std::vector<std::int64_t>& ticks_;
  std::unique_ptr<ReplayFeed> feed_;
  time::Time begin_;
  double speed_;
  bool is_paused_ = false;
  std::uint64_t skipped_ = 0;
};

}  // namespace dojima::replay
