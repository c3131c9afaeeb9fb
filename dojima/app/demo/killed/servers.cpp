#include "dojima/app/demo/killed/servers.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace dojima::app::demo {

using namespace std::chrono_literals;

Servers::Servers(const Settings& settings, const std::string& folder)
    : program_(settings.program),
      folder_(folder),
      venue_config_(demo::venue_config(settings)),
      gateway_config_(demo::gateway_config(settings)) {
  venue_config_.journal.directory = folder_ + "/venue";
  venue_config_.journal.snapshot_every = 0;  // every trade is counted at the end
  venue_config_.recovery_port = 0;
  venue_config_.recovery.connections = settings.clients + 4;
  gateway_config_.journal.directory = folder_ + "/gateway";
  gateway_config_.journal.durability = settings.durability;
  gateway_config_.gateway.reconnect = 20ms;
  gateway_config_.gateway.limits.store_messages = std::size_t{1} << 18;
}

std::expected<void, std::string> Servers::begin() {
  std::error_code failed;
  for (const std::string& directory : {venue_config_.journal.directory, gateway_config_.journal.directory}) {
    if (std::filesystem::exists(directory, failed))
      return std::unexpected(
          fmt::format("{} is there already, and the demo's clients begin anew: name another folder", directory));
    std::filesystem::create_directories(directory, failed);
    if (failed) return std::unexpected(fmt::format("{} cannot be made: {}", directory, failed.message()));
  }
  const std::string venue_file = folder_ + "/venue.toml", gateway_file = folder_ + "/gateway.toml";
  std::ofstream(venue_file) << text_of(venue_config_);
  venue_.emplace("venue", program_, venue_file, "MIT203 real-time ");
  venue_->start();
  if (auto up = wait_for(*venue_); !up) return up;
  // It keeps the ports that it has got.
  const auto real_time = venue_->address("MIT203 real-time "), recovery = venue_->address("MIT203 recovery ");
  if (!recovery) return std::unexpected("the venue does not say where it recovers:\n" + venue_->output());
  venue_->add_words({"--set", fmt::format("listen.port={}", real_time->port), "--set",
                     fmt::format("recovery.port={}", recovery->port)});
  gateway_config_.venue_port = real_time->port;
  gateway_config_.venue_recovery_port = recovery->port;
  std::ofstream(gateway_file) << text_of(gateway_config_);
  gateway_.emplace("gateway", program_, gateway_file, "FIX ");
  gateway_->start();
  if (auto up = wait_for(*gateway_); !up) return up;
  gateway_at_ = *gateway_->address("FIX ");
  gateway_->add_words({"--set", fmt::format("listen.port={}", gateway_at_.port)});
  return {};
}

std::expected<void, std::string> Servers::wait_for(ServerProcess& server) {
  const time::Time end = clock_.now() + k_start_patience;
  while (!server.is_ready()) {
    if (server.has_ended() || clock_.now() > end)
      return std::unexpected(fmt::format("the {} does not start:\n{}", server.name(), server.output()));
    ::usleep(1000);
  }
  return {};
}

/// The venue first: when it sees the gateway's sessions end, orders that go with them expire.
void Servers::kill_all() {
  for (ServerProcess* server : {&*venue_, &*gateway_})
    if (!server->is_dead()) server->kill();
}

}  // namespace dojima::app::demo
