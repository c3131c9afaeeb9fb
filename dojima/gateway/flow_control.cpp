#include "dojima/gateway/flow_control.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {

FlowControl::FlowControl(const VenueUsers& users, std::size_t clients, FlowLimits limits)
    : users_(users), limits_(limits), clients_(clients), users_of_venue_(users.size()) {
  DOJIMA_ASSERT(limits.in_flight > 0, "a venue user may have a request under way", limits.in_flight);
}

/// All clients of the user, so that none of them fills what little room is left.
void FlowControl::hold(std::uint32_t user, std::uint32_t client) {
  if (users_of_venue_[user].is_holding) return clients_[client]->set_reading(false);
  Venue& venue = users_of_venue_[user];
  venue.is_holding = true;
  venue.is_full = venue.session->unanswered() >= limits_.in_flight;
  ++holds_;
  for (const std::uint32_t each : users_.clients_of(user)) clients_[each]->set_reading(false);
}

/// Those that share a user are served in turn: each time another one is the first.
void FlowControl::release(std::uint32_t user) {
  users_of_venue_[user].is_holding = false;
  const auto clients = users_.clients_of(user);
  const std::size_t first = static_cast<std::size_t>(releases_++ % clients.size());
  for (std::size_t at = 0; at < clients.size(); ++at) {
    const std::uint32_t client = clients[(first + at) % clients.size()];
    const bool is_held =
        std::ranges::any_of(users_.of(client), [this](std::uint32_t of) { return users_of_venue_[of].is_holding; });
    if (!is_held) clients_[client]->set_reading(true);
  }
}

/// What the user is sent is for one client, who is far behind: it waits at the venue.
void FlowControl::hold_venue(std::uint32_t user) {
  const fix::Session& client = *clients_[users_.clients_of(user).front()];
  if (client.waiting() > limits_.backlog) users_of_venue_[user].session->set_reading(false);
}

void FlowControl::on_client(std::uint32_t client) {
  if (is_short_of_room()) return;
  for (const std::uint32_t user : users_.of(client)) users_of_venue_[user].session->set_reading(true);
}

void FlowControl::hold_venues() {
  for (const Venue& venue : users_of_venue_)
    if (venue.session->is_logged_on()) venue.session->set_reading(false);
}

void FlowControl::read_venues() {
  for (std::uint32_t user = 0; user < users_of_venue_.size(); ++user) {
    users_of_venue_[user].session->set_reading(true);
    const auto clients = users_.clients_of(user);
    if (clients.size() == 1 && clients_[clients.front()]->is_blocked()) hold_venue(user);
  }
}

}  // namespace dojima::gateway
