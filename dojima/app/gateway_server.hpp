#pragma once

// `dojima gateway` as an object: a FIX gateway on a loop of its own, over real sockets. start() takes the port and
// begins to connect to the venue, run() works until told to stop, then says Logout on both sides. One thread.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/station.hpp"
#include "dojima/gateway/gateway.hpp"

namespace dojima::app {

class GatewayServer {
 public:
  /// Lines for a log: clients and venue users that come and go.
  using Log = std::function<void(const std::string& line)>;

  /// Throws std::invalid_argument, std::bad_alloc, std::system_error.
  GatewayServer(const GatewayConfig& config, Log log);
  ~GatewayServer();

  [[nodiscard]] Result<link::Address> start();

  /// What a person wants to know at start, a line each.
  [[nodiscard]] std::vector<std::string> describe(const link::Address& where) const;

  /// Works until `stops()`, then logs out on both sides and waits, at most two seconds, until all are gone.
  template <class Stops>
  void run(Stops stops) {
    station_.run([&] { return !stops(); });
    shut_down();
  }

  [[nodiscard]] const gateway::Gateway& gateway() const noexcept { return *gateway_; }

 private:
  class Events;
  void shut_down();

  GatewayConfig config_;
  Station station_;
  std::unique_ptr<Events> events_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

}  // namespace dojima::app
