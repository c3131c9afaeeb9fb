#pragma once

// What is traded: identity, tick table, limits. Built at start-up from configuration and never changed by a hot path.

#include <cstdint>
#include <string>
#include <vector>

#include "dojima/market/price.hpp"
#include "dojima/market/tick_table.hpp"

namespace dojima::market {

struct Instrument {
  std::uint32_t id = 0;        ///< > 0; InstrumentID on the native wire
  std::string symbol;          ///< Symbol(55) on the FIX side
  std::uint8_t partition = 1;  ///< matching partition (AppID), 1-4
  TickTable ticks;
  Quantity maximum_quantity;  ///< largest order, > 0
  Price reference;            ///< last close: where simulated flows start
  std::string segment;        ///< up to four characters; instruments of a segment have one timetable; empty: none
};

}  // namespace dojima::market
