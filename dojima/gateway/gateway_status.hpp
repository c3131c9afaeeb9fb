#pragma once

// What an operator sees of a gateway: plain values, made when they are asked for.

#include <cstdint>
#include <string_view>

#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

/// A client's FIX session and its venue user's.
struct ClientStatus {
  bool is_up = false;           ///< the FIX session is logged on
  bool is_venue_up = false;     ///< the venue user is
  bool is_venue_ready = false;  ///< and requests leave
  market::Sequence next_incoming{}, next_outgoing{};
  std::uint64_t waiting = 0;       ///< messages that the client's connection has not taken yet
  std::uint64_t rejects = 0;       ///< requests that the gateway or the venue refused, since the gateway was made
  std::string_view last_reject{};  ///< why the last one was; in place until the next
};

/// Connections by what they are for.
struct GatewayConnections {
  std::size_t clients = 0, drop_copies = 0;
  std::size_t strangers = 0;  ///< that have not said yet whose they are
  std::size_t venues = 0;     ///< venue users that are connected, or recover
};

struct OrderSummary {
  std::uint32_t client = 0;  ///< place in the configuration
  std::uint32_t instrument = 0;
  ClOrdId cl_ord_id{};
  market::OrderTerms terms{};
  market::OrderId order_id{};  ///< the venue's; 0: not known yet
  market::Quantity executed{}, leaves{};
  std::string_view state{};  ///< static: "pending new", "live", "suspended"
  bool is_stale = false;     ///< executions may be missing
  bool has_pending_change = false;
};

}  // namespace dojima::gateway
