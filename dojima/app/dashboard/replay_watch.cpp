#include "dojima/app/dashboard/replay_watch.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <span>
#include <utility>

#include "dojima/market/report.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;
using recorded::RecordedInstrument;
using web::FactKind;

constexpr std::array<std::string_view, 4> k_replay_counters = {"events", "trades", "live orders", "refused events"};

/// In units of 1e-8; what is beyond them is the largest there is.
[[nodiscard]] std::int64_t price_units(std::int64_t price, unsigned decimals) {
  constexpr unsigned k_decimals = 8;
  for (unsigned at = k_decimals; at < decimals; ++at) price /= 10;
  for (unsigned at = decimals; at < k_decimals; ++at)
    if (__builtin_mul_overflow(price, 10, &price)) return std::numeric_limits<std::int64_t>::max();
  return price;
}

/// Ids begin with 1: a page watches none as 0.
[[nodiscard]] std::uint32_t watched_id(std::uint32_t at) {
  return at + 1;
}

[[nodiscard]] bool changes_book_or_trades(EventKind kind) {
  return (kind >= EventKind::add && kind <= EventKind::fill) || kind == EventKind::level || kind == EventKind::quote;
}

template <std::size_t Size>
void copy_text(std::string_view text, std::array<char, Size>& to) {
  text.copy(to.data(), Size);
}

[[nodiscard]] market::Phase phase_of(recorded::MarketState state, market::Phase before) {
  using recorded::MarketState;
  switch (state) {
    case MarketState::opening:
      return market::Phase::opening_call;
    case MarketState::closing:
      return market::Phase::closing_call;
    case MarketState::trading:
      return market::Phase::continuous;
    case MarketState::paused:
    case MarketState::halted:
    case MarketState::quoting:
      return market::Phase::halted;
    case MarketState::pre_open:
    case MarketState::closed:
      return market::Phase::closed;
    case MarketState::unknown:
    case MarketState::start_of_messages:
    case MarketState::end_of_messages:
      break;
  }
  return before;
}

[[nodiscard]] web::DashboardOptions replay_screens(const std::string& name, PaceDesk& desk) {
  web::DashboardOptions made{.picture = {.name = name}};
  for (const std::string_view each : k_replay_counters) made.picture.counters.emplace_back(each);
  made.on_pace = [&desk](std::string_view words) { return desk.on_words(words); };
  return made;
}

}  // namespace

ReplayWatch::ReplayWatch(ReplayWatchOptions options)
    : options_(std::move(options)),
      desk_(options_.can_jump),
      screens_(options_.dashboard, replay_screens(options_.name, desk_),
               {.facts = 1 << 16, .orders = 1 << 17, .instruments = k_instruments}) {}

void ReplayWatch::grow(Instruments instruments) {
  while (instruments_.size() < instruments.size()) {
    const auto at = static_cast<std::uint32_t>(instruments_.size());
    instruments_.emplace_back();
    if (!instruments[at].symbol.empty() || instruments[at].number != 0) show(at, instruments[at]);
  }
}

void ReplayWatch::show(std::uint32_t at, const RecordedInstrument& of) {
  if (std::exchange(instruments_[at].is_shown, true)) return;
  channel().publish(FactKind::instrument, now_, instrument_fact(at, of));
}

web::InstrumentFact ReplayWatch::instrument_fact(std::uint32_t at, const RecordedInstrument& of) {
  web::InstrumentFact fact{.instrument = watched_id(at), .quantity_decimals = of.quantity_decimals};
  const std::string name = of.number != 0 ? fmt::format("#{}", of.number) : std::string("(no name)");
  copy_text(!of.symbol.empty() ? of.symbol : name, fact.symbol);
  return fact;
}

void ReplayWatch::on_event(const RecordedEvent& event, const recorded::ReplayBooks& books, Instruments instruments,
                           bool is_skipped) {
  if (event.instrument >= instruments_.size()) grow(instruments);
  if (const time::Time at = event.replay_time(); at != recorded::k_unknown_time) now_ = std::max(now_, at);
  if (first_ == time::Time{}) first_ = now_;
  last_ = std::max(last_, now_);
  Instrument& instrument = instruments_[event.instrument];
  if (!std::exchange(instrument.is_touched, true)) touched_.push_back(event.instrument);
  const RecordedInstrument& of = instruments[event.instrument];
  if (!instrument.is_shown && changes_book_or_trades(event.kind)) show(event.instrument, of);
  switch (event.kind) {
    case EventKind::execute:
    case EventKind::trade:
    case EventKind::hidden_trade:
      return tell_trade(event, books, of, is_skipped);
    case EventKind::status:
      return tell_phase(event);
    case EventKind::auction:
      return tell_auction(event, of);
    default:
      return;
  }
}

void ReplayWatch::tell_trade(const RecordedEvent& event, const recorded::ReplayBooks& books,
                             const RecordedInstrument& of, bool is_skipped) {
  if (event.quantity <= 0 || event.has(recorded::k_not_printable)) return;
  Instrument& instrument = instruments_[event.instrument];
  const std::int64_t price =
      event.price != recorded::k_unknown ? event.price : books.last_trade(event.instrument).price;
  instrument.last = {.price = price, .quantity = event.quantity};
  ++instrument.trades;
  instrument.volume += static_cast<std::uint64_t>(event.quantity);
  // What was skipped is not on the tape; its sums come with a snapshot.
  if (is_skipped) return channel().begin_anew();
  const Side resting =
      event.kind == EventKind::execute || event.side == Side::none ? event.side : market::opposite(event.side);
  channel().publish(FactKind::report, now_,
                    market::BookReport{.price = {price_units(price, of.price_decimals)},
                                       .quantity = {event.quantity},
                                       .instrument = watched_id(event.instrument),
                                       .kind = market::BookReportKind::traded,
                                       .side = resting,
                                       .flags = event.has(recorded::k_in_auction) ? std::uint8_t{market::k_auction}
                                                                                  : std::uint8_t{0}});
}

void ReplayWatch::tell_phase(const RecordedEvent& event) {
  Instrument& instrument = instruments_[event.instrument];
  const market::Phase phase = phase_of(static_cast<recorded::MarketState>(event.code), instrument.phase);
  if (std::exchange(instrument.phase, phase) == phase) return;
  channel().publish(FactKind::report, now_,
                    market::BookReport{.instrument = watched_id(event.instrument),
                                       .kind = market::BookReportKind::phase_changed,
                                       .flags = static_cast<std::uint8_t>(phase)});
}

void ReplayWatch::tell_auction(const RecordedEvent& event, const RecordedInstrument& of) {
  const auto code = static_cast<recorded::AuctionPrice>(event.code);
  if (code != recorded::AuctionPrice::indicative && code != recorded::AuctionPrice::near_price) return;
  if (event.price == recorded::k_unknown) return;
  Instrument& instrument = instruments_[event.instrument];
  instrument.indicative = price_units(event.price, of.price_decimals);
  instrument.indicative_quantity = std::max<std::int64_t>(event.quantity, 0);
  channel().publish(FactKind::report, now_,
                    market::BookReport{.price = {instrument.indicative},
                                       .quantity = {instrument.indicative_quantity},
                                       .leaves = {static_cast<std::int64_t>(event.other)},
                                       .instrument = watched_id(event.instrument),
                                       .kind = market::BookReportKind::indicative,
                                       .side = event.side});
}

void ReplayWatch::on_jump(time::Time now) {
  begins_at_ = now;
  now_ = now;
  for (Instrument& each : instruments_) each = {.is_shown = each.is_shown};
  touched_.clear();
  channel().begin_anew();
}

bool ReplayWatch::move(sched::PacedPacer& pacer) {
  if (!desk_.apply(pacer)) return false;
  next_look_ = {};
  return true;
}

void ReplayWatch::on_turn(time::Time now, const recorded::ReplayBooks& books, Instruments instruments,
                          const sched::PacedPacer* pacer, const std::optional<double>& progress, bool is_over) {
  if (is_over && !is_over_ && options_.on_over) options_.on_over();
  is_over_ = is_over;
  const auto wall = std::chrono::steady_clock::now();
  if (wall < next_look_) return;
  next_look_ = wall + options_.pause;
  now_ = std::max(now_, now);
  grow(instruments);
  if (channel().wants_snapshot())
    take_snapshot(books, instruments);
  else
    tell_books(books, instruments);
  if (pacer != nullptr) tell_pace(*pacer, progress, is_over);
  const recorded::ReplayCounts counts = books.counts();
  const std::array<std::uint64_t, k_replay_counters.size()> values = {counts.events, counts.trades, books.live_orders(),
                                                                      counts.unknown + counts.refused};
  for (std::size_t at = 0; at < values.size(); ++at)
    channel().offer(FactKind::counter, now_,
                    web::CounterFact{.value = values[at], .counter = static_cast<std::uint32_t>(at)});
}

void ReplayWatch::tell_books(const recorded::ReplayBooks& books, Instruments instruments) {
  for (std::size_t looks = std::min(touched_.size(), k_looks); looks != 0; --looks) {
    const std::uint32_t at = touched_.front();
    touched_.pop_front();
    instruments_[at].is_touched = false;
    if (at >= books.size()) continue;
    for (const Side side : {Side::buy, Side::sell})
      tell_side(at, side, std::span(levels_).first(books.levels(at, side, levels_)), instruments[at].price_decimals);
  }
}

/// What is different from what was told; both are best first.
void ReplayWatch::tell_side(std::uint32_t at, Side side, std::span<const recorded::DepthLevel> now, unsigned decimals) {
  std::vector<recorded::DepthLevel>& told = instruments_[at].sides[side == Side::buy ? 0 : 1];
  const auto is_better = [side](std::int64_t one, std::int64_t other) {
    return side == Side::buy ? one > other : one < other;
  };
  const auto tell = [&](std::int64_t price, std::int64_t quantity) {
    channel().publish(
        FactKind::level, now_,
        web::LevelFact{
            .price = price_units(price, decimals), .quantity = quantity, .instrument = watched_id(at), .side = side});
  };
  std::size_t old = 0, fresh = 0;
  while (old < told.size() || fresh < now.size()) {
    if (fresh == now.size() || (old < told.size() && is_better(told[old].price, now[fresh].price))) {
      tell(told[old++].price, 0);
    } else if (old == told.size() || is_better(now[fresh].price, told[old].price)) {
      tell(now[fresh].price, now[fresh].quantity);
      ++fresh;
    } else {
      if (told[old].quantity != now[fresh].quantity) tell(now[fresh].price, now[fresh].quantity);
      ++old, ++fresh;
    }
  }
  told.assign(now.begin(), now.end());
}

void ReplayWatch::take_snapshot(const recorded::ReplayBooks& books, Instruments instruments) {
  if (!channel().has_room(instruments_.size() + 2)) return;
  if (begins_at_) channel().offer(FactKind::start, *std::exchange(begins_at_, std::nullopt), std::uint32_t{0});
  // What was told before may have been lost.
  for (std::uint32_t at = 0; at < instruments_.size(); ++at)
    if (instruments_[at].is_shown) channel().offer(FactKind::instrument, now_, instrument_fact(at, instruments[at]));
  web::Snapshot& snapshot = channel().begin_snapshot();
  const std::size_t room = snapshot.orders.capacity() / (2 * std::max<std::size_t>(instruments_.size(), 1));
  const std::size_t most = std::clamp<std::size_t>(room, 1, k_levels);
  for (std::uint32_t at = 0; at < instruments_.size(); ++at) {
    Instrument& instrument = instruments_[at];
    const RecordedInstrument& of = instruments[at];
    instrument.is_touched = false;
    snapshot.instruments.push_back({.instrument = watched_id(at),
                                    .phase = instrument.phase,
                                    .until = std::numeric_limits<std::int64_t>::max(),
                                    .last_price = {price_units(instrument.last.price, of.price_decimals)},
                                    .indicative_price = {instrument.indicative},
                                    .last_quantity = {instrument.last.quantity},
                                    .indicative_quantity = {instrument.indicative_quantity},
                                    .trades = instrument.trades,
                                    .volume = instrument.volume});
    for (const Side side : {Side::buy, Side::sell}) {
      auto& told = instrument.sides[side == Side::buy ? 0 : 1];
      told.clear();
      if (at >= books.size()) continue;
      const auto levels = std::span(levels_).first(most);
      for (const recorded::DepthLevel& level : levels.first(books.levels(at, side, levels))) {
        told.push_back(level);
        channel().add({.price = {price_units(level.price, of.price_decimals)},
                       .displayed = {level.quantity},
                       .leaves = {0},
                       .instrument = watched_id(at),
                       .side = side});
      }
    }
  }
  touched_.clear();
  channel().commit_snapshot(now_);
}

void ReplayWatch::tell_pace(const sched::PacedPacer& pacer, const std::optional<double>& progress, bool is_over) {
  web::PaceFact fact{.speed = pacer.speed(), .is_paused = pacer.is_paused() ? std::uint8_t{1} : std::uint8_t{0}};
  fact.can_jump = options_.can_jump ? 1 : 0;
  fact.is_over = is_over ? 1 : 0;
  fact.first = time::nanoseconds_of(first_);
  fact.last = time::nanoseconds_of(last_);
  fact.progress = progress.value_or(-1);
  channel().offer(FactKind::pace, now_, fact);
}

}  // namespace dojima::app
