#include "dojima/gateway/setup/session_setup.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "dojima/fix/journal_stores.hpp"

namespace dojima::gateway {
namespace {

const SessionTemplate& template_of(const GatewayConfig& config, const ClientConfig& client) {
  if (client.session_template.empty()) return config.fix;
  const auto found = std::ranges::find(config.templates, client.session_template, &SessionTemplate::name);
  if (found == config.templates.end()) throw std::invalid_argument("client " + client.comp_id + " names no template");
  return *found;
}

void check_drop_copies(const GatewayConfig& config) {
  for (const DropCopyConfig& copy : config.drop_copies) {
    const bool is_client = std::ranges::count(config.clients, copy.comp_id, &ClientConfig::comp_id) != 0;
    if (copy.comp_id.empty() || is_client ||
        std::ranges::count(config.drop_copies, copy.comp_id, &DropCopyConfig::comp_id) > 1)
      throw std::invalid_argument("a drop copy has a comp id of its own");
    for (const std::string& name : copy.clients) {
      const auto client = std::ranges::find(config.clients, name, &ClientConfig::comp_id);
      if (client == config.clients.end() || client->version != copy.version)
        throw std::invalid_argument("a drop copy follows clients of its version");
    }
  }
}

}  // namespace

ClientConfig identity_of(const DropCopyConfig& copy) {
  return {.comp_id = copy.comp_id,
          .sub_id = copy.sub_id,
          .location_id = copy.location_id,
          .session_template = copy.session_template,
          .allowed_hosts = copy.allowed_hosts,
          .username = copy.username,
          .password = copy.password,
          .version = copy.version};
}

std::vector<std::uint32_t> clients_of(const GatewayConfig& config, const DropCopyConfig& copy) {
  std::vector<std::uint32_t> followed;
  for (std::uint32_t client = 0; client < config.clients.size(); ++client) {
    const ClientConfig& each = config.clients[client];
    const bool is_named = copy.clients.empty() || std::ranges::count(copy.clients, each.comp_id) != 0;
    if (is_named && each.version == copy.version) followed.push_back(client);
  }
  return followed;
}

std::size_t links_of(const GatewayConfig& config) noexcept {
  return config.clients.size() + config.drop_copies.size() + config.limits.pending_links +
         fix::SessionAcceptorOptions::k_ending_links;
}

fix::SessionConfig session_config(const GatewayConfig& config, const ClientConfig& client, fix::EarlyBuffers& early,
                                  const GatewayParts& parts) {
  fix::SessionConfig session = template_of(config, client).session;
  session.role = fix::Role::acceptor;
  session.begin_string = begin_string_of(client.version);
  session.default_appl_ver_id = application_version_of(client.version);
  if (session.dictionary == nullptr) session.dictionary = &order_entry_dictionary(client.version);
  session.sender_comp_id = config.comp_id;
  session.target_comp_id = client.comp_id;
  session.target_sub_id = client.sub_id;
  session.target_location_id = client.location_id;
  session.store = {config.limits.store_messages, config.limits.store_bytes};
  session.early_buffers = &early;
  session.log = parts.message_log;
  session.username = client.username;
  session.password = client.password;
  session.credentials = parts.credentials;
  session.allowed_hosts = client.allowed_hosts;
  return session;
}

fix::SessionSchedule schedule_of(const GatewayConfig& config, const ClientConfig& client) {
  const std::optional<fix::ScheduleConfig>& schedule = template_of(config, client).schedule;
  return schedule ? fix::SessionSchedule(*schedule) : fix::SessionSchedule();
}

fix::SessionAcceptorOptions acceptor_options(const GatewayConfig& config) {
  fix::SessionAcceptorOptions options{.links = links_of(config),
                                      .unknown_links = config.limits.pending_links,
                                      .logon_timeout = config.fix.session.logon_timeout,
                                      .probe_timeout = config.probe_timeout,
                                      .max_body = config.fix.session.max_body};
  for (const SessionTemplate& each : config.templates)
    options.max_body = std::max(options.max_body, each.session.max_body);
  return options;
}

fix::MessageStore& store_of(fix::JournalStores& stores, const GatewayConfig& config, const ClientConfig& client) {
  const Result<fix::MessageStore*> store =
      stores.store({std::string(begin_string_of(client.version)), config.comp_id, client.comp_id});
  if (!store) throw std::runtime_error("the FIX store has no room for client " + client.comp_id);
  return **store;
}

const GatewayConfig& checked(const GatewayConfig& config) {
  if (config.clients.empty()) throw std::invalid_argument("a gateway has at least one client");
  if (config.symbols.empty()) throw std::invalid_argument("a gateway trades at least one symbol");
  for (const VenueConfig& venue : config.other_venues)
    if (venue.dialect == nullptr || venue.reconnect <= time::Duration{0} || venue.heartbeat <= time::Duration{0})
      throw std::invalid_argument("a venue has a dialect, and times above zero");
  if (config.dialect == nullptr) throw std::invalid_argument("a gateway speaks a dialect of MIT203");
  if (config.reconnect <= time::Duration{0}) throw std::invalid_argument("the time between connections is above zero");
  if (config.venue_heartbeat <= time::Duration{0}) throw std::invalid_argument("the venue's heartbeat is above zero");
  if (config.limits.held_reports == 0) throw std::invalid_argument("at least one report may be held");
  if (config.limits.pending_links == 0) throw std::invalid_argument("at least one connection may wait for its logon");
  for (const ClientConfig& client : config.clients) {
    if (client.cancel_grace < time::Duration{0}) throw std::invalid_argument("the grace of a client is not below zero");
    const auto same = [&](auto member) { return std::ranges::count(config.clients, client.*member, member) > 1; };
    if (same(&ClientConfig::comp_id)) throw std::invalid_argument("a client's comp id is there once");
  }
  check_drop_copies(config);
  for (const SessionTemplate& each : config.templates)
    if (each.name.empty() || std::ranges::count(config.templates, each.name, &SessionTemplate::name) > 1)
      throw std::invalid_argument("a template has a name of its own");
  return config;
}

}  // namespace dojima::gateway
