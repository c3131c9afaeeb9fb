#include "dojima/app/dashboard/screens.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/core.h>
#include <utility>
#include <vector>

#include "dojima/app/listen_error.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

[[nodiscard]] web::DashboardOptions at_address(web::DashboardOptions options, const DashboardConfig& config) {
  options.host = config.host;
  options.port = static_cast<std::uint16_t>(std::max(config.port, 0));
  return options;
}

}  // namespace

Screens::Screens(DashboardConfig config, web::DashboardOptions options, const web::FactChannelOptions& channel)
    : config_(std::move(config)),
      channel_(channel),
      dashboard_(std::make_unique<web::Dashboard>(at_address(std::move(options), config_),
                                                  std::vector<web::FactChannel*>{&channel_})) {}

std::expected<link::Address, std::string> Screens::start() {
  auto where = dashboard_->start();
  if (!where) {
    // Each command that has screens takes this option; those of a configuration file take it in its place.
    const std::string any = "--dashboard " + net::text_of({config_.host, 0});
    const link::Address wanted{config_.host, static_cast<std::uint16_t>(std::max(config_.port, 0))};
    return std::unexpected("dashboard: " + describe_listen_error(wanted, AnyPort{any}, where.error()));
  }
  where_ = *where;
  return *std::move(where);
}

std::string Screens::url() const {
  return web::dashboard_url(where_, dashboard_->token());
}

std::string Screens::describe() const {
  return fmt::format("dashboard {}{}", url(), net::is_loopback(where_.host) ? "" : ", for whoever can reach it");
}

}  // namespace dojima::app
