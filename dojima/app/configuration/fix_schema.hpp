#pragma once

// The keys that say how FIX sessions behave: in [fix], and in each [[template]].

#include <array>
#include <string_view>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// By the place of gateway::FixVersion.
inline constexpr std::array<std::string_view, 3> k_client_versions = {"FIX.4.2", "FIX.4.4", "FIX.5.0SP2"};
static_assert(k_client_versions.size() == gateway::k_fix_versions.size());

/// Of [fix] and [[template]]: those of the session, its hours, its dictionary, its checks.
void describe_fix_session(fix::SessionConfig& session, FixSettings& settings, ConfigVisitor& visitor);

/// [[template]]: each begins with the values of [fix].
void describe_templates(GatewayConfig& config, ConfigVisitor& visitor);

/// What a client's session has besides.
void describe_client_session(gateway::ClientConfig& client, const GatewayConfig& config, ConfigVisitor& visitor);

/// [tls]
void describe_tls(net::TlsConfig& tls, ConfigVisitor& visitor);

}  // namespace dojima::app
