#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/containers/rivals.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {
namespace {

using namespace std::chrono_literals;

template <class Queue>
class RivalMemory : public ::testing::Test {};
// Not std::multimap, which allocates a node for each entry, nor the article's options, whose array for the bucket that
// is open grows to the largest bucket there was.
using Rivals = ::testing::Types<containers::HeapScheduler, containers::FlatScheduler>;
TYPED_TEST_SUITE(RivalMemory, Rivals);

template <class Made>
void expect_no_allocation(std::size_t count, HoldDelay delay) {
  HoldModel<Made> model(std::make_unique<Made>(count), count, delay);
  const std::uint64_t before = heap_allocations();
  while (model.fired() < 10 * count) model.step(1ms);
  EXPECT_EQ(heap_allocations() - before, 0u) << static_cast<int>(delay);
}

constexpr HoldDelay k_delays[] = {HoldDelay::uniform, HoldDelay::exponential, HoldDelay::grid,
                                  HoldDelay::bimodal, HoldDelay::at_now,      HoldDelay::far};

TEST(SchedulerMemoryLong, is_all_taken_at_construction_whatever_the_delays_are) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  for (const HoldDelay delay : k_delays) {
    // Each of these numbers is another shape of the wheel.
    for (const std::size_t count : {200U, 2'000U, 20'000U, 100'000U, 300'000U})
      expect_no_allocation<Scheduler>(count, delay);
    for (const std::size_t count : {2'000U, 20'000U, 300'000U}) expect_no_allocation<UserScheduler>(count, delay);
  }
}

TEST(SchedulerMemory, of_the_shape_for_millions_of_entries_is_all_taken_at_construction) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  struct Large final : BasicScheduler<RunWheel<false>> {
    explicit Large(std::size_t capacity)
        : BasicScheduler(capacity, 0, Time{}, RunWheelShape::for_capacity(5'000'000)) {}
  };
  for (const HoldDelay delay : k_delays) expect_no_allocation<Large>(100'000, delay);
}

TYPED_TEST(RivalMemory, is_all_taken_at_construction_whatever_the_delays_are) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  for (const HoldDelay delay : k_delays) expect_no_allocation<TypeParam>(2'000, delay);
}

TEST(SchedulerMemory, of_timers_and_handles_is_taken_at_construction) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  struct Owner {
    explicit Owner(UserScheduler& scheduler) : timer(scheduler, *this) {}
    void on_due(Time) {}
    TimerOf<&Owner::on_due> timer;
  };
  struct Silent final : Event {
    void fire(Time, void*) override {}
  };
  Silent event;
  UserScheduler scheduler(1000, 100);
  std::vector<std::unique_ptr<Owner>> owners;
  for (int i = 0; i < 500; ++i) owners.push_back(std::make_unique<Owner>(scheduler));
  HoldRandom random;
  Time now{};
  const std::uint64_t before = heap_allocations();
  for (int i = 0; i < 200'000; ++i) {
    Owner& owner = *owners[random() % owners.size()];
    const Time due = now + time::Duration{static_cast<std::int64_t>(random() % 3'000'000'000)};
    owner.timer.arm(due);
    if (i % 3 == 0) owner.timer.disarm();
    const Handle handle = scheduler.schedule_cancellable(event, due);
    if (i % 4 != 0) static_cast<void>(scheduler.cancel(handle));
    now += 20us;
    scheduler.check(now, 1000);
  }
  EXPECT_EQ(heap_allocations() - before, 0u);
}

}  // namespace
}  // namespace dojima::sched
