#pragma once

// The vocabulary of limits: what can be limited, and of whom. Values are whole numbers in the unit of the limit; 0 is
// no limit. venue/limit_keys.hpp has names, ranges and the order of the checks.

#include <cstddef>
#include <cstdint>

namespace dojima::market {

/// Of whom a limit is. Its orders are counted together.
enum class LimitOf : std::uint8_t {
  everybody = 0,  ///< each order of anybody; nothing is counted
  user = 1,
  account = 2,  ///< orders that carry this account (OrderLabels::account), of all senders
};

enum class LimitKind : std::uint8_t {
  none = 0,
  killed = 1,          ///< 1: the kill switch is set: no new orders, replaces and quotes
  permitted = 2,       ///< 1: it may trade, 2: it may not; that of an instrument goes before that of all
  rate = 3,            ///< new orders, replaces and quotes in any second
  order_quantity = 4,  ///< lots of an order
  collar_bp = 5,       ///< basis points that a price may be from the reference
  collar_ticks = 6,    ///< ticks that it may be from there
  collar_from = 7,     ///< 1: the instrument's reference, even where there is a last trade
  order_value = 8,     ///< price * lots of an order, in whole units of the currency
  open_orders = 9,     ///< at a time
  open_value = 10,     ///< price * lots of what open orders have left, in whole units of the currency
  position = 11,       ///< lots in an instrument, long or short, with all that could still trade
  duplicate_ms = 12,   ///< so long no second order of the same instrument, side, price and quantity
  repeats = 13,        ///< executions within repeats_ms that stop it until the operator lets it go on
  repeats_ms = 14,     ///< 0: a second
  protection = 15,     ///< executions within protection_ms that cancel its open orders
  protection_ms = 16,  ///< 0: a second
  position_now = 17,   ///< no limit: what the position is from here on; may be negative
  stopped = 18,        ///< no limit: 0 lets go on what too many repeats have stopped
  cancel_orders = 19,  ///< no limit: what is open is cancelled
};
/// Those that stay set.
inline constexpr std::size_t k_limit_kinds = 17;

}  // namespace dojima::market
