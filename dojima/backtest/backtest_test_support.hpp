#pragma once

// Days made by hand, a strategy that does what a test says when it says so, and one that does anything.

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/backtest/engine.hpp"
#include "dojima/recorded/days/generated_day.hpp"

namespace dojima::backtest {

using namespace std::chrono_literals;

inline const Time k_day_begin = time::from_nanoseconds(1'000'000'000'000);

/// Events of one instrument, `after` the begin of the day; the feed takes 2 ms.
class HandmadeDay {
 public:
  HandmadeDay() { instruments_.push_back({.symbol = "RICE", .price_decimals = 2, .tick = 1}); }

  HandmadeDay& event(Duration after, RecordedEvent event) {
    event.event_time = k_day_begin + after;
    event.receive_time = event.event_time + 2ms;
    event.flags |= recorded::k_last;
    events_.push_back(event);
    return *this;
  }
  HandmadeDay& level(Duration after, Side side, std::int64_t price, std::int64_t quantity) {
    return event(after, {.price = price, .quantity = quantity, .kind = recorded::EventKind::level, .side = side});
  }
  HandmadeDay& trade(Duration after, Side aggressor, std::int64_t price, std::int64_t quantity) {
    return event(after, {.price = price, .quantity = quantity, .kind = recorded::EventKind::trade, .side = aggressor});
  }
  HandmadeDay& add(Duration after, std::uint64_t order, Side side, std::int64_t price, std::int64_t quantity) {
    return event(
        after, {.order = order, .price = price, .quantity = quantity, .kind = recorded::EventKind::add, .side = side});
  }
  HandmadeDay& execute(Duration after, std::uint64_t order, std::int64_t quantity) {
    return event(after, {.order = order, .quantity = quantity, .kind = recorded::EventKind::execute});
  }
  HandmadeDay& remove(Duration after, std::uint64_t order) {
    return event(after, {.order = order, .kind = recorded::EventKind::remove});
  }
  [[nodiscard]] const std::vector<RecordedEvent>& events() const noexcept { return events_; }
  [[nodiscard]] const std::vector<RecordedInstrument>& instruments() const noexcept { return instruments_; }

 private:
  std::vector<RecordedEvent> events_;
  std::vector<RecordedInstrument> instruments_;
};

/// Does things at times after the begin of the day, and keeps what it receives.
class Scripted final : public Strategy {
 public:
  using Step = std::function<void(Desk&)>;
  Wakes wakes_wanted{};
  std::vector<Report> reports;
  std::vector<std::pair<Time, std::string>> calls;
  std::function<void(Desk&)> on_waking;
  std::function<void(Desk&, const RecordedEvent&)> on_every_event;

  Scripted& at(Duration after, Step step) {
    steps_.emplace(k_day_begin + after, std::move(step));
    return *this;
  }
  Wakes wakes() const override { return wakes_wanted; }
  void on_begin(Desk& desk) override { arm(desk); }
  void on_timer(Desk& desk, std::uint32_t, Time due) override {
    while (!steps_.empty() && steps_.begin()->first <= due) {
      const Step step = steps_.begin()->second;
      steps_.erase(steps_.begin());
      step(desk);
    }
    arm(desk);
  }
  void on_report(Desk&, const Report& report) override { reports.push_back(report); }
  void on_wake(Desk& desk) override {
    calls.emplace_back(desk.now(), "wake");
    if (on_waking) on_waking(desk);
  }
  void on_book(Desk& desk, std::uint32_t) override { calls.emplace_back(desk.now(), "book"); }
  void on_trade(Desk& desk, const MarketTrade&) override { calls.emplace_back(desk.now(), "trade"); }
  void on_event(Desk& desk, const RecordedEvent& event) override {
    if (on_every_event) on_every_event(desk, event);
  }
  void on_end(Desk& desk) override { calls.emplace_back(desk.now(), "end"); }

 private:
  void arm(Desk& desk) {
    if (!steps_.empty()) desk.arm(0, steps_.begin()->first);
  }
  std::multimap<Time, Step> steps_;
};

inline Latencies constant_latencies(Duration entry, Duration response) {
  Latencies latencies;
  latencies.models.push_back(constant_latency(entry));
  latencies.models.push_back(constant_latency(response));
  latencies.entry.fill(latencies.models[0].get());
  latencies.response.fill(latencies.models[1].get());
  return latencies;
}

/// What is left of a run over a day.
struct Ran {
  std::vector<Fill> fills;
  std::vector<Report> reports;
  ExchangeCounts counts;
  std::vector<Account> accounts;
  std::size_t resting = 0;
};

/// Entry and response take 1 ms.
inline Ran run_script(const HandmadeDay& day, Scripted& script, const ExchangeSettings& settings, Fees fees = {}) {
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(settings);
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, script, latencies, {.fees = fees});
  engine.run({});
  return {engine.fills(), script.reports, exchange->counts(), engine.accounts(), exchange->resting()};
}

inline OrderRequest bid(std::int64_t price, std::int64_t quantity) {
  return {.side = Side::buy, .price = price, .quantity = quantity};
}
inline OrderRequest ask(std::int64_t price, std::int64_t quantity) {
  return {.side = Side::sell, .price = price, .quantity = quantity};
}

/// "traded buy 5 @ 100", one a line.
inline std::string lines_of(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports)
    text += std::string(name_of(report.kind)) + " " + std::to_string(report.order) + " " +
            std::to_string(report.quantity) + " @ " + std::to_string(report.price) +
            (report.kind == ReportKind::traded ? report.is_maker ? " maker\n" : " taker\n" : "\n");
  return text;
}

/// Asks for something at random each period and keeps the reports on it.
class RandomTrader final : public Strategy {
 public:
  RandomTrader(std::uint64_t seed, Duration period, Wakes wakes = {}) : state_(seed), wakes_(wakes) {
    wakes_.period = period;
  }
  Wakes wakes() const override { return wakes_; }
  void on_wake(Desk& desk) override {
    const auto bid = desk.best(0, Side::buy), ask = desk.best(0, Side::sell);
    if (!bid || !ask) return;
    seen.push_back(
        {bid->price, bid->quantity, ask->price, ask->quantity, desk.last_trade(0).price, desk.last_trade(0).quantity});
    for (const OwnOrder& order : desk.orders())
      if (draw(4) == 0) {
        if (draw(3) == 0) {
          desk.replace(order.number, order.price, 1 + static_cast<std::int64_t>(draw(40)));
        } else {
          desk.cancel(order.number);
        }
        break;
      }
    if (desk.orders().size() > 12) return;
    const Side side = draw(2) == 0 ? Side::buy : Side::sell;
    const auto away = (static_cast<std::int64_t>(draw(6)) - 2) * desk.tick(0);
    const auto quantity = 1 + static_cast<std::int64_t>(draw(most));
    desk.submit({.side = side,
                 .time_in_force =
                     draw(5) == 0 ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::good_till_cancel,
                 .is_post_only = false,
                 .price = side == Side::buy ? bid->price - away : ask->price + away,
                 .quantity = quantity});
  }
  void on_book(Desk& desk, std::uint32_t) override {
    if (draw(16) == 0) on_wake(desk);
  }
  void on_report(Desk&, const Report& report) override { reports.push_back(report); }
  std::uint64_t most = 30;  ///< quantity of an order
  std::vector<Report> reports;
  std::vector<std::array<std::int64_t, 6>> seen;  ///< touch and last trade, at each wake

 private:
  std::uint64_t draw(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % limit;
  }
  std::uint64_t state_;
  Wakes wakes_;
};

/// A generated day as events in memory.
struct GeneratedEvents {
  std::vector<RecordedEvent> events;
  std::vector<RecordedInstrument> instruments;
};
inline GeneratedEvents generated_events(std::uint64_t seed, std::uint64_t requests) {
  recorded::GeneratedDayConfig config;
  config.flow.seed = seed;
  config.flow.rate = 2000;
  config.flow.clients = 40;
  config.requests = requests;
  recorded::GeneratedDay day(config);
  GeneratedEvents result;
  RecordedEvent event;
  while (day.next(event) == recorded::Next::event) result.events.push_back(event);
  result.instruments = day.instruments();
  return result;
}

}  // namespace dojima::backtest
