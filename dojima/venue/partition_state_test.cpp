// A partition that was saved and loaded goes on as if it had never been anything else: through every kind of order,
// phases, auctions and halts. And what is no state is refused.

#include <gtest/gtest.h>
#include <variant>
#include <vector>

#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

PartitionConfig config_of(std::uint64_t seed) {
  PartitionConfig config = make_config();
  config.limits = {.orders = 200, .levels = 60, .reports = 4096, .report_buffer = 16};
  config.rules.policy = static_cast<book::Policy>(seed % 4);
  config.rules.self_trade = static_cast<book::SelfTrade>(seed / 4 % 5);
  config.checkpoint_every = seed % 3 == 0 ? 50 : 0;
  config.full_reports = seed % 2 == 0;
  config.limits.trades = seed % 2 == 0 ? 16 : 0;
  return config;
}

std::vector<OwnerReport> submit(Partition& partition, StateFlow::Any command, Time now) {
  Cursor cursor{partition.reports().end()};
  std::visit([&](auto& each) { EXPECT_TRUE(partition.submit(each.header, now)); }, command);
  std::vector<OwnerReport> reports;
  for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
       batch = partition.reports().read(cursor, partition.durable()))
    reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
  return reports;
}

/// Saves at several places of a flow, and at each follows both for a while.
void goes_on_alike(std::uint64_t seed, int steps, int places) {
  const PartitionConfig config = config_of(seed);
  journal::MemoryJournal journal({.capacity = 1 << 25});
  Partition partition(config, journal);
  StateFlow flow(seed);
  partition.observe(&flow);
  Time now = k_start;
  for (int place = 0; place < places; ++place) {
    for (int step = 0; step < steps; ++step) submit(partition, flow.next(), now += std::chrono::milliseconds{1});
    const State state = save(partition);
    journal::MemoryJournal second_journal({.capacity = 1 << 25});
    // The second journal has to have come as far.
    for (std::uint64_t at = 0; at < partition.last_command().value; ++at) {
      ASSERT_FALSE(second_journal.prepare(8).empty());
      second_journal.commit(8);
    }
    Partition second(config, second_journal);
    const Result<void> loaded = load(second, state);
    ASSERT_TRUE(loaded) << "seed " << seed << ": " << loaded.error().expected << " at " << loaded.error().offset;
    ASSERT_EQ(second.digest(), partition.digest()) << "seed " << seed << " place " << place;
    EXPECT_EQ(save(second), state) << "seed " << seed;
    for (const std::uint32_t instrument : {k_rice, k_silk})
      ASSERT_EQ(second.book(instrument)->inconsistency(true), nullptr);
    for (int step = 0; step < steps; ++step) {
      const StateFlow::Any command = flow.next();
      now += std::chrono::milliseconds{1};
      ASSERT_EQ(submit(second, command, now), submit(partition, command, now))
          << "seed " << seed << " place " << place << " step " << step;
    }
    ASSERT_EQ(second.digest(), partition.digest()) << "seed " << seed << " place " << place;
    EXPECT_EQ(second.reports().end(), partition.reports().end());
    EXPECT_EQ(second.divergence(), std::nullopt);
  }
}

TEST(PartitionState, goes_on_as_if_it_had_never_been_saved) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) goes_on_alike(seed, 100, 3);
}

TEST(PartitionStateLong, goes_on_as_if_it_had_never_been_saved) {
  for (std::uint64_t seed = 100; seed < 140 && !HasFatalFailure(); ++seed) goes_on_alike(seed, 250, 8);
}

TEST(PartitionState, keeps_as_many_of_the_newest_reports_as_it_is_asked_for) {
  World world;
  for (int count = 0; count < 5; ++count) world.add({.lots = 1, .ticks = 100});
  const State state = save(world.partition, 2);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Partition second(make_config(), nothing);
  ASSERT_TRUE(load(second, state));
  Cursor cursor;
  const auto batch = second.reports().read(cursor, {1000});
  EXPECT_EQ(batch.lost, 3u);
  EXPECT_EQ(batch.reports.size(), 2u);
  EXPECT_EQ(second.reports().end(), 5u);
}

TEST(PartitionState, refuses_the_state_of_another_partition) {
  World world;
  world.add({.lots = 1, .ticks = 100});
  const State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  const auto refuses = [&](const PartitionConfig& config) {
    Partition other(config, nothing);
    return !load(other, state);
  };
  EXPECT_FALSE(refuses(make_config()));
  PartitionConfig config = make_config();
  config.app_id = 1;
  EXPECT_TRUE(refuses(config));
  config = make_config();
  config.limits.orders = 65;
  EXPECT_TRUE(refuses(config));
  config = make_config();
  config.users.resize(5);
  EXPECT_TRUE(refuses(config));
  config = make_config();
  std::swap(config.instruments[0], config.instruments[1]);
  EXPECT_TRUE(refuses(config));
  config = make_config();
  config.instruments.pop_back();
  EXPECT_TRUE(refuses(config));
}

TEST(PartitionState, refuses_what_is_cut_or_longer) {
  World world;
  world.add({.lots = 1, .ticks = 100});
  State state = save(world.partition);
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  for (std::size_t size = 0; size < state.size(); size += 1 + state.size() / 500) {
    Partition other(make_config(), nothing);
    EXPECT_FALSE(load(other, Bytes(state).first(size))) << size;
  }
  state.push_back({});
  Partition other(make_config(), nothing);
  EXPECT_FALSE(load(other, state));
}

/// A changed state is refused, or it is one of which nothing worse comes than of another flow.
TEST(PartitionState, survives_any_changed_byte) {
  World world;
  for (int count = 0; count < 8; ++count)
    world.add({.side = count % 2 == 0 ? Side::buy : Side::sell,
               .lots = 5,
               .ticks = count % 2 == 0 ? 90 - count : 110 + count});
  const State state = save(world.partition, 3);
  book::testing::Random random(5);
  std::size_t refused = 0;
  for (int count = 0; count < 2000; ++count) {
    State changed = state;
    changed[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(changed.size())))] ^=
        static_cast<std::byte>(1 << random.below(8));
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition other(make_config(), nothing);
    refused += load(other, changed) ? 0U : 1U;
  }
  EXPECT_GT(refused, 200u);
}

TEST(PartitionState, notices_at_a_checkpoint_that_a_replay_goes_another_way) {
  PartitionConfig config = make_config();
  config.checkpoint_every = 4;
  journal::MemoryJournal journal({});
  Partition partition(config, journal);
  for (int count = 0; count < 6; ++count) {
    auto order = make_order({.lots = 1, .ticks = 100 + count});
    ASSERT_TRUE(partition.submit(order.header, k_start));
  }
  EXPECT_EQ(partition.last_command().value, 7u);  // one checkpoint
  const auto replay = [&journal](bool is_changed) {
    PartitionConfig again = make_config();
    again.users[0].limits.open_orders = is_changed ? 2 : 100;
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition second(again, nothing);
    for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);)
      EXPECT_TRUE(second.replay(record->bytes));
    return second.divergence();
  };
  EXPECT_EQ(replay(false), std::nullopt);
  EXPECT_EQ(replay(true), (market::Sequence{5}));
}

}  // namespace
}  // namespace dojima::venue::testing
