#include "dojima/flow/level_book.hpp"

#include <gtest/gtest.h>
#include <map>

#include "dojima/flow/random.hpp"

namespace dojima::flow {
namespace {

using market::Side;

RecordedEvent level(Side side, std::int64_t price, std::int64_t quantity, std::uint64_t orders = 0) {
  RecordedEvent event;
  event.kind = EventKind::level;
  event.side = side;
  event.price = price;
  event.quantity = quantity;
  event.other = orders;
  return event;
}

TEST(LevelBook, keeps_the_same_levels_as_a_map_does) {
  LevelBook book;
  std::map<std::int64_t, std::int64_t> expected[2];
  Random random(5);
  for (int step = 0; step < 20'000; ++step) {
    const bool is_buy = random.below(2) == 0;
    const auto price = static_cast<std::int64_t>(random.below(60));
    const auto quantity = static_cast<std::int64_t>(random.below(3));
    EXPECT_TRUE(book.apply(level(is_buy ? Side::buy : Side::sell, price, quantity)));
    auto& side = expected[is_buy ? 0 : 1];
    quantity == 0 ? static_cast<void>(side.erase(price)) : static_cast<void>(side[price] = quantity);
  }
  const auto bids = book.levels(Side::buy), asks = book.levels(Side::sell);
  ASSERT_EQ(bids.size(), expected[0].size());
  ASSERT_EQ(asks.size(), expected[1].size());
  std::size_t at = 0;
  for (const auto& [price, quantity] : expected[0]) EXPECT_EQ(bids[at++], (BookLevel{price, quantity}));
  at = asks.size();
  for (const auto& [price, quantity] : expected[1]) EXPECT_EQ(asks[--at], (BookLevel{price, quantity}));
  for (std::int64_t price = 0; price < 60; ++price) {
    const auto place = expected[1].find(price);
    EXPECT_EQ(book.quantity_at(Side::sell, price), place == expected[1].end() ? 0 : place->second);
  }
}

TEST(LevelBook, knows_its_best_levels_and_whether_they_cross) {
  LevelBook book;
  EXPECT_FALSE(book.best(Side::buy));
  EXPECT_TRUE(book.apply(level(Side::buy, 99, 5, 2)));
  EXPECT_TRUE(book.apply(level(Side::buy, 98, 7)));
  EXPECT_TRUE(book.apply(level(Side::sell, 101, 3)));
  EXPECT_EQ(book.best(Side::buy), (BookLevel{99, 5, 2}));
  EXPECT_EQ(book.best(Side::sell)->price, 101);
  EXPECT_FALSE(book.is_crossed());
  EXPECT_TRUE(book.apply(level(Side::sell, 99, 1)));
  EXPECT_TRUE(book.is_crossed());
}

TEST(LevelBook, clears_one_side_or_both) {
  LevelBook book;
  const auto fill = [&book] {
    book.set(Side::buy, 99, 5);
    book.set(Side::sell, 101, 5);
  };
  RecordedEvent clear;
  clear.kind = EventKind::clear;
  clear.side = Side::buy;
  fill();
  EXPECT_TRUE(book.apply(clear));
  EXPECT_FALSE(book.best(Side::buy));
  EXPECT_TRUE(book.best(Side::sell));
  clear.side = Side::none;
  fill();
  EXPECT_TRUE(book.apply(clear));
  EXPECT_FALSE(book.best(Side::buy) || book.best(Side::sell));
}

TEST(LevelBook, takes_no_other_event_and_no_level_without_price_or_side) {
  LevelBook book;
  RecordedEvent event = level(Side::none, 5, 5);
  EXPECT_FALSE(book.apply(event));
  EXPECT_FALSE(book.apply(level(Side::buy, k_untold, 5)));
  EXPECT_FALSE(book.apply(level(Side::buy, 5, k_untold)));
  event.side = Side::buy;
  event.kind = EventKind::quote;
  EXPECT_FALSE(book.apply(event));
  EXPECT_FALSE(book.best(Side::buy));
}

}  // namespace
}  // namespace dojima::flow
