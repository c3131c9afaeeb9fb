#pragma once

// What a client may do before the venue hears of it, and what becomes of its orders when it goes. Plain values, set in
// the configuration and changed while the gateway runs; 0 or empty: no limit. docs/gateway.md explains each.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// What happens to a request above the rate.
enum class RateAction : std::uint8_t {
  reject,  ///< it is refused
  queue,   ///< it waits, in order, until the rate lets it go
  logout,  ///< it is refused, and the client's session ends; cancels count too
};

/// When the open orders of a client that goes are cancelled.
enum class CancelOnDisconnect : std::uint8_t {
  never,
  disconnect,  ///< its connection was lost, or a rule was broken
  logout,      ///< that, and after a Logout of either side
};

struct ClientLimits {
  static constexpr std::uint32_t k_rate_max = 100'000;
  static constexpr std::uint32_t k_collar_max = 1'000'000;  ///< 10,000 %
  static constexpr std::int64_t k_duplicate_ms_max = 3'600'000;
  static constexpr std::size_t k_symbols_max = 64, k_symbol_size = 24;
  static constexpr std::size_t k_accounts_max = 24, k_account_size = 10;

  std::uint32_t rate = 0;  ///< new orders and replaces that go to the venue in any second, up to k_rate_max
  RateAction rate_action = RateAction::reject;
  std::uint32_t queue = 100;                     ///< with RateAction::queue: requests that may wait, above 0
  market::Quantity quantity{};                   ///< of an order
  std::int64_t value = 0;                        ///< of an order, price * quantity: whole units of the currency
  std::uint32_t collar_bp = 0;                   ///< how far a price may be from the reference: hundredths of a percent
  std::uint32_t open_orders = 0;                 ///< at a time
  std::chrono::milliseconds duplicate_window{};  ///< so long no order of the same symbol, side, price and quantity
  std::vector<std::string> symbols{};            ///< that it may trade, up to k_symbols_max; empty: all
  std::vector<std::string> accounts{};           ///< that its orders may have, up to k_accounts_max; empty: all
  friend bool operator==(const ClientLimits&, const ClientLimits&) = default;
};

/// Whether every value is in its range. Errors: `out_of_range`, `too_long`, with what would be right.
[[nodiscard]] Result<void> validate(const ClientLimits& limits) noexcept;

}  // namespace dojima::gateway
