#pragma once

// The keys that say what a client may do before the venue hears of it, and what becomes of its orders when it goes: in
// [[client]].

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// Of [[client]].
void describe_client_limits(gateway::ClientConfig& client, const GatewayConfig& config, ConfigVisitor& visitor);

}  // namespace dojima::app
