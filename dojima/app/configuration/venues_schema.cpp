#include "dojima/app/configuration/venues_schema.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using gateway::ClientConfig, gateway::UserConfig, gateway::VenueAddress, gateway::VenueUsers;
using OtherVenue = gateway::VenueConfig;

/// A port of -1 says that there is none.
void describe_optional(std::string_view key, std::optional<link::Address>& address, const std::string& host,
                       std::string_view meaning, ConfigVisitor& visitor) {
  std::int32_t port = address ? address->port : -1;
  visitor.integer(key, port, -1, 65535, meaning);
  address.reset();
  if (port >= 0) address = {host, static_cast<std::uint16_t>(port)};
}

void describe_host(std::string_view key, std::string& host, ConfigVisitor& visitor) {
  visitor.text(key, host, 64, "numeric address, or localhost");
  if (!net::is_host(host)) visitor.complain(key, "\"" + host + "\" is not a numeric address or localhost");
}

void describe_secondary(OtherVenue& venue, ConfigVisitor& visitor) {
  VenueAddress secondary = venue.secondary.value_or(VenueAddress{{"127.0.0.1", 0}, {}});
  describe_host("secondary_host", secondary.real_time.host, visitor);
  std::optional<link::Address> address;
  if (venue.secondary) address = venue.secondary->real_time;
  describe_optional("secondary_port", address, secondary.real_time.host,
                    "its other gateway, after three attempts in vain; -1: there is none", visitor);
  describe_optional("secondary_recovery_port", secondary.recovery, secondary.real_time.host, "-1: there is none",
                    visitor);
  if (!address && secondary.recovery)
    visitor.complain("secondary_recovery_port", "a secondary gateway with a recovery channel needs its secondary_port");
  venue.secondary.reset();
  if (address) venue.secondary = VenueAddress{*address, secondary.recovery};
}

void describe_venue(OtherVenue& venue, ConfigVisitor& visitor) {
  visitor.text("name", venue.name, 32, "by which [[symbol]] and [[user]] name it");
  link::Address& address = venue.address.real_time;
  if (address.host.empty()) address.host = "127.0.0.1";
  describe_host("host", address.host, visitor);
  visitor.integer("port", address.port, 1, 65535, "");
  describe_optional("recovery_port", venue.address.recovery, address.host,
                    "its recovery channel, for what was missed; -1: there is none", visitor);
  describe_secondary(venue, visitor);
  describe_whole<std::chrono::milliseconds>("heartbeat_ms", venue.heartbeat, 100, 60'000, "as the venue has it",
                                            visitor);
  describe_whole<std::chrono::milliseconds>("reconnect_ms", venue.reconnect, 10, 600'000,
                                            "until a lost connection is tried again", visitor);
  describe_dialect(venue.dialect, "of MIT203 that it speaks", visitor);
  if (venue.name.empty()) visitor.complain("name", "a further venue needs a name");
}

std::vector<std::string> names_of(const GatewayConfig& config) {
  std::vector<std::string> names{config.gateway.venue_name};
  for (const OtherVenue& venue : config.gateway.other_venues) names.push_back(venue.name);
  return names;
}

bool is_known(const GatewayConfig& config, const std::string& venue) {
  const std::vector<std::string> names = names_of(config);
  return venue.empty() || std::ranges::find(names, venue) != names.end();
}

/// The venue that a row means.
std::string meant(const GatewayConfig& config, const std::string& venue) {
  return venue.empty() ? config.gateway.venue_name : venue;
}

struct Logon {
  std::string client, venue, sub_id, account;
  gateway::VenueLogon logon;
  std::string path;  // of its password
};

std::vector<Logon> logons_of(const GatewayConfig& config) {
  std::vector<Logon> logons;
  const std::string& first = config.gateway.venue_name;
  for (std::size_t at = 0; at < config.gateway.clients.size(); ++at) {
    const ClientConfig& each = config.gateway.clients[at];
    if (each.venue_user.empty()) continue;
    logons.push_back({each.comp_id,
                      first,
                      {},
                      {},
                      {each.venue_user, each.venue_password, each.venue_new_password},
                      "client." + std::to_string(at) + ".venue_password"});
  }
  for (std::size_t at = 0; at < config.gateway.users.size(); ++at) {
    const UserConfig& each = config.gateway.users[at];
    logons.push_back({each.client, meant(config, each.venue), each.sub_id, each.account, each.logon,
                      "user." + std::to_string(at) + ".password"});
  }
  return logons;
}

/// Who shares a user logs it on with one password, and no client has two at a venue.
void check_logons(const GatewayConfig& config, ConfigVisitor& visitor) {
  const std::vector<Logon> logons = logons_of(config);
  for (auto each = logons.begin(); each != logons.end(); ++each) {
    const auto first = std::find_if(logons.begin(), each, [&](const Logon& other) {
      return other.venue == each->venue && other.logon.name == each->logon.name;
    });
    if (first != each && !(first->logon == each->logon))
      visitor.complain(each->path, "clients " + first->client + " and " + each->client + " share venue user " +
                                       each->logon.name + ": its password and new password must be the same");
    const bool is_second = std::any_of(logons.begin(), each, [&](const Logon& other) {
      const bool is_same_way = other.sub_id == each->sub_id && other.account == each->account;
      return other.venue == each->venue && other.client == each->client &&
             (is_same_way || other.logon.name == each->logon.name);
    });
    if (is_second)
      visitor.complain(each->path, "client " + each->client +
                                       " has a user at this venue already: one, and one for each sub_id and account");
  }
  for (std::size_t at = 0; at < config.gateway.clients.size(); ++at) {
    const std::string& name = config.gateway.clients[at].comp_id;
    if (std::ranges::find(logons, name, &Logon::client) == logons.end())
      visitor.complain("client." + std::to_string(at) + ".venue_user", "a client needs a user of a venue");
  }
}

void describe_venue_logon(gateway::VenueLogon& logon, SecretFiles& files, ConfigVisitor& visitor) {
  if (!describe_password("password", logon.password, 25, {.file = true}, files, "", visitor))
    visitor.complain("password", "a user of a venue needs a password, or a password_file");
  static_cast<void>(describe_password("new_password", logon.new_password, 25, {.file = true}, files,
                                      "the venue is asked to take it: the password from the next logon on; empty: none",
                                      visitor));
}

}  // namespace

void describe_other_venues(GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.list("other_venue", config.gateway.other_venues, "venues besides [venue], for symbols that name them",
               [&](OtherVenue& row) { describe_venue(row, visitor); });
}

void describe_venue_users(GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.list("user", config.gateway.users, "users of clients at venues, besides venue_user of [[client]]",
               [&](UserConfig& row) {
                 visitor.text("client", row.client, 32, "comp_id of a [[client]]");
                 visitor.text("venue", row.venue, 32, "name of a venue; empty: [venue]");
                 visitor.text("sub_id", row.sub_id, 32, "only where SenderSubID (50) is this; empty: no matter");
                 visitor.text("account", row.account, 10, "only where Account (1) is this; empty: no matter");
                 if (!row.sub_id.empty() && !row.account.empty())
                   visitor.complain("account", "a user is for a sub_id or for an account, not for both");
                 visitor.text("name", row.logon.name, 25, "whom the client trades as there");
                 describe_venue_logon(row.logon, config.password_files, visitor);
                 const auto& clients = config.gateway.clients;
                 const auto client = std::ranges::find(clients, row.client, &ClientConfig::comp_id);
                 if (client == clients.end()) visitor.complain("client", "there is no [[client]] " + row.client);
                 if (client != clients.end() && !client->sub_id.empty() && !row.sub_id.empty())
                   visitor.complain("sub_id",
                                    "[[client]] " + row.client + " has a sub_id, which its session has to have");
                 if (!is_known(config, row.venue)) visitor.complain("venue", "there is no venue " + row.venue);
                 if (row.logon.name.empty()) visitor.complain("name", "a user of a venue needs a name");
               });
}

void check_venues(const GatewayConfig& config, ConfigVisitor& visitor) {
  const std::vector<std::string> names = names_of(config);
  for (std::size_t at = 1; at < names.size(); ++at)
    if (std::ranges::count(names, names[at]) > 1)
      visitor.complain("other_venue." + std::to_string(at - 1) + ".name", "another venue has the same name");
  if (names.size() > VenueUsers::k_venues_max) visitor.complain("other_venue", "a gateway has at most ten venues");
  for (std::size_t at = 0; at < config.gateway.symbols.size(); ++at)
    if (const std::string& venue = config.gateway.symbols[at].venue; !is_known(config, venue))
      visitor.complain("symbol." + std::to_string(at) + ".venue", "there is no venue " + venue);
  check_logons(config, visitor);
}

}  // namespace dojima::app
