#include "road.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/core.h>
#include <stdexcept>

#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/venue_server.hpp"

namespace dojima::bench {
namespace {

constexpr const char* k_password = "rice";

bool is_ready(const gateway::Gateway& gateway) {
  for (std::size_t client = 0; client < gateway.clients(); ++client)
    if (!gateway.is_venue_ready(client)) return false;
  return true;
}

void serve_gateway(ServerControl& control, const app::GatewayConfig& config) {
  auto server = app::GatewayServer::make(config, [](const std::string&) {});
  if (!server) throw std::runtime_error(server.error());
  const auto where = (*server)->start();
  if (!where) throw std::runtime_error(where.error());
  // Clients would be refused while a venue user cannot send.
  bool is_announced = false;
  (*server)->run([&] {
    if (!is_announced && is_ready((*server)->gateway())) {
      control.port = where->port;
      is_announced = true;
    }
    return control.ends_turn(is_announced && !net::sleeps(config.idle));
  });
}

}  // namespace

void serve_venue(ServerControl& control, const app::VenueConfig& config) {
  auto server = app::VenueServer::make(config);
  if (!server) throw std::runtime_error(server.error());
  const auto where = (*server)->start();
  if (!where) throw std::runtime_error(where.error());
  control.port = where->port;
  (*server)->run([&] { return control.ends_turn(!net::sleeps(config.idle)); });
}

std::string client_name(std::size_t number) {
  return fmt::format("CLIENT{:03}", number);
}

app::VenueConfig venue_config(const RoadOptions& options, const std::string& folder) {
  app::VenueConfig made = app::default_venue();
  made.listen.port = 0;
  made.idle = options.idle;
  made.connections = static_cast<std::uint32_t>(options.clients + 8);
  made.recovery.connections = made.connections;
  made.network.output_bytes = 1 << 18;
  made.orders = static_cast<std::uint32_t>(std::max<std::size_t>(options.orders, 1 << 14));
  made.users.clear();
  for (std::size_t number = 0; number < options.clients; ++number)
    made.users.push_back({.name = client_name(number), .password = k_password, .account = {}});
  if (!options.is_journaled) return made;
  made.journal.directory = folder + "/venue";
  made.journal.snapshot_every = 0;
  return made;
}

app::GatewayConfig gateway_config(const RoadOptions& options, const std::string& folder) {
  app::GatewayConfig made = app::default_gateway();
  made.listen.port = 0;
  made.idle = options.idle;
  made.connections = static_cast<std::uint32_t>(options.clients + 8);
  made.gateway.limits.pending_links = options.clients + 8;
  made.gateway.limits.orders = std::max<std::size_t>(options.orders, 1 << 14);
  made.gateway.limits.requests = 2 * made.gateway.limits.orders;
  if (options.clients > 16) {
    made.gateway.limits.store_messages = 1 << 10;
    made.gateway.limits.store_bytes = 1 << 20;
  }
  made.gateway.reconnect = std::chrono::milliseconds{20};
  made.gateway.clients.clear();
  for (std::size_t number = 0; number < options.clients; ++number)
    made.gateway.clients.push_back({.comp_id = client_name(number),
                                    .password = {},
                                    .venue_user = client_name(number),
                                    .venue_password = k_password,
                                    .defaults = {}});
  if (options.is_journaled) made.journal.directory = folder + "/gateway";
  return made;
}

Road::Road(const RoadOptions& options) {
  venue_ = std::make_unique<ServerThread>(
      [config = venue_config(options, folder_.path())](ServerControl& control) { serve_venue(control, config); });
  app::GatewayConfig config = gateway_config(options, folder_.path());
  config.venue_port = venue_->port();
  gateway_ = std::make_unique<ServerThread>(
      [config = std::move(config)](ServerControl& control) { serve_gateway(control, config); });
}

}  // namespace dojima::bench
