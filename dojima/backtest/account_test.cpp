#include "dojima/backtest/account.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <vector>

#include "dojima/backtest/statistics.hpp"

namespace dojima::backtest {
namespace {

using market::Side;

TEST(Accounts, rates_are_read_exactly) {
  EXPECT_EQ(*parse_rate("0.0005"), 500'000);
  EXPECT_EQ(*parse_rate("0.05%"), 500'000);
  EXPECT_EQ(*parse_rate("5bp"), 500'000);
  EXPECT_EQ(*parse_rate("-0.1bp"), -10'000);
  EXPECT_EQ(*parse_rate("1"), 1'000'000'000);
  EXPECT_EQ(*parse_rate("0"), 0);
  for (const char* text : {"", "%", "1.1", "101%", "x", "0.0000000001", "5 bp"}) EXPECT_FALSE(parse_rate(text)) << text;
}

TEST(Accounts, money_is_written_exactly) {
  EXPECT_EQ(money_text(0, 2), "0");
  EXPECT_EQ(money_text(5, 2), "0.05");
  EXPECT_EQ(money_text(-1230, 3), "-1.23");
  EXPECT_EQ(money_text(1200, 2), "12");
  EXPECT_EQ(money_text(1200, 0), "1200");
  EXPECT_EQ(money_text(static_cast<Money>(1'000'000'000'000'000'000) * 1000, 3), "1000000000000000000");
}

TEST(Accounts, cash_and_position_are_those_of_the_fills_to_the_unit) {
  // Prices in cents, whole quantities: money has 2 + 0 + 9 decimals.
  Account account(2, 0, {.maker = -10'000, .taker = 500'000, .per_trade = 1'000'000});
  account.apply(Side::buy, 10'001, 3, true);
  EXPECT_EQ(account.position(), 3);
  // 300.03 paid, 0.0030003 got back, 0.001 for the trade.
  EXPECT_EQ(money_text(account.cash(), account.decimals()), "-300.0279997");
  account.apply(Side::sell, 10'011, 3, false);
  EXPECT_EQ(account.position(), 0);
  EXPECT_EQ(money_text(account.fees(), account.decimals()), "0.1491647");
  EXPECT_EQ(account.cash() + account.fees(), account.value(10, 3));
  EXPECT_EQ(account.fills(), 2u);
  EXPECT_EQ(account.maker_fills(), 1u);
}

TEST(Accounts, a_position_is_valued_at_the_middle) {
  Account account(2, 0, {});
  account.apply(Side::buy, 100, 10, true);
  EXPECT_EQ(account.twice_equity(101, 102), account.value(2 * 10 * 101 + 10 - 2 * 10 * 100, 1));
  EXPECT_EQ(account.twice_equity(101, {}), account.value(20, 1));
  EXPECT_EQ(account.twice_equity({}, {}), 0);
}

TEST(Accounts, no_sum_of_a_large_day_overflows) {
  Account account(8, 8, {.taker = 1'000'000'000});
  const std::int64_t price = 6'168'600'000'000, quantity = 100'000'000;  // one bitcoin
  for (int at = 0; at < 1000; ++at) account.apply(Side::buy, price, quantity, false);
  EXPECT_EQ(money_text(account.cash(), account.decimals()), "-123372000");
}

TEST(Accounts, refuse_what_they_cannot_hold_and_stay_as_they_were) {
  constexpr std::int64_t k_price = std::int64_t{1} << 60, k_quantity = std::int64_t{1} << 30;
  Account account(18, 18, {.maker = 1'000'000'000});
  std::uint64_t fills = 0;
  const auto fill = [&] { account.apply(Side::buy, -k_price, k_quantity, true); };
  for (; fills < 20; ++fills) {
    const Money cash = account.cash();
    try {
      fill();
    } catch (const std::overflow_error&) {
      EXPECT_EQ(account.cash(), cash);
      break;
    }
    EXPECT_EQ(account.turnover(), -account.value(k_price, k_quantity) * static_cast<Money>(fills + 1));
  }
  EXPECT_EQ(fills, 8u);  // 2^120 each, 2^123 in all
  EXPECT_EQ(account.fills(), fills);
  EXPECT_EQ(account.position(), static_cast<std::int64_t>(fills) * k_quantity);

  Account with_fee(18, 18, {.per_trade = 1'000'000'000});
  EXPECT_THROW(with_fee.apply(Side::buy, 1, 1, true), std::overflow_error);
  EXPECT_EQ(with_fee.fills(), 0u);
  Account deep(0, 0, {});
  deep.apply(Side::sell, 0, std::numeric_limits<std::int64_t>::max(), true);
  EXPECT_THROW(deep.apply(Side::sell, 0, 1, true), std::overflow_error);
}

TEST(RoundTrips, go_from_flat_to_flat_and_a_turn_ends_one_and_begins_the_next) {
  Account account(2, 0, {});
  RoundTrips trips;
  const auto fill = [&](std::int64_t second, Side side, std::int64_t price, std::int64_t quantity) {
    const Money before = account.fees();
    account.apply(side, price, quantity, true);
    trips.apply(
        {.at = time::from_nanoseconds(second * 1'000'000'000), .price = price, .quantity = quantity, .side = side},
        account.fees() - before, account);
  };
  fill(1, Side::buy, 100, 5);
  fill(2, Side::sell, 110, 2);
  EXPECT_EQ(trips.count(), 0u);
  fill(4, Side::sell, 90, 5);  // 3 close, 2 open a short position
  EXPECT_EQ(trips.count(), 1u);
  EXPECT_EQ(trips.profit(), account.value(2 * 10 - 3 * 10, 1));
  EXPECT_EQ(trips.winners(), 0u);
  EXPECT_EQ(trips.held(), std::chrono::seconds{3});
  fill(6, Side::buy, 80, 2);
  EXPECT_EQ(trips.count(), 2u);
  EXPECT_EQ(trips.winners(), 1u);
  EXPECT_EQ(trips.profit(), account.cash());
  EXPECT_EQ(trips.held(), std::chrono::seconds{5});
}

TEST(Performance, is_that_of_the_definitions) {
  const auto at = [](int second) { return time::from_nanoseconds(second * 1'000'000'000LL); };
  const std::vector<std::pair<Time, double>> equity{{at(0), 0}, {at(1), 4}, {at(2), 1}, {at(3), 2}, {at(4), 6}};
  const Performance result = performance_of(equity, std::chrono::seconds{1});
  EXPECT_DOUBLE_EQ(result.profit, 6);
  EXPECT_DOUBLE_EQ(result.drawdown, 3);
  EXPECT_EQ(result.longest_fall, std::chrono::seconds{2});
  // Changes 4, -3, 1, 4: mean 1.5, squared deviations 6.25 + 20.25 + 0.25 + 6.25.
  EXPECT_NEAR(*result.sharpe, 1.5 / std::sqrt(33.0 / 3) * std::sqrt(86'400.0), 1e-9);
  EXPECT_NEAR(*result.sortino, 1.5 / std::sqrt(9.0 / 4) * std::sqrt(86'400.0), 1e-9);
  EXPECT_FALSE(performance_of({}, std::chrono::seconds{1}).sharpe);
  const std::vector<std::pair<Time, double>> flat{{at(0), 1}, {at(1), 1}, {at(2), 1}};
  EXPECT_FALSE(performance_of(flat, std::chrono::seconds{1}).sharpe);
  EXPECT_FALSE(performance_of(flat, std::chrono::seconds{1}).sortino);
}

}  // namespace
}  // namespace dojima::backtest
