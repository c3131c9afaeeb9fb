#pragma once

// What a script expects of its orders, trades and positions: read from `expect 3 filled within 2`, held against a
// blotter. Pure functions.
//
//   expect 3 open|parked|filled|cancelled|expired|rejected      the state of order 3
//   expect 3 executed 30, left 70, average 12.5                 its quantities, its mean price
//   expect position KAGA -100                                   bought less sold in this run
//   expect trades 2, orders 0                                   trades of the run, orders that are open
//   expect refused                                              the command before was refused

#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/app/trade/words.hpp"
#include "dojima/market/price.hpp"

namespace dojima::app {

class Blotter;

enum class Expected : std::uint8_t { state, executed, left, average, position, trades, orders, refused };

struct Expectation {
  Expected what = Expected::refused;
  std::uint32_t number = 0;    ///< of the order: state, executed, left, average
  std::string word{};          ///< the state, the symbol
  std::int64_t quantity = 0;   ///< executed, left, position, trades, orders
  market::Price price{};       ///< average
  std::uint32_t patience = 2;  ///< seconds until it must hold
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// Reads the words behind `expect`.
[[nodiscard]] Understood<Expectation> read_expectation(WordReader& words);

/// Nothing where it holds, else what there is instead. Not for `refused`, which is no matter of the blotter.
[[nodiscard]] Understood<void> check(const Expectation& expectation, const Blotter& blotter);

/// What can be expected, a line each.
[[nodiscard]] std::string_view expectation_help();

}  // namespace dojima::app
