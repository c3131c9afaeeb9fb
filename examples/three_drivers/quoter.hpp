#pragma once

// A strategy that knows nothing of who moves time: it quotes at the best prices, at most once in 2 ms, takes its quotes
// away when the market has been silent for 20 ms, and hears of its fills as the exchange reports them. The market is a
// day of prices and trades in memory; exchange, latencies and account are the back-test's. Everything it does is in
// a log. Deterministic; one thread.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/backtest/engine.hpp"
#include "dojima/sched/loop.hpp"

namespace three_drivers {

using dojima::backtest::DepthLevel;
using dojima::backtest::Desk;
using dojima::market::Side;
using dojima::recorded::RecordedEvent;
using dojima::recorded::RecordedInstrument;
using dojima::time::Duration;
using dojima::time::Time;

class Quoter final : public dojima::backtest::Strategy {
 public:
  explicit Quoter(Time start) : start_(start) {}

  dojima::backtest::Wakes wakes() const override { return {.on_touch = true}; }
  void on_book(Desk& desk, std::uint32_t) override {
    desk.arm(k_stale, desk.now() + std::chrono::milliseconds{20});
    if (desk.now() >= next_quote_) {
      quote(desk);
    } else {
      desk.arm(k_quote, next_quote_);
    }
  }
  void on_timer(Desk& desk, std::uint32_t timer, Time) override {
    if (timer == k_quote) {
      quote(desk);
      return;
    }
    const std::vector<dojima::backtest::OwnOrder> own(desk.orders().begin(), desk.orders().end());
    std::int64_t cancelled = 0;
    for (const auto& order : own) cancelled += desk.cancel(order.number) ? 1 : 0;
    note(desk.now(), "withdraw", cancelled, desk.position(0));
  }
  void on_report(Desk& desk, const dojima::backtest::Report& report) override {
    if (report.kind == dojima::backtest::ReportKind::traded)
      note(desk.now(), report.side == Side::buy ? "bought" : "sold", report.price, report.quantity);
  }

  /// Lines of nanoseconds since the start and what happened.
  [[nodiscard]] const std::vector<std::string>& log() const noexcept { return log_; }

 private:
  static constexpr std::uint32_t k_quote = 0, k_stale = 1;
  static constexpr std::int64_t k_quantity = 2, k_most = 20;

  void quote(Desk& desk) {
    const auto bid = desk.best(0, Side::buy), ask = desk.best(0, Side::sell);
    if (!bid || !ask) return;
    next_quote_ = desk.now() + std::chrono::milliseconds{2};
    note(desk.now(), "quote", bid->price, ask->price);
    keep(desk, Side::buy, bid->price, desk.position(0) < k_most);
    keep(desk, Side::sell, ask->price, desk.position(0) > -k_most);
  }
  void keep(Desk& desk, Side side, std::int64_t price, bool is_wanted) {
    const std::vector<dojima::backtest::OwnOrder> own(desk.orders().begin(), desk.orders().end());
    bool is_there = false;
    for (const auto& order : own) {
      if (order.side != side) continue;
      if (is_wanted && order.price == price) {
        is_there = true;
      } else {
        desk.cancel(order.number);
      }
    }
    if (is_wanted && !is_there) desk.submit({.side = side, .price = price, .quantity = k_quantity});
  }
  void note(Time at, const char* what, std::int64_t one, std::int64_t other) {
    log_.push_back(std::to_string((at - start_).count()) + " " + what + " " + std::to_string(one) + " " +
                   std::to_string(other));
  }

  Time start_;
  Time next_quote_ = Time::min();
  std::vector<std::string> log_;
};

struct Day {
  std::vector<RecordedEvent> events;
  std::vector<RecordedInstrument> instruments;
};

/// So many prices from `start` on: mostly a few hundred microseconds apart, now and then silence; some at the very time
/// when the strategy's timers are due. Behind some of them somebody takes what rests there.
[[nodiscard]] inline Day make_day(Time start, std::size_t prices) {
  using dojima::recorded::EventKind;
  Day day;
  day.instruments.push_back({.symbol = "RICE", .price_decimals = 2, .tick = 1});
  std::uint64_t state = 2026;
  std::int64_t ticks = 10'000;
  Time at = start;
  const auto add = [&](EventKind kind, Side side, std::int64_t price, std::int64_t quantity) {
    day.events.push_back(
        {.event_time = at, .receive_time = at, .price = price, .quantity = quantity, .kind = kind, .side = side});
  };
  for (std::size_t i = 0; i < prices; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto draw = static_cast<std::int64_t>(state >> 40);
    if (i != 0) {
      const bool is_silent = draw % 97 == 0;
      at +=
          is_silent ? Duration{std::chrono::milliseconds{30}} : Duration{std::chrono::microseconds{100 * (draw % 12)}};
      add(EventKind::level, Side::buy, ticks - 1, 0);
      add(EventKind::level, Side::sell, ticks + 1, 0);
    }
    ticks += draw % 7 - 3;
    add(EventKind::level, Side::buy, ticks - 1, 10);
    add(EventKind::level, Side::sell, ticks + 1, 10);
    if (draw % 3 == 0)
      add(EventKind::trade, draw % 2 == 0 ? Side::buy : Side::sell, draw % 2 == 0 ? ticks + 1 : ticks - 1, 12);
    day.events.back().flags |= dojima::recorded::k_last;
  }
  return day;
}

/// Runs the strategy over the day to its end. `between_turns(turn)` is called after each turn.
template <class BetweenTurns>
[[nodiscard]] std::vector<std::string> run(dojima::sched::Pacer& pacer, Time start, std::size_t prices,
                                           BetweenTurns between_turns) {
  namespace backtest = dojima::backtest;
  const Day day = make_day(start, prices);
  backtest::MemoryEvents events(day.events, day.instruments);
  const auto exchange = backtest::make_exchange({.queue = {.model = backtest::QueueModel::risk_averse}});
  backtest::Latencies latencies;
  latencies.models.push_back(backtest::constant_latency(std::chrono::microseconds{250}));
  latencies.entry.fill(latencies.models.back().get());
  latencies.response.fill(latencies.models.back().get());
  Quoter quoter(start);
  backtest::Engine engine(events, *exchange, quoter, latencies, {});
  engine.begin();
  dojima::sched::Source* const sources[] = {&engine};
  dojima::sched::Loop loop(engine.scheduler(), pacer, sources);
  while (!engine.is_over()) between_turns(loop.turn());
  engine.end();
  return quoter.log();
}

}  // namespace three_drivers
