#include "dojima/backtest/strategies.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

/// Quotes at 100 and 102, each second for `length`, but for the seconds from `gap_begin` on, in which nobody asks.
HandmadeDay quiet_day(int length, int gap_begin = 0, int gap_end = 0) {
  HandmadeDay day;
  for (int second = 0; second <= length; ++second) {
    const bool is_gap = second >= gap_begin && second < gap_end;
    day.level(second * 1s, Side::buy, 100, 1000 + second);
    day.level(second * 1s, Side::sell, 102, is_gap ? 0 : 1000 + second);
  }
  return day;
}

struct TwapRun {
  std::vector<Fill> fills;
  std::string remark;
};

TwapRun run_twap(const HandmadeDay& day, const ParameterTexts& texts) {
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange({.kind = ExchangeKind::levels});
  const auto strategy = make_strategy("twap", texts);
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, **strategy, latencies, {});
  engine.run({});
  return {engine.fills(), (*strategy)->remark()};
}

TEST(Strategies, twap_keeps_to_the_clock_from_the_first_event_to_the_end_of_its_duration) {
  const TwapRun run = run_twap(quiet_day(60), {{"total", "1000"}, {"duration", "60s"}, {"slices", "10"}});
  EXPECT_EQ(run.remark, "");
  ASSERT_EQ(run.fills.size(), 10u) << "nobody trades with what waits, so each part is taken";
  for (int slice = 0; slice < 10; ++slice) {
    const Fill& fill = run.fills[static_cast<std::size_t>(slice)];
    EXPECT_EQ(fill.position, 100 * (slice + 1));
    EXPECT_GT(fill.at - k_day_begin, slice * 6s) << "not before its slice";
    EXPECT_LT(fill.at - k_day_begin, (slice + 1) * 6s) << "nor behind it";
  }
}

TEST(Strategies, twap_makes_up_for_slices_without_quotes_as_soon_as_there_are_some) {
  const TwapRun run =
      run_twap(quiet_day(60, 10, 31), {{"total", "1000"}, {"duration", "60s"}, {"slices", "10"}, {"side", "sell"}});
  EXPECT_EQ(run.remark, "");
  ASSERT_FALSE(run.fills.empty());
  EXPECT_EQ(run.fills.back().position, -1000);
  // At 31 s the parts of five slices are due: one has been done, one waits still, and three have not been asked for.
  const auto is_before = [](Duration after) { return [=](const Fill& fill) { return fill.at < k_day_begin + after; }; };
  EXPECT_EQ(std::ranges::count_if(run.fills, is_before(31s)), 1);
  const auto next = std::ranges::find_if_not(run.fills, is_before(33s));
  ASSERT_GE(next - run.fills.begin(), 2);
  EXPECT_EQ((next - 1)->position, -500);
}

TEST(Strategies, twap_says_what_is_missing_at_the_end) {
  EXPECT_EQ(run_twap(quiet_day(60), {{"total", "1000"}, {"duration", "120s"}, {"slices", "10"}}).remark,
            "twap: 500 of 1000 is missing at the end");
  EXPECT_EQ(run_twap(quiet_day(60, 0, 61), {{"total", "1000"}, {"duration", "60s"}}).remark,
            "twap: all of 1000 is missing at the end: no look saw two sides that were apart");
  EXPECT_EQ(run_twap(quiet_day(0), {{"total", "7"}, {"duration", "600s"}}).remark,
            "twap: all of 7 is missing at the end: it was over before the first look, 1s behind its begin");
}

TEST(Strategies, a_quantity_finer_than_the_data_is_thrown) {
  EXPECT_THROW(fills_of("touch", {{"quantity", "0.5"}}), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::backtest
