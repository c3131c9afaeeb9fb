// Whether a configuration means the same by an open order of the journal as the one that it was entered with.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dojima/gateway/fix_version.hpp"
#include "dojima/gateway/setup/saved_content.hpp"

namespace dojima::gateway {
namespace {

[[nodiscard]] std::string user_at(std::string_view name, std::string_view venue) {
  std::string text(name);
  if (!venue.empty()) text.append(" of venue ").append(venue);
  return text;
}

[[nodiscard]] std::string venue_named(std::string_view name) {
  return name.empty() ? std::string("the venue without a name") : std::string("venue ").append(name);
}

/// There are many orders of few clients, users and instruments: each question is answered once.
template <class Make>
[[nodiscard]] const std::string& once(std::unordered_map<std::uint64_t, std::string>& known, std::uint64_t key,
                                      Make make) {
  const auto [found, is_new] = known.try_emplace(key);
  if (is_new) found->second = make();
  return found->second;
}

}  // namespace

std::string SavedState::Content::client_conflict(const Client& client, const ClientConfig* now) const {
  if (now == nullptr) return "and the configuration has no such client";
  const std::string* const version = configuration_.version_of(client.comp_id);
  if (version == nullptr || *version == name_of(now->version)) return {};
  return "and the client spoke " + *version + ", but its version is " + std::string(name_of(now->version)) + " now";
}

std::string SavedState::Content::user_conflict(const Order& order, const GatewayConfig& config, const VenueUsers& users,
                                               std::uint32_t client) const {
  const User was = entered_as(order);
  const std::optional<std::uint32_t> user = user_of(order, users, client);
  if (!user) {
    std::string text = "entered as venue user " + user_at(was.name, was.venue) + ", and the client trades as ";
    std::string_view separator;
    for (const std::uint32_t each : users.of(client)) {
      text.append(separator).append(user_at(users[each].name, users.venue_name(users[each].venue)));
      separator = ", ";
    }
    return text + " now";
  }
  const std::string now = venue_at(config, users[*user].venue).dialect->name;
  const std::string* const dialect = configuration_.dialect_of(was.venue);
  if (dialect == nullptr || *dialect == now) return {};
  return "at the venue" + (was.venue.empty() ? "" : " " + was.venue) + ", whose dialect was " + *dialect + " and is " +
         now + " now";
}

std::string SavedState::Content::instrument_conflict(std::uint32_t instrument, const GatewayConfig& config) const {
  const std::string* const was = configuration_.symbol_of(instrument);
  if (was == nullptr) return {};
  const auto now = std::ranges::find(config.symbols, instrument, &SymbolConfig::instrument);
  if (now != config.symbols.end() && now->symbol == *was) return {};
  std::string text = "in instrument " + std::to_string(instrument) + ", which was symbol " + *was + " and is " +
                     (now == config.symbols.end() ? "none" : now->symbol) + " now";
  const auto moved = std::ranges::find(config.symbols, *was, &SymbolConfig::symbol);
  if (moved != config.symbols.end()) text += "; " + *was + " is instrument " + std::to_string(moved->instrument);
  return text;
}

/// Its order is at the venue that it was entered at. A symbol that is gone is a conflict of its instrument.
std::string SavedState::Content::venue_conflict(const Order& order, const GatewayConfig& config,
                                                const VenueUsers& users) const {
  const auto symbol = std::ranges::find(config.symbols, order.instrument, &SymbolConfig::instrument);
  if (symbol == config.symbols.end()) return {};
  const std::string was = entered_as(order).venue;
  const std::string_view now = users.venue_name(users.venue_of(order.instrument));
  if (now == was) return {};
  return "in symbol " + symbol->symbol + " at " + venue_named(was) + ", and the symbol is traded at " +
         venue_named(now) + " now";
}

std::string SavedState::Content::conflict(const GatewayConfig& config) const {
  const VenueUsers users(config);
  std::unordered_map<std::uint64_t, std::string> of_clients, of_users, of_instruments, of_venues;
  const auto words_of = [&](const Order& order) -> const std::string& {
    const Client& client = clients_[order.client];
    const auto place = place_of(config, client);
    const std::string& first = once(of_clients, order.client,
                                    [&] { return client_conflict(client, place ? &config.clients[*place] : nullptr); });
    if (!first.empty()) return first;
    const std::string& second = once(of_users, std::uint64_t{order.client} << 32 | order.user,
                                     [&] { return user_conflict(order, config, users, *place); });
    if (!second.empty()) return second;
    const std::string& third =
        once(of_instruments, order.instrument, [&] { return instrument_conflict(order.instrument, config); });
    if (!third.empty()) return third;
    return once(of_venues, std::uint64_t{order.instrument} << 32 | order.user,
                [&] { return venue_conflict(order, config, users); });
  };
  std::string text;
  std::uint32_t first = 0;
  std::size_t count = 0;
  for (const auto& [slot, order] : orders_) {
    if (!is_open(order.state)) continue;
    const std::string& words = words_of(order);
    if (words.empty()) continue;
    if (++count != 1 && slot > first) continue;
    first = slot;
    text = "order " + std::string(order.cl_ord_id_text.view()) + " of client " + clients_[order.client].comp_id +
           " is open, " + words;
  }
  if (count > 1) text += "; " + std::to_string(count) + " open orders do not go with it";
  return text;
}

}  // namespace dojima::gateway
