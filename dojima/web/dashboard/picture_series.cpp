// What a picture takes at intervals: latencies by the second, columns of histories, and a version once a beat.

#include <algorithm>
#include <functional>
#include <utility>

#include "dojima/web/dashboard/picture.hpp"

namespace dojima::web {
namespace {

constexpr std::int64_t k_second_ns = 1'000'000'000;

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

/// The last row tells of all together.
void Picture::on_account(const AccountFact& fact) {
  account_.rows[fact.instrument] = fact;
  versions_.account = version_;
  if (fact.instrument != 0 || time_ < account_.due) return;
  if (account_.interval == 0) account_.interval = config_.column_ns;
  account_.due = time_ + account_.interval;
  account_.points.push_back({.time = time_, .equity = fact.equity});
  if (account_.points.size() < std::max<std::size_t>(config_.points, 4)) return;
  // Every second one goes.
  std::size_t kept = 0;
  for (std::size_t at = 1; at < account_.points.size(); at += 2) account_.points[kept++] = account_.points[at];
  account_.points.resize(kept);
  account_.interval *= 2;
  ++account_.generation;
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
  HistoryColumn column{.time = time_, .indicative = instrument.auction.price, .bands = instrument.bands};
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
