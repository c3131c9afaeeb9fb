#include "dojima/recorded/formats/format.hpp"

#include <algorithm>
#include <array>

#include "dojima/market/command.hpp"
#include "dojima/recorded/captures/capture_packets.hpp"
#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/recorded/formats/event_csv.hpp"
#include "dojima/recorded/formats/itch_messages.hpp"

namespace dojima::recorded {
namespace {

constexpr std::array k_formats = {Format::lobster, Format::itch50,   Format::dbn,     Format::binance, Format::bitstamp,
                                  Format::fix,     Format::commands, Format::compact, Format::csv};
constexpr std::array<std::string_view, k_formats.size()> k_names = {
    "lobster", "itch50", "dbn", "binance", "bitstamp", "fix", "commands", "compact", "csv"};

/// A length, and behind it a type whose messages are as long as that.
bool is_itch(std::string_view text) noexcept {
  return text.size() >= 3 && ItchMessages::size_of(text[2]) != 0 &&
         network16(text, 0) == ItchMessages::size_of(text[2]);
}

bool is_binance(std::string_view text) noexcept {
  Fields fields(text);
  std::uint64_t time = 0;
  return fields.take_number(time) && fields.take(" {\"");
}

bool is_lobster(std::string_view text) noexcept {
  Fields fields(text);
  std::int64_t value = 0;
  std::uint64_t type = 0;
  return fields.take_decimal(9, value) && fields.take(',') && fields.take_number(type) && type >= 1 && type <= 7 &&
         fields.take(',') && fields.take_decimal(0, value) && fields.take(',') && fields.take_decimal(0, value) &&
         fields.take(',') && fields.take_decimal(0, value) && fields.take(',');
}

/// A command is its header, of a type that there is, and numbered from 1.
bool is_command_log(std::string_view text) noexcept {
  if (text.size() < sizeof(market::CommandHeader)) return false;
  const auto header = load_little<market::CommandHeader>(as_bytes(text), 0);
  return market::size_of(header.type) != 0 && header.sequence.value == 1;
}

}  // namespace

std::string_view name_of(Format format) noexcept {
  return k_names[static_cast<std::size_t>(format)];
}

std::span<const Format> all_formats() noexcept {
  return k_formats;
}

std::optional<Format> format_named(std::string_view name) noexcept {
  const auto found = std::ranges::find(k_names, name);
  if (found == k_names.end()) return std::nullopt;
  return k_formats[static_cast<std::size_t>(found - k_names.begin())];
}

std::optional<Format> guess_format(Bytes start) noexcept {
  const std::string_view text = as_text(start);
  if (text.starts_with("DBN")) return Format::dbn;
  if (is_compact(text)) return Format::compact;
  if (text.starts_with("id,timestamp,exchange.timestamp,price,volume,action,direction")) return Format::bitstamp;
  if (is_event_csv(text)) return Format::csv;
  if (is_capture(text)) return Format::itch50;
  if (is_binance(text)) return Format::binance;
  if (is_lobster(text)) return Format::lobster;
  if (text.find("8=FIX") != std::string_view::npos) return Format::fix;
  if (is_command_log(text)) return Format::commands;
  if (is_itch(text)) return Format::itch50;
  return std::nullopt;
}

}  // namespace dojima::recorded
