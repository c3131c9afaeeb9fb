// What a configuration is before a file says otherwise.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/app/config.hpp"

namespace dojima::app {

namespace {
constexpr std::int64_t k_most_lots = 1'000'000;

/// Of k_default_password. One salt for all, so that the text is the same each time; it protects nothing, as everybody
/// knows the password.
constexpr std::string_view k_default_password_hash =
    "$scrypt$ln=14,r=8,p=1$2JHC/PHRoGQdnX0T4IgRYA$zkMxGtSdeSqqK+uGORvMy7E/SIu4HCIDDrCjRXJp/rU";
}  // namespace

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
  for (const char* user : {"KONOIKE", "YODOYA"})
    config.users.push_back({.name = user, .password = std::string(k_default_password)});
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

std::string default_venue_text() {
  VenueConfig config = default_venue();
  for (simulate::VenueUserConfig& user : config.users) user.password = k_default_password_hash;
  return text_of(config);
}

std::string default_gateway_text() {
  GatewayConfig config = default_gateway();
  for (std::size_t row = 0; row < config.gateway.clients.size(); ++row)
    config.password_files.emplace("client." + std::to_string(row) + ".venue_password", k_default_password_file);
  return text_of(config);
}

}  // namespace dojima::app
