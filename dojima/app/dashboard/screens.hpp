#pragma once

// The dashboard of a program: the channel to which its loop sends facts, the server behind it, and what is printed of
// them. Who watches something (a venue, a replay, a feed, a gateway) owns one.
//
//   Screens screens(config, {.picture = {.name = "a replay"}}, {.orders = 1 << 16});
//   if (const auto where = screens.start(); !where) ...
//   screens.channel().publish(...);

#include <expected>
#include <memory>
#include <string>

#include "dojima/app/dashboard_config.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/web/dashboard/dashboard.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {

class Screens {
 public:
  /// Host and port are those of `config`. Throws std::bad_alloc.
  Screens(DashboardConfig config, web::DashboardOptions options, const web::FactChannelOptions& channel);

  /// Listens and begins the dashboard's thread. The error is for a person. Once.
  [[nodiscard]] std::expected<link::Address, std::string> start();
  /// The address that a person opens, with the token; once started.
  [[nodiscard]] std::string url() const;
  /// A line for a person, once started.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] const web::Dashboard& dashboard() const noexcept { return *dashboard_; }
  /// Who drains it himself does not start().
  [[nodiscard]] web::FactChannel& channel() noexcept { return channel_; }

 private:
  DashboardConfig config_;
  web::FactChannel channel_;
  link::Address where_;
  std::unique_ptr<web::Dashboard> dashboard_;  // its thread ends before the channel goes
};

}  // namespace dojima::app
