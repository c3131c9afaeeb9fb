#include "quoter.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace three_drivers {
namespace {

using namespace dojima;

constexpr std::size_t k_prices = 2'000;

Time start() {
  return time::from_nanoseconds(1'780'000'000'000'000'000);
}

std::vector<std::string> event_driven() {
  sched::EventPacer pacer(start());
  return run(pacer, start(), k_prices, [](sched::Loop::Turn) {});
}

TEST(ThreeDrivers, the_strategy_does_a_days_work) {
  const auto log = event_driven();
  EXPECT_GT(log.size(), 500u);
  const auto has = [&](const char* what) {
    return std::any_of(log.begin(), log.end(),
                       [&](const std::string& line) { return line.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(has("quote"));
  EXPECT_TRUE(has("bought"));
  EXPECT_TRUE(has("sold"));
  EXPECT_TRUE(has("withdraw"));
}

TEST(ThreeDrivers, a_back_test_without_a_loop_leaves_the_same_log) {
  namespace backtest = dojima::backtest;
  const Day day = make_day(start(), k_prices);
  backtest::MemoryEvents events(day.events, day.instruments);
  const auto exchange = backtest::make_exchange({.queue = {.model = backtest::QueueModel::risk_averse}});
  backtest::Latencies latencies;
  latencies.models.push_back(backtest::constant_latency(std::chrono::microseconds{250}));
  latencies.entry.fill(latencies.models.back().get());
  latencies.response.fill(latencies.models.back().get());
  Quoter quoter(start());
  backtest::Engine engine(events, *exchange, quoter, latencies, {});
  engine.run({});
  EXPECT_EQ(quoter.log(), event_driven());
}

RC_GTEST_PROP(ThreeDrivers, a_paced_day_leaves_the_log_of_the_event_driven_one_whatever_is_done_to_its_pace, ()) {
  static const auto expected = event_driven();
  time::ManualClock clock(start());
  sched::PacedPacer pacer(clock, start(), *rc::gen::element(0.1, 1.0, 60.0, 10'000.0));
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::uint64_t state = seed;
  const auto log = run(pacer, start(), k_prices, [&](sched::Loop::Turn) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto draw = static_cast<std::int64_t>(state >> 33);
    clock.advance_to(clock.now() + Duration{draw % 3'000'000});
    if (draw % 16 == 0) pacer.pause();
    if (draw % 16 == 1 || draw % 8 == 2) pacer.resume();
    if (draw % 16 == 3) pacer.step();
    if (draw % 32 == 4) static_cast<void>(pacer.set_speed(static_cast<double>(1 + draw % 5000)));
  });
  RC_ASSERT(log == expected);
}

TEST(ThreeDrivers, a_live_day_on_a_clock_that_leaps_leaves_the_same_log) {
  time::ManualClock clock(start());
  sched::LivePacer pacer(clock);
  std::int64_t leap = 1;
  const auto log = run(pacer, start(), k_prices, [&](sched::Loop::Turn) {
    leap = leap * 7 % 40'000'003;
    clock.advance_to(clock.now() + Duration{leap});
  });
  EXPECT_EQ(log, event_driven());
}

}  // namespace
}  // namespace three_drivers
