#include "dojima/backtest/backtest.hpp"

#include <algorithm>
#include <exception>
#include <fmt/core.h>
#include <numeric>
#include <thread>

#include "dojima/backtest/file_events.hpp"
#include "dojima/backtest/strategies/watched.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

using recorded::EventKind;

/// The year 2116: room for all that is added to times.
constexpr Time k_latest = time::from_nanoseconds(std::int64_t{1} << 62);
constexpr Time k_earliest = time::from_nanoseconds(-(std::int64_t{1} << 61));
/// Looks at the equity that a run may take, 16 bytes each.
constexpr std::int64_t k_most_marks = std::int64_t{1} << 25;

/// Calls a strategy only from a time on.
class FromThen final : public Strategy {
 public:
  FromThen(Strategy& inner, Time from) : inner_(inner), from_(from) {}
  Wakes wakes() const override { return inner_.wakes(); }
  void on_begin(Desk& desk) override { inner_.on_begin(desk); }
  void on_event(Desk& desk, const RecordedEvent& event) override {
    if (desk.now() >= from_) inner_.on_event(desk, event);
  }
  void on_trade(Desk& desk, const MarketTrade& trade) override {
    if (desk.now() >= from_) inner_.on_trade(desk, trade);
  }
  void on_book(Desk& desk, std::uint32_t instrument) override {
    if (is_time(desk)) inner_.on_book(desk, instrument);
  }
  void on_report(Desk& desk, const Report& report) override { inner_.on_report(desk, report); }
  void on_timer(Desk& desk, std::uint32_t timer, Time due) override {
    if (desk.now() >= from_) inner_.on_timer(desk, timer, due);
  }
  void on_wake(Desk& desk) override {
    if (is_time(desk)) inner_.on_wake(desk);
  }
  void on_end(Desk& desk) override { inner_.on_end(desk); }

  /// Questions about books and wakes that it was not asked.
  [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_; }

 private:
  [[nodiscard]] bool is_time(const Desk& desk) {
    const bool has_come = desk.now() >= from_;
    if (!has_come) ++passed_over_;
    return has_come;
  }
  Strategy& inner_;
  Time from_;
  std::uint64_t passed_over_ = 0;
};

std::expected<Latencies, std::string> latencies_of(const LatencyTexts& texts, std::uint64_t seed, Duration feed_shift) {
  Latencies latencies;
  latencies.feed_shift = feed_shift;
  std::string trouble;
  const auto make = [&](const std::string& text, Direction direction) -> Latency* {
    auto model = make_latency(text, direction, seed++);
    if (!model) {
      if (trouble.empty()) trouble = model.error();
      return nullptr;
    }
    latencies.models.push_back(*std::move(model));
    return latencies.models.back().get();
  };
  if (texts.feed != "recorded") latencies.feed = make(texts.feed, Direction::response);
  latencies.entry.fill(make(texts.entry, Direction::entry));
  if (!texts.cancel.empty())
    latencies.entry[static_cast<std::size_t>(RequestKind::cancel)] = make(texts.cancel, Direction::entry);
  if (!texts.replace.empty())
    latencies.entry[static_cast<std::size_t>(RequestKind::replace)] = make(texts.replace, Direction::entry);
  latencies.response.fill(make(texts.response, Direction::response));
  if (!texts.trade.empty())
    latencies.response[static_cast<std::size_t>(ReportKind::traded)] = make(texts.trade, Direction::response);
  // The last one, so that it changes no draw of the others.
  if (!texts.computing.empty()) latencies.computing = make(texts.computing, Direction::entry);
  if (!trouble.empty()) return std::unexpected(trouble);
  return latencies;
}

/// Runs at a speed of the clock, sleeping in between. `progress`: how far it is, 0 to 1. False: it was ended before its
/// end.
bool run_paced(Engine& engine, double speed, const BacktestHooks& hooks, const std::function<double()>& progress,
               time::Clock& clock) {
  constexpr std::chrono::nanoseconds k_nap = std::chrono::microseconds{200};
  engine.begin();
  sched::PacedPacer pacer(clock, engine.start(), speed);
  sched::Source* const sources[] = {&engine};
  sched::Loop loop(engine.scheduler(), pacer, sources);
  bool is_quitting = false;
  const auto goes_on = [&] { return !is_quitting && !(hooks.is_interrupted && hooks.is_interrupted()); };
  const auto look = [&](bool is_over) {
    for (int key = hooks.key ? hooks.key() : -1; key >= 0 && !is_quitting; key = hooks.key()) {
      sched::move_by_key(pacer, key);
      is_quitting = key == 'q';
    }
    if (hooks.watcher == nullptr) return;
    hooks.watcher->move(pacer);
    hooks.watcher->on_turn(engine, pacer, progress(), is_over);
  };
  while (!engine.is_over() && goes_on()) {
    look(false);
    if (loop.turn() == sched::Loop::Turn::idle) std::this_thread::sleep_for(k_nap);
  }
  const bool is_over = engine.is_over();
  engine.end();
  if (!is_over || hooks.watcher == nullptr) return is_over;
  constexpr std::chrono::nanoseconds k_rest = std::chrono::milliseconds{5};
  for (look(true); goes_on(); look(true)) std::this_thread::sleep_for(k_rest);
  return true;
}

}  // namespace

std::expected<LatencyTexts, std::string> measured_latencies(const std::string& file, LatencyTexts given) {
  const auto kinds = kinds_in_lab_file(file);
  if (!kinds) return std::unexpected(kinds.error());
  const auto has = [&](std::string_view kind) { return std::ranges::find(*kinds, kind) != kinds->end(); };
  const auto put = [&](std::string& text, const std::string& standard, bool is_there, const char* kind) {
    if (is_there && text == standard) text = "lab:" + file + "#" + kind;
  };
  const LatencyTexts standard;
  put(given.feed, standard.feed, has("feed"), "feed");
  put(given.entry, standard.entry, has("submit"), "submit");
  put(given.cancel, standard.cancel, has("cancel"), "cancel");
  put(given.replace, standard.replace, has("replace"), "replace");
  put(given.response, standard.response, has("submit") || has("cancel") || has("replace"), "answers");
  put(given.trade, standard.trade, has("trade"), "trade");
  return given;
}

BacktestResult result_of(const Engine& engine, const Exchange& exchange,
                         const std::vector<RecordedInstrument>& instruments, const BacktestSettings& settings) {
  BacktestResult result;
  const auto& totals = engine.totals();
  for (std::uint32_t at = 0; at < totals.size(); ++at) {
    if (totals[at].orders == 0) continue;
    const RecordedInstrument& of = instruments[at];
    InstrumentResult one{.symbol = of.symbol,
                         .fees = engine.fees_of(at),
                         .price_decimals = of.price_decimals,
                         .quantity_decimals = of.quantity_decimals,
                         .account = Account(of.price_decimals, of.quantity_decimals, engine.fees_of(at))};
    if (at < engine.accounts().size()) one.account = engine.accounts()[at];
    if (at < engine.round_trips().size()) one.round_trips = engine.round_trips()[at];
    if (at < engine.marks().markouts().size()) one.markouts = engine.marks().markouts()[at];
    for (std::size_t horizon = 0; horizon < k_markout_horizons.size(); ++horizon)
      one.markouts[horizon].after = k_markout_horizons[horizon];
    one.totals = totals[at];
    if (const auto bid = exchange.best(at, Side::buy)) one.bid = bid->price;
    if (const auto ask = exchange.best(at, Side::sell)) one.ask = ask->price;
    result.instruments.push_back(std::move(one));
  }
  result.recorded = instruments;
  result.fills = engine.fills();
  result.equity = engine.marks().equity();
  result.performance = performance_of(result.equity, settings.mark_every);
  result.exchange = exchange.counts();
  result.queue_times = std::make_unique<measure::Histogram>();
  result.queue_times->merge(engine.queue_times());
  result.events = engine.event_number();
  result.wakes = engine.wakes();
  result.resting = exchange.resting();
  result.first = engine.start();
  result.last = engine.now();
  return result;
}

namespace {

/// Reads all events that are wanted; `use` gets each batch.
template <class Use>
std::expected<DaySurvey, std::string> read_day(const BacktestSettings& settings, const BacktestHooks& hooks, Use use) {
  if (settings.file == "-" && !hooks.open)
    return std::unexpected("a back-test reads its file twice: give a file, not standard input");
  auto opened = FileEvents::open(settings, hooks);
  if (!opened) return std::unexpected(opened.error());
  DaySurvey survey;
  bool has_time = false;
  survey.format = opened->format();
  FileEvents& events = *opened;
  for (auto batch = events.next_batch(); !batch.empty(); batch = events.next_batch()) {
    survey.ticks.resize(events.instruments().size(), 0);
    survey.events += batch.size();
    for (const RecordedEvent& event : batch) {
      const bool is_of_order =
          event.kind == EventKind::add || event.kind == EventKind::amend || event.kind == EventKind::replace;
      survey.has_orders |= event.kind == EventKind::add;
      survey.has_levels |= event.kind == EventKind::level;
      survey.has_trades |= event.kind == EventKind::trade || event.kind == EventKind::execute ||
                           event.kind == EventKind::fill || event.kind == EventKind::hidden_trade;
      if ((is_of_order || event.kind == EventKind::level) && event.price != recorded::k_unknown)
        survey.ticks[event.instrument] = std::gcd(survey.ticks[event.instrument], event.price);
      for (const Time at : {event.event_time, event.receive_time})
        if (at != recorded::k_unknown_time && (at > k_latest || at < k_earliest))
          return std::unexpected(fmt::format("{}: a time of {} ns is beyond the years that a back-test knows",
                                             settings.file, at.time_since_epoch().count()));
      const Time at = event.event_time != recorded::k_unknown_time ? event.event_time : event.replay_time();
      if (at != recorded::k_unknown_time) {
        survey.first = has_time ? survey.first : at;
        survey.last = has_time ? std::max(survey.last, at) : at;
        has_time = true;
      }
      if (event.replay_time() != recorded::k_unknown_time)
        survey.last_received = std::max(survey.last_received, event.replay_time());
      if (event.event_time == recorded::k_unknown_time || event.receive_time == recorded::k_unknown_time ||
          event.has(recorded::k_snapshot))
        continue;
      const Duration latency = event.receive_time - event.event_time;
      survey.least_latency = survey.least_latency ? std::min(*survey.least_latency, latency) : latency;
    }
    use(batch);
  }
  survey.instruments = events.instruments();
  survey.trouble = events.trouble();
  return survey;
}

}  // namespace

std::expected<DaySurvey, std::string> survey_day(const BacktestSettings& settings, const BacktestHooks& hooks) {
  return read_day(settings, hooks, [](std::span<const RecordedEvent>) {});
}

std::expected<LoadedDay, std::string> load_day(const BacktestSettings& settings) {
  LoadedDay day;
  try {
    auto survey = read_day(settings, {}, [&day](std::span<const RecordedEvent> batch) {
      day.events.insert(day.events.end(), batch.begin(), batch.end());
    });
    if (!survey) return std::unexpected(survey.error());
    day.survey = *std::move(survey);
  } catch (const std::bad_alloc&) {
    return std::unexpected(fmt::format("{}: its events do not fit into memory", settings.file));
  }
  return day;
}

std::string missing_for(ExchangeKind kind, const DaySurvey& survey) {
  if (survey.events == 0) return "it has no events";
  if (kind != ExchangeKind::levels && !survey.has_orders)
    return fmt::format("it has no orders, which the exchange {} needs; take --exchange levels", name_of(kind));
  if (!survey.has_orders && !survey.has_levels) return "it has neither levels nor orders, so it has no book";
  if (!survey.has_trades) return "it has no trades, so no order that waits could ever be filled";
  return {};
}

namespace {

std::expected<std::unique_ptr<Strategy>, std::string> strategy_of(const BacktestSettings& settings,
                                                                  const BacktestHooks& hooks) {
  if (hooks.make_strategy) return hooks.make_strategy();
  return make_strategy(settings.strategy, settings.parameters);
}

/// What can be known to be wrong before a day is read; empty: nothing.
std::string trouble_with(const BacktestSettings& settings, const BacktestHooks& hooks) {
  if (settings.from && settings.until && *settings.from >= *settings.until)
    return fmt::format("nothing is between {}, where trading begins, and {}, where it ends",
                       instant_text(*settings.from), instant_text(*settings.until));
  // One that is handed in is made once, for the run.
  if (!hooks.make_strategy)
    if (auto made = strategy_of(settings, hooks); !made) return made.error();
  if (settings.speed &&
      !(*settings.speed >= sched::PacedPacer::k_slowest && *settings.speed <= sched::PacedPacer::k_fastest))
    return "speed must lie between 0.1 and 10000";
  if (auto tried = latencies_of(settings.latencies, settings.seed, {}); !tried) return tried.error();
  for (const VenueSettings& venue : settings.venues)
    if (auto tried = latencies_of(venue.latencies, settings.seed, {}); !tried) return venue.name + ": " + tried.error();
  return {};
}

/// Where the recorder's clock was behind, the feed would come before it happened: the quickest event takes no time.
Duration feed_shift_of(const DaySurvey& survey) {
  const Duration least = survey.least_latency.value_or(Duration{});
  return least < Duration{} ? -least : Duration{};
}

/// Where a run's events come from.
struct RunSource {
  EventStream& events;
  const DaySurvey& survey;
  std::function<std::string()> trouble{};  ///< of its own, at the end; empty: that of the survey
  Market* market = nullptr;                ///< where it makes them
  std::span<const DaySurvey> by_venue{};   ///< where there are several
};

/// Those of each venue, whose engine's are the first.
std::expected<std::vector<Latencies>, std::string> all_latencies_of(const BacktestSettings& settings,
                                                                    const RunSource& source) {
  constexpr std::uint64_t k_seeds = 16;  // more than a venue draws from
  std::vector<Latencies> all;
  LatencyTexts first = settings.latencies;
  std::uint64_t seed = settings.seed;
  auto made = latencies_of(first, seed, feed_shift_of(source.survey));
  if (!made) return std::unexpected(made.error());
  all.push_back(*std::move(made));
  for (std::size_t venue = 0; venue < source.by_venue.size(); ++venue) {
    seed += k_seeds;
    auto one = latencies_of(settings.venues[venue].latencies, seed, feed_shift_of(source.by_venue[venue]));
    if (!one) return std::unexpected(settings.venues[venue].name + ": " + one.error());
    all.push_back(*std::move(one));
  }
  return all;
}

/// What the run did until its strategy began is none of its result.
void leave_out_before(Time begin, std::uint64_t wakes, BacktestResult& result, const BacktestSettings& settings) {
  result.wakes -= wakes;
  result.first = std::clamp(begin, result.first, std::max(result.first, result.last));
  // The last look before it has nothing yet, as of its begin.
  const auto after = std::ranges::find_if(result.equity, [&](const auto& look) { return look.first >= result.first; });
  if (after == result.equity.begin()) return;
  result.equity.erase(result.equity.begin(), after - 1);
  result.equity.front().first = result.first;
  result.performance = performance_of(result.equity, settings.mark_every);
}

std::expected<BacktestResult, std::string> run_over(const RunSource& source, const BacktestSettings& settings,
                                                    const BacktestHooks& hooks, time::Clock& clock) {
  EventStream& events = source.events;
  const DaySurvey& survey = source.survey;
  Market* const market = source.market;
  auto strategy = strategy_of(settings, hooks);
  if (!strategy) return std::unexpected(strategy.error());
  auto all_latencies = all_latencies_of(settings, source);
  if (!all_latencies) return std::unexpected(all_latencies.error());
  EngineSettings engine_settings{.fees = settings.fees, .mark_every = settings.mark_every, .ticks = survey.ticks};
  Duration feed_shift = feed_shift_of(survey);
  for (std::size_t venue = 0; venue < source.by_venue.size(); ++venue) {
    engine_settings.venues.push_back({.latencies = &(*all_latencies)[venue + 1], .fees = settings.venues[venue].fees});
    feed_shift = std::max(feed_shift, feed_shift_of(source.by_venue[venue]));
  }
  ExchangeSettings exchange_settings = settings.exchange;
  exchange_settings.ticks = survey.ticks;
  if (!settings.lot.empty()) {
    const unsigned decimals = survey.instruments.front().quantity_decimals;
    const auto lot = market::parse_scaled(settings.lot, decimals, "a quantity");
    if (!lot || *lot <= 0)
      return std::unexpected(
          fmt::format("\"{}\" is no lot: a quantity above 0, with at most {} decimals", settings.lot, decimals));
    exchange_settings.lot = *lot;
  }
  std::optional<FromThen> later;
  Strategy* traded = strategy->get();
  if (settings.from) traded = &later.emplace(**strategy, std::min(*settings.from, k_latest) + feed_shift);
  std::optional<WatchedStrategy> watched_strategy;
  if (hooks.watcher != nullptr && settings.speed)
    traded = &watched_strategy.emplace(*traded, *hooks.watcher,
                                       settings.from ? std::min(*settings.from, k_latest) + feed_shift : Time{});
  const auto made = market == nullptr ? make_exchange(exchange_settings) : nullptr;
  Exchange* exchange = market == nullptr ? made.get() : &market->exchange();
  Engine engine(events, *exchange, *traded, all_latencies->front(), engine_settings);
  const Time begin = clock.now();
  Time shown = begin;
  std::optional<Time> ended;
  bool was_interrupted = false;
  const auto progress = [&] {
    return market == nullptr ? static_cast<double>(engine.event_number()) / static_cast<double>(survey.events)
                             : market->done();
  };
  BacktestHooks watched{.watcher = hooks.watcher, .key = hooks.key};
  watched.is_interrupted = [&] {
    if (hooks.progress && clock.now() - shown > std::chrono::milliseconds{100}) {
      shown = clock.now();
      hooks.progress(progress());
    }
    const bool is_interrupted = hooks.is_interrupted && hooks.is_interrupted();
    // Who watches may stay behind the end.
    const bool is_over = engine.is_over();
    if (is_over && !ended) ended = clock.now();
    was_interrupted = is_interrupted && !is_over;
    return is_interrupted;
  };
  std::string trouble;
  try {
    if (settings.speed) {
      was_interrupted = !run_paced(engine, *settings.speed, watched, progress, clock);
    } else {
      engine.run(watched.is_interrupted);
    }
  } catch (const std::exception& thrown) {
    const std::string where = market != nullptr ? "the market" : source.by_venue.empty() ? settings.file : "the venues";
    trouble =
        fmt::format("{}: event {}: strategy {}: {}", where, engine.event_number(), settings.strategy, thrown.what());
  }
  const double elapsed_s = static_cast<double>((ended.value_or(clock.now()) - begin).count()) / 1e9;
  BacktestResult result = result_of(engine, *exchange, events.instruments(), settings);
  result.survey = survey;
  result.feed_shift = feed_shift;
  result.elapsed_s = elapsed_s;
  result.was_interrupted = was_interrupted;
  if (later) leave_out_before(*settings.from + feed_shift, later->passed_over(), result, settings);
  result.remark = (*strategy)->remark();
  result.trouble = std::move(trouble);
  if (result.trouble.empty()) result.trouble = source.trouble ? source.trouble() : survey.trouble;
  return result;
}

/// What everybody holds, and what the venue says that the strategy has; empty: nothing was lost or made.
std::string trouble_of_market(const Market& market, const BacktestResult& result) {
  for (std::uint32_t at = 0; at < result.recorded.size(); ++at) {
    const std::string& symbol = result.recorded[at].symbol;
    if (market.position_of_all(at) != 0)
      return fmt::format("{}: everybody together holds {}", symbol, market.position_of_all(at));
    if (market.cash_of_all(at) != 0) return fmt::format("{}: everybody together has money", symbol);
    const auto own = std::ranges::find(result.instruments, symbol, &InstrumentResult::symbol);
    const std::int64_t position = own == result.instruments.end() ? 0 : own->account.position();
    if (market.own_position(at) != position)
      return fmt::format("{}: the venue has the position {}, the account {}", symbol, market.own_position(at),
                         position);
    if (own == result.instruments.end()) continue;
    const Money cash = own->account.value(1, 1) * market.own_cash(at);
    if (cash != own->account.cash() + own->account.fees())
      return fmt::format("{}: the venue has cash {}, the account {} without fees", symbol,
                         money_text(cash, own->account.decimals()),
                         money_text(own->account.cash() + own->account.fees(), own->account.decimals()));
  }
  return {};
}

/// The line for more looks at the equity than there is room for; empty: there is.
std::string trouble_with_marks(const BacktestSettings& settings, Duration length) {
  if (length / settings.mark_every < k_most_marks) return {};
  return fmt::format("mark_every: {} looks at the equity are too many, at most {}: take a longer time between them",
                     length / settings.mark_every, k_most_marks);
}

/// The line for the first of the wanted instruments that nothing is recorded of; empty: there is none. A day of several
/// venues has "VENUE:SYMBOL".
std::string unknown_symbol(const BacktestSettings& settings, const DaySurvey& survey) {
  constexpr std::size_t k_shown = 8;
  const auto is_there = [&](const std::string& symbol) {
    return std::ranges::any_of(survey.instruments, [&](const RecordedInstrument& of) {
      return of.symbol == symbol || (!settings.venues.empty() && of.symbol.ends_with(":" + symbol));
    });
  };
  const auto unknown = std::ranges::find_if_not(settings.symbols, is_there);
  if (unknown == settings.symbols.end()) return {};
  std::string names;
  std::size_t count = 0;
  for (const RecordedInstrument& of : survey.instruments)
    if (!of.symbol.empty() && count++ < k_shown) names += (names.empty() ? "" : ", ") + of.symbol;
  if (count == 0) return fmt::format("it has nothing of {}; it names no instruments", *unknown);
  if (count > k_shown) names += fmt::format(" and {} more", count - k_shown);
  return fmt::format("it has nothing of {}; there {} {}", *unknown, count == 1 ? "is" : "are", names);
}

/// Likewise, without the file's name.
std::string what_is_missing(const BacktestSettings& settings, const DaySurvey& survey) {
  if (std::string unknown = unknown_symbol(settings, survey); !unknown.empty()) return unknown;
  if (std::string missing = missing_for(settings.exchange.kind, survey); !missing.empty()) return missing;
  if (settings.from && *settings.from > survey.last_received)
    return fmt::format("its last event is of {}, before {}, where trading begins", instant_text(survey.last_received),
                       instant_text(*settings.from));
  return {};
}

/// The line for what is missing, or for more looks than there is room for; empty: neither.
std::string refusal_for(const std::string& missing, const BacktestSettings& settings, const DaySurvey& survey) {
  if (missing.empty()) return trouble_with_marks(settings, survey.last - survey.first);
  return settings.file + ": " + (survey.trouble.empty() ? missing : survey.trouble + "; " + missing);
}

/// The settings by which a venue's file is read.
BacktestSettings reading_of(const BacktestSettings& settings, const VenueSettings& venue) {
  BacktestSettings reading{.file = venue.file, .recorded = venue.recorded, .until = settings.until};
  reading.exchange.kind = settings.exchange.kind;
  reading.mark_every = settings.mark_every;
  const std::string prefix = venue.name + ":";
  for (const std::string& symbol : settings.symbols)
    reading.symbols.push_back(symbol.starts_with(prefix) ? symbol.substr(prefix.size()) : symbol);
  return reading;
}

/// All days together.
void add_survey(DaySurvey& all, const DaySurvey& one, const std::string& venue) {
  all.format = all.events == 0 || all.format == one.format ? one.format : "several";
  all.first = all.events == 0 ? one.first : std::min(all.first, one.first);
  all.last = all.events == 0 ? one.last : std::max(all.last, one.last);
  all.last_received = std::max(all.last_received, one.last_received);
  all.events += one.events;
  all.has_orders |= one.has_orders;
  all.has_levels |= one.has_levels;
  all.has_trades |= one.has_trades;
  all.ticks.insert(all.ticks.end(), one.ticks.begin(), one.ticks.end());
  all.ticks.resize(all.instruments.size() + one.instruments.size());
  for (RecordedInstrument instrument : one.instruments) {
    instrument.symbol = venue + ":" + instrument.symbol;
    all.instruments.push_back(std::move(instrument));
  }
  if (all.trouble.empty()) all.trouble = one.trouble;
}

std::expected<BacktestResult, std::string> run_over_venues(const BacktestSettings& settings, const BacktestHooks& hooks,
                                                           time::Clock& clock) {
  constexpr std::size_t k_most_venues = 255;
  if (settings.venues.size() > k_most_venues)
    return std::unexpected(fmt::format("a run has at most {} venues", k_most_venues));
  std::vector<BacktestSettings> readings;
  std::vector<DaySurvey> surveys;
  DaySurvey all;
  for (const VenueSettings& venue : settings.venues) {
    if (std::ranges::count(settings.venues, venue.name, &VenueSettings::name) != 1)
      return std::unexpected("there are two venues \"" + venue.name + "\"");
    readings.push_back(reading_of(settings, venue));
    auto survey = survey_day(readings.back(), {});
    if (!survey) return std::unexpected(survey.error());
    // What other venues have need not be here, as long as something is.
    const std::string missing =
        survey->events == 0 ? what_is_missing(readings.back(), *survey) : missing_for(settings.exchange.kind, *survey);
    if (const std::string refusal = refusal_for(missing, readings.back(), *survey); !refusal.empty())
      return std::unexpected(refusal);
    add_survey(all, *survey, venue.name);
    surveys.push_back(*std::move(survey));
  }
  if (const std::string missing = what_is_missing(settings, all); !missing.empty())
    return std::unexpected("the venues: " + missing);
  if (const std::string trouble = trouble_with_marks(settings, all.last - all.first); !trouble.empty())
    return std::unexpected(trouble);
  std::vector<FileEvents> files;
  for (const BacktestSettings& reading : readings) {
    auto opened = FileEvents::open(reading, {});
    if (!opened) return std::unexpected(opened.error());
    files.push_back(*std::move(opened));
  }
  VenueEvents events(std::move(files), settings.venues, surveys);
  return run_over({.events = events, .survey = all, .trouble = [&] { return events.trouble(); }, .by_venue = surveys},
                  settings, hooks, clock);
}

/// Asks for nothing.
class Idle final : public Strategy {
 public:
  Wakes wakes() const override { return {}; }
};

/// How far a recording is from itself: what it does not have, no own order has changed. Nothing: it was interrupted.
std::expected<std::optional<ExchangeCounts>, std::string> counts_alone(BacktestSettings settings, BacktestHooks hooks,
                                                                       const DaySurvey& survey, time::Clock& clock) {
  settings.is_beside_record = false;
  settings.speed.reset();
  settings.from.reset();
  hooks.make_strategy = [] { return std::make_unique<Idle>(); };
  hooks.survey = &survey;
  hooks.watcher = nullptr;
  const auto alone = run_backtest(settings, hooks, clock);
  if (!alone) return std::unexpected(alone.error());
  return alone->was_interrupted ? std::nullopt : std::optional(alone->exchange);
}

}  // namespace

std::string refusal_of(const BacktestSettings& settings, const DaySurvey& survey) {
  return refusal_for(what_is_missing(settings, survey), settings, survey);
}

std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings, const BacktestHooks& hooks,
                                                        time::Clock& clock) {
  if (const std::string trouble = trouble_with(settings, hooks); !trouble.empty()) return std::unexpected(trouble);
  if (!settings.venues.empty()) return run_over_venues(settings, hooks, clock);
  const auto survey =
      hooks.survey != nullptr ? std::expected<DaySurvey, std::string>(*hooks.survey) : survey_day(settings, hooks);
  if (!survey) return std::unexpected(survey.error());
  if (const std::string refusal = refusal_of(settings, *survey); !refusal.empty()) return std::unexpected(refusal);
  auto opened = FileEvents::open(settings, hooks);
  if (!opened) return std::unexpected(opened.error());
  auto result = run_over({.events = *opened, .survey = *survey, .trouble = [&] { return opened->trouble(); }}, settings,
                         hooks, clock);
  const bool is_compared = settings.is_beside_record && settings.exchange.kind == ExchangeKind::match;
  if (!result || !is_compared || result->was_interrupted) return result;
  const auto alone = counts_alone(settings, hooks, *survey, clock);
  if (!alone) return std::unexpected(alone.error());
  result->alone = *alone;
  result->was_interrupted = !result->alone;
  return result;
}

std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings, const LoadedDay& day,
                                                        const BacktestHooks& hooks, time::Clock& clock) {
  if (const std::string trouble = trouble_with(settings, hooks); !trouble.empty()) return std::unexpected(trouble);
  if (const std::string refusal = refusal_of(settings, day.survey); !refusal.empty()) return std::unexpected(refusal);
  MemoryEvents events(day.events, day.survey.instruments);
  return run_over({.events = events, .survey = day.survey}, settings, hooks, clock);
}

std::expected<BacktestResult, std::string> run_backtest(const BacktestSettings& settings, const MarketConfig& config,
                                                        const BacktestHooks& hooks, time::Clock& clock) {
  if (const std::string trouble = trouble_with(settings, hooks); !trouble.empty()) return std::unexpected(trouble);
  if (const std::string trouble = complaint(config); !trouble.empty()) return std::unexpected(trouble);
  if (const std::string trouble = trouble_with_marks(settings, config.length); !trouble.empty())
    return std::unexpected(trouble);
  std::optional<Market> made;
  try {
    made.emplace(config, nullptr, hooks.make_road);
  } catch (const std::exception& thrown) {
    if (!hooks.make_road) throw;
    return std::unexpected(std::string(thrown.what()));
  }
  Market& market = *made;
  DaySurvey survey{.format = "market", .has_orders = true, .has_trades = true};
  survey.instruments = market.stream().instruments();
  for (const RecordedInstrument& of : survey.instruments) survey.ticks.push_back(of.tick);
  auto result = run_over({.events = market.stream(), .survey = survey, .market = &market}, settings, hooks, clock);
  if (!result) return result;
  result->market = {.config = config, .counts = market.counts(), .digest = market.digest()};
  result->market->trouble = trouble_of_market(market, *result);
  return result;
}

}  // namespace dojima::backtest
