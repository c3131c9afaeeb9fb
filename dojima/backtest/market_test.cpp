#include "dojima/backtest/market.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/strategies.hpp"

namespace dojima::backtest {
namespace {

MarketConfig small_market(std::uint64_t seed = 1) {
  MarketConfig config{.seed = seed, .length = 3s, .populations = standard_populations()};
  return config;
}

/// What a run in a market leaves.
struct MarketRun {
  std::vector<Fill> fills;
  std::vector<Account> accounts;
  std::vector<Report> reports;
  MarketCounts counts;
  std::uint64_t digest = 0;
  std::optional<DepthLevel> seen_bid, seen_ask, bid, ask;
  std::uint64_t wakes = 0;
};

MarketRun run_in_market(const MarketConfig& config, Strategy& strategy, Duration latency = 1ms) {
  Market market(config);
  Latencies latencies = constant_latencies(latency, latency);
  Engine engine(market.stream(), market.exchange(), strategy, latencies, {});
  engine.run({});
  return {.fills = engine.fills(),
          .accounts = engine.accounts(),
          .reports = {},
          .counts = market.counts(),
          .digest = market.digest(),
          .seen_bid = engine.best(0, Side::buy),
          .seen_ask = engine.best(0, Side::sell),
          .bid = market.exchange().best(0, Side::buy),
          .ask = market.exchange().best(0, Side::sell),
          .wakes = engine.wakes()};
}

std::int64_t held_by_all(const MarketRun& run) {
  const std::int64_t others =
      std::accumulate(run.counts.positions.begin(), run.counts.positions.end(), std::int64_t{0});
  return others + (run.accounts.empty() ? 0 : run.accounts[0].position());
}

TEST(Markets, are_the_same_again_and_others_with_another_seed) {
  Scripted nobody;
  const MarketRun one = run_in_market(small_market(), nobody), again = run_in_market(small_market(), nobody);
  EXPECT_EQ(one.digest, again.digest);
  EXPECT_EQ(one.counts.traded, again.counts.traded);
  EXPECT_GT(one.counts.actions, 1000u);
  EXPECT_GT(one.counts.trades, 100u);
  EXPECT_NE(one.digest, run_in_market(small_market(2), nobody).digest);
}

TEST(Markets, show_the_strategy_the_book_that_there_is) {
  Scripted nobody;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const MarketRun run = run_in_market(small_market(seed), nobody);
    ASSERT_TRUE(run.bid && run.ask);
    EXPECT_EQ(run.seen_bid, run.bid);
    EXPECT_EQ(run.seen_ask, run.ask);
    EXPECT_LT(run.bid->price, run.ask->price);
    EXPECT_EQ(held_by_all(run), 0);
  }
}

TEST(Markets, trade_with_a_strategy_and_nothing_is_lost_or_made) {
  const auto touch = *make_strategy("touch", {{"quantity", "5"}, {"period", "10ms"}});
  const MarketRun run = run_in_market(small_market(), *touch);
  EXPECT_GT(run.fills.size(), 10u);
  EXPECT_EQ(held_by_all(run), 0);
  std::int64_t bought = 0;
  Money cash = 0;
  for (const Fill& fill : run.fills) {
    const std::int64_t sign = fill.side == Side::buy ? 1 : -1;
    bought += sign * fill.quantity;
    cash -= sign * run.accounts[0].value(fill.price, fill.quantity);
    EXPECT_GE(fill.received, fill.at + 1ms);
    EXPECT_GT(fill.quantity, 0);
  }
  EXPECT_EQ(run.accounts[0].position(), bought);
  EXPECT_TRUE(run.accounts[0].cash() == cash);
}

TEST(Markets, are_moved_by_who_buys_a_lot) {
  Scripted nobody, buyer;
  // Values do not move, so that only the buyer does it.
  MarketConfig config = small_market();
  config.news_rate = 0;
  config.populations = {{.kind = PopulationKind::noise, .count = 20, .rate = 20}};
  config.start = k_day_begin;
  buyer.wakes_wanted = {.period = 20ms};
  buyer.on_waking = [](Desk& desk) {
    desk.submit({.side = Side::buy,
                 .type = market::OrderType::market,
                 .time_in_force = market::TimeInForce::immediate_or_cancel,
                 .quantity = 40});
  };
  const MarketRun calm = run_in_market(config, nobody), moved = run_in_market(config, buyer);
  ASSERT_TRUE(calm.bid && moved.bid);
  EXPECT_GT(moved.bid->price, calm.bid->price);
  EXPECT_GT(moved.accounts[0].position(), 100);
  EXPECT_EQ(held_by_all(moved), 0);
  // What it was told adds up.
  std::int64_t told = 0;
  for (const Report& report : buyer.reports) told += report.kind == ReportKind::traded ? report.quantity : 0;
  EXPECT_EQ(told, moved.accounts[0].position());
}

TEST(Markets, answer_every_request) {
  Scripted script;
  MarketConfig config = small_market();
  config.start = k_day_begin;
  OrderNumber resting = 0, stop = 0;
  script.at(100ms, [&](Desk& desk) {
    resting = desk.submit(bid(9'000, 10));
    stop = desk.submit({.side = Side::buy, .type = market::OrderType::stop, .quantity = 3, .stop = 20'000});
    desk.submit(bid(100, 10));  // outside the table of prices
    desk.submit({.side = Side::sell, .is_post_only = true, .price = 9'000, .quantity = 1});
  });
  script.at(200ms, [&](Desk& desk) {
    EXPECT_TRUE(desk.replace(resting, 9'001, 20));
    EXPECT_TRUE(desk.cancel(stop));
  });
  script.at(300ms, [&](Desk& desk) { EXPECT_TRUE(desk.cancel(resting)); });
  const MarketRun run = run_in_market(config, script);
  EXPECT_EQ(lines_of(script.reports),
            "accepted 1 10 @ 9000\n"
            "accepted 2 3 @ 0\n"
            "rejected 3 10 @ 100\n"
            "expired 4 1 @ 9000\n"
            "replaced 1 20 @ 9001\n"
            "cancelled 2 3 @ 0\n"
            "cancelled 1 20 @ 9001\n");
  EXPECT_TRUE(run.fills.empty());
}

TEST(Markets, hold_auctions_where_the_segment_has_a_timetable) {
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  std::vector<int> states;
  std::size_t indications = 0;
  script.on_every_event = [&](Desk&, const RecordedEvent& event) {
    if (event.kind == recorded::EventKind::status) states.push_back(event.code);
    indications += event.kind == recorded::EventKind::auction ? 1U : 0U;
  };
  MarketConfig config = small_market();
  config.start = Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}} + 8h;
  config.length = 9s;
  config.instruments[0].segment = "MAIN";
  config.segments = {{.name = "MAIN",
                      .timetable = {.start_of_day = 8h,
                                    .opening_call = 8h + 1s,
                                    .opening = 8h + 2s,
                                    .closing_call = 8h + 5s,
                                    .closing = 8h + 6s,
                                    .cross_end = 8h + 7s,
                                    .end_of_day = 8h + 8s}}};
  const MarketRun run = run_in_market(config, script);
  EXPECT_GE(run.counts.auctions, 1u);
  EXPECT_GT(indications, 0u);
  EXPECT_EQ(held_by_all(run), 0);
  using recorded::MarketState;
  const auto has = [&](MarketState state) { return std::ranges::count(states, static_cast<int>(state)) > 0; };
  EXPECT_TRUE(has(MarketState::opening));
  EXPECT_TRUE(has(MarketState::trading));
  EXPECT_TRUE(has(MarketState::closing));
  EXPECT_TRUE(has(MarketState::closed));
}

TEST(Markets, say_what_makes_no_sense) {
  const auto of = [](auto change) {
    MarketConfig config = small_market();
    change(config);
    return complaint(config);
  };
  EXPECT_EQ(of([](MarketConfig&) {}), "");
  EXPECT_EQ(of([](MarketConfig& config) { config.length = {}; }), "the length of a market is above 0");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations.clear(); }), "a market has a population");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations[0].rate = 0; }),
            "noise: rate is above 0, at most 1000000");
  EXPECT_EQ(of([](MarketConfig& config) { config.populations[1].count = 0; }), "value: count is from 1 to 10000");
  EXPECT_EQ(of([](MarketConfig& config) { config.instruments[0].segment = "X"; }), "RICE: there is no segment \"X\"");
  EXPECT_NE(of([](MarketConfig& config) { config.instruments[0].reference = 100; }), "");
  EXPECT_NE(of([](MarketConfig& config) { config.news_ticks = 0; }), "");
  MarketConfig config = small_market();
  config.orders = 1;
  EXPECT_THROW(Market{config}, std::invalid_argument);
}

}  // namespace
}  // namespace dojima::backtest
