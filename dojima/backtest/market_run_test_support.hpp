#pragma once

// Markets to test, and what a run in one leaves.

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <vector>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/market.hpp"

namespace dojima::backtest {

inline MarketConfig small_market(std::uint64_t seed = 1) {
  MarketConfig config{.seed = seed, .length = 2s, .populations = standard_populations()};
  return config;
}

/// With clients of order flows, and two instruments.
inline MarketConfig mixed_market(std::uint64_t seed) {
  MarketConfig config = small_market(seed);
  config.instruments.push_back({.symbol = "BEAN", .tick = 5, .reference = 50'000});
  config.populations.push_back({.kind = PopulationKind::flow, .count = 4, .rate = 60, .depth = 8, .resting = 3});
  config.populations.push_back({.kind = PopulationKind::flow,
                                .count = 3,
                                .rate = 60,
                                .depth = 8,
                                .resting = 3,
                                .arrivals = flow::ArrivalModel::hawkes});
  return config;
}

/// What a run in a market leaves.
struct MarketRun {
  std::vector<Fill> fills;
  std::vector<Account> accounts;
  MarketCounts counts;
  std::uint64_t digest = 0;
  std::optional<DepthLevel> seen_bid, seen_ask, bid, ask;
  std::int64_t value = 0;
};

inline MarketRun run_in_market(const MarketConfig& config, Strategy& strategy, Duration latency = 1ms,
                               journal::Journal* journal = nullptr) {
  Market market(config, journal);
  Latencies latencies = constant_latencies(latency, latency);
  Engine engine(market.stream(), market.exchange(), strategy, latencies, {});
  engine.run({});
  EXPECT_EQ(market.done(), 1);
  for (std::uint32_t at = 0; at < config.instruments.size(); ++at) {
    EXPECT_EQ(market.position_of_all(at), 0);
    EXPECT_TRUE(market.cash_of_all(at) == 0);
    if (at >= engine.accounts().size()) continue;
    const Account& account = engine.accounts()[at];
    EXPECT_EQ(market.own_position(at), account.position());
    EXPECT_TRUE(account.cash() + account.fees() == account.value(1, 1) * market.own_cash(at));
  }
  return {.fills = engine.fills(),
          .accounts = engine.accounts(),
          .counts = market.counts(),
          .digest = market.digest(),
          .seen_bid = engine.best(0, Side::buy),
          .seen_ask = engine.best(0, Side::sell),
          .bid = market.exchange().best(0, Side::buy),
          .ask = market.exchange().best(0, Side::sell),
          .value = market.value(0)};
}

/// Of a market with one instrument.
inline std::int64_t held_by_all(const MarketRun& run) {
  const std::int64_t others =
      std::accumulate(run.counts.positions.begin(), run.counts.positions.end(), std::int64_t{0});
  return others + (run.accounts.empty() ? 0 : run.accounts[0].position());
}

/// Continuous trading all day.
inline venue::Segment always_trading(std::uint32_t static_bp, std::uint32_t dynamic_bp) {
  return {.name = "MAIN",
          .timetable = {.start_of_day = 1h,
                        .opening_call = 1h + 1s,
                        .opening = 1h + 2s,
                        .closing_call = 22h,
                        .closing = 22h + 1s,
                        .cross_end = 22h + 2s,
                        .end_of_day = 22h + 3s,
                        .halt = 200ms,
                        .reopening_call = 300ms},
          .bands = {.static_bp = static_bp, .dynamic_bp = dynamic_bp}};
}

/// A day of nine seconds with its calls and auctions.
inline MarketConfig market_with_auctions() {
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
  return config;
}

}  // namespace dojima::backtest
