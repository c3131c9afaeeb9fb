#include "dojima/sched/loop.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace dojima::sched {
namespace {

Time at(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

struct Tick {
  Tick(Scheduler& scheduler, std::vector<std::string>& lines) : timer(scheduler, *this), log(lines) {}
  void on_due(Time due) { log.push_back("timer " + std::to_string(time::nanoseconds_of(due))); }
  TimerOf<&Tick::on_due> timer;
  std::vector<std::string>& log;
};

/// A recorded file: inputs with their times.
struct File final : Source {
  File(std::vector<std::string>& lines, std::deque<std::int64_t> recorded) : log(lines), times(std::move(recorded)) {}
  Time next_time() override { return times.empty() ? time::k_never : at(times.front()); }
  std::size_t deliver(Time now) override {
    times.pop_front();
    log.push_back("input " + std::to_string(time::nanoseconds_of(now)));
    return 1;
  }
  std::size_t finish(Time now) override {
    log.push_back("finish " + std::to_string(time::nanoseconds_of(now)));
    return 0;
  }
  std::vector<std::string>& log;
  std::deque<std::int64_t> times;
};

struct Polled final : Source {
  std::size_t deliver(Time now) override {
    seen.push_back(time::nanoseconds_of(now));
    return 0;
  }
  std::vector<std::int64_t> seen;
};

const std::vector<std::string> k_day = {"timer 90",  "finish 90",  "input 95",  "finish 95", "timer 100",
                                        "input 100", "finish 100", "input 120", "finish 120"};

TEST(Loop, fires_what_is_due_before_input_of_the_same_instant) {
  std::vector<std::string> log;
  Scheduler scheduler(4);
  Tick early(scheduler, log), late(scheduler, log);
  early.timer.arm(at(90));
  late.timer.arm(at(100));
  File file(log, {95, 100, 120});
  EventPacer pacer(at(0));
  Source* sources[] = {&file};
  Loop loop(scheduler, pacer, sources);
  while (loop.turn() != Loop::Turn::done) {
  }
  EXPECT_EQ(log, k_day);
}

TEST(Loop, does_the_same_when_time_comes_in_one_leap) {
  std::vector<std::string> log;
  Scheduler scheduler(4);
  Tick early(scheduler, log), late(scheduler, log);
  early.timer.arm(at(90));
  late.timer.arm(at(100));
  File file(log, {95, 100, 120});
  time::ManualClock clock(at(0));
  LivePacer pacer(clock);
  Source* sources[] = {&file};
  Loop loop(scheduler, pacer, sources);
  EXPECT_EQ(loop.turn(), Loop::Turn::idle);
  log.clear();
  clock.advance_to(at(500));
  EXPECT_EQ(loop.turn(), Loop::Turn::busy);
  EXPECT_EQ(loop.turn(), Loop::Turn::done);
  EXPECT_EQ(log, k_day);
}

TEST(Loop, asks_polled_sources_once_a_turn_with_the_time_reached) {
  Scheduler scheduler(4);
  time::ManualClock clock(at(10));
  LivePacer pacer(clock);
  Polled polled;
  Source* sources[] = {&polled};
  Loop loop(scheduler, pacer, sources);
  EXPECT_EQ(loop.turn(), Loop::Turn::idle);
  clock.advance_to(at(20));
  EXPECT_EQ(loop.turn(), Loop::Turn::idle);
  EXPECT_EQ(polled.seen, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(loop.next_time(), time::k_never);
}

TEST(Loop, input_waits_while_timers_of_its_instant_are_not_all_fired) {
  struct Flood final : Event {
    explicit Flood(Scheduler& its_scheduler) : scheduler(its_scheduler) {}
    void fire(Time due, void*) override {
      if (++count < 2 * Loop::k_max_events) {
        ASSERT_TRUE(scheduler.schedule(*this, due));
      }
    }
    Scheduler& scheduler;
    std::size_t count = 0;
  };
  std::vector<std::string> log;
  Scheduler scheduler(4);
  Flood flood(scheduler);
  ASSERT_TRUE(scheduler.schedule(flood, at(10)));
  File file(log, {10});
  EventPacer pacer(at(0));
  Source* sources[] = {&file};
  Loop loop(scheduler, pacer, sources);
  EXPECT_EQ(loop.turn(), Loop::Turn::busy);
  EXPECT_EQ(flood.count, Loop::k_max_events);
  EXPECT_EQ(log, (std::vector<std::string>{"finish 10"}));
  while (loop.turn() != Loop::Turn::done) {
  }
  EXPECT_EQ(flood.count, 2 * Loop::k_max_events);
  EXPECT_TRUE(file.times.empty());
}

TEST(Loop, stops_when_told_to) {
  Scheduler scheduler(4);
  EventPacer pacer(at(0));
  Polled polled;
  Source* sources[] = {&polled};
  Loop loop(scheduler, pacer, sources);
  loop.stop();
  EXPECT_EQ(loop.turn(), Loop::Turn::stopped);
  EXPECT_TRUE(polled.seen.empty());
}

TEST(PacedPacer, moves_at_its_speed_from_where_it_was_put) {
  time::ManualClock clock(at(1'000));
  PacedPacer pacer(clock, at(5'000'000), 10.0);
  EXPECT_EQ(pacer.advance(time::k_never), at(5'000'000));
  clock.advance_to(at(1'100));
  EXPECT_EQ(pacer.advance(time::k_never), at(5'001'000));
  EXPECT_THROW(PacedPacer(clock, at(0), 0.01), std::invalid_argument);
  EXPECT_THROW(PacedPacer(clock, at(0), 20'000.0), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::sched
