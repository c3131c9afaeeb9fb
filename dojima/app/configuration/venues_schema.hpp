#pragma once

// The keys of a gateway's venues besides [venue], and of users there: [[other_venue]], [[user]].

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// After the clients and symbols have been described.
void describe_other_venues(GatewayConfig& config, ConfigVisitor& visitor);
void describe_venue_users(GatewayConfig& config, ConfigVisitor& visitor);
/// What the rows of venues, users, clients and symbols have to agree in.
void check_venues(const GatewayConfig& config, ConfigVisitor& visitor);

}  // namespace dojima::app
