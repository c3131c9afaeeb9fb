// The keys of a segment, and times of day as configurations have them. With market_schema.cpp, the Python package
// compiles it, too: nothing here needs more than rooms below `app`.

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "dojima/app/configuration/market_schema.hpp"

namespace dojima::app {

std::optional<time::Duration> parse_time_of_day(std::string_view text) {
  // HH:MM:SS, then a point and one to three decimals.
  const bool has_shape = text.size() >= 8 && text.size() <= 12 && text.size() != 9 && text[2] == ':' &&
                         text[5] == ':' && (text.size() == 8 || text[8] == '.');
  if (!has_shape) return std::nullopt;
  std::array<std::int64_t, 4> parts{};
  constexpr std::array<std::int64_t, 4> k_most = {24, 59, 59, 999};
  std::int64_t scale = 100;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at == 2 || at == 5 || at == 8) continue;
    if (text[at] < '0' || text[at] > '9') return std::nullopt;
    const std::int64_t digit = text[at] - '0';
    if (at < 8) {
      parts[at / 3] = parts[at / 3] * 10 + digit;
    } else {
      parts[3] += digit * scale;
      scale /= 10;
    }
  }
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (parts[part] > k_most[part]) return std::nullopt;
  const auto time = std::chrono::hours{parts[0]} + std::chrono::minutes{parts[1]} + std::chrono::seconds{parts[2]} +
                    std::chrono::milliseconds{parts[3]};
  if (time > std::chrono::hours{24}) return std::nullopt;
  return time;
}

std::string time_of_day_text(time::Duration since_midnight) {
  const std::int64_t milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since_midnight).count();
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  std::string text =
      two(milliseconds / 3'600'000) + ":" + two(milliseconds / 60'000 % 60) + ":" + two(milliseconds / 1000 % 60);
  if (milliseconds % 1000 != 0) text += "." + std::to_string(1000 + milliseconds % 1000).substr(1);
  return text;
}

namespace {

void describe_time(std::string_view key, time::Duration& value, std::string_view meaning, ConfigVisitor& visitor) {
  std::string text = time_of_day_text(value);
  visitor.text(key, text, 12, meaning);
  if (const auto parsed = parse_time_of_day(text))
    value = *parsed;
  else
    visitor.complain(key, "\"" + text + "\" is not a time of day such as \"08:00:00\" or \"16:30:00.250\"");
}

void describe_duration(std::string_view key, time::Duration& value, std::string_view meaning, ConfigVisitor& visitor) {
  constexpr std::int64_t k_nanoseconds = 1'000'000;
  constexpr std::int64_t k_day_ms = 86'400'000;
  std::int64_t milliseconds = value.count() / k_nanoseconds;
  visitor.integer(key, milliseconds, 0, k_day_ms, meaning);
  value = time::Duration{milliseconds * k_nanoseconds};
}

}  // namespace

void describe_segment(venue::Segment& segment, ConfigVisitor& visitor) {
  constexpr std::int64_t k_whole_bp = 10'000;
  venue::Timetable& table = segment.timetable;
  visitor.text("name", segment.name, 4, "what instruments say as their segment");
  describe_time("start_of_day", table.start_of_day, "the day begins; nothing enters", visitor);
  describe_time("opening_call", table.opening_call, "orders collect for the opening auction", visitor);
  describe_time("opening", table.opening, "the earliest end of that call", visitor);
  describe_time("intraday_call", table.intraday_call, "of the intraday auction; 00:00:00: there is none", visitor);
  describe_time("intraday", table.intraday, "the earliest end of that call", visitor);
  describe_time("closing_call", table.closing_call, "orders collect for the closing auction", visitor);
  describe_time("closing", table.closing, "the earliest end of that call; then trades at the closing price", visitor);
  describe_time("cross_end", table.cross_end, "the end of trading at the closing price", visitor);
  describe_time("end_of_day", table.end_of_day, "day orders expire", visitor);
  describe_duration("random_end_ms", table.random_end, "a call ends up to so much later, drawn by [day] seed", visitor);
  describe_duration("extension_ms", table.extension,
                    "a call whose price lies outside the static band goes on for so long; 0: it does not", visitor);
  visitor.integer("extensions", table.extensions, 0, 100, "at most so often");
  describe_duration("halt_ms", table.halt, "nothing enters for so long after a price outside the static band", visitor);
  describe_duration("reopening_call_ms", table.reopening_call,
                    "the call after that, and after a price outside the dynamic band", visitor);
  visitor.integer("static_bp", segment.bands.static_bp, 0, k_whole_bp,
                  "basis points that a price may be from the last auction's; 0: any");
  visitor.integer("dynamic_bp", segment.bands.dynamic_bp, 0, k_whole_bp,
                  "basis points that a price may be from the last trade; 0: any");
  visitor.flag("halts_together", segment.halts_together, "what interrupts one instrument interrupts the segment");
  if (const char* wrong = complaint(segment)) visitor.complain("name", wrong);
}

}  // namespace dojima::app
