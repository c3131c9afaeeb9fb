#pragma once

// The dashboard of a program: the channel to which its loop sends facts, the server behind it, and what is printed of
// them. Who watches something (a venue, a replay, a feed, a gateway) owns one.
//
//   Screens screens(config, {.picture = {.name = "a replay"}}, {.orders = 1 << 16});
//   if (const auto where = screens.start(); !where) ...
//   screens.channel().publish(...);

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

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

  /// What the screens themselves keep waiting: names of counters that a watch puts behind its own, and what they are
  /// now.
  static constexpr std::array<std::string_view, 4> k_own_counters = {
      "dashboard: pages", "dashboard: pages closed, as they took nothing", "dashboard: bytes in its ring",
      "dashboard: most bytes in its ring"};
  /// By the thread that publishes, before it does: what is in the ring then is what the loop is ahead of the screens.
  [[nodiscard]] std::array<std::uint64_t, k_own_counters.size()> own_counters() noexcept {
    const std::size_t waiting = channel_.waiting();
    most_waiting_ = std::max(most_waiting_, waiting);
    const web::WebSocketCounts pages = dashboard_->counts();
    return {pages.open, pages.stalled, waiting, most_waiting_};
  }

  [[nodiscard]] const web::Dashboard& dashboard() const noexcept { return *dashboard_; }
  /// Who drains it himself does not start().
  [[nodiscard]] web::FactChannel& channel() noexcept { return channel_; }

 private:
  DashboardConfig config_;
  web::FactChannel channel_;
  std::size_t most_waiting_ = 0;  // that was seen
  link::Address where_;
  std::unique_ptr<web::Dashboard> dashboard_;  // its thread ends before the channel goes
};

}  // namespace dojima::app
