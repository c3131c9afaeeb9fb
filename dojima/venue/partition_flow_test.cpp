#include <algorithm>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <span>
#include <variant>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/venue/partition_flow_test_support.hpp"

namespace dojima::venue::testing {
namespace {

/// submitted = bought + sold + resting + cancelled + expired for every user, and both sides of all trades meet.
void check_totals(const Partition& partition) {
  std::uint64_t resting[4] = {}, bought = 0, sold = 0;
  for (const std::uint32_t instrument : {k_rice, k_silk})
    for (const Side side : {Side::buy, Side::sell})
      partition.book(instrument)->each_resting(side, [&resting](const book::RestingOrder& order) {
        resting[order.owner] += static_cast<std::uint64_t>(order.leaves.lots);
      });
  for (std::uint16_t user = 0; user < 4; ++user) {
    const UserTotals& totals = partition.totals(user);
    ASSERT_EQ(totals.submitted, totals.bought + totals.sold + resting[user] + totals.cancelled + totals.expired);
    bought += totals.bought;
    sold += totals.sold;
  }
  ASSERT_EQ(bought, sold);
}

struct Outcome {
  std::vector<OwnerReport> reports;
  std::uint64_t digest = 0;
};

TEST(PartitionFlowLong, replays_its_journal_to_the_same_digest_and_the_same_reports) {
  World world(flow_config());
  Flow flow(11);
  flow.next_sink = &world.mirror;
  world.partition.dismiss(&world.mirror);
  world.partition.observe(&flow);
  std::vector<OwnerReport> reported;
  std::vector<std::uint64_t> digests;
  for (int step = 0; step < 20'000 && !::testing::Test::HasFatalFailure(); ++step) {
    auto command = flow.next();
    const auto reports = std::visit([&world](auto& each) { return world.submit(each); }, command);
    reported.insert(reported.end(), reports.begin(), reports.end());
    check_totals(world.partition);
    if (step % 1000 == 0) digests.push_back(world.partition.digest());
  }
  EXPECT_GT(world.partition.totals(0).trades, 500u);

  // Another report buffer: where it is drained must not show.
  PartitionConfig config = flow_config();
  config.limits.report_buffer = 1;
  Partition fresh(config, world.journal);
  Cursor cursor;
  std::vector<OwnerReport> again;
  std::size_t step = 0;
  for (journal::MemoryJournal::Cursor at; const auto record = world.journal.read(at); ++step) {
    ASSERT_TRUE(fresh.replay(record->bytes));
    if (step % 1000 == 0) {
      EXPECT_EQ(fresh.digest(), digests[step / 1000]);
    }
    for (auto batch = fresh.reports().read(cursor, fresh.durable()); !batch.reports.empty();
         batch = fresh.reports().read(cursor, fresh.durable()))
      again.insert(again.end(), batch.reports.begin(), batch.reports.end());
  }
  EXPECT_EQ(again, reported);
  EXPECT_EQ(fresh.digest(), world.partition.digest());
  // The same state with every compiler and in every run.
  EXPECT_EQ(fresh.digest(), 784080603008158923u);
}

TEST(PartitionFlowLong, numbers_reports_without_a_gap_and_answers_every_request_exactly_once) {
  World world(flow_config());
  Flow flow(12);
  flow.next_sink = &world.mirror;
  world.partition.dismiss(&world.mirror);
  world.partition.observe(&flow);
  std::uint64_t last = 0, executions = 0;
  for (int step = 0; step < 20'000; ++step) {
    auto command = flow.next();
    const bool is_request = !std::holds_alternative<market::UserCommand>(command);
    const auto reports = std::visit([&world](auto& each) { return world.submit(each); }, command);
    int answers = 0;
    for (const OwnerReport& report : reports) {
      if (report.sequence.value != 0) {
        ASSERT_EQ(report.sequence.value, ++last);
      }
      if (report.execution != 0) {
        ASSERT_EQ(report.execution, (std::uint64_t{2} << 60) + ++executions);
      }
      answers += report.kind != OwnerReportKind::traded && report.kind != OwnerReportKind::expired ? 1 : 0;
    }
    ASSERT_EQ(answers, is_request ? 1 : 0) << "step " << step;
  }
}

TEST(PartitionFlow, is_the_same_whatever_is_fetched_ahead) {
  World plain(flow_config()), ahead(flow_config());
  Flow flow(14);
  flow.next_sink = &plain.mirror;
  plain.partition.dismiss(&plain.mirror);
  plain.partition.observe(&flow);
  // Commands of every type, as they come off a journal or a socket: some about nothing, more than are looked at.
  std::vector<std::variant<market::NewOrder, market::Replace, market::Cancel, market::UserCommand>> before;
  market::MassCancel mass_cancel;
  market::CommandHeader bare{.user = 0xffff, .type = static_cast<market::CommandType>(200)};
  for (int step = 0; step < 3'000; ++step) {
    auto command = flow.next();
    before.push_back(command);
    std::vector<const market::CommandHeader*> next{&mass_cancel.header};
    // A whole record where any may be read.
    alignas(8) std::byte unknown[sizeof(market::NewOrder)] = {};
    std::memcpy(unknown, &bare, sizeof bare);
    next.push_back(reinterpret_cast<const market::CommandHeader*>(unknown));
    for (std::size_t back = 0; back < std::min<std::size_t>(before.size(), 20); ++back)
      next.push_back(std::visit([](const auto& each) { return &each.header; }, before[before.size() - 1 - back]));
    ahead.partition.prefetch(std::span(next).first(static_cast<std::size_t>(step) % (next.size() + 1)));
    const auto reports = std::visit([&plain](auto& each) { return plain.submit(each); }, command);
    ASSERT_EQ(std::visit([&ahead](auto& each) { return ahead.submit(each); }, command), reports) << "step " << step;
  }
  EXPECT_EQ(ahead.partition.digest(), plain.partition.digest());
  EXPECT_GT(plain.partition.totals(0).trades, 50u);
}

TEST(PartitionFlow, refuses_journal_records_that_are_none_of_its_next_command) {
  World world;
  alignas(8) std::byte bytes[200] = {};
  auto order = make_order({.lots = 1, .ticks = 100});
  order.header.sequence = {1};
  std::memcpy(bytes, &order, sizeof order);
  EXPECT_FALSE(world.partition.replay({bytes, 8}));
  EXPECT_FALSE(world.partition.replay({bytes, sizeof order - 1}));
  EXPECT_FALSE(world.partition.replay({bytes, sizeof order + 1}));
  EXPECT_TRUE(world.partition.replay({bytes, sizeof order}));
  EXPECT_FALSE(world.partition.replay({bytes, sizeof order}));  // sequence 1 again
}

TEST(PartitionFlow, allocates_nothing_after_construction_whatever_the_commands) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "this build does not count";
  PartitionConfig config = flow_config();
  journal::MemoryJournal journal({.keep = journal::Keep::none});
  Partition partition(config, journal);
  MirrorBook mirror(config.instruments, config.limits);
  Flow flow(13);
  flow.next_sink = &mirror;
  partition.observe(&flow);
  Cursor cursor;
  std::size_t trades = 0, refusals = 0;
  const std::uint64_t before = heap_allocations();
  for (int step = 0; step < 50'000; ++step) {
    auto command = flow.next();
    std::visit([&partition](auto& each) { EXPECT_TRUE(partition.submit(each.header, k_start)); }, command);
    for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
         batch = partition.reports().read(cursor, partition.durable())) {
      for (const OwnerReport& report : batch.reports) {
        trades += report.kind == OwnerReportKind::traded ? 1 : 0;
        refusals += report.status == OrderStatus::rejected ? 1 : 0;
      }
    }
  }
  const std::uint64_t after = heap_allocations();
  EXPECT_EQ(after - before, 0u);
  EXPECT_GT(trades, 1'000u);
  EXPECT_GT(refusals, 1'000u);
  EXPECT_EQ(mirror.mismatch(partition), nullptr);
}

TEST(MirrorBook, notices_a_report_that_is_missing_doubled_or_wrong) {
  /// Passes on all reports but spoils one.
  struct Tamperer final : ReportSink {
    Tamperer(MirrorBook& to, int number) : mirror(to), spoilt(number) {}
    void on_reports(std::span<const market::BookReport> reports, Time now) override {
      for (market::BookReport report : reports) {
        const bool is_hit = report.kind == market::BookReportKind::traded && trades++ == 5;
        if (is_hit && spoilt == 0) continue;
        if (is_hit && spoilt == 2) report.quantity += market::Quantity{1};
        mirror.on_reports({&report, 1}, now);
        if (is_hit && spoilt == 1) mirror.on_reports({&report, 1}, now);
      }
    }
    MirrorBook& mirror;
    int spoilt, trades = 0;
  };
  for (int spoilt = 0; spoilt <= 3; ++spoilt) {
    PartitionConfig config = flow_config();
    journal::MemoryJournal journal({});
    Partition partition(config, journal);
    MirrorBook mirror(config.instruments, config.limits);
    Tamperer tamperer(mirror, spoilt);
    Flow flow(14);
    flow.next_sink = &tamperer;
    partition.observe(&flow);
    for (int step = 0; step < 300; ++step) {
      auto command = flow.next();
      std::visit([&partition](auto& each) { EXPECT_TRUE(partition.submit(each.header, k_start)); }, command);
    }
    EXPECT_EQ(mirror.mismatch(partition) == nullptr, spoilt == 3) << "spoilt " << spoilt;
    EXPECT_EQ(mirror.misfit().has_value(), spoilt != 3);
  }
}

}  // namespace
}  // namespace dojima::venue::testing
