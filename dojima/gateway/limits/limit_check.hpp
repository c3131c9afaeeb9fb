#pragma once

// Whether an order is within the limits of its client: a pure function of the limits, of what the client has done so
// far, of the order, and of the time. No allocation; O(1), but for a binary search among permitted symbols and
// accounts.

#include <cstdint>
#include <optional>
#include <string_view>

#include "dojima/gateway/client_limits.hpp"
#include "dojima/gateway/messages/average_price.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

/// What a new order is, or what an order shall become.
struct LimitedRequest {
  bool is_new = true;  ///< false: a replace, which opens no order and is no duplicate
  std::uint32_t instrument = 0;
  market::Side side = market::Side::buy;
  market::Price price;  ///< its limit, else its stop; 0: it has neither
  market::Quantity quantity;
  std::string_view account;
};
[[nodiscard]] LimitedRequest limited_request(bool is_new, std::uint32_t instrument, const market::OrderTerms& terms,
                                             std::string_view account) noexcept;

/// What a client has done so far, as far as it concerns the request.
struct LimitUsage {
  std::string_view symbol;        ///< of the request's instrument; only where a limit is about it
  bool is_killed = false;         ///< its kill switch is set
  bool is_draining = false;       ///< the gateway takes no new orders of anybody
  std::uint32_t open_orders = 0;  ///< those that wait for the rate among them
  std::uint32_t waiting = 0;      ///< requests that wait for the rate
  market::Price reference;        ///< likewise; 0: none is known
  Time rate_free = Time::min();   ///< from when on another request is within the rate
  std::optional<Time> last_same;  ///< when it last entered an order of the same symbol, side, price and quantity
};

enum class Limit : std::uint8_t {
  killed,
  draining,  ///< of new orders only
  symbol,
  account,
  quantity,
  price,     ///< further from the reference than the collar
  value,     ///< price * quantity
  no_price,  ///< a value that cannot be known: neither the order nor its symbol has a price
  open_orders,
  duplicate,
  rate,
  queue,  ///< as many wait as may
};

struct LimitVerdict {
  std::optional<Limit> broken;
  bool must_wait = false;  ///< within the limits, but not to be sent before usage.rate_free, nor before what waits
};

/// The first limit that is broken, in the order of `Limit`. `limits` keeps its symbols and accounts sorted.
[[nodiscard]] LimitVerdict check_limits(const ClientLimits& limits, const LimitUsage& usage,
                                        const LimitedRequest& request, Time now) noexcept;

/// Price * quantity of the request, in 1e-8 of the currency; at `reference` where it has no price.
[[nodiscard]] constexpr Notional value_of(const LimitedRequest& request, market::Price reference) noexcept {
  return notional_of(request.price.units != 0 ? request.price : reference, request.quantity);
}

}  // namespace dojima::gateway
