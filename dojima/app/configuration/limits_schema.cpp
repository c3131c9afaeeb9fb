#include "dojima/app/configuration/limits_schema.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>

namespace dojima::app {
namespace {

using gateway::ClientLimits;

constexpr std::array<std::string_view, 3> k_rate_actions = {"reject", "queue", "logout"};
static_assert(static_cast<std::size_t>(gateway::RateAction::logout) + 1 == k_rate_actions.size());
constexpr std::array<std::string_view, 3> k_cancel_modes = {"never", "disconnect", "logout"};
static_assert(static_cast<std::size_t>(gateway::CancelOnDisconnect::logout) + 1 == k_cancel_modes.size());

constexpr std::int64_t k_quantity_max = 2'147'483'647;  // on the native wire
constexpr std::int64_t k_millions = 1'000'000;

/// Words of at most `longest` characters, at most `most` of them.
void describe_words(std::string_view key, std::vector<std::string>& words, std::size_t most, std::size_t longest,
                    std::string_view meaning, ConfigVisitor& visitor) {
  constexpr std::size_t k_line = 4096;
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  visitor.text(key, line, k_line, meaning);
  words = words_of(line);
  if (words.size() > most) visitor.complain(key, "at most " + std::to_string(most) + " of them");
  for (const std::string& word : words)
    if (word.size() > longest)
      visitor.complain(key, "\"" + word + "\" has more than " + std::to_string(longest) + " characters");
}

/// Percent with at most two decimals.
void describe_collar(std::uint32_t& collar_bp, ConfigVisitor& visitor) {
  constexpr std::int64_t k_hundredth = market::k_price_scale / 100;
  market::Price percent{collar_bp * k_hundredth};
  visitor.price("price_collar", percent,
                "percent that a price may be from the last trade, else the symbol's reference");
  const std::int64_t hundredths = percent.units / k_hundredth;
  if (percent.units % k_hundredth != 0 || hundredths < 0 || hundredths > ClientLimits::k_collar_max)
    return visitor.complain("price_collar", "0 to 10000 percent, with at most two decimals");
  collar_bp = static_cast<std::uint32_t>(hundredths);
}

void check_symbols(const ClientLimits& limits, const GatewayConfig& config, ConfigVisitor& visitor) {
  for (const std::string& symbol : limits.symbols)
    if (std::ranges::find(config.gateway.symbols, symbol, &gateway::SymbolConfig::symbol) ==
        config.gateway.symbols.end())
      visitor.complain("symbols", "there is no [[symbol]] " + symbol);
}

}  // namespace

void describe_client_limits(gateway::ClientConfig& client, const GatewayConfig& config, ConfigVisitor& visitor) {
  ClientLimits& limits = client.limits;
  visitor.integer("max_rate", limits.rate, 0, ClientLimits::k_rate_max,
                  "new orders and replaces in a second; 0, here and below: no limit");
  describe_enum("rate_action", limits.rate_action, k_rate_actions, "what happens to a request above max_rate", visitor);
  visitor.integer("rate_queue", limits.queue, 1, 1 << 20, "requests that may wait, with rate_action queue");
  visitor.integer("max_quantity", limits.quantity.lots, 0, k_quantity_max, "of an order");
  visitor.integer("max_value", limits.value, 0, std::numeric_limits<std::int64_t>::max(),
                  "price * quantity of an order, in whole units of the currency");
  describe_collar(limits.collar_bp, visitor);
  visitor.integer("max_open_orders", limits.open_orders, 0, 100 * k_millions, "at a time");
  std::int64_t window = limits.duplicate_window.count();
  visitor.integer("duplicate_ms", window, 0, ClientLimits::k_duplicate_ms_max,
                  "so long no second order of the same symbol, side, price and quantity");
  limits.duplicate_window = std::chrono::milliseconds{window};
  describe_words("symbols", limits.symbols, ClientLimits::k_symbols_max, ClientLimits::k_symbol_size,
                 "that it may trade, with spaces between; empty: all", visitor);
  describe_words("accounts", limits.accounts, ClientLimits::k_accounts_max, ClientLimits::k_account_size,
                 "that its orders may have; empty: all", visitor);
  check_symbols(limits, config, visitor);
  describe_enum("cancel_on_disconnect", client.cancel_on_disconnect, k_cancel_modes,
                "cancel its orders when the gateway loses it, or after its Logout too", visitor);
  auto grace = std::chrono::duration_cast<std::chrono::milliseconds>(client.cancel_grace).count();
  visitor.integer("cancel_grace_ms", grace, 0, 86'400'000, "so long it may be away before that");
  client.cancel_grace = std::chrono::milliseconds{grace};
}

}  // namespace dojima::app
