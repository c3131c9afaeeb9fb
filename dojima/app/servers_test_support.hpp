#pragma once

// A venue and a gateway as the programs run them, each on a loop of its own, and clients that trade with them over real
// sockets: for tests.

#include <atomic>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/trade/trade_client.hpp"
#include "dojima/app/venue_server.hpp"

namespace dojima::app::testing {

/// A script in memory.
class ScriptLines final : public LineSource {
 public:
  explicit ScriptLines(std::vector<std::string> lines) : lines_(lines.begin(), lines.end()) {}
  std::optional<std::string> next() override {
    if (lines_.empty()) return std::nullopt;
    std::string line = lines_.front();
    lines_.pop_front();
    return line;
  }
  [[nodiscard]] bool is_over() const override { return lines_.empty(); }

 private:
  std::deque<std::string> lines_;
};

/// A venue and a gateway in front of it, each in a thread, until the end of the test.
class Market {
 public:
  using Change = std::function<void(GatewayConfig& config, const VenueServer& venue)>;

  /// `change` is given what the gateway is made from, and the venue, which listens.
  explicit Market(const VenueConfig& venue = venue_config(), const Change& change = {})
      : server_(VenueServer::make(venue).value()), venue_(*server_) {
    const auto venue_at = venue_.start();
    EXPECT_TRUE(venue_at.has_value());
    venue_address_ = *venue_at;
    description_ = venue_.describe(*venue_at);
    GatewayConfig config = default_gateway();
    config.listen.port = 0;
    config.venue_port = venue_at->port;
    if (change) change(config, venue_);
    gateway_ = GatewayServer::make(config, [](const std::string&) {}).value();
    address_ = gateway_->start().value();
    venue_thread_ = std::jthread([this] { venue_.run([this] { return is_over_.load(); }); });
    gateway_thread_ = std::jthread([this] {
      gateway_->run([this] {
        is_up_ = gateway_->gateway().is_venue_up();
        return is_over_.load();
      });
    });
    while (!is_up_) std::this_thread::yield();
  }
  ~Market() { is_over_ = true; }

  /// The gateway's.
  [[nodiscard]] const link::Address& address() const { return address_; }
  [[nodiscard]] const link::Address& venue_address() const { return venue_address_; }
  /// What the venue says where it listens.
  [[nodiscard]] const std::vector<std::string>& description() const { return description_; }

  static VenueConfig venue_config() {
    VenueConfig config = default_venue();
    config.listen.port = 0;
    return config;
  }

 private:
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_up_{false};
  std::unique_ptr<VenueServer> server_;
  VenueServer& venue_;
  std::unique_ptr<GatewayServer> gateway_;
  link::Address address_;
  link::Address venue_address_;
  std::vector<std::string> description_;
  std::jthread venue_thread_;
  std::jthread gateway_thread_;
};

struct Session {
  TradeOutcome outcome;
  std::vector<std::string> lines;
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
};

/// Runs commands through a client.
inline Session run_client(TradeOptions options, std::vector<std::string> commands = {}) {
  Session session{};
  options.answer_timeout = std::chrono::seconds{5};
  TradeClient client(std::move(options), [&](const std::string& line) { session.lines.push_back(line); });
  ScriptLines script(std::move(commands));
  session.outcome = client.run(script, false, [] { return false; });
  return session;
}

inline Session trade(std::vector<link::Address> gateways, std::vector<std::string> commands,
                     const std::string& sender = "KONOIKE") {
  return run_client({.gateways = std::move(gateways), .sender = sender, .target = "DOJIMA"}, std::move(commands));
}

}  // namespace dojima::app::testing
