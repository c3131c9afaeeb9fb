#include "dojima/venue/threads/partition_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/controlled_journal_test_support.hpp"
#include "dojima/venue/feed/market_data.hpp"
#include "dojima/venue/partition_flow_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using FlowCommand = decltype(std::declval<Flow&>().next());

market::CommandHeader& header_of(FlowCommand& command) {
  return std::visit([](auto& of) -> market::CommandHeader& { return of.header; }, command);
}

/// Remembers what the threads left, and applies it.
struct Applier final : PartitionThreads::Taker {
  explicit Applier(std::vector<Partition*> of) : partitions(std::move(of)) {}
  void take(std::size_t partition, market::CommandHeader& header, Time now) override {
    taken.push_back(partition);
    if (!partitions[partition]->submit(header, now)) ++refused;
  }
  std::vector<Partition*> partitions;
  std::vector<std::size_t> taken;
  std::size_t refused = 0;
};

/// What heap allocations the thread made that calls it.
struct AllocationSink final : ReportSink {
  void on_reports(std::span<const market::BookReport>, Time) override {
    const std::uint64_t now = heap_allocations();
    if (thread == std::this_thread::get_id())
      more += now - before;
    else
      thread = std::this_thread::get_id();
    before = now;
  }
  std::thread::id thread;
  std::uint64_t before = 0, more = 0;
};

/// The units of a partition's market data, one behind the other.
struct Units final : mitch::FeedSink {
  void on_unit(Bytes unit) override { bytes.insert(bytes.end(), unit.begin(), unit.end()); }
  std::vector<std::byte> bytes;
};

/// Partitions, and others that get the same commands one after the other on one thread.
struct Twins {
  explicit Twins(std::size_t count, const PartitionConfig& config = flow_config()) {
    for (std::size_t at = 0; at < count; ++at) {
      for (auto* partitions : {&threaded, &serial}) {
        journals.push_back(std::make_unique<journal::MemoryJournal>(
            journal::MemoryJournalOptions{.keep = journal::Keep::all, .capacity = std::size_t{16} << 20}));
        partitions->push_back(std::make_unique<Partition>(config, *journals.back()));
      }
      flows.push_back(std::make_unique<Flow>(100 * at + 7));
      serial.back()->observe(flows.back().get());
    }
  }

  /// Each of them makes market data from now on, which is compared as well.
  void publish() {
    for (std::size_t at = 0; at < threaded.size(); ++at)
      for (Partition* partition : {threaded[at].get(), serial[at].get()}) {
        units.push_back(std::make_unique<Units>());
        feeds.push_back(
            std::make_unique<MarketData>(*partition, *units.back(), MarketDataOptions{.midnight = k_start}));
        feeds.back()->start(k_start);
      }
  }

  [[nodiscard]] std::vector<Partition*> of_threads() const {
    std::vector<Partition*> all;
    for (const auto& each : threaded) all.push_back(each.get());
    return all;
  }

  /// Everything is equal to the byte: state, reports, journals, market data.
  void expect_equal() const {
    for (std::size_t at = 0; at < threaded.size(); ++at) {
      SCOPED_TRACE(::testing::Message() << "partition " << at);
      EXPECT_EQ(threaded[at]->digest(), serial[at]->digest());
      EXPECT_EQ(threaded[at]->last_command(), serial[at]->last_command());
      ASSERT_EQ(threaded[at]->reports().end(), serial[at]->reports().end());
      Cursor one, other;
      const auto got = threaded[at]->reports().read(one, threaded[at]->durable());
      const auto wanted = serial[at]->reports().read(other, serial[at]->durable());
      ASSERT_EQ(got.reports.size(), wanted.reports.size());
      for (std::size_t report = 0; report < got.reports.size(); ++report)
        ASSERT_EQ(std::memcmp(&got.reports[report], &wanted.reports[report], sizeof(OwnerReport)), 0) << report;
      expect_equal(*journals[2 * at], *journals[2 * at + 1]);
      if (units.empty()) continue;
      EXPECT_GT(feeds[2 * at]->messages(), 100u);
      EXPECT_EQ(feeds[2 * at]->unpublished(), feeds[2 * at + 1]->unpublished());
      ASSERT_EQ(units[2 * at]->bytes, units[2 * at + 1]->bytes) << "market data";
    }
  }
  static void expect_equal(const journal::MemoryJournal& one, const journal::MemoryJournal& other) {
    ASSERT_EQ(one.last(), other.last());
    journal::MemoryJournal::Cursor of_one, of_other;
    while (const auto wanted = other.read(of_other)) {
      const auto got = one.read(of_one);
      ASSERT_TRUE(got.has_value());
      ASSERT_EQ(got->kind, wanted->kind) << wanted->sequence.value;
      ASSERT_TRUE(std::ranges::equal(got->bytes, wanted->bytes)) << "journal, record " << wanted->sequence.value;
    }
    EXPECT_GT(of_other.read.value, 0u);
  }

  std::vector<std::unique_ptr<journal::MemoryJournal>> journals;  // of the threads' and of the others in turn
  std::vector<std::unique_ptr<Partition>> threaded, serial;
  std::vector<std::unique_ptr<Flow>> flows;
  std::vector<std::unique_ptr<Units>> units;  // as the journals; none unless publish() was called
  std::vector<std::unique_ptr<MarketData>> feeds;
};

constexpr std::uint64_t k_no_stop = ~std::uint64_t{0};

struct Layout {
  std::size_t partitions, threads, ring;
  ThreadIdle idle;
};

class PartitionThreadsLayouts : public ::testing::TestWithParam<Layout> {};

/// Instants of one to a few hundred commands, more than a ring holds.
TEST_P(PartitionThreadsLayouts, give_the_same_bytes_as_one_thread) {
  const Layout layout = GetParam();
  Twins twins(layout.partitions);
  twins.publish();
  Applier applier(twins.of_threads());
  PartitionThreads threads(twins.of_threads(), {.threads = layout.threads, .ring = layout.ring, .idle = layout.idle});
  threads.set_taker(applier);
  threads.start();
  book::testing::Random random(3);
  Time now = k_start;
  std::uint64_t sent = 0;
  for (int instant = 0; instant < 200; ++instant) {
    now += std::chrono::microseconds{10};
    threads.deliver(now);
    const std::int64_t count = instant % 3 == 0 ? 1 : 1 + random.below(200);
    std::vector<std::pair<std::size_t, FlowCommand>> commands;
    for (std::int64_t at = 0; at < count; ++at) {
      const auto partition = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(layout.partitions)));
      FlowCommand command = twins.flows[partition]->next();
      commands.emplace_back(partition, command);
      ASSERT_TRUE(twins.serial[partition]->submit(header_of(command), now).has_value());
    }
    for (auto& [partition, command] : commands) {
      ++sent;
      if (threads.post(partition, header_of(command), now, k_no_stop)) continue;
      threads.settle();
      ASSERT_TRUE(threads.post(partition, header_of(command), now, k_no_stop)) << "there is room once all is applied";
    }
    EXPECT_LE(threads.finish(now), static_cast<std::size_t>(count));
    EXPECT_FALSE(threads.is_open());
    for (std::size_t at = 0; at < layout.partitions; ++at)
      ASSERT_EQ(twins.threaded[at]->last_command(), twins.serial[at]->last_command()) << instant << ' ' << at;
  }
  EXPECT_TRUE(applier.taken.empty());
  twins.expect_equal();
  std::uint64_t applied = 0;
  for (std::size_t at = 0; at < layout.partitions; ++at)
    applied += threads.counters(at).by_thread + threads.counters(at).by_sessions;
  EXPECT_EQ(applied, sent) << "every command was applied by one of them";
}

INSTANTIATE_TEST_SUITE_P(All, PartitionThreadsLayouts,
                         ::testing::Values(Layout{1, 1, 1024, ThreadIdle::yield}, Layout{2, 1, 64, ThreadIdle::yield},
                                           Layout{2, 2, 1024, ThreadIdle::sleep}, Layout{4, 2, 16, ThreadIdle::sleep},
                                           Layout{4, 4, 1024, ThreadIdle::spin}, Layout{3, 2, 2, ThreadIdle::yield}),
                         [](const auto& layout) {
                           return std::to_string(layout.param.partitions) + "_partitions_" +
                                  std::to_string(layout.param.threads) + "_threads_ring_" +
                                  std::to_string(layout.param.ring) + "_idle_" +
                                  std::to_string(static_cast<int>(layout.param.idle));
                         });

struct OnePartition {
  explicit OnePartition(const PartitionThreadsOptions& options = {}) : threads(all, options) {
    threads.set_taker(applier);
    threads.start();
    threads.deliver(k_start);
  }
  void post(std::int64_t ticks, std::uint64_t stop_at = k_no_stop) {
    const auto order = make_order({.lots = 1, .ticks = ticks});
    ASSERT_TRUE(threads.post(0, order.header, k_start, stop_at));
  }

  ControlledJournal journal;
  Partition partition{make_config(), journal};
  std::vector<Partition*> all{&partition};
  Applier applier{all};
  PartitionThreads threads;
};

TEST(PartitionThreads, leave_a_command_behind_too_many_reports_to_the_taker_and_all_that_follow) {
  OnePartition one;
  for (int at = 0; at < 5; ++at) one.post(100 + at, 3);
  one.threads.settle();
  EXPECT_EQ(one.applier.taken, (std::vector<std::size_t>{0, 0})) << "three have a report each, then it is enough";
  EXPECT_EQ(one.partition.last_command().value, 5u);
  EXPECT_EQ(one.partition.live_orders(), 5u);
  // The next instant begins anew.
  one.post(110, one.partition.reports().end() + 1);
  one.threads.settle();
  EXPECT_EQ(one.applier.taken.size(), 2u);
  EXPECT_EQ(one.threads.counters(0).most_posted, 5u);
}

TEST(PartitionThreads, leave_what_a_journal_has_no_room_for_to_the_taker) {
  OnePartition one;
  one.journal.is_full = true;
  for (int at = 0; at < 3; ++at) one.post(100 + at);
  one.threads.settle();
  EXPECT_EQ(one.applier.taken.size(), 3u);
  EXPECT_EQ(one.applier.refused, 3u);
  EXPECT_EQ(one.partition.last_command().value, 0u);
  one.journal.is_full = false;
  one.post(100);
  one.threads.settle();
  EXPECT_EQ(one.applier.taken.size(), 3u) << "what there is room for again is nobody else's";
  EXPECT_EQ(one.partition.live_orders(), 1u);
}

TEST(PartitionThreads, a_full_ring_is_said_and_nothing_is_lost) {
  OnePartition one({.threads = 1, .ring = 4, .idle = ThreadIdle::sleep});
  EXPECT_EQ(one.threads.capacity(), 4u);
  one.journal.is_full = true;  // nothing leaves the ring before settle()
  for (int at = 0; at < 4; ++at) one.post(100 + at);
  const auto order = make_order({.lots = 1, .ticks = 90});
  EXPECT_FALSE(one.threads.post(0, order.header, k_start, k_no_stop));
  one.journal.is_full = false;
  one.threads.settle();
  EXPECT_EQ(one.partition.live_orders(), 4u);
  EXPECT_TRUE(one.threads.post(0, order.header, k_start, k_no_stop));
  one.threads.settle();
  EXPECT_EQ(one.partition.live_orders(), 5u);
}

TEST(PartitionThreads, take_what_is_worth_waking_them_for) {
  for (const ThreadIdle idle : {ThreadIdle::sleep, ThreadIdle::yield}) {
    Twins twins(1);
    Applier applier(twins.of_threads());
    PartitionThreads threads(twins.of_threads(), {.threads = 1, .ring = 4096, .idle = idle});
    threads.set_taker(applier);
    threads.start();
    Time now = k_start;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (threads.counters(0).by_thread == 0 && std::chrono::steady_clock::now() < deadline) {
      now += std::chrono::microseconds{1};
      threads.deliver(now);
      // Longer than a thread takes to wake up.
      for (int at = 0; at < 2000; ++at) {
        const auto cancel = make_cancel({.original = "none"});
        ASSERT_TRUE(threads.post(0, cancel.header, now, k_no_stop));
      }
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      threads.finish(now);
    }
    EXPECT_GT(threads.counters(0).by_thread, 0u) << static_cast<int>(idle);
    EXPECT_GT(threads.processor_time(0), Duration{0});
  }
}

TEST(PartitionThreads, allocate_nothing_once_they_run) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  Twins twins(1);
  AllocationSink sink;
  twins.threaded[0]->observe(&sink);
  Applier applier(twins.of_threads());
  PartitionThreads threads(twins.of_threads(), {.threads = 1, .ring = 4096, .idle = ThreadIdle::spin});
  threads.set_taker(applier);
  threads.start();
  std::vector<FlowCommand> commands;
  for (int at = 0; at < 4000; ++at) {
    FlowCommand& command = commands.emplace_back(twins.flows[0]->next());
    ASSERT_TRUE(twins.serial[0]->submit(header_of(command), k_start).has_value());
  }
  threads.deliver(k_start);
  const std::uint64_t before = heap_allocations();
  for (FlowCommand& command : commands) ASSERT_TRUE(threads.post(0, header_of(command), k_start, k_no_stop));
  threads.finish(k_start);
  EXPECT_EQ(heap_allocations() - before, 0u);
  EXPECT_EQ(sink.more, 0u);
  twins.expect_equal();
}

TEST(PartitionThreads, are_refused_where_they_make_no_sense) {
  Twins twins(2);
  const std::vector<Partition*> none, all = twins.of_threads();
  EXPECT_THROW(PartitionThreads(none, {.threads = 1}), std::invalid_argument);
  EXPECT_THROW(PartitionThreads(all, {.threads = 0}), std::invalid_argument);
  EXPECT_THROW(PartitionThreads(all, {.threads = 3}), std::invalid_argument);
  EXPECT_THROW(PartitionThreads(all, {.threads = 1, .ring = 1}), std::invalid_argument);
}

TEST(PartitionThreads, post_nothing_before_they_run_and_between_two_instants) {
  Twins twins(1);
  Applier applier(twins.of_threads());
  PartitionThreads threads(twins.of_threads(), {});
  threads.set_taker(applier);
  threads.deliver(k_start);
  EXPECT_FALSE(threads.is_open());
  threads.start();
  EXPECT_FALSE(threads.is_open());
  threads.deliver(k_start);
  EXPECT_TRUE(threads.is_open());
  EXPECT_EQ(threads.finish(k_start), 0u);
  EXPECT_FALSE(threads.is_open());
  EXPECT_EQ(threads.next_time(), sched::Source::k_every_turn);
}

}  // namespace
}  // namespace dojima::venue::testing
