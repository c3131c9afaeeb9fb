// A partition on disk through many lives: killed or without power at any instant, with a follower that writes
// snapshots. Whatever became durable is there again, exactly; nothing else ever was. And starts that are refused.

#include "dojima/venue/recovery/journaled_partition.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "dojima/journal/simulated_disk.hpp"
#include "dojima/venue/recovery/follower.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;
using journal::Durability;

PartitionSettings settings_of(std::uint64_t seed = 0) {
  PartitionSettings settings{.config = make_config(), .user_names = {"ann", "bob", "cid", "dee"}, .build = "test"};
  settings.config.limits = {.orders = 200, .levels = 60, .reports = 4096, .report_buffer = 16};
  settings.config.rules.policy = static_cast<book::Policy>(seed % 4);
  settings.config.checkpoint_every = 64;
  return settings;
}

JournaledPartitionOptions options_of(Durability durability, Time now, std::uint64_t seed = 0) {
  JournaledPartitionOptions options{.settings = settings_of(seed), .now = now};
  options.journal = {
      .durability = durability, .segment_bytes = 16384, .largest_record = 512, .spare_segments = 2, .cut_holes = true};
  return options;
}

std::unique_ptr<JournaledPartition> open(journal::Disk& disk, const JournaledPartitionOptions& options) {
  auto opened = JournaledPartition::open(disk, options);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().what + "; " + opened.error().advice);
  return opened ? std::move(*opened) : nullptr;
}

std::string refusal(journal::Disk& disk, const JournaledPartitionOptions& options) {
  auto opened = JournaledPartition::open(disk, options);
  return opened ? "" : opened.error().what + "; " + opened.error().advice;
}

/// What everybody outside saw and what was submitted, over all lives.
struct Witness {
  std::vector<std::vector<std::byte>> commands;  // by sequence - 1, as they are in the journal
  std::map<std::uint64_t, OwnerReport> reports;  // by position in the log: those that left
  std::uint64_t durable = 0;                     // of commands

  void begin(const journal::FileJournal& journal) {
    auto opened = journal.read_after({commands.size()});
    ASSERT_TRUE(opened);
    reader = std::move(*opened);
    take();
  }
  void take() {
    while (true) {
      const auto record = reader->next();
      ASSERT_TRUE(record);
      if (!*record) return;
      commands.emplace_back((*record)->bytes.begin(), (*record)->bytes.end());
    }
  }
  std::unique_ptr<journal::Reader> reader;  // of the life in hand
};

/// The state that the first `last` commands lead to.
void expect_state(const Witness& witness, const Partition& partition,
                  const std::map<std::uint64_t, OwnerReport>& left) {
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Replayer again(nothing);
  for (std::uint64_t at = 0; at < partition.last_command().value; ++at) {
    ASSERT_LT(at, witness.commands.size());
    const auto applied = again.apply({{at + 1}, witness.commands[at]});
    ASSERT_TRUE(applied) << at + 1 << " " << applied.error().expected;
  }
  ASSERT_EQ(again.partition()->digest(), partition.digest());
  ASSERT_EQ(again.partition()->reports().end(), partition.reports().end());
  // Every report that left is a report of this state.
  Cursor cursor;
  std::uint64_t position = 0;
  for (auto batch = again.partition()->reports().read(cursor, {~std::uint64_t{0}}); !batch.reports.empty();
       batch = again.partition()->reports().read(cursor, {~std::uint64_t{0}})) {
    position += batch.lost;
    for (const OwnerReport& report : batch.reports) {
      if (const auto seen = left.find(position); seen != left.end()) {
        ASSERT_EQ(seen->second, report);
      }
      ++position;
    }
  }
  // Those of a day that is over are not kept.
  ASSERT_TRUE(left.empty() || left.rbegin()->first < again.partition()->reports().end());
}

/// One life: commands until it is killed or the power goes.
void live(JournaledPartition& venue, journal::SimulatedDisk& disk, StateFlow& flow, book::testing::Random& random,
          Time& now, Witness& witness, bool has_follower) {
  Partition& partition = venue.partition();
  partition.observe(&flow);
  std::unique_ptr<Follower> follower;
  if (has_follower) follower = std::make_unique<Follower>(venue, FollowerOptions{.every_commands = 70, .keep = 2});
  Cursor cursor{partition.reports().end()};
  const std::int64_t steps = random.below(400);
  for (std::int64_t step = 0; step < steps && disk.has_power(); ++step) {
    auto command = flow.next();
    now += 1ms;
    std::visit([&](auto& each) { static_cast<void>(partition.submit(each.header, now)); }, command);
    ASSERT_NO_FATAL_FAILURE(witness.take());
    if (random.chance(40)) venue.journal().work();
    if (follower != nullptr && random.chance(30)) follower->step(static_cast<std::size_t>(1 + random.below(50)));
    // As the front sends: up to what is durable.
    witness.durable = std::max(witness.durable, partition.durable().value);
    for (std::uint64_t begin = cursor.position;; begin = cursor.position) {
      const auto batch = partition.reports().read(cursor, partition.durable());
      ASSERT_EQ(batch.lost, 0u);
      if (batch.reports.empty()) break;
      for (const OwnerReport& report : batch.reports) witness.reports[begin++] = report;
    }
    // Now and then a day of the venue ends, as the front ends it: when all reports have left.
    if (cursor.position != partition.reports().end() || partition.is_sweeping() || !random.chance(2)) continue;
    const std::uint64_t day = partition.day_number();
    if (!partition.begin_next_day(now)) continue;
    ASSERT_EQ(partition.day_number(), day + 1);
    ASSERT_EQ(partition.reports().next_number().value, 1u);
    ASSERT_NO_FATAL_FAILURE(witness.take());
  }
}

void lives(std::uint64_t seed, Durability durability, bool loses_power) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << " " << name_of(durability));
  journal::SimulatedDisk disk({.seed = seed, .writes_back = true});
  book::testing::Random random(seed);
  StateFlow flow(seed + 9);
  Witness witness;
  Time now = k_start;
  for (int life = 0; life < 6; ++life) {
    if (life != 0 && loses_power && random.chance(20)) {
      // Also while it recovers.
      disk.lose_power_at(static_cast<std::uint64_t>(1 + random.below(40)));
      if (auto opened = JournaledPartition::open(disk, options_of(durability, now, seed)))
        (*opened)->journal().abandon();
      disk.lose_power();
      disk.restart();
    }
    auto venue = open(disk, options_of(durability, now, seed));
    ASSERT_NE(venue, nullptr);
    const PartitionRecovery& recovery = venue->recovery();
    ASSERT_GE(recovery.last.value, witness.durable);
    // What was never durable may be gone; what follows then takes its numbers.
    const std::uint64_t kept = recovery.last.value;
    if (witness.commands.size() > kept) witness.commands.resize(kept);
    ASSERT_NO_FATAL_FAILURE(witness.begin(venue->journal()));
    if (life != 0) {
      ASSERT_NO_FATAL_FAILURE(expect_state(witness, venue->partition(), witness.reports));
    }
    const std::int64_t end = random.below(3);
    if (loses_power && end != 0) disk.lose_power_at(static_cast<std::uint64_t>(1 + random.below(300)));
    ASSERT_NO_FATAL_FAILURE(live(*venue, disk, flow, random, now, witness, seed % 2 == 0));
    if (loses_power) disk.lose_power();
    witness.reader.reset();
    if (loses_power) venue->journal().abandon();
    if (!loses_power && end == 0) venue->journal().abandon();
    venue.reset();
    disk.restart();
  }
}

TEST(JournaledPartition, loses_nothing_when_it_is_killed) {
  for (std::uint64_t seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) lives(seed, Durability::process, false);
}

TEST(JournaledPartition, loses_nothing_durable_when_the_power_goes) {
  for (std::uint64_t seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) lives(seed, Durability::power, true);
}

TEST(JournaledPartitionLong, loses_nothing_whatever_happens) {
  const char* runs = std::getenv("DOJIMA_VENUE_RUNS");
  const std::uint64_t count = runs != nullptr ? std::strtoull(runs, nullptr, 10) : 30;
  for (std::uint64_t seed = 100; seed < 100 + count && !HasFatalFailure(); ++seed) {
    lives(seed, Durability::process, false);
    lives(seed, Durability::power, true);
    lives(seed, Durability::power, false);
  }
}

// ---- What a start finds --------------------------------------------------------------------------------------------

TEST(JournaledPartition, goes_on_with_the_same_numbers_and_ends_open_sessions_first) {
  journal::SimulatedDisk disk;
  OrderId resting;
  std::uint64_t digest = 0;
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    EXPECT_TRUE(venue->recovery().is_new);
    market::UserCommand logon{.header = {.user = 1, .type = market::CommandType::logon}};
    ASSERT_TRUE(venue->partition().submit(logon.header, k_start));
    auto order = make_order({.user = 1, .lots = 5, .ticks = 100});
    ASSERT_TRUE(venue->partition().submit(order.header, k_start + 1s));
    auto going = make_order({.user = 1, .lots = 5, .ticks = 99, .auto_cancel = true});
    ASSERT_TRUE(venue->partition().submit(going.header, k_start + 2s));
    venue->partition().book(k_rice)->each_resting(Side::buy, [&](const book::RestingOrder& of) {
      if (of.price == at(100)) resting = of.id;
    });
    digest = venue->partition().digest();
    venue->journal().abandon();
  }
  auto venue = open(disk, options_of(Durability::process, k_start + 3s));
  const PartitionRecovery& recovery = venue->recovery();
  EXPECT_FALSE(recovery.is_new);
  EXPECT_EQ(recovery.digest, digest);
  EXPECT_EQ(recovery.last_time, k_start + 2s);
  EXPECT_EQ(recovery.sessions_ended, 1u);
  EXPECT_EQ(venue->partition().live_orders(), 1u);
  EXPECT_FALSE(venue->partition().is_logged_on(1));
  Cursor cursor{venue->partition().reports().end()};
  auto order = make_order({.user = 2, .lots = 5, .ticks = 98});
  ASSERT_TRUE(venue->partition().submit(order.header, k_start + 4s));
  const auto batch = venue->partition().reports().read(cursor, {1000});
  ASSERT_EQ(batch.reports.size(), 1u);
  EXPECT_NE(batch.reports[0].order, resting);
  // Accepted, accepted, expired in the first life and at the start; now the fourth.
  EXPECT_EQ(batch.reports[0].sequence.value, 4u);
}

TEST(JournaledPartition, is_refused_with_other_settings_and_takes_what_may_change) {
  journal::SimulatedDisk disk;
  open(disk, options_of(Durability::process, k_start)).reset();
  auto options = options_of(Durability::process, k_start);
  options.settings.config.limits.orders = 201;
  EXPECT_NE(refusal(disk, options).find("limits.orders: 200 in the journal, 201 now"), std::string::npos);
  options = options_of(Durability::process, k_start);
  options.settings.config.users[1].limits.order_quantity = {3};
  options.settings.build = "another";
  {
    auto venue = open(disk, options);
    EXPECT_EQ(venue->recovery().changes.size(), 2u);
    auto order = make_order({.user = 1, .lots = 5, .ticks = 100});
    ASSERT_TRUE(venue->partition().submit(order.header, k_start));
    EXPECT_EQ(venue->partition().live_orders(), 0u);  // too large now
  }
  // It is on record: a replay knows it too.
  const auto replayed = replay_directory(disk);
  ASSERT_TRUE(replayed) << replayed.error().what;
  EXPECT_EQ(replayed->replayer->settings().config.users[1].limits.order_quantity.lots, 3);
  EXPECT_EQ(open(disk, options)->recovery().changes.size(), 0u);
}

TEST(JournaledPartition, begins_full_reports_and_busts_with_a_record_of_a_journal_that_had_none) {
  journal::SimulatedDisk disk;
  const auto submit = [](JournaledPartition& venue, auto command) {
    ASSERT_TRUE(venue.partition().submit(command.header, k_start));
  };
  auto parked = make_order({.user = 1, .lots = 5, .ticks = 90});
  parked.terms.type = market::OrderType::stop_limit;
  parked.terms.stop = at(200);
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    submit(*venue, parked);
    EXPECT_EQ(venue->partition().reports().end(), 1u) << "accepted, and no more";
  }
  auto options = options_of(Durability::process, k_start);
  options.settings.config.full_reports = true;
  options.settings.config.limits.trades = 8;
  std::uint64_t digest = 0;
  {
    auto venue = open(disk, options);
    EXPECT_EQ(venue->recovery().changes.size(), 2u);
    submit(*venue, parked);
    EXPECT_EQ(venue->partition().reports().end(), 3u) << "accepted and suspended";
    submit(*venue, make_order({.user = 1, .side = Side::sell, .lots = 5, .ticks = 100}));
    submit(*venue, make_order({.user = 2, .side = Side::buy, .lots = 5, .ticks = 100}));
    market::TradeBust bust{.trade = venue->partition().next_trade() - 1};
    bust.header.instrument = k_rice;
    submit(*venue, bust);
    EXPECT_EQ(venue->partition().totals(1).sold, 0u);
    digest = venue->partition().digest();
  }
  const auto replayed = replay_directory(disk);
  ASSERT_TRUE(replayed) << replayed.error().what;
  EXPECT_EQ(replayed->recovery.digest, digest);
  EXPECT_EQ(open(disk, options)->recovery().digest, digest);
}

constexpr std::uint32_t k_added = 77;

JournaledPartitionOptions with_added_instrument(JournaledPartitionOptions options, std::uint32_t id = k_added) {
  market::Instrument added = options.settings.config.instruments.front();
  added.id = id;
  added.symbol = "ADDED" + std::to_string(id);
  options.settings.config.instruments.push_back(added);
  return options;
}

/// Wherever in its journal the partition is: checkpoints come every 64 commands.
TEST(JournaledPartition, takes_instruments_behind_the_last_one_and_has_them_again_at_the_next_start) {
  for (int orders = 0; orders < 70; orders += 1) {
    SCOPED_TRACE(orders);
    journal::SimulatedDisk disk;
    const auto submit = [](JournaledPartition& venue, auto command) {
      ASSERT_TRUE(venue.partition().submit(command.header, k_start));
    };
    const auto options = options_of(Durability::process, k_start);
    {
      auto venue = open(disk, options);
      for (int number = 0; number < orders; ++number)
        submit(*venue, make_order({.user = 1, .lots = 1, .ticks = 50 + number % 20}));
    }
    const auto added = with_added_instrument(options), twice = with_added_instrument(added, k_added + 1);
    std::uint64_t digest = 0;
    {
      auto venue = open(disk, added);
      EXPECT_FALSE(venue->recovery().changes.empty());
      ASSERT_NE(venue->partition().book(k_added), nullptr);
      EXPECT_EQ(venue->partition().live_orders(), static_cast<std::size_t>(orders));
      auto order = make_order({.user = 2, .side = Side::sell, .lots = 3, .ticks = 100});
      order.header.instrument = k_added;
      submit(*venue, order);
      submit(*venue, make_order({.user = 2, .side = Side::sell, .lots = 1, .ticks = 100}));
      EXPECT_EQ(venue->partition().live_orders(), static_cast<std::size_t>(orders) + 2);
      digest = venue->partition().digest();
    }
    const auto replayed = replay_directory(disk);
    ASSERT_TRUE(replayed) << replayed.error().what;
    EXPECT_EQ(replayed->recovery.digest, digest);
    {
      auto venue = open(disk, added);
      EXPECT_TRUE(venue->recovery().changes.empty());
      EXPECT_EQ(venue->recovery().digest, digest);
      EXPECT_TRUE(venue->partition().book(k_added)->best(Side::sell).has_value());
      for (int number = 0; number < 70; ++number)  // checkpoints of the larger partition
        submit(*venue, make_order({.user = 1, .lots = 1, .ticks = 40}));
    }
    EXPECT_EQ(refusal(disk, twice), "") << "and once more";
    EXPECT_EQ(refusal(disk, twice), "");
    EXPECT_NE(refusal(disk, added).find("instruments: 4 in the journal, 3 now"), std::string::npos)
        << refusal(disk, added);
  }
}

TEST(JournaledPartition, goes_on_from_a_snapshot_behind_an_instrument_that_was_added) {
  journal::SimulatedDisk disk;
  const auto options = options_of(Durability::process, k_start), added = with_added_instrument(options);
  const auto trade = [](JournaledPartition& venue, int orders) {
    for (int number = 0; number < orders; ++number) {
      auto order = make_order({.user = 1, .lots = 1, .ticks = 50});
      if (venue.partition().book(k_added) != nullptr && number % 2 == 0) order.header.instrument = k_added;
      ASSERT_TRUE(venue.partition().submit(order.header, k_start));
    }
  };
  std::uint64_t digest = 0;
  for (const auto& each : {options, added, added}) {
    auto venue = open(disk, each);
    Follower follower(*venue, FollowerOptions{.every_commands = 10, .keep = 2});
    trade(*venue, 30);
    venue->journal().work();
    while (follower.step(100)) {
    }
    digest = venue->partition().digest();
  }
  ReplayOptions from_first;
  from_first.from_snapshot = false;
  for (const ReplayOptions& how : {ReplayOptions{}, from_first}) {
    const auto replayed = replay_directory(disk, how);
    ASSERT_TRUE(replayed) << replayed.error().what;
    EXPECT_EQ(replayed->recovery.digest, digest);
  }
  EXPECT_GT(open(disk, added)->recovery().snapshot.value, 0u);
}

/// The first instrument has a trading day, of an hour a phase.
JournaledPartitionOptions options_with_a_day() {
  auto options = options_of(Durability::process, k_start + 8h);
  options.settings.config.instruments[0].segment = "FOOD";
  options.settings.config.segments = {{.name = "FOOD",
                                       .timetable = {.start_of_day = 1h,
                                                     .opening_call = 2h,
                                                     .opening = 3h,
                                                     .closing_call = 4h,
                                                     .closing = 5h,
                                                     .cross_end = 6h,
                                                     .end_of_day = 7h}}};
  return options;
}

TEST(JournaledPartition, is_refused_with_a_further_instrument_while_a_day_is_on) {
  const auto options = options_with_a_day();
  journal::SimulatedDisk disk;
  const auto submit = [&](const JournaledPartitionOptions& with, market::DayEvent event, Time now) {
    auto venue = open(disk, with);
    market::DayCommand command{.midnight = k_start, .event = event};
    ASSERT_TRUE(venue->partition().submit(command.header, now));
  };
  const auto added = with_added_instrument(options);  // of the same segment
  submit(options, market::DayEvent::begin, k_start + 1h);
  EXPECT_NE(refusal(disk, added).find("instruments: 2 in the journal, 3 now"), std::string::npos);
  EXPECT_NE(refusal(disk, added).find("they can change when no trading day is on"), std::string::npos);
  for (int hour = 2; hour <= 7; ++hour) submit(options, market::DayEvent::due, k_start + hour * 1h);
  ASSERT_EQ(refusal(disk, added), "");
  // The next day is one of both.
  auto venue = open(disk, added);
  market::DayCommand begin{.midnight = k_start + 24h, .event = market::DayEvent::begin};
  ASSERT_TRUE(venue->partition().submit(begin.header, k_start + 25h));
  const Partition& partition = venue->partition();
  ASSERT_NE(partition.day(k_added), nullptr);
  EXPECT_EQ(partition.day(k_added)->phase(), partition.day(options.settings.config.instruments[0].id)->phase());
  EXPECT_FALSE(partition.is_between_days());
}

TEST(JournaledPartition, is_refused_while_a_day_is_on_and_its_timetable_changes) {
  auto options = options_with_a_day();
  journal::SimulatedDisk disk;
  const auto submit = [&](market::DayEvent event, Time now) {
    auto venue = open(disk, options);
    market::DayCommand command{.midnight = k_start, .event = event};
    ASSERT_TRUE(venue->partition().submit(command.header, now));
  };
  submit(market::DayEvent::begin, k_start + 1h);
  auto changed = options;
  changed.settings.config.segments[0].timetable.end_of_day = 8h;
  EXPECT_NE(refusal(disk, changed).find("segments.0.end_of_day: 07:00:00 in the journal, 08:00:00 now"),
            std::string::npos);
  for (int hour = 2; hour <= 7; ++hour) submit(market::DayEvent::due, k_start + hour * 1h);
  EXPECT_EQ(refusal(disk, changed), "");
}

TEST(JournaledPartition, reports_a_clock_that_is_behind_and_refuses_one_far_behind) {
  journal::SimulatedDisk disk;
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    auto order = make_order({.lots = 5, .ticks = 100});
    ASSERT_TRUE(venue->partition().submit(order.header, k_start + 100s));
  }
  EXPECT_NE(refusal(disk, options_of(Durability::process, k_start)).find("100 s behind"), std::string::npos);
  auto venue = open(disk, options_of(Durability::process, k_start + 70s));
  EXPECT_EQ(venue->recovery().clock_behind, Duration{30s});
  auto order = make_order({.lots = 5, .ticks = 100});
  ASSERT_TRUE(venue->partition().submit(order.header, k_start + 71s));
  EXPECT_EQ(venue->partition().last_time(), k_start + 100s);
}

TEST(JournaledPartition, is_refused_beside_another_process) {
  journal::SimulatedDisk disk;
  auto venue = open(disk, options_of(Durability::process, k_start));
  EXPECT_NE(refusal(disk, options_of(Durability::process, k_start)), "");
}

TEST(JournaledPartition, refuses_orders_and_takes_cancels_when_the_disk_is_full) {
  journal::SimulatedDisk disk;
  auto venue = open(disk, options_of(Durability::process, k_start));
  disk.fail_writes(ENOSPC);
  OrderId resting;
  int taken = 0;
  for (bool is_taken = true; is_taken; ++taken) {
    auto order = make_order({.lots = 1, .ticks = 100});
    is_taken = venue->partition().submit(order.header, k_start).has_value();
    venue->journal().work();
    ASSERT_LT(taken, 1000);
  }
  EXPECT_TRUE(venue->journal().trouble());
  venue->partition().book(k_rice)->each_resting(Side::buy, [&](const book::RestingOrder& of) { resting = of.id; });
  auto cancel = make_cancel({.order = resting});
  EXPECT_TRUE(venue->partition().submit(cancel.header, k_start));
  market::UserCommand end{.header = {.type = market::CommandType::end_session}, .end = SessionEnd::logout};
  EXPECT_TRUE(venue->partition().submit(end.header, k_start));
  auto order = make_order({.lots = 1, .ticks = 100});
  EXPECT_FALSE(venue->partition().submit(order.header, k_start));
  disk.fail_writes(0);
  for (int count = 0; count < 8; ++count) venue->journal().work();
  EXPECT_TRUE(venue->partition().submit(order.header, k_start));
  EXPECT_FALSE(venue->journal().trouble());
  const std::uint64_t digest = venue->partition().digest();
  venue.reset();
  EXPECT_EQ(replay_directory(disk)->recovery.digest, digest);
}

// ---- Followers -----------------------------------------------------------------------------------------------------

/// A venue with some commands and a snapshot every 50.
void fill(JournaledPartition& venue, Follower* follower, int commands, std::uint64_t seed) {
  StateFlow flow(seed);
  venue.partition().observe(&flow);
  for (int count = 0; count < commands; ++count) {
    auto command = flow.next();
    std::visit([&](auto& each) { static_cast<void>(venue.partition().submit(each.header, k_start)); }, command);
    if (count % 10 == 0) venue.journal().work();
    if (follower != nullptr) follower->step();
  }
  venue.partition().dismiss(static_cast<const ReportSink*>(&flow));
}

TEST(Follower, writes_snapshots_from_which_a_start_is_the_same_and_lets_old_records_go) {
  journal::SimulatedDisk disk;
  std::uint64_t digest = 0, last = 0;
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    Follower follower(*venue, {.every_commands = 100, .keep = 2});
    fill(*venue, &follower, 2000, 3);
    EXPECT_GT(follower.state().snapshots, 10u);
    EXPECT_EQ(follower.state().failures, 0u);
    EXPECT_EQ(follower.state().at.value, venue->partition().last_command().value);
    for (int count = 0; count < 50; ++count) venue->journal().work();
    digest = venue->partition().digest();
    last = venue->partition().last_command().value;
    venue->journal().abandon();
  }
  const auto found = journal::survey(disk);
  EXPECT_GT(found->first.value, 1000u);
  auto venue = open(disk, options_of(Durability::process, k_start));
  EXPECT_GT(venue->recovery().snapshot.value, 1900u);
  EXPECT_EQ(venue->recovery().digest, digest);
  EXPECT_EQ(venue->recovery().last.value, last);
}

TEST(Follower, has_an_older_snapshot_taken_when_the_newest_is_damaged) {
  journal::SimulatedDisk disk;
  std::uint64_t digest = 0;
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    Follower follower(*venue, {.every_commands = 200, .keep = 2});
    fill(*venue, &follower, 1000, 4);
    digest = venue->partition().digest();
    venue->journal().abandon();
  }
  std::vector<std::string> snapshots;
  const auto names = disk.list();
  for (const std::string& name : *names)
    if (name.ends_with(".snapshot")) snapshots.push_back(name);
  ASSERT_EQ(snapshots.size(), 2u);
  auto bytes = disk.contents(snapshots[1]);
  bytes[bytes.size() / 2] ^= std::byte{1};
  disk.put(snapshots[1], bytes);
  {
    auto venue = open(disk, options_of(Durability::process, k_start));
    EXPECT_EQ(venue->recovery().digest, digest);
    ASSERT_EQ(venue->recovery().passed_over.size(), 1u);
    EXPECT_EQ(venue->recovery().passed_over[0].file, snapshots[1]);
    venue->journal().abandon();
  }
  // Both: the records before them are gone.
  bytes = disk.contents(snapshots[0]);
  bytes[bytes.size() / 2] ^= std::byte{1};
  disk.put(snapshots[0], bytes);
  if (journal::survey(disk)->first.value > 1) {
    EXPECT_NE(refusal(disk, options_of(Durability::process, k_start)).find("no good snapshot holds them"),
              std::string::npos);
  }
}

TEST(Follower, keeps_young_snapshots_whatever_their_number) {
  journal::SimulatedDisk disk;
  auto venue = open(disk, options_of(Durability::process, k_start));
  Follower follower(*venue, {.every_commands = 0, .keep_for = std::chrono::hours{48}, .keep = 1});
  const auto count = [&disk] {
    const auto names = disk.list();
    return std::count_if(names->begin(), names->end(), [](const std::string& of) { return of.ends_with(".snapshot"); });
  };
  const std::array expected{1, 2, 3, 3, 3};
  for (int day = 0; day < 5; ++day) {
    auto order = make_order({.lots = 1, .ticks = 100});
    ASSERT_TRUE(venue->partition().submit(order.header, k_start + day * 24h));
    while (follower.step()) {
    }
    ASSERT_TRUE(follower.snapshot());
    EXPECT_EQ(count(), expected[static_cast<std::size_t>(day)]) << day;
  }
}

TEST(Follower, keeps_what_is_there_when_a_snapshot_cannot_be_written) {
  journal::SimulatedDisk disk;
  auto venue = open(disk, options_of(Durability::process, k_start));
  Follower follower(*venue, {.every_commands = 0, .keep = 1});
  fill(*venue, &follower, 100, 5);
  const auto first = follower.snapshot();
  ASSERT_TRUE(first);
  fill(*venue, &follower, 100, 6);
  disk.fail_writes(ENOSPC);
  EXPECT_FALSE(follower.snapshot());
  EXPECT_EQ(follower.state().failures, 1u);
  EXPECT_TRUE(follower.state().trouble);
  disk.fail_writes(0);
  const auto found = journal::newest_snapshot(disk, identity_of_partition(2));
  EXPECT_EQ(found->snapshot->info().sequence, *first);
  EXPECT_TRUE(follower.snapshot());
  EXPECT_FALSE(follower.state().trouble);
}

}  // namespace
}  // namespace dojima::venue::testing
