#include "dojima/gateway/venue_users.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace dojima::gateway {

VenueUsers::VenueUsers(const GatewayConfig& config)
    : routes_(config.clients.size()), of_(config.clients.size()), venues_(config.symbols.size()) {
  names_.push_back(config.venue_name);
  for (const VenueConfig& venue : config.other_venues) {
    if (venue.name.empty() || std::ranges::find(names_, venue.name) != names_.end())
      throw std::invalid_argument("a further venue has a name of its own");
    names_.push_back(venue.name);
  }
  if (names_.size() > k_venues_max) throw std::invalid_argument("a gateway has at most ten venues");
  for (const SymbolConfig& symbol : config.symbols) {
    const std::uint8_t venue = place_of(symbol.venue);
    if (!venues_.insert(symbol.instrument, venue))
      throw std::invalid_argument("instrument " + std::to_string(symbol.instrument) + " is there twice");
  }
  for (std::uint32_t client = 0; client < config.clients.size(); ++client) {
    const ClientConfig& each = config.clients[client];
    if (!each.venue_user.empty())
      add(client, 0,
          {.client = each.comp_id, .logon = {each.venue_user, each.venue_password, each.venue_new_password}});
    for (const UserConfig& user : config.users) {
      if (user.client != each.comp_id) continue;
      if (!user.sub_id.empty() && !each.sub_id.empty())
        throw std::invalid_argument("client " + each.comp_id + " has one SenderSubID, its session's");
      add(client, place_of(user.venue), user);
    }
    if (of_[client].empty()) throw std::invalid_argument("client " + each.comp_id + " has no user of a venue");
  }
  for (const UserConfig& user : config.users)
    if (std::ranges::find(config.clients, user.client, &ClientConfig::comp_id) == config.clients.end())
      throw std::invalid_argument("there is no client " + user.client + " for venue user " + user.logon.name);
  if (users_.size() > std::numeric_limits<std::uint16_t>::max())
    throw std::invalid_argument("a gateway has at most 65,535 venue users");
}

/// An empty name is the first venue's.
std::uint8_t VenueUsers::place_of(std::string_view venue) const {
  if (venue.empty()) return 0;
  const auto found = std::ranges::find(names_, venue);
  if (found == names_.end()) throw std::invalid_argument("there is no venue " + std::string(venue));
  return static_cast<std::uint8_t>(found - names_.begin());
}

std::uint32_t VenueUsers::add_user(std::uint8_t venue, const VenueLogon& logon) {
  auto user = std::ranges::find_if(
      users_, [&](const VenueUser& each) { return each.venue == venue && each.name == logon.name; });
  if (user == users_.end()) {
    users_.push_back(
        {.name = logon.name, .password = logon.password, .new_password = logon.new_password, .venue = venue});
    user = users_.end() - 1;
  } else if (user->password != logon.password || user->new_password != logon.new_password) {
    throw std::invalid_argument("clients that share venue user " + logon.name + " give the same passwords");
  }
  return static_cast<std::uint32_t>(user - users_.begin());
}

void VenueUsers::add(std::uint32_t client, std::uint8_t venue, const UserConfig& configured) {
  if (!configured.sub_id.empty() && !configured.account.empty())
    throw std::invalid_argument("a venue user is for a sub id or for an account, not for both");
  const std::uint32_t user = add_user(venue, configured.logon);
  for (const Route& route : routes_[client]) {
    if (route.user == user) throw std::invalid_argument("a client names a user of a venue once");
    if (users_[route.user].venue == venue && route.sub_id == configured.sub_id && route.account == configured.account)
      throw std::invalid_argument("a client has one user at a venue, or one for each sub id and account");
  }
  routes_[client].push_back({user, configured.sub_id, configured.account});
  users_[user].clients.push_back(client);
  of_[client].push_back(user);
  std::ranges::sort(of_[client]);
}

std::optional<std::uint32_t> VenueUsers::at(std::uint32_t client, std::uint8_t venue, std::string_view sub_id,
                                            std::string_view account) const noexcept {
  const Route *own = nullptr, *of_account = nullptr;
  for (const Route& route : routes_[client]) {
    if (users_[route.user].venue != venue) continue;
    if (!sub_id.empty() && route.sub_id == sub_id) return route.user;
    if (!account.empty() && route.account == account) of_account = &route;
    if (route.sub_id.empty() && route.account.empty()) own = &route;
  }
  // A sub id that is for other venues only is not at home here.
  if (!sub_id.empty() && has_sub_ids(client)) return std::nullopt;
  const Route* const found = of_account != nullptr ? of_account : own;
  return found == nullptr ? std::nullopt : std::optional(found->user);
}

bool VenueUsers::has_sub_ids(std::uint32_t client) const noexcept {
  return std::ranges::any_of(routes_[client], [](const Route& route) { return !route.sub_id.empty(); });
}

bool VenueUsers::has_sub_id(std::uint32_t client, std::string_view sub_id) const noexcept {
  return std::ranges::any_of(routes_[client], [=](const Route& route) { return route.sub_id == sub_id; });
}

std::string_view VenueUsers::stored_sub_id(std::uint32_t client, std::string_view sub_id) const noexcept {
  for (const Route& route : routes_[client])
    if (route.sub_id == sub_id) return route.sub_id;
  return {};
}

std::string_view VenueUsers::sub_id_of(std::uint32_t client, std::uint32_t user) const noexcept {
  for (const Route& route : routes_[client])
    if (route.user == user) return route.sub_id;
  return {};
}

std::optional<std::uint32_t> VenueUsers::find(std::string_view venue, std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(
      users_, [&](const VenueUser& each) { return names_[each.venue] == venue && each.name == name; });
  if (found == users_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - users_.begin());
}

VenueConfig venue_at(const GatewayConfig& config, std::uint8_t venue) {
  if (venue != 0) return config.other_venues.at(venue - 1U);
  return {.name = config.venue_name,
          .address = {},
          .reconnect = config.reconnect,
          .heartbeat = config.venue_heartbeat,
          .dialect = config.dialect};
}

}  // namespace dojima::gateway
