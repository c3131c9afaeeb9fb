#include "dojima/venue/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/market/price.hpp"

namespace dojima::venue {
namespace {

using market::Price;
using market::Quantity;

// ---- What there is, once for writing and reading -------------------------------------------------------------------

/// What a value that is read may be, both included.
template <class Value>
struct Between {
  Value least, most;
};

template <class Fields>
void each_of(Fields& fields, Timetable& table) {
  fields.value("start_of_day", table.start_of_day);
  fields.value("opening_call", table.opening_call);
  fields.value("opening", table.opening);
  fields.value("intraday_call", table.intraday_call);
  fields.value("intraday", table.intraday);
  fields.value("closing_call", table.closing_call);
  fields.value("closing", table.closing);
  fields.value("cross_end", table.cross_end);
  fields.value("end_of_day", table.end_of_day);
  fields.value("random_end", table.random_end);
  fields.value("extension", table.extension);
  fields.value("extensions", table.extensions);
  fields.value("halt", table.halt);
  fields.value("reopening_call", table.reopening_call);
}

/// An instrument with what its tick table is made from.
template <class Fields>
void each_of(Fields& fields, std::uint32_t& id, std::string& symbol, std::string& segment, Price& reference,
             Quantity& maximum_quantity, Price& highest, std::vector<market::TickBand>& bands) {
  fields.value("id", id);
  fields.value("symbol", symbol);
  fields.value("segment", segment);
  fields.value("reference", reference);
  fields.value("maximum_quantity", maximum_quantity);
  fields.value("highest", highest);
  fields.list("ticks", bands, [](Fields& of, market::TickBand& band) {
    of.value("from", band.from);
    of.value("tick", band.tick);
  });
}

template <class Fields>
void each_of(Fields& fields, PartitionSettings& settings) {
  PartitionConfig& config = settings.config;
  fields.value("build", settings.build);
  fields.value("partition", config.app_id);
  fields.value("last_market", config.last_market);
  fields.value("day_seed", settings.day_seed);
  fields.value("utc_offset_minutes", settings.utc_offset_minutes);
  fields.value("checkpoint_every", config.checkpoint_every);
  fields.value("limits.orders", config.limits.orders, Between{std::size_t{1}, k_most_orders});
  fields.value("limits.levels", config.limits.levels, Between{std::size_t{1}, k_most_levels});
  fields.value("limits.reports", config.limits.reports, Between{std::size_t{0}, k_most_reports});
  fields.value("limits.report_buffer", config.limits.report_buffer, Between{std::size_t{1}, k_most_buffered});
  fields.optional("limits.trades", config.limits.trades, Between{std::size_t{0}, k_most_trades});
  fields.optional("full_reports", config.full_reports, Between{false, true});
  fields.optional("slice", config.slice, Between{std::uint32_t{0}, k_most_slice});
  fields.value("rules.policy", config.rules.policy, Between{book::Policy::fifo, book::Policy::size_time});
  fields.value("rules.self_trade", config.rules.self_trade,
               Between{book::SelfTrade::allowed, book::SelfTrade::decrement});
  fields.value("rules.scope", config.rules.scope, Between{book::SelfTradeScope::owner, book::SelfTradeScope::group});
  fields.value("rules.most_peaks", config.rules.most_peaks);
  fields.value("rules.seed", config.rules.seed);
  fields.list("rules.accounts", config.rules.accounts,
              [](Fields& of, std::uint16_t& account) { of.value("number", account); });
  fields.list("segments", config.segments, [](Fields& of, Segment& segment) {
    of.value("name", segment.name);
    of.value("halts_together", segment.halts_together);
    of.value("static_bp", segment.bands.static_bp);
    of.value("dynamic_bp", segment.bands.dynamic_bp);
    each_of(of, segment.timetable);
  });
  fields.instruments(config.instruments);
  fields.list("users", config.users, [&settings](Fields& of, UserSetUp& user) {
    const auto at = static_cast<std::size_t>(&user - settings.config.users.data());
    if (settings.user_names.size() <= at) settings.user_names.resize(at + 1);
    of.value("name", settings.user_names[at]);
    of.value("open_orders", user.limits.open_orders);
    of.value("order_quantity", user.limits.order_quantity);
    of.value("cancel_on_disconnect", user.cancel_on_disconnect);
    of.value("cancel_on_logout", user.cancel_on_logout);
  });
}

/// The path of what is being written or read.
class Path {
 public:
  [[nodiscard]] std::string key(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  template <class Visit>
  void inside(std::string_view name, std::size_t at, Visit&& visit) {
    const std::size_t size = path_.size();
    path_ = key(name) + "." + std::to_string(at);
    visit();
    path_.resize(size);
  }

 private:
  std::string path_;
};

// ---- Values as text ------------------------------------------------------------------------------------------------

std::string text_of_value(const std::string& text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '\\')
      escaped += "\\\\";
    else if (character == '\n')
      escaped += "\\n";
    else
      escaped += character;
  }
  return escaped;
}
std::string text_of_value(bool is_so) {
  return is_so ? "true" : "false";
}
std::string text_of_value(Price price) {
  char text[market::k_price_text_max];
  return std::string(market::format_price(price, text));
}
std::string text_of_value(Quantity quantity) {
  return std::to_string(quantity.lots);
}
/// Hours, minutes, seconds and, where there are any, nanoseconds: "09:00:00.000000250".
std::string text_of_value(Duration duration) {
  const std::int64_t total = duration.count();
  const std::int64_t seconds = total / 1'000'000'000, rest = total % 1'000'000'000;
  char text[64];
  std::snprintf(text, sizeof text, rest == 0 ? "%02lld:%02lld:%02lld" : "%02lld:%02lld:%02lld.%09lld",
                static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60), static_cast<long long>(rest));
  return text;
}
template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
std::string text_of_value(Number number) {
  if constexpr (std::is_enum_v<Number>)
    return std::to_string(static_cast<std::underlying_type_t<Number>>(number));
  else
    return std::to_string(number);
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_value(std::string_view text, std::string& value) {
  value.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    ++at;
    if (at == text.size() || (text[at] != '\\' && text[at] != 'n')) return false;
    value += text[at] == 'n' ? '\n' : '\\';
  }
  return true;
}
bool parse_value(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool parse_value(std::string_view text, Price& value) {
  const Result<Price> price = market::parse_price(text);
  if (price) value = *price;
  return price.has_value();
}
bool parse_value(std::string_view text, Quantity& value) {
  return parse_number(text, value.lots);
}
bool parse_value(std::string_view text, Duration& value) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1), dot = text.find('.');
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  std::int64_t hours = 0, minutes = 0, seconds = 0, rest = 0;
  if (!parse_number(text.substr(0, first), hours) ||
      !parse_number(text.substr(first + 1, second - first - 1), minutes) ||
      !parse_number(text.substr(second + 1, dot == std::string_view::npos ? dot : dot - second - 1), seconds))
    return false;
  constexpr std::size_t k_decimals = 9;
  if (dot != std::string_view::npos &&
      (text.size() - dot - 1 != k_decimals || !parse_number(text.substr(dot + 1), rest)))
    return false;
  constexpr std::int64_t k_most_hours = 1'000'000;  // in nanoseconds they fit
  if (hours < 0 || hours > k_most_hours || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59 || rest < 0)
    return false;
  value = Duration{((hours * 60 + minutes) * 60 + seconds) * 1'000'000'000 + rest};
  return true;
}
template <class Number>
  requires std::is_integral_v<Number>
bool parse_value(std::string_view text, Number& value) {
  return parse_number(text, value);
}
template <class Enum>
  requires std::is_enum_v<Enum>
bool parse_value(std::string_view text, Enum& value) {
  std::underlying_type_t<Enum> number{};
  if (!parse_number(text, number)) return false;
  value = static_cast<Enum>(number);
  return true;
}

// ---- Writing -------------------------------------------------------------------------------------------------------

class Writer {
 public:
  template <class Value>
  void value(std::string_view name, const Value& value) {
    text_ += path_.key(name) + " = " + text_of_value(value) + '\n';
  }
  template <class Value>
  void value(std::string_view name, const Value& value, Between<Value>) {
    this->value(name, value);
  }
  /// Only what is not 0: journals were written before there was the key.
  template <class Value>
  void optional(std::string_view name, const Value& value, Between<Value>) {
    if (value != Value{}) this->value(name, value);
  }
  template <class Element, class Visit>
  void list(std::string_view name, std::vector<Element>& elements, Visit&& visit) {
    value(name, elements.size());
    for (std::size_t at = 0; at < elements.size(); ++at) path_.inside(name, at, [&] { visit(*this, elements[at]); });
  }
  void instruments(std::vector<market::Instrument>& instruments) {
    list("instruments", instruments, [](Writer& of, market::Instrument& instrument) {
      std::vector<market::TickBand> bands = instrument.ticks.bands();
      Price highest = instrument.ticks.highest();
      each_of(of, instrument.id, instrument.symbol, instrument.segment, instrument.reference,
              instrument.maximum_quantity, highest, bands);
    });
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  Path path_;
  std::string text_;
};

// ---- Reading -------------------------------------------------------------------------------------------------------

struct Line {
  std::string key, value;
};

/// Null: a line is not `key = value`; `at` is its number.
bool split(std::string_view text, std::vector<Line>& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return false;
    lines.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 3))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// Takes the lines in the order in which they were written.
class Reader {
 public:
  explicit Reader(const std::vector<Line>& lines) : lines_(lines) {}

  template <class Value>
  void value(std::string_view name, Value& value) {
    if (error_) return;
    if (at_ == lines_.size()) return fail(ErrorCode::missing, "one more line");
    if (lines_[at_].key != path_.key(name)) return fail(ErrorCode::unknown, "the key that belongs here");
    if (!parse_value(lines_[at_].value, value)) return fail(ErrorCode::malformed, "a value of the key's kind");
    ++at_;
  }
  template <class Value>
  void value(std::string_view name, Value& value, Between<Value> range) {
    this->value(name, value);
    if (error_ || (value >= range.least && value <= range.most)) return;
    --at_;
    fail(ErrorCode::out_of_range, "a value that the key can have");
  }
  template <class Value>
  void optional(std::string_view name, Value& value, Between<Value> range) {
    if (!error_ && at_ < lines_.size() && lines_[at_].key == path_.key(name)) this->value(name, value, range);
  }
  template <class Element, class Visit>
  void list(std::string_view name, std::vector<Element>& elements, Visit&& visit) {
    const std::size_t count = size_of_list(name);
    elements.assign(count, Element{});
    for (std::size_t at = 0; at < count && !error_; ++at) path_.inside(name, at, [&] { visit(*this, elements[at]); });
  }
  void instruments(std::vector<market::Instrument>& instruments) {
    const std::size_t count = size_of_list("instruments");
    for (std::size_t at = 0; at < count && !error_; ++at) path_.inside("instruments", at, [&] { read(instruments); });
  }

  [[nodiscard]] std::optional<Error> finish() {
    if (!error_ && at_ != lines_.size()) fail(ErrorCode::unknown, "no more lines");
    return error_;
  }

 private:
  std::size_t size_of_list(std::string_view name) {
    std::size_t count = 0;
    value(name, count);
    // Every element has a line at least.
    if (!error_ && count > lines_.size() - at_) fail(ErrorCode::out_of_range, "as many elements as lines follow");
    return error_ ? 0 : count;
  }

  void read(std::vector<market::Instrument>& instruments) {
    std::uint32_t id = 0;
    std::string symbol, segment;
    Price reference, highest;
    Quantity maximum_quantity;
    std::vector<market::TickBand> bands;
    each_of(*this, id, symbol, segment, reference, maximum_quantity, highest, bands);
    if (error_) return;
    if (bands.empty()) return fail(ErrorCode::missing, "a tick");
    Result<market::TickTable> ticks = market::TickTable::make(std::move(bands), highest);
    if (!ticks) return fail(ErrorCode::out_of_range, "ticks that make a table");
    instruments.push_back({.id = id,
                           .symbol = std::move(symbol),
                           .ticks = std::move(*ticks),
                           .maximum_quantity = maximum_quantity,
                           .reference = reference,
                           .segment = std::move(segment)});
  }

  void fail(ErrorCode code, const char* expected) {
    if (!error_) error_ = Error{code, 0, static_cast<std::uint32_t>(at_ + 1), 0, expected};
  }

  const std::vector<Line>& lines_;
  Path path_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

bool begins_with_any(std::string_view key, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [key](std::string_view beginning) { return key.starts_with(beginning); });
}

Change change_of(std::string_view key) {
  if (key == "build") return Change::free;
  const std::string_view last = key.substr(key.rfind('.') + 1);
  if (key.starts_with("users.")) return last == "name" ? Change::never : Change::between_days;
  if (key.starts_with("segments.")) return last == "name" ? Change::never : Change::between_days;
  if (begins_with_any(key, {"slice", "day_seed", "checkpoint_every", "limits.trades", "full_reports"}))
    return Change::between_days;
  return Change::never;
}

constexpr std::string_view k_instruments = "instruments";

/// What the text says of how many there are; none: nothing that can be read.
std::optional<std::size_t> count_of_instruments(const std::vector<Line>& lines) {
  const auto line = std::ranges::find(lines, k_instruments, &Line::key);
  std::size_t count = 0;
  if (line == lines.end() || !parse_value(line->value, count)) return std::nullopt;
  return count;
}

/// Whether a key is about an instrument behind the first `count`: "instruments.4.symbol".
bool is_behind(std::string_view key, std::size_t count) {
  if (!key.starts_with(k_instruments) || key.size() <= k_instruments.size() + 1) return false;
  key.remove_prefix(k_instruments.size() + 1);
  std::size_t place = 0;
  return parse_value(std::string(key.substr(0, key.find('.'))), place) && place >= count;
}

/// Instruments that were added behind the last one mean nothing new for what is there.
void allow_added_instruments(std::vector<Difference>& found, std::size_t before, std::size_t now) {
  if (now <= before) return;
  for (Difference& what : found)
    if (what.key == k_instruments || (what.before.empty() && is_behind(what.key, before)))
      what.change = Change::between_days;
}

}  // namespace

std::string text_of(const PartitionSettings& settings) {
  Writer writer;
  PartitionSettings copy = settings;  // what is there is said once, for writing and reading
  each_of(writer, copy);
  return writer.take();
}

Result<PartitionSettings> parse_settings(std::string_view text) {
  std::vector<Line> lines;
  if (!split(text, lines))
    return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(lines.size() + 1), 0, "key = value");
  PartitionSettings settings;
  Reader reader(lines);
  each_of(reader, settings);
  if (const std::optional<Error> error = reader.finish()) return std::unexpected(*error);
  for (market::Instrument& instrument : settings.config.instruments) instrument.partition = settings.config.app_id;
  return settings;
}

std::vector<Difference> differences(std::string_view before, std::string_view now) {
  std::vector<Line> old_lines, new_lines;
  static_cast<void>(split(before, old_lines));
  static_cast<void>(split(now, new_lines));
  std::map<std::string_view, std::string_view> values;
  for (const Line& line : new_lines) values[line.key] = line.value;
  std::vector<Difference> found;
  for (const Line& line : old_lines) {
    const auto same = values.find(line.key);
    if (same == values.end()) {
      found.push_back({line.key, line.value, "", change_of(line.key)});
      continue;
    }
    if (same->second != line.value)
      found.push_back({line.key, line.value, std::string(same->second), change_of(line.key)});
    values.erase(same);
  }
  for (const Line& line : new_lines)
    if (values.contains(line.key)) found.push_back({line.key, "", line.value, change_of(line.key)});
  const auto were = count_of_instruments(old_lines), are = count_of_instruments(new_lines);
  if (were && are) allow_added_instruments(found, *were, *are);
  return found;
}

std::string describe(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& what : differences) {
    if (!text.empty()) text += '\n';
    text += what.key + ": " + (what.before.empty() ? "nothing" : what.before) + " in the journal, " +
            (what.now.empty() ? "nothing" : what.now) + " now";
  }
  return text;
}

std::vector<market::Setting> commands_of(std::string_view text) {
  std::vector<market::Setting> commands;
  do {
    market::Setting command;
    command.header.user = market::k_no_user;
    const std::size_t size = std::min(text.size(), sizeof command.text);
    command.is_first = commands.empty();
    command.is_last = size == text.size();
    command.size = static_cast<std::uint8_t>(size);
    std::copy_n(text.begin(), size, command.text);
    commands.push_back(command);
    text.remove_prefix(size);
  } while (!text.empty());
  return commands;
}

bool SettingText::add(const market::Setting& setting) {
  if (setting.is_first) text_.clear();
  is_open_ = (is_open_ || setting.is_first) && setting.size <= sizeof setting.text;
  if (!is_open_) return false;
  text_.append(setting.text, setting.size);
  if (setting.is_last) is_open_ = false;
  return setting.is_last;
}

}  // namespace dojima::venue
