#pragma once

// A market on the screens of browsers: an HTTP server with its pages, and a WebSocket that sends each of them what has
// changed, at most 30 frames a second, whatever the loops behind it do. The loops tell through channels and never wait.
// docs/dashboard.md says what the pages show and what the frames hold.
//
//   FactChannel channel({.orders = 1 << 16});
//   Dashboard dashboard({.picture = {.name = "venue", .instruments = {...}}}, {&channel});
//   const auto where = dashboard.start();
//   ...                                        // the loop tells the channel

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/web/dashboard/facts.hpp"
#include "dojima/web/dashboard/picture.hpp"
#include "dojima/web/web_socket.hpp"

namespace dojima::web {

struct DashboardOptions {
  PictureConfig picture;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::size_t clients = 16;
  /// What `pace` words do: pause, resume, step, speed X. Called in the dashboard's thread, with words that came with
  /// the token. False: they mean nothing. Empty: time is nobody's to move.
  std::function<bool(std::string_view words)> on_pace;
};

class Dashboard {
 public:
  /// The channels outlive it, and are drained by nobody else. Throws std::invalid_argument, std::bad_alloc.
  Dashboard(DashboardOptions options, std::vector<FactChannel*> channels);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  /// Listens and begins the thread. `unavailable` with the system's errno in `got`. Once.
  [[nodiscard]] Result<link::Address> start();
  /// Ends the thread. What the channels still hold is not shown.
  void stop();

  /// What a page must know to move time: 32 hexadecimal digits, new at every start; empty where nobody can.
  [[nodiscard]] const std::string& token() const noexcept;
  [[nodiscard]] WebSocketCounts counts() const noexcept;
  /// Frames that were sent.
  [[nodiscard]] std::uint64_t frames() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The address that a person opens, with the token behind '#', which no browser sends anywhere.
[[nodiscard]] std::string dashboard_url(const link::Address& where, std::string_view token);

}  // namespace dojima::web
