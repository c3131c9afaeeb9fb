#pragma once

// NewOrderSingle(D) and OrderCancelReplaceRequest(G) of a terminal client, in any of the versions: the other direction
// of what docs/gateway.md maps.

#include "dojima/app/trade/fix/fix_fields.hpp"
#include "dojima/app/trade/trade_session.hpp"

namespace dojima::app {

[[nodiscard]] FixFields fix_new_order(const TradeRequest& request, gateway::FixVersion version);

/// Price and StopPx are those of the order where they do not change; the total is always there.
[[nodiscard]] FixFields fix_replace(const TradeRequest& request, gateway::FixVersion version);

}  // namespace dojima::app
