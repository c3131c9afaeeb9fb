// The run wheel's own promises: every pitfall of such a container that is known, its entry types and their limits, how
// much it prepares in one go, and what memory it takes.

#include "dojima/sched/wheel/run_wheel.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "dojima/sched/containers/hold_model.hpp"
#include "dojima/sched/instants_test_support.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::sched {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_slot = 1 << 20;

using Log = std::vector<std::pair<int, std::int64_t>>;

struct Recorder final : Event {
  Recorder() = default;
  void fire(Time due, void*) override {
    log->emplace_back(number, time::nanoseconds_of(due));
    if (then) then();
  }
  Log* log = nullptr;
  int number = 0;
  std::function<void()> then;
};

/// A scheduler with packed entries in slots of 2^20 ns, and some events.
struct World {
  explicit World(RunWheelShape shape = {}, std::size_t capacity = 10'000)
      : events(capacity), scheduler(capacity, Time{}, shape) {
    for (std::size_t i = 0; i < capacity; ++i) {
      events[i].log = &log;
      events[i].number = static_cast<int>(i);
    }
  }
  void schedule(std::size_t event, std::int64_t when) { ASSERT_TRUE(scheduler.schedule(events[event], at(when))); }
  Log log;
  std::vector<Recorder> events;
  Scheduler scheduler;
};

/// In order of time, then in their own.
Log by_time(const Log& log) {
  std::multimap<std::int64_t, int> sorted;
  for (const auto& [number, when] : log) sorted.emplace(when, number);
  Log result;
  for (const auto& [when, number] : sorted) result.emplace_back(number, when);
  return result;
}

// ------------------------------------------------------------------------------------------------------------ pitfalls

TEST(RunWheelPitfall, the_end_of_a_run_in_an_odd_slot_lies_behind_all_its_entries) {
  // base | offset would be earlier than base + offset where the slot number is odd.
  World world;
  for (const std::int64_t slot : {1, 2, 3, 1023, 1025}) {
    world.schedule(static_cast<std::size_t>(slot), slot * k_slot + k_slot - 1);
  }
  while (world.scheduler.next_due() != time::k_never) world.scheduler.check(world.scheduler.next_due(), 1);
  EXPECT_EQ(world.log, (Log{{1, 2 * k_slot - 1},
                            {2, 3 * k_slot - 1},
                            {3, 4 * k_slot - 1},
                            {1023, 1024 * k_slot - 1},
                            {1025, 1026 * k_slot - 1}}));
}

TEST(RunWheelPitfall, a_newcomer_behind_the_entry_just_fired_and_before_the_next_fires_between_them) {
  World world;
  world.schedule(0, 1'000);
  world.schedule(1, 3'000);
  world.events[0].then = [&] {
    world.schedule(2, 1'001);
    world.schedule(3, 2'999);
    world.schedule(4, 3'000);
    world.schedule(5, 1'000);
  };
  world.scheduler.check(at(k_slot), 100);
  EXPECT_EQ(world.log, (Log{{0, 1'000}, {5, 1'000}, {2, 1'001}, {3, 2'999}, {1, 3'000}, {4, 3'000}}));
}

TEST(RunWheelPitfall, newcomers_to_a_dense_open_slot_fire_before_the_entries_of_the_same_sub_slot) {
  World world({.most_gathered = 32});
  for (std::size_t i = 0; i < 2'000; ++i) world.schedule(i, 10 + static_cast<std::int64_t>(i) * 500);
  world.events[0].then = [&] {
    for (std::size_t i = 0; i < 1'000; ++i) world.schedule(2'000 + i, 11 + static_cast<std::int64_t>(i) * 1'000);
  };
  world.scheduler.check(at(2 * k_slot), 100'000);
  ASSERT_EQ(world.log.size(), 3'000u);
  for (std::size_t i = 1; i < world.log.size(); ++i) ASSERT_LE(world.log[i - 1].second, world.log[i].second);
}

TEST(RunWheelPitfall, scheduling_for_the_past_while_nothing_is_due_fires_at_the_next_check) {
  World world;
  world.scheduler.check(at(10'000 * k_slot + 17), 1);
  world.schedule(0, 5);
  world.schedule(1, 10'000 * k_slot + 17);
  world.schedule(2, 10'000 * k_slot);
  EXPECT_EQ(world.scheduler.next_due(), at(10'000 * k_slot + 17));
  world.scheduler.check(at(10'000 * k_slot + 17), 10);
  EXPECT_EQ(world.log.size(), 3u);
  EXPECT_EQ(world.log.front().first, 0);
}

TEST(RunWheelPitfall, time_passing_without_entries_costs_nothing) {
  World world;
  world.schedule(0, 3'600'000'000'000);  // 3 million slots
  std::size_t fired = 0;
  for (std::int64_t hour = 0; hour < 24 * 365; ++hour) {
    fired += world.scheduler.check(at(hour * 3'600'000'000'000), 10).count;
  }
  EXPECT_EQ(fired, 1u);
}

TEST(RunWheelPitfall, an_event_of_a_tie_group_cancelled_by_an_earlier_one_of_the_group_does_not_fire) {
  struct Owner {
    explicit Owner(Scheduler& scheduler) : timer(scheduler, *this) {}
    void on_due(Time) {
      ++count;
      if (then) then();
    }
    int count = 0;
    std::function<void()> then;
    TimerOf<&Owner::on_due> timer;
  };
  World world;
  Owner first(world.scheduler), second(world.scheduler);
  auto third = std::make_unique<Owner>(world.scheduler);  // prefetched when it is destroyed
  first.then = [&] {
    second.timer.disarm();
    third.reset();
  };
  first.timer.arm(at(100));
  second.timer.arm(at(100));
  third->timer.arm(at(100));
  EXPECT_EQ(world.scheduler.check(at(200), 10).count, 1u);
  EXPECT_EQ(second.count, 0);
}

TEST(RunWheelPitfall, delays_of_the_workload_reach_as_far_as_they_say) {
  // Products of 64 bits cut the long tails off, and all containers would agree on it.
  HoldRandom random;
  const HoldDelays bimodal(HoldDelay::bimodal), far(HoldDelay::far);
  std::uint64_t longest_of_bimodal = 0, longest_of_far = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t draw = random();
    longest_of_bimodal = std::max(longest_of_bimodal, bimodal(draw));
    longest_of_far = std::max(longest_of_far, far(draw));
  }
  EXPECT_GT(longest_of_bimodal, 9'000'000'000u);
  EXPECT_GT(longest_of_far, 3'000'000'000'000u);
}

TEST(RunWheelPitfall, a_newcomer_every_time_does_not_move_the_whole_run_every_time) {
  // 60,000 entries of one slot, each followed by one a little later: insertion into the run would be quadratic.
  World world({}, 60'000);
  for (std::size_t i = 0; i < world.events.size(); ++i) {
    world.schedule(i, 1 + static_cast<std::int64_t>(i * 16 % 60'000));
    world.events[i].then = [&world, i] {
      world.events[i].then = nullptr;
      world.schedule(i, time::nanoseconds_of(world.scheduler.now()) + 900'000);
    };
  }
  world.scheduler.check(at(2 * k_slot), 1'000'000);
  EXPECT_EQ(world.log.size(), 120'000u);
  for (std::size_t i = 1; i < world.log.size(); ++i) ASSERT_LE(world.log[i - 1].second, world.log[i].second);
}

TEST(RunWheelPitfall, all_entries_at_one_instant_fire_in_their_order_with_newcomers_behind_them) {
  // More than can be sorted at once.
  constexpr std::size_t k_entries = 3 * k_most_keys;
  World world({}, k_entries + 1);
  for (std::size_t i = 0; i < k_entries; ++i) world.schedule(i, 5 * k_slot + 77);
  world.events[k_entries / 2].then = [&] { world.schedule(k_entries, 5 * k_slot + 77); };
  EXPECT_EQ(world.scheduler.check(at(5 * k_slot + 76), SIZE_MAX).count, 0u);
  EXPECT_EQ(world.scheduler.check(at(5 * k_slot + 77), SIZE_MAX).count, k_entries + 1);
  ASSERT_EQ(world.log.size(), k_entries + 1);
  for (std::size_t i = 0; i <= k_entries; ++i) ASSERT_EQ(world.log[i].first, static_cast<int>(i));
}

TEST(RunWheelPitfall, an_event_every_hour_fires_every_hour) {
  constexpr std::int64_t k_hour = 3'600'000'000'000;
  World world;
  world.events[0].then = [&] { world.schedule(0, time::nanoseconds_of(world.scheduler.now()) + k_hour); };
  world.schedule(0, k_hour);
  world.scheduler.check(at(1'000 * k_hour - 1), SIZE_MAX);
  ASSERT_EQ(world.log.size(), 999u);
  for (std::size_t i = 0; i < world.log.size(); ++i) {
    ASSERT_EQ(world.log[i].second, static_cast<std::int64_t>(i + 1) * k_hour);
  }
  EXPECT_EQ(world.scheduler.next_due(), at(1'000 * k_hour));
}

TEST(RunWheelPitfall, delays_that_are_all_near_do_not_make_it_walk) {
  // A calendar queue whose width fits a second all but hangs here.
  HoldModel<Scheduler> model(std::make_unique<Scheduler>(5'000), 5'000, HoldDelay::crowded);
  std::uint64_t prepared = 0;
  while (model.fired() < 500'000) {
    model.step(777ns);
    prepared += model.scheduler().queue().prepared();
  }
  EXPECT_LT(prepared, 4 * model.fired()) << "entries moved and sorted, for each that fires";
}

TEST(RunWheelPitfall, equal_deadlines_take_no_more_memory_than_spread_ones) {
  constexpr std::size_t k_entries = 100'000;
  const auto bytes_of = [](std::int64_t apart) {
    World world({}, k_entries);
    for (std::size_t i = 0; i < k_entries; ++i) world.schedule(i, k_slot + static_cast<std::int64_t>(i) * apart);
    world.scheduler.check(at(k_slot + static_cast<std::int64_t>(k_entries) * apart), SIZE_MAX);
    EXPECT_EQ(world.log.size(), std::size_t{k_entries});
    return world.scheduler.queue().bytes_in_use();
  };
  // Spread over two seconds most entries are packed; at one instant they pass through a rung, where they are wide.
  EXPECT_LT(bytes_of(0), 3 * bytes_of(20'000));
}

TEST(RunWheelPitfall, newcomers_before_a_part_that_is_open_ahead_of_time_are_spilled_to_a_rung_of_their_own) {
  World world({.most_gathered = 64});
  std::size_t next = 0;
  const auto schedule_many = [&](std::size_t count, auto time_of) {
    for (std::size_t i = 0; i < count; ++i) world.schedule(next++, time_of(static_cast<std::int64_t>(i)));
  };
  schedule_many(1, [](std::int64_t) { return 900; });
  schedule_many(70, [](std::int64_t i) { return 499'712 + i; });
  // One at a time: what is due later is open when time is still that of the first.
  world.scheduler.check(at(600'000), 1);
  schedule_many(300, [](std::int64_t i) { return 80'000 + i * 102'947 % 320'000; });
  schedule_many(100, [](std::int64_t i) { return 300'000 + i; });
  schedule_many(300, [](std::int64_t i) { return 1'000 + i * 7 % 500; });
  world.scheduler.check(at(600'000), SIZE_MAX);
  ASSERT_EQ(world.log.size(), next);
  for (std::size_t i = 1; i < world.log.size(); ++i) ASSERT_LE(world.log[i - 1].second, world.log[i].second);
}

TEST(RunWheelPitfall, newcomers_ever_earlier_than_the_ones_before_are_gathered_again_when_rungs_run_out) {
  World world({.fan_bits = 6, .most_gathered = 32});
  Log expected;
  std::size_t next = 0;
  const auto schedule = [&](std::int64_t when) {
    world.schedule(next, when);
    expected.emplace_back(static_cast<int>(next++), when);
  };
  constexpr std::int64_t k_far = std::int64_t{1} << 59;
  schedule(1);
  schedule(k_far);
  // The far one is due as well, so that the wheel has opened up to there when time is still that of the first.
  world.scheduler.check(at(k_far), 1);
  HoldRandom random;
  for (std::int64_t before = k_far; before > 1'000; before /= 3) {
    for (int i = 0; i < 220; ++i)
      schedule(2 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(before)));
  }
  world.scheduler.check(at(k_far), SIZE_MAX);
  EXPECT_EQ(world.log, by_time(expected));
}

TEST(RunWheelPitfall, ties_by_the_chunk_leave_room_for_newcomers_before_them) {
  World world({.most_gathered = 32});
  world.schedule(0, 900);
  for (std::size_t i = 1; i <= 200; ++i) world.schedule(i, 500'000);
  for (const std::int64_t now : {1'000, 70'000, 460'000, 499'970}) world.scheduler.check(at(now), SIZE_MAX);
  for (std::size_t i = 201; i < 400; ++i) world.schedule(i, 499'980);
  world.scheduler.check(at(500'000), SIZE_MAX);
  ASSERT_EQ(world.log.size(), 400u);
  for (std::size_t i = 1; i < 200; ++i) ASSERT_EQ(world.log[i].first, static_cast<int>(200 + i));
  for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(world.log[200 + i].first, static_cast<int>(1 + i));
}

TEST(RunWheelPitfall, a_check_that_finds_nothing_prepares_nothing) {
  World world;
  for (std::size_t i = 0; i < 1'000; ++i) world.schedule(i, static_cast<std::int64_t>(1 + i) * 1'000'000);
  world.scheduler.check(at(999'999), SIZE_MAX);
  std::size_t prepared = 0, empty = 0;
  for (std::int64_t now = 1'000'001; now < 2'000'000; now += 100) {
    if (world.scheduler.check(at(now), SIZE_MAX).count != 0) continue;
    prepared += world.scheduler.queue().prepared();
    ++empty;
  }
  EXPECT_GT(empty, 9'900u);
  EXPECT_LE(prepared, 128u) << "one slot may be opened ahead";
}

TEST(RunWheelPitfall, an_entry_cancelled_in_its_own_callback_is_gone_already) {
  struct Self final : Event {
    void fire(Time, void*) override {
      ++count;
      is_cancelled = scheduler->cancel(handle);
    }
    UserScheduler* scheduler = nullptr;
    Handle handle;
    int count = 0;
    bool is_cancelled = true;
  };
  Self self;
  UserScheduler scheduler(10, 5);
  self.scheduler = &scheduler;
  self.handle = scheduler.schedule_cancellable(self, at(100));
  ASSERT_TRUE(self.handle);
  EXPECT_EQ(scheduler.check(at(200), 10).count, 1u);
  EXPECT_FALSE(self.is_cancelled);
  EXPECT_EQ(scheduler.size(), 0u);
}

TEST(RunWheelPitfall, entries_at_the_borders_of_sub_slots_keep_their_exact_order) {
  // A slot that is split: what fires at the start of a sub-slot schedules for before, at and behind its own end.
  World world({.most_gathered = 32, .max_prepared = 64});
  std::size_t next = 0;
  for (std::int64_t i = 0; i < 512; ++i) world.schedule(next++, k_slot + i * 2'048);
  Log expected;
  for (int i = 0; i < 512; ++i) expected.emplace_back(i, k_slot + i * 2'048);
  for (std::size_t i = 0; i < 512; i += 8) {
    world.events[i].then = [&world, i] {
      const std::int64_t now = time::nanoseconds_of(world.scheduler.now());
      world.schedule(1'000 + 4 * i, now);
      world.schedule(1'001 + 4 * i, now + 1);
      world.schedule(1'002 + 4 * i, now + 2'047);
      world.schedule(1'003 + 4 * i, now + 2'048);
    };
    const auto now = k_slot + static_cast<std::int64_t>(i) * 2'048;
    for (const std::pair<int, std::int64_t> one : {std::pair(0, 0), {1, 1}, {2, 2'047}, {3, 2'048}})
      expected.emplace_back(1'000 + 4 * static_cast<int>(i) + one.first, now + one.second);
  }
  while (!world.scheduler.check(at(3 * k_slot), SIZE_MAX).is_drained) continue;
  EXPECT_EQ(world.log, by_time(expected));
}

// --------------------------------------------------------------------------------------------------------- the entries

TEST(RunWheelEntry, offsets_at_both_ends_of_the_widest_packed_slot_keep_their_place) {
  World world({.slot_bits = 20});
  world.schedule(0, 5 * k_slot - 1);
  world.schedule(1, 5 * k_slot);
  world.schedule(2, 6 * k_slot - 1);
  world.schedule(3, 6 * k_slot);
  EXPECT_TRUE(world.scheduler.queue().is_packed());
  world.scheduler.check(at(10 * k_slot), 10);
  EXPECT_EQ(world.log, (Log{{0, 5 * k_slot - 1}, {1, 5 * k_slot}, {2, 6 * k_slot - 1}, {3, 6 * k_slot}}));
}

TEST(RunWheelEntry, a_packed_slot_wider_than_its_offset_is_refused) {
  EXPECT_DEATH(World({.slot_bits = 21, .is_packed = true}, 10), "20 bits for its place");
}

TEST(RunWheelEntry, an_address_that_does_not_fit_turns_the_ring_to_wide_entries_and_changes_nothing_else) {
  const auto run = [](unsigned address_bits) {
    auto scheduler = std::make_unique<Scheduler>(20'000, Time{}, RunWheelShape{.address_bits = address_bits});
    HoldModel<Scheduler, HoldHash::firing_sequence> model(std::move(scheduler), 20'000, HoldDelay::uniform);
    while (model.fired() < 100'000) model.step(1ms);
    return std::pair(model.hash(), model.scheduler().queue().is_packed());
  };
  const auto packed = run(47), wide = run(20);
  EXPECT_TRUE(packed.second);
  EXPECT_FALSE(wide.second);
  EXPECT_EQ(packed.first, wide.first);
}

TEST(RunWheelEntry, the_first_unpackable_event_may_come_when_packed_ones_are_pending) {
  // Events at low addresses, which fit, and one where memory usually is, which does not.
  constexpr std::size_t k_low = 64;
  void* const memory = ::mmap(reinterpret_cast<void*>(0x1000'0000), sizeof(Recorder) * k_low, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(memory, reinterpret_cast<void*>(0x1000'0000));
  auto* const low = static_cast<Recorder*>(memory);
  std::uninitialized_default_construct_n(low, k_low);
  for (const bool is_staging : {false, true}) {
    Log log;
    Recorder high;
    high.log = &log;
    Scheduler scheduler(70, Time{}, {.chunk_bytes = 128, .address_bits = 32, .is_staging = is_staging});
    for (std::size_t i = 0; i < k_low; ++i) {
      low[i].log = &log;
      ASSERT_TRUE(scheduler.schedule(low[i], at(static_cast<std::int64_t>(1 + 37 * i % k_low) * 700'000)));
    }
    EXPECT_TRUE(scheduler.queue().is_packed());
    for (const std::int64_t when : {64 * 700'000, 20 * 700'000, 1}) ASSERT_TRUE(scheduler.schedule(high, at(when)));
    scheduler.check(at(100'000'000), 100);
    EXPECT_FALSE(scheduler.queue().is_packed());
    ASSERT_EQ(log.size(), k_low + 3);
    for (std::size_t i = 1; i < log.size(); ++i) ASSERT_LE(log[i - 1].second, log[i].second);
  }
  std::destroy_n(low, k_low);
  ::munmap(memory, sizeof(Recorder) * k_low);
}

TEST(RunWheelEntry, sizes_are_what_the_layout_says) {
  EXPECT_EQ(sizeof(PackedEntry<false>), 8u);
  EXPECT_EQ(sizeof(PackedEntry<true>), 16u);
  EXPECT_EQ(sizeof(RunEntry<false>), 16u);
  EXPECT_EQ(sizeof(RunEntry<true>), 24u);
}

// ------------------------------------------------------------------------------------------------- bounded preparation

TEST(RunWheelPreparation, of_one_check_never_moves_more_entries_than_configured) {
  for (const std::size_t limit : {64U, 256U, 1024U}) {
    constexpr std::size_t k_scheduled = 50'000;
    RunWheelShape shape;
    shape.max_prepared = limit;
    auto scheduler = std::make_unique<Scheduler>(k_scheduled, Time{}, shape);
    HoldModel<Scheduler> model(std::move(scheduler), k_scheduled, HoldDelay::bimodal);
    std::size_t most = 0, checks = 0;
    for (Time now{}; now < at(40'000'000); now += 20us) {
      bool is_drained = false;
      while (!is_drained) {
        is_drained = model.scheduler().check(now, 100'000).is_drained;
        most = std::max(most, model.scheduler().queue().prepared());
        ++checks;
      }
    }
    // A chunk is moved as a whole.
    EXPECT_LE(most, limit + 2048 / 8) << limit;
    EXPECT_GT(most, 0u);
    EXPECT_GT(checks, 2000u);
  }
}

TEST(RunWheelPreparation, of_ties_takes_whole_chunks_up_to_the_limit) {
  World world({.max_prepared = 64});
  for (std::size_t i = 0; i < world.events.size(); ++i) world.schedule(i, 5 * k_slot + 77);
  std::size_t most = 0;
  for (bool is_drained = false; !is_drained;) {
    is_drained = world.scheduler.check(at(5 * k_slot + 77), SIZE_MAX).is_drained;
    most = std::max(most, world.scheduler.queue().prepared());
  }
  EXPECT_LE(most, 64u + 2048 / 8);
  ASSERT_EQ(world.log.size(), world.events.size());
  for (std::size_t i = 0; i < world.log.size(); ++i) ASSERT_EQ(world.log[i].first, static_cast<int>(i));
}

TEST(RunWheelPreparation, does_not_change_the_sequence) {
  const auto run = [](std::size_t limit) {
    auto scheduler = std::make_unique<Scheduler>(30'000, Time{}, RunWheelShape{.max_prepared = limit});
    HoldModel<Scheduler, HoldHash::firing_sequence> model(std::move(scheduler), 30'000, HoldDelay::at_now);
    while (model.fired() < 200'000) model.step(500us);
    return std::pair(model.hash(), model.fired());
  };
  EXPECT_EQ(run(64), run(SIZE_MAX));
  EXPECT_EQ(run(1000), run(SIZE_MAX));
}

// -------------------------------------------------------------------------------------------------------------- memory

TEST(RunWheelMemory, of_a_scheduler_for_a_session_is_a_few_kilobytes) {
  EXPECT_LT(Scheduler(100).queue().bytes_in_use(), 40'000u);
}

TEST(RunWheelMemory, stays_as_it_is_while_events_come_and_go) {
  auto scheduler = std::make_unique<Scheduler>(20'000);
  HoldModel<Scheduler> model(std::move(scheduler), 20'000, HoldDelay::exponential);
  while (model.fired() < 400'000) model.step(5ms);
  const std::size_t bytes = model.scheduler().queue().bytes_in_use();
  while (model.fired() < 1'000'000) model.step(5ms);
  EXPECT_LE(model.scheduler().queue().bytes_in_use(), bytes + bytes / 50);
}

}  // namespace
}  // namespace dojima::sched
