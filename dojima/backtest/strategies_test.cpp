#include "dojima/backtest/strategies.hpp"

#include <gtest/gtest.h>

#include "dojima/backtest/backtest_test_support.hpp"

namespace dojima::backtest {
namespace {

std::string trouble(std::string_view name, const ParameterTexts& texts) {
  const auto strategy = make_strategy(name, texts);
  return strategy ? "" : strategy.error();
}

TEST(Strategies, have_standard_values_that_they_take) {
  for (const StrategyKind& kind : strategy_kinds()) {
    EXPECT_EQ(trouble(kind.name, {}), "");
    EXPECT_EQ(trouble(kind.name, values_in_force(kind.name, {})), "");
    EXPECT_EQ(values_in_force(kind.name, {}).size(), kind.parameters.size());
  }
}

TEST(Strategies, say_in_one_line_what_is_wrong) {
  EXPECT_EQ(trouble("tuch", {}), "there is no strategy \"tuch\": touch, grid, glft, imbalance, twap");
  EXPECT_EQ(trouble("touch", {{"quantiti", "1"}}),
            "strategy touch has no parameter \"quantiti\"; the nearest is \"quantity\"");
  EXPECT_EQ(trouble("touch", {{"offset", "1.5"}}),
            "parameter offset of strategy touch takes a whole number from 0 to 1000000000; got \"1.5\"");
  EXPECT_EQ(trouble("touch", {{"quantity", "0"}}),
            "parameter quantity of strategy touch takes a quantity above 0, with at most nine decimals; got \"0\"");
  EXPECT_EQ(trouble("touch", {{"period", "0"}}),
            "parameter period of strategy touch takes a time above 0, such as 100ms; got \"0\"");
  EXPECT_EQ(trouble("glft", {{"gamma", "nan"}}),
            "parameter gamma of strategy glft takes a number from 1e-06 to 100; got \"nan\"");
  EXPECT_EQ(trouble("twap", {{"side", "both"}}), "parameter side of strategy twap takes buy or sell; got \"both\"");
}

/// Runs a strategy over a generated day.
std::vector<Fill> fills_of(std::string_view name, const ParameterTexts& texts,
                           ExchangeKind kind = ExchangeKind::orders) {
  const GeneratedEvents day = generated_events(9, 6000);
  MemoryEvents events(day.events, day.instruments);
  const auto exchange = make_exchange({.kind = kind, .orders = 1 << 14});
  const auto strategy = make_strategy(name, texts);
  Latencies latencies = constant_latencies(200us, 200us);
  Engine engine(events, *exchange, **strategy, latencies, {});
  engine.run({});
  return engine.fills();
}

std::int64_t most_held(const std::vector<Fill>& fills) {
  std::int64_t most = 0;
  for (const Fill& fill : fills) most = std::max(most, std::abs(fill.position));
  return most;
}

TEST(Strategies, makers_of_markets_trade_on_both_sides_and_hold_what_they_may) {
  for (const auto& [name, texts] :
       {std::pair<std::string_view, ParameterTexts>{"touch",
                                                    {{"quantity", "3"}, {"period", "5ms"}, {"max_position", "4"}}},
        {"grid", {{"quantity", "3"}, {"period", "5ms"}, {"max_position", "4"}, {"levels", "3"}}},
        {"glft", {{"quantity", "3"}, {"period", "5ms"}, {"max_position", "4"}, {"gamma", "0.5"}, {"k", "1.5"}}}}) {
    const std::vector<Fill> fills = fills_of(name, texts);
    EXPECT_GT(std::ranges::count(fills, Side::buy, &Fill::side), 5) << name;
    EXPECT_GT(std::ranges::count(fills, Side::sell, &Fill::side), 5) << name;
    EXPECT_TRUE(std::ranges::all_of(fills, &Fill::is_maker)) << name;
    // Four orders, and what was on its way when they were full.
    EXPECT_LE(most_held(fills), 3 * (name == "grid" ? 4 + 3 : 5)) << name;
  }
}

TEST(Strategies, imbalance_takes_where_the_book_leans) {
  const std::vector<Fill> fills =
      fills_of("imbalance", {{"period", "5ms"}, {"max_position", "6"}, {"threshold", "0.8"}});
  EXPECT_GT(fills.size(), 5u);
  EXPECT_TRUE(std::ranges::none_of(fills, &Fill::is_maker));
  EXPECT_LE(most_held(fills), 6);
  const std::vector<Fill> joined = fills_of("imbalance", {{"period", "5ms"}, {"style", "join"}});
  EXPECT_TRUE(std::ranges::all_of(joined, &Fill::is_maker));
  EXPECT_FALSE(joined.empty());
}

TEST(Strategies, twap_is_done_when_its_time_is_over) {
  for (const ExchangeKind kind : {ExchangeKind::levels, ExchangeKind::orders, ExchangeKind::match}) {
    for (const char* side : {"buy", "sell"}) {
      const std::vector<Fill> fills =
          fills_of("twap", {{"side", side}, {"total", "103"}, {"duration", "1s"}, {"slices", "10"}}, kind);
      ASSERT_FALSE(fills.empty());
      EXPECT_EQ(fills.back().position, std::string_view(side) == "buy" ? 103 : -103) << side << name_of(kind);
    }
  }
}

TEST(Strategies, a_quantity_finer_than_the_data_is_thrown) {
  EXPECT_THROW(fills_of("touch", {{"quantity", "0.5"}}), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::backtest
