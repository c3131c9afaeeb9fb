#include "dojima/app/dashboard/venue_watch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "dojima/base/assert.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::milliseconds k_watch_pause{50};
/// Reading the clock twice for each request would cost more than all else that the venue's thread does for the screens.
constexpr std::uint32_t k_timed_one_in = 16;

[[nodiscard]] std::uint32_t timed_one_in(const VenueWatchOptions& options) noexcept {
  return options.next != nullptr ? 1 : k_timed_one_in;
}

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

/// As Fact::owner.
[[nodiscard]] std::uint16_t owner_fact(const venue::Partition& partition, market::OrderId order) noexcept {
  const auto owner = partition.owner_of(order);
  return owner ? static_cast<std::uint16_t>(*owner + 1) : std::uint16_t{0};
}

[[nodiscard]] web::Bands bands_of(const venue::InstrumentDay* day) noexcept {
  web::Bands bands;
  if (day == nullptr) return bands;
  if (const auto band = day->static_band()) {
    bands.static_low = band->low.units;
    bands.static_high = band->high.units;
  }
  if (const auto band = day->dynamic_band()) {
    bands.dynamic_low = band->low.units;
    bands.dynamic_high = band->high.units;
  }
  return bands;
}

[[nodiscard]] web::DashboardOptions dashboard_options(const VenueWatchOptions& options,
                                                      const simulate::ExchangeConfig& config) {
  web::DashboardOptions made{.picture = {.name = options.name}, .on_pace = options.on_pace};
  for (const simulate::InstrumentConfig& instrument : config.instruments)
    made.picture.instruments.push_back({.id = instrument.id,
                                        .symbol = instrument.symbol,
                                        .segment = instrument.segment,
                                        .partition = instrument.partition,
                                        .reference = instrument.reference.units});
  for (const std::string_view name : k_counter_names) made.picture.counters.emplace_back(name);
  made.picture.stages = {options.next != nullptr ? std::string("venue")
                                                 : "venue, 1 in " + std::to_string(k_timed_one_in)};
  for (const simulate::VenueUserConfig& user : config.users)
    made.picture.sessions.push_back(!user.name.empty() ? user.name
                                                       : "place " + std::to_string(made.picture.sessions.size()));
  return made;
}

}  // namespace

VenueWatch::VenueWatch(VenueWatchOptions options, const simulate::ExchangeConfig& config)
    : options_(std::move(options)),
      screens_(options_.dashboard, dashboard_options(options_, config),
               {.orders = std::size_t{config.orders} * simulate::Exchange::partition_numbers(config).size(),
                .instruments = config.instruments.size()}),
      channel_(screens_.channel()),
      totals_(config.instruments.size()),
      places_(config.instruments.size()),
      sessions_(config.users.size()),
      rejects_(config.users.size()),
      entered_(k_entered) {
  for (std::size_t at = 0; at < config.instruments.size(); ++at)
    static_cast<void>(places_.insert(config.instruments[at].id, static_cast<std::uint32_t>(at)));
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    sessions_[at].session = static_cast<std::uint16_t>(at);
    sessions_[at].is_up = 2;  // as none is: the first look tells of all
  }
  moved_.reserve(totals_.size());
}

simulate::ExchangeProbe VenueWatch::probe() noexcept {
  return {.probe = this, .in = options_.stage_in, .out = options_.stage_out, .one_in = timed_one_in(options_)};
}

void VenueWatch::attach(simulate::Exchange& exchange) {
  exchange_ = &exchange;
  is_shared_ = exchange.threads() != nullptr;
  for (venue::Partition* partition : exchange.partitions()) {
    partition->observe(this);
    partition->publish(this);
    for (const market::Instrument& instrument : partition->instruments()) {
      Totals* totals = totals_of(instrument.id);
      DOJIMA_ASSERT(totals != nullptr, "every instrument is in the configuration", instrument.id);
      totals->partition = partition;
    }
  }
}

void VenueWatch::publish_pace(double speed, bool is_paused, time::Time now) noexcept {
  channel_.offer(web::FactKind::pace, now,
                 web::PaceFact{.speed = speed, .is_paused = static_cast<std::uint8_t>(is_paused)});
}

VenueWatch::Totals* VenueWatch::totals_of(std::uint32_t instrument) noexcept {
  // Those of a command are of one instrument.
  if (instrument == last_instrument_) return last_totals_;
  const std::uint32_t* place = places_.find(instrument);
  last_instrument_ = instrument;
  return last_totals_ = place != nullptr ? &totals_[*place] : nullptr;
}

void VenueWatch::on_reports(std::span<const market::BookReport> reports, time::Time now) {
  const auto held = hold();
  for (const market::BookReport& report : reports) {
    // Nothing is seen of these.
    if (report.kind == market::BookReportKind::accepted || report.kind == market::BookReportKind::parked) continue;
    Totals* const totals = totals_of(report.instrument);
    std::uint16_t owner = 0;
    const bool is_shown =
        report.kind == market::BookReportKind::added || report.kind == market::BookReportKind::replenished;
    if (is_shown && totals != nullptr) owner = owner_fact(*totals->partition, report.order);
    channel_.publish(web::FactKind::report, now, report, owner);
    if (report.kind == market::BookReportKind::rejected && totals != nullptr) note_reject(*totals, report.reason);
    if (report.kind != market::BookReportKind::traded) continue;
    if (totals != nullptr) {
      note_move(*totals);
      totals->price = report.price;
      totals->quantity = report.quantity;
      ++totals->trades;
      totals->volume += static_cast<std::uint64_t>(report.quantity.lots);
    }
  }
}

void VenueWatch::on_status(const market::SymbolStatus& status) {
  const auto held = hold();
  channel_.publish(web::FactKind::status, status.time, status);
  if (Totals* totals = totals_of(status.instrument)) note_move(*totals);
}

void VenueWatch::on_auction_info(const market::AuctionInfo& info) {
  const auto held = hold();
  channel_.publish(web::FactKind::auction, info.time, info);
}

void VenueWatch::on_trade_break(const market::TradeBreak& broken) {
  const auto held = hold();
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
      Totals* totals = totals_of(instrument.id);
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
           .volume = totals->volume,
           .bands = totals->bands = bands_of(day)});
      for (const market::Side side : {market::Side::buy, market::Side::sell})
        book.each_resting(side, [&](const book::RestingOrder& order) {
          if (order.place == book::Place::lit)
            channel_.add({.order = order.id,
                          .price = order.price,
                          .displayed = order.displayed,
                          .leaves = order.leaves,
                          .instrument = instrument.id,
                          .owner = static_cast<std::uint16_t>(order.owner + 1),
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
  look_at_bands(now);
  flush_latencies(now);
}

void VenueWatch::look_at_sessions(time::Time now) noexcept {
  const venue::Front& front = exchange_->front();
  const venue::Partition& first = *exchange_->partitions().front();
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    const auto user = static_cast<std::uint16_t>(at);
    web::SessionFact fact{.logons = front.logons(user), .session = user};
    for (const venue::Partition* partition : exchange_->partitions()) {
      fact.open_orders += partition->open_orders(user);
    }
    fact.rejects = rejects_[at].count;
    fact.last_reject = rejects_[at].last;
    fact.is_up = front.is_logged_on(user) ? 1 : 0;
    fact.is_locked = front.accounts().is_locked(user) ? 1 : 0;
    fact.is_killed = front.accounts().is_killed(user) ? 1 : 0;
    if (fact.is_up != 0) {
      fact.lag = front.lag_of(user);
      fact.session_begin = front.session_begin_number(user, 0).value;
      fact.next_out = first.reports().next_number().value;
    }
    if (std::memcmp(&fact, &sessions_[at], sizeof fact) == 0) continue;
    sessions_[at] = fact;
    channel_.offer(web::FactKind::session, now, fact);
  }
}

void VenueWatch::note_reject(const Totals& totals, market::Reason reason) noexcept {
  const std::uint16_t user = totals.partition->user_in_hand();
  if (user >= rejects_.size()) return;  // the operator
  ++rejects_[user].count;
  rejects_[user].last = static_cast<std::uint8_t>(reason);
}

void VenueWatch::note_move(Totals& totals) noexcept {
  if (totals.may_have_moved) return;
  totals.may_have_moved = true;
  moved_.push_back(&totals);  // room for every instrument
}

void VenueWatch::look_at_bands(time::Time now) noexcept {
  for (Totals* totals : moved_) {
    totals->may_have_moved = false;
    const std::uint32_t instrument =
        exchange_->config().instruments[static_cast<std::size_t>(totals - totals_.data())].id;
    const web::Bands bands = bands_of(totals->partition->day(instrument));
    if (bands == totals->bands) continue;
    totals->bands = bands;
    channel_.publish(web::FactKind::band, now, web::BandFact{.bands = bands, .instrument = instrument});
  }
  moved_.clear();
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
  if (latencies_.count != latencies_.ns.size()) return;
  const auto held = hold();
  flush_latencies(now_);
}

void VenueWatch::bind(std::uint64_t number, std::uint64_t client_number) {
  if (options_.next != nullptr) options_.next->bind(number, client_number);
}

}  // namespace dojima::app
