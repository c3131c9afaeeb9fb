// A strategy in a generated market whose orders go by FIX, a gateway and MIT203, held against the same strategy with
// the same latencies beside the market.

#include "dojima/app/road/fix_road.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/backtest/strategies.hpp"

namespace dojima::app {
namespace {

using backtest::Fill;
using backtest::MarketConfig;
using namespace std::chrono_literals;

MarketConfig market_of(std::uint64_t seed) {
  MarketConfig config{.seed = seed, .length = 3s, .populations = backtest::standard_populations()};
  config.instruments.push_back({.symbol = "BEAN", .tick = 5, .reference = 50'000});
  return with_eight_decimals(config).value();
}

backtest::BacktestSettings settings_of(const std::string& strategy, time::Duration each_way) {
  backtest::BacktestSettings settings{.strategy = strategy};
  settings.parameters["period"] = "2ms";
  settings.latencies.entry = settings.latencies.response = std::to_string(each_way.count()) + "ns";
  return settings;
}

backtest::BacktestResult run(const backtest::BacktestSettings& settings, const MarketConfig& market,
                             const backtest::MakeOrderRoad& make_road) {
  time::SystemClock clock;
  auto result = backtest::run_backtest(settings, market, {.make_road = make_road}, clock);
  EXPECT_TRUE(result.has_value()) << result.error();
  EXPECT_EQ(result->trouble, "");
  EXPECT_EQ(result->market->trouble, "") << "the venue and the account say the same";
  return *std::move(result);
}

/// By the strategy's clock: over the road nobody says when it was at the venue.
std::vector<std::string> as_received(const std::vector<Fill>& fills) {
  std::vector<std::string> lines;
  for (const Fill& fill : fills)
    lines.push_back(std::to_string(fill.received.time_since_epoch().count()) + " order " + std::to_string(fill.order) +
                    (fill.side == market::Side::buy ? " buy " : " sell ") + std::to_string(fill.quantity) + " at " +
                    std::to_string(fill.price) + " leaves " + std::to_string(fill.leaves) +
                    (fill.is_maker ? " maker" : " taker") + " instrument " + std::to_string(fill.instrument));
  return lines;
}

TEST(FixRoads, are_latencies_and_nothing_else) {
  for (const char* strategy : {"touch", "grid", "imbalance"})
    for (const time::Duration delay : {time::Duration{0ns}, time::Duration{50us}, time::Duration{3ms}}) {
      std::vector<std::string> lines;
      const auto print = [&](const std::string& line) { lines.push_back(line); };
      const MarketConfig market = market_of(7);
      const auto beside = run(settings_of(strategy, 2 * delay), market, {});
      const auto over = run(settings_of(strategy, 0ns), market, fix_road({.delay = delay, .print = print}));
      EXPECT_GT(over.fills.size(), 10u) << strategy;
      EXPECT_EQ(as_received(over.fills), as_received(beside.fills)) << strategy << " " << delay.count();
      EXPECT_EQ(over.exchange.requests, beside.exchange.requests);
      EXPECT_EQ(over.resting, beside.resting);
      EXPECT_EQ(lines, std::vector<std::string>{});
    }
}

TEST(FixRoads, that_jitter_are_the_same_again_with_the_same_seed) {
  const MarketConfig market = market_of(3);
  const auto run_with = [&](std::uint64_t seed) {
    return run(settings_of("touch", 0ns), market, fix_road({.delay = 100us, .jitter = 900us, .seed = seed}));
  };
  const auto first = run_with(1), again = run_with(1), other = run_with(2);
  EXPECT_EQ(backtest::fills_text(first), backtest::fills_text(again));
  EXPECT_EQ(first.equity, again.equity);
  EXPECT_EQ(first.market->digest, again.market->digest);
  EXPECT_NE(backtest::fills_text(first), backtest::fills_text(other));
}

TEST(FixRoads, carry_every_version_of_fix) {
  const MarketConfig market = market_of(5);
  const auto expected = run(settings_of("touch", 0ns), market, fix_road({}));
  const auto newer = run(settings_of("touch", 0ns), market, fix_road({.version = gateway::FixVersion::fix_5_0_sp2}));
  EXPECT_EQ(backtest::fills_text(newer), backtest::fills_text(expected));
  // FIX 4.2 does not say who rested.
  const auto older = run(settings_of("touch", 0ns), market, fix_road({.version = gateway::FixVersion::fix_4_2}));
  ASSERT_EQ(older.fills.size(), expected.fills.size());
  for (std::size_t at = 0; at < older.fills.size(); ++at) {
    const Fill &old = older.fills[at], &now = expected.fills[at];
    EXPECT_EQ(std::tuple(old.received, old.order, old.price, old.quantity),
              std::tuple(now.received, now.order, now.price, now.quantity));
    EXPECT_FALSE(old.is_maker);
  }
}

/// Asks for what is refused: by the book, because nothing is there, and because it is not known yet.
class Nuisance final : public backtest::Strategy {
 public:
  backtest::Wakes wakes() const override { return {.period = 100ms}; }
  void on_wake(backtest::Desk& desk) override {
    if (++wakes_ == 1) {
      first = desk.submit({.side = market::Side::buy, .price = 100, .quantity = 1});  // not on the tick
      second = desk.submit({.side = market::Side::buy, .price = 9'900'000'000, .quantity = 2});
      EXPECT_TRUE(desk.cancel(second)) << "it is not known to be there";
    } else if (wakes_ == 2) {
      EXPECT_EQ(desk.orders().size(), 1u);
      EXPECT_TRUE(desk.cancel(second));
    }
  }
  void on_report(backtest::Desk&, const backtest::Report& report) override { reports.push_back(report); }
  backtest::OrderNumber first = 0, second = 0;
  std::vector<backtest::Report> reports;

 private:
  int wakes_ = 0;
};

TEST(FixRoads, bring_refusals_back) {
  auto nuisance = std::make_unique<Nuisance>();
  backtest::Market market(market_of(1), nullptr, fix_road({.delay = 1ms}));
  backtest::Latencies none;
  backtest::Engine engine(market.stream(), market.exchange(), *nuisance, none, {});
  engine.run({});
  std::vector<std::tuple<backtest::OrderNumber, backtest::ReportKind, time::Duration>> reports;
  for (const backtest::Report& report : nuisance->reports)
    reports.emplace_back(report.order, report.kind, report.received - engine.start());
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(std::get<1>(reports[0]), backtest::ReportKind::request_rejected);
  EXPECT_EQ(std::get<0>(reports[0]), nuisance->second) << "at once: the venue is not asked";
  EXPECT_EQ(std::get<1>(reports[1]), backtest::ReportKind::rejected);
  EXPECT_EQ(std::get<0>(reports[1]), nuisance->first);
  EXPECT_EQ(std::get<1>(reports[2]), backtest::ReportKind::accepted);
  EXPECT_EQ(std::get<1>(reports[3]), backtest::ReportKind::cancelled);
  EXPECT_EQ(std::get<2>(reports[3]), std::get<2>(reports[2]) + 100ms) << "four milliseconds behind each wake";
}

TEST(FixRoads, of_other_prices_and_delays_are_refused) {
  MarketConfig plain{.populations = backtest::standard_populations()};
  EXPECT_THROW(backtest::Market(plain, nullptr, fix_road({})), std::invalid_argument);
  const auto market = with_eight_decimals(plain);
  ASSERT_TRUE(market);
  EXPECT_EQ(market->instruments[0].reference, 10'000'000'000);
  EXPECT_EQ(market->instruments[0].tick, 1'000'000);
  EXPECT_THROW(backtest::Market(*market, nullptr, fix_road({.delay = 2s})), std::invalid_argument);
  EXPECT_THROW(backtest::Market(*market, nullptr, fix_road({.jitter = -1ns})), std::invalid_argument);
  time::SystemClock clock;
  const auto refused = backtest::run_backtest({}, plain, {.make_road = fix_road({})}, clock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "RICE: over FIX and MIT203 prices have eight decimals");
  plain.instruments[0].price_decimals = 9;
  EXPECT_FALSE(with_eight_decimals(plain));
  plain.instruments[0] = {.price_decimals = 0, .tick = 1'000, .reference = 1'000'000'000'000};
  EXPECT_FALSE(with_eight_decimals(plain));
}

}  // namespace
}  // namespace dojima::app
