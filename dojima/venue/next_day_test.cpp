// From one day of a venue to the next: reports are numbered from 1 again, nobody misses one of the old day, and a
// journal with days in it comes to the same state.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/base/state.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/next_day_clock.hpp"
#include "dojima/venue/segment_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

// ---- A partition ---------------------------------------------------------------------------------------------------

TEST(NextDay, reports_are_numbered_from_1_again_and_executions_orders_and_trades_go_on) {
  World world;
  const OrderId resting = world.add({.user = 1, .lots = 5, .ticks = 100, .auto_cancel = true});
  world.submit(market::UserCommand{.header = {.user = 1, .type = market::CommandType::logon}});
  const auto before = world.submit(make_order({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100}));
  ASSERT_EQ(before.size(), 3u);
  ASSERT_TRUE(world.partition.begin_next_day(world.now += std::chrono::seconds{1}).has_value());
  EXPECT_EQ(world.partition.day_number(), 1u);
  EXPECT_EQ(world.partition.day_began(), world.now);
  EXPECT_FALSE(world.partition.is_logged_on(1));
  EXPECT_TRUE(world.read().empty()) << "its end cancels nothing";
  EXPECT_EQ(world.partition.live_orders(), 1u);
  const auto after = world.submit(make_order({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100}));
  ASSERT_EQ(after.size(), 3u);
  for (std::size_t at = 0; at < 3; ++at) EXPECT_EQ(after[at].sequence.value, at + 1);
  EXPECT_EQ(after[1].order, resting);
  EXPECT_EQ(after[0].execution, before[2].execution + 1);
  EXPECT_EQ(after[1].trade, before[1].trade + 1);
  EXPECT_EQ(world.partition.reports().first_kept().value, 1u);
  EXPECT_EQ(world.partition.reports().find({1}).position, 4u) << "those of the day before are gone";
}

TEST(NextDay, a_replay_comes_to_the_same_and_one_that_went_another_way_is_noticed) {
  World world;
  world.add({.user = 1, .lots = 5, .ticks = 100});
  ASSERT_TRUE(world.partition.begin_next_day(world.now).has_value());
  world.add({.user = 1, .lots = 5, .ticks = 101});
  ASSERT_TRUE(world.partition.begin_next_day(world.now).has_value());
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition again(make_config(), nothing), other(make_config(), nothing);
  journal::MemoryJournal::Cursor cursor;
  while (const auto record = world.journal.read(cursor)) {
    ASSERT_TRUE(again.replay(record->bytes));
    std::vector<std::uint64_t> words(record->bytes.size() / sizeof(std::uint64_t));
    std::copy(record->bytes.begin(), record->bytes.end(), reinterpret_cast<std::byte*>(words.data()));
    auto& header = *reinterpret_cast<market::CommandHeader*>(words.data());
    if (header.type == market::CommandType::new_order) header.instrument = 99;  // which is refused
    ASSERT_TRUE(other.replay(std::as_bytes(std::span(words))));
  }
  EXPECT_EQ(again.digest(), world.partition.digest());
  EXPECT_EQ(again.day_number(), 2u);
  EXPECT_FALSE(again.divergence().has_value());
  ASSERT_TRUE(other.divergence().has_value());
  EXPECT_EQ(other.divergence()->value, 2u);
}

TEST(NextDay, is_part_of_the_state_and_of_a_first_day_nothing_is_saved) {
  World world;
  world.add({.user = 1, .lots = 5, .ticks = 100});
  const State first = save(world.partition);
  ASSERT_TRUE(world.partition.begin_next_day(world.now).has_value());
  const State second = save(world.partition);
  EXPECT_LT(second.size(), first.size()) << "a report fewer, and a section more";
  world.add({.user = 1, .lots = 5, .ticks = 100});
  const State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition loaded(make_config(), nothing);
  ASSERT_TRUE(load(loaded, state));
  EXPECT_EQ(loaded.digest(), world.partition.digest());
  EXPECT_EQ(loaded.day_number(), 1u);
  EXPECT_EQ(loaded.day_began(), world.partition.day_began());
  EXPECT_EQ(loaded.reports().first_kept().value, 1u);
  EXPECT_EQ(loaded.reports().next_number().value, 2u);
  EXPECT_EQ(save(loaded), state);
  // The number of a day that is none.
  State wrong = state;
  std::fill(wrong.end() - 32, wrong.end() - 24, std::byte{0});  // the beginning is behind it
  Partition refused(make_config(), nothing);
  EXPECT_FALSE(load(refused, wrong));
}

TEST(NextDay, a_partition_knows_when_it_began_whichever_way_it_came_back) {
  World world;
  EXPECT_EQ(world.partition.began(), Time{});
  world.add({.user = 1, .lots = 5, .ticks = 100});
  const Time began = world.now;
  EXPECT_EQ(world.partition.began(), began);
  ASSERT_TRUE(world.partition.begin_next_day(world.now += std::chrono::seconds{1}).has_value());
  world.add({.user = 1, .lots = 5, .ticks = 100});
  EXPECT_EQ(world.partition.began(), began);
  State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition loaded(make_config(), nothing);
  ASSERT_TRUE(load(loaded, state));
  EXPECT_EQ(loaded.began(), began);
  // A state of an earlier version, which does not say it.
  state.resize(state.size() - 16);
  Partition older(make_config(), nothing);
  ASSERT_TRUE(load(older, state));
  EXPECT_EQ(older.began(), Time{});
  EXPECT_EQ(older.digest(), loaded.digest());
  EXPECT_EQ(save(older), state) << "nor does it find out";
}

TEST(NextDay, gives_the_larger_ring_back_that_a_day_has_needed) {
  ReportLog log(16, 64);
  auto append = [&log, number = std::uint64_t{0}](std::uint64_t command, bool is_new) mutable {
    number = is_new ? 1 : number + 1;
    log.append({.sequence = {number}, .command = {command}});
  };
  for (int count = 0; count < 12; ++count) append(1, false);
  ASSERT_EQ(log.capacity(), 64u) << "one command caused more than half";
  for (int count = 0; count < 5; ++count) append(2, false);
  log.begin_day();
  EXPECT_EQ(log.capacity(), 16u);
  Cursor cursor;
  EXPECT_EQ(log.read(cursor, {9}).lost, 17u);
  for (int count = 0; count < 40; ++count) append(3 + static_cast<std::uint64_t>(count), count == 0);
  EXPECT_EQ(log.end(), 57u);
  EXPECT_EQ(log.first_kept().value, 40u - 16 + 1);
  cursor = log.find({30});
  EXPECT_EQ(log.read(cursor, {~std::uint64_t{0}}).reports.front().sequence.value, 30u);
}

// ---- The front -----------------------------------------------------------------------------------------------------

TEST(NextDay, everybody_has_all_reports_and_is_logged_out_before_the_numbers_begin_anew) {
  Venue venue;
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*anna, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "A", .auto_cancel = true}));
  venue.journal_one.lag();
  venue.send(*bert, valid_order({.side = Side::sell, .lots = 2, .ticks = 100, .id = "B"}));
  ASSERT_EQ(anna->reports.size(), 1u);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  EXPECT_EQ(venue.front.end_day(venue.scheduler.now()).error().code, ErrorCode::wrong_state);
  venue.run(100ms);
  EXPECT_TRUE(venue.front.is_ending_day()) << "reports wait for the journal";
  EXPECT_TRUE(anna->is_on);
  EXPECT_EQ(venue.partition_two.day_number(), 0u);
  // Meanwhile nobody is read, and nobody logs on.
  EXPECT_TRUE(anna->session.send(valid_order({.side = Side::buy, .lots = 9, .ticks = 99, .id = "late"})).has_value());
  const auto carl = venue.log_on("CARL");
  EXPECT_EQ(carl->refusal, mit::code::k_system_suspended);
  venue.journal_one.is_lagging = false;
  venue.run(10ms);
  EXPECT_FALSE(venue.front.is_ending_day());
  EXPECT_FALSE(anna->is_on);
  EXPECT_EQ(anna->end_text, "end of day");
  EXPECT_EQ(bert->end_text, "end of day");
  // Accepted, filled, and her day order's end; his acceptance and fill.
  ASSERT_EQ(anna->reports.size(), 3u);
  EXPECT_EQ(anna->reports.back().kind, OwnerReportKind::expired);
  EXPECT_EQ(bert->reports.size(), 2u);
  EXPECT_EQ(venue.partition_one.day_number(), 1u);
  EXPECT_EQ(venue.partition_two.day_number(), 1u);
  EXPECT_EQ(venue.front.counters().days_begun, 1u);
  EXPECT_EQ(venue.front.counters().reports_missed, 0u);
  // What was not read never reached a book, and the end of the session was none for the partitions.
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  venue.run(10s);
  const auto again = venue.log_on("ANNA");
  ASSERT_TRUE(again->is_on);
  venue.send(*again, valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "N"}));
  ASSERT_EQ(again->reports.size(), 1u);
  EXPECT_EQ(again->reports[0].sequence.value, 1u);
}

TEST(NextDay, orders_that_outlive_a_day_stay_and_their_users_logout_cancels_nothing) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  auto order = valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "A", .auto_cancel = true});
  order.terms.time_in_force = market::TimeInForce::good_till_time;
  order.terms.expiry = k_start + 1h;
  venue.send(*anna, order);
  ASSERT_EQ(venue.partition_one.live_orders(), 1u);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(20s);
  EXPECT_FALSE(anna->is_on);
  EXPECT_EQ(venue.partition_one.live_orders(), 1u);
  EXPECT_EQ(anna->reports.size(), 1u);
}

TEST(NextDay, a_partition_whose_journal_is_full_begins_it_when_there_is_room) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.journal_two.is_full = true;
  venue.run(1s);
  EXPECT_TRUE(venue.front.is_ending_day());
  EXPECT_EQ(venue.partition_one.day_number(), 1u);
  EXPECT_EQ(venue.partition_two.day_number(), 0u);
  EXPECT_TRUE(anna->is_on);
  EXPECT_TRUE(venue.front.is_day_over(0));
  venue.journal_two.is_full = false;
  venue.run(1s);
  EXPECT_FALSE(venue.front.is_ending_day());
  EXPECT_FALSE(anna->is_on);
  EXPECT_EQ(anna->end_text, "end of day");
  EXPECT_EQ(venue.partition_two.day_number(), 1u);
  EXPECT_EQ(venue.partition_one.day_number(), 1u) << "once";
}

// A member that is logged out would ask for numbers from 1 on: after a loss of power they would be those of the old
// day.
TEST(NextDay, no_session_is_logged_out_before_the_end_of_the_day_is_durable) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  venue.journal_two.lag();
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(500ms);
  EXPECT_EQ(venue.partition_one.day_number(), 1u);
  EXPECT_EQ(venue.partition_two.day_number(), 1u);
  EXPECT_TRUE(venue.front.is_ending_day());
  EXPECT_TRUE(anna->is_on);
  EXPECT_EQ(venue.log_on("BERT")->refusal, mit::code::k_system_suspended);
  venue.journal_two.is_lagging = false;
  venue.run(500ms);
  EXPECT_FALSE(venue.front.is_ending_day());
  EXPECT_FALSE(anna->is_on);
  EXPECT_EQ(anna->end_text, "end of day");
  EXPECT_FALSE(venue.front.is_day_over(0));
  EXPECT_EQ(venue.front.counters().days_begun, 1u);
}

/// Where nobody is logged on and nothing happens, it is looked for by a timer.
TEST(NextDay, its_beginning_is_seen_to_be_durable_though_nothing_else_happens) {
  Venue venue;
  venue.journal_one.lag();
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(1s);
  ASSERT_TRUE(venue.front.is_ending_day());
  EXPECT_LE(venue.scheduler.next_due(), venue.scheduler.now() + 100ms);
}

TEST(NextDay, who_reads_slowly_has_all_of_the_day_before_it_is_logged_out) {
  Venue venue(make_front_config(), {.input_capacity = 512, .output_capacity = 2048});
  const auto anna = venue.log_on("ANNA"), bert = venue.log_on("BERT");
  venue.send(*bert, valid_order({.side = Side::sell, .lots = 100, .ticks = 100, .id = "wall"}));
  venue.network.pause(bert->session);
  for (int fill = 0; fill < 100; ++fill) venue.send(*anna, valid_order({.lots = 1, .ticks = 100}));
  ASSERT_EQ(venue.front.lagging(), 1u);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(1s);
  EXPECT_TRUE(venue.front.is_ending_day()) << "he has not read it yet";
  EXPECT_EQ(venue.front.day_number(), 0u);
  EXPECT_TRUE(anna->is_on);
  venue.network.resume(bert->session);
  venue.run(1s);
  EXPECT_EQ(venue.front.day_number(), 1u);
  EXPECT_FALSE(venue.front.is_ending_day());
  EXPECT_EQ(bert->reports.size(), 101u);
  EXPECT_EQ(bert->end_text, "end of day");
  EXPECT_EQ(venue.front.counters().reports_missed, 0u);
}

/// Its number would be one of the old day to the session that is still there.
TEST(NextDay, what_is_reported_of_the_next_day_goes_to_no_session_of_the_old_one) {
  Venue venue;
  const auto anna = venue.log_on("ANNA");
  auto order = valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "A"});
  order.terms.time_in_force = market::TimeInForce::good_till_time;
  order.terms.expiry = k_start + 1h;
  venue.send(*anna, order);
  ASSERT_EQ(anna->reports.size(), 1u);
  venue.journal_two.lag();
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(10ms);
  ASSERT_EQ(venue.partition_one.day_number(), 1u);
  ASSERT_TRUE(anna->is_on);
  market::RiskCommand cancel{.kind = market::LimitKind::cancel_orders, .of = market::LimitOf::everybody};
  cancel.header.user = market::k_no_user;
  ASSERT_TRUE(venue.partition_one.submit(cancel.header, venue.scheduler.now()).has_value());
  EXPECT_EQ(venue.partition_one.live_orders(), 0u);
  venue.run(10ms);
  EXPECT_EQ(anna->reports.size(), 1u);
  venue.journal_two.is_lagging = false;
  venue.run(1s);
  EXPECT_EQ(anna->end_text, "end of day");
  EXPECT_EQ(anna->reports.size(), 1u);
}

TEST(NextDay, a_front_whose_process_ended_between_two_partitions_catches_up) {
  Venue venue;
  ASSERT_TRUE(venue.partition_two.begin_next_day(venue.scheduler.now()).has_value());
  Front front(make_front_config(), venue.scheduler,
              std::vector<Partition*>{&venue.partition_one, &venue.partition_two});
  EXPECT_EQ(venue.partition_one.day_number(), 1u);
  EXPECT_EQ(front.day_number(), 1u);
}

// ---- By the clock --------------------------------------------------------------------------------------------------

TEST(NextDay, begins_by_the_clock_every_day_and_at_once_where_it_was_missed) {
  Venue venue;
  const Time now = venue.scheduler.now(), midnight = now - 8h;
  NextDayClock clock(venue.front, venue.scheduler);
  clock.start(now, midnight, 9h, {});
  EXPECT_EQ(clock.next(), midnight + 9h);
  venue.run(1h - 1ms);
  EXPECT_EQ(venue.front.day_number(), 0u);
  venue.run(2ms);
  EXPECT_EQ(venue.front.day_number(), 1u);
  EXPECT_EQ(clock.next(), midnight + 33h);
  NextDayClock later(venue.front, venue.scheduler);
  later.start(venue.scheduler.now(), midnight, 7h, midnight + 7h - 1ns);
  EXPECT_EQ(later.next(), midnight + 7h) << "missed";
  later.start(venue.scheduler.now(), midnight, 7h, midnight + 7h);
  EXPECT_EQ(later.next(), midnight + 31h);
  later.start(midnight + 7h, midnight, 7h, {});
  EXPECT_EQ(later.next(), midnight + 31h) << "a venue that begins at this time begins its first day";
}

/// A partition and the clock of its days behind a front.
struct TimedVenue {
  explicit TimedVenue(PartitionConfig config) : partition(with_users(std::move(config)), journal) {}
  static PartitionConfig with_users(PartitionConfig config) {
    config.users = set_ups_of(make_users());
    return config;
  }
  void run(time::Duration duration) {
    link::run_instants(scheduler, duration, [this](Time now) {
      front.finish(now);
      clock.finish(now);
    });
  }

  ControlledJournal journal;
  Partition partition;
  sched::Scheduler scheduler{512, k_midnight};
  Front front{make_front_config(), scheduler, std::vector<Partition*>{&partition}};
  DayClock clock{partition, scheduler, 7};
};

TEST(NextDay, does_not_begin_in_the_middle_of_a_trading_day_but_soon_behind_it) {
  PartitionConfig config = make_config();
  config.instruments[0].segment = "FOOD";
  config.segments = {food_segment()};
  TimedVenue venue(config);
  venue.clock.start(k_midnight);
  NextDayClock next(venue.front, venue.scheduler);
  next.start(k_midnight, k_midnight, 12h, {});
  venue.run(12h + 1min);
  EXPECT_EQ(venue.front.end_day(venue.scheduler.now()).error().code, ErrorCode::wrong_state);
  EXPECT_FALSE(venue.front.is_ending_day());
  const time::Duration end = food_segment().timetable.end_of_day;
  venue.run(end - 12h - 1min - 1s);
  EXPECT_EQ(venue.front.day_number(), 0u);
  venue.run(3s);
  EXPECT_EQ(venue.front.day_number(), 1u);
  EXPECT_EQ(next.next(), k_midnight + 36h) << "not once for every time that it was tried";
}

TEST(NextDay, is_begun_again_by_the_clock_where_a_journal_had_no_room) {
  TimedVenue venue(make_config());
  NextDayClock next(venue.front, venue.scheduler);
  next.start(k_midnight, k_midnight, 12h, {});
  venue.journal.is_full = true;
  venue.run(12h + 1min);
  EXPECT_FALSE(venue.front.is_ending_day());
  venue.journal.is_full = false;
  venue.run(1s);
  EXPECT_EQ(venue.front.day_number(), 1u);
}

TEST(NextDay, waits_for_the_orders_that_the_end_of_the_day_ends_slice_by_slice) {
  PartitionConfig config = make_config();
  config.slice = 3;
  TimedVenue venue(config);
  for (int count = 0; count < 7; ++count) {
    auto order = make_order({.lots = 1, .ticks = 50 + count});
    ASSERT_TRUE(venue.partition.submit(order.header, venue.scheduler.now()).has_value());
  }
  venue.run(1ms);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  EXPECT_TRUE(venue.partition.is_sweeping());
  EXPECT_EQ(venue.partition.live_orders(), 7u);
  venue.run(1s);
  EXPECT_FALSE(venue.front.is_ending_day());
  EXPECT_EQ(venue.front.day_number(), 1u);
  EXPECT_EQ(venue.partition.live_orders(), 0u);
  EXPECT_EQ(venue.partition.reports().next_number().value, 1u) << "all of it was of the old day";
}

}  // namespace
}  // namespace dojima::venue::testing
