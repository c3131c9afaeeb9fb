#pragma once

// Requests of clients against their limits: what the client reads where one is broken, whether the request has to wait
// for the rate, and who is logged out above it. O(1), no allocation, one thread.

#include <cstdint>

#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/limit_text.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/client_message.hpp"
#include "dojima/gateway/translator/waiting_requests.hpp"

namespace dojima::gateway {

class RequestLimits {
 public:
  /// What it works on; all of it outlives this.
  struct Parts {
    ClientChannels& channels;
    GatewayCounters& counters;
    OrderLimits& limits;
    const WaitingRequests& waiting;
  };
  explicit RequestLimits(const Parts& parts) : parts_(parts) {}

  /// Whether what the order is, or would become, is within the client's limits, and whether it has to wait for the
  /// rate. The text of a refusal stays until the next call.
  [[nodiscard]] Done check(const ClientMessage& message, const LimitedRequest& request);
  /// A cancel always goes; where the rate ends sessions it is counted, and one above it ends the session.
  void count_cancel(const ClientMessage& message);

 private:
  [[nodiscard]] Done refuse_broken(const ClientMessage& message, const LimitedRequest& request, Limit broken,
                                   std::uint32_t waiting);
  void end_above_rate(std::uint32_t client);

  Parts parts_;
  LimitText text_;  // of the refusal in hand
};

}  // namespace dojima::gateway
