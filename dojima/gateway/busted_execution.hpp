#pragma once

// An execution that a venue took back from a user, or is about to give another price. Plain values.

#include <cstdint>

#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"

namespace dojima::gateway {

struct BustedExecution {
  std::uint64_t execution = 0;  ///< 0: none
  std::uint32_t user = 0;
  bool is_begun = false;  ///< a correction whose second report is awaited; what follows is of it
  market::OrderId order;
  std::uint64_t trade = 0;
  market::Price price;  ///< that the execution had
};

}  // namespace dojima::gateway
