#pragma once

// The options that `dojima backtest` and `dojima sweep` share: the strategy, the exchange, latencies, fees, which
// events and where results go.

#include <optional>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/backtest/backtest.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/lab/instrument.hpp"

namespace dojima::cli {

class Command;

struct BacktestRequest {
  backtest::BacktestSettings settings;
  std::string exchange = "levels", queue = "power3:3", fills = "partial";
  std::string maker_fee = "0", taker_fee = "0", trade_fee = "0";
  std::string mark_every = "1s", silence = "0", table_file;
  std::string speed = "max";
  std::vector<std::string> sets;
  std::size_t seed = 1;
  bool lists_strategies = false;
  RecordedInput file;
  EventChoice choice;
  InstrumentOptions output;
  bool takes_market = false;

  std::string market_file;                         ///< of the exchange `market`
  std::string length;                              ///< likewise, in place of the file's
  bool shows_market = false;                       ///< print a market's standard configuration
  std::vector<app::Override> market_sets;          ///< --set of a market's keys
  std::optional<backtest::MarketConfig> market{};  ///< read() fills it for the exchange `market`

  /// All but --set, --speed, --seed and --csv.
  void add_to(Command command);
  /// The exchange `market` and its options, before add_to().
  void add_market_to(Command command);
  /// Fills `settings` from the texts, but for `sets`, and `market`. False: something makes no sense; that has been
  /// told.
  [[nodiscard]] bool read();

 private:
  [[nodiscard]] bool read_market();
};

void list_strategies();

}  // namespace dojima::cli
