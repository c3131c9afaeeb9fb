#pragma once

// What a gateway keeps of a client besides its orders, in memory and in its journal: the limits that hold now, the kill
// switch, and whether its orders are to be cancelled. Plain values.

#include <cstdint>
#include <string_view>

#include "dojima/gateway/client_limits.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

/// Why all open orders of a client are cancelled.
enum class CancelCause : std::uint8_t { none, disconnect, logout, kill };

/// How far the cancelling has come.
enum class CancelStage : std::uint8_t {
  none,
  waiting,  ///< for the grace to end; a logon stops it
  due,      ///< as soon as the venue takes it
  sent,     ///< the venue has been sent a mass cancel
  again,    ///< due again: it did not take it, or left orders
};

/// Text(58) of an order that ends for it. Static.
[[nodiscard]] constexpr std::string_view text_of(CancelCause cause) noexcept {
  switch (cause) {
    case CancelCause::none:
      break;
    case CancelCause::disconnect:
      return "cancelled because the connection to the client was lost";
    case CancelCause::logout:
      return "cancelled because the client logged out";
    case CancelCause::kill:
      return "cancelled by the operator's kill switch";
  }
  return {};
}

struct ClientPresence {
  CancelOnDisconnect mode = CancelOnDisconnect::never;  ///< of the session in hand, else of the last one
  bool is_connected = false;
  CancelCause cause = CancelCause::none;
  CancelStage stage = CancelStage::none;
  Time lost_at{};            ///< when the session ended that began the waiting
  std::uint64_t number = 0;  ///< of the last mass cancel that was sent for the client; 0: none
  friend bool operator==(const ClientPresence&, const ClientPresence&) = default;
};

struct ClientState {
  ClientLimits limits;      ///< symbols and accounts sorted
  bool is_changed = false;  ///< the limits are not those of the configuration
  bool is_killed = false;
  ClientPresence presence;
  friend bool operator==(const ClientState&, const ClientState&) = default;
};

}  // namespace dojima::gateway
