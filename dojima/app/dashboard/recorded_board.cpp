#include "dojima/app/dashboard/recorded_board.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/market/report.hpp"

namespace dojima::app {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;
using recorded::RecordedInstrument;
using web::FactKind;

/// In units of 1e-8; what is beyond them is the largest there is.
[[nodiscard]] std::int64_t price_units(std::int64_t price, unsigned decimals) {
  constexpr unsigned k_decimals = 8;
  for (unsigned at = k_decimals; at < decimals; ++at) price /= 10;
  for (unsigned at = decimals; at < k_decimals; ++at)
    if (__builtin_mul_overflow(price, 10, &price)) return std::numeric_limits<std::int64_t>::max();
  return price;
}

/// Fact::owner of own orders.
constexpr std::uint16_t k_owner = 1;

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

}  // namespace

void RecordedBoard::grow(Instruments instruments) {
  while (instruments_.size() < instruments.size()) {
    const auto at = static_cast<std::uint32_t>(instruments_.size());
    instruments_.emplace_back();
    if (!instruments[at].symbol.empty() || instruments[at].number != 0) show(at, instruments[at]);
  }
}

void RecordedBoard::show(std::uint32_t at, const RecordedInstrument& of) {
  if (std::exchange(instruments_[at].is_shown, true)) return;
  channel_.publish(FactKind::instrument, now_, instrument_fact(at, of));
}

web::InstrumentFact RecordedBoard::instrument_fact(std::uint32_t at, const RecordedInstrument& of) {
  web::InstrumentFact fact{.instrument = watched_id(at), .quantity_decimals = of.quantity_decimals};
  const std::string name = of.number != 0 ? fmt::format("#{}", of.number) : std::string("(no name)");
  copy_text(!of.symbol.empty() ? of.symbol : name, fact.symbol);
  return fact;
}

void RecordedBoard::touch(std::uint32_t instrument, Instruments instruments) {
  if (instrument >= instruments_.size()) grow(instruments);
  if (!std::exchange(instruments_[instrument].is_touched, true)) touched_.push_back(instrument);
}

void RecordedBoard::on_event(const RecordedEvent& event, std::int64_t price, Instruments instruments, bool is_skipped) {
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
      return tell_trade(event, price, of, is_skipped);
    case EventKind::status:
      return tell_phase(event);
    case EventKind::auction:
      return tell_auction(event, of);
    default:
      return;
  }
}

void RecordedBoard::tell_trade(const RecordedEvent& event, std::int64_t price, const RecordedInstrument& of,
                               bool is_skipped) {
  if (event.quantity <= 0 || event.has(recorded::k_not_printable)) return;
  Instrument& instrument = instruments_[event.instrument];
  instrument.last = {.price = price, .quantity = event.quantity};
  ++instrument.trades;
  instrument.volume += static_cast<std::uint64_t>(event.quantity);
  // What was skipped is not on the tape; its sums come with a snapshot.
  if (is_skipped) return channel_.begin_anew();
  const Side resting =
      event.kind == EventKind::execute || event.side == Side::none ? event.side : market::opposite(event.side);
  channel_.publish(FactKind::report, now_,
                   market::BookReport{
                       .price = {price_units(price, of.price_decimals)},
                       .quantity = {event.quantity},
                       .instrument = watched_id(event.instrument),
                       .kind = market::BookReportKind::traded,
                       .side = resting,
                       .flags = event.has(recorded::k_in_auction) ? std::uint8_t{market::k_auction} : std::uint8_t{0}});
}

void RecordedBoard::tell_phase(const RecordedEvent& event) {
  Instrument& instrument = instruments_[event.instrument];
  const market::Phase phase = phase_of(static_cast<recorded::MarketState>(event.code), instrument.phase);
  if (std::exchange(instrument.phase, phase) == phase) return;
  channel_.publish(FactKind::report, now_,
                   market::BookReport{.instrument = watched_id(event.instrument),
                                      .kind = market::BookReportKind::phase_changed,
                                      .flags = static_cast<std::uint8_t>(phase)});
}

void RecordedBoard::tell_auction(const RecordedEvent& event, const RecordedInstrument& of) {
  const auto code = static_cast<recorded::AuctionPrice>(event.code);
  if (code != recorded::AuctionPrice::indicative && code != recorded::AuctionPrice::near_price) return;
  if (event.price == recorded::k_unknown) return;
  Instrument& instrument = instruments_[event.instrument];
  instrument.indicative = price_units(event.price, of.price_decimals);
  instrument.indicative_quantity = std::max<std::int64_t>(event.quantity, 0);
  channel_.publish(FactKind::report, now_,
                   market::BookReport{.price = {instrument.indicative},
                                      .quantity = {instrument.indicative_quantity},
                                      .leaves = {static_cast<std::int64_t>(event.other)},
                                      .instrument = watched_id(event.instrument),
                                      .kind = market::BookReportKind::indicative,
                                      .side = event.side});
}

void RecordedBoard::begin_anew(time::Time now) {
  begins_at_ = now;
  now_ = now;
  for (Instrument& each : instruments_) each = {.is_shown = each.is_shown};
  touched_.clear();
  channel_.begin_anew();
}

void RecordedBoard::look(const BoardBooks& books, Instruments instruments) {
  grow(instruments);
  if (channel_.wants_snapshot())
    take_snapshot(books, instruments);
  else
    tell_books(books, instruments);
}

void RecordedBoard::tell_books(const BoardBooks& books, Instruments instruments) {
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
void RecordedBoard::tell_side(std::uint32_t at, Side side, std::span<const BoardLevel> now, unsigned decimals) {
  std::vector<BoardLevel>& told = instruments_[at].sides[side == Side::buy ? 0 : 1];
  const auto is_better = [side](std::int64_t one, std::int64_t other) {
    return side == Side::buy ? one > other : one < other;
  };
  const auto tell = [&](const BoardLevel& level) {
    channel_.publish(FactKind::level, now_,
                     web::LevelFact{.price = price_units(level.price, decimals),
                                    .quantity = level.quantity,
                                    .instrument = watched_id(at),
                                    .side = side,
                                    .own = level.own},
                     k_owner);
  };
  std::size_t old = 0, fresh = 0;
  while (old < told.size() || fresh < now.size()) {
    if (fresh == now.size() || (old < told.size() && is_better(told[old].price, now[fresh].price))) {
      tell({.price = told[old++].price});
    } else if (old == told.size() || is_better(now[fresh].price, told[old].price)) {
      tell(now[fresh++]);
    } else {
      if (told[old] != now[fresh]) tell(now[fresh]);
      ++old, ++fresh;
    }
  }
  told.assign(now.begin(), now.end());
}

void RecordedBoard::take_snapshot(const BoardBooks& books, Instruments instruments) {
  if (!channel_.has_room(instruments_.size() + 2)) return;
  if (begins_at_) channel_.offer(FactKind::start, *std::exchange(begins_at_, std::nullopt), std::uint32_t{0});
  // What was told before may have been lost.
  for (std::uint32_t at = 0; at < instruments_.size(); ++at)
    if (instruments_[at].is_shown) channel_.offer(FactKind::instrument, now_, instrument_fact(at, instruments[at]));
  web::Snapshot& snapshot = channel_.begin_snapshot();
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
      for (const BoardLevel& level : levels.first(books.levels(at, side, levels))) {
        told.push_back(level);
        channel_.add({.price = {price_units(level.price, of.price_decimals)},
                      .displayed = {level.quantity},
                      .leaves = {0},
                      .instrument = watched_id(at),
                      .owner = k_owner,
                      .side = side,
                      .own = level.own});
      }
    }
  }
  touched_.clear();
  channel_.commit_snapshot(now_);
}

}  // namespace dojima::app
