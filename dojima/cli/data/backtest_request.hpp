#pragma once

// The options that `dojima backtest` and `dojima sweep` share: the strategy, the exchange, latencies, fees, which
// events and where results go.

#include <expected>
#include <optional>
#include <span>
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
  std::string mark_every = "1s", silence = "0", table_file, latency_file;
  std::string speed;  ///< empty: max, or 1 where somebody watches
  bool has_dashboard = false;
  std::string dashboard;  ///< HOST:PORT; empty: where nobody says another one
  std::vector<std::string> sets;
  std::vector<std::string> venues;  ///< NAME=FILE,KEY=VALUE: in place of the file
  std::size_t seed = 1;
  bool lists_strategies = false;
  RecordedInput file;
  EventChoice choice;
  InstrumentOptions output;

  std::string market_file;                         ///< of the exchange `market`
  std::string length;                              ///< likewise, in place of the file's
  bool shows_market = false;                       ///< print a market's standard configuration
  std::vector<app::Override> market_sets;          ///< --set of a market's keys
  std::optional<backtest::MarketConfig> market{};  ///< read() fills it for the exchange `market`
  bool has_road = false;                           ///< market: orders go by FIX, a gateway and MIT203
  std::string road_delay;                          ///< of each connection of it; empty: 50us
  backtest::MakeOrderRoad make_road{};             ///< read() fills it, where there is one

  /// All but --set, --speed, --seed and --csv.
  void add_to(Command command);
  /// Fills `settings` from the texts, but for `sets`, and `market`. False: something makes no sense; that has been
  /// reported.
  [[nodiscard]] bool read();
  /// After read() of the exchange `market`: its market with other values of these keys. The error is one line.
  [[nodiscard]] std::expected<backtest::MarketConfig, std::string> market_with(
      std::span<const app::Override> keys) const;
  /// All that market_with() makes markets from, as text.
  [[nodiscard]] std::string market_text() const;

 private:
  [[nodiscard]] bool read_market();
  [[nodiscard]] bool read_road();

  std::string market_toml_, market_name_;
  std::optional<time::Duration> market_length_{};
};

/// A market's standard configuration, with every key and its meaning.
void print_standard_market();

void list_strategies();

}  // namespace dojima::cli
