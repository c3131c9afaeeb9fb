#include "dojima/app/dashboard/venue_watch.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <limits>

#include "dojima/app/listen_error.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/market/report.hpp"
#include "dojima/net/address.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::milliseconds k_watch_pause{50};

/// What the counters are, in the order in which they are told.
constexpr std::array<std::string_view, 14> k_counter_names = {"commands",
                                                              "commands refused",
                                                              "commands refused, killed",
                                                              "commands refused, drained",
                                                              "reports sent",
                                                              "reports missed",
                                                              "logons",
                                                              "logons refused",
                                                              "connections",
                                                              "sessions ended",
                                                              "trades busted",
                                                              "live orders",
                                                              "users logged on",
                                                              "commands that wait for the journal"};

[[nodiscard]] std::array<std::uint64_t, k_counter_names.size()> counters_of(const simulate::Exchange& exchange) {
  const venue::FrontCounters& front = exchange.front().counters();
  std::uint64_t killed = 0, live = 0, waiting = 0;
  for (const venue::Partition* partition : exchange.partitions()) {
    killed += partition->refused(market::Reason::killed);
    live += partition->live_orders();
    waiting += partition->last_command().value - partition->durable().value;
  }
  return {front.commands,
          front.commands_refused,
          killed,
          front.drained_refused,
          front.reports_sent,
          front.reports_missed,
          front.logons,
          front.logons_refused,
          front.connections,
          front.sessions_ended,
          front.trades_busted,
          live,
          exchange.front().logged_on(),
          waiting};
}

[[nodiscard]] web::DashboardOptions dashboard_options(const VenueWatchOptions& options,
                                                      const simulate::ExchangeConfig& config) {
  web::DashboardOptions made{.picture = {.name = options.name},
                             .host = options.dashboard.host,
                             .port = static_cast<std::uint16_t>(std::max(options.dashboard.port, 0)),
                             .on_pace = options.on_pace};
  for (const simulate::InstrumentConfig& instrument : config.instruments)
    made.picture.instruments.push_back({.id = instrument.id,
                                        .symbol = instrument.symbol,
                                        .segment = instrument.segment,
                                        .partition = instrument.partition,
                                        .reference = instrument.reference.units});
  for (const std::string_view name : k_counter_names) made.picture.counters.emplace_back(name);
  made.picture.stages = {"venue"};
  for (const simulate::VenueUserConfig& user : config.users)
    made.picture.sessions.push_back(!user.name.empty() ? user.name
                                                       : "place " + std::to_string(made.picture.sessions.size()));
  return made;
}

}  // namespace

VenueWatch::VenueWatch(VenueWatchOptions options, const simulate::ExchangeConfig& config)
    : options_(std::move(options)),
      channel_({.orders = std::size_t{config.orders} * simulate::Exchange::partition_numbers(config).size(),
                .instruments = config.instruments.size()}),
      totals_(config.instruments.size()),
      places_(config.instruments.size()),
      sessions_(config.users.size()),
      entered_(k_entered) {
  for (std::size_t at = 0; at < config.instruments.size(); ++at)
    static_cast<void>(places_.insert(config.instruments[at].id, static_cast<std::uint32_t>(at)));
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    sessions_[at].session = static_cast<std::uint16_t>(at);
    sessions_[at].is_up = 2;  // as none is: the first look tells of all
  }
  dashboard_ =
      std::make_unique<web::Dashboard>(dashboard_options(options_, config), std::vector<web::FactChannel*>{&channel_});
}

void VenueWatch::attach(simulate::Exchange& exchange) {
  exchange_ = &exchange;
  for (venue::Partition* partition : exchange.partitions()) {
    partition->observe(this);
    partition->publish(this);
  }
}

std::expected<link::Address, std::string> VenueWatch::start() {
  auto where = dashboard_->start();
  const link::Address wanted{options_.dashboard.host, static_cast<std::uint16_t>(options_.dashboard.port)};
  if (!where) return std::unexpected("dashboard: " + describe_listen_error(wanted, "dashboard.port", where.error()));
  where_ = *where;
  return *std::move(where);
}

std::string VenueWatch::url() const {
  return web::dashboard_url(where_, dashboard_->token());
}

std::string VenueWatch::describe() const {
  return fmt::format("dashboard {}{}", url(), net::is_loopback(where_.host) ? "" : ", for whoever can reach it");
}

void VenueWatch::publish_pace(double speed, bool is_paused, time::Time now) noexcept {
  channel_.offer(web::FactKind::pace, now,
                 web::PaceFact{.speed = speed, .is_paused = static_cast<std::uint8_t>(is_paused)});
}

VenueWatch::Totals* VenueWatch::totals_of(std::uint32_t instrument) noexcept {
  const std::uint32_t* place = places_.find(instrument);
  return place != nullptr ? &totals_[*place] : nullptr;
}

void VenueWatch::on_reports(std::span<const market::BookReport> reports, time::Time now) {
  for (const market::BookReport& report : reports) {
    // Nothing is seen of these.
    if (report.kind == market::BookReportKind::accepted || report.kind == market::BookReportKind::parked) continue;
    channel_.publish(web::FactKind::report, now, report);
    if (report.kind != market::BookReportKind::traded) continue;
    if (Totals* totals = totals_of(report.instrument)) {
      totals->price = report.price;
      totals->quantity = report.quantity;
      ++totals->trades;
      totals->volume += static_cast<std::uint64_t>(report.quantity.lots);
    }
  }
}

void VenueWatch::on_status(const market::SymbolStatus& status) {
  channel_.publish(web::FactKind::status, status.time, status);
}

void VenueWatch::on_auction_info(const market::AuctionInfo& info) {
  channel_.publish(web::FactKind::auction, info.time, info);
}

void VenueWatch::on_trade_break(const market::TradeBreak& broken) {
  channel_.publish(web::FactKind::trade_break, broken.time, broken);
  if (Totals* totals = totals_of(broken.instrument)) {
    totals->trades -= std::min<std::uint64_t>(totals->trades, 1);
    totals->volume -= std::min(totals->volume, static_cast<std::uint64_t>(broken.quantity.lots));
  }
}

std::size_t VenueWatch::finish(time::Time now) {
  now_ = now;
  if (now < next_look_) return 0;
  next_look_ = now + k_watch_pause;
  if (channel_.wants_snapshot()) take_snapshot(now);
  look(now);
  return 0;
}

void VenueWatch::take_snapshot(time::Time now) noexcept {
  web::Snapshot& snapshot = channel_.begin_snapshot();
  for (const venue::Partition* partition : exchange_->partitions()) {
    for (const market::Instrument& instrument : partition->instruments()) {
      const book::Book& book = *partition->book(instrument.id);
      const venue::InstrumentDay* day = partition->day(instrument.id);
      const Totals* totals = totals_of(instrument.id);
      DOJIMA_ASSERT(totals != nullptr && snapshot.instruments.size() < snapshot.instruments.capacity(),
                    "room for every instrument", instrument.id, snapshot.instruments.capacity());
      snapshot.instruments.push_back(
          {.instrument = instrument.id,
           .phase = book.phase(),
           .day_phase = day != nullptr ? static_cast<std::uint8_t>(day->phase()) : std::uint8_t{0},
           .auction_type = day != nullptr ? day->auction_type() : ' ',
           .until = time::nanoseconds_of(day != nullptr ? day->until() : time::k_never),
           .last_price = totals->price,
           .indicative_price = book.indicative().price,
           .last_quantity = totals->quantity,
           .indicative_quantity = book.indicative().volume,
           .trades = totals->trades,
           .volume = totals->volume});
      for (const market::Side side : {market::Side::buy, market::Side::sell})
        book.each_resting(side, [&](const book::RestingOrder& order) {
          if (order.place == book::Place::lit)
            channel_.add({.order = order.id,
                          .price = order.price,
                          .displayed = order.displayed,
                          .leaves = order.leaves,
                          .instrument = instrument.id,
                          .side = order.side});
        });
    }
  }
  channel_.commit_snapshot(now);
}

void VenueWatch::look(time::Time now) noexcept {
  const auto counters = counters_of(*exchange_);
  for (std::size_t at = 0; at < counters.size(); ++at)
    channel_.offer(web::FactKind::counter, now,
                   web::CounterFact{.value = counters[at], .counter = static_cast<std::uint32_t>(at)});
  look_at_sessions(now);
  flush_latencies(now);
}

void VenueWatch::look_at_sessions(time::Time now) noexcept {
  const venue::Front& front = exchange_->front();
  const venue::Partition& first = *exchange_->partitions().front();
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    const auto user = static_cast<std::uint16_t>(at);
    web::SessionFact fact{.logons = front.logons(user), .session = user};
    for (const venue::Partition* partition : exchange_->partitions()) fact.open_orders += partition->open_orders(user);
    fact.is_up = front.is_logged_on(user) ? 1 : 0;
    fact.is_locked = front.is_locked(user) ? 1 : 0;
    fact.is_killed = front.is_killed(user) ? 1 : 0;
    if (fact.is_up != 0) {
      fact.session_begin = front.session_begin_number(user, 0).value;
      fact.next_report = first.reports().next_number().value;
    }
    if (std::memcmp(&fact, &sessions_[at], sizeof fact) == 0) continue;
    sessions_[at] = fact;
    channel_.offer(web::FactKind::session, now, fact);
  }
}

void VenueWatch::flush_latencies(time::Time now) noexcept {
  if (latencies_.count == 0) return;
  channel_.offer(web::FactKind::latency, now, latencies_);
  latencies_.count = 0;
}

void VenueWatch::mark(std::uint8_t stage, std::uint64_t number) {
  if (options_.next != nullptr) options_.next->mark(stage, number);
  Entered& entered = entered_[number % k_entered];
  if (stage == options_.stage_in) {
    entered = {.number = number, .at = time::read_ticks()};
    return;
  }
  if (stage != options_.stage_out || entered.number != number) return;
  const std::int64_t took = time::nanoseconds_between(entered.at, time::read_ticks());
  entered.number = ~std::uint64_t{0};
  latencies_.ns[latencies_.count++] =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(took, 0, std::numeric_limits<std::uint32_t>::max()));
  if (latencies_.count == latencies_.ns.size()) flush_latencies(now_);
}

void VenueWatch::bind(std::uint64_t number, std::uint64_t client_number) {
  if (options_.next != nullptr) options_.next->bind(number, client_number);
}

}  // namespace dojima::app
