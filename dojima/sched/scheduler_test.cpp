#include "dojima/sched/scheduler.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace dojima::sched {
namespace {

Time at(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

/// Records its number and the due time, then does what the test asked for.
struct Recorder final : Event {
  Recorder(std::vector<std::pair<int, std::int64_t>>& lines, int its_number) : log(lines), number(its_number) {}
  void fire(Time due, void*) override {
    log.emplace_back(number, time::nanoseconds_of(due));
    if (then) then();
  }
  std::vector<std::pair<int, std::int64_t>>& log;
  int number;
  std::function<void()> then;
};

struct Owner {
  explicit Owner(Scheduler& scheduler) : timer(scheduler, *this) {}
  void on_due(Time due) {
    fired.push_back(time::nanoseconds_of(due));
    if (then) then();
  }
  std::vector<std::int64_t> fired;
  std::function<void()> then;
  TimerOf<&Owner::on_due> timer;
};

using Log = std::vector<std::pair<int, std::int64_t>>;

TEST(Scheduler, fires_in_time_order_and_in_scheduling_order_among_equals) {
  Log log;
  Recorder a(log, 1), b(log, 2), c(log, 3);
  Scheduler scheduler(10);
  ASSERT_TRUE(scheduler.schedule(b, at(20)));
  ASSERT_TRUE(scheduler.schedule(c, at(20)));
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(scheduler.schedule(a, at(20)));
  EXPECT_EQ(scheduler.next_due(), at(10));
  const auto fired = scheduler.check(at(20), 100);
  EXPECT_EQ(fired.count, 4u);
  EXPECT_TRUE(fired.is_drained);
  EXPECT_EQ(log, (Log{{1, 10}, {2, 20}, {3, 20}, {1, 20}}));
  EXPECT_EQ(scheduler.next_due(), time::k_never);
}

TEST(Scheduler, refuses_when_full_and_changes_nothing) {
  Log log;
  Recorder a(log, 1);
  Scheduler scheduler(2);
  Owner owner(scheduler);
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  EXPECT_FALSE(scheduler.schedule(a, at(5)));
  EXPECT_EQ(scheduler.size(), 1u);
  EXPECT_EQ(a.pending(), 1u);
  owner.timer.arm(at(7));  // its place was kept
  scheduler.check(at(10), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{7}));
  EXPECT_THROW(([&] { Owner second(scheduler), third(scheduler); }()), std::length_error);
}

TEST(Scheduler, an_entry_for_the_past_fires_at_the_next_check_with_the_time_it_was_then) {
  Log log;
  Recorder a(log, 1);
  Scheduler scheduler(4);
  scheduler.check(at(100), 1);
  ASSERT_TRUE(scheduler.schedule(a, at(30)));
  EXPECT_EQ(scheduler.check(at(100), 10).count, 1u);
  EXPECT_EQ(log, (Log{{1, 100}}));
}

TEST(Scheduler, time_does_not_run_backwards) {
  Log log;
  Recorder a(log, 1);
  Scheduler scheduler(4);
  ASSERT_TRUE(scheduler.schedule(a, at(50)));
  scheduler.check(at(40), 10);
  scheduler.check(at(10), 10);
  EXPECT_EQ(scheduler.now(), at(40));
  scheduler.check(at(60), 10);
  EXPECT_EQ(log, (Log{{1, 50}}));
}

TEST(Scheduler, a_callback_that_schedules_at_now_fires_in_the_same_check_behind_its_ties) {
  Log log;
  Recorder a(log, 1), b(log, 2), c(log, 3);
  Scheduler scheduler(10);
  a.then = [&] { ASSERT_TRUE(scheduler.schedule(c, scheduler.now())); };
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(scheduler.schedule(b, at(10)));
  scheduler.check(at(10), 100);
  EXPECT_EQ(log, (Log{{1, 10}, {2, 10}, {3, 10}}));
}

TEST(Scheduler, stops_at_its_limit_and_says_that_more_is_due) {
  Log log;
  Recorder a(log, 1);
  Scheduler scheduler(4);
  a.then = [&] { ASSERT_TRUE(scheduler.schedule(a, scheduler.now())); };  // would go on for ever
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  const auto fired = scheduler.check(at(10), 5);
  EXPECT_EQ(fired.count, 5u);
  EXPECT_FALSE(fired.is_drained);
  EXPECT_EQ(scheduler.now(), at(10));
  a.then = nullptr;
  EXPECT_TRUE(scheduler.check(at(10), 5).is_drained);
}

TEST(Timer, moves_later_with_one_entry_and_earlier_at_once) {
  Scheduler scheduler(4);
  Owner owner(scheduler);
  owner.timer.arm(at(10));
  owner.timer.arm(at(30));
  EXPECT_EQ(scheduler.size(), 1u);
  EXPECT_EQ(scheduler.check(at(20), 10).count, 0u);
  EXPECT_TRUE(owner.fired.empty());
  owner.timer.arm(at(25));
  scheduler.check(at(25), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{25}));
  EXPECT_FALSE(owner.timer.is_armed());
  scheduler.check(at(100), 10);
  EXPECT_EQ(owner.fired.size(), 1u);
}

TEST(Timer, a_postponed_one_stands_behind_what_was_scheduled_until_its_old_entry_came_up) {
  Log log;
  Recorder a(log, 1);
  Scheduler scheduler(4);
  Owner owner(scheduler);
  owner.then = [&] { log.emplace_back(9, 0); };
  owner.timer.arm(at(10));
  owner.timer.arm(at(30));
  ASSERT_TRUE(scheduler.schedule(a, at(30)));
  scheduler.check(at(30), 10);
  EXPECT_EQ(log, (Log{{1, 30}, {9, 0}}));
}

TEST(Timer, disarmed_does_not_fire_and_can_be_armed_again) {
  Scheduler scheduler(4);
  Owner owner(scheduler);
  owner.timer.arm(at(10));
  owner.timer.disarm();
  owner.timer.disarm();
  scheduler.check(at(20), 10);
  EXPECT_TRUE(owner.fired.empty());
  owner.timer.arm(at(30));
  owner.timer.arm(time::k_never);
  EXPECT_FALSE(owner.timer.is_armed());
  owner.timer.arm(at(40));
  scheduler.check(at(40), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{40}));
}

TEST(Timer, may_arm_itself_and_be_destroyed_inside_its_own_callback) {
  Scheduler scheduler(4);
  auto owner = std::make_unique<Owner>(scheduler);
  int rounds = 0;
  owner->then = [&] {
    if (++rounds < 3) {
      owner->timer.arm(scheduler.now() + time::Duration{10});
    } else {
      owner.reset();
    }
  };
  owner->timer.arm(at(10));
  scheduler.check(at(100), 100);
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(owner, nullptr);
  EXPECT_EQ(scheduler.size(), 0u);
}

TEST(Timer, a_callback_may_destroy_another_timer_that_is_due_as_well) {
  Scheduler scheduler(4);
  Owner first(scheduler);
  auto second = std::make_unique<Owner>(scheduler);
  first.then = [&] { second.reset(); };
  first.timer.arm(at(10));
  second->timer.arm(at(10));
  EXPECT_EQ(scheduler.check(at(10), 10).count, 1u);
}

TEST(Event, outlives_its_entries_or_the_process_stops) {
  EXPECT_DEATH(
      {
        Log log;
        Scheduler scheduler(4);
        auto event = std::make_unique<Recorder>(log, 1);
        (void)scheduler.schedule(*event, at(10));
        event.reset();
      },
      "outlives its pending entries");
}

TEST(Scheduler, check_inside_a_callback_stops_the_process) {
  EXPECT_DEATH(
      {
        Log log;
        Scheduler scheduler(4);
        Recorder a(log, 1);
        a.then = [&] { scheduler.check(at(20), 1); };
        (void)scheduler.schedule(a, at(10));
        scheduler.check(at(10), 10);
      },
      "not called from a callback");
}

/// The slow and obvious scheduler: a list searched from the front.
class Model {
 public:
  void schedule(int number, std::int64_t time) { entries_.push_back({std::max(time, now_), order_++, number, false}); }
  void arm(int number, std::int64_t time) {
    time = std::max(time, now_);
    deadlines_[number] = time;
    if (Entry* entry = find(number)) {
      if (time >= entry->at) return;
      entries_.erase(entries_.begin() + (entry - entries_.data()));
    }
    entries_.push_back({time, order_++, number, true});
  }
  void disarm(int number) {
    deadlines_.erase(number);
    if (Entry* entry = find(number)) entries_.erase(entries_.begin() + (entry - entries_.data()));
  }
  Log check(std::int64_t now) {
    Log log;
    for (;;) {
      auto next = std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.at, a.order) < std::pair(b.at, b.order);
      });
      if (next == entries_.end() || next->at > now) break;
      const Entry entry = *next;
      entries_.erase(next);
      now_ = std::max(now_, entry.at);
      if (entry.is_timer && deadlines_.at(entry.number) > entry.at) {
        entries_.push_back({deadlines_.at(entry.number), order_++, entry.number, true});
        continue;
      }
      if (entry.is_timer) deadlines_.erase(entry.number);
      log.emplace_back(entry.number, now_);
    }
    now_ = std::max(now_, now);
    return log;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::int64_t at;
    std::uint64_t order;
    int number;
    bool is_timer;
  };
  Entry* find(int number) {
    for (Entry& entry : entries_) {
      if (entry.is_timer && entry.number == number) return &entry;
    }
    return nullptr;
  }
  std::vector<Entry> entries_;
  std::map<int, std::int64_t> deadlines_;
  std::int64_t now_ = 0;
  std::uint64_t order_ = 0;
};

RC_GTEST_PROP(Scheduler, fires_as_the_obvious_model_does, ()) {
  constexpr int k_timers = 5;
  Log log;
  Scheduler scheduler(64);
  std::vector<std::unique_ptr<Recorder>> events;
  std::vector<std::unique_ptr<Owner>> owners;
  for (int i = 0; i < 3; ++i) events.push_back(std::make_unique<Recorder>(log, i));
  for (int i = 0; i < k_timers; ++i) {
    owners.push_back(std::make_unique<Owner>(scheduler));
    owners.back()->then = [&log, &scheduler, i] { log.emplace_back(100 + i, time::nanoseconds_of(scheduler.now())); };
  }
  Model model;
  std::size_t plain = 0;
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
      rc::gen::tuple(rc::gen::inRange(0, 5), rc::gen::inRange(0, 60), rc::gen::inRange(0, 15)));
  std::int64_t now = 0;
  for (const auto& [action, offset, which] : steps) {
    const std::int64_t when = now + offset - 10;
    if (action <= 1) {
      const bool fits = plain + k_timers < 64;
      RC_ASSERT(scheduler.schedule(*events[static_cast<std::size_t>(which % 3)], at(when)) == fits);
      if (!fits) continue;
      ++plain;
      model.schedule(which % 3, when);
    } else if (action == 2) {
      owners[static_cast<std::size_t>(which % k_timers)]->timer.arm(at(when));
      model.arm(100 + which % k_timers, when);
    } else if (action == 3) {
      owners[static_cast<std::size_t>(which % k_timers)]->timer.disarm();
      model.disarm(100 + which % k_timers);
    } else {
      now += offset;
      log.clear();
      const auto fired = scheduler.check(at(now), 1000);
      RC_ASSERT(fired.is_drained);
      const Log expected = model.check(now);
      RC_ASSERT(log == expected);
      for (const auto& [number, due] : log) plain -= number < 100 ? 1 : 0;
    }
    RC_ASSERT(scheduler.size() == model.size());
  }
  for (auto& owner : owners) owner->then = nullptr;
  scheduler.check(at(now + 1000), 1000);
}

}  // namespace
}  // namespace dojima::sched
