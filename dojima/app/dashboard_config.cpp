#include "dojima/app/dashboard_config.hpp"

#include "dojima/net/address.hpp"

namespace dojima::app {

std::expected<DashboardConfig, std::string> parse_dashboard(std::string_view text) {
  if (text.empty()) return DashboardConfig{.port = DashboardConfig::k_port};
  const auto where = net::parse_address(text);
  if (!where)
    return std::unexpected("--dashboard " + std::string(text) +
                           ": write HOST:PORT with a numeric address, e.g. 127.0.0.1:9300; port 0 is any free one");
  return DashboardConfig{.host = where->host, .port = where->port, .allow_remote = !net::is_loopback(where->host)};
}

}  // namespace dojima::app
