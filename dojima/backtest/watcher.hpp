#pragma once

// Who watches a back-test that runs at a speed of the clock: every event and report as the strategy has them, and the
// run between two of its turns, whose time it may pause, step and pace. A run that is watched gives the same results as
// one that is not. Called by the run, in its thread.

#include "dojima/backtest/engine.hpp"
#include "dojima/backtest/orders.hpp"
#include "dojima/backtest/strategy.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::backtest {

class BacktestWatcher {
 public:
  /// An event has reached the strategy, which has been notified of it. `is_skipped`: it is from before the time at
  /// which the strategy begins.
  virtual void on_event(const Desk& desk, const RecordedEvent& event, bool is_skipped) = 0;
  /// Likewise a report on an own order.
  virtual void on_report(const Desk& desk, const Report& report) = 0;
  /// Between two turns. `progress`: 0 to 1. `is_over`: nothing follows; the run stays until it is interrupted.
  virtual void on_turn(const Engine& engine, const sched::PacedPacer& pacer, double progress, bool is_over) = 0;
  /// Pauses, steps and speeds as somebody wants it.
  virtual void move(sched::PacedPacer& pacer) = 0;

 protected:
  ~BacktestWatcher() = default;
};

}  // namespace dojima::backtest
