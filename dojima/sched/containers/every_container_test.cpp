// One suite for every container behind the interface of the scheduler: the rules, and the firing sequence of the hold
// model, whose hashes were computed by an independent heap in another language.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/sched/containers/any_scheduler_test.hpp"
#include "dojima/sched/containers/hold_model.hpp"

namespace dojima::sched::every_container {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

class EveryContainer : public testing::TestWithParam<ContainerCase> {
 protected:
  [[nodiscard]] std::unique_ptr<AnyScheduler> make(std::size_t capacity, Time start = Time{}) const {
    return GetParam().make(capacity, start);
  }
};
/// What takes more than a blink.
class EveryContainerLong : public EveryContainer {};

std::string name_of_container(const testing::TestParamInfo<ContainerCase>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, EveryContainer, testing::ValuesIn(every_container()), name_of_container);
INSTANTIATE_TEST_SUITE_P(All, EveryContainerLong, testing::ValuesIn(every_container()), name_of_container);

using Log = std::vector<std::pair<int, std::int64_t>>;

/// Records its number and the due time, then calls what the test gave it.
struct Recorder final : AnyScheduler::Scheduled {
  Recorder(Log& lines, int its_number) : log(lines), number(its_number) {}
  void fire(Time due, void*) override {
    log.emplace_back(number, time::nanoseconds_of(due));
    if (then) then();
  }
  Log& log;
  int number;
  std::function<void()> then;
};

struct Owner {
  explicit Owner(AnyScheduler& scheduler) : timer(scheduler.base(), *this) {}
  void on_due(Time due) {
    fired.push_back(time::nanoseconds_of(due));
    if (then) then();
  }
  std::vector<std::int64_t> fired;
  std::function<void()> then;
  TimerOf<&Owner::on_due> timer;
};

// ------------------------------------------------------------------------------------------------------------ sequence

/// What 14 runs of the hold model hash to: of 100 events in steps of 1 ms, and of 20,000 in steps of 30 ms.
struct Golden {
  HoldDelay delay;
  std::uint64_t few, few_fired;
  std::uint64_t many, many_fired;
  time::Duration many_step = 30ms;
};
constexpr Golden k_golden[] = {
    {HoldDelay::uniform, 0xd295b559ddf26b7a, 61'000, 0x1b8ba3c85ba84787, 82'306},
    {HoldDelay::exponential, 0x1d8b9d28f09548f6, 61'000, 0xc22776423e284c15, 82'075},
    {HoldDelay::grid, 0x010b56d8ef31be88, 61'000, 0xc348e2cbfd9a3181, 82'215},
    {HoldDelay::bimodal, 0x0a8dd2726ea02ee7, 61'001, 0x687697b9362cd4da, 240'102},
    {HoldDelay::crowded, 0x7ecb7d2bc801ac6e, 399'580, 0x6ceedbccabd514cf, 86'796, 777ns},
    {HoldDelay::at_now, 0xfc7acd0e6bfd1230, 61'000, 0x8b662e34196163be, 84'522},
    {HoldDelay::far, 0x029564430ec8fdab, 61'142, 0x0df4735adec38ed4, 1'915'013},
};

void expect_sequence(std::unique_ptr<AnyScheduler> scheduler, std::size_t count, const Golden& golden) {
  HoldModel<AnyScheduler, HoldHash::firing_sequence> model(std::move(scheduler), count, golden.delay);
  const bool is_few = count == 100;
  const time::Duration step = is_few ? 1ms : golden.many_step;
  while (model.fired() < std::max<std::size_t>(count, 1000)) model.step(step);
  const std::uint64_t target = model.fired() + 60'000;
  while (model.fired() < target) model.step(step);
  EXPECT_EQ(model.fired(), is_few ? golden.few_fired : golden.many_fired) << static_cast<int>(golden.delay);
  EXPECT_EQ(model.hash(), is_few ? golden.few : golden.many) << static_cast<int>(golden.delay);
}

TEST_P(EveryContainer, fires_the_golden_sequences_of_a_hundred_events) {
  for (const Golden& golden : k_golden) expect_sequence(make(100), 100, golden);
}

TEST_P(EveryContainerLong, fires_the_golden_sequences_of_twenty_thousand_events) {
  // O(n) an entry takes its time: two million insertions into the front of an array are for the long check.
  const bool is_all = !GetParam().is_linear || std::getenv("DOJIMA_FULL") != nullptr;
  for (const Golden& golden : k_golden) {
    if (golden.delay != HoldDelay::far || is_all) expect_sequence(make(20'000), 20'000, golden);
  }
}

// --------------------------------------------------------------------------------------------------------------- rules

TEST_P(EveryContainer, fires_in_time_order_and_in_scheduling_order_among_equals) {
  Log log;
  Recorder a(log, 1), b(log, 2), c(log, 3);
  const auto held = make(10);
  AnyScheduler& scheduler = *held;
  ASSERT_TRUE(scheduler.schedule(b, at(20)));
  ASSERT_TRUE(scheduler.schedule(c, at(20)));
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  EXPECT_EQ(scheduler.next_due(), at(10));
  const auto fired = scheduler.check(at(20), 100);
  EXPECT_EQ(fired.count, 3u);
  EXPECT_TRUE(fired.is_drained);
  EXPECT_EQ(log, (Log{{1, 10}, {2, 20}, {3, 20}}));
  EXPECT_EQ(scheduler.next_due(), time::k_never);
}

TEST_P(EveryContainer, one_event_has_many_entries_unless_its_only_node_is_its_own) {
  Log log;
  Recorder a(log, 1);
  const auto held = make(10);
  AnyScheduler& scheduler = *held;
  const auto held_other = make(10);
  AnyScheduler& other = *held_other;
  ASSERT_TRUE(scheduler.schedule(a, at(20)));
  if (GetParam().has_one_node) {
    EXPECT_FALSE(scheduler.schedule(a, at(10)));
    EXPECT_FALSE(other.schedule(a, at(10)));
    EXPECT_EQ(a.pending(), 1u);
    return;
  }
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(other.schedule(a, at(15)));
  EXPECT_EQ(a.pending(), 3u);
  scheduler.check(at(30), 100);
  other.check(at(30), 100);
  EXPECT_EQ(log, (Log{{1, 10}, {1, 20}, {1, 15}}));
}

TEST_P(EveryContainer, refuses_when_full_and_changes_nothing) {
  Log log;
  Recorder a(log, 1), b(log, 2);
  const auto held = make(2);
  AnyScheduler& scheduler = *held;
  Owner owner(scheduler);
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  EXPECT_FALSE(scheduler.schedule(b, at(5)));
  EXPECT_EQ(scheduler.size(), 1u);
  EXPECT_EQ(a.pending(), 1u);
  EXPECT_EQ(b.pending(), 0u);
  owner.timer.arm(at(7));  // its place was kept
  scheduler.check(at(10), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{7}));
  EXPECT_THROW(([&] { Owner second(scheduler), third(scheduler); }()), std::length_error);
}

TEST_P(EveryContainer, an_entry_for_the_past_fires_at_the_next_check_with_the_time_it_was_then) {
  Log log;
  Recorder a(log, 1), b(log, 2), c(log, 3);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  scheduler.check(at(5'000'000'100), 1);
  ASSERT_TRUE(scheduler.schedule(a, at(30)));
  ASSERT_TRUE(scheduler.schedule(b, at(5'000'000'100)));
  ASSERT_TRUE(scheduler.schedule(c, at(-30)));
  EXPECT_EQ(scheduler.check(at(5'000'000'100), 10).count, 3u);
  EXPECT_EQ(log, (Log{{1, 5'000'000'100}, {2, 5'000'000'100}, {3, 5'000'000'100}}));
}

TEST_P(EveryContainer, time_does_not_run_backwards) {
  Log log;
  Recorder a(log, 1);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  ASSERT_TRUE(scheduler.schedule(a, at(50)));
  scheduler.check(at(40), 10);
  scheduler.check(at(10), 10);
  EXPECT_EQ(scheduler.now(), at(40));
  scheduler.check(at(60), 10);
  EXPECT_EQ(log, (Log{{1, 50}}));
}

TEST_P(EveryContainer, a_callback_that_schedules_at_now_fires_in_the_same_check_behind_its_ties) {
  Log log;
  Recorder a(log, 1), b(log, 2), c(log, 3);
  const auto held = make(10);
  AnyScheduler& scheduler = *held;
  a.then = [&] { ASSERT_TRUE(scheduler.schedule(c, scheduler.now())); };
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(scheduler.schedule(b, at(10)));
  scheduler.check(at(10), 100);
  EXPECT_EQ(log, (Log{{1, 10}, {2, 10}, {3, 10}}));
}

TEST_P(EveryContainer, stops_at_its_limit_and_says_that_more_is_due) {
  Log log;
  Recorder a(log, 1);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  a.then = [&] { ASSERT_TRUE(scheduler.schedule(a, scheduler.now())); };  // would go on for ever
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  const auto fired = scheduler.check(at(10), 5);
  EXPECT_EQ(fired.count, 5u);
  EXPECT_FALSE(fired.is_drained);
  EXPECT_EQ(scheduler.now(), at(10));
  a.then = nullptr;
  EXPECT_TRUE(scheduler.check(at(10), 5).is_drained);
}

TEST_P(EveryContainer, keeps_the_order_of_ties_wherever_they_were_filed) {
  // Scheduled far ahead, nearer, and in the slot that is open, all for one instant.
  Log log;
  std::vector<std::unique_ptr<Recorder>> events;
  for (int i = 0; i < 12; ++i) events.push_back(std::make_unique<Recorder>(log, i));
  const auto held = make(12);
  AnyScheduler& scheduler = *held;
  constexpr std::int64_t k_due = 7'200'000'000'123;
  const std::int64_t times[] = {0,
                                1,
                                3'600'000'000'000,
                                7'190'000'000'000,
                                7'199'000'000'000,
                                k_due - 1'000'000,
                                k_due - 70'000,
                                k_due - 9'000,
                                k_due - 1'000,
                                k_due - 1,
                                k_due,
                                k_due};
  for (std::size_t i = 0; i < events.size(); ++i) {
    scheduler.check(at(times[i] - 1), 100);
    ASSERT_TRUE(scheduler.schedule(*events[i], at(k_due)));
  }
  scheduler.check(at(k_due), 100);
  ASSERT_EQ(log.size(), events.size());
  for (int i = 0; i < 12; ++i) EXPECT_EQ(log[static_cast<std::size_t>(i)], std::pair(i, k_due));
}

TEST_P(EveryContainer, reaches_the_first_and_the_last_instant_there_is) {
  Log log;
  Recorder first(log, 1), last(log, 2), late(log, 3);
  const Time begin = at(k_instant_origin);
  const auto held = make(4, begin);
  AnyScheduler& scheduler = *held;
  constexpr std::int64_t k_last = INT64_MAX - 1;
  ASSERT_TRUE(scheduler.schedule(last, at(k_last)));
  ASSERT_TRUE(scheduler.schedule(first, begin));
  EXPECT_EQ(scheduler.next_due(), begin);
  EXPECT_EQ(scheduler.check(at(0), 10).count, 1u);
  EXPECT_EQ(scheduler.next_due(), at(k_last));
  EXPECT_EQ(scheduler.check(at(k_last - 1), 10).count, 0u);
  ASSERT_TRUE(scheduler.schedule(late, at(k_last)));
  EXPECT_EQ(scheduler.check(at(k_last), 10).count, 2u);
  EXPECT_EQ(log, (Log{{1, k_instant_origin}, {2, k_last}, {3, k_last}}));
}

TEST_P(EveryContainer, fires_a_thousand_at_one_instant_in_their_order) {
  Log log;
  std::vector<std::unique_ptr<Recorder>> events;
  const auto held = make(1000);
  AnyScheduler& scheduler = *held;
  for (int i = 0; i < 1000; ++i) {
    events.push_back(std::make_unique<Recorder>(log, i));
    ASSERT_TRUE(scheduler.schedule(*events.back(), at(12'345'678)));
  }
  while (!scheduler.check(at(20'000'000), 100).is_drained) continue;
  ASSERT_EQ(log.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(log[static_cast<std::size_t>(i)].first, i);
}

TEST_P(EveryContainer, an_exception_out_of_a_callback_leaves_the_others_pending) {
  Log log;
  Recorder a(log, 1), b(log, 2);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  a.then = [] { throw std::runtime_error("of the callback"); };
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(scheduler.schedule(b, at(10)));
  EXPECT_THROW(scheduler.check(at(10), 10), std::runtime_error);
  EXPECT_EQ(scheduler.size(), 1u);
  EXPECT_EQ(scheduler.check(at(10), 10).count, 1u);
  EXPECT_EQ(log, (Log{{1, 10}, {2, 10}}));
}

TEST_P(EveryContainer, lets_go_of_what_is_pending_when_it_is_destroyed) {
  Log log;
  Recorder a(log, 1), b(log, 2);
  {
    const auto held = make(4);
    AnyScheduler& scheduler = *held;
    ASSERT_TRUE(scheduler.schedule(a, at(10)));
    ASSERT_TRUE(scheduler.schedule(b, at(3'600'000'000'000)));
    EXPECT_EQ(b.pending(), 1u);
  }
  EXPECT_EQ(a.pending(), 0u);
  EXPECT_EQ(b.pending(), 0u);
}

// -------------------------------------------------------------------------------------------------------------- timers

TEST_P(EveryContainer, a_timer_moves_later_with_one_entry_and_earlier_at_once) {
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  Owner owner(scheduler);
  owner.timer.arm(at(10));
  owner.timer.arm(at(30));
  EXPECT_EQ(scheduler.size(), 1u);
  EXPECT_EQ(scheduler.check(at(20), 10).count, 0u);
  EXPECT_TRUE(owner.fired.empty());
  owner.timer.arm(at(25));
  EXPECT_EQ(owner.timer.deadline(), at(25));
  scheduler.check(at(25), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{25}));
  EXPECT_FALSE(owner.timer.is_armed());
  scheduler.check(at(100), 10);
  EXPECT_EQ(owner.fired.size(), 1u);
}

TEST_P(EveryContainer, a_postponed_timer_comes_after_what_was_scheduled_until_its_old_entry_came_up) {
  Log log;
  Recorder a(log, 1);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  Owner owner(scheduler);
  owner.then = [&] { log.emplace_back(9, 0); };
  owner.timer.arm(at(10));
  owner.timer.arm(at(30));
  ASSERT_TRUE(scheduler.schedule(a, at(30)));
  scheduler.check(at(30), 10);
  EXPECT_EQ(log, (Log{{1, 30}, {9, 0}}));
}

TEST_P(EveryContainer, a_timer_armed_again_for_the_time_of_its_entry_keeps_its_place) {
  Log log;
  Recorder a(log, 1);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  Owner owner(scheduler);
  owner.then = [&] { log.emplace_back(9, 0); };
  owner.timer.arm(at(30));
  ASSERT_TRUE(scheduler.schedule(a, at(30)));
  owner.timer.disarm();
  owner.timer.arm(at(30));
  scheduler.check(at(30), 10);
  EXPECT_EQ(log, (Log{{9, 0}, {1, 30}}));
}

TEST_P(EveryContainer, a_disarmed_timer_does_not_fire_and_can_be_armed_again) {
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  Owner owner(scheduler);
  owner.timer.arm(at(10));
  owner.timer.disarm();
  owner.timer.disarm();
  EXPECT_EQ(scheduler.size(), 0u);
  EXPECT_EQ(scheduler.next_due(), time::k_never);
  scheduler.check(at(20), 10);
  EXPECT_TRUE(owner.fired.empty());
  owner.timer.arm(at(30));
  owner.timer.arm(time::k_never);
  EXPECT_FALSE(owner.timer.is_armed());
  owner.timer.arm(at(40));
  scheduler.check(at(40), 10);
  EXPECT_EQ(owner.fired, (std::vector<std::int64_t>{40}));
}

TEST_P(EveryContainer, a_timer_may_arm_itself_and_be_destroyed_inside_its_own_callback) {
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  auto owner = std::make_unique<Owner>(scheduler);
  int rounds = 0;
  owner->then = [&] {
    if (++rounds < 3) {
      owner->timer.arm(scheduler.now() + 10ns);
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

TEST_P(EveryContainer, a_callback_may_destroy_a_timer_that_is_due_as_well) {
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  Owner first(scheduler);
  auto second = std::make_unique<Owner>(scheduler);
  first.then = [&] { second.reset(); };
  first.timer.arm(at(10));
  second->timer.arm(at(10));
  EXPECT_EQ(scheduler.check(at(10), 10).count, 1u);
}

TEST_P(EveryContainer, a_callback_may_destroy_an_event_that_has_no_entries) {
  Log log;
  Recorder a(log, 1), b(log, 2);
  auto idle = std::make_unique<Recorder>(log, 3);
  const auto held = make(4);
  AnyScheduler& scheduler = *held;
  a.then = [&] { idle.reset(); };
  ASSERT_TRUE(scheduler.schedule(a, at(10)));
  ASSERT_TRUE(scheduler.schedule(b, at(10)));
  EXPECT_EQ(scheduler.check(at(10), 10).count, 2u);
}

TEST_P(EveryContainer, timers_moved_earlier_and_destroyed_leave_nothing_behind) {
  const auto held = make(70);
  AnyScheduler& scheduler = *held;
  std::vector<std::unique_ptr<Owner>> owners;
  for (int i = 0; i < 70; ++i) owners.push_back(std::make_unique<Owner>(scheduler));
  std::int64_t now = 0;
  for (std::int64_t round = 0; round < 50; ++round) {
    for (std::int64_t i = 0; i < 70; ++i) {
      owners[static_cast<std::size_t>(i)]->timer.arm(at(now + 4'000'000'000 - round * 50'000'000 + (i * 37) % 1'000));
    }
    now += 10'000'000;
    EXPECT_EQ(scheduler.check(at(now), 1000).count, 0u);
    EXPECT_EQ(scheduler.size(), 70u);
  }
  for (std::size_t i = 0; i < 70; i += 2) owners[i].reset();
  EXPECT_EQ(scheduler.size(), 35u);
  EXPECT_EQ(scheduler.check(at(now + 10'000'000'000), 1000).count, 35u);
  EXPECT_EQ(scheduler.next_due(), time::k_never);
}

// --------------------------------------------------------------------------------------------- the programmer's errors

TEST_P(EveryContainer, an_event_outlives_its_entries_or_the_process_stops) {
  EXPECT_DEATH(
      {
        Log log;
        const auto held = make(4);
        AnyScheduler& scheduler = *held;
        auto event = std::make_unique<Recorder>(log, 1);
        (void)scheduler.schedule(*event, at(10));
        event.reset();
      },
      "outlives its pending entries");
}

TEST_P(EveryContainer, check_inside_a_callback_stops_the_process) {
  EXPECT_DEATH(
      {
        Log log;
        const auto held = make(4);
        AnyScheduler& scheduler = *held;
        Recorder a(log, 1);
        a.then = [&] { scheduler.check(at(20), 1); };
        (void)scheduler.schedule(a, at(10));
        scheduler.check(at(10), 10);
      },
      "not called from a callback");
}

}  // namespace
}  // namespace dojima::sched::every_container
