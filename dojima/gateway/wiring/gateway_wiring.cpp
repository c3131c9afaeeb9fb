#include "dojima/gateway/wiring/gateway_wiring.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/setup/session_setup.hpp"

namespace dojima::gateway {
namespace {

/// Clients whose messages overtake a gap at one time; those of others come with the resend.
constexpr std::size_t k_early_buffers = 64;
constexpr std::size_t k_early_bytes = std::size_t{1} << 16;
constexpr std::size_t k_in_flight_least = 16;  // however few records there are

/// No more requests are under way than there are records for, nor reports that a client's store could not keep.
[[nodiscard]] FlowLimits flow_limits(const GatewayConfig& config, std::size_t users) {
  const std::size_t spare = config.limits.requests - std::min(config.limits.requests, config.limits.orders);
  const std::size_t records = spare / std::max<std::size_t>(users, 1);
  return {.in_flight = std::min(config.limits.in_flight, std::max(records, k_in_flight_least)),
          .backlog = config.limits.store_messages / 2,
          .journal_room = Gateway::journal_room(config)};
}

}  // namespace

Gateway::Wiring::Wiring(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler,
                        const GatewayParts& parts)
    : fabric_(fabric),
      scheduler_(scheduler),
      early_(std::min(config.clients.size(), k_early_buffers), k_early_bytes),
      parts_(parts),
      translator_(checked(config), parts.probe),
      held_(config.limits.held_reports),
      flow_(translator_.users(), config.clients.size(), flow_limits(config, translator_.users().size())),
      copies_(translator_.counters(), parts_),
      acceptor_(scheduler, acceptor_options(config), this) {
  // What is refused leaves the journal as it was: no session has a store of it yet.
  if (parts.stores != nullptr && parts.saved != nullptr) restore(*parts.saved, config);
  copies_.add(config, {.scheduler = scheduler_, .early = early_, .gateway = parts_, .acceptor = acceptor_});
  translator_.set_drop_copies(copies_.copies());
  translator_.set_observer(parts.observer);
  // A session that is made may begin its numbers anew, and what it forgets is copied into the journal.
  if (parts.stores != nullptr) follow_stores(config);
  if (parts.stores != nullptr && parts.saved != nullptr) begin_journal();
  add_clients(config);
  add_venues(config);
  if (parts.stores == nullptr) return;
  flow_.watch(parts.stores);
  parts.stores->watch_room(this);
}

Gateway::Wiring::~Wiring() {
  if (parts_.stores != nullptr) parts_.stores->watch_room(nullptr);
}

void Gateway::Wiring::add_clients(const GatewayConfig& config) {
  const ClientLink::Parts shared{
      .scheduler = scheduler_, .early = early_, .gateway = parts_, .translator = translator_, .flow = flow_};
  for (const ClientConfig& client : config.clients) {
    const auto index = static_cast<std::uint32_t>(clients_.size());
    clients_.push_back(std::make_unique<ClientLink>(shared, index, config, client));
    fix::Session& session = clients_.back()->session();
    translator_.attach(index, session);
    flow_.attach(index, session);
    acceptor_.add(session);
    copies_.copies().attach(index, session.store(), client.comp_id);
  }
}

void Gateway::Wiring::follow_stores(const GatewayConfig& config) {
  std::uint32_t index = 0;
  for (const ClientConfig& client : config.clients)
    copies_.copies().attach(index++, store_of(*parts_.stores, config, client), client.comp_id);
}

void Gateway::Wiring::add_venues(const GatewayConfig& config) {
  for (std::uint8_t venue = 0; venue < translator_.users().venues(); ++venue)
    venue_configs_.push_back(venue_at(config, venue));
  const VenueLink::Parts shared{.fabric = fabric_,
                                .scheduler = scheduler_,
                                .translator = translator_,
                                .held = held_,
                                .flow = flow_,
                                .observer = parts_.observer};
  for (std::uint32_t user = 0; user < translator_.users().size(); ++user) {
    const VenueUser& configured = translator_.users()[user];
    venues_.push_back(std::make_unique<VenueLink>(shared, user, venue_configs_[configured.venue], configured));
    translator_.attach_user(user, venues_.back()->session());
    flow_.attach_user(user, venues_.back()->session());
    if (waits_for_disk_) venues_.back()->hold_for(parts_.stores->journal());
  }
}

void Gateway::Wiring::begin_journal() {
  waits_for_disk_ = parts_.stores->journal().durability() == journal::Durability::power;
  translator_.begin_journal(*parts_.stores);
}

void Gateway::Wiring::restore(const SavedState& saved, const GatewayConfig& config) {
  constexpr std::string_view k_refused = "the gateway's journal does not go with its configuration: ";
  if (const std::string why = saved.content().conflict(config); !why.empty())
    throw std::runtime_error(std::string(k_refused) + why);
  const Result<void> restored = translator_.restore(saved);
  if (restored) return;
  std::array<char, 200> text{};
  throw std::runtime_error(std::string(k_refused) + std::string(describe(restored.error(), text)));
}

Result<link::Address> Gateway::Wiring::start(const link::Address& listen, const link::Address& venue,
                                             const std::optional<link::Address>& recovery,
                                             const std::optional<VenueAddress>& secondary) {
  link::Fabric& clients = parts_.client_fabric == nullptr ? fabric_ : *parts_.client_fabric;
  Result<link::Address> bound = clients.listen(listen, acceptor_);
  if (!bound) return bound;
  translator_.begin(scheduler_.now());
  copies_.copies().follow_all();
  venue_configs_.front().address = {venue, recovery};
  venue_configs_.front().secondary = secondary;
  for (std::uint32_t user = 0; user < venues_.size(); ++user) {
    const VenueConfig& where = venue_configs_[translator_.users()[user].venue];
    venues_[user]->start(where.address, where.secondary);
  }
  return bound;
}

void Gateway::Wiring::release() {
  if (waits_for_disk_)
    for (const auto& venue : venues_) venue->release(scheduler_.now());
}

void Gateway::Wiring::stop(std::string_view text) {
  for (const auto& client : clients_) client->session().logout(text);
  for (const auto& venue : venues_) venue->stop(text);
  copies_.log_out(text);
}

GatewayConnections Gateway::Wiring::connections() const noexcept {
  const auto is_connected = [](const auto& client) { return client->session().is_connected(); };
  const auto is_used = [](const auto& venue) { return !venue->is_idle(); };
  return {.clients = static_cast<std::size_t>(std::ranges::count_if(clients_, is_connected)),
          .drop_copies = copies_.connected(),
          .strangers = acceptor_.unknown_links(),
          .venues = static_cast<std::size_t>(std::ranges::count_if(venues_, is_used))};
}

bool Gateway::Wiring::is_idle() const noexcept {
  return acceptor_.links() == 0 && is_all([](const VenueLink& venue) { return venue.is_idle(); });
}

/// One that goes on may use up the room again: then all of them are held anew.
void Gateway::Wiring::on_room(bool is_short) {
  if (is_short) {
    ++translator_.counters().journal_waits;
    flow_.hold_venues();
    for (const auto& venue : venues_) venue->hold_recovery();
    return;
  }
  const Time now = scheduler_.now();
  translator_.go_on(now);
  copies_.copies().follow_all();
  for (const auto& client : clients_)
    if (!flow_.is_short_of_room()) client->go_on(now);
  for (const auto& venue : venues_)
    if (!flow_.is_short_of_room()) venue->go_on(now);
  if (!flow_.is_short_of_room()) flow_.read_venues();
}

void Gateway::Wiring::on_refused(const fix::RefusedConnection& refused, Time now) {
  if (parts_.observer != nullptr) parts_.observer->on_refused(refused, now);
}

}  // namespace dojima::gateway
