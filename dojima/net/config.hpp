#pragma once

// Where a server listens and how much its connections may keep: plain values with defaults for one machine.

#include <cstdint>
#include <string>

namespace dojima::net {

struct ListenConfig {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  bool allow_remote = false;  ///< without it only loopback addresses are accepted
  friend bool operator==(const ListenConfig&, const ListenConfig&) = default;
};

struct NetworkConfig {
  std::uint32_t input_bytes = 1 << 16;   ///< per connection
  std::uint32_t output_bytes = 1 << 20;  ///< per connection
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

}  // namespace dojima::net
