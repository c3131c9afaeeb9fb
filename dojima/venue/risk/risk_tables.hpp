#pragma once

// The memory of RiskLimits: taken as a whole with the first limit. Included by its sources only.

#include <chrono>
#include <cstdint>
#include <vector>

#include "dojima/venue/risk/recent_orders.hpp"
#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_profile.hpp"

namespace dojima::venue {

/// The window of max_rate, and of what has none of its own.
inline constexpr Duration k_rate_second = std::chrono::seconds{1};

[[nodiscard]] constexpr Duration window_of(std::int64_t milliseconds) noexcept {
  return milliseconds == 0 ? k_rate_second : Duration{std::chrono::milliseconds{milliseconds}};
}

/// Whether a limit of that kind stays as it was set.
[[nodiscard]] constexpr bool stays_set(market::LimitKind kind) noexcept {
  return static_cast<std::size_t>(kind) < market::k_limit_kinds;
}

/// The last trade, else the instrument's reference; 0: neither is there.
[[gnu::always_inline]] inline market::Price RiskLimits::last_of(std::uint32_t place) const {
  return books_[place].last_trade().value_or(books_.instrument(place).reference);
}

/// Of a new order.
[[nodiscard, gnu::always_inline]] inline RecentOrders::Terms terms_of(const RiskRequest& request) noexcept {
  const RiskLeg& leg = request.legs[0];
  return {.price = leg.price.units, .quantity = leg.quantity.lots, .place = request.place, .side = leg.side};
}

struct RiskLimits::Tables {
  Tables(std::size_t users, std::size_t instruments, std::size_t orders)
      : cells(users, instruments), recent(RiskCells::k_capacity), exposures(orders, k_untouched) {
    due.reserve(RiskCells::k_capacity);
    exposures[0] = {};  // memory of huge pages is cleared when it is used first: not while an order waits
  }

  [[nodiscard]] RiskProfile& profile_of(const RiskRequest& of) {
    return profiles.find(cells, of.user, of.account, of.place + 1);
  }

  RiskCells cells;
  RiskProfiles profiles;
  RecentOrders recent;
  Duration longest_duplicate{};         // of all limits
  LargeArray<OrderExposure> exposures;  // by slot
  int near_rates = 0;                   // cells of which the next request may be one too many
  std::vector<std::uint32_t> due;       // cells whose orders protection has to cancel, the first one first
  // The request in hand.
  RiskRequest request;
  const RiskProfile* profile = nullptr;
  RecentOrders::Heads heads{};  // where orders like it are linked, if duplicates are looked for
  std::int64_t reference = 0;   // the price of what has none of its own; 0: unknown
};

}  // namespace dojima::venue
