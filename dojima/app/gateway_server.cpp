#include "dojima/app/gateway_server.hpp"

#include <fmt/core.h>

#include "dojima/app/venue_server.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

gateway::ClientConfig client_of(const ClientConfig& config) {
  return {.comp_id = config.comp_id,
          .password = config.password,
          .venue_user = config.venue_user,
          .venue_password = config.venue_password,
          .defaults = {.executing_trader = config.executing_trader,
                       .client = config.client_id,
                       .decision_maker = config.decision_maker,
                       .role_qualifiers = config.role_qualifiers,
                       .clearing_account = config.clearing_account,
                       .mifid_flags = config.mifid_flags,
                       .capacity = static_cast<market::Capacity>(config.capacity),
                       .account = config.account,
                       .trader = config.trader,
                       .auto_cancel = config.auto_cancel,
                       .is_named = config.is_named}};
}

}  // namespace

gateway::GatewayConfig gateway_config_of(const GatewayConfig& config) {
  gateway::GatewayConfig result;
  result.comp_id = config.comp_id;
  for (const ClientConfig& client : config.clients) result.clients.push_back(client_of(client));
  for (const SymbolConfig& symbol : config.symbols) result.symbols.push_back({symbol.symbol, symbol.instrument});
  result.limits = {.orders = config.orders,
                   .requests = config.requests,
                   .remembered_ids = config.remembered_ids,
                   .store_messages = config.store_messages,
                   .store_bytes = std::size_t{config.store_megabytes} << 20,
                   .pending_links = config.pending_links};
  result.reconnect = std::chrono::milliseconds{config.reconnect_ms};
  result.venue_heartbeat = std::chrono::milliseconds{config.venue_heartbeat_ms};
  result.sending_time_tolerance = std::chrono::seconds{config.sending_time_tolerance_s};
  result.reset_on_logon = config.reset_on_logon;
  return result;
}

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
    say("venue took user {}", config_.clients[client].venue_user);
  }
  void on_venue_down(std::size_t client, std::string_view text, Time) override {
    // Attempts go on for ever; one line says so.
    if (is_down_told_) return;
    is_down_told_ = true;
    say("no venue for user {}: {}; trying again every {} ms", config_.clients[client].venue_user, text,
        config_.reconnect_ms);
  }
  void on_venue_refused(std::size_t client, std::int32_t code, Time) override {
    say("venue refused user {} with code {}; is the password right, is it logged on elsewhere?",
        config_.clients[client].venue_user, code);
  }
  void on_trouble(std::size_t client, const Error& error, Time) override {
    char text[160];
    say("trouble with client {}: {}", name(client), dojima::describe(error, text));
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t client) const { return config_.clients[client].comp_id; }
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
      station_({.scheduler = gateway::Gateway::timers(gateway_config_of(config)),
                .idle = config.idle,
                .fabric = fabric_options(config.network, config.clients.size())}),
      events_(std::make_unique<Events>(config_, std::move(log))),
      gateway_(std::make_unique<gateway::Gateway>(gateway_config_of(config), station_.fabric(), station_.scheduler(),
                                                  gateway::GatewayParts{.observer = events_.get()})) {}

GatewayServer::~GatewayServer() = default;

Result<link::Address> GatewayServer::start() {
  return gateway_->start({config_.listen.host, config_.listen.port}, {config_.venue_host, config_.venue_port});
}

std::vector<std::string> GatewayServer::describe(const link::Address& where) const {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("FIX 4.4 {} as {}", net::text_of(where), config_.comp_id));
  lines.push_back(fmt::format("venue {}", net::text_of({config_.venue_host, config_.venue_port})));
  for (const SymbolConfig& symbol : config_.symbols)
    lines.push_back(fmt::format("symbol {} is instrument {}", symbol.symbol, symbol.instrument));
  for (const ClientConfig& client : config_.clients)
    lines.push_back(fmt::format("client {} trades as {}", client.comp_id, client.venue_user));
  return lines;
}

void GatewayServer::shut_down() {
  gateway_->stop("gateway closes");
  station_.fabric().stop_listening();
  station_.run_at_most(std::chrono::seconds{2}, [&] { return !gateway_->is_idle(); });
}

}  // namespace dojima::app
