#include "day.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "dojima/market/price.hpp"
#include "dojima/recorded/books/depth_book.hpp"

namespace dojima::python {

using market::Side;
using recorded::DepthBooks;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::k_unknown_time;

static_assert(k_unknown == k_missing, "what a feed has not told is what a table misses");

// ---- Days ----------------------------------------------------------------------------------------------------------

namespace {

class DayReader final : public recorded::RecordedReader {
 public:
  explicit DayReader(const Day& day) : day_(day) { instruments_ = day.instruments; }
  std::string_view format() const noexcept override { return day_.format; }
  std::uint64_t bytes_read() const noexcept override { return at_ * sizeof(RecordedEvent); }
  std::vector<recorded::TypeCount> type_counts() const override { return {{"event", at_}}; }

 protected:
  void decode(recorded::EventBatch& batch) override {
    const auto room = batch.room();
    const std::size_t count = std::min(room.size(), day_.events.size() - at_);
    std::copy_n(day_.events.begin() + static_cast<std::ptrdiff_t>(at_), count, room.begin());
    batch.commit(count);
    at_ += count;
  }

 private:
  const Day& day_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<recorded::RecordedReader> reader_of(const Day& day) {
  return std::make_unique<DayReader>(day);
}

const backtest::DaySurvey& Day::survey() const {
  const std::lock_guard lock(mutex_);
  if (!survey_) {
    const backtest::BacktestSettings settings{.file = file};
    backtest::BacktestHooks hooks;
    hooks.open = [this] { return reader_of(*this); };
    survey_ = std::make_unique<backtest::DaySurvey>(backtest::survey_day(settings, hooks).value());
  }
  return *survey_;
}

std::expected<std::shared_ptr<Day>, std::string> read_day(const ReadSettings& settings,
                                                          const std::function<bool()>& is_interrupted) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  auto day = std::make_shared<Day>();
  day->file = settings.file;
  day->recorded = settings.recorded;
  day->is_whole_file = settings.symbols.empty() && !settings.from && !settings.until;
  recorded::RecordedReader& reader = file->reader();
  std::uint64_t batches = 0;
  constexpr std::uint64_t k_batches_between = 64;
  for (auto events = reader.next_batch(); !events.empty(); events = reader.next_batch()) {
    if (++batches % k_batches_between == 0 && is_interrupted && is_interrupted()) break;
    if (day->is_whole_file) {
      day->events.insert(day->events.end(), events.begin(), events.end());
      continue;
    }
    for (const RecordedEvent& event : events) {
      const Time at = event.replay_time();
      const bool is_wanted = (!settings.from || at >= *settings.from) && (!settings.until || at < *settings.until) &&
                             (settings.symbols.empty() ||
                              std::ranges::find(settings.symbols, reader.instruments()[event.instrument].symbol) !=
                                  settings.symbols.end());
      if (is_wanted) day->events.push_back(event);
    }
  }
  day->instruments = reader.instruments();
  day->format = std::string(reader.format());
  day->trouble = file->trouble();
  return day;
}

// ---- Tables --------------------------------------------------------------------------------------------------------

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
  void add(Time time, std::uint32_t instrument, const std::vector<DepthLevel>& levels) {
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

// ---- Events, both ways ---------------------------------------------------------------------------------------------

namespace {

template <class Value, class Get>
Column field_of(const Day& day, std::string name, Get get) {
  std::vector<Value> values(day.events.size());
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = get(day.events[at]);
  return column_of(std::move(name), std::move(values));
}

/// A column of whole numbers or times, row by row, within borders.
class WholeColumn {
 public:
  explicit WholeColumn(const Column* column) : column_(column) {}
  [[nodiscard]] bool is_there() const noexcept { return column_ != nullptr; }
  /// None: no whole number, or beyond int64.
  [[nodiscard]] std::optional<std::int64_t> at(std::size_t row) const noexcept {
    switch (column_->type) {
      case ColumnType::uint64: {
        const std::uint64_t value = column_->values<std::uint64_t>()[row];
        return value <= std::uint64_t{INT64_MAX} ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
      }
      case ColumnType::uint32:
        return column_->values<std::uint32_t>()[row];
      case ColumnType::uint8:
        return column_->values<std::uint8_t>()[row];
      case ColumnType::int64:
      case ColumnType::time:
        return column_->values<std::int64_t>()[row];
      case ColumnType::float64:
        break;
    }
    const double value = column_->values<double>()[row];
    if (std::isnan(value)) return k_missing;
    if (value != std::trunc(value) || std::abs(value) >= 9.2e18) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  /// As bits, for numbers of all 64.
  [[nodiscard]] std::optional<std::uint64_t> bits_at(std::size_t row) const noexcept {
    if (column_->type == ColumnType::uint64) return column_->values<std::uint64_t>()[row];
    const auto value = at(row);
    return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  }

 private:
  const Column* column_;
};

constexpr std::array<std::string_view, 12> k_event_columns = {"event_time", "receive_time", "instrument", "kind",
                                                              "side",       "price",        "quantity",   "order",
                                                              "other",      "code",         "flags",      "sequence"};
/// Prices, quantities and times lie within this, so that differences of two of them are numbers too.
constexpr std::int64_t k_most = std::int64_t{1} << 62;

/// What is wrong with it; empty: nothing.
std::string verdict_on(const RecordedEvent& event) {
  const auto is_near = [](std::int64_t value) { return value == k_unknown || (value >= -k_most && value <= k_most); };
  const auto is_time = [](Time at) {
    return at == k_unknown_time || (nanoseconds(at) >= 0 && nanoseconds(at) <= k_most);
  };
  if (!is_time(event.event_time) || !is_time(event.receive_time)) return "a time is not from 1970 to 2116, nor missing";
  if (!is_near(event.price)) return "the price is beyond 2^62 units";
  if (event.quantity != k_unknown && (event.quantity < 0 || event.quantity > k_most))
    return "the quantity is not from 0 to 2^62 units, nor missing";
  return {};
}

std::string verdict_on(const std::vector<RecordedInstrument>& instruments) {
  for (std::size_t at = 0; at < instruments.size(); ++at) {
    const RecordedInstrument& one = instruments[at];
    if (one.price_decimals > market::k_scaled_decimals_max || one.quantity_decimals > market::k_scaled_decimals_max)
      return fmt::format("instrument {} has more than {} decimals", at, market::k_scaled_decimals_max);
    if (one.tick < 0 || one.tick > k_most) return fmt::format("instrument {}: the tick is not from 0 to 2^62", at);
  }
  return instruments.empty() ? "no instrument is named" : "";
}

}  // namespace

Table events_of(const Day& day) {
  Table table;
  const auto time = [&](std::string name, auto get) {
    Column column = field_of<std::int64_t>(day, std::move(name), get);
    column.type = ColumnType::time;
    table.add(std::move(column));
  };
  time("event_time", [](const RecordedEvent& event) { return nanoseconds(event.event_time); });
  time("receive_time", [](const RecordedEvent& event) { return nanoseconds(event.receive_time); });
  table.add(field_of<std::uint32_t>(day, "instrument", [](const RecordedEvent& event) { return event.instrument; }));
  table.add(field_of<std::uint8_t>(day, "kind",
                                   [](const RecordedEvent& event) { return static_cast<std::uint8_t>(event.kind); }));
  table.add(field_of<std::uint8_t>(day, "side",
                                   [](const RecordedEvent& event) { return static_cast<std::uint8_t>(event.side); }));
  table.add(field_of<std::int64_t>(day, "price", [](const RecordedEvent& event) { return event.price; }));
  table.add(field_of<std::int64_t>(day, "quantity", [](const RecordedEvent& event) { return event.quantity; }));
  table.add(field_of<std::uint64_t>(day, "order", [](const RecordedEvent& event) { return event.order; }));
  table.add(field_of<std::uint64_t>(day, "other", [](const RecordedEvent& event) { return event.other; }));
  table.add(field_of<std::uint8_t>(day, "code", [](const RecordedEvent& event) { return event.code; }));
  table.add(field_of<std::uint8_t>(day, "flags", [](const RecordedEvent& event) { return event.flags; }));
  table.add(field_of<std::uint64_t>(day, "sequence", [](const RecordedEvent& event) { return event.sequence; }));
  return table;
}

std::expected<std::shared_ptr<Day>, std::string> day_of(std::vector<RecordedEvent> events,
                                                        std::vector<RecordedInstrument> instruments) {
  if (const std::string trouble = verdict_on(instruments); !trouble.empty()) return std::unexpected(trouble);
  if (const std::size_t row = recorded::misplaced_event(events, instruments); row != events.size())
    return std::unexpected(fmt::format("row {}: kind {}, side {} or instrument {} is none that there is", row,
                                       static_cast<unsigned>(events[row].kind), static_cast<unsigned>(events[row].side),
                                       events[row].instrument));
  for (std::size_t row = 0; row < events.size(); ++row)
    if (const std::string trouble = verdict_on(events[row]); !trouble.empty())
      return std::unexpected(fmt::format("row {}: {}", row, trouble));
  auto day = std::make_shared<Day>();
  day->file = "events";
  day->format = "events";
  day->events = std::move(events);
  day->instruments = std::move(instruments);
  return day;
}

std::expected<std::shared_ptr<Day>, std::string> day_of(const Table& table,
                                                        std::vector<RecordedInstrument> instruments) {
  for (const Column& column : table.columns()) {
    if (std::ranges::find(k_event_columns, column.name) == k_event_columns.end()) {
      std::string all;
      for (const std::string_view name : k_event_columns) all += (all.empty() ? "" : ", ") + std::string(name);
      return std::unexpected(fmt::format("events have no column \"{}\"; they have {}", column.name, all));
    }
    if (column.width != 1) return std::unexpected(fmt::format("column {} has more than one value a row", column.name));
  }
  const auto of = [&](std::string_view name) { return WholeColumn(table.find(name)); };
  const WholeColumn event_time = of("event_time"), receive_time = of("receive_time"), instrument = of("instrument"),
                    kind = of("kind"), side = of("side"), price = of("price"), quantity = of("quantity"),
                    order = of("order"), other = of("other"), code = of("code"), flags = of("flags"),
                    sequence = of("sequence");
  if (!kind.is_there()) return std::unexpected("events need a column \"kind\"");
  if (!event_time.is_there() && !receive_time.is_there())
    return std::unexpected("events need a column \"event_time\" or \"receive_time\"");
  std::vector<RecordedEvent> events(table.rows());
  std::string trouble;
  for (std::size_t row = 0; row < events.size() && trouble.empty(); ++row) {
    RecordedEvent& event = events[row];
    const auto complain = [&](std::string_view name) {
      trouble = fmt::format("row {}: column {} is not a whole number that fits", row, name);
    };
    const auto whole = [&](const WholeColumn& column, std::string_view name, std::int64_t& value) {
      if (!column.is_there()) return;
      const auto found = column.at(row);
      found ? void(value = *found) : complain(name);
    };
    const auto bits = [&](const WholeColumn& column, std::string_view name, std::uint64_t most, auto& value) {
      if (!column.is_there()) return;
      const auto found = column.bits_at(row);
      using Value = std::remove_reference_t<decltype(value)>;
      found && *found <= most ? void(value = static_cast<Value>(*found)) : complain(name);
    };
    std::int64_t happened = k_missing, received = k_missing;
    whole(event_time, "event_time", happened);
    whole(receive_time, "receive_time", received);
    event.event_time = time::from_nanoseconds(happened);
    event.receive_time = time::from_nanoseconds(received);
    whole(price, "price", event.price);
    whole(quantity, "quantity", event.quantity);
    bits(instrument, "instrument", UINT32_MAX, event.instrument);
    bits(order, "order", UINT64_MAX, event.order);
    bits(other, "other", UINT64_MAX, event.other);
    bits(sequence, "sequence", UINT64_MAX, event.sequence);
    bits(flags, "flags", UINT8_MAX, event.flags);
    bits(code, "code", UINT8_MAX, event.code);
    std::uint8_t kind_of = 0, side_of = 0;
    bits(kind, "kind", UINT8_MAX, kind_of);
    bits(side, "side", UINT8_MAX, side_of);
    event.kind = static_cast<EventKind>(kind_of);
    event.side = static_cast<Side>(side_of);
  }
  if (!trouble.empty()) return std::unexpected(trouble);
  return day_of(std::move(events), std::move(instruments));
}

}  // namespace dojima::python
