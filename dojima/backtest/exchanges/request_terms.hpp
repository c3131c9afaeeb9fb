#pragma once

// What a strategy wants as the terms of an order of the matching book.

#include <cstdint>

#include "dojima/backtest/orders.hpp"
#include "dojima/market/order.hpp"

namespace dojima::backtest {

/// The passive rule of an order that expires instead of taking.
inline constexpr std::uint8_t k_never_take = 99;

/// Without owner and capacity.
[[nodiscard]] inline market::OrderTerms terms_of(const OrderRequest& wanted) noexcept {
  market::OrderTerms terms;
  terms.limit = {wanted.price};
  terms.stop = {wanted.stop};
  terms.quantity = {wanted.quantity};
  terms.displayed = {wanted.displayed == 0 ? wanted.quantity : wanted.displayed};
  terms.side = wanted.side;
  terms.type = wanted.type;
  terms.time_in_force = wanted.time_in_force;
  terms.passive = wanted.is_post_only ? k_never_take : 0;
  return terms;
}

}  // namespace dojima::backtest
