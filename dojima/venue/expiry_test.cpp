// Orders that are good till a time end at that time, without anybody's doing, and day orders at the configured end of
// the day.

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;
using enum OwnerReportKind;

market::NewOrder timed(const OrderArguments& arguments, Time expiry) {
  market::NewOrder order = make_order(arguments);
  order.terms.time_in_force = market::TimeInForce::good_till_time;
  order.terms.expiry = expiry;
  return order;
}

/// A partition and who keeps its time; time moves when the test says so.
struct Clocked {
  explicit Clocked(PartitionConfig config = make_config()) : partition(std::move(config), journal) {}

  void run_to(Time time) {
    scheduler.check(time, 10'000);
    clock.finish(time);
  }
  template <class Command>
  void submit(Command command) {
    EXPECT_TRUE(partition.submit(command.header, scheduler.now()).has_value());
    clock.finish(scheduler.now());
  }
  std::vector<OwnerReport> read() {
    std::vector<OwnerReport> reports;
    for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
         batch = partition.reports().read(cursor, partition.durable()))
      reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
    return reports;
  }

  journal::MemoryJournal journal{{.keep = journal::Keep::all, .capacity = 1 << 22}};
  Partition partition;
  sched::Scheduler scheduler{16, k_start};
  DayClock clock{partition, scheduler, 1};
  Cursor cursor;
};

/// Good till a time means today, and a date is at most 89 days ahead; both in days of UTC.
TEST(Expiry, is_refused_where_the_protocol_has_no_such_day) {
  using std::chrono::days, std::chrono::floor;
  Clocked world;
  const Time midnight{floor<days>(world.scheduler.now())};
  std::string id = "A";
  const auto enter = [&](market::TimeInForce time_in_force, Time expiry) {
    market::NewOrder order = timed({.lots = 5, .ticks = 10, .id = id}, expiry);
    ++id[0];
    order.terms.time_in_force = time_in_force;
    world.submit(order);
    const OwnerReport report = world.read().at(0);
    return report.kind == accepted ? market::Reason::none : report.reason;
  };
  using enum market::TimeInForce;
  EXPECT_EQ(enter(good_till_time, midnight + days{1} - 1s), market::Reason::none);
  EXPECT_EQ(enter(good_till_time, midnight + days{1}), market::Reason::expiry_passed);
  EXPECT_EQ(enter(good_till_time, midnight - 1s), market::Reason::expiry_passed);
  EXPECT_EQ(enter(good_till_date, midnight + days{89}), market::Reason::none);
  EXPECT_EQ(enter(good_till_date, midnight + days{90}), market::Reason::expiry_passed);
  EXPECT_EQ(enter(day, midnight + days{90}), market::Reason::none) << "not looked at";
}

/// The same records give the same reports and state.
void expect_same_again(const Clocked& world) {
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition again(make_config(), nothing);
  journal::MemoryJournal::Cursor cursor;
  while (const auto record = world.journal.read(cursor)) EXPECT_TRUE(again.replay(record->bytes));
  EXPECT_EQ(again.digest(), world.partition.digest());
  EXPECT_EQ(again.reports().end(), world.partition.reports().end());
}

TEST(Expiry, ends_an_order_at_its_time_so_that_it_never_trades_behind_it) {
  Clocked world;
  world.submit(timed({.side = Side::sell, .lots = 5, .ticks = 100, .id = "short"}, k_start + 2s));
  EXPECT_EQ(world.partition.next_expiry(), k_start + 2s);
  world.run_to(k_start + 1999ms);
  world.submit(make_order({.user = 1, .lots = 1, .ticks = 100, .id = "before"}));
  EXPECT_EQ(kinds_of(world.read()), (std::vector{accepted, accepted, traded, traded}));
  // Timers come before the input of their instant.
  world.run_to(k_start + 2s);
  const auto ended = world.read();
  ASSERT_EQ(kinds_of(ended), (std::vector{expired}));
  EXPECT_EQ(ended[0].reason, Reason::time_expired);
  EXPECT_EQ(ended[0].time, k_start + 2s);
  world.submit(make_order({.user = 1, .lots = 1, .ticks = 100, .id = "behind"}));
  EXPECT_EQ(kinds_of(world.read()), (std::vector{accepted}));
  EXPECT_EQ(world.partition.next_expiry(), time::k_never);
  expect_same_again(world);
}

TEST(Expiry, follows_a_replace_and_forgets_what_ended_before) {
  Clocked world;
  world.submit(timed({.lots = 5, .ticks = 100, .id = "A"}, k_start + 2s));
  world.submit(timed({.lots = 5, .ticks = 99, .id = "B"}, k_start + 1s));
  market::Replace later = make_replace({.original = "A", .id = "A2", .lots = 5, .ticks = 100});
  later.expiry = k_start + 9s;
  world.submit(later);
  world.submit(make_cancel({.original = "B", .id = "C"}));
  EXPECT_EQ(world.partition.next_expiry(), k_start + 9s);
  const Sequence before = world.partition.last_command();
  world.run_to(k_start + 8s);
  EXPECT_EQ(world.partition.last_command(), before) << "no command for nothing";
  EXPECT_EQ(world.partition.live_orders(), 1u);
  world.run_to(k_start + 9s);
  EXPECT_EQ(world.partition.live_orders(), 0u);
  expect_same_again(world);
}

TEST(Expiry, ends_what_ran_out_while_the_venue_was_away_before_anything_else) {
  Clocked first;
  first.submit(timed({.side = Side::sell, .lots = 5, .ticks = 100, .id = "A"}, k_start + 2s));
  first.submit(timed({.side = Side::sell, .lots = 5, .ticks = 101, .id = "B"}, k_start + 60s));
  Clocked second;
  for (int record = 0; record < 2; ++record) {  // its journal has what the state comes from
    ASSERT_FALSE(second.journal.prepare(8).empty());
    second.journal.commit(8);
  }
  ASSERT_TRUE(load(second.partition, save(first.partition)).has_value());
  EXPECT_EQ(second.partition.next_expiry(), k_start + 2s);
  sched::Scheduler scheduler(16, k_start + 30s);
  DayClock clock(second.partition, scheduler, 1);
  scheduler.check(k_start + 30s, 100);  // the first thing that a loop does
  EXPECT_EQ(second.partition.live_orders(), 1u);
  EXPECT_EQ(second.partition.next_expiry(), k_start + 60s);
}

TEST(Expiry, tries_again_when_the_journal_was_full) {
  ControlledJournal journal;
  Partition partition(make_config(), journal);
  sched::Scheduler scheduler(16, k_start);
  DayClock clock(partition, scheduler, 1);
  market::NewOrder order = timed({.lots = 5, .ticks = 100, .id = "A"}, k_start + 2s);
  ASSERT_TRUE(partition.submit(order.header, k_start).has_value());
  clock.finish(k_start);
  journal.is_full = true;
  scheduler.check(k_start + 3s, 100);
  clock.finish(k_start + 3s);
  EXPECT_EQ(partition.live_orders(), 1u) << "nothing happens that is not journaled";
  journal.is_full = false;
  clock.finish(k_start + 4s);
  EXPECT_EQ(partition.live_orders(), 0u);
}

TEST(Expiry, keeps_no_order_beyond_its_time_on_random_days) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Clocked world;
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t bound) { return random() % bound; };
    std::map<std::uint64_t, Time> expiries;  // by order
    int number = 0;
    for (int step = 0; step < 400; ++step) {
      world.run_to(world.scheduler.now() + std::chrono::milliseconds{below(50)});
      const Time now = world.scheduler.now();
      const auto user = static_cast<std::uint16_t>(below(4));
      const std::string id = std::to_string(++number);
      const auto what = below(10);
      const Time expiry = now + std::chrono::milliseconds{1 + below(500)};
      if (what < 6) {
        world.submit(timed({.user = user,
                            .side = below(2) == 0 ? Side::buy : Side::sell,
                            .lots = 1 + static_cast<std::int64_t>(below(9)),
                            .ticks = 95 + static_cast<std::int64_t>(below(10)),
                            .id = id,
                            .instrument = below(2) == 0 ? k_rice : k_silk},
                           expiry));
      } else if (what < 8) {
        market::Replace replace = make_replace({.user = user,
                                                .original = std::to_string(1 + below(static_cast<unsigned>(number))),
                                                .id = id,
                                                .lots = 5,
                                                .ticks = 95 + static_cast<std::int64_t>(below(10))});
        replace.expiry = expiry;
        world.submit(replace);
      } else {
        world.submit(make_cancel(
            {.user = user, .original = std::to_string(1 + below(static_cast<unsigned>(number))), .id = id}));
      }
      for (const OwnerReport& report : world.read())
        if (report.kind == accepted || report.kind == replaced) expiries[report.order.value] = expiry;
      // What a look at every live order would say.
      Time earliest = time::k_never;
      for (const std::uint32_t instrument : {k_rice, k_silk})
        for (const Side side : {Side::buy, Side::sell})
          world.partition.book(instrument)->each_resting(side, [&](const auto& resting) {
            earliest = std::min(earliest, expiries.at(resting.id.value));
          });
      ASSERT_EQ(world.partition.next_expiry(), earliest) << "seed " << seed << ", step " << step;
      ASSERT_GT(earliest, now) << "seed " << seed << ", step " << step;
    }
    expect_same_again(world);
  }
}

TEST(Expiry, ends_day_orders_of_instruments_without_a_timetable_at_the_days_end) {
  Clocked world;
  world.submit(make_order({.lots = 5, .ticks = 100, .id = "day"}));
  world.submit(make_order({.lots = 5, .ticks = 100, .id = "other", .instrument = k_silk}));
  market::NewOrder lasting = make_order({.lots = 5, .ticks = 100, .id = "lasting"});
  lasting.terms.time_in_force = market::TimeInForce::good_till_cancel;
  world.submit(lasting);
  const Time midnight = k_start - 10h;
  world.clock.end_days_at(midnight, 11h);
  world.run_to(k_start + 59min);
  EXPECT_EQ(world.partition.live_orders(), 3u);
  world.run_to(k_start + 1h);
  EXPECT_EQ(world.partition.live_orders(), 1u);
  world.submit(make_order({.lots = 5, .ticks = 100, .id = "next day"}));
  world.run_to(k_start + 24h);
  EXPECT_EQ(world.partition.live_orders(), 2u);
  world.run_to(k_start + 25h);
  EXPECT_EQ(world.partition.live_orders(), 1u);
  expect_same_again(world);
}

TEST(Expiry, ends_at_once_a_day_that_was_over_while_the_venue_was_away) {
  Clocked world;
  world.submit(make_order({.lots = 5, .ticks = 100, .id = "day"}));
  sched::Scheduler later(16, k_start + 30h);
  DayClock clock(world.partition, later, 1);
  const Time midnight = k_start + 14h;  // of the present day
  clock.end_days_at(midnight, 20h);     // it ended last at k_start + 10h
  later.check(k_start + 30h, 100);
  EXPECT_EQ(world.partition.live_orders(), 0u);
}

}  // namespace
}  // namespace dojima::venue::testing
