#include "dojima/web/dashboard/picture.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/market/day.hpp"

namespace dojima::web {
namespace {

constexpr std::int64_t k_point_gap_ns = 50'000'000;

}  // namespace

Picture::Picture(PictureConfig config)
    : config_(std::move(config)),
      latencies_(config_.stages.size()),
      counters_(config_.counters.size()),
      sessions_(config_.sessions.size()),
      last_rejects_(config_.sessions.size()) {
  for (const PictureInstrument& about : config_.instruments) add_instrument(about);
  for (std::size_t at = 0; at < sessions_.size(); ++at) sessions_[at].session = static_cast<std::uint16_t>(at);
  versions_.pace = versions_.counters = versions_.sessions = versions_.trouble = version_;
}

Picture::Instrument& Picture::add_instrument(const PictureInstrument& about) {
  Instrument& made = instruments_.emplace_back();
  made.about = about;
  made.place = instruments_.size() - 1;
  made.row.instrument = about.id;
  made.auction.until = std::numeric_limits<std::int64_t>::max();
  by_id_[about.id] = &made;
  dirty_.push_back(&made);
  versions_.instruments = version_;
  if (histories_.size() >= config_.histories) return made;
  made.history = &histories_[about.id];
  made.history->interval = config_.column_ns;
  return made;
}

void Picture::touch(Instrument& instrument) {
  if (!std::exchange(instrument.is_dirty, true)) dirty_.push_back(&instrument);
}

Picture::Instrument* Picture::known(std::uint32_t id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const Picture::Instrument* Picture::find(std::uint32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void Picture::look_at(std::uint32_t id) {
  Instrument* instrument = known(id);
  if (instrument == nullptr || config_.histories == 0) return;
  if (instrument->history == nullptr) {
    if (histories_.size() >= config_.histories) {
      const auto oldest =
          std::ranges::min_element(histories_, {}, [](const auto& each) { return each.second.looked_at; });
      known(oldest->first)->history = nullptr;
      histories_.erase(oldest);
    }
    instrument->history = &histories_[id];
    instrument->history->interval = config_.column_ns;
    instrument->history->generation = static_cast<std::uint32_t>(version_);
  }
  instrument->history->looked_at = version_;
}

void Picture::apply(const Fact& fact, const Snapshot* snapshot) {
  if (fact.kind == FactKind::start) return begin_anew(fact.time);
  time_ = std::max(time_, fact.time);
  switch (fact.kind) {
    case FactKind::none:
    case FactKind::start:
      return;
    case FactKind::report:
      return on_report(fact.as<market::BookReport>(), fact.owner);
    case FactKind::trade: {
      const auto trade = fact.as<TradeFact>();
      if (Instrument* instrument = known(trade.instrument)) {
        on_trade(*instrument, trade);
        touch(*instrument);
      }
      return;
    }
    case FactKind::instrument:
      return on_instrument(fact.as<InstrumentFact>());
    case FactKind::level:
      return on_level(fact.as<LevelFact>(), fact.owner);
    case FactKind::band:
      return on_band(fact.as<BandFact>());
    case FactKind::clear:
      if (Instrument* instrument = known(fact.as<std::uint32_t>())) {
        instrument->book.clear();
        const MarketRow before = instrument->row;
        instrument->row = {.instrument = before.instrument, .phase = before.phase, .day_phase = before.day_phase};
        touch(*instrument);
      }
      return;
    case FactKind::notice:
      return on_notice(fact.as<NoticeFact>());
    case FactKind::status:
      return on_status(fact);
    case FactKind::auction:
      return on_auction(fact);
    case FactKind::trade_break:
      return on_trade_break(fact);
    case FactKind::snapshot:
      if (snapshot != nullptr) on_snapshot(*snapshot);
      return;
    case FactKind::session: {
      const auto session = fact.as<SessionFact>();
      if (session.session >= sessions_.size()) return;
      sessions_[session.session] = session;
      versions_.sessions = version_;
      return;
    }
    case FactKind::last_reject: {
      const auto reject = fact.as<RejectFact>();
      if (reject.session >= last_rejects_.size()) return;
      last_rejects_[reject.session].assign(reject.text.data(), std::min<std::size_t>(reject.size, reject.text.size()));
      versions_.last_rejects = version_;
      return;
    }
    case FactKind::counter: {
      const auto counter = fact.as<CounterFact>();
      if (counter.counter >= counters_.size()) return;
      counters_[counter.counter] = counter.value;
      versions_.counters = version_;
      return;
    }
    case FactKind::rejects: {
      const auto count = fact.as<CounterFact>();
      rejects_[count.counter % rejects_.size()] = count.value;
      versions_.counters = version_;
      return;
    }
    case FactKind::latency:
      return on_latency(fact.as<LatencyFact>());
    case FactKind::account:
      return on_account(fact.as<AccountFact>());
    case FactKind::pace:
      pace_ = fact.as<PaceFact>();
      versions_.pace = version_;
      return;
  }
}

void Picture::set_trouble(std::uint64_t lost, std::uint64_t snapshots) {
  if (std::exchange(lost_, lost) != lost) versions_.trouble = version_;
  if (std::exchange(snapshots_, snapshots) != snapshots) versions_.trouble = version_;
}

/// Of before only names, counters and notices stay.
void Picture::begin_anew(std::int64_t time) {
  ++epoch_;
  time_ = time;
  tape_.clear();
  trades_ = 0;
  versions_.tape = version_;
  for (Instrument& each : instruments_) {
    each.book.clear();
    each.row = {.instrument = each.about.id};
    const std::uint32_t call = each.auction.call + 1;
    each.auction = {};
    each.auction.call = call;
    each.auction.until = std::numeric_limits<std::int64_t>::max();
    each.bands = {};
    each.is_auction_dirty = true;
    touch(each);
  }
  for (auto& [id, history] : histories_) {
    history.columns.clear();
    history.traded.clear();
    history.interval = config_.column_ns;
    history.due = 0;
    ++history.generation;
  }
  for (Latencies& each : latencies_) each.due = 0;
  account_ = {.generation = account_.generation + 1};
  versions_.account = version_;
}

void Picture::on_instrument(const InstrumentFact& fact) {
  const auto text = [](const auto& characters) {
    return std::string(characters.begin(), std::ranges::find(characters, '\0'));
  };
  const PictureInstrument about{.id = fact.instrument,
                                .symbol = text(fact.symbol),
                                .segment = text(fact.segment),
                                .partition = fact.partition,
                                .reference = fact.reference,
                                .quantity_decimals = fact.quantity_decimals};
  Instrument* instrument = known(fact.instrument);
  if (instrument == nullptr) {
    add_instrument(about);
  } else if (!(instrument->about == about)) {
    instrument->about = about;
    versions_.instruments = version_;
  }
}

void Picture::on_level(const LevelFact& fact, std::uint16_t owner) {
  Instrument* instrument = known(fact.instrument);
  if (instrument == nullptr) return;
  instrument->book.set_level(fact.side, fact.price, fact.quantity, fact.orders, owner, fact.own);
  touch(*instrument);
}

void Picture::on_band(const BandFact& fact) {
  Instrument* instrument = known(fact.instrument);
  if (instrument == nullptr) return;
  instrument->bands = fact.bands;
  instrument->is_auction_dirty = true;
  touch(*instrument);
}

/// One whose parts are not all there is left out.
void Picture::on_notice(const NoticeFact& fact) {
  if (fact.part == 0) {
    notice_ = {.number = fact.number};
    notice_text_.clear();
  }
  if (fact.number != notice_.number || fact.part != notice_.part) return;
  ++notice_.part;
  notice_text_.append(fact.text.data(), std::min<std::size_t>(fact.size, fact.text.size()));
  if (fact.is_last == 0) return;
  notices_.push_back({.number = ++notice_count_, .time = time_, .text = notice_text_.substr(0, 255)});
  if (notices_.size() > config_.notices) notices_.pop_front();
  versions_.notices = version_;
}

void Picture::on_report(const market::BookReport& report, std::uint16_t owner) {
  using market::BookReportKind;
  if (report.kind == BookReportKind::rejected) {
    ++rejects_[static_cast<std::size_t>(report.reason) % rejects_.size()];
    versions_.counters = version_;
    return;
  }
  Instrument* instrument = known(report.instrument);
  if (instrument == nullptr) return;
  instrument->book.apply(report, owner);
  touch(*instrument);
  AuctionState& auction = instrument->auction;
  if (report.kind == BookReportKind::traded) {
    const bool is_auction = (report.flags & market::k_auction) != 0;
    const bool has_side = !is_auction && report.side != market::Side::none;
    return on_trade(*instrument, {.price = report.price.units,
                                  .quantity = report.quantity.lots,
                                  .instrument = report.instrument,
                                  .side = has_side ? market::opposite(report.side) : market::Side::none,
                                  .is_auction = is_auction});
  }
  if (report.kind == BookReportKind::phase_changed) {
    instrument->row.phase = report.flags;
    instrument->is_auction_dirty = true;
    if (market::is_call(static_cast<market::Phase>(report.flags))) return begin_call(*instrument);
    auction.price = auction.quantity = auction.imbalance = 0;
  } else if (report.kind == BookReportKind::indicative) {
    auction.price = report.price.units;
    auction.quantity = report.quantity.lots;
    auction.imbalance = report.leaves.lots;
    auction.imbalance_side = static_cast<std::uint8_t>(report.side);
    add_point(*instrument);
  } else if (report.kind == BookReportKind::uncrossed) {
    auction.last_price = report.price.units;
    auction.last_quantity = report.quantity.lots;
    instrument->is_auction_dirty = true;
  }
}

void Picture::on_trade(Instrument& instrument, const TradeFact& trade) {
  tape_.push_back({.number = ++trades_,
                   .time = time_,
                   .price = trade.price,
                   .quantity = trade.quantity,
                   .instrument = trade.instrument,
                   .side = static_cast<std::uint8_t>(trade.side),
                   .flags = trade.is_auction});
  if (tape_.size() > config_.tape) tape_.pop_front();
  versions_.tape = version_;
  MarketRow& row = instrument.row;
  row.has |= MarketRow::k_last;
  row.last = trade.price;
  row.last_quantity = trade.quantity;
  row.volume += static_cast<std::uint64_t>(trade.quantity);
  ++row.trades;
  if (instrument.history != nullptr) instrument.history->traded[trade.price] += trade.quantity;
}

void Picture::begin_call(Instrument& instrument) {
  AuctionState& auction = instrument.auction;
  ++auction.call;
  auction.first = 1;
  auction.points.clear();
  auction.price = auction.quantity = auction.imbalance = 0;
}

/// One for each twentieth of a second at most; what is newer than the last point is the state itself.
void Picture::add_point(Instrument& instrument) {
  AuctionState& auction = instrument.auction;
  instrument.is_auction_dirty = true;
  if (!auction.points.empty() && time_ - auction.points.back().time < k_point_gap_ns) return;
  auction.points.push_back({time_, auction.price, auction.quantity, auction.imbalance});
  if (auction.points.size() <= AuctionState::k_points) return;
  auction.points.pop_front();
  ++auction.first;
}

void Picture::on_status(const Fact& fact) {
  const auto status = fact.as<market::SymbolStatus>();
  Instrument* instrument = known(status.instrument);
  if (instrument == nullptr) return;
  instrument->row.day_phase = static_cast<std::uint8_t>(status.phase);
  instrument->auction.until = time::nanoseconds_of(status.end);
  instrument->is_auction_dirty = true;
  touch(*instrument);
}

void Picture::on_auction(const Fact& fact) {
  const auto info = fact.as<market::AuctionInfo>();
  Instrument* instrument = known(info.instrument);
  if (instrument == nullptr) return;
  instrument->auction.type = info.auction_type;
  instrument->is_auction_dirty = true;
  touch(*instrument);
}

void Picture::on_trade_break(const Fact& fact) {
  const auto broken = fact.as<market::TradeBreak>();
  Instrument* instrument = known(broken.instrument);
  if (instrument == nullptr) return;
  tape_.push_back({.number = ++trades_,
                   .time = time_,
                   .price = broken.price.units,
                   .quantity = broken.quantity.lots,
                   .instrument = broken.instrument,
                   .side = 0,
                   .flags = static_cast<std::uint8_t>((broken.is_amended ? 4 : 2) | (broken.is_auction ? 1 : 0))});
  if (tape_.size() > config_.tape) tape_.pop_front();
  versions_.tape = version_;
  if (broken.is_amended) return;
  MarketRow& row = instrument->row;
  row.volume -= std::min(row.volume, static_cast<std::uint64_t>(broken.quantity.lots));
  row.trades -= std::min<std::uint64_t>(row.trades, 1);
  touch(*instrument);
}

/// What the snapshot does not name is not of its channel, and stays.
void Picture::on_snapshot(const Snapshot& snapshot) {
  for (const SnapshotInstrument& each : snapshot.instruments) {
    Instrument* instrument = known(each.instrument);
    if (instrument == nullptr) continue;
    instrument->book.clear();
    MarketRow& row = instrument->row;
    const bool was_call = market::is_call(static_cast<market::Phase>(row.phase));
    row.phase = static_cast<std::uint8_t>(each.phase);
    row.day_phase = each.day_phase;
    row.has = each.trades != 0 ? MarketRow::k_last : 0;
    row.last = each.last_price.units;
    row.last_quantity = each.last_quantity.lots;
    row.trades = each.trades;
    row.volume = each.volume;
    if (market::is_call(each.phase) && !was_call) begin_call(*instrument);
    instrument->bands = each.bands;
    instrument->bid_levels = each.bid_levels;
    instrument->ask_levels = each.ask_levels;
    AuctionState& auction = instrument->auction;
    auction.until = each.until;
    auction.type = each.auction_type;
    auction.price = each.indicative_price.units;
    auction.quantity = each.indicative_quantity.lots;
    auction.imbalance = each.imbalance.lots;
    auction.imbalance_side = static_cast<std::uint8_t>(each.imbalance_side);
    if (market::is_call(each.phase) && auction.quantity != 0) add_point(*instrument);
    instrument->is_auction_dirty = true;
    touch(*instrument);
  }
  for (const SnapshotOrder& order : snapshot.orders) {
    Instrument* instrument = known(order.instrument);
    if (instrument == nullptr) continue;
    if (order.order.value == 0)
      instrument->book.set_level(order.side, order.price.units, order.displayed.lots,
                                 static_cast<std::uint32_t>(order.leaves.lots), order.owner, order.own);
    else
      instrument->book.add(order.order.value, order.side, order.price.units, order.displayed.lots, order.leaves.lots,
                           order.owner);
  }
}

}  // namespace dojima::web
