// The feed behind a ring says what the feed beside the partition says, when it is durable, whichever is faster.

#include "dojima/venue/feed/feed_tap.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/venue/feed/market_data.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {
namespace {

/// A journal in memory that is durable as far as the test says.
class HeldJournal final : public journal::Journal {
 public:
  explicit HeldJournal(bool held = true) : is_held(held) {}
  Room prepare(std::size_t size) override { return memory_.prepare(size); }
  journal::Sequence commit(std::size_t size) override { return memory_.commit(size); }
  journal::Sequence last() const override { return memory_.last(); }
  journal::Sequence durable() const override { return is_held ? durable_ : memory_.last(); }
  void follow(std::uint64_t sequence) { durable_ = {sequence}; }
  const bool is_held;  // otherwise what is written is durable

 private:
  journal::MemoryJournal memory_{{}};
  journal::Sequence durable_;
};

/// All messages, whatever units they came in.
struct Messages final : mitch::FeedSink {
  void on_unit(Bytes bytes) override {
    const auto unit = mitch::read_unit(bytes);
    ASSERT_TRUE(unit.has_value());
    all.insert(all.end(), bytes.begin() + mitch::UnitHeader::k_size, bytes.end());
    ++units;
  }
  std::vector<std::byte> all;
  std::size_t units = 0;
};

/// The feed's thread without a thread: takes what is there, and sends it in one unit or a few.
struct Behind {
  Behind(const Partition& partition, FeedTap& from) : tap(from), writer(partition, feed, {}) {}
  std::size_t take() {
    FeedEvent event;
    std::size_t count = 0;
    for (; tap.pop(event); ++count) event.write_to(writer);
    feed.flush();
    return count;
  }
  FeedTap& tap;
  Messages messages;
  mitch::FeedWriter feed{messages, {}};
  MarketDataWriter writer;
};

/// A partition whose commands are durable at once, with a feed beside it, which says what to expect, and one behind a
/// ring of that size.
struct Beside {
  explicit Beside(std::size_t ring) : tap(partition, ring) {}
  HeldJournal journal{false};
  Partition partition{make_config(), journal};
  Messages expected;
  MarketData data{partition, expected, {}};
  FeedTap tap;
  Behind behind{partition, tap};
};

void submit_randomly(Partition& partition, book::testing::RandomFlow& flow, int count) {
  for (; count > 0; --count) {
    auto next = flow.next();
    if (auto* order = std::get_if<market::NewOrder>(&next)) {
      order->linked = {};
      ASSERT_TRUE(partition.submit(order->header, k_start).has_value());
    }
  }
}

TEST(FeedTap, says_what_the_feed_beside_the_partition_says_in_fewer_units) {
  Beside feeds(1 << 10);
  book::testing::RandomFlow flow(1, book::testing::Mix::all);
  for (int turn = 0; turn < 60; ++turn) {
    submit_randomly(feeds.partition, flow, 20);
    static_cast<void>(feeds.tap.release());
    feeds.behind.take();
  }
  EXPECT_FALSE(feeds.expected.all.empty());
  EXPECT_EQ(feeds.behind.messages.all, feeds.expected.all);
  EXPECT_LT(feeds.behind.messages.units * 4, feeds.expected.units);
}

TEST(FeedTap, holds_back_what_is_not_durable) {
  HeldJournal journal;
  Partition partition(make_config(), journal);
  FeedTap tap(partition, 16);
  Behind behind(partition, tap);
  EXPECT_FALSE(tap.release());
  for (int count = 1; count <= 5; ++count) {
    auto order = make_order({.lots = count, .ticks = 100});
    ASSERT_TRUE(partition.submit(order.header, k_start));
  }
  EXPECT_FALSE(tap.release()) << "nothing is durable: nobody need look";
  EXPECT_EQ(behind.take(), 0u);
  journal.follow(2);
  EXPECT_TRUE(tap.release());
  EXPECT_FALSE(tap.release());
  EXPECT_EQ(behind.take(), 2u);
  journal.follow(5);
  EXPECT_TRUE(tap.release());
  EXPECT_EQ(behind.take(), 3u);
  EXPECT_EQ(tap.depth(), 0u);
}

TEST(FeedTap, loses_nothing_when_the_ring_is_full) {
  Beside feeds(4);
  book::testing::RandomFlow flow(2, book::testing::Mix::plain);
  submit_randomly(feeds.partition, flow, 100);
  static_cast<void>(feeds.tap.release());
  EXPECT_GT(feeds.tap.waiting(), 0u);
  EXPECT_EQ(feeds.tap.depth(), feeds.tap.capacity());
  while (feeds.behind.take() != 0) static_cast<void>(feeds.tap.release());
  EXPECT_EQ(feeds.behind.messages.all, feeds.expected.all);
  EXPECT_EQ(feeds.tap.waiting(), 0u);
}

TEST(FeedTap, carries_everything_between_two_threads) {
  Beside feeds(64);
  std::atomic<bool> is_over = false;
  std::jthread feed([&] {
    while (!is_over.load(std::memory_order_acquire)) feeds.behind.take();
    feeds.behind.take();
  });
  book::testing::RandomFlow flow(3, book::testing::Mix::plain);
  for (int turn = 0; turn < 200; ++turn) {
    submit_randomly(feeds.partition, flow, 5);
    static_cast<void>(feeds.tap.release());
  }
  while (feeds.tap.waiting() != 0) static_cast<void>(feeds.tap.release());
  is_over.store(true, std::memory_order_release);
  feed.join();
  EXPECT_EQ(feeds.behind.messages.all, feeds.expected.all);
}

}  // namespace
}  // namespace dojima::venue::testing
