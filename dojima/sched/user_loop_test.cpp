#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "dojima/sched/instants_test_support.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::sched {
namespace {

/// Notes when it fired and for whom; schedules itself once more for the user "again".
struct NotingEvent final : Event {
  explicit NotingEvent(UserScheduler& of) : scheduler(of) {}
  void fire(Time due, void* user) override {
    log.emplace_back(time::nanoseconds_of(due), *static_cast<int*>(user));
    if (*static_cast<int*>(user) == 7 && due < at(60)) {
      EXPECT_TRUE(scheduler.schedule(*this, due + Duration(50), user));
    }
  }
  using Duration = time::Duration;
  UserScheduler& scheduler;
  std::vector<std::pair<std::int64_t, int>> log;
};

using UserLog = std::vector<std::pair<std::int64_t, int>>;
const UserLog k_user_log = {{10, 7}, {20, 8}, {60, 7}};

/// The same three entries under any pacer.
template <class Turns>
UserLog user_log_under(Pacer& pacer, Turns turns) {
  UserScheduler scheduler(8, 2);
  NotingEvent event(scheduler);
  int seven = 7, eight = 8, nine = 9;
  EXPECT_TRUE(scheduler.schedule(event, at(20), &eight));
  EXPECT_TRUE(scheduler.schedule(event, at(10), &seven));
  const Handle handle = scheduler.schedule_cancellable(event, at(30), &nine);
  EXPECT_TRUE(scheduler.cancel(handle));
  Loop loop(scheduler, pacer, {});
  turns(loop);
  return event.log;
}

TEST(UserLoop, callbacks_get_their_user_when_time_jumps_from_event_to_event) {
  EventPacer pacer(at(0));
  EXPECT_EQ(user_log_under(pacer,
                           [](Loop& loop) {
                             while (loop.turn() != Loop::Turn::done) continue;
                           }),
            k_user_log);
}

TEST(UserLoop, callbacks_get_their_user_when_time_moves_with_a_clock) {
  time::ManualClock clock(at(0));
  LivePacer pacer(clock);
  EXPECT_EQ(user_log_under(pacer,
                           [&clock](Loop& loop) {
                             for (const int now : {5, 15, 100}) {
                               clock.advance_to(at(now));
                               while (loop.turn() == Loop::Turn::busy) continue;
                             }
                           }),
            k_user_log);
}

TEST(UserLoop, callbacks_get_their_user_when_time_is_paced) {
  time::ManualClock clock(at(0));
  PacedPacer pacer(clock, at(0), 10.0);
  EXPECT_EQ(user_log_under(pacer,
                           [&clock](Loop& loop) {
                             clock.advance_to(at(10));  // a hundred of its nanoseconds
                             while (loop.turn() == Loop::Turn::busy) continue;
                           }),
            k_user_log);
}

/// Fires in whichever scheduler, and says for whom.
struct SharedEvent final : Event {
  void fire(Time due, void* user) override { log.emplace_back(time::nanoseconds_of(due), user); }
  std::vector<std::pair<std::int64_t, void*>> log;
};

TEST(UserLoop, one_event_has_entries_in_two_schedulers_at_once) {
  SharedEvent event;
  int user = 0;
  using Entry = std::pair<std::int64_t, void*>;
  {
    Scheduler plain(8);
    UserScheduler with_user(8, 2);
    ASSERT_TRUE(plain.schedule(event, at(10)));
    ASSERT_TRUE(with_user.schedule(event, at(20), &user));
    ASSERT_TRUE(plain.schedule(event, at(30)));
    const Handle handle = with_user.schedule_cancellable(event, at(40), &user);
    ASSERT_TRUE(with_user.schedule(event, at(50), &user));
    EXPECT_EQ(event.pending(), 5U);
    with_user.check(at(25), 10);
    EXPECT_EQ(event.log, (std::vector<Entry>{{20, &user}}));
    plain.check(at(30), 10);
    EXPECT_EQ(event.log, (std::vector<Entry>{{20, &user}, {10, nullptr}, {30, nullptr}}));
    EXPECT_TRUE(with_user.cancel(handle));
    EXPECT_EQ(event.pending(), 1U);
    EXPECT_EQ(plain.next_due(), time::k_never);
  }
  EXPECT_EQ(event.pending(), 0U) << "a scheduler that goes takes its entries along";
}

}  // namespace
}  // namespace dojima::sched
