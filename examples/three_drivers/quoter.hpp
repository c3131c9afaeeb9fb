#pragma once

// A strategy that knows nothing of who moves time: it quotes around the last price, at most once in 2 ms, takes its
// quotes away when no price has come for 20 ms, and hears of its fills a while after it quoted. Prices come from a
// tape. Everything it does stands in a log. Deterministic; one thread.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dojima/sched/loop.hpp"

namespace three_drivers {

using dojima::sched::Time;
using dojima::time::Duration;

struct Price {
  Time at;
  std::int64_t ticks;
};

class Quoter {
 public:
  explicit Quoter(dojima::sched::Scheduler& scheduler)
      : quote_(scheduler, *this), stale_(scheduler, *this), fill_(scheduler, *this) {}

  void on_price(const Price& price, Time now) {
    ticks_ = price.ticks;
    stale_.arm(now + std::chrono::milliseconds{20});  // re-armed with every price: one store
    if (!quote_.is_armed()) quote_.arm(std::max(now, next_quote_));
  }

  /// Lines of time since `start` and what happened.
  [[nodiscard]] std::vector<std::string> log(Time start) const {
    std::vector<std::string> lines;
    for (const Line& line : log_) {
      lines.push_back(std::to_string((line.at - start).count()) + " " + line.what + " " + std::to_string(line.number));
    }
    return lines;
  }

 private:
  struct Line {
    Time at;
    const char* what;
    std::int64_t number;
  };

  void on_quote(Time due) {
    note(due, "quote", ticks_);
    next_quote_ = due + std::chrono::milliseconds{2};
    // A fill, sooner the lower the price's last digit.
    if (!fill_.is_armed()) fill_.arm(due + std::chrono::microseconds{100 + 350 * (ticks_ % 10)});
  }
  void on_stale(Time due) {
    note(due, "withdraw", ticks_);
    fill_.disarm();
  }
  void on_fill(Time due) {
    note(due, "filled", ++fills_);
    quote_.arm(std::max(due, next_quote_));
  }
  void note(Time at, const char* what, std::int64_t number) { log_.push_back({at, what, number}); }

  std::int64_t ticks_ = 0;
  std::int64_t fills_ = 0;
  Time next_quote_{};
  std::vector<Line> log_;
  dojima::sched::TimerOf<&Quoter::on_quote> quote_;
  dojima::sched::TimerOf<&Quoter::on_stale> stale_;
  dojima::sched::TimerOf<&Quoter::on_fill> fill_;
};

/// Recorded prices, played to the strategy.
class Tape final : public dojima::sched::Source {
 public:
  Tape(Quoter& quoter, std::vector<Price> prices) : quoter_(quoter), prices_(std::move(prices)) {}

  [[nodiscard]] Time next_time() override { return at_ < prices_.size() ? prices_[at_].at : dojima::time::k_never; }
  std::size_t deliver(Time now) override {
    std::size_t count = 0;
    for (; at_ < prices_.size() && prices_[at_].at <= now; ++at_, ++count) quoter_.on_price(prices_[at_], now);
    return count;
  }

 private:
  Quoter& quoter_;
  std::vector<Price> prices_;
  std::size_t at_ = 0;
};

/// A day of `count` prices from `start` on: mostly a few hundred microseconds apart, now and then silence; some at the
/// very time when the strategy's timers are due.
[[nodiscard]] inline std::vector<Price> make_tape(Time start, std::size_t count) {
  std::vector<Price> prices;
  std::uint64_t state = 2026;
  std::int64_t ticks = 10'000;
  Time at = start;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto draw = static_cast<std::int64_t>(state >> 40);
    const bool is_silent = draw % 97 == 0;
    at += is_silent ? Duration{std::chrono::milliseconds{30}} : Duration{std::chrono::microseconds{100 * (draw % 12)}};
    ticks += draw % 7 - 3;
    prices.push_back({at, ticks});
  }
  return prices;
}

/// Runs the strategy over the tape until nothing is pending. `between_turns(turn)` is called after each turn.
template <class BetweenTurns>
[[nodiscard]] std::vector<std::string> run(dojima::sched::Pacer& pacer, Time start, std::size_t prices,
                                           BetweenTurns between_turns) {
  dojima::sched::Scheduler scheduler(8, start);
  Quoter quoter(scheduler);
  Tape tape(quoter, make_tape(start, prices));
  dojima::sched::Source* const sources[] = {&tape};
  dojima::sched::Loop loop(scheduler, pacer, sources);
  for (;;) {
    const auto turn = loop.turn();
    if (turn == dojima::sched::Loop::Turn::done) return quoter.log(start);
    between_turns(turn);
  }
}

}  // namespace three_drivers
