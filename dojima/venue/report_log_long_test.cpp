// A report log that has to grow, in a partition of so many orders that it does.

#include <gtest/gtest.h>

#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {
namespace {

TEST(ReportLogGrowingLong, has_every_report_of_one_order_that_trades_with_all_others) {
  PartitionConfig config = make_config();
  constexpr std::size_t k_orders = 3 * k_orders_at_once;
  config.limits = {.orders = k_orders, .levels = 16, .reports = 1, .report_buffer = 64};
  journal::MemoryJournal journal{{.keep = journal::Keep::none, .capacity = 1}};
  Partition partition(config, journal);
  Time now = k_start;
  const auto submit = [&](market::NewOrder order) {
    ASSERT_TRUE(partition.submit(order.header, now += std::chrono::microseconds{1}).has_value());
  };
  for (std::size_t at = 0; at + 1 < k_orders; ++at)
    submit(make_order({.user = 1, .side = Side::sell, .lots = 1, .ticks = 100}));
  EXPECT_EQ(partition.reports().capacity(), 4 * k_orders_at_once + 64);
  Cursor cursor{partition.reports().end()};
  submit(make_order({.user = 2, .side = Side::buy, .lots = k_orders - 1, .ticks = 100}));
  EXPECT_EQ(partition.reports().capacity(), 4 * k_orders + 64) << "it grew";
  std::size_t makers = 0, takers = 0, gaps = 0;
  std::uint64_t lost = 0, number = 0;
  for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
       batch = partition.reports().read(cursor, partition.durable())) {
    lost += batch.lost;
    for (const OwnerReport& report : batch.reports) {
      gaps += number != 0 && report.sequence.value != number + 1 ? 1 : 0;
      number = report.sequence.value;
      makers += report.liquidity == 'A' ? 1 : 0;
      takers += report.liquidity == 'R' ? 1 : 0;
    }
  }
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(gaps, 0u);
  EXPECT_EQ(makers, k_orders - 1);
  EXPECT_EQ(takers, k_orders - 1);
}

}  // namespace
}  // namespace dojima::venue::testing
