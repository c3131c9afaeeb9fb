#pragma once

// The strategies that come with the house, by name, with their parameters as text, as `dojima backtest --strategy NAME
// --set k=v` gives them. docs/backtest.md says what each does.
//
//   auto strategy = make_strategy("touch", {{"quantity", "0.1"}, {"period", "100ms"}});
//   if (!strategy) complain(strategy.error());     // names the parameter and what it takes

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dojima/backtest/strategy.hpp"

namespace dojima::backtest {

using ParameterTexts = std::map<std::string, std::string, std::less<>>;

enum class ParameterKind : std::uint8_t {
  whole,     ///< a whole number, `least` to `most`
  real,      ///< a decimal number, `least` to `most`
  quantity,  ///< above 0, in the instrument's quantity, "0.1"
  duration,  ///< "100ms"
  word,      ///< one of those that `meaning` names
};

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::whole;
  std::string_view standard;  ///< its value when it is not set
  std::string_view meaning;
  double least = 0, most = 0;
};

struct StrategyKind {
  std::string_view name;
  std::string_view meaning;  ///< one line
  std::span<const Parameter> parameters;
};

/// All of them.
[[nodiscard]] std::span<const StrategyKind> strategy_kinds() noexcept;

/// The error is one line for the user: no strategy of that name, no parameter of that name (the nearest is named), or a
/// value that makes no sense.
[[nodiscard]] std::expected<std::unique_ptr<Strategy>, std::string> make_strategy(std::string_view name,
                                                                                  const ParameterTexts& texts);
/// Every parameter of the strategy with the value in force, standard ones included. Empty: there is no such strategy.
[[nodiscard]] ParameterTexts values_in_force(std::string_view name, const ParameterTexts& texts);

}  // namespace dojima::backtest
