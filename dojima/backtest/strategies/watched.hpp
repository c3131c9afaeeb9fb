#pragma once

// A strategy that somebody watches: it gets what its wakes() asks for, and the watcher gets all events and reports
// behind it.

#include <cstdint>

#include "dojima/backtest/strategy.hpp"
#include "dojima/backtest/watcher.hpp"

namespace dojima::backtest {

class WatchedStrategy final : public Strategy {
 public:
  /// Both outlive it. `from`: what is before it is skipped.
  WatchedStrategy(Strategy& inner, BacktestWatcher& watcher, Time from)
      : inner_(inner), watcher_(watcher), wanted_(inner.wakes()), from_(from) {}

  Wakes wakes() const override {
    Wakes wakes = wanted_;
    wakes.on_events = true;
    return wakes;
  }
  void on_begin(Desk& desk) override { inner_.on_begin(desk); }
  void on_event(Desk& desk, const RecordedEvent& event) override {
    if (wanted_.on_events) inner_.on_event(desk, event);
    watcher_.on_event(desk, event, desk.now() < from_);
  }
  void on_trade(Desk& desk, const MarketTrade& trade) override { inner_.on_trade(desk, trade); }
  void on_book(Desk& desk, std::uint32_t instrument) override { inner_.on_book(desk, instrument); }
  void on_report(Desk& desk, const Report& report) override {
    inner_.on_report(desk, report);
    watcher_.on_report(desk, report);
  }
  void on_timer(Desk& desk, std::uint32_t timer, Time due) override { inner_.on_timer(desk, timer, due); }
  void on_wake(Desk& desk) override { inner_.on_wake(desk); }
  void on_end(Desk& desk) override { inner_.on_end(desk); }

 private:
  Strategy& inner_;
  BacktestWatcher& watcher_;
  Wakes wanted_;
  Time from_;
};

}  // namespace dojima::backtest
