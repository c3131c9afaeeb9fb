#pragma once

// The way of a request and its first answer through a demo, as probe stages. Each is written by one thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::simulate {

/// Where a request passes. Client stages are keyed by the client's number, the others by the gateway's.
enum class Stage : std::uint8_t {
  due,
  client_sent,
  gateway_in,
  gateway_out,
  venue_in,
  venue_out,
  gateway_back_in,
  gateway_back_out,
  client_received,
};
inline constexpr std::size_t k_stages = 9;

[[nodiscard]] constexpr std::uint8_t index_of(Stage stage) noexcept {
  return static_cast<std::uint8_t>(stage);
}

/// The parts of the way between neighbouring stages, in order; the whole way comes last.
inline constexpr std::array<std::string_view, k_stages> k_parts = {
    "client: due to sent",      "network to gateway", "gateway",           "network to venue",      "venue",
    "network to gateway, back", "gateway, back",      "network to client", "total: due to answered"};

}  // namespace dojima::simulate
