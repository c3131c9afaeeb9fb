#include "dojima/recorded/books/depth_book.hpp"

#include <gtest/gtest.h>
#include <map>

#include "dojima/flow/random.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

const std::vector<RecordedInstrument> k_instruments = {{.symbol = "RICE", .tick = 5}, {.symbol = "BEAN"}};

RecordedEvent event(EventKind kind, std::uint64_t order, Side side, std::int64_t price, std::int64_t quantity,
                    std::uint64_t other = 0, std::uint32_t instrument = 0) {
  return {.order = order,
          .other = other,
          .price = price,
          .quantity = quantity,
          .instrument = instrument,
          .kind = kind,
          .side = side};
}

void apply(DepthBooks& books, const RecordedEvent& one) {
  books.apply(one, k_instruments);
}

using enum EventKind;

TEST(DepthBooks, follow_an_order_through_all_that_may_happen_to_it) {
  DepthBooks books;
  apply(books, event(add, 1, Side::buy, 100, 10));
  apply(books, event(add, 2, Side::buy, 100, 5));
  apply(books, event(add, 3, Side::sell, 110, 7));
  EXPECT_EQ(books.of(0).bids.best(), (DepthLevel{100, 15}));
  apply(books, event(reduce, 1, Side::buy, k_unknown, 3));
  EXPECT_EQ(books.of(0).bids.best(), (DepthLevel{100, 12}));
  apply(books, event(execute, 1, Side::buy, k_unknown, 7));
  EXPECT_EQ(books.of(0).bids.best(), (DepthLevel{100, 5}));
  EXPECT_EQ(books.of(0).last_trade, (DepthLevel{100, 7}));
  EXPECT_EQ(books.order(1, 0), nullptr);
  apply(books, event(amend, 2, Side::buy, 105, 6));
  EXPECT_EQ(books.of(0).bids.best(), (DepthLevel{105, 6}));
  apply(books, event(replace, 3, Side::none, 108, 9, 4));
  EXPECT_EQ(books.of(0).asks.best(), (DepthLevel{108, 9}));
  EXPECT_EQ(books.order(3, 0), nullptr);
  ASSERT_NE(books.order(4, 0), nullptr);
  apply(books, event(remove, 4, Side::sell, k_unknown, k_unknown));
  EXPECT_TRUE(books.of(0).asks.is_empty());
  EXPECT_EQ(books.live_orders(), 1u);
  EXPECT_EQ(books.counts(), (DepthCounts{.events = 8, .changes = 8, .trades = 1, .traded = 7}));
}

TEST(DepthBooks, count_what_does_not_fit_and_go_on) {
  DepthBooks books;
  apply(books, event(remove, 9, Side::buy, 1, 1));
  apply(books, event(execute, 9, Side::buy, 100, 4));
  apply(books, event(replace, 9, Side::sell, 110, 4, 10));
  apply(books, event(replace, 11, Side::none, 110, 4, 12));
  apply(books, event(add, 10, Side::sell, 115, 2));
  apply(books, event(reduce, 10, Side::sell, k_unknown, 3));
  apply(books, event(add, 13, Side::none, 115, 2));
  apply(books, event(add, 13, Side::buy, k_unknown, 2));
  apply(books, event(add, 13, Side::buy, 100, 0));
  EXPECT_EQ(books.counts().unknown, 4u);
  EXPECT_EQ(books.counts().duplicates, 1u);
  EXPECT_EQ(books.counts().too_much, 1u);
  EXPECT_EQ(books.counts().nonsense, 3u);
  EXPECT_EQ(books.counts().traded, 4) << "a trade it was, whoever traded";
  EXPECT_TRUE(books.of(0).asks.is_empty());
  EXPECT_TRUE(books.of(0).bids.is_empty());
}

TEST(DepthBooks, take_levels_as_they_are_reported_and_clear_them) {
  DepthBooks books;
  apply(books, event(level, 0, Side::buy, 103, 10));
  apply(books, event(level, 0, Side::buy, 101, 20, 0, 1));
  apply(books, event(level, 0, Side::sell, 103, 5));
  EXPECT_TRUE(books.of(0).is_crossed());
  EXPECT_FALSE(books.of(1).is_crossed());
  apply(books, event(add, 1, Side::sell, 108, 5));
  apply(books, event(clear, 0, Side::sell, k_unknown, k_unknown));
  EXPECT_TRUE(books.of(0).asks.is_empty());
  EXPECT_EQ(books.live_orders(), 0u);
  EXPECT_FALSE(books.of(0).bids.is_empty());
  EXPECT_EQ(books.of(1).bids.best(), (DepthLevel{101, 20}));
  apply(books, event(quote, 0, Side::sell, 104, 5));
  apply(books, event(window, 0, Side::sell, 104, 5));
  EXPECT_TRUE(books.of(0).asks.is_empty()) << "neither is news about the book";
}

TEST(DepthBooks, agree_with_a_plain_map_of_orders) {
  struct Plain {
    std::int64_t price, quantity;
    Side side;
  };
  flow::Random random(4);
  DepthBooks books;
  std::map<std::uint64_t, Plain> orders;
  for (std::uint64_t next = 1; next < 40'000;) {
    const std::uint64_t draw = random.below(10);
    // Old orders come in runs of the table.
    const auto known = orders.lower_bound(random.below(next));
    if (draw < 4 || known == orders.end()) {
      const Side side = random.below(2) == 0 ? Side::buy : Side::sell;
      const Plain order{static_cast<std::int64_t>(500 + random.below(100)) * 5,
                        static_cast<std::int64_t>(1 + random.below(9)), side};
      const std::uint64_t id = next * (1 + 1023 * (next % 3));
      ++next;
      if (!orders.try_emplace(id, order).second) continue;
      apply(books, event(add, id, side, order.price, order.quantity));
    } else if (draw < 6) {
      known->second.quantity -= 1;
      apply(books, event(reduce, known->first, known->second.side, k_unknown, 1));
      if (known->second.quantity == 0) orders.erase(known);
    } else {
      apply(books, event(remove, known->first, known->second.side, k_unknown, k_unknown));
      orders.erase(known);
    }
  }
  std::map<std::int64_t, std::int64_t> bids, asks;
  for (const auto& [id, order] : orders) {
    (order.side == Side::buy ? bids : asks)[order.price] += order.quantity;
    ASSERT_NE(books.order(id, 0), nullptr);
    ASSERT_EQ(books.order(id, 0)->quantity, order.quantity);
  }
  EXPECT_EQ(books.live_orders(), orders.size());
  EXPECT_EQ(books.of(0).bids.level_count(), bids.size());
  for (const auto& [price, quantity] : bids) EXPECT_EQ(books.of(0).bids.quantity_at(price), quantity);
  for (const auto& [price, quantity] : asks) EXPECT_EQ(books.of(0).asks.quantity_at(price), quantity);
  EXPECT_EQ(books.counts().unknown, 0u);
}

TEST(DepthBooks, give_the_same_whether_events_come_one_by_one_or_together) {
  std::vector<RecordedEvent> events;
  flow::Random random(6);
  for (std::uint64_t id = 0; id < 5000; ++id) {
    const auto price = static_cast<std::int64_t>(1000 + random.below(50));
    events.push_back(event(add, id, id % 2 == 0 ? Side::buy : Side::sell, price, 3, 0, id % 2));
    if (id % 3 == 0) events.push_back(event(remove, random.below(id + 1), Side::none, 0, 0, 0, 0));
  }
  DepthBooks one, all;
  for (const RecordedEvent& single : events) apply(one, single);
  all.apply(events, k_instruments);
  EXPECT_EQ(one.counts(), all.counts());
  EXPECT_EQ(one.digest(), all.digest());
}

}  // namespace
}  // namespace dojima::recorded
