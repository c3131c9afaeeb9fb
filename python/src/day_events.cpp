// A day's events as a table, and a table's as a day.

#include "day.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "dojima/market/price.hpp"

namespace dojima::python {

using market::Side;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::k_unknown_time;

namespace {

[[nodiscard]] std::int64_t nanoseconds(Time at) noexcept {
  return at.time_since_epoch().count();
}

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
