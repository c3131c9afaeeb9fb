#pragma once

// Venue and gateway of a demo as processes of their own, with journals and configurations in a folder.

#include <expected>
#include <optional>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/app/demo/killed/server_process.hpp"
#include "dojima/app/demo/settings.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app::demo {

class Servers {
 public:
  /// How long a process may take until it listens.
  static constexpr time::Duration k_start_patience = std::chrono::seconds{30};

  /// The settings outlive it.
  Servers(const Settings& settings, const std::string& folder);

  [[nodiscard]] const VenueConfig& venue_config() const noexcept { return venue_config_; }
  /// Starts both and waits for them. Error: why not, one line or, of a process that does not start, what it says.
  [[nodiscard]] std::expected<void, std::string> begin();

  // From here on they have begun.
  [[nodiscard]] ServerProcess& venue() noexcept { return *venue_; }
  [[nodiscard]] ServerProcess& gateway() noexcept { return *gateway_; }
  /// Where the gateway takes FIX sessions, also after it was started again.
  [[nodiscard]] const link::Address& gateway_at() const noexcept { return gateway_at_; }
  void kill_all();

 private:
  [[nodiscard]] std::expected<void, std::string> wait_for(ServerProcess& server);

  const std::string program_, folder_;
  VenueConfig venue_config_;
  GatewayConfig gateway_config_;
  time::SystemClock clock_;
  std::optional<ServerProcess> venue_, gateway_;
  link::Address gateway_at_;
};

}  // namespace dojima::app::demo
