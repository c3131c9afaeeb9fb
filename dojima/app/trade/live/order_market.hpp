#pragma once

// What the orders of a strategy that trades through a session need to know of their market.

#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/recorded/event.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

class OrderMarket {
 public:
  /// As events name them, by their place.
  [[nodiscard]] virtual const std::vector<recorded::RecordedInstrument>& instruments() const = 0;
  /// Of a symbol that is one of them.
  [[nodiscard]] virtual std::uint32_t place_of(std::string_view symbol) const = 0;
  /// The order that the market has under this id is that of the blotter's number.
  virtual void take_own(std::uint64_t order, std::uint32_t number, time::Time now) = 0;
  /// There is a report for the strategy.
  virtual void note_news() = 0;

 protected:
  ~OrderMarket() = default;
};

}  // namespace dojima::app
