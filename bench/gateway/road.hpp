#pragma once

// The road that is measured: a gateway and a venue as `dojima gateway` and `dojima venue` run them, each on a thread of
// its own, with loopback sockets between them.

#include "bench/temporary_folder.hpp"
#include "server_thread.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/net/idle.hpp"

namespace dojima::bench {

struct RoadOptions {
  bool is_journaled = false;  ///< both, durability `process`, in a folder of their own
  net::IdlePolicy idle = net::IdlePolicy::ring;
  std::size_t clients = 1;       ///< up to 1,000
  std::size_t orders = 1 << 14;  ///< that can be open, all clients together
};

/// The CompID of a client, which is its venue user's name as well.
[[nodiscard]] std::string client_name(std::size_t number);

/// What both are made from. `folder`: of the journals. The gateway's venue is where the venue's configuration listens.
[[nodiscard]] app::VenueConfig venue_config(const RoadOptions& options, const std::string& folder);
[[nodiscard]] app::GatewayConfig gateway_config(const RoadOptions& options, const std::string& folder);

/// A venue, until its control says stop.
void serve_venue(ServerControl& control, const app::VenueConfig& config);

class Road {
 public:
  /// Returns when every venue user of the gateway can send. Throws std::runtime_error.
  explicit Road(const RoadOptions& options);
  /// Where FIX clients log on.
  [[nodiscard]] std::uint16_t port() const noexcept { return gateway_->port(); }
  [[nodiscard]] ServerThread& venue() noexcept { return *venue_; }
  [[nodiscard]] ServerThread& gateway() noexcept { return *gateway_; }
  void set_measured(bool is_measured) noexcept {
    venue_->set_measured(is_measured);
    gateway_->set_measured(is_measured);
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ServerThread> venue_;
  std::unique_ptr<ServerThread> gateway_;
};

}  // namespace dojima::bench
