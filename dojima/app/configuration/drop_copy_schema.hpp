#pragma once

// The keys of drop copies: [[drop_copy]].

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// After the clients have been described.
void describe_drop_copies(GatewayConfig& config, ConfigVisitor& visitor);

}  // namespace dojima::app
