// Runs whose every byte is known: fills, what the equity was and the state of a market, as one number each. A build by
// another compiler, for another processor or with other options comes to the same ones. Where a rule changes, a failed
// comparison says the number that is new.

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/market_run_test_support.hpp"

namespace dojima::backtest {
namespace {

/// FNV-1a, 64 bits.
class Digest {
 public:
  Digest& add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
    return *this;
  }
  Digest& add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      value_ = (value_ ^ ((number >> shift) & 0xff)) * 1'099'511'628'211U;
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 14'695'981'039'346'656'037U;
};

std::uint64_t digest_of(const BacktestResult& result) {
  Digest digest;
  digest.add(fills_text(result));
  for (const auto& [at, equity] : result.equity)
    digest.add(static_cast<std::uint64_t>(at.time_since_epoch().count())).add(std::bit_cast<std::uint64_t>(equity));
  const Performance& performance = result.performance;
  for (const double figure :
       {performance.profit, performance.drawdown, performance.sharpe.value_or(0), performance.sortino.value_or(0)})
    digest.add(std::bit_cast<std::uint64_t>(figure));
  digest.add(result.wakes).add(result.events);
  if (result.market) digest.add(result.market->digest);
  return digest.value();
}

struct Case {
  const char* name;
  ExchangeKind exchange;
  const char* queue;
  const char* strategy;
  std::uint64_t expected;
};

std::ostream& operator<<(std::ostream& stream, const Case& one) {
  return stream << one.name;
}

class KnownRuns : public testing::TestWithParam<Case> {
 protected:
  /// An order day, which every exchange takes.
  static const LoadedDay& day() {
    static const LoadedDay loaded = [] {
      GeneratedEvents made = generated_events(11, 20'000);
      LoadedDay result{.survey = {}, .events = std::move(made.events)};
      DaySurvey& survey = result.survey;
      survey.format = "generated";
      survey.events = result.events.size();
      survey.has_orders = survey.has_trades = true;
      survey.first = result.events.front().event_time;
      survey.last = result.events.back().event_time;
      survey.instruments = std::move(made.instruments);
      survey.ticks.assign(survey.instruments.size(), 1);
      return result;
    }();
    return loaded;
  }
};

TEST_P(KnownRuns, come_to_the_same_bytes_whoever_built_them) {
  const Case& of = GetParam();
  BacktestSettings settings{.strategy = of.strategy};
  settings.exchange.kind = of.exchange;
  settings.exchange.queue = parse_queue_model(of.queue).value();
  settings.latencies.feed = "200us";
  settings.latencies.entry = "load:300us+2us";
  settings.latencies.computing = "40us";
  settings.fees = {.maker = -10'000, .taker = 50'000, .per_trade = 3};
  settings.mark_every = 10ms;
  if (values_in_force(of.strategy, {}).contains("period")) settings.parameters["period"] = "3ms";
  time::SystemClock clock;
  const auto result = run_backtest(settings, day(), {}, clock);
  ASSERT_TRUE(result) << result.error();
  EXPECT_GT(result->fills.size(), 20u);
  EXPECT_EQ(digest_of(*result), of.expected) << std::hex << "now 0x" << digest_of(*result);
}

INSTANTIATE_TEST_SUITE_P(
    Days, KnownRuns,
    testing::Values(Case{"risk_averse", ExchangeKind::levels, "risk_averse", "touch", 0x4167702e491b3c23},
                    Case{"power1", ExchangeKind::levels, "power1:2", "touch", 0xf01150341897bff5},
                    Case{"power2", ExchangeKind::levels, "power2:1", "grid", 0x59f86ba8e2235b98},
                    Case{"power3", ExchangeKind::levels, "power3:3", "touch", 0x785864e503942904},
                    Case{"log1", ExchangeKind::levels, "log1", "touch", 0xbeb216c6b042e67d},
                    Case{"log2", ExchangeKind::levels, "log2", "touch", 0x14ad6c69a731d9d7},
                    Case{"orders_touch", ExchangeKind::orders, "power3:3", "touch", 0xb5831bb071307bed},
                    Case{"orders_grid", ExchangeKind::orders, "power3:3", "grid", 0xed09da00ea78bb7d},
                    Case{"orders_glft", ExchangeKind::orders, "power3:3", "glft", 0xcadea9cb33d80a4c},
                    Case{"match_touch", ExchangeKind::match, "power3:3", "touch", 0x30c21cb6b2928bb5},
                    Case{"match_imbalance", ExchangeKind::match, "power3:3", "imbalance", 0x4608b78a8b47324c}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.name); });

TEST(KnownMarkets, come_to_the_same_bytes_whoever_built_them) {
  BacktestSettings settings{.strategy = "touch"};
  settings.parameters["period"] = "5ms";
  time::SystemClock clock;
  std::vector<std::uint64_t> digests;
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto result = run_backtest(settings, mixed_market(seed), {}, clock);
    ASSERT_TRUE(result) << result.error();
    EXPECT_GT(result->fills.size(), 20u);
    digests.push_back(digest_of(*result));
  }
  EXPECT_EQ(digests, (std::vector<std::uint64_t>{0xb85bde95f1e597ef, 0xef608cd8b624afeb}));
}

}  // namespace
}  // namespace dojima::backtest
