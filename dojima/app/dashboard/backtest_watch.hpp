#pragma once

// A back-test on the screens of browsers: the books as the strategy knows them with its own orders at their prices, the
// trades of the market, what it holds and has earned, each fill in words, and time that can be paused and paced. The
// run's thread never waits for the dashboard's: all of it is looked at thirty times a second of the clock.
//
//   BacktestWatch watch({.name = "glft in day.events", .dashboard = {.port = 0}});
//   const auto where = watch.start();
//   backtest::run_backtest(settings, {.watcher = &watch}, clock);   // settings.speed says how fast

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/dashboard/recorded_board.hpp"
#include "dojima/app/dashboard/screens.hpp"
#include "dojima/backtest/watcher.hpp"

namespace dojima::app {

struct BacktestWatchOptions {
  std::string name;      ///< what is watched, for a person
  std::string strategy;  ///< who trades
  DashboardConfig dashboard;
  std::function<void()> on_over{};  ///< the run has come to its end
  /// Between two looks; 0: every turn.
  std::chrono::nanoseconds pause = std::chrono::milliseconds{33};
};

class BacktestWatch final : public backtest::BacktestWatcher {
 public:
  /// Throws std::bad_alloc.
  explicit BacktestWatch(BacktestWatchOptions options);

  [[nodiscard]] std::expected<link::Address, std::string> start() { return screens_.start(); }
  [[nodiscard]] std::string describe() const { return screens_.describe(); }
  [[nodiscard]] web::FactChannel& channel() noexcept { return screens_.channel(); }
  [[nodiscard]] PaceDesk& desk() noexcept { return desk_; }

  // backtest::BacktestWatcher
  void on_event(const backtest::Desk& desk, const backtest::RecordedEvent& event, bool is_skipped) override;
  void on_report(const backtest::Desk& desk, const backtest::Report& report) override;
  void on_turn(const backtest::Engine& engine, const sched::PacedPacer& pacer, double progress, bool is_over) override;
  void move(sched::PacedPacer& pacer) override;

 private:
  void tell_fill(const backtest::Desk& desk, const backtest::Report& report);
  void tell_counters(const backtest::Engine& engine, time::Time at);
  void tell_session(const backtest::Engine& engine, time::Time at);
  void tell_accounts(const backtest::Engine& engine, time::Time at);

  BacktestWatchOptions options_;
  PaceDesk desk_;
  Screens screens_;
  RecordedBoard board_;
  std::uint64_t market_trades_ = 0, rejects_ = 0;
  market::Reason last_reject_ = market::Reason::none;
  bool is_over_ = false;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace dojima::app
