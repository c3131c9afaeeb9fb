// Market data leaves when the commands behind it are durable, in its order and whole.

#include "dojima/venue/feed/durable_feed.hpp"

#include <gtest/gtest.h>

#include "dojima/venue/feed/market_data.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {
namespace {

/// A journal in memory that is durable as far as the test says.
class LateJournal final : public journal::Journal {
 public:
  Room prepare(std::size_t size) override { return memory_.prepare(size); }
  journal::Sequence commit(std::size_t size) override { return memory_.commit(size); }
  journal::Sequence last() const override { return memory_.last(); }
  journal::Sequence durable() const override { return is_late ? durable_ : memory_.last(); }
  void follow(std::uint64_t sequence) { durable_ = {sequence}; }
  bool is_late = true;

 private:
  journal::MemoryJournal memory_{{}};
  journal::Sequence durable_;
};

struct Out final : mitch::FeedSink {
  void on_unit(Bytes unit) override { units.emplace_back(unit.begin(), unit.end()); }
  std::vector<std::vector<std::byte>> units;
};

TEST(DurableFeed, holds_units_back_until_their_commands_are_durable) {
  LateJournal late, prompt;
  prompt.is_late = false;
  Partition held(make_config(), late), plain(make_config(), prompt);
  Out out, expected;
  DurableFeed feed(held, out);
  MarketData data(held, feed, {}), other(plain, expected, {});
  for (int count = 1; count <= 5; ++count) {
    for (Partition* partition : {&held, &plain}) {
      auto order = make_order({.lots = count, .ticks = 100});
      ASSERT_TRUE(partition->submit(order.header, k_start));
    }
  }
  EXPECT_EQ(expected.units.size(), 5u);
  EXPECT_TRUE(out.units.empty());
  EXPECT_EQ(feed.release(), 0u);
  late.follow(2);
  EXPECT_EQ(feed.release(), 2u);
  EXPECT_EQ(out.units, std::vector(expected.units.begin(), expected.units.begin() + 2));
  late.follow(5);
  EXPECT_EQ(feed.finish(k_start), 3u);
  EXPECT_EQ(out.units, expected.units);
  EXPECT_EQ(feed.held(), 0u);
}

TEST(DurableFeed, lets_units_pass_where_everything_is_durable_at_once) {
  LateJournal journal;
  journal.is_late = false;
  Partition partition(make_config(), journal);
  Out out;
  DurableFeed feed(partition, out);
  MarketData data(partition, feed, {});
  auto order = make_order({.lots = 1, .ticks = 100});
  ASSERT_TRUE(partition.submit(order.header, k_start));
  EXPECT_EQ(out.units.size(), 1u);
  EXPECT_EQ(feed.held(), 0u);
}

}  // namespace
}  // namespace dojima::venue::testing
