#include "dojima/app/dashboard/gateway_watch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "dojima/gateway/counters.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::milliseconds k_gateway_pause{50};

enum GatewayStage : std::uint8_t { k_of_requests, k_of_reports, k_round_trip };

struct WatchedCounter {
  std::string_view name;
  std::uint64_t gateway::GatewayCounters::* value;
};
using GatewayCounted = gateway::GatewayCounters;
constexpr std::array<WatchedCounter, 14> k_watched_counters = {{
    {"requests", &GatewayCounted::requests},
    {"messages of the venue", &GatewayCounted::reports},
    {"requests sent", &GatewayCounted::sent},
    {"requests refused", &GatewayCounted::refused},
    {"requests refused, limits", &GatewayCounted::limited},
    {"requests that waited for a rate", &GatewayCounted::waited},
    {"unsupported messages", &GatewayCounted::unsupported},
    {"answers", &GatewayCounted::answers},
    {"fills", &GatewayCounted::executions},
    {"stale requests", &GatewayCounted::stale},
    {"strays", &GatewayCounted::strays},
    {"undelivered messages", &GatewayCounted::undelivered},
    {"waits for the journal", &GatewayCounted::journal_waits},
    {"venue connections tried", &GatewayCounted::venue_attempts},
}};
/// Behind them.
constexpr std::array<std::string_view, 3> k_watched_levels = {"open orders", "request records in use",
                                                              "messages that wait for clients"};

[[nodiscard]] web::DashboardOptions gateway_screens(const gateway::GatewayConfig& config,
                                                    const gateway::VenueUsers& users) {
  web::DashboardOptions made{.picture = {.name = "gateway " + config.comp_id}};
  made.picture.has_books = false;
  for (const WatchedCounter& each : k_watched_counters) made.picture.counters.emplace_back(each.name);
  for (const std::string_view each : k_watched_levels) made.picture.counters.emplace_back(each);
  for (const std::string_view each : Screens::k_own_counters) made.picture.counters.emplace_back(each);
  made.picture.stages = {"request: client to venue", "report: venue to client", "request to its first report"};
  for (const gateway::ClientConfig& client : config.clients) made.picture.sessions.push_back(client.comp_id);
  for (std::uint32_t user = 0; user < users.size(); ++user) {
    const std::string_view venue = users.venue_name(users[user].venue);
    made.picture.sessions.push_back(users[user].name + (venue.empty() ? "" : " at " + std::string(venue)));
  }
  for (const gateway::DropCopyConfig& copy : config.drop_copies) made.picture.sessions.push_back(copy.comp_id);
  return made;
}

}  // namespace

GatewayWatch::GatewayWatch(const GatewayConfig& config)
    : stages_(config.gateway.stages),
      users_(config.gateway),
      screens_(config.dashboard, gateway_screens(config.gateway, users_), {.orders = 1, .instruments = 1}),
      clients_(config.gateway.clients.size()),
      copies_(config.gateway.drop_copies.size()),
      entered_(k_entered) {
  sessions_.resize(clients_ + users_.size() + copies_.size());
  for (web::SessionFact& each : sessions_) each.is_up = 2;  // as none is: the first look tells of all
  for (std::size_t stage = 0; stage < k_stages; ++stage) latencies_[stage].stage = static_cast<std::uint32_t>(stage);
}

std::size_t GatewayWatch::finish(time::Time now) {
  now_ = now;
  if (now < next_look_ || gateway_ == nullptr) return 0;
  next_look_ = now + k_gateway_pause;
  look_at_sessions();
  look_at_counters();
  for (web::LatencyFact& each : latencies_) flush(each);
  return 0;
}

void GatewayWatch::tell_session(web::SessionFact fact) noexcept {
  if (std::memcmp(&fact, &sessions_[fact.session], sizeof fact) == 0) return;
  sessions_[fact.session] = fact;
  channel().offer(web::FactKind::session, now_, fact);
}

void GatewayWatch::tell_reject(std::uint16_t session, std::string_view why) noexcept {
  web::RejectFact fact{.session = session};
  fact.size = static_cast<std::uint8_t>(why.copy(fact.text.data(), fact.text.size()));
  channel().offer(web::FactKind::last_reject, now_, fact);
}

void GatewayWatch::look_at_sessions() noexcept {
  std::uint16_t place = 0;
  for (std::size_t client = 0; client < clients_; ++client) {
    const gateway::ClientStatus status = gateway_->status(client);
    web::SessionFact fact{.session = place++, .kind = web::SessionKind::client};
    fact.is_up = status.is_up ? 1 : 0;
    fact.is_killed = gateway_->is_killed(client) ? 1 : 0;
    fact.next_in = status.next_incoming.value;
    fact.next_out = status.next_outgoing.value;
    fact.lag = status.waiting;
    fact.rejects = status.rejects;
    if (sessions_[fact.session].rejects != fact.rejects) tell_reject(fact.session, status.last_reject);
    tell_session(fact);
  }
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    web::SessionFact fact{.session = place++, .kind = web::SessionKind::venue_user};
    const auto clients = users_.clients_of(user);
    const bool is_ready =
        std::ranges::all_of(clients, [this](auto client) { return gateway_->is_venue_ready(client); });
    fact.is_up = is_ready ? 1 : 0;
    tell_session(fact);
  }
  for (const bool is_up : copies_) {
    web::SessionFact fact{.session = place++, .kind = web::SessionKind::drop_copy};
    fact.is_up = is_up ? 1 : 0;
    tell_session(fact);
  }
}

void GatewayWatch::look_at_counters() noexcept {
  std::uint32_t counter = 0;
  const auto tell = [&](std::uint64_t value) {
    channel().offer(web::FactKind::counter, now_, web::CounterFact{.value = value, .counter = counter++});
  };
  const auto own = screens_.own_counters();
  const gateway::GatewayCounters& counters = gateway_->counters();
  for (const WatchedCounter& each : k_watched_counters) tell(counters.*(each.value));
  tell(gateway_->open_orders());
  tell(gateway_->requests_in_use());
  std::uint64_t waiting = 0;
  for (std::size_t client = 0; client < clients_; ++client) waiting += gateway_->status(client).waiting;
  tell(waiting);
  std::ranges::for_each(own, tell);
}

void GatewayWatch::mark(std::uint8_t stage, std::uint64_t number) {
  const time::Ticks now = time::read_ticks();
  Entered& entered = entered_[number % k_entered];
  if (stage == stages_.in) {
    entered = {.number = number, .in = now, .back_in = {}};
    return;
  }
  if (entered.number != number) return;
  if (stage == stages_.out) {
    tell_latency(k_of_requests, entered.in, now);
  } else if (stage == stages_.back_in) {
    entered.back_in = now;
  } else if (stage == stages_.back_out) {
    // A refusal by the gateway itself was never at the venue.
    if (!(entered.back_in == time::Ticks{})) tell_latency(k_of_reports, entered.back_in, now);
    tell_latency(k_round_trip, entered.in, now);
    entered.number = ~std::uint64_t{0};
  }
}

void GatewayWatch::tell_latency(std::size_t stage, time::Ticks from, time::Ticks until) noexcept {
  web::LatencyFact& latencies = latencies_[stage];
  const std::int64_t took = time::nanoseconds_between(from, until);
  latencies.ns[latencies.count++] =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(took, 0, std::numeric_limits<std::uint32_t>::max()));
  if (latencies.count == latencies.ns.size()) flush(latencies);
}

void GatewayWatch::flush(web::LatencyFact& latencies) noexcept {
  if (latencies.count == 0) return;
  channel().offer(web::FactKind::latency, now_, latencies);
  latencies.count = 0;
}

}  // namespace dojima::app
