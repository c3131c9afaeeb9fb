#pragma once

// The memory of RiskLimits: taken as a whole with the first limit. Included by its sources only.

#include <cstdint>
#include <vector>

#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue {

struct RiskLimits::Tables {
  Tables(std::size_t users, std::size_t instruments, std::size_t orders)
      : cells(users, instruments), recent(RiskCells::k_capacity), exposures(orders, book::k_untouched) {
    due.reserve(RiskCells::k_capacity);
  }

  RiskCells cells;
  RecentOrders recent;
  Duration longest_duplicate{};               // of all limits
  book::LargeArray<OrderExposure> exposures;  // by slot
  std::vector<std::uint32_t> due;             // cells whose orders protection has to cancel, the first one first
  // The request in hand.
  RiskRequest request;
  OrderCells request_cells;
  std::int64_t reference = 0;  // the price of what has none of its own; 0: unknown
};

}  // namespace dojima::venue
