#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "dojima/sched/instants_test_support.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {
namespace {

struct UserRecorder final : Event {
  void fire(Time due, void* user) override { log.emplace_back(time::nanoseconds_of(due), user); }
  std::vector<std::pair<std::int64_t, void*>> log;
};

TEST(UserScheduler, hands_each_callback_the_user_of_its_entry) {
  UserRecorder event;
  UserScheduler scheduler(8, 2);
  int first = 0, second = 0, third = 0;
  ASSERT_TRUE(scheduler.schedule(event, at(30), &first));
  ASSERT_TRUE(scheduler.schedule(event, at(10), &second));
  ASSERT_TRUE(scheduler.schedule_cancellable(event, at(20), &third));
  ASSERT_TRUE(scheduler.schedule(event, at(40)));
  scheduler.check(at(100), 10);
  EXPECT_EQ(event.log,
            (std::vector<std::pair<std::int64_t, void*>>{{10, &second}, {20, &third}, {30, &first}, {40, nullptr}}));
}

TEST(UserScheduler, cancels_one_of_several_entries_of_an_event) {
  UserRecorder event;
  UserScheduler scheduler(8, 8);
  const Handle first = scheduler.schedule_cancellable(event, at(10));
  const Handle second = scheduler.schedule_cancellable(event, at(10));
  ASSERT_TRUE(scheduler.schedule_cancellable(event, at(30)));
  ASSERT_TRUE(first);
  EXPECT_TRUE(scheduler.cancel(second));
  EXPECT_EQ(scheduler.size(), 2u);
  EXPECT_EQ(event.pending(), 2u);
  EXPECT_EQ(scheduler.check(at(100), 10).count, 2u);
  EXPECT_EQ(event.log.size(), 2u);
  EXPECT_EQ(event.pending(), 0u);
}

TEST(UserScheduler, a_handle_of_an_entry_that_is_gone_cancels_nothing) {
  UserRecorder event;
  UserScheduler scheduler(4, 1);
  const Handle fired = scheduler.schedule_cancellable(event, at(10));
  scheduler.check(at(10), 10);
  EXPECT_FALSE(scheduler.cancel(fired));
  // The same ticket, another generation.
  for (int i = 0; i < 10; ++i) {
    const Handle next = scheduler.schedule_cancellable(event, at(20));
    ASSERT_TRUE(next);
    EXPECT_NE(next, fired);
    EXPECT_FALSE(scheduler.cancel(fired));
    EXPECT_TRUE(scheduler.cancel(next));
    EXPECT_FALSE(scheduler.cancel(next));
  }
  EXPECT_FALSE(scheduler.cancel(Handle{}));
  EXPECT_FALSE(scheduler.cancel(Handle{.generation = 1, .ticket = 1'000'000}));
  EXPECT_EQ(event.pending(), 0u);
}

TEST(UserScheduler, stops_at_a_handle_that_it_cannot_have_given) {
  UserRecorder event;
  UserScheduler scheduler(10, 2);
  const Handle handle = scheduler.schedule_cancellable(event, at(10));
  EXPECT_DEATH(static_cast<void>(scheduler.cancel({.generation = handle.generation + 1, .ticket = handle.ticket})),
               "a handle comes from the scheduler that it is given to");
  EXPECT_TRUE(scheduler.cancel(handle));
}

TEST(UserScheduler, refuses_a_handle_when_as_many_are_out_as_it_was_made_for) {
  UserRecorder event;
  UserScheduler scheduler(10, 2);
  const Handle first = scheduler.schedule_cancellable(event, at(10));
  ASSERT_TRUE(scheduler.schedule_cancellable(event, at(10)));
  EXPECT_FALSE(scheduler.schedule_cancellable(event, at(10)));
  EXPECT_EQ(event.pending(), 2u);
  EXPECT_TRUE(scheduler.schedule(event, at(10)));
  EXPECT_TRUE(scheduler.cancel(first));
  EXPECT_TRUE(scheduler.schedule_cancellable(event, at(10)));
  EXPECT_EQ(scheduler.check(at(10), 10).count, 3u);
}

TEST(UserScheduler, cancelled_entries_by_the_thousand_do_not_fill_it) {
  UserRecorder event;
  UserScheduler scheduler(16, 8);
  for (int i = 0; i < 10'000; ++i) {
    const Handle handle = scheduler.schedule_cancellable(event, at(1'000'000'000 + i * 1'000'000LL));
    ASSERT_TRUE(handle) << i;
    ASSERT_TRUE(scheduler.cancel(handle));
  }
  EXPECT_EQ(scheduler.size(), 0u);
  EXPECT_EQ(scheduler.next_due(), time::k_never);
  EXPECT_EQ(scheduler.check(at(2'000'000'000'000), 10).count, 0u);
}

TEST(UserScheduler, has_handles_for_schedulers_without_users_too) {
  class Cancelling final : public BasicScheduler<RunWheel<false>> {
   public:
    explicit Cancelling(std::size_t capacity)
        : BasicScheduler(capacity, capacity, Time{}, RunWheelShape::for_capacity(capacity)) {}
  };
  UserRecorder event;
  Cancelling scheduler(4);
  const Handle handle = scheduler.schedule_cancellable(event, at(10));
  ASSERT_TRUE(handle);
  EXPECT_TRUE(scheduler.cancel(handle));
  EXPECT_EQ(scheduler.check(at(100), 10).count, 0u);
}

}  // namespace
}  // namespace dojima::sched
