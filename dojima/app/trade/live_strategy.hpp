#pragma once

// A strategy of the back-tests that trades live: as a client of a gateway by FIX, or of a venue by MIT203, with the
// books of the venue's market data. The strategy's class is the same, and so is the clockwork around it
// (backtest::Engine); what the exchange would do in a back-test is asked of the market. At the end open orders are
// cancelled, and what the strategy did can be reported as of a back-test.
//
//   LiveStrategy live(options, *strategy, print);
//   const TradeOutcome outcome = live.run([&] { return stop.is_raised(); }, 60s);
//   live.result(settings).fills;
//
// One thread. Allocates while books, queues and lists grow.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/feed/feed_session.hpp"
#include "dojima/app/trade/trade_client.hpp"
#include "dojima/app/trade/trade_options.hpp"
#include "dojima/backtest/backtest.hpp"

namespace dojima::app {

/// What the strategy trades, by its place here.
struct LiveInstrument {
  std::string symbol;     ///< as orders name it
  std::uint32_t id = 0;   ///< as market data do
  char group = '1';       ///< of the market data
  std::int64_t tick = 1;  ///< of its prices, 1e-8 of the currency
};

struct LiveStrategyOptions {
  TradeOptions trade;
  FeedSessionOptions feed;  ///< lines and channels
  std::vector<LiveInstrument> instruments;
  backtest::Fees fees{};
  time::Duration mark_every = std::chrono::seconds{1};
  time::Duration patience = std::chrono::seconds{10};  ///< for logon, market data and the end of orders
};

class LiveStrategy {
 public:
  using Print = std::function<void(const std::string& line)>;

  /// `strategy` outlives it. Throws as FeedSession and TradeClient do.
  LiveStrategy(LiveStrategyOptions options, backtest::Strategy& strategy, Print print);
  ~LiveStrategy();
  LiveStrategy(const LiveStrategy&) = delete;
  LiveStrategy& operator=(const LiveStrategy&) = delete;

  /// Logs on, waits until the books are there, lets the strategy trade for `length` or until `stops()`, cancels what is
  /// open and logs out. `refused`: the strategy threw, wherever it did, or orders were open at the end; `unreachable`:
  /// no logon, no market data, or the session was lost, and orders may be open at the venue. The line says it. Once.
  TradeOutcome run(const std::function<bool()>& stops, time::Duration length);

  /// Of the run: orders, fills, accounts. Prices have eight decimals.
  [[nodiscard]] backtest::BacktestResult result(const backtest::BacktestSettings& settings) const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dojima::app
