#pragma once

// Which of a venue's two gateways a member connects to next: up to three attempts on the primary one, then up to three
// on the secondary, and so on (section 8 of MIT203). When to try is the owner's business: at least three seconds apart.
// Plain values.

#include <cstdint>

namespace dojima::mit {

enum class VenueGateway : std::uint8_t { primary, secondary };

class ConnectionAttempts {
 public:
  static constexpr unsigned k_each = 3;

  /// Where the next attempt goes.
  [[nodiscard]] VenueGateway next() const noexcept { return gateway_; }
  /// An attempt came to nothing: no connection, or no logon.
  void note_failure(bool has_secondary) noexcept {
    if (++failures_ < k_each) return;
    failures_ = 0;
    const bool is_primary = gateway_ == VenueGateway::primary;
    gateway_ = is_primary && has_secondary ? VenueGateway::secondary : VenueGateway::primary;
  }
  /// Logged on: when that session ends it begins with the primary one again.
  void note_success() noexcept { *this = {}; }

 private:
  VenueGateway gateway_ = VenueGateway::primary;
  unsigned failures_ = 0;
};

}  // namespace dojima::mit
