#include "dojima/web/dashboard/picture.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "dojima/market/day.hpp"

namespace dojima::web {
namespace {

constexpr std::int64_t k_second_ns = 1'000'000'000;
constexpr std::int64_t k_point_gap_ns = 50'000'000;

template <class Levels>
void take_levels(const Levels& from, std::vector<HistoryCell>& to, bool is_reversed) {
  const auto put = [&](const auto& level) {
    if (to.size() < HistoryColumn::k_levels) to.push_back({level.first, level.second.quantity});
  };
  if (is_reversed)
    for (auto at = from.rbegin(); at != from.rend() && to.size() < HistoryColumn::k_levels; ++at) put(*at);
  else
    for (auto at = from.begin(); at != from.end() && to.size() < HistoryColumn::k_levels; ++at) put(*at);
}

[[nodiscard]] std::uint64_t value_at(const std::vector<std::uint64_t>& counts, std::uint64_t count, double share) {
  const auto rank = static_cast<std::uint64_t>(share * static_cast<double>(count - 1)) + 1;
  std::uint64_t seen = 0;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    seen += counts[at];
    if (seen >= rank) return Latencies::k_fine.highest_of(at);
  }
  return Latencies::k_fine.largest();
}

}  // namespace

Picture::Picture(PictureConfig config)
    : config_(std::move(config)),
      latencies_(config_.stages.size()),
      counters_(config_.counters.size()),
      sessions_(config_.sessions.size()) {
  for (const PictureInstrument& about : config_.instruments) {
    Instrument& made = instruments_.emplace_back();
    made.about = about;
    made.row.instrument = about.id;
    made.auction.until = std::numeric_limits<std::int64_t>::max();
    by_id_[about.id] = &made;
    dirty_.push_back(&made);
    if (histories_.size() >= config_.histories) continue;
    made.history = &histories_[about.id];
    made.history->interval = config_.column_ns;
  }
  for (std::size_t at = 0; at < sessions_.size(); ++at) sessions_[at].session = static_cast<std::uint16_t>(at);
  versions_.pace = versions_.counters = versions_.sessions = versions_.trouble = version_;
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
  time_ = std::max(time_, fact.time);
  switch (fact.kind) {
    case FactKind::none:
      return;
    case FactKind::report:
      return on_report(fact.as<market::BookReport>());
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
    case FactKind::counter: {
      const auto counter = fact.as<CounterFact>();
      if (counter.counter >= counters_.size()) return;
      counters_[counter.counter] = counter.value;
      versions_.counters = version_;
      return;
    }
    case FactKind::latency:
      return on_latency(fact.as<LatencyFact>());
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

void Picture::on_report(const market::BookReport& report) {
  using market::BookReportKind;
  if (report.kind == BookReportKind::rejected) {
    ++rejects_[static_cast<std::size_t>(report.reason) % rejects_.size()];
    versions_.counters = version_;
    return;
  }
  Instrument* instrument = known(report.instrument);
  if (instrument == nullptr) return;
  instrument->book.apply(report);
  if (!std::exchange(instrument->is_dirty, true)) dirty_.push_back(instrument);
  AuctionState& auction = instrument->auction;
  if (report.kind == BookReportKind::traded) return on_trade(*instrument, report);
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

void Picture::on_trade(Instrument& instrument, const market::BookReport& report) {
  const bool is_auction = (report.flags & market::k_auction) != 0;
  const auto side = is_auction ? market::Side::none : market::opposite(report.side);
  tape_.push_back({.number = ++trades_,
                   .time = time_,
                   .price = report.price.units,
                   .quantity = report.quantity.lots,
                   .instrument = report.instrument,
                   .side = static_cast<std::uint8_t>(side),
                   .flags = is_auction ? std::uint8_t{1} : std::uint8_t{0}});
  if (tape_.size() > config_.tape) tape_.pop_front();
  versions_.tape = version_;
  MarketRow& row = instrument.row;
  row.has |= MarketRow::k_last;
  row.last = report.price.units;
  row.last_quantity = report.quantity.lots;
  row.volume += static_cast<std::uint64_t>(report.quantity.lots);
  ++row.trades;
  if (instrument.history != nullptr) instrument.history->traded[report.price.units] += report.quantity.lots;
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
  if (!std::exchange(instrument->is_dirty, true)) dirty_.push_back(instrument);
}

void Picture::on_auction(const Fact& fact) {
  const auto info = fact.as<market::AuctionInfo>();
  Instrument* instrument = known(info.instrument);
  if (instrument == nullptr) return;
  instrument->auction.type = info.auction_type;
  instrument->is_auction_dirty = true;
  if (!std::exchange(instrument->is_dirty, true)) dirty_.push_back(instrument);
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
                   .flags = static_cast<std::uint8_t>(2 | (broken.is_auction ? 1 : 0))});
  if (tape_.size() > config_.tape) tape_.pop_front();
  versions_.tape = version_;
  MarketRow& row = instrument->row;
  row.volume -= std::min(row.volume, static_cast<std::uint64_t>(broken.quantity.lots));
  row.trades -= std::min<std::uint64_t>(row.trades, 1);
  if (!std::exchange(instrument->is_dirty, true)) dirty_.push_back(instrument);
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
    AuctionState& auction = instrument->auction;
    auction.until = each.until;
    auction.type = each.auction_type;
    auction.price = each.indicative_price.units;
    auction.quantity = each.indicative_quantity.lots;
    instrument->is_auction_dirty = true;
    if (!std::exchange(instrument->is_dirty, true)) dirty_.push_back(instrument);
  }
  for (const SnapshotOrder& order : snapshot.orders)
    if (Instrument* instrument = known(order.instrument))
      instrument->book.add(order.order.value, order.side, order.price.units, order.displayed.lots, order.leaves.lots);
}

void Picture::on_latency(const LatencyFact& fact) {
  if (fact.stage >= latencies_.size()) return;
  Latencies& of = latencies_[fact.stage];
  if (of.due == 0) of.due = time_ + k_second_ns;
  if (time_ >= of.due) finish_second(of);
  const std::size_t count = std::min<std::size_t>(fact.count, fact.ns.size());
  for (std::size_t at = 0; at < count; ++at) {
    ++of.second[Latencies::k_fine.index_of(fact.ns[at])];
  }
  of.in_second += count;
}

void Picture::finish_second(Latencies& of) {
  const std::int64_t end = of.due;
  of.due = time_ + k_second_ns;
  if (of.in_second == 0) return;
  of.rows.push_back({.number = ++of.rows_made,
                     .time = end,
                     .count = of.in_second,
                     .p50 = value_at(of.second, of.in_second, 0.5),
                     .p90 = value_at(of.second, of.in_second, 0.9),
                     .p99 = value_at(of.second, of.in_second, 0.99),
                     .p999 = value_at(of.second, of.in_second, 0.999),
                     .most = value_at(of.second, of.in_second, 1)});
  if (of.rows.size() > Latencies::k_rows) of.rows.pop_front();
  // The run's histogram grows by whole seconds, too: what is told of it changes with its rows.
  for (std::size_t at = 0; at < of.second.size(); ++at)
    if (of.second[at] != 0) of.whole[Latencies::k_coarse.index_of(Latencies::k_fine.lowest_of(at))] += of.second[at];
  std::ranges::fill(of.second, 0);
  of.in_second = 0;
  versions_.latency = version_;
}

void Picture::settle() {
  for (Latencies& each : latencies_)
    if (each.due != 0 && time_ >= each.due) finish_second(each);
  for (Instrument* instrument : dirty_) settle(*instrument);
  dirty_.clear();
  for (auto& [id, history] : histories_)
    if (time_ >= history.due && time_ != 0) take_column(*known(id));
  ++version_;
}

void Picture::settle(Instrument& instrument) {
  instrument.is_dirty = false;
  instrument.book_version = version_;
  if (std::exchange(instrument.is_auction_dirty, false)) instrument.auction_version = version_;
  MarketRow& row = instrument.row;
  row.has &= MarketRow::k_last;
  row.bid = row.bid_quantity = row.ask = row.ask_quantity = 0;
  if (const auto& bids = instrument.book.levels(market::Side::buy); !bids.empty()) {
    row.has |= MarketRow::k_bid;
    row.bid = bids.rbegin()->first;
    row.bid_quantity = bids.rbegin()->second.quantity;
  }
  if (const auto& asks = instrument.book.levels(market::Side::sell); !asks.empty()) {
    row.has |= MarketRow::k_ask;
    row.ask = asks.begin()->first;
    row.ask_quantity = asks.begin()->second.quantity;
  }
  instrument.row_version = version_;
  versions_.market = version_;
}

void Picture::take_column(Instrument& instrument) {
  History& history = *instrument.history;
  history.due = time_ + history.interval;
  HistoryColumn column{.time = time_, .indicative = instrument.auction.price};
  take_levels(instrument.book.levels(market::Side::buy), column.bids, true);
  take_levels(instrument.book.levels(market::Side::sell), column.asks, false);
  for (const auto& [price, quantity] : history.traded) column.trades.push_back({price, quantity});
  history.traded.clear();
  if (column.trades.size() > HistoryColumn::k_trades) {
    std::ranges::partial_sort(column.trades, column.trades.begin() + HistoryColumn::k_trades, std::greater<>(),
                              &HistoryCell::quantity);
    column.trades.resize(HistoryColumn::k_trades);
  }
  history.columns.push_back(std::move(column));
  if (history.columns.size() < std::max<std::size_t>(config_.columns, 4)) return;
  // Every second one goes, and its trades into the next.
  std::deque<HistoryColumn> kept;
  for (std::size_t at = 1; at < history.columns.size(); at += 2) {
    HistoryColumn& later = history.columns[at];
    for (const HistoryCell& cell : history.columns[at - 1].trades) {
      const auto same = std::ranges::find(later.trades, cell.price, &HistoryCell::price);
      if (same != later.trades.end())
        same->quantity += cell.quantity;
      else if (later.trades.size() < HistoryColumn::k_trades)
        later.trades.push_back(cell);
    }
    kept.push_back(std::move(later));
  }
  history.columns = std::move(kept);
  history.interval *= 2;
  ++history.generation;
}

}  // namespace dojima::web
