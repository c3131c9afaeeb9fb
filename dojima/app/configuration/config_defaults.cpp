// What a configuration is before a file says otherwise, and times of day as it has them.

#include <array>
#include <chrono>
#include <utility>

#include "dojima/app/config.hpp"

namespace dojima::app {

namespace {
constexpr std::int64_t k_most_lots = 1'000'000;
}  // namespace

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

venue::Segment example_segment() {
  using namespace std::chrono_literals;
  return {.name = "RICE",
          .timetable = {.start_of_day = 7h,
                        .opening_call = 7h + 50min,
                        .opening = 8h,
                        .intraday_call = 12h,
                        .intraday = 12h + 2min,
                        .closing_call = 16h + 30min,
                        .closing = 16h + 35min,
                        .cross_end = 16h + 40min,
                        .end_of_day = 17h + 15min,
                        .random_end = 30s,
                        .extension = 5min,
                        .extensions = 1,
                        .halt = 5min,
                        .reopening_call = 5min},
          .bands = {.static_bp = 1000, .dynamic_bp = 500}};
}

VenueConfig default_venue() {
  VenueConfig config;
  const std::int64_t hundred = 100 * market::k_price_scale;
  const std::int64_t cent = market::k_price_scale / 100;
  const std::pair<const char*, std::int64_t> symbols[] = {
      {"KAGA", hundred}, {"CHIKUZEN", 2 * hundred}, {"HIGO", 5 * hundred}, {"CHUGOKU", hundred / 2}};
  for (const auto& [symbol, reference] : symbols) {
    config.instruments.push_back({.id = static_cast<std::uint32_t>(1001 + config.instruments.size()),
                                  .symbol = symbol,
                                  .partition = 1,
                                  .ticks = {{{cent}, {cent}}},
                                  .highest = {20 * hundred},
                                  .reference = {reference},
                                  .maximum_quantity = {k_most_lots}});
  }
  for (const char* user : {"KONOIKE", "YODOYA"}) config.users.push_back({.name = user, .password = "rice-1730"});
  return config;
}

GatewayConfig default_gateway() {
  GatewayConfig config;
  for (const simulate::InstrumentConfig& instrument : default_venue().instruments)
    config.gateway.symbols.push_back({instrument.symbol, instrument.id, instrument.reference});
  for (const simulate::VenueUserConfig& user : default_venue().users)
    config.gateway.clients.push_back({.comp_id = user.name, .venue_user = user.name, .venue_password = user.password});
  return config;
}

}  // namespace dojima::app
