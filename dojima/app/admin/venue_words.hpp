#pragma once

// Words of a venue's operator: phases by their names, numbers.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "dojima/market/phase.hpp"

namespace dojima::app {

/// Phases that an operator sets.
struct PhaseName {
  std::string_view name;
  market::Phase phase;
};
inline constexpr PhaseName k_phases[] = {{"continuous", market::Phase::continuous},
                                         {"opening-call", market::Phase::opening_call},
                                         {"intraday-call", market::Phase::intraday_call},
                                         {"closing-call", market::Phase::closing_call},
                                         {"halted", market::Phase::halted},
                                         {"closed", market::Phase::closed}};

/// None: it is no whole number.
inline std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace dojima::app
