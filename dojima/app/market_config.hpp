#pragma once

// A generated market as TOML: `dojima backtest --exchange market --population FILE`. Keys, ranges and trouble as with
// the configurations of config.hpp.
//
//   const auto market = load_market("market.toml", {{"market.length_ms", "10000"}});
//   if (!market) { print(market.error()); return 2; }

#include "dojima/app/config.hpp"
#include "dojima/backtest/market.hpp"

namespace dojima::app {

[[nodiscard]] Loaded<backtest::MarketConfig> parse_market(std::string_view toml, std::string_view name,
                                                          std::span<const Override> overrides = {});
[[nodiscard]] Loaded<backtest::MarketConfig> load_market(const std::string& path,
                                                         std::span<const Override> overrides = {});
/// Commented TOML that reads back to the same values.
[[nodiscard]] std::string text_of(const backtest::MarketConfig& config);

}  // namespace dojima::app
