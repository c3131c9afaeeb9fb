#pragma once

// A strategy that is called while its time lasts, and hears of its end.

#include "dojima/backtest/strategy.hpp"

namespace dojima::app {

/// Lets the strategy be called until its time is over; its end comes through.
class GatedStrategy final : public backtest::Strategy {
 public:
  explicit GatedStrategy(backtest::Strategy& inner) : inner_(inner) {}
  bool is_open = true;

  backtest::Wakes wakes() const override { return inner_.wakes(); }
  void on_begin(backtest::Desk& desk) override { inner_.on_begin(desk); }
  void on_event(backtest::Desk& desk, const recorded::RecordedEvent& event) override {
    if (is_open) inner_.on_event(desk, event);
  }
  void on_trade(backtest::Desk& desk, const backtest::MarketTrade& trade) override {
    if (is_open) inner_.on_trade(desk, trade);
  }
  void on_book(backtest::Desk& desk, std::uint32_t instrument) override {
    if (is_open) inner_.on_book(desk, instrument);
  }
  void on_report(backtest::Desk& desk, const backtest::Report& report) override {
    if (is_open) inner_.on_report(desk, report);
  }
  void on_timer(backtest::Desk& desk, std::uint32_t timer, Time due) override {
    if (is_open) inner_.on_timer(desk, timer, due);
  }
  void on_wake(backtest::Desk& desk) override {
    if (is_open) inner_.on_wake(desk);
  }
  void on_end(backtest::Desk& desk) override { inner_.on_end(desk); }

 private:
  backtest::Strategy& inner_;
};

}  // namespace dojima::app
