#pragma once

// The floor: a relay in place of the gateway and an echo in place of the venue, over sockets of the same kind. For
// every request of a client the relay sends as many bytes as the gateway sends the venue, the echo answers with as many
// as the venue, and the relay sends the client an ExecutionReport as long as the gateway's. Nothing is read but how
// much came.

#include "server_thread.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "dojima/net/idle.hpp"

namespace dojima::bench {

struct RelayOptions {
  net::IdlePolicy idle = net::IdlePolicy::block;
  std::size_t clients = 1;
};

class Relay {
 public:
  /// Throws std::runtime_error.
  explicit Relay(const RelayOptions& options);
  /// Where clients connect. Each speaks first, one whole message; all that follow are of that size.
  [[nodiscard]] std::uint16_t port() const noexcept { return relay_->port(); }
  [[nodiscard]] ServerThread& venue() noexcept { return *echo_; }
  [[nodiscard]] ServerThread& gateway() noexcept { return *relay_; }
  void set_measured(bool is_measured) noexcept {
    echo_->set_measured(is_measured);
    relay_->set_measured(is_measured);
  }

 private:
  std::unique_ptr<ServerThread> echo_;
  std::unique_ptr<ServerThread> relay_;
};

}  // namespace dojima::bench
