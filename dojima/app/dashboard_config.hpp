#pragma once

// Where browsers find the screens of a venue or a demo, as a person says it. Plain values.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace dojima::app {

struct DashboardConfig {
  static constexpr std::uint16_t k_port = 9300;  ///< where nobody says another one
  std::string host = "127.0.0.1";
  std::int32_t port = -1;  ///< 0: any free one; -1: there are no screens
  bool allow_remote = false;
  /// Of a venue, where nobody else takes its times: of so many requests one is timed, a power of two up to 65,536.
  std::uint32_t timed_one_in = 256;
  friend bool operator==(const DashboardConfig&, const DashboardConfig&) = default;
};

/// `--dashboard [HOST:PORT]`: empty text is this machine alone at k_port; an address that others can reach allows them.
/// The error is for a person.
[[nodiscard]] std::expected<DashboardConfig, std::string> parse_dashboard(std::string_view text);

}  // namespace dojima::app
