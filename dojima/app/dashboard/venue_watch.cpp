#include "dojima/app/dashboard/venue_watch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/market/report.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::app {
namespace {

/// Between two looks at the books that are shown: as often as a page is given a frame. All else has each third look.
constexpr std::chrono::milliseconds k_watch_pause{33};
constexpr std::uint32_t k_whole_look_one_in = 3;
/// How many books that have changed are looked at in one go: each takes some tenths of a microsecond.
constexpr std::size_t k_books_a_look = 512;

[[nodiscard]] std::uint32_t timed_one_in(const VenueWatchOptions& options) noexcept {
  return options.next != nullptr ? 1 : options.dashboard.timed_one_in;
}

/// What the counters are, in the order in which they are told.
constexpr std::array<std::string_view, 17> k_counter_names = {"commands",
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
                                                              "trades corrected",
                                                              "live orders",
                                                              "users logged on",
                                                              "commands that wait for the journal",
                                                              "reports that wait for slow sessions",
                                                              "most commands at once in a partition's ring"};

[[nodiscard]] std::array<std::uint64_t, k_counter_names.size()> counters_of(const simulate::Exchange& exchange) {
  const venue::FrontCounters& front = exchange.front().counters();
  std::uint64_t killed = 0, live = 0, waiting = 0, behind = 0, posted = 0;
  for (const venue::Partition* partition : exchange.partitions()) {
    killed += partition->refused(market::Reason::killed);
    live += partition->live_orders();
    waiting += partition->last_command().value - partition->durable().value;
  }
  for (std::size_t user = 0; user < exchange.front().users(); ++user)
    if (exchange.front().is_logged_on(static_cast<std::uint16_t>(user)))
      behind += exchange.front().lag_of(static_cast<std::uint16_t>(user));
  if (const venue::PartitionThreads* threads = exchange.threads())
    for (std::size_t at = 0; at < exchange.partitions().size(); ++at)
      posted = std::max(posted, threads->counters(at).most_posted);
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
          front.trades_corrected,
          live,
          exchange.front().logged_on(),
          waiting,
          behind,
          posted};
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
  for (const std::string_view name : Screens::k_own_counters) made.picture.counters.emplace_back(name);
  made.picture.stages = {options.next != nullptr ? std::string("venue")
                                                 : "venue, 1 in " + std::to_string(options.dashboard.timed_one_in)};
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
      counters_(k_counter_names.size() + Screens::k_own_counters.size(), ~std::uint64_t{0}),
      rejects_(config.users.size()),
      entered_(timed_one_in(options_) == 1 ? k_all_entered : k_few_entered) {
  for (std::size_t at = 0; at < config.instruments.size(); ++at)
    static_cast<void>(places_.insert(config.instruments[at].id, static_cast<std::uint32_t>(at)));
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    sessions_[at].session = static_cast<std::uint16_t>(at);
    sessions_[at].is_up = 2;  // as none is: the first look tells of all
  }
  shown_.reserve(totals_.size());
  changed_.reserve(totals_.size());
}

simulate::ExchangeProbe VenueWatch::probe() noexcept {
  return {.probe = this, .in = options_.stage_in, .out = options_.stage_out, .one_in = timed_one_in(options_)};
}

void VenueWatch::attach(simulate::Exchange& exchange) {
  exchange_ = &exchange;
  is_shared_ = exchange.threads() != nullptr;
  for (venue::Partition* partition : exchange.partitions()) {
    Ticker& ticker = *tickers_.emplace_back(std::make_unique<Ticker>(*this, *partition));
    for (const market::Instrument& instrument : partition->instruments()) {
      Totals* totals = totals_of(instrument.id);
      DOJIMA_ASSERT(totals != nullptr, "every instrument is in the configuration", instrument.id);
      totals->partition = partition;
      totals->instrument = instrument.id;
      ticker.places.emplace_back(venue::ChangedBooks::place_of(instrument.id), totals);
    }
    std::ranges::sort(ticker.places);
    partition->show(&ticker);
    partition->publish(this);
    // So that there is room for it later, when nothing may be allocated.
    partition->observe(this);
    partition->dismiss(static_cast<const venue::ReportSink*>(this));
  }
}

void VenueWatch::publish_pace(double speed, bool is_paused, time::Time now, bool is_over) noexcept {
  channel_.offer(web::FactKind::pace, now,
                 web::PaceFact{.speed = speed,
                               .is_paused = static_cast<std::uint8_t>(is_paused),
                               .is_over = static_cast<std::uint8_t>(is_over)});
}

VenueWatch::Totals* VenueWatch::find_totals(std::uint32_t instrument) noexcept {
  const std::uint32_t* place = places_.find(instrument);
  return place != nullptr ? &totals_[*place] : nullptr;
}

/// Of a partition of which somebody looks at the orders of an instrument.
void VenueWatch::on_reports(std::span<const market::BookReport> reports, time::Time now) {
  const auto held = hold();
  Totals* totals = nullptr;
  std::uint32_t instrument = 0;  // there is none
  for (const market::BookReport& report : reports) {
    // Those of a command are of one instrument, mostly.
    if (report.instrument != instrument) {
      instrument = report.instrument;
      totals = totals_of(instrument);
    }
    if (totals != nullptr && totals->detail == web::Detail::orders) on_order(*totals, report, now);
  }
}

void VenueWatch::on_order(Totals& totals, const market::BookReport& report, time::Time now) {
  using market::BookReportKind;
  // Nothing is seen of the first two, and the ticker has the others.
  if (report.kind == BookReportKind::accepted || report.kind == BookReportKind::parked ||
      report.kind == BookReportKind::rejected || report.kind == BookReportKind::phase_changed ||
      report.kind == BookReportKind::uncrossed)
    return;
  const bool is_shown = report.kind == BookReportKind::added || report.kind == BookReportKind::replenished;
  const std::uint16_t owner = is_shown ? owner_fact(*totals.partition, report.order) : std::uint16_t{0};
  channel_.publish(web::FactKind::report, now, report, owner);
}

void VenueWatch::on_trade(const market::BookReport& report, time::Time now) {
  const auto held = hold();
  Totals* const totals = totals_of(report.instrument);
  if (totals == nullptr) return;
  totals->has_traded = true;
  totals->price = report.price;
  totals->quantity = report.quantity;
  ++totals->trades;
  totals->volume += static_cast<std::uint64_t>(report.quantity.lots);
  if (totals->detail == web::Detail::orders) return;
  const bool is_auction = (report.flags & market::k_auction) != 0;
  const bool has_side = !is_auction && report.side != market::Side::none;
  channel_.publish(web::FactKind::trade, now,
                   web::TradeFact{.price = report.price.units,
                                  .quantity = report.quantity.lots,
                                  .instrument = report.instrument,
                                  .side = has_side ? market::opposite(report.side) : market::Side::none,
                                  .is_auction = is_auction});
}

void VenueWatch::on_refusal(const market::BookReport& report, std::uint16_t user) {
  const auto held = hold();
  ++rejects_for_[static_cast<std::size_t>(report.reason)];
  if (user >= rejects_.size() || totals_of(report.instrument) == nullptr) return;  // the operator's, or of nothing
  ++rejects_[user].count;
  rejects_[user].last = static_cast<std::uint8_t>(report.reason);
}

void VenueWatch::on_book(const market::BookReport& report, time::Time now) {
  using market::BookReportKind;
  if (report.kind != BookReportKind::phase_changed && report.kind != BookReportKind::uncrossed &&
      report.kind != BookReportKind::indicative)
    return;
  const auto held = hold();
  Totals* const totals = totals_of(report.instrument);
  if (totals == nullptr) return;
  // The next look shows indicative prices, where not every order is published.
  if (report.kind != BookReportKind::indicative || totals->detail == web::Detail::orders)
    channel_.publish(web::FactKind::report, now, report);
}

void VenueWatch::on_status(const market::SymbolStatus& status) {
  const auto held = hold();
  channel_.publish(web::FactKind::status, status.time, status);
  if (Totals* totals = totals_of(status.instrument)) {
    totals->has_traded = true;
    note_change(*totals);
  }
}

void VenueWatch::on_auction_info(const market::AuctionInfo& info) {
  const auto held = hold();
  channel_.publish(web::FactKind::auction, info.time, info);
}

void VenueWatch::on_trade_break(const market::TradeBreak& broken) {
  const auto held = hold();
  channel_.publish(web::FactKind::trade_break, broken.time, broken);
  if (broken.is_amended) return;
  if (Totals* totals = totals_of(broken.instrument)) {
    totals->trades -= std::min<std::uint64_t>(totals->trades, 1);
    totals->volume -= std::min(totals->volume, static_cast<std::uint64_t>(broken.quantity.lots));
  }
}

std::size_t VenueWatch::finish(time::Time now) {
  now_ = now;
  if (now < next_look_) return 0;
  next_look_ = now + k_watch_pause;
  ++look_;
  const bool is_whole = looks_++ % k_whole_look_one_in == 0;
  take_details();
  take_changes();
  if (channel_.wants_snapshot())
    take_snapshot(now);
  else
    look_at_changes(now, is_whole);
  if (std::exchange(have_details_changed_, false)) choose_observed();
  if (is_whole) look(now);
  return 0;
}

void VenueWatch::look_at_wanted(time::Time now) noexcept {
  if (channel_.wanted_version() == wanted_version_ && shown_.empty()) return;
  look_soon();
  finish(now);
}

/// What the screens need from now on. The book of an instrument of which more or less is published has to be shown
/// anew.
void VenueWatch::take_details() noexcept {
  const std::uint32_t version = channel_.wanted_version();
  if (version == wanted_version_) return;
  wanted_version_ = version;
  for (std::size_t place = 0; place < totals_.size(); ++place)
    if (channel_.wanted(place) != totals_[place].detail && totals_[place].partition != nullptr)
      note_change(totals_[place]);
}

/// What the partitions have noted since the last look.
void VenueWatch::take_changes() noexcept {
  for (const auto& ticker : tickers_)
    ticker->changed_books().take([&](std::size_t place) {
      auto of = std::ranges::lower_bound(ticker->places, place, {}, &std::pair<std::size_t, Totals*>::first);
      for (; of != ticker->places.end() && of->first == place; ++of) note_change(*of->second);
    });
}

/// Of which partitions every report is seen from now on.
void VenueWatch::choose_observed() noexcept {
  for (const auto& ticker : tickers_) {
    const bool is_wanted =
        std::ranges::any_of(ticker->places, [](const auto& of) { return of.second->detail == web::Detail::orders; });
    if (is_wanted == ticker->is_observed) continue;
    ticker->is_observed = is_wanted;
    if (is_wanted)
      ticker->partition.observe(this);  // there is room for it since attach()
    else
      ticker->partition.dismiss(static_cast<const venue::ReportSink*>(this));
  }
}

void VenueWatch::take_snapshot(time::Time now) noexcept {
  web::Snapshot& snapshot = channel_.begin_snapshot();
  for (Totals& totals : totals_)
    if (totals.partition != nullptr) add_book(snapshot, totals);
  channel_.commit_snapshot(now);
  for (Totals& totals : totals_) totals.has_changed = totals.is_shown = false;
  shown_.clear();
  changed_.clear();
}

/// Of the books that have changed: those of which not every order is published, as they are now; of the others the
/// bands. What there is no room for is looked at the next time. `are_all`: also those that nobody is shown.
void VenueWatch::look_at_changes(time::Time now, bool are_all) noexcept {
  web::Snapshot* snapshot = nullptr;
  const bool takes_part = channel_.takes_part();
  const auto is_done = [&](Totals* totals) {
    if (totals->detail == web::Detail::orders && channel_.wanted(place_of(*totals)) == web::Detail::orders) {
      if (std::exchange(totals->has_traded, false)) look_at_bands(*totals, now);
    } else if (totals->look != look_) {  // it may be in both lists, as pages turn to it and away
      if (!takes_part || (snapshot != nullptr && snapshot->instruments.size() == k_books_a_look)) return false;
      if (snapshot == nullptr) snapshot = &channel_.begin_snapshot();
      add_book(*snapshot, *totals);
    }
    return true;
  };
  std::erase_if(shown_, [&](Totals* totals) { return is_done(totals) && std::exchange(totals->is_shown, false); });
  if (are_all)
    std::erase_if(changed_,
                  [&](Totals* totals) { return is_done(totals) && std::exchange(totals->has_changed, false); });
  if (snapshot != nullptr) channel_.commit_part(now);
}

/// As it is now, with as much of it as is wanted; more of it is not published until the next one.
void VenueWatch::add_book(web::Snapshot& snapshot, Totals& totals) noexcept {
  const book::Book& book = *totals.partition->book(totals.instrument);
  const venue::InstrumentDay* day = totals.partition->day(totals.instrument);
  DOJIMA_ASSERT(snapshot.instruments.size() < snapshot.instruments.capacity(), "room for every instrument",
                totals.instrument, snapshot.instruments.capacity());
  const web::Detail wanted = channel_.wanted(place_of(totals));
  have_details_changed_ |= wanted != totals.detail;
  totals.detail = wanted;
  totals.look = look_;
  totals.has_traded = false;
  snapshot.instruments.push_back(
      {.instrument = totals.instrument,
       .phase = book.phase(),
       .day_phase = day != nullptr ? static_cast<std::uint8_t>(day->phase()) : std::uint8_t{0},
       .auction_type = day != nullptr ? day->auction_type() : ' ',
       .until = time::nanoseconds_of(day != nullptr ? day->until() : time::k_never),
       .last_price = totals.price,
       .indicative_price = book.indicative().price,
       .last_quantity = totals.quantity,
       .indicative_quantity = book.indicative().volume,
       .imbalance = book.indicative().surplus,
       .imbalance_side = book.indicative().surplus_side,
       .trades = totals.trades,
       .volume = totals.volume,
       .bands = totals.bands = bands_of(day)});
  if (wanted != web::Detail::orders) {
    snapshot.instruments.back().bid_levels = static_cast<std::uint32_t>(book.level_count(market::Side::buy));
    snapshot.instruments.back().ask_levels = static_cast<std::uint32_t>(book.level_count(market::Side::sell));
  }
  for (const market::Side side : {market::Side::buy, market::Side::sell}) {
    if (totals.detail == web::Detail::orders) {
      book.each_resting(side, [&](const book::RestingOrder& order) {
        if (order.place == book::Place::lit)
          channel_.add({.order = order.id,
                        .price = order.price,
                        .displayed = order.displayed,
                        .leaves = order.leaves,
                        .instrument = totals.instrument,
                        .owner = static_cast<std::uint16_t>(order.owner + 1),
                        .side = order.side});
      });
      continue;
    }
    book.each_level(side, web::levels_of(totals.detail), [&](const book::PriceLevel& level, std::uint32_t orders) {
      channel_.add({.price = level.price,
                    .displayed = level.total,
                    .leaves = {orders},
                    .instrument = totals.instrument,
                    .side = side});
    });
  }
}

void VenueWatch::look(time::Time now) noexcept {
  std::uint32_t counter = 0;
  const auto tell = [&](std::uint64_t value) {
    std::uint64_t& sent = counters_[counter];
    const web::CounterFact fact{.value = value, .counter = counter++};
    if (value != sent && channel_.offer(web::FactKind::counter, now, fact)) sent = value;
  };
  const auto own = screens_.own_counters();
  std::ranges::for_each(counters_of(*exchange_), tell);
  std::ranges::for_each(own, tell);
  look_at_sessions(now);
  look_at_rejects(now);
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

void VenueWatch::look_at_rejects(time::Time now) noexcept {
  for (std::size_t reason = 0; reason < rejects_for_.size(); ++reason) {
    const web::CounterFact fact{.value = rejects_for_[reason], .counter = static_cast<std::uint32_t>(reason)};
    if (fact.value != rejects_sent_[reason] && channel_.offer(web::FactKind::rejects, now, fact))
      rejects_sent_[reason] = fact.value;
  }
}

void VenueWatch::look_at_bands(Totals& totals, time::Time now) noexcept {
  const web::Bands bands = bands_of(totals.partition->day(totals.instrument));
  if (bands == totals.bands) return;
  totals.bands = bands;
  channel_.publish(web::FactKind::band, now, web::BandFact{.bands = bands, .instrument = totals.instrument});
}

void VenueWatch::flush_latencies(time::Time now) noexcept {
  if (latencies_.count == 0) return;
  channel_.offer(web::FactKind::latency, now, latencies_);
  latencies_.count = 0;
}

void VenueWatch::mark(std::uint8_t stage, std::uint64_t number) {
  if (options_.next != nullptr) options_.next->mark(stage, number);
  Entered& entered = entered_[number & (entered_.size() - 1)];
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
