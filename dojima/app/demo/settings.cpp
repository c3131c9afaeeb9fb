#include "dojima/app/demo/settings.hpp"

#include <algorithm>
#include <cmath>

#include "dojima/sched/loop.hpp"

namespace dojima::app::demo {

std::string_view name_of(Topology topology) noexcept {
  switch (topology) {
    case Topology::shared:
      return "shared";
    case Topology::two:
      return "two";
    case Topology::three:
      return "three";
  }
  return "unnamed topology";
}

std::optional<Topology> topology_of(std::string_view name) noexcept {
  for (const Topology topology : {Topology::shared, Topology::two, Topology::three}) {
    if (name == name_of(topology)) return topology;
  }
  return std::nullopt;
}

std::size_t threads(Topology topology) noexcept {
  return static_cast<std::size_t>(topology) + 1;
}

std::string_view thread_name(Topology topology, std::size_t thread) noexcept {
  switch (topology) {
    case Topology::shared:
      return "clients, gateway, venue";
    case Topology::two:
      return thread == 0 ? "clients" : "gateway, venue";
    case Topology::three:
      return thread == 0 ? "clients" : thread == 1 ? "gateway" : "venue";
  }
  return "unnamed thread";
}

std::vector<std::string> thread_names(const Settings& settings) {
  std::vector<std::string> names;
  for (std::size_t thread = 0; thread < threads(settings.topology); ++thread)
    names.emplace_back(thread_name(settings.topology, thread));
  if (settings.venue_threads > 1) names.emplace_back(k_partition_threads);
  return names;
}

const char* complaint(const Settings& settings) {
  if (!(settings.seconds > 0 && settings.seconds <= 86'400)) return "seconds must lie between 0 and 86400";
  if (settings.dashboard.port >= 0 && has_kills(settings))
    return "a dashboard shows the venue of this process, and with --kill it is another one: dojima venue --dashboard";
  if (settings.has_feed && !settings.is_virtual)
    return "the market data of virtual time is read back: say --virtual or --day; dojima venue --feed FILE writes it";
  if (settings.admin_port > 65'535) return "--admin takes a port, 0 to 65535";
  if (settings.admin_port >= 0 && has_kills(settings))
    return "the venue of this process is operated, and with --kill it is another one: leave --admin out";
  if (settings.clients < 1 || settings.clients > 64) return "clients must lie between 1 and 64";
  if (settings.rate < 1 || settings.rate > 10'000'000) return "rate must lie between 1 and 10000000 per second";
  if (settings.handicap < time::Duration{0} || settings.handicap > std::chrono::milliseconds{1})
    return "the handicap must lie between 0 and 1000000 ns";
  if (settings.is_virtual && settings.handicap != time::Duration{0})
    return "a handicap takes processor time, and in virtual time nothing does";
  if (settings.speed != 0) {
    if (!settings.is_virtual) return "only virtual time has a speed";
    if (!(settings.speed >= sched::PacedPacer::k_slowest && settings.speed <= sched::PacedPacer::k_fastest))
      return "the speed must lie between 0.1 and 10000";
  }
  if (settings.venue_threads < 1 || settings.venue_threads > 5) return "the venue has 1 to 5 threads";
  if (settings.venue_threads > 1 && settings.is_virtual) return "in virtual time there is one thread";
  if (settings.is_virtual && !settings.loop.asks_for_nothing())
    return "virtual time asks nothing of the machine: leave --loop out";
  if (settings.loop.max_wakes && !net::sleeps(settings.idle))
    return "loop.max_wakes is for loops that sleep: --idle block or ring";
  if (settings.is_virtual && !settings.journal.empty())
    return "a journal on disk takes the clock's time: leave --virtual, --speed and --day out";
  if (settings.kill_after < 0 || (settings.kill_after > 0 && settings.journal.empty()))
    return "a run is killed to see what its journal remembers: name one with --journal";
  if (settings.kill_after >= settings.seconds && settings.kill_after > 0)
    return "the flow ends before the run is to be killed: give it more seconds";
  if (has_kills(settings)) {
    if (settings.is_virtual) return "processes are killed on the clock's time: leave --virtual, --speed and --day out";
    if (settings.kill_after > 0) return "--kill-after ends the run itself, --kill goes on: name one of them";
    if (settings.handicap != time::Duration{0}) return "a handicap is for runs without kills";
    if (settings.kills < 1 || settings.kills > 1000) return "kills must lie between 1 and 1000";
    if (settings.durability == journal::Durability::none)
      return "a journal of durability none loses what a killed process had not written: name process or power";
  }
  if (!settings.services.is_none() && !settings.is_virtual)
    return "services are given to gateway and venue in virtual time only: say --virtual";
  if (!settings.stalls.is_none() && settings.services.is_none())
    return "stalls interrupt gateway and venue where these take time: say --service as well";
  if (settings.is_timed && (!settings.is_virtual || settings.speed != 0 || !settings.services.is_none()))
    return "what is timed by the clock runs on one thread, at the clock's speed, and takes the time it takes";
  if (settings.is_day && !settings.is_virtual) return "a trading day in seconds is one of virtual time";
  if (settings.is_day && settings.seconds < 1) return "a trading day takes at least one second";
  if (simulate::request_capacity(settings.seconds, settings.rate) > k_requests_max)
    return "seconds times rate must stay below 50 million requests: every one of them is kept until the end";
  return nullptr;
}

namespace {

/// A trading day from the start of virtual time on, as long as the flow. Bands are so narrow that its mid meets them.
venue::Segment compressed_day(double seconds) {
  const auto part = [seconds](double share) {
    return time::Duration{std::llround(seconds * share * 1e3) * std::int64_t{1'000'000}};
  };
  const auto at = [&part](double share) {
    return k_virtual_start - std::chrono::floor<std::chrono::days>(k_virtual_start) + part(share);
  };
  return {.name = "RICE",
          .timetable = {.start_of_day = at(0),
                        .opening_call = at(0.02),
                        .opening = at(0.14),
                        .intraday_call = at(0.45),
                        .intraday = at(0.52),
                        .closing_call = at(0.78),
                        .closing = at(0.88),
                        .cross_end = at(0.94),
                        .end_of_day = at(0.99),
                        .random_end = part(0.02),
                        .extension = part(0.02),
                        .extensions = 2,
                        .halt = part(0.02),
                        .reopening_call = part(0.03)},
          .bands = {.static_bp = 16, .dynamic_bp = 12}};
}

/// Some of each kind that the flow meets now and then: sizes are up to 1,000 lots, and three in five of a client's
/// requests count for its rate, in gusts.
std::vector<simulate::LimitConfig> fixed_limits(const Settings& settings) {
  using market::LimitKind;
  constexpr std::int64_t k_lots = 950, k_ticks = 20, k_part_of_position = 1000, k_repeat_ms = 20;
  std::vector<simulate::LimitConfig> limits;
  limits.push_back({.user = {},
                    .account = {},
                    .instrument = {},
                    .values = {{LimitKind::order_quantity, k_lots}, {LimitKind::collar_ticks, k_ticks}}});
  const auto of_client = [&](std::uint32_t client, LimitKind kind, std::int64_t value) {
    if (client < settings.clients)
      limits.push_back(
          {.user = simulate::client_name(client), .account = {}, .instrument = {}, .values = {{kind, value}}});
  };
  of_client(0, LimitKind::rate,
            static_cast<std::int64_t>(settings.rate * 3 / (std::uint64_t{5} * settings.clients) + 1));
  of_client(1, LimitKind::open_orders, settings.resting_target);
  of_client(2, LimitKind::position, k_part_of_position * settings.resting_target);
  of_client(3, LimitKind::duplicate_ms, k_repeat_ms);
  return limits;
}

}  // namespace

VenueConfig venue_config(const Settings& settings) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  config.connections = settings.clients + 4;
  config.idle = settings.idle;
  config.threads = settings.venue_threads;
  config.orders = 1 << 17;
  config.journal.directory = settings.journal;
  config.journal.durability = settings.durability;
  config.users.clear();
  for (std::uint32_t client = 0; client < settings.clients; ++client)
    config.users.push_back({.name = simulate::client_name(client), .password = "demo"});
  config.admin.port = settings.admin_port;
  if (settings.has_limits) config.limits = fixed_limits(settings);
  if (settings.is_day) {
    config.segments.push_back(compressed_day(settings.seconds));
    config.day_seed = settings.seed;
    // Every command is kept, to see at the end that they give the same day again.
    constexpr std::size_t k_most_bytes = 192;
    config.keep_journal = true;
    config.journal_megabytes =
        static_cast<std::uint32_t>(simulate::request_capacity(settings.seconds, settings.rate) * k_most_bytes >> 20U) +
        16;
    for (simulate::InstrumentConfig& instrument : config.instruments) instrument.segment = config.segments.front().name;
  }
  return config;
}

GatewayConfig gateway_config(const Settings& settings) {
  GatewayConfig config = default_gateway();
  config.listen.port = 0;
  config.connections = settings.clients + 4;
  config.idle = settings.idle;
  config.gateway.limits.orders = 1 << 17;
  config.gateway.limits.requests = 1 << 18;
  // In virtual time all of them connect at one instant, before the first of them logs on.
  config.gateway.limits.pending_links = std::max<std::size_t>(config.gateway.limits.pending_links, settings.clients);
  config.gateway.clients.clear();
  for (std::uint32_t client = 0; client < settings.clients; ++client) {
    config.gateway.clients.push_back({.comp_id = simulate::client_name(client),
                                      .venue_user = simulate::client_name(client),
                                      .venue_password = "demo"});
  }
  return config;
}

simulate::ClientsConfig clients_config(const Settings& settings) {
  return {.flow = {.seed = settings.seed,
                   .rate = settings.rate,
                   .clients = settings.clients,
                   .arrivals = settings.arrivals},
          .seconds = settings.seconds,
          .is_virtual = settings.is_virtual,
          .goes_on = has_kills(settings),
          .resting_target = settings.resting_target,
          .gateway = gateway_config(settings).gateway.comp_id};
}

}  // namespace dojima::app::demo
