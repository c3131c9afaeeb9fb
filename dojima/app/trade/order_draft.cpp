#include "dojima/app/trade/order_draft.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace dojima::app {
namespace {

using market::OrderSubType, market::OrderType;

}  // namespace

Understood<void> OrderDraft::say(const std::string& name) {
  if (std::ranges::find(said, name) != said.end()) return wrong(fmt::format("{} is said twice", name));
  said.push_back(name);
  return {};
}

Understood<void> OrderDraft::check_kind() const {
  const int kinds = int{is_market} + int{is_pegged} + int{is_offset} + int{is_market_to_limit};
  if (kinds > 1) return wrong("an order is one of market, mtl, peg and offset");
  if (has_limit && (is_market || is_market_to_limit)) return wrong("a market order has no price");
  if (has_stop && (is_pegged || is_offset || is_market_to_limit))
    return wrong("a stop order is a market order or a limit order");
  if (is_random && (kinds != 0 || has_stop)) return wrong("random peaks are of plain limit orders");
  if (is_hidden && entry.terms.displayed.lots != 0) return wrong("hidden and a displayed quantity do not go together");
  if (kinds == 0 && !has_limit && !has_stop) return wrong("@ PRICE or market is missing");
  return {};
}

Understood<OrderEntry> OrderDraft::finish() const {
  if (auto good = check_kind(); !good) return wrong(good.error());
  OrderEntry order = entry;
  market::OrderTerms& terms = order.terms;
  const bool shows_part = is_hidden || terms.displayed.lots != 0;
  if (terms.displayed > terms.quantity) return wrong("what is displayed is above the quantity");
  if (!shows_part) terms.displayed = terms.quantity;
  terms.type = is_market_to_limit       ? OrderType::market_to_limit
               : has_stop && has_limit  ? OrderType::stop_limit
               : has_stop               ? OrderType::stop
               : has_limit || is_offset ? OrderType::limit
                                        : OrderType::market;
  if (is_pegged) terms.sub_type = OrderSubType::pegged;
  if (is_offset) terms.sub_type = OrderSubType::offset;
  if (is_random) terms.sub_type = OrderSubType::random_peak;
  return order;
}

}  // namespace dojima::app
