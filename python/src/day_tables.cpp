// What research takes out of a day: the touch, depth, trades and labels.

#include "arguments.hpp"
#include "day.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <limits>
#include <utility>

#include "dojima/recorded/books/depth_book.hpp"

namespace dojima::python {

using market::Side;
using recorded::DepthBooks;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::k_unknown_time;

namespace {

/// Prices or quantities on their way into a column.
class Figures {
 public:
  explicit Figures(bool is_exact) : is_exact_(is_exact) {}
  void add(std::int64_t value, unsigned decimals) {
    if (is_exact_) {
      whole_.push_back(value);
    } else {
      real_.push_back(scaled_down(value, decimals));
    }
  }
  [[nodiscard]] Column column(std::string name, std::size_t width = 1) {
    return is_exact_ ? column_of(std::move(name), std::move(whole_), width)
                     : column_of(std::move(name), std::move(real_), width);
  }
  void reserve(std::size_t values) { is_exact_ ? whole_.reserve(values) : real_.reserve(values); }

 private:
  bool is_exact_;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
};

[[nodiscard]] std::int64_t nanoseconds(Time at) noexcept {
  return at.time_since_epoch().count();
}

/// Calls `visit(instrument, its last event, books)` when a change of the market is over: where the feed says so, and
/// at the latest when time goes on.
template <class Visit>
void each_change(const Day& day, const Selection& selection, DepthBooks& books, Visit&& visit) {
  std::vector<std::size_t> last_of(day.instruments.size(), 0);
  std::vector<std::uint32_t> changed;
  std::vector<char> is_noted(day.instruments.size(), 0);
  for (std::size_t at = 0; at < day.events.size(); ++at) {
    const RecordedEvent& event = day.events[at];
    books.apply(event, day.instruments);
    if (!selection.instrument || *selection.instrument == event.instrument) {
      last_of[event.instrument] = at;
      if (is_noted[event.instrument] == 0) {
        is_noted[event.instrument] = 1;
        changed.push_back(event.instrument);
      }
    }
    const bool is_over = event.has(recorded::k_last) || at + 1 == day.events.size() ||
                         day.events[at + 1].replay_time() != event.replay_time();
    if (!is_over) continue;
    for (const std::uint32_t instrument : changed) {
      is_noted[instrument] = 0;
      visit(instrument, day.events[last_of[instrument]]);
    }
    changed.clear();
  }
}

/// The same for a change of the touch.
template <class Visit>
void each_touch(const Day& day, const Selection& selection, Visit&& visit) {
  struct Seen {
    DepthLevel bid{k_unknown, 0}, ask{k_unknown, 0};
  };
  std::vector<Seen> seen(day.instruments.size());
  DepthBooks books;
  each_change(day, selection, books, [&](std::uint32_t instrument, const RecordedEvent& event) {
    const recorded::Depth& depth = books.of(instrument);
    const DepthLevel bid = depth.bids.best().value_or(DepthLevel{k_unknown, 0});
    const DepthLevel ask = depth.asks.best().value_or(DepthLevel{k_unknown, 0});
    Seen& before = seen[instrument];
    if (bid == before.bid && ask == before.ask) return;
    before = {bid, ask};
    visit(instrument, event, bid, ask);
  });
}

}  // namespace

Table tops_of(const Day& day, const Selection& selection) {
  std::vector<std::int64_t> times, event_times;
  std::vector<std::uint32_t> instruments;
  Figures bid_price(selection.is_exact), bid_quantity(selection.is_exact);
  Figures ask_price(selection.is_exact), ask_quantity(selection.is_exact);
  each_touch(day, selection,
             [&](std::uint32_t instrument, const RecordedEvent& event, const DepthLevel& bid, const DepthLevel& ask) {
               const RecordedInstrument& of = day.instruments[instrument];
               times.push_back(nanoseconds(event.replay_time()));
               event_times.push_back(nanoseconds(event.event_time));
               instruments.push_back(instrument);
               bid_price.add(bid.price, of.price_decimals);
               bid_quantity.add(bid.quantity, of.quantity_decimals);
               ask_price.add(ask.price, of.price_decimals);
               ask_quantity.add(ask.quantity, of.quantity_decimals);
             });
  Table table;
  table.add(times_of("time", std::move(times)));
  table.add(times_of("event_time", std::move(event_times)));
  table.add(column_of("instrument", std::move(instruments)));
  table.add(bid_price.column("bid_price"));
  table.add(bid_quantity.column("bid_quantity"));
  table.add(ask_price.column("ask_price"));
  table.add(ask_quantity.column("ask_quantity"));
  return table;
}

namespace {

/// Rows of depth as they are collected.
class DepthRows {
 public:
  DepthRows(const Day& day, const Selection& selection, std::size_t levels)
      : day_(day),
        levels_(levels),
        prices_{Figures(selection.is_exact), Figures(selection.is_exact)},
        quantities_{Figures(selection.is_exact), Figures(selection.is_exact)} {}

  /// The first levels of both sides, bids first; what is not there has no price.
  void look(const recorded::Depth& depth, std::vector<DepthLevel>& levels) const {
    levels.assign(2 * levels_, DepthLevel{k_unknown, 0});
    for (const Side side : {Side::buy, Side::sell}) {
      std::size_t at = side == Side::buy ? 0 : levels_;
      const std::size_t end = at + levels_;
      depth.on(side).each([&](const DepthLevel& level) {
        levels[at++] = level;
        return at != end;
      });
    }
  }
  /// Throws ValueError where the memory for so many rows is not there.
  void reserve(std::size_t rows) {
    const double each = 8 + 4 + 4 * 8 * static_cast<double>(levels_);
    need_memory(static_cast<double>(rows) * each, fmt::format("{} rows with {} levels of depth", rows, levels_));
    times_.reserve(rows);
    instruments_.reserve(rows);
    for (Figures* figures : {&prices_[0], &prices_[1], &quantities_[0], &quantities_[1]})
      figures->reserve(rows * levels_);
  }
  void add(Time time, std::uint32_t instrument, const std::vector<DepthLevel>& levels) {
    constexpr std::size_t k_least = 1024;
    if (times_.size() == times_.capacity()) reserve(std::max(k_least, 2 * times_.size()));
    const RecordedInstrument& of = day_.instruments[instrument];
    times_.push_back(nanoseconds(time));
    instruments_.push_back(instrument);
    for (std::size_t at = 0; at < levels.size(); ++at) {
      prices_[at / levels_].add(levels[at].price, of.price_decimals);
      quantities_[at / levels_].add(levels[at].quantity, of.quantity_decimals);
    }
  }
  [[nodiscard]] Table table() {
    Table table;
    table.add(times_of("time", std::move(times_)));
    table.add(column_of("instrument", std::move(instruments_)));
    table.add(prices_[0].column("bid_price", levels_));
    table.add(quantities_[0].column("bid_quantity", levels_));
    table.add(prices_[1].column("ask_price", levels_));
    table.add(quantities_[1].column("ask_quantity", levels_));
    return table;
  }

 private:
  const Day& day_;
  std::size_t levels_;
  std::vector<std::int64_t> times_;
  std::vector<std::uint32_t> instruments_;
  std::array<Figures, 2> prices_, quantities_;
};

Table depth_by_time(const Day& day, const Selection& selection, const DepthSettings& settings) {
  DepthRows rows(day, selection, settings.levels);
  rows.reserve(settings.rows);
  std::vector<DepthLevel> levels;
  DepthBooks books;
  Time now = k_unknown_time, next = k_unknown_time;
  const auto look_until = [&](Time end, bool is_with_end) {
    for (; next < end || (is_with_end && next == end); next += settings.every) {
      for (std::uint32_t instrument = 0; instrument < books.size(); ++instrument) {
        if (selection.instrument && *selection.instrument != instrument) continue;
        rows.look(books.of(instrument), levels);
        rows.add(next, instrument, levels);
      }
    }
  };
  for (const RecordedEvent& event : day.events) {
    if (const Time at = event.replay_time(); at != k_unknown_time && (now == k_unknown_time || at > now)) {
      if (now == k_unknown_time) {
        const Duration since = at.time_since_epoch();
        next = Time{since - since % settings.every};
        if (next < at) next += settings.every;
      }
      look_until(at, false);
      now = at;
    }
    books.apply(event, day.instruments);
  }
  if (now != k_unknown_time) look_until(now, true);
  return rows.table();
}

}  // namespace

Table depth_of(const Day& day, const Selection& selection, const DepthSettings& settings) {
  if (settings.every > Duration{}) return depth_by_time(day, selection, settings);
  DepthRows rows(day, selection, settings.levels);
  struct Seen {
    std::vector<DepthLevel> levels;
    std::uint64_t changes = 0;
  };
  std::vector<Seen> seen(day.instruments.size());
  std::vector<DepthLevel> levels;
  DepthBooks books;
  each_change(day, selection, books, [&](std::uint32_t instrument, const RecordedEvent& event) {
    Seen& before = seen[instrument];
    rows.look(books.of(instrument), levels);
    if (before.levels.empty()) before.levels.assign(levels.size(), DepthLevel{k_unknown, 0});
    if (levels == before.levels) return;
    std::swap(before.levels, levels);
    if (++before.changes % settings.changes == 0) rows.add(event.replay_time(), instrument, before.levels);
  });
  return rows.table();
}

Table trades_of(const Day& day, const Selection& selection) {
  std::vector<std::int64_t> times, event_times;
  std::vector<std::uint32_t> instruments;
  std::vector<std::uint8_t> sides;
  std::vector<std::uint64_t> matches;
  Figures price(selection.is_exact), quantity(selection.is_exact);
  DepthBooks books;
  for (const RecordedEvent& event : day.events) {
    books.apply(event, day.instruments);
    const bool is_execution = event.kind == EventKind::execute && !event.has(recorded::k_not_printable);
    if (!is_execution && event.kind != EventKind::trade && event.kind != EventKind::hidden_trade) continue;
    if (selection.instrument && *selection.instrument != event.instrument) continue;
    const RecordedInstrument& of = day.instruments[event.instrument];
    const DepthLevel last = books.of(event.instrument).last_trade;
    const Side side = is_execution && event.side != Side::none ? market::opposite(event.side) : event.side;
    times.push_back(nanoseconds(event.replay_time()));
    event_times.push_back(nanoseconds(event.event_time));
    instruments.push_back(event.instrument);
    sides.push_back(static_cast<std::uint8_t>(side));
    const bool is_known = event.price != k_unknown || last.quantity == 0;
    price.add(is_known ? event.price : last.price, of.price_decimals);
    quantity.add(event.quantity, of.quantity_decimals);
    matches.push_back(event.other);
  }
  Table table;
  table.add(times_of("time", std::move(times)));
  table.add(times_of("event_time", std::move(event_times)));
  table.add(column_of("instrument", std::move(instruments)));
  table.add(column_of("side", std::move(sides)));
  table.add(price.column("price"));
  table.add(quantity.column("quantity"));
  table.add(column_of("match", std::move(matches)));
  return table;
}

Table labels_of(const Day& day, const Selection& selection, Duration horizon, std::uint64_t rows) {
  constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int64_t> times;
  std::vector<std::uint32_t> instruments;
  std::vector<double> middles;
  std::vector<std::vector<std::size_t>> rows_of(day.instruments.size());
  each_touch(day, selection,
             [&](std::uint32_t instrument, const RecordedEvent& event, const DepthLevel& bid, const DepthLevel& ask) {
               const unsigned decimals = day.instruments[instrument].price_decimals;
               rows_of[instrument].push_back(times.size());
               times.push_back(nanoseconds(event.replay_time()));
               instruments.push_back(instrument);
               middles.push_back((scaled_down(bid.price, decimals) + scaled_down(ask.price, decimals)) / 2);
             });
  std::int64_t last = k_missing;
  for (const RecordedEvent& event : day.events) last = std::max(last, nanoseconds(event.replay_time()));
  std::vector<double> later(times.size(), k_nan), change(times.size(), k_nan);
  for (const std::vector<std::size_t>& own : rows_of) {
    std::size_t ahead = 0;  // the row in force `horizon` later
    for (std::size_t at = 0; at < own.size(); ++at) {
      const std::size_t row = own[at];
      if (rows != 0) {
        if (rows >= own.size() - at) break;
        ahead = at + rows;
      } else {
        std::int64_t target = 0;
        if (times[row] == k_missing || __builtin_add_overflow(times[row], horizon.count(), &target) || target > last)
          continue;
        ahead = std::max(ahead, at);
        while (ahead + 1 < own.size() && times[own[ahead + 1]] <= target) ++ahead;
      }
      later[row] = middles[own[ahead]];
      change[row] = later[row] - middles[row];
    }
  }
  Table table;
  table.add(times_of("time", std::move(times)));
  table.add(column_of("instrument", std::move(instruments)));
  table.add(column_of("middle", std::move(middles)));
  table.add(column_of("later", std::move(later)));
  table.add(column_of("change", std::move(change)));
  return table;
}

}  // namespace dojima::python
