#include "dojima/recorded/formats/event_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "dojima/market/price.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::recorded {
namespace {

using market::Side;
using Column = CsvReader::Column;

constexpr std::array<std::string_view, 13> k_columns = {
    "kind",     "event_time", "receive_time", "symbol",   "instrument", "side", "price",
    "quantity", "order",      "other",        "sequence", "flags",      "code"};
constexpr std::string_view k_instrument = "instrument";
constexpr std::uint8_t k_default_decimals = 8;
constexpr std::size_t k_flush_at = std::size_t{1} << 18;

std::string_view name_of(Side side) noexcept {
  return side == Side::buy ? "buy" : side == Side::sell ? "sell" : "";
}

std::optional<EventKind> kind_of(std::string_view name) noexcept {
  for (std::uint8_t kind = 0; kind < k_event_kinds; ++kind)
    if (name_of(static_cast<EventKind>(kind)) == name) return static_cast<EventKind>(kind);
  return std::nullopt;
}

Column column_of(std::string_view name) noexcept {
  const auto found = std::ranges::find(k_columns, name);
  return static_cast<Column>(found - k_columns.begin());  // Column::none: not found
}

void put_number(std::string& text, std::uint64_t value) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void put_unless_zero(std::string& text, std::uint64_t value) {
  if (value != 0) put_number(text, value);
  text += ',';
}

void put_time(std::string& text, Time time) {
  char digits[20];
  if (time != k_unknown_time)
    text.append(digits, std::to_chars(digits, digits + sizeof digits, time::nanoseconds_of(time)).ptr);
  text += ',';
}

void put_decimal(std::string& text, std::int64_t value, unsigned decimals) {
  char digits[market::k_scaled_text_max];
  if (value != k_unknown) text += market::format_scaled(value, decimals, digits);
  text += ',';
}

std::string quoted(const std::string& symbol) {
  if (symbol.find_first_of(",\"") == std::string::npos) return symbol;
  std::string text = "\"";
  for (const char character : symbol) text.append(character == '"' ? 2 : 1, character);
  return text + '"';
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------- writing

Written CsvWriter::flush() {
  const auto written = sink_.write(as_bytes(text_));
  text_.clear();
  return written;
}

Written CsvWriter::name(std::size_t index, const RecordedInstrument& instrument) {
  if (instrument.symbol.find_first_of("\r\n") != std::string::npos)
    return std::unexpected(std::string("a symbol with a line break has no place in CSV"));
  if (std::max(instrument.price_decimals, instrument.quantity_decimals) > market::k_scaled_decimals_max)
    return std::unexpected(instrument.symbol + ": more than 18 decimals have no place in CSV");
  symbols_.push_back(quoted(instrument.symbol));
  text_ += "instrument,,," + symbols_.back() + ',';
  put_number(text_, index);
  text_ += ",,";
  put_decimal(text_, instrument.tick, instrument.price_decimals);
  text_ += ',';
  put_unless_zero(text_, instrument.number);
  text_ += ",,";
  put_number(text_, instrument.price_decimals);
  text_ += ',';
  put_number(text_, instrument.quantity_decimals);
  text_ += '\n';
  return {};
}

Written CsvWriter::write(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  if (!is_begun_) {
    for (const std::string_view column : k_columns) text_.append(column).append(",");
    text_.back() = '\n';
    is_begun_ = true;
  }
  while (symbols_.size() < instruments.size())
    if (auto written = name(symbols_.size(), instruments[symbols_.size()]); !written) return written;
  for (const RecordedEvent& event : events) {
    const RecordedInstrument& instrument = instruments[event.instrument];
    text_.append(name_of(event.kind)).append(",");
    put_time(text_, event.event_time);
    put_time(text_, event.receive_time);
    text_.append(symbols_[event.instrument]).append(",");
    put_number(text_, event.instrument);
    text_.append(",").append(name_of(event.side)).append(",");
    put_decimal(text_, event.price, instrument.price_decimals);
    put_decimal(text_, event.quantity, instrument.quantity_decimals);
    put_unless_zero(text_, event.order);
    put_unless_zero(text_, event.other);
    put_unless_zero(text_, event.sequence);
    put_unless_zero(text_, event.flags);
    if (event.code != 0) put_number(text_, event.code);
    text_ += '\n';
    if (text_.size() >= k_flush_at)
      if (auto written = flush(); !written) return written;
  }
  return {};
}

Written CsvWriter::finish() {
  if (!is_begun_)
    if (auto written = write({}, {}); !written) return written;
  return flush();
}

// ----------------------------------------------------------------------------------------------------------- reading

bool is_event_csv(std::string_view start) noexcept {
  std::string_view line = start.substr(0, start.find_first_of("\r\n"));
  bool has_kind = false, has_time = false;
  while (!line.empty()) {
    const std::string_view name = line.substr(0, line.find(','));
    if (column_of(name) == Column::none) return false;
    has_kind |= name == "kind";
    has_time |= name.ends_with("_time");
    line.remove_prefix(std::min(name.size() + 1, line.size()));
  }
  return has_kind && has_time;
}

bool CsvReader::fail_field(Column column, const char* expected) {
  fail({.text = std::string(k_columns[static_cast<std::size_t>(column)]) + ": got \"" +
                std::string(field(column).substr(0, 40)) + "\", expected " + expected,
        .byte = window_.line_position(),
        .line = window_.line()});
  return false;
}

std::string_view CsvReader::field(Column column) const noexcept {
  return fields_[static_cast<std::size_t>(column)];
}

void CsvReader::read_columns() {
  is_begun_ = true;
  const auto line = window_.next_line();
  // A line may hold a carriage return; what is behind it is no column, and is_event_csv() does not look at it.
  if (!line || !is_event_csv(*line) || line->contains('\r')) {
    return fail({.text = !window_.trouble().empty() ? window_.trouble()
                                                    : "no CSV of events: the first line names the columns, kind among "
                                                      "them, and event_time or receive_time",
                 .line = 1});
  }
  std::string_view rest = *line;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    columns_.push_back(column_of(name));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  fields_.resize(k_columns.size());
}

/// Into fields_. A quoted field loses its quotes; only symbols may be quoted.
bool CsvReader::split(std::string_view line) {
  std::ranges::fill(fields_, std::string_view());
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    std::string_view& field = fields_[static_cast<std::size_t>(columns_[at])];
    if (line.starts_with('"')) {
      symbol_.clear();
      std::size_t end = 1;
      for (; end < line.size(); ++end) {
        if (line[end] == '"' && (end + 1 == line.size() || line[++end] != '"')) break;
        symbol_ += line[end];
      }
      field = symbol_;
      line.remove_prefix(std::min(end, line.size()));
    } else {
      field = line.substr(0, line.find(','));
      line.remove_prefix(field.size());
    }
    const bool is_last = at + 1 == columns_.size();
    if (is_last ? !line.empty() : !line.starts_with(',')) {
      fail({.text = "expected " + std::to_string(columns_.size()) + " fields, as in the first line",
            .byte = window_.line_position(),
            .line = window_.line()});
      return false;
    }
    if (!is_last) line.remove_prefix(1);
  }
  return true;
}

template <class Value>
bool CsvReader::read_number(Column column, Value& value) {
  const std::string_view text = field(column);
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  return fail_field(column, "a whole number in its range");
}

bool CsvReader::read_decimal(Column column, unsigned decimals, std::int64_t& value) {
  if (field(column).empty()) return true;
  const auto read = market::parse_scaled(field(column), decimals, "");
  if (!read) return fail_field(column, "a decimal number, no finer than its instrument has decimals");
  value = *read;
  return true;
}

bool CsvReader::read_time(Column column, Time& value) {
  const std::string_view text = field(column);
  if (text.empty()) return true;
  if (text.find('-', 1) != std::string_view::npos) {
    const auto time = time::parse_timestamp(text);
    if (time) value = *time;
    return time.has_value() || fail_field(column, "nanoseconds since 1970, or YYYYMMDD-HH:MM:SS with decimals");
  }
  std::int64_t nanoseconds = 0;
  if (!read_number(column, nanoseconds)) return false;
  value = time::from_nanoseconds(nanoseconds);
  return true;
}

bool CsvReader::read_instrument() {
  RecordedInstrument instrument{.symbol = std::string(field(Column::symbol))};
  std::uint64_t index = instruments_.size();
  instrument.quantity_decimals = k_default_decimals;
  if (!read_number(Column::instrument, index) || !read_number(Column::order, instrument.number) ||
      !read_number(Column::flags, instrument.price_decimals) ||
      !read_number(Column::code, instrument.quantity_decimals))
    return false;
  if (instrument.price_decimals > market::k_scaled_decimals_max) return fail_field(Column::flags, "at most 18");
  if (instrument.quantity_decimals > market::k_scaled_decimals_max) return fail_field(Column::code, "at most 18");
  if (!read_decimal(Column::price, instrument.price_decimals, instrument.tick)) return false;
  if (index != instruments_.size()) return fail_field(Column::instrument, "the number of instruments so far");
  by_symbol_.try_emplace(instrument.symbol, static_cast<std::uint32_t>(index));
  instruments_.push_back(std::move(instrument));
  return true;
}

/// By number; without one by symbol, which names a new instrument when it is not known.
bool CsvReader::find_instrument(std::uint32_t& index) {
  if (!field(Column::instrument).empty()) {
    if (!read_number(Column::instrument, index)) return false;
    return index < instruments_.size() || fail_field(Column::instrument, "one that a row has described");
  }
  const std::string_view symbol = field(Column::symbol);
  const auto found = by_symbol_.find(symbol);
  if (found != by_symbol_.end()) {
    index = found->second;
    return true;
  }
  index = static_cast<std::uint32_t>(instruments_.size());
  by_symbol_.emplace(symbol, index);
  instruments_.push_back(
      {.symbol = std::string(symbol), .price_decimals = k_default_decimals, .quantity_decimals = k_default_decimals});
  return true;
}

bool CsvReader::read_event(RecordedEvent& event) {
  const auto kind = kind_of(field(Column::kind));
  if (!kind) return fail_field(Column::kind, "a kind of event, or instrument");
  event.kind = *kind;
  const std::string_view side = field(Column::side);
  event.side = side == "buy" ? Side::buy : side == "sell" ? Side::sell : Side::none;
  if (event.side == Side::none && !side.empty()) return fail_field(Column::side, "buy, sell or nothing");
  if (!find_instrument(event.instrument)) return false;
  const RecordedInstrument& instrument = instruments_[event.instrument];
  return read_time(Column::event_time, event.event_time) && read_time(Column::receive_time, event.receive_time) &&
         read_decimal(Column::price, instrument.price_decimals, event.price) &&
         read_decimal(Column::quantity, instrument.quantity_decimals, event.quantity) &&
         read_number(Column::order, event.order) && read_number(Column::other, event.other) &&
         read_number(Column::sequence, event.sequence) && read_number(Column::flags, event.flags) &&
         read_number(Column::code, event.code);
}

void CsvReader::decode(EventBatch& batch) {
  if (!is_begun_) read_columns();
  while (!has_failed() && !batch.is_full()) {
    const auto line = window_.next_line();
    if (!line) {
      if (window_.is_too_long()) fail({.text = "a line of more than 1 MiB", .byte = window_.position()});
      if (!window_.trouble().empty()) fail({.text = window_.trouble(), .byte = window_.position()});
      return;
    }
    if (line->empty()) continue;
    if (!split(*line)) return;
    if (field(Column::kind) == k_instrument) {
      if (!read_instrument()) return;
      continue;
    }
    RecordedEvent& event = batch.add();
    if (!read_event(event)) return batch.resize_down(batch.size() - 1);
    ++events_;
  }
}

std::vector<TypeCount> CsvReader::type_counts() const {
  return {{"instrument", instruments_.size()}, {"event", events_}};
}

}  // namespace dojima::recorded
