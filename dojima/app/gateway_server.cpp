#include "dojima/app/gateway_server.hpp"

#include <fmt/core.h>

#include "dojima/app/venue_server.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
/// What happens to the sessions, as lines.
class GatewayServer::Events final : public gateway::Observer {
 public:
  Events(const GatewayConfig& config, Log log) : config_(config), log_(std::move(log)) {}

  void on_client_up(std::size_t client, Time) override { say("client {} logged on", name(client)); }
  void on_client_down(std::size_t client, std::string_view text, Time) override {
    say("client {} is gone: {}", name(client), text);
  }
  void on_venue_up(std::size_t client, Time) override {
    is_down_told_ = false;
    say("venue took user {}", config_.gateway.clients[client].venue_user);
  }
  void on_venue_down(std::size_t client, std::string_view text, Time) override {
    // Attempts go on for ever; one line says so.
    if (is_down_told_) return;
    is_down_told_ = true;
    say("no venue for user {}: {}; trying again every {} ms", config_.gateway.clients[client].venue_user, text,
        std::chrono::duration_cast<std::chrono::milliseconds>(config_.gateway.reconnect).count());
  }
  void on_venue_refused(std::size_t client, std::int32_t code, Time) override {
    say("venue refused user {} with code {}; is the password right, is it logged on elsewhere?",
        config_.gateway.clients[client].venue_user, code);
  }
  void on_trouble(std::size_t client, const Error& error, Time) override {
    char text[160];
    say("trouble with client {}: {}", name(client), dojima::describe(error, text));
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t client) const { return config_.gateway.clients[client].comp_id; }
  template <class... Values>
  void say(fmt::format_string<Values...> format, Values&&... values) {
    log_(fmt::format(format, std::forward<Values>(values)...));
  }

  const GatewayConfig& config_;
  Log log_;
  bool is_down_told_ = false;
};

GatewayServer::GatewayServer(const GatewayConfig& config, Log log)
    : config_(config),
      station_({.scheduler = gateway::Gateway::timers(config.gateway),
                .idle = config.idle,
                .fabric = fabric_options(config.network, config.connections + config.gateway.clients.size())}),
      events_(std::make_unique<Events>(config_, std::move(log))),
      gateway_(std::make_unique<gateway::Gateway>(config.gateway, station_.fabric(), station_.scheduler(),
                                                  gateway::GatewayParts{.observer = events_.get()})) {}

GatewayServer::~GatewayServer() = default;

Result<link::Address> GatewayServer::start() {
  return gateway_->start({config_.listen.host, config_.listen.port}, {config_.venue_host, config_.venue_port});
}

std::vector<std::string> GatewayServer::describe(const link::Address& where) const {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("FIX 4.4 {} as {}", net::text_of(where), config_.gateway.comp_id));
  lines.push_back(fmt::format("venue {}", net::text_of({config_.venue_host, config_.venue_port})));
  for (const gateway::SymbolConfig& symbol : config_.gateway.symbols)
    lines.push_back(fmt::format("symbol {} is instrument {}", symbol.symbol, symbol.instrument));
  for (const gateway::ClientConfig& client : config_.gateway.clients)
    lines.push_back(fmt::format("client {} trades as {}", client.comp_id, client.venue_user));
  return lines;
}

void GatewayServer::shut_down() {
  gateway_->stop("gateway closes");
  station_.fabric().stop_listening();
  station_.run_at_most(std::chrono::seconds{2}, [&] { return !gateway_->is_idle(); });
}

}  // namespace dojima::app
