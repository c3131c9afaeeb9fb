#include "dojima/sched/loop.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/sched/instants_test_support.hpp"

namespace dojima::sched {
namespace {

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

TEST(Loop, asks_polled_sources_also_while_more_instants_are_overdue_than_a_turn_may_hold) {
  struct Chain final : Event {
    explicit Chain(Scheduler& its_scheduler) : scheduler(its_scheduler) {}
    void fire(Time due, void*) override {
      ++count;
      ASSERT_TRUE(scheduler.schedule(*this, due + time::Duration{1}));
    }
    Scheduler& scheduler;
    std::size_t count = 0;
  };
  std::unique_ptr<Chain> chain;
  Scheduler scheduler(4);
  chain = std::make_unique<Chain>(scheduler);
  ASSERT_TRUE(scheduler.schedule(*chain, at(1)));
  time::ManualClock clock(at(1'000'000));
  LivePacer pacer(clock);
  Polled polled;
  Source* sources[] = {&polled};
  Loop loop(scheduler, pacer, sources);
  EXPECT_EQ(loop.turn(), Loop::Turn::busy);
  EXPECT_EQ(loop.turn(), Loop::Turn::busy);
  constexpr auto k_instants = static_cast<std::int64_t>(Loop::k_max_instants);
  EXPECT_EQ(polled.seen, (std::vector<std::int64_t>{k_instants, 2 * k_instants})) << "at the instant reached";
  EXPECT_EQ(chain->count, 2 * Loop::k_max_instants);
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

TEST(Loop, stops_on_request) {
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

TEST(PacedPacer, stands_still_while_paused_and_goes_on_from_there) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(1'000), 2.0);
  clock.advance_to(at(100));
  pacer.pause();
  EXPECT_TRUE(pacer.is_paused());
  clock.advance_to(at(900));
  EXPECT_EQ(pacer.advance(at(5'000)), at(1'200));
  pacer.resume();
  EXPECT_EQ(pacer.advance(at(5'000)), at(1'200));
  clock.advance_to(at(1'000));
  EXPECT_EQ(pacer.advance(at(5'000)), at(1'400));
}

TEST(PacedPacer, changes_its_speed_without_a_jump) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 1.0);
  clock.advance_to(at(100));
  EXPECT_TRUE(pacer.set_speed(10'000));
  EXPECT_EQ(pacer.advance(time::k_never), at(100));
  clock.advance_to(at(101));
  EXPECT_EQ(pacer.advance(time::k_never), at(10'100));
  EXPECT_FALSE(pacer.set_speed(20'000));
  EXPECT_FALSE(pacer.set_speed(0));
  EXPECT_EQ(pacer.speed(), 10'000);
  EXPECT_TRUE(pacer.set_speed(0.1));
  clock.advance_to(at(201));
  EXPECT_EQ(pacer.advance(time::k_never), at(10'110));
}

TEST(PacedPacer, obeys_keys) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 1.0);
  move_by_key(pacer, 's');
  EXPECT_EQ(pacer.advance(at(500)), at(0)) << "it is not paused";
  move_by_key(pacer, ' ');
  EXPECT_TRUE(pacer.is_paused());
  move_by_key(pacer, 's');
  EXPECT_EQ(pacer.advance(at(500)), at(500));
  move_by_key(pacer, ' ');
  EXPECT_FALSE(pacer.is_paused());
  move_by_key(pacer, '+');
  EXPECT_EQ(pacer.speed(), 2.0);
  for (int times = 0; times < 20; ++times) move_by_key(pacer, '+');
  EXPECT_EQ(pacer.speed(), PacedPacer::k_fastest);
  for (int times = 0; times < 30; ++times) move_by_key(pacer, '-');
  EXPECT_EQ(pacer.speed(), PacedPacer::k_slowest);
  move_by_key(pacer, 'x');
  EXPECT_EQ(pacer.speed(), PacedPacer::k_slowest);
  EXPECT_FALSE(pacer.is_paused());
}

TEST(PacedPacer, changes_its_speed_while_paused_and_keeps_pausing) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 1.0);
  pacer.pause();
  clock.advance_to(at(50));
  EXPECT_TRUE(pacer.set_speed(100));
  EXPECT_EQ(pacer.advance(time::k_never), at(0));
  pacer.resume();
  clock.advance_to(at(51));
  EXPECT_EQ(pacer.advance(time::k_never), at(100));
}

TEST(PacedPacer, steps_to_the_next_known_thing_while_paused) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 1.0);
  pacer.step();  // not paused: nothing to step
  EXPECT_EQ(pacer.advance(at(70)), at(0));
  pacer.pause();
  EXPECT_EQ(pacer.advance(at(70)), at(0));
  pacer.step();
  EXPECT_EQ(pacer.advance(at(70)), at(70));
  EXPECT_EQ(pacer.advance(at(90)), at(70));
  pacer.step();
  pacer.step();
  EXPECT_EQ(pacer.advance(time::k_never), at(70)) << "nothing is known";
  EXPECT_EQ(pacer.advance(at(90)), at(90));
  EXPECT_EQ(pacer.advance(at(95)), at(95));
  EXPECT_EQ(pacer.advance(at(99)), at(95));
}

TEST(PacedPacer, is_exact_after_days_at_the_greatest_speed) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 10'000);
  clock.advance_to(at(800'000'000'000'001));  // nine days
  EXPECT_EQ(pacer.advance(time::k_never), at(8'000'000'000'000'010'000));
}

}  // namespace
}  // namespace dojima::sched
