#pragma once

// The checks between the journal and the book: limits of one user, the same in replay because they read only the
// partition's state. Pure functions, O(1).

#include <cstdint>
#include <limits>

#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::venue {

struct UserLimits {
  std::uint32_t open_orders = std::numeric_limits<std::uint32_t>::max();      ///< live orders in a partition
  market::Quantity order_quantity{std::numeric_limits<std::int64_t>::max()};  ///< the largest order
};

/// `too_many_orders` when `open_orders` live orders use up the limit (an order that will not rest counts too, as it
/// enters), `quantity_out_of_range` above the largest order; else none.
[[nodiscard]] market::Reason check_risk(const UserLimits& limits, const market::NewOrder& order,
                                        std::uint32_t open_orders) noexcept;

/// `quantity_out_of_range` when the new total is above the largest order; else none.
[[nodiscard]] market::Reason check_risk(const UserLimits& limits, const market::Replace& replace) noexcept;

}  // namespace dojima::venue
