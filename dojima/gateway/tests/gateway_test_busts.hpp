#pragma once

// Fills that a scripted venue takes back, or gives another price.

#include <cstdint>

#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway::testing {

/// A fill of the trade of that number.
inline market::OwnerReport traded_in(ScriptedVenue& venue, std::uint64_t trade, const market::NewOrder& order,
                                     std::uint64_t order_id, std::int64_t quantity, std::int64_t price_units,
                                     std::int64_t leaves) {
  market::OwnerReport fill = venue.traded(order, order_id, quantity, price_units, leaves);
  fill.trade = trade;
  return fill;
}

inline market::OwnerReport busted(ScriptedVenue& venue, const market::NewOrder& order, const market::OwnerReport& fill,
                                  std::int64_t leaves) {
  market::OwnerReport report = venue.about(order, market::OwnerReportKind::trade_cancelled, fill.order.value);
  report.reference = fill.execution;
  report.quantity = fill.quantity;
  report.price = fill.price;
  report.trade = fill.trade;
  report.liquidity = fill.liquidity;
  report.leaves = {leaves};
  report.status = market::OrderStatus::partially_filled;
  return report;
}

/// What a venue says of a trade that has another price: two reports.
struct Correction {
  market::OwnerReport before, now;
};
inline Correction corrected(ScriptedVenue& venue, const market::NewOrder& order, const market::OwnerReport& fill,
                            std::int64_t units, std::int64_t leaves) {
  Correction both;
  both.before = busted(venue, order, fill, leaves);
  both.before.restatement = static_cast<std::uint8_t>(market::Restatement::market);
  both.now = traded_in(venue, fill.trade, order, fill.order.value, fill.quantity.lots, units, leaves);
  return both;
}

}  // namespace dojima::gateway::testing
