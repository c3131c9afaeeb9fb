// The same commands give the same bytes with every storage, wherever prices lie and however they jump.

#include <gtest/gtest.h>

#include "dojima/book/storages/every_storage_test.hpp"

namespace dojima::book::testing {
namespace {

TEST(Storages, trade_through_a_sweep_that_leaves_the_window_behind_tick_by_tick_and_jump_by_jump) {
  Storages storages({.orders = 3'000, .levels = 2'500});
  std::int64_t offered = 0;
  // Dense near the touch, then ever sparser, up to the last tick there is.
  for (std::int64_t at = 0; at < 200; ++at, offered += 3) storages.apply(limit_order(Side::sell, 3, 1'000 + at));
  for (std::int64_t price = 1'300; price < k_highest; price += price / 2, offered += 5)
    storages.apply(limit_order(Side::sell, 5, price));
  storages.apply(limit_order(Side::sell, 7, k_highest));
  storages.check();
  const auto trades = storages.apply(limit_order(Side::buy, offered + 7, k_highest, TimeInForce::immediate_or_cancel));
  EXPECT_EQ(trades.back().kind, BookReportKind::traded);
  EXPECT_EQ(trades.back().price.units, k_highest);
  EXPECT_EQ(storages.ladder().level_count(Side::sell), 0u);
  storages.check();
}

TEST(Storages, hold_orders_at_both_ends_of_the_prices_at_once) {
  Storages storages({.orders = 100, .levels = 50});
  for (const std::int64_t price : {k_highest / 2, std::int64_t{0}, std::int64_t{1}, k_highest / 2 - 1})
    storages.apply(limit_order(Side::buy, 2, price));
  for (const std::int64_t price : {k_highest / 2 + 1, k_highest, k_highest - 1})
    storages.apply(limit_order(Side::sell, 2, price));
  storages.check();
  storages.apply(limit_order(Side::sell, 9, 0));
  storages.check();
  EXPECT_EQ(storages.ladder().best(Side::sell)->units, 0);
  storages.apply(limit_order(Side::buy, 9, k_highest));
  storages.check();
  EXPECT_EQ(storages.ladder().best(Side::buy)->units, k_highest);
}

}  // namespace
}  // namespace dojima::book::testing
