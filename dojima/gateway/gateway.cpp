#include "dojima/gateway/gateway.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/setup/session_setup.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/venue_link.hpp"
#include "dojima/gateway/wiring/gateway_wiring.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_session_timers = 4;  // what a fix::ScheduledSession reserves

[[nodiscard]] std::string_view name_of(OrderState state) noexcept {
  if (state == OrderState::pending_new) return "pending new";
  return state == OrderState::suspended ? "suspended" : "live";
}

[[nodiscard]] OrderSummary summary_of(const Order& order, const ClOrdId& id) {
  return {.client = order.client,
          .instrument = order.instrument,
          .cl_ord_id = id,
          .terms = order.terms,
          .order_id = order.order_id,
          .executed = order.cumulative,
          .leaves = order.leaves(),
          .state = name_of(order.state),
          .is_stale = order.is_stale,
          .has_pending_change = order.pending_change != k_no_slot};
}

/// What one message to the gateway is answered with, but for requests that waited.
constexpr std::size_t k_answers_most = 16;
/// What a message is longer than its body, and its record than both.
constexpr std::size_t k_around_body = 256;

}  // namespace

std::size_t Gateway::timers(const GatewayConfig& config) noexcept {
  return config.drop_copies.size() * k_session_timers +
         config.clients.size() * (k_session_timers + VenueLink::k_timers + 1) +
         config.users.size() * VenueLink::k_timers + links_of(config);
}

std::size_t Gateway::journal_room(const GatewayConfig& config) noexcept {
  std::size_t chained = 0;
  for (const ClientConfig& client : config.clients) chained = std::max<std::size_t>(chained, client.chain);
  std::size_t body = config.fix.session.max_body;
  for (const SessionTemplate& each : config.templates) body = std::max(body, each.session.max_body);
  // Refusals of all that waits, or a list of all symbols; each with what it changes.
  const std::size_t answers = k_answers_most + chained + config.limits.waiting_requests + config.symbols.size();
  return answers * (1 + config.drop_copies.size()) * (body + fix::k_state_piece + k_around_body);
}

Gateway::Gateway(const GatewayConfig& config, link::Fabric& fabric, sched::Scheduler& scheduler, GatewayParts parts)
    : wiring_(std::make_unique<Wiring>(config, fabric, scheduler, parts)) {}

Gateway::~Gateway() = default;

Result<link::Address> Gateway::start(const link::Address& listen, const link::Address& venue,
                                     const std::optional<link::Address>& recovery,
                                     const std::optional<VenueAddress>& secondary) {
  return wiring_->start(listen, venue, recovery, secondary);
}

void Gateway::stop(std::string_view text) {
  wiring_->stop(text);
}

void Gateway::release() {
  wiring_->release();
}

GatewayConnections Gateway::connections() const noexcept {
  return wiring_->connections();
}

bool Gateway::is_idle() const noexcept {
  return wiring_->is_idle();
}

std::size_t Gateway::clients() const noexcept {
  return wiring_->clients();
}

bool Gateway::is_client_up(std::size_t client) const noexcept {
  return client < clients() && wiring_->session(client).is_logged_on();
}

bool Gateway::is_venue_up(std::size_t client) const noexcept {
  return client < clients() &&
         wiring_->is_all_of(client, [](const VenueLink& link) { return link.session().is_logged_on(); });
}

bool Gateway::is_venue_ready(std::size_t client) const noexcept {
  return client < clients() && wiring_->is_all_of(client, [](const VenueLink& link) { return link.is_ready(); });
}

bool Gateway::is_venue_up() const noexcept {
  return wiring_->is_all([](const VenueLink& venue) { return venue.session().is_logged_on(); });
}

ClientStatus Gateway::status(std::size_t client) const noexcept {
  const fix::Session& session = wiring_->session(client);
  const ClientRejects& rejects = wiring_->translator().rejects(static_cast<std::uint32_t>(client));
  return {.is_up = session.is_logged_on(),
          .is_venue_up = is_venue_up(client),
          .is_venue_ready = is_venue_ready(client),
          .next_incoming = session.next_incoming(),
          .next_outgoing = session.next_outgoing(),
          .waiting = session.waiting(),
          .rejects = rejects.count,
          .last_reject = rejects.last.view()};
}

std::uint64_t Gateway::open_orders() const noexcept {
  const Records& records = wiring_->translator().records();
  return records.orders() - records.closed_orders();
}

void Gateway::visit_open_orders(const std::function<void(const OrderSummary&)>& visit) const {
  const Records& records = wiring_->translator().records();
  for (std::uint32_t slot = 0; slot < records.order_capacity(); ++slot) {
    if (!records.has_order(slot)) continue;
    const Order& order = records.order_at(slot);
    if (is_open(order.state)) visit(summary_of(order, records.id_of(order)));
  }
}

const UnknownTrades& Gateway::unknown_trades() const noexcept {
  return wiring_->translator().unknown_trades();
}

std::uint64_t Gateway::requests_in_use() const noexcept {
  return wiring_->translator().records().requests();
}

void Gateway::log_out(std::size_t client, std::string_view text) {
  wiring_->session(client).logout(text);
}

Result<void> Gateway::set_numbers(std::size_t client, market::Sequence next_incoming, market::Sequence next_outgoing) {
  fix::Session& session = wiring_->session(client);
  if (session.is_connected()) return fail(ErrorCode::wrong_state, 0, 0, 0, "a client that is not connected");
  if (next_incoming.value == 0 || next_outgoing.value == 0)
    return fail(ErrorCode::out_of_range, 0, 0, 0, "numbers above 0");
  session.store().set_next_incoming(next_incoming);
  session.store().set_next_outgoing(next_outgoing);
  return {};
}

const ClientLimits& Gateway::limits(std::size_t client) const noexcept {
  return wiring_->translator().state(wiring_->place(client)).limits;
}

Result<void> Gateway::change_limits(std::size_t client, const ClientLimits& limits) {
  return wiring_->translator().change_limits(wiring_->place(client), limits);
}

void Gateway::kill(std::size_t client, bool cancel_orders) {
  wiring_->translator().kill(wiring_->place(client), cancel_orders, wiring_->now());
}

bool Gateway::is_killed(std::size_t client) const noexcept {
  return wiring_->translator().state(wiring_->place(client)).is_killed;
}

void Gateway::revive(std::size_t client) {
  wiring_->translator().revive(wiring_->place(client));
}

void Gateway::set_draining(bool is_draining) noexcept {
  wiring_->translator().set_draining(is_draining);
}

bool Gateway::is_draining() const noexcept {
  return wiring_->translator().is_draining();
}

bool Gateway::waits_for_journal() const noexcept {
  return wiring_->is_short_of_room();
}

const GatewayCounters& Gateway::counters() const noexcept {
  return wiring_->translator().counters();
}

const Translator& Gateway::translator() const noexcept {
  return wiring_->translator();
}

}  // namespace dojima::gateway
